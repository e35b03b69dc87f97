"""Figures of factors: the mean of each agent for each value, with its interval over units."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from puzzlebox.report.figures.lettering import LEGEND_LINE, Ticks, columns_of, shorten
from puzzlebox.report.figures.looks import FAINT, WIDTH, Drawing, Looks, new_figure
from puzzlebox.stats import Interval

# Agents that can be told apart beside each other.
MOST_AGENTS = 12
Cells = Mapping[tuple[str, str], Interval]


def factor_points(
    passed: Cells,
    returns: Cells,
    agents: Sequence[str],
    values: Sequence[str],
    look: Looks,
    name: str,
    caption: str,
    label: str,
) -> Drawing:
    """Draw the proportion passed and the mean return of each agent for each value of a factor.

    Args:
        passed: the proportion passed with its limits, by agent and value.
        returns: the mean return with its limits, by agent and value.
        agents: the agents; the first `MOST_AGENTS` of those with results are drawn.
        values: the values, from left to right.
        look: the look of each agent.
        name: the name of the file.
        caption: the caption of the figure.
        label: the name of the factor, below both panels.
    """
    played = {agent for agent, _ in (*passed, *returns)}
    agents = [agent for agent in agents if agent in played]
    drawn = agents[:MOST_AGENTS]
    if len(drawn) < len(agents):
        caption += f" The first {len(drawn)} of {len(agents)} agents are shown."
    names = shorten(values)
    ticks = Ticks.of([names[each] for each in values], (WIDTH / 2 - 0.8) / len(values))
    labels = [look[agent].label for agent in drawn]
    columns = columns_of(labels, WIDTH)
    figure = new_figure(WIDTH, 2.5 + ticks.room + LEGEND_LINE * ceil(len(labels) / columns))
    left, right = figure.subplots(1, 2)
    _points(left, passed, drawn, values, look)
    left.set_ylabel("Passed (%)")
    left.set_ylim(-0.03, 1.03)
    left.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    _points(right, returns, drawn, values, look)
    right.set_ylabel("Mean return")
    for axes in (left, right):
        ticks.write(axes)
        axes.set_xlabel(label)
        axes.set_xlim(-0.6, len(values) - 0.4)
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.set_axisbelow(True)
    handles, named = left.get_legend_handles_labels()
    figure.legend(handles, named, loc="outside upper left", ncols=columns)
    return Drawing(name, caption, figure)


def _points(axes: Any, cells: Cells, agents: Sequence[str], values: Sequence[str], look: Looks) -> None:
    step = min(0.18, 0.7 / max(1, len(agents)))
    for number, agent in enumerate(agents):
        own = look[agent]
        places = [(index, cells[agent, value]) for index, value in enumerate(values) if (agent, value) in cells]
        x = [index + step * (number - (len(agents) - 1) / 2) for index, _ in places]
        axes.errorbar(
            x,
            [each.value for _, each in places],
            yerr=[[each.value - each.low for _, each in places], [each.high - each.value for _, each in places]],
            fmt=own.marker,
            color=own.colour,
            markersize=5,
            elinewidth=1.2,
            capsize=2,
            label=own.label,
            linestyle="none",
        )
