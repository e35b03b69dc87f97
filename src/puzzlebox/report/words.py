"""Formatting of numbers, intervals, p values, counts and lists for the sentences and tables of a report."""

from math import isfinite, isinf, isnan

from puzzlebox.stats import Interval

NOT_KNOWN = "–"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float | None, digits: int = 2) -> str:
    """Format a number with a true minus sign; a dash stands for None and NaN."""
    if value is None or isnan(value):
        return NOT_KNOWN
    if isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def percent(share: float | None, digits: int = 1) -> str:
    """Format a proportion in percent."""
    return NOT_KNOWN if share is None or not isfinite(share) else f"{100 * share:.{digits}f} %"


def percent_interval(interval: Interval | None) -> str:
    """Format a proportion in percent, with its limits."""
    if interval is None:
        return NOT_KNOWN
    value, low, high = (number(100 * each, 1) for each in interval)
    return f"{value} % [{low}, {high}]"


def percent_limits(interval: Interval) -> str:
    """Format the limits of a proportion in percent."""
    return f"[{number(100 * interval.low, 1)}, {number(100 * interval.high, 1)}] %"


def interval(value: Interval | None, digits: int = 2) -> str:
    """Format a number with its limits."""
    if value is None:
        return NOT_KNOWN
    return f"{number(value.value, digits)} [{number(value.low, digits)}, {number(value.high, digits)}]"


def p_value(p: float | None) -> str:
    """Format a p value in APA style: three decimals without a leading zero, or `< .001`."""
    if p is None or isnan(p):
        return NOT_KNOWN
    if p < 0.001:
        return "< .001"
    return "1.000" if p >= 0.9995 else f"{p:.3f}".removeprefix("0")


def p_equals(p: float) -> str:
    """Format a p value for a sentence, as in `p = .012` or `p < .001`."""
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def ratio(value: float | None) -> str:
    """Format an odds ratio with two or three significant digits."""
    if value is None:
        return NOT_KNOWN
    if isinf(value):
        return "∞"
    if value >= 1e5 or 0 < value < 1e-4:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa} × 10{str(int(exponent)).translate(_RAISED)}"
    if value < 0.1:
        return f"{value:.2g}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def count(many: int, one: str, several: str = "") -> str:
    """Format a count with its noun, as in `1 episode` or `2,000 episodes`."""
    return f"{many:,} {one if many == 1 else several or one + 's'}"


def listed(names: list[str], most: int = 6) -> str:
    """Join names for a sentence; of more than `most`, the first ones and the number of the others."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
