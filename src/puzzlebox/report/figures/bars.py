"""The share passed per level or task: dodged bars with intervals, and reference lines for published results."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from puzzlebox.report.figures.lettering import LEGEND_LINE, Ticks, columns_of, legend_entry, shortened
from puzzlebox.report.figures.looks import (
    FAINT,
    INK,
    WIDTH,
    Drawing,
    Look,
    Looks,
    new_figure,
    published_looks,
)
from puzzlebox.report.played import Played, agents_of, grouped
from puzzlebox.report.published import LevelRates
from puzzlebox.report.tables import rate
from puzzlebox.stats import Interval
from puzzlebox.stats.needed import needed

# Drawn across a level instead of as a bar, as in the paper's figure.
_LINES = {"random": ("#1a237e", (0, (4, 1.5))), "children": ("#000000", "solid")}
# More bars than this on each level cannot be told apart, and published ones give way.
_MOST_BARS = 8
# A share of 0 keeps a sliver, so that it does not look as if nobody had played.
_SLIVER = 0.006


def pass_bars(
    rows: Sequence[Played],
    by: str,
    categories: Sequence[str],
    look: Looks,
    name: str,
    caption: str,
    published: Sequence[LevelRates] = (),
) -> Drawing:
    """Dodged bars.

    Args:
        rows: the episodes.
        by: "level" or "task".
        categories: which of those, from left to right.
        look: of each agent.
        name: of the file.
        caption: of the figure.
        published: results to draw beside, by level.
    """
    cells = grouped(rows, lambda row: (getattr(row, by), row.agent))
    bars: list[tuple[Look, list[Interval | None]]] = [
        (look[agent], [rate(cells.get((each, agent), [])) for each in categories]) for agent in agents_of(rows)
    ]
    lines = [entry for entry in published if entry.name in _LINES]
    beside = [entry for entry in published if entry.name not in _LINES]
    if len(bars) + len(beside) <= _MOST_BARS:
        others = published_looks([entry.name for entry in beside])
        bars += [(others[entry.name], [entry.interval(each) for each in categories]) for entry in beside]
    labels = [bar[0].label for bar in bars] + [f"{entry.name} (published)" for entry in lines]
    broad = min(WIDTH, max(2.2 + 0.42 * len(bars) * len(categories), legend_entry(labels) + 0.2))
    names = shortened(categories)
    ticks = Ticks.of([names[each] for each in categories], (broad - 0.7) / len(categories))
    columns = columns_of(labels, broad)
    figure = new_figure(broad, 2.5 + ticks.room + LEGEND_LINE * ceil(len(labels) / columns))
    axes = figure.subplots()
    room = 0.84
    width = room / len(bars)
    for place, (own, shares) in enumerate(bars):
        centres = [i - room / 2 + width * (place + 0.5) for i in range(len(categories))]
        _bars(axes, centres, shares, width, own)
    for entry in lines:
        colour, line = _LINES[entry.name]
        axes.hlines(
            [entry.rates[each] for each in categories],
            [i - 0.46 for i in range(len(categories))],
            [i + 0.46 for i in range(len(categories))],
            colors=colour,
            linestyles=[line],
            linewidth=1.6,
            label=f"{entry.name} (published)",
            zorder=4,
        )
    ticks.write(axes)
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel(by.capitalize())
    axes.set_ylabel("Passed (%)")
    axes.set_ylim(0, 1.02)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    axes.set_xlim(-0.6, len(categories) - 0.4)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    handles, named = axes.get_legend_handles_labels()
    order = sorted(range(len(named)), key=lambda i: ("(published)" in named[i], i))
    figure.legend([handles[i] for i in order], [named[i] for i in order], loc="outside upper left", ncols=columns)
    return Drawing(name, caption, figure)


def _bars(
    axes: Any,
    centres: Sequence[float],
    shares: Sequence[Interval | None],
    width: float,
    look: Look,
) -> None:
    there = [(x, each) for x, each in zip(centres, shares, strict=True) if each is not None]
    axes.bar(
        [x for x, _ in there],
        [max(each.value, _SLIVER) for _, each in there],
        width * 0.92,
        color=look.colour,
        hatch=look.hatch,
        edgecolor=look.edge,
        linewidth=0.5,
        label=look.label,
        zorder=2,
    )
    bars = axes.errorbar(
        [x for x, _ in there],
        [each.value for _, each in there],
        yerr=[[each.value - each.low for _, each in there], [each.high - each.value for _, each in there]],
        fmt="none",
        ecolor=INK,
        elinewidth=0.8,
        capsize=min(2.5, 14 * width),
        zorder=3,
    )
    # A light edge, so that they are seen on dark bars too.
    effects = needed("matplotlib.patheffects")
    halo = [effects.Stroke(linewidth=2.0, foreground="white"), effects.Normal()]
    for line in (*bars.lines[1], *bars.lines[2]):
        line.set_path_effects(halo)
    for x, each in zip(centres, shares, strict=True):
        if each is None:
            axes.text(x, 0.01, "not played", rotation=90, ha="center", va="bottom", fontsize=6, color="#767676")
