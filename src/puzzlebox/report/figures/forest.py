"""Forest plots of odds ratios with their intervals on a logarithmic scale."""

from math import log10

from puzzlebox.report import words
from puzzlebox.report.figures.lettering import letters_in, lines_of, shorten, text_width, wrap
from puzzlebox.report.figures.looks import FAINT, INK, WIDTH, Drawing, Looks, new_figure
from puzzlebox.report.model import Model

# Inches: the least width of the scale, and the width of the numbers to its right.
_SCALE, _NUMBERS = 2.4, 1.7


def forest(fit: Model, look: Looks, name: str, caption: str) -> Drawing:
    """Draw one line for each term with a finite estimate, without the intercept."""
    terms = [term for term in fit.terms if term.factor and term.settled]
    named = [*((term.factor, term.name) for term in terms), *fit.references.items()]
    short = shorten(each for factor, each in named if factor != "agent")
    labels = [f"{factor} {look[each].label if factor == 'agent' else short[each]}" for factor, each in named]
    width = max(WIDTH, text_width(labels, 9) + _SCALE + _NUMBERS)
    title = f"Odds ratio (reference: {', '.join(labels[len(terms) :])}; logarithmic)"
    axis_label = wrap(title, letters_in(_SCALE + _NUMBERS, 9))
    figure = new_figure(width, 0.95 + 0.26 * len(terms) + 0.15 * lines_of([axis_label]))
    axes = figure.subplots()
    lowest = min(max(term.low, 1e-4) for term in terms)
    highest = max(min(term.high, 1e5) for term in terms)
    for place, term in enumerate(terms):
        colour = look[term.name].colour if term.factor == "agent" else INK
        axes.plot([max(term.low, 1e-4), min(term.high, 1e5)], [place, place], color=colour, linewidth=1.8)
        axes.scatter(
            [term.odds_ratio], [place], s=34, color=colour, zorder=3, marker="o" if term.factor == "agent" else "s"
        )
        label = f"{words.ratio(term.odds_ratio)} [{words.ratio(term.low)}, {words.ratio(term.high)}]"
        axes.text(1.02, place, label, transform=axes.get_yaxis_transform(), va="center", fontsize=8)
    axes.axvline(1, color=INK, linewidth=0.9, linestyle=(0, (3, 2)))
    axes.set_xscale("log")
    axes.set_xlim(min(lowest / 1.5, 0.5), max(highest * 1.5, 2))
    if log10(axes.get_xlim()[1] / axes.get_xlim()[0]) < 2.5:
        axes.xaxis.set_major_locator(_log_ticks())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(lambda *_: "")
    axes.set_yticks(range(len(terms)), labels[: len(terms)])
    axes.set_ylim(len(terms) - 0.4, -0.6)
    axes.set_xlabel(axis_label)
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    return Drawing(name, caption, figure)


def _log_ticks() -> object:
    from puzzlebox.stats.extras import import_extra

    return import_extra("matplotlib.ticker").LogLocator(base=10, subs=(1.0, 2.0, 5.0))
