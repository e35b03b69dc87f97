"""Heat maps of the proportion passed on each task by each agent, sorted by level and difficulty."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, levels_of, passes
from puzzlebox.report.figures.lettering import Ticks, shorten, text_width
from puzzlebox.report.figures.looks import MOST_DRAWN, WIDTH, Drawing, Looks, new_figure
from puzzlebox.stats.extras import import_extra

# Most tasks whose names are shown beside the map and above it, and most tasks whose cells have numbers.
_MOST_NAMED, _MOST_ABOVE = 60, 40
_MOST_NUMBERED = 40
# Agents at most that are columns; more are rows, where their names can be read.
_MOST_COLUMNS = 16
# Inches: the height of the map at most; the width of a column at most and at least, and of the scale to the right.
_TALLEST = 9.5
_BROADEST, _NARROWEST, _SCALE = 0.72, 0.3, 1.1
# Inches: the height of a row, and the width of a map without numbers of which agents are the rows.
_ROW, _BROAD = 0.17, 5.0
# Levels at most whose names stand above a map, each with its tasks; beyond, there are only lines between levels.
_MOST_LEVELS = 14
# The colour of the hatches of cells that were not played.
_NOT_PLAYED = "#B4B4B4"


def heat_map(rows: Sequence[ReportEpisode], look: Looks, name: str, caption: str) -> Drawing:
    """Draw a heat map; with many tasks, only levels are named, and many agents are rows instead of columns."""
    agents = agents_of(rows)
    if len(agents) > MOST_DRAWN:
        caption += f" The first {MOST_DRAWN} of {len(agents)} agents are shown."
        agents = agents[:MOST_DRAWN]
    cells = grouped(rows, lambda row: (row.task, row.agent))
    level_of = {row.task: row.level for row in rows}
    order = {level: index for index, level in enumerate(["", *levels_of(rows)])}
    shares: dict[str, list[float]] = {}
    for task in level_of:
        counts = [passes(cells.get((task, agent), [])) for agent in agents]
        shares[task] = [passed / decided if decided else np.nan for passed, decided in counts]
    tasks = sorted(level_of, key=lambda task: (order[level_of[task]], -_mean(shares[task]), task))
    values = np.array([shares[task] for task in tasks])
    levels = [level_of[task] for task in tasks]
    labels = [look[agent].label for agent in agents]
    if len(agents) > _MOST_COLUMNS:
        caption = caption.replace("(rows, by level", "(columns, by level")
        return Drawing(name, caption, _agents_as_rows(values.T, labels, tasks, levels))
    return Drawing(name, caption, _agents_as_columns(values, labels, tasks, levels))


def _agents_as_columns(
    values: NDArray[np.float64], agents: Sequence[str], tasks: Sequence[str], levels: Sequence[str]
) -> Any:
    named = len(tasks) <= _MOST_NAMED
    font_size = 8 if len(tasks) <= 40 else 6.5
    places, lines = _task_names(tasks) if named else _level_names(levels)
    side_width = text_width(lines, font_size) + _SCALE
    column = max(_NARROWEST, min(_BROADEST, (WIDTH - side_width) / len(agents)))
    ticks = Ticks.of(agents, column, slanted=False)
    height = min(_TALLEST, max(0.7, 0.19 * len(tasks)) if named else 4.0 + 0.004 * len(tasks))
    figure = new_figure(side_width + column * len(agents), ticks.room + height + 0.3)
    axes = figure.subplots()
    image = _shades(axes, values, numbered=len(tasks) <= _MOST_NUMBERED)
    ticks.write(axes)
    axes.xaxis.tick_top()
    for place in range(1, len(agents)):
        axes.axvline(place - 0.5, color="white", linewidth=1.4)
    for edge in _edges(levels):
        axes.axhline(edge - 0.5, color="white", linewidth=2.2 if named else 1.4)
    axes.set_yticks(places, lines, fontsize=font_size)
    axes.tick_params(length=0)
    _scale(figure, image, axes, height)
    return figure


def _agents_as_rows(
    values: NDArray[np.float64], agents: Sequence[str], tasks: Sequence[str], levels: Sequence[str]
) -> Any:
    named = len(tasks) <= _MOST_ABOVE
    side_width = text_width(agents, 7.5) + _SCALE
    width = max(_NARROWEST * len(tasks), 1.2) if named else _BROAD
    height = max(0.9, _ROW * len(agents))
    places, lines = _task_names(tasks) if named else _level_names(levels)
    ticks = Ticks.of(lines, width / len(lines), slanted=False)
    if not named and len(lines) > _MOST_LEVELS:
        ticks = Ticks([""] * len(lines), 0, 0.1)
    figure = new_figure(side_width + width, ticks.room + height + 0.3)
    axes = figure.subplots()
    image = _shades(axes, values, numbered=named)
    ticks.write(axes, places)
    axes.xaxis.tick_top()
    for place in range(1, len(agents)):
        axes.axhline(place - 0.5, color="white", linewidth=0.7)
    for edge in _edges(levels):
        axes.axvline(edge - 0.5, color="white", linewidth=2.2 if named else 1.4)
    axes.set_yticks(range(len(agents)), agents, fontsize=7.5)
    axes.tick_params(length=0)
    _scale(figure, image, axes, height)
    return figure


def _task_names(tasks: Sequence[str]) -> tuple[list[float], list[str]]:
    """Return the places and names of all tasks."""
    names = shorten(tasks)
    return [float(i) for i in range(len(tasks))], [names[task] for task in tasks]


def _level_names(levels: Sequence[str]) -> tuple[list[float], list[str]]:
    """Return the middle and the name of each level."""
    bounds = [0, *_edges(levels), len(levels)]
    names = shorten(set(levels) - {""})
    titles = [names.get(levels[low], "") for low in bounds[:-1]]
    lines = [f"level {title}" if title.isdecimal() else title or "no level" for title in titles]
    return [(low + high - 1) / 2 for low, high in pairwise(bounds)], lines


def _edges(levels: Sequence[str]) -> list[int]:
    """Return the places at which a level begins, without the first."""
    return [i for i in range(1, len(levels)) if levels[i] != levels[i - 1]]


def _shades(axes: Any, values: NDArray[np.float64], *, numbered: bool) -> Any:
    shades = import_extra("matplotlib").colormaps["cividis"].with_extremes(bad=(0, 0, 0, 0))
    # Cells that were not played are hatched: every plain colour, grey too, could be one of the scale.
    axes.patch.set(facecolor="white", hatch="//////", edgecolor=_NOT_PLAYED)
    image = axes.imshow(
        np.ma.masked_invalid(values), aspect="auto", cmap=shades, vmin=0, vmax=1, interpolation="nearest"
    )
    for side in axes.spines.values():
        side.set_visible(False)
    for (i, j), value in np.ndenumerate(values) if numbered else ():
        if np.isfinite(value):
            colour = _legible_on(shades(value))
            size = 7.5 if len(values) <= _MOST_NUMBERED else 6.5
            axes.text(j, i, f"{100 * value:.0f}", ha="center", va="center_baseline", fontsize=size, color=colour)
    return image


def _legible_on(colour: Sequence[float]) -> str:
    """Return black or white, whichever has more contrast with a colour (WCAG's relative luminance)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "black"


def _scale(figure: Any, image: Any, axes: Any, height: float) -> None:
    bar = figure.colorbar(image, ax=axes, shrink=min(1.0, 2.2 / height), aspect=14, ticks=[0, 0.5, 1])
    bar.ax.set_yticklabels(["0", "50", "100"])
    bar.set_label("Passed (%)")
    bar.outline.set_visible(False)


def _mean(shares: Sequence[float]) -> float:
    finite = [share for share in shares if np.isfinite(share)]
    return float(np.mean(finite)) if finite else 0.0
