"""The share passed per level or task: dodged bars with intervals, and reference lines for published results."""

from collections.abc import Sequence
from typing import Any

from puzzlebox.lab.published import LevelRates
from puzzlebox.lab.report.figures.looks import FAINT, INK, WIDTH, Drawing, looks, new_figure
from puzzlebox.lab.report.played import Played, agents_of, grouped
from puzzlebox.lab.report.tables import rate
from puzzlebox.lab.stats import Interval
from puzzlebox.lab.stats.needed import needed

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
    name: str,
    caption: str,
    published: Sequence[LevelRates] = (),
) -> Drawing:
    """Dodged bars.

    Args:
        rows: the episodes.
        by: "level" or "task".
        categories: which of those, from left to right.
        name: of the file.
        caption: of the figure.
        published: results to draw beside, by level.
    """
    cells = grouped(rows, lambda row: (getattr(row, by), row.agent))
    agents = agents_of(rows)
    bars: list[tuple[str, str, dict[str, Interval | None], bool]] = [
        (agent, agent, {each: rate(cells.get((each, agent), [])) for each in categories}, False) for agent in agents
    ]
    for entry in published:
        if entry.name not in _LINES and len(agents) + len(published) - len(_LINES) <= _MOST_BARS:
            shares: dict[str, Interval | None] = {each: entry.interval(each) for each in categories}
            bars.append((entry.name, f"{entry.name} (published)", shares, True))
    look = looks([bar[0] for bar in bars])
    long_names = by == "task" and max(map(len, categories)) > 12
    figure = new_figure(min(WIDTH, 2.2 + 0.42 * len(bars) * len(categories)), 3.1 + (0.9 if long_names else 0))
    axes = figure.subplots()
    room = 0.84
    width = room / len(bars)
    for place, (agent, label, shares, beside) in enumerate(bars):
        centres = [i - room / 2 + width * (place + 0.5) for i in range(len(categories))]
        _bars(axes, centres, [shares[each] for each in categories], width, look[agent], label, beside)
    for entry in published:
        if entry.name in _LINES:
            colour, line = _LINES[entry.name]
            heights = [entry.rates[each] for each in categories]
            axes.hlines(
                heights,
                [i - 0.46 for i in range(len(categories))],
                [i + 0.46 for i in range(len(categories))],
                colors=colour,
                linestyles=[line],
                linewidth=1.6,
                label=f"{entry.name} (published)",
                zorder=4,
            )
    axes.set_xticks(
        range(len(categories)), categories, rotation=35 if long_names else 0, ha="right" if long_names else "center"
    )
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel(by.capitalize())
    axes.set_ylabel("Passed (%)")
    axes.set_ylim(0, 1.02)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    axes.set_xlim(-0.6, len(categories) - 0.4)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    handles, labels = axes.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: ("(published)" in labels[i], i))
    columns = min(4 if published or max(map(len, labels)) > 12 else 6, len(labels))
    figure.legend([handles[i] for i in order], [labels[i] for i in order], loc="outside upper left", ncols=columns)
    return Drawing(name, caption, figure)


def _bars(
    axes: Any,
    centres: Sequence[float],
    shares: Sequence[Interval | None],
    width: float,
    look: Any,
    label: str,
    beside: bool,
) -> None:
    there = [(x, each) for x, each in zip(centres, shares, strict=True) if each is not None]
    axes.bar(
        [x for x, _ in there],
        [max(each.value, _SLIVER) for _, each in there],
        width * 0.92,
        color=look.colour,
        hatch=look.hatch or ("////" if beside else ""),
        edgecolor="white" if beside or look.hatch else INK,
        linewidth=0.0 if beside else 0.5,
        alpha=0.6 if beside else 1.0,
        label=label,
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
