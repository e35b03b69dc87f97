"""Tasks against agents: the share passed as a shade, sorted by level and by how hard a task is."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from puzzlebox.lab.report.figures.looks import INK, Drawing, new_figure
from puzzlebox.lab.report.played import Played, agents_of, grouped, levels_of, passes
from puzzlebox.lab.stats.needed import needed

_MOST_NAMED = 60
_MOST_NUMBERED = 40
_TALLEST = 9.5


def heat_map(rows: Sequence[Played], name: str, caption: str) -> Drawing:
    """The map; beyond 60 tasks it names levels only."""
    agents = agents_of(rows)
    cells = grouped(rows, lambda row: (row.task, row.agent))
    level_of = {row.task: row.level for row in rows}
    order = {level: place for place, level in enumerate(["", *levels_of(rows)])}
    shares: dict[str, list[float]] = {}
    for task in level_of:
        counts = [passes(cells.get((task, agent), [])) for agent in agents]
        shares[task] = [passed / known if known else np.nan for passed, known in counts]
    tasks = sorted(level_of, key=lambda task: (order[level_of[task]], -_mean(shares[task]), task))
    values = np.array([shares[task] for task in tasks])
    named = len(tasks) <= _MOST_NAMED
    height = min(_TALLEST, max(1.6, 1.0 + 0.19 * len(tasks)) if named else 4.0 + 0.004 * len(tasks))
    longest = max(map(len, tasks)) if named else 12
    figure = new_figure(min(7.2, 1.6 + 0.075 * longest + 0.72 * len(agents)), height)
    axes = figure.subplots()
    shades = needed("matplotlib").colormaps["cividis"].with_extremes(bad="#E6E6E6")
    image = axes.imshow(
        np.ma.masked_invalid(values), aspect="auto", cmap=shades, vmin=0, vmax=1, interpolation="nearest"
    )
    slanted = max(map(len, agents)) > 9
    axes.set_xticks(range(len(agents)), agents, rotation=35 if slanted else 0, ha="left" if slanted else "center")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    edges = [i for i in range(1, len(tasks)) if level_of[tasks[i]] != level_of[tasks[i - 1]]]
    for place in range(1, len(agents)):
        axes.axvline(place - 0.5, color="white", linewidth=1.4)
    for edge in edges:
        axes.axhline(edge - 0.5, color="white", linewidth=2.2 if named else 1.4)
    if named:
        axes.set_yticks(range(len(tasks)), tasks, fontsize=8 if len(tasks) <= 40 else 6.5)
    else:
        bounds = [0, *edges, len(tasks)]
        middles = [(low + high - 1) / 2 for low, high in pairwise(bounds)]
        titles = [level_of[tasks[low]] for low in bounds[:-1]]
        axes.set_yticks(middles, [f"level {title}" if title.isdecimal() else title or "no level" for title in titles])
    if len(tasks) <= _MOST_NUMBERED:
        for i, line in enumerate(values):
            for j, value in enumerate(line):
                if np.isfinite(value):
                    colour = "white" if value < 0.5 else INK
                    axes.text(j, i, f"{100 * value:.0f}", ha="center", va="center", fontsize=7.5, color=colour)
    bar = figure.colorbar(image, ax=axes, shrink=min(1.0, 2.2 / height), aspect=14, ticks=[0, 0.5, 1])
    bar.ax.set_yticklabels(["0", "50", "100"])
    bar.set_label("Passed (%)")
    bar.outline.set_visible(False)
    return Drawing(name, caption, figure)


def _mean(shares: Sequence[float]) -> float:
    known = [share for share in shares if np.isfinite(share)]
    return float(np.mean(known)) if known else 0.0
