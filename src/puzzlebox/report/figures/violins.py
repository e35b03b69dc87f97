"""Plots of returns, one panel for each task: the shape of their distribution, single episodes, median and quartiles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, returns
from puzzlebox.report.figures.densities import Shape, shapes_of
from puzzlebox.report.figures.lettering import Ticks, letters_in, lines_of, shorten, text_width, wrap
from puzzlebox.report.figures.looks import FAINT, INK, MOST_DRAWN, WIDTH, Drawing, Look, Looks, new_figure
from puzzlebox.stats.extras import import_extra

MOST_PANELS = 6
# Agents at most that stand side by side; more are rows, where their names can be read.
_MOST_COLUMNS = 8
# Points of an agent at most, side by side and in rows; more would overlap completely.
_MOST_POINTS, _MOST_POINTS_OF_A_ROW = 300, 60
# Inches of labels below a panel from which on only the last row of panels has them.
_MUCH_ROOM = 1.3
# Inches: the height of a row, the width of a panel with rows at least and at most, and of the figure at most.
_ROW, _NARROWEST, _BROADEST, _WIDEST = 0.2, 1.2, 3.0, 10.0
# The half width of the widest shape, and of the strip in which points are scattered.
_HALF, _STRIP = 0.42, 0.16
# Returns of this size or more are divided by a power of ten: axes cannot hold the largest numbers.
_HUGE = 1e15


@dataclass(frozen=True)
class _Group:
    """The returns of one agent on a task, divided by the scale of the panel."""

    values: NDArray[np.float64]
    shown: NDArray[np.float64]
    offsets: NDArray[np.float64]
    shapes: Sequence[Shape]
    look: Look


def violins(rows: Sequence[ReportEpisode], tasks: Sequence[str], look: Looks, name: str, caption: str) -> Drawing:
    """Draw the returns of each agent, with one panel for each task; more than eight agents are rows."""
    agents = agents_of(rows)
    if len(agents) > MOST_DRAWN:
        caption += f" The first {MOST_DRAWN} of {len(agents)} agents are shown."
        agents = agents[:MOST_DRAWN]
    cells = grouped(rows, lambda row: (row.task, row.agent))
    of_tasks = {task: {agent: returns(cells.get((task, agent), [])) for agent in agents} for task in tasks}
    draw = _rows if len(agents) > _MOST_COLUMNS else _columns
    return Drawing(name, caption, draw(of_tasks, [look[agent] for agent in agents]))


def _columns(of_tasks: Mapping[str, Mapping[str, NDArray[np.float64]]], agents: Sequence[Look]) -> Any:
    tasks = list(of_tasks)
    columns = 1 if len(tasks) == 1 else 2 if len(agents) > 3 else min(3, len(tasks))
    lines = ceil(len(tasks) / columns)
    width = min(WIDTH, 1.6 + 1.1 * len(agents)) if len(tasks) == 1 else WIDTH
    panel_width = width / columns - 0.7
    ticks = Ticks.of([look.label for look in agents], panel_width / len(agents))
    titles = {task: wrap(each, letters_in(panel_width, 10, "bold")) for task, each in shorten(tasks).items()}
    # The order of agents is the same in all panels.
    named_lines = lines if ticks.room < _MUCH_ROOM else 1
    height = (2.3 + 0.17 * lines_of(titles.values())) * lines + ticks.room * named_lines
    figure = new_figure(width, height)
    panels = figure.subplots(lines, columns, squeeze=False).ravel()
    for number, (panel, task) in enumerate(zip(panels, tasks, strict=False)):
        groups, unit = _groups(list(of_tasks[task].values()), agents, _MOST_POINTS)
        _paint(panel, groups, upright=True)
        ticks.write(panel)
        panel.tick_params(axis="x", labelbottom=number // columns >= lines - named_lines)
        panel.set_xlim(-0.6, len(agents) - 0.4)
        panel.set_ylabel(f"Return{unit}")
        panel.set_title(titles[task])
        panel.grid(axis="y", color=FAINT, linewidth=0.6)
        panel.set_axisbelow(True)
    for panel in panels[len(tasks) :]:
        panel.set_visible(False)
    return figure


def _rows(of_tasks: Mapping[str, Mapping[str, NDArray[np.float64]]], agents: Sequence[Look]) -> Any:
    tasks = list(of_tasks)
    side = text_width([look.label for look in agents], 8) + 0.2
    columns = min(len(tasks), max(1, int((_WIDEST - side) / _NARROWEST)))
    lines = ceil(len(tasks) / columns)
    columns = ceil(len(tasks) / lines)
    width = min(_BROADEST, (_WIDEST - side) / columns)
    titles = {task: wrap(each, letters_in(width - 0.1, 9, "bold")) for task, each in shorten(tasks).items()}
    height = lines * (_ROW * len(agents) + 0.5 + 0.17 * lines_of(titles.values()))
    figure = new_figure(side + width * columns, height)
    panels = figure.subplots(lines, columns, squeeze=False, sharey=True)
    for panel, task in zip(panels.ravel(), tasks, strict=False):
        groups, unit = _groups(list(of_tasks[task].values()), agents, _MOST_POINTS_OF_A_ROW)
        _paint(panel, groups, upright=False)
        panel.set_xlabel(f"Return{unit}", fontsize=8)
        panel.set_title(titles[task], fontsize=9)
        panel.locator_params(axis="x", nbins=4)
        panel.tick_params(axis="x", labelsize=7.5)
        panel.tick_params(axis="y", length=0)
        panel.grid(color=FAINT, linewidth=0.5)
        panel.set_axisbelow(True)
    panels[0][0].set_yticks(range(len(agents)), [look.label for look in agents], fontsize=8)
    panels[0][0].set_ylim(len(agents) - 0.4, -0.6)
    for panel in panels.ravel()[len(tasks) :]:
        panel.set_visible(False)
    return figure


def _groups(
    values: Sequence[NDArray[np.float64]], agents: Sequence[Look], most: int
) -> tuple[list[_Group | None], str]:
    """Return what is drawn of each agent on a task, None if it did not play, and the unit of the axis."""
    largest = max((float(np.abs(own).max()) for own in values if len(own)), default=0.0)
    exponent = int(np.log10(largest)) if largest >= _HUGE else 0
    rng = np.random.default_rng(0)
    groups: list[_Group | None] = []
    for own, look in zip(values, agents, strict=True):
        if not len(own):
            groups.append(None)
            continue
        scaled = own / 10.0**exponent
        shown = scaled if len(scaled) <= most else rng.choice(scaled, most, replace=False)
        groups.append(_Group(scaled, shown, rng.uniform(-_STRIP, _STRIP, len(shown)), shapes_of(scaled), look))
    return groups, f" (× 1e{exponent})" if exponent else ""


def _paint(panel: Any, groups: Sequence[_Group | None], *, upright: bool) -> None:
    """Paint the groups at 0, 1, 2, ...; all points and all lines are one collection each, which is fast."""

    def turned(along: Any, across: Any) -> tuple[Any, Any]:
        """Return x and y of points with some values at some places of the axis of agents."""
        return (across, along) if upright else (along, across)

    played = [(place, group) for place, group in enumerate(groups) if group is not None]
    for place, group in played:
        for shape in group.shapes:
            low, high = place - _HALF * shape.widths, place + _HALF * shape.widths
            fill = panel.fill_betweenx if upright else panel.fill_between
            own = {"facecolor": group.look.colour, "edgecolor": group.look.colour}
            fill(shape.values, low, high, **own, alpha=0.35, linewidth=0.8)
    if played:
        along = np.concatenate([group.shown for _, group in played])
        across = np.concatenate([place + group.offsets for place, group in played])
        colours = [group.look.colour for _, group in played for _ in group.shown]
        edge = 0.3 if upright else 0.0
        points = turned(along, across)
        panel.scatter(*points, s=7, c=colours, alpha=0.65, linewidths=edge, edgecolors="white", zorder=3)
        quartiles = np.array([np.quantile(group.values, (0.25, 0.5, 0.75)) for _, group in played])
        places = np.array([place for place, _ in played])
        lines = panel.vlines if upright else panel.hlines
        lines(places, quartiles[:, 0], quartiles[:, 2], color=INK, linewidth=2.4 if upright else 1.6, zorder=4)
        size = 26 if upright else 12
        middle = turned(quartiles[:, 1], places)
        panel.scatter(*middle, s=size, color="white", edgecolors=INK, linewidths=1.2 if upright else 0.8, zorder=5)
        _widen(panel, [group.values for _, group in played], upright=upright)
    for place, missing in enumerate(group is None for group in groups):
        if missing:
            letters: dict[str, Any] = {"fontsize": 7 if upright else 6.5, "color": "#767676"}
            if upright:
                where = panel.get_xaxis_transform()
                panel.text(place, 0.02, "not played", rotation=90, ha="center", va="bottom", transform=where, **letters)
            else:
                panel.text(0.02, place, "not played", va="center", transform=panel.get_yaxis_transform(), **letters)


def _widen(panel: Any, values: Sequence[NDArray[np.float64]], *, upright: bool) -> None:
    """Set the limits of the axis of returns: a tenth of a percent of the values at least, so that ticks differ."""
    low, high = min(float(own.min()) for own in values), max(float(own.max()) for own in values)
    room = max(0.05 * (high - low), 1e-3 * max(abs(low), abs(high)), 1e-6)
    (panel.set_ylim if upright else panel.set_xlim)(low - room, high + room)
    # Without an offset, which stands apart from the ticks.
    axis = panel.yaxis if upright else panel.xaxis
    axis.set_major_formatter(import_extra("matplotlib.ticker").ScalarFormatter(useOffset=False, useMathText=False))
