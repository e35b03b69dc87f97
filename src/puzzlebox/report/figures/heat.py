"""Tasks against agents: the share passed as a shade, sorted by level and by how hard a task is."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from puzzlebox.report.figures.lettering import Ticks, breadth, shortened
from puzzlebox.report.figures.looks import INK, WIDTH, Drawing, Looks, new_figure
from puzzlebox.report.played import Played, agents_of, grouped, levels_of, passes
from puzzlebox.stats.needed import needed

_MOST_NAMED = 60
_MOST_NUMBERED = 40
_TALLEST = 9.5
# Inches: of a column, and of the scale to the right.
_BROADEST, _NARROWEST, _SCALE = 0.72, 0.3, 1.1


def heat_map(rows: Sequence[Played], look: Looks, name: str, caption: str) -> Drawing:
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
    small = 8 if len(tasks) <= 40 else 6.5
    edges = [i for i in range(1, len(tasks)) if level_of[tasks[i]] != level_of[tasks[i - 1]]]
    if named:
        names = shortened(tasks)
        places, lines = [float(i) for i in range(len(tasks))], [names[task] for task in tasks]
    else:
        bounds = [0, *edges, len(tasks)]
        places = [(low + high - 1) / 2 for low, high in pairwise(bounds)]
        names = shortened(order)
        titles = [names[level_of[tasks[low]]] for low in bounds[:-1]]
        lines = [f"level {title}" if title.isdecimal() else title or "no level" for title in titles]
    beside = breadth(lines, small) + _SCALE
    column = max(_NARROWEST, min(_BROADEST, (WIDTH - beside) / len(agents)))
    ticks = Ticks.of([look[agent].label for agent in agents], column, slanted=False)
    tall = min(_TALLEST, max(0.7, 0.19 * len(tasks)) if named else 4.0 + 0.004 * len(tasks))
    figure = new_figure(beside + column * len(agents), ticks.room + tall + 0.3)
    axes = figure.subplots()
    shades = needed("matplotlib").colormaps["cividis"].with_extremes(bad="#E6E6E6")
    image = axes.imshow(
        np.ma.masked_invalid(values), aspect="auto", cmap=shades, vmin=0, vmax=1, interpolation="nearest"
    )
    ticks.write(axes)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    for place in range(1, len(agents)):
        axes.axvline(place - 0.5, color="white", linewidth=1.4)
    for edge in edges:
        axes.axhline(edge - 0.5, color="white", linewidth=2.2 if named else 1.4)
    axes.set_yticks(places, lines, fontsize=small)
    if len(tasks) <= _MOST_NUMBERED:
        for i, line in enumerate(values):
            for j, value in enumerate(line):
                if np.isfinite(value):
                    colour = "white" if value < 0.5 else INK
                    axes.text(j, i, f"{100 * value:.0f}", ha="center", va="center", fontsize=7.5, color=colour)
    bar = figure.colorbar(image, ax=axes, shrink=min(1.0, 2.2 / tall), aspect=14, ticks=[0, 0.5, 1])
    bar.ax.set_yticklabels(["0", "50", "100"])
    bar.set_label("Passed (%)")
    bar.outline.set_visible(False)
    return Drawing(name, caption, figure)


def _mean(shares: Sequence[float]) -> float:
    known = [share for share in shares if np.isfinite(share)]
    return float(np.mean(known)) if known else 0.0
