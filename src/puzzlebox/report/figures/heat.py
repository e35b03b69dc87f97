"""Heat maps of the proportion passed on each task by each agent, sorted by level and difficulty."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, levels_of, passes
from puzzlebox.report.figures.lettering import Ticks, shorten, text_width
from puzzlebox.report.figures.looks import INK, WIDTH, Drawing, Looks, new_figure
from puzzlebox.stats.extras import import_extra

# Most tasks whose names are shown, and most tasks whose cells have numbers.
_MOST_NAMED = 60
_MOST_NUMBERED = 40
# Inches: the height of the map at most; the width of a column at most and at least, and of the scale to the right.
_TALLEST = 9.5
_BROADEST, _NARROWEST, _SCALE = 0.72, 0.3, 1.1


def heat_map(rows: Sequence[ReportEpisode], look: Looks, name: str, caption: str) -> Drawing:
    """Draw a heat map; with more than 60 tasks, only levels are named."""
    agents = agents_of(rows)
    cells = grouped(rows, lambda row: (row.task, row.agent))
    level_of = {row.task: row.level for row in rows}
    order = {level: index for index, level in enumerate(["", *levels_of(rows)])}
    shares: dict[str, list[float]] = {}
    for task in level_of:
        counts = [passes(cells.get((task, agent), [])) for agent in agents]
        shares[task] = [passed / decided if decided else np.nan for passed, decided in counts]
    tasks = sorted(level_of, key=lambda task: (order[level_of[task]], -_mean(shares[task]), task))
    values = np.array([shares[task] for task in tasks])
    named = len(tasks) <= _MOST_NAMED
    font_size = 8 if len(tasks) <= 40 else 6.5
    edges = [i for i in range(1, len(tasks)) if level_of[tasks[i]] != level_of[tasks[i - 1]]]
    if named:
        names = shorten(tasks)
        places, lines = [float(i) for i in range(len(tasks))], [names[task] for task in tasks]
    else:
        bounds = [0, *edges, len(tasks)]
        places = [(low + high - 1) / 2 for low, high in pairwise(bounds)]
        names = shorten(order)
        titles = [names[level_of[tasks[low]]] for low in bounds[:-1]]
        lines = [f"level {title}" if title.isdecimal() else title or "no level" for title in titles]
    side_width = text_width(lines, font_size) + _SCALE
    column = max(_NARROWEST, min(_BROADEST, (WIDTH - side_width) / len(agents)))
    ticks = Ticks.of([look[agent].label for agent in agents], column, slanted=False)
    height = min(_TALLEST, max(0.7, 0.19 * len(tasks)) if named else 4.0 + 0.004 * len(tasks))
    figure = new_figure(side_width + column * len(agents), ticks.room + height + 0.3)
    axes = figure.subplots()
    shades = import_extra("matplotlib").colormaps["cividis"].with_extremes(bad="#E6E6E6")
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
    axes.set_yticks(places, lines, fontsize=font_size)
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
    finite = [share for share in shares if np.isfinite(share)]
    return float(np.mean(finite)) if finite else 0.0
