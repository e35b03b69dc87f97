"""Control and test: whether an agent, or people, pass the control and fail the test, and how large the difference is.

An experiment with a control has arenas, tasks or variants in which all is the same but for what is in question. Who
fails the control has other troubles than those the test is about; so the difference is what counts.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, levels_of
from puzzlebox.report.factors import passed, unit_means, unit_word, value_text
from puzzlebox.report.pairing import mean
from puzzlebox.report.tables import Show, Table, interval_cells, points, share, text
from puzzlebox.report.units import DECIMALS, FEWEST_UNITS, Subject, Units
from puzzlebox.stats import CannotCompute, Interval
from puzzlebox.stats.proportions import combined
from puzzlebox.stats.unit_means import difference_interval, mean_interval, share_interval

CONTROL, TEST = "control", "test"
# The factor that a test and the control that belongs to it have in common, if they are different tasks; and the factor
# that says what the two are about.
PAIR, PARADIGM = "pair", "paradigm"
# The proportion that a condition is compared with. Few tasks have a known chance level, because animals move freely;
# above one half an agent passes more often than it fails, which is also chance in a choice between two.
HALF = 0.5
RULE = (
    "A condition is passed if the interval of its proportion lies above 50 %, failed if it lies below, and not decided "
    "otherwise. (50 % because tasks in which animals move freely have no known level of chance; in a choice between "
    "two it is that level.)"
)


@dataclass(frozen=True)
class Contrast:
    """Control and test of one agent, or of one group of participants.

    Attributes:
        agent: the agent.
        unit: what a unit is: "task", "variant", "participant", "run", or "pair" (a control with its tests).
        pairs: the number of units that have both conditions; 0 if control and test are different units.
        counts: the number of units of the control and of the test.
        shares: the proportion passed of the control and of the test, with limits where there are five units.
        difference: the proportion of the control minus that of the test, with limits where there are any.
        why_not: why the difference has no limits, as a clause.
        level: the level of the tasks; "" for all of them.
    """

    agent: str
    unit: str
    pairs: int
    counts: tuple[int, int]
    shares: tuple[float, float]
    limits: tuple[Interval | None, Interval | None]
    difference: Interval | None
    why_not: str = ""
    level: str = ""

    @property
    def finding(self) -> str:
        """The finding in words: "passes the control, fails the test" and the like, or "not decided"."""
        verdicts = [_verdict(each) for each in self.limits]
        if None in verdicts:
            return "not decided"
        control, test = verdicts
        if control == test:
            return "passes both" if control else "fails both"
        return "passes the control, fails the test" if control else "fails the control, passes the test"

    @property
    def sentence(self) -> str:
        """The result in a sentence for a results section."""
        parts = [
            f"{name} {words.percent_interval(limits) if limits else words.percent(value)} of "
            f"{words.count(count, self.unit)}"
            for name, value, limits, count in zip((CONTROL, TEST), self.shares, self.limits, self.counts, strict=True)
        ]
        line = f"{self.agent}: {self.finding} ({', '.join(parts)})."
        if self.difference is None:
            difference = words.number(100 * (self.shares[0] - self.shares[1]), 1)
            return f"{line} The difference of {difference} percentage points has no interval because {self.why_not}."
        scaled = Interval(*(100 * each for each in self.difference))
        over = f"{self.pairs} {self.unit}s with both" if self.pairs else f"{sum(self.counts)} {self.unit}s"
        return f"{line} Control minus test: {words.interval(scaled, 1)} percentage points over {over}."


def _verdict(limits: Interval | None) -> bool | None:
    """Return whether a condition is passed; None if that is not decided."""
    if limits is None or limits.low <= HALF <= limits.high:
        return None
    return limits.low > HALF


def condition_of(row: ReportEpisode) -> str:
    """Return "control" or "test" if a factor of an episode has that value; otherwise ""."""
    first = ("condition", "control")
    for name in sorted(row.factors, key=lambda name: (name not in first, name)):
        value = value_text(row.factors[name]).strip().lower()
        if value in (CONTROL, TEST):
            return value
    return ""


def contrasts(rows: Sequence[ReportEpisode], subject: Subject = "auto") -> list[Contrast]:
    """Compare control and test for each agent that played both; empty if there are none.

    Args:
        rows: the episodes.
        subject: what counts as one participant or training run.
    """
    marked = [_by_pair(row) for row in _with_both(rows)]
    # Of these episodes alone: a few tasks with control and test may be among many without.
    units = Units.of(marked, subject)
    by_agent = grouped(units.rows, lambda row: row.agent)
    found = (_contrast(units, agent, by_agent[agent]) for agent in agents_of(marked))
    return [each for each in found if each is not None]


def contrasts_by_level(rows: Sequence[ReportEpisode], subject: Subject = "auto") -> list[Contrast]:
    """Compare control and test of each agent within each level; empty if fewer than two levels have both.

    Args:
        rows: the episodes.
        subject: what counts as one participant or training run.
    """
    levels = grouped(rows, lambda row: row.level)
    found = [(level, own) for level in levels_of(rows) if (own := contrasts(levels[level], subject))]
    return [replace(each, level=level) for level, own in found for each in own] if len(found) > 1 else []


def _with_both(rows: Sequence[ReportEpisode]) -> list[ReportEpisode]:
    """Return the episodes of control and test, without those whose pair has only one of them."""
    marked = [row for row in rows if condition_of(row) and row.passed is not None]
    pairs = grouped(marked, lambda row: row.factors.get(PAIR))
    whole = {pair for pair, own in pairs.items() if pair is None or len({condition_of(row) for row in own}) > 1}
    return [row for row in marked if row.factors.get(PAIR) in whole]


def _by_pair(row: ReportEpisode) -> ReportEpisode:
    """Return an episode whose task is the pair that it belongs to, if control and test are different tasks."""
    pair = row.factors.get(PAIR)
    if pair is None:
        return row
    return replace(row, task=f"{pair}-{row.variant}" if row.variant else str(pair))


def _contrast(units: Units, agent: str, rows: Sequence[ReportEpisode]) -> Contrast | None:
    parts = grouped(rows, condition_of)
    if len(parts) < 2:
        return None
    control, test = (unit_means(units, parts[name], passed) for name in (CONTROL, TEST))
    word = unit_word(units, agent)
    if word == "task" and all(row.factors.get(PAIR) is not None for row in rows):
        word = PAIR
    both = [unit for unit in control if unit in test]
    if len(both) >= FEWEST_UNITS or (both and 2 * len(both) >= max(len(control), len(test))):
        # Units with one condition only would add what else distinguishes them.
        control, test = ({unit: each[unit] for unit in both} for each in (control, test))
        return _paired(agent, word, control, test)
    return _independent(agent, word, control, test)


def _paired(agent: str, word: str, control: dict[Hashable, float], test: dict[Hashable, float]) -> Contrast:
    ours, theirs = list(control.values()), list(test.values())
    n = len(ours)
    shares, limits = (mean(ours), mean(theirs)), (_limits(ours), _limits(theirs))
    difference, why = None, ""
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    if n < FEWEST_UNITS:
        why = f"only {words.count(n, word)} {'has' if n == 1 else 'have'} both, and it needs {FEWEST_UNITS}"
    elif len({round(each, DECIMALS) for each in differences}) == 1:
        # Equal differences have no variance, such as those of an agent that passes all controls and no test.
        difference = _from_both(*limits)
    else:
        difference = _clamped(mean_interval(differences))
    return Contrast(agent, word, n, (n, n), shares, limits, difference, why)


def _independent(agent: str, word: str, control: dict[Hashable, float], test: dict[Hashable, float]) -> Contrast:
    ours, theirs = list(control.values()), list(test.values())
    counts = (len(ours), len(theirs))
    shares, limits = (mean(ours), mean(theirs)), (_limits(ours), _limits(theirs))
    difference, why = None, ""
    if min(counts) < FEWEST_UNITS:
        kinds = f"{words.count(counts[0], word)} of the control and {counts[1]} of the test"
        why = f"it has only {kinds}, and it needs {FEWEST_UNITS} of each"
    else:
        try:
            difference = _clamped(difference_interval(ours, theirs))
        except CannotCompute:
            difference = _from_both(*limits)
    return Contrast(agent, word, 0, counts, shares, limits, difference, why)


def _limits(shares: Sequence[float]) -> Interval | None:
    return share_interval(shares) if len(shares) >= FEWEST_UNITS else None


def _from_both(control: Interval | None, test: Interval | None) -> Interval | None:
    return combined(control, test) if control and test else None


def _clamped(interval: Interval) -> Interval:
    return Interval(interval.value, max(-1.0, interval.low), min(1.0, interval.high))


def control_and_test_table(found: Sequence[Contrast]) -> Table:
    """Tabulate control and test of each agent."""
    lines: list[dict[str, Any]] = []
    for each in found:
        line: dict[str, Any] = {"agent": each.agent, "unit": each.unit, "units_with_both": each.pairs or None}
        if each.level:
            line = {"level": each.level, **line}
        for name, value, limits, count in zip((CONTROL, TEST), each.shares, each.limits, each.counts, strict=True):
            line |= {f"{name}_units": count, **interval_cells(f"{name}_passed", limits), f"{name}_passed": value}
        line |= interval_cells("difference", each.difference) | {"difference": each.shares[0] - each.shares[1]}
        lines.append(line | {"finding": each.finding})

    def shown(key: str, row: dict[str, Any]) -> str:
        return share(key)(row) if row[f"{key}_low"] is not None else words.percent(row[key])

    by_level = any(each.level for each in found)
    columns = [
        *([("level", text("level"))] if by_level else []),
        ("agent", text("agent")),
        ("units", lambda row: f"{row['control_units']} and {row['test_units']} {row['unit']}s"),
        ("control passed", lambda row: shown("control_passed", row)),
        ("test passed", lambda row: shown("test_passed", row)),
        (
            "control minus test, percentage points",
            lambda row: (
                points("difference")(row)
                if row["difference_low"] is not None
                else words.number(100 * row["difference"], 1)
            ),
        ),
        ("finding", text("finding")),
    ]
    caption = (
        f"Control and test{' of each level' if by_level else ''}, with 95 % intervals over units: tasks, variants, or "
        "pairs (a control with its tests) like these, or participants or runs like these on these tasks. "
        f"With fewer than {FEWEST_UNITS} units there is no interval."
    )
    name = "control_and_test_by_level" if by_level else "control_and_test"
    return Table(name, caption, lines, columns)


def by_pair_table(rows: Sequence[ReportEpisode]) -> Table | None:
    """Tabulate what each agent passed of each control and of its tests; None if there are fewer than two pairs."""
    marked = [row for row in _with_both(rows) if row.factors.get(PAIR) is not None]
    agents, pairs = agents_of(marked), grouped(marked, lambda row: str(row.factors[PAIR]))
    if len(pairs) < 2:
        return None
    lines: list[dict[str, Any]] = []
    for pair, own in sorted(pairs.items()):
        tests = [row for row in own if condition_of(row) == TEST]
        paradigms = dict.fromkeys(str(row.factors[PARADIGM]) for row in tests if row.factors.get(PARADIGM))
        line: dict[str, Any] = {PAIR: pair, PARADIGM: "; ".join(paradigms)}
        for agent in agents:
            for name in (CONTROL, TEST):
                passes = [passed(row) or 0.0 for row in own if row.agent == agent and condition_of(row) == name]
                line |= {f"{agent}_{name}_episodes": len(passes), f"{agent}_{name}": mean(passes) if passes else None}
        lines.append(line)

    def shown(agent: str) -> Show:
        return lambda row: " and ".join(words.percent(row[f"{agent}_{name}"]) for name in (CONTROL, TEST))

    columns = [("pair", text(PAIR)), *([("paradigm", text(PARADIGM))] if any(each[PARADIGM] for each in lines) else [])]
    columns += [(agent, shown(agent)) for agent in agents]
    caption = (
        "The proportions of episodes passed of each control, and of the tests that belong to it. These are few tasks, "
        "so there are no intervals; the table says where to look."
    )
    return Table("control_and_test_by_pair", caption, lines, columns)
