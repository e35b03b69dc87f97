"""Bar charts of the proportion passed on each level or task, with intervals and lines for published results."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped
from puzzlebox.report.figures.lettering import LEGEND_LINE, Ticks, columns_of, legend_entry, shorten
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
from puzzlebox.report.published import LevelRates
from puzzlebox.stats import Interval
from puzzlebox.stats.extras import import_extra

# Published results drawn as horizontal lines instead of bars, as in the paper's figure.
_LINES = {"random": ("#1a237e", (0, (4, 1.5))), "children": ("#000000", "solid")}
# Most bars on each level that can be distinguished; beyond, published ones are left out.
_MOST_BARS = 8
# The height of the bar of a proportion of 0, so that it does not look as if it were not played.
_SMALLEST_BAR = 0.006


def pass_bars(
    rows: Sequence[ReportEpisode],
    by: str,
    categories: Sequence[str],
    look: Looks,
    name: str,
    caption: str,
    rate: Callable[[Sequence[ReportEpisode]], Interval | None],
    published: Sequence[LevelRates] = (),
) -> Drawing:
    """Draw the proportion passed of each agent as bars, grouped by level or task.

    Args:
        rows: the episodes.
        by: "level" or "task".
        categories: the levels or tasks, from left to right.
        look: the look of each agent.
        name: the name of the file.
        caption: the caption of the figure.
        rate: returns the proportion passed of some episodes with its error bar, or None if it is unknown.
        published: published results by level, which are drawn as well.
    """
    cells = grouped(rows, lambda row: (getattr(row, by), row.agent))
    bars: list[tuple[Look, list[Interval | None]]] = [
        (look[agent], [rate(cells.get((each, agent), [])) for each in categories]) for agent in agents_of(rows)
    ]
    lines = [entry for entry in published if entry.name in _LINES]
    published_bars = [entry for entry in published if entry.name not in _LINES]
    if len(bars) + len(published_bars) <= _MOST_BARS:
        others = published_looks([entry.name for entry in published_bars])
        bars += [(others[entry.name], [entry.interval(each) for each in categories]) for entry in published_bars]
    labels = [bar[0].label for bar in bars] + [f"{entry.name} (published)" for entry in lines]
    figure_width = min(WIDTH, max(2.2 + 0.42 * len(bars) * len(categories), legend_entry(labels) + 0.2))
    names = shorten(categories)
    ticks = Ticks.of([names[each] for each in categories], (figure_width - 0.7) / len(categories))
    columns = columns_of(labels, figure_width)
    figure = new_figure(figure_width, 2.5 + ticks.room + LEGEND_LINE * ceil(len(labels) / columns))
    axes = figure.subplots()
    room = 0.84
    width = room / len(bars)
    for index, (own, shares) in enumerate(bars):
        centres = [i - room / 2 + width * (index + 0.5) for i in range(len(categories))]
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
    played = [(x, each) for x, each in zip(centres, shares, strict=True) if each is not None]
    axes.bar(
        [x for x, _ in played],
        [max(each.value, _SMALLEST_BAR) for _, each in played],
        width * 0.92,
        color=look.colour,
        hatch=look.hatch,
        edgecolor=look.edge,
        linewidth=0.5,
        label=look.label,
        zorder=2,
    )
    bars = axes.errorbar(
        [x for x, _ in played],
        [each.value for _, each in played],
        yerr=[[each.value - each.low for _, each in played], [each.high - each.value for _, each in played]],
        fmt="none",
        ecolor=INK,
        elinewidth=0.8,
        capsize=min(2.5, 14 * width),
        zorder=3,
    )
    # A light edge makes error bars visible on dark bars.
    effects = import_extra("matplotlib.patheffects")
    halo = [effects.Stroke(linewidth=2.0, foreground="white"), effects.Normal()]
    for line in (*bars.lines[1], *bars.lines[2]):
        line.set_path_effects(halo)
    for x, each in zip(centres, shares, strict=True):
        if each is None:
            axes.text(x, 0.01, "not played", rotation=90, ha="center", va="bottom", fontsize=6, color="#767676")
