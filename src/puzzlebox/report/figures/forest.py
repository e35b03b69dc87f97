"""Odds ratios with their intervals, on a scale of ratios, around the line where nothing differs: 1."""

from math import log10

from puzzlebox.report import words
from puzzlebox.report.figures.lettering import breadth, letters_in, lines_of, shortened, wrapped
from puzzlebox.report.figures.looks import FAINT, INK, WIDTH, Drawing, Looks, new_figure
from puzzlebox.stats import Fit

# Inches: of the scale at least, and of the numbers to its right.
_SCALE, _NUMBERS = 2.4, 1.7


def forest(fit: Fit, look: Looks, name: str, caption: str) -> Drawing:
    """One line for each term that has an estimate, but the intercept."""
    terms = [term for term in fit.terms if term.factor and term.settled]
    named = [*((term.factor, term.name) for term in terms), *fit.references.items()]
    short = shortened(each for factor, each in named if factor != "agent")
    labels = [f"{factor} {look[each].label if factor == 'agent' else short[each]}" for factor, each in named]
    width = max(WIDTH, breadth(labels, 9) + _SCALE + _NUMBERS)
    against = f"Odds ratio against {', '.join(labels[len(terms) :])} (logarithmic)"
    below = wrapped(against, letters_in(_SCALE + _NUMBERS, 9))
    figure = new_figure(width, 0.95 + 0.26 * len(terms) + 0.15 * lines_of([below]))
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
    axes.set_xlabel(below)
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    return Drawing(name, caption, figure)


def _log_ticks() -> object:
    from puzzlebox.stats.needed import needed

    return needed("matplotlib.ticker").LogLocator(base=10, subs=(1.0, 2.0, 5.0))
