"""Figures of capabilities: the success of agents at the largest demand of each dimension."""

from collections.abc import Sequence

from puzzlebox.columns import Column
from puzzlebox.report.figures.lettering import columns_of, text_width
from puzzlebox.report.figures.looks import FAINT, WIDTH, Drawing, Looks, new_figure
from puzzlebox.stats.layout import Layout

# Inches for each dimension and for each agent within it.
_GAP, _LINE = 0.1, 0.13


def successes(rows: Sequence[tuple[str, Layout, Sequence[Column]]], look: Looks, caption: str) -> Drawing:
    """Draw one line for each dimension, with a point and an interval for each agent whose tasks inform it.

    Args:
        rows: agents with their layouts and the dimensions of those.
        look: the looks of agents.
        caption: the caption.
    """
    shown = [index for index in range(len(rows[0][2])) if any(layout.informed(index) for _, layout, _ in rows)]
    dimensions = [rows[0][2][index] for index in shown]
    names = [column.name.replace("_", " ") for column in dimensions]
    step = _GAP + _LINE * len(rows)
    labels = [look[agent].label for agent, _, _ in rows]
    figure = new_figure(max(WIDTH, text_width(names, 9) + 4.0), 1.0 + step * len(dimensions))
    axes = figure.subplots()
    for place, (agent, layout, _) in enumerate(rows):
        style = look[agent]
        offset = (place - (len(rows) - 1) / 2) * _LINE / step
        # Drawn nowhere: the legend has all agents, also those that no dimension is informed of.
        axes.scatter([], [], s=24, color=style.colour, marker=style.marker, label=style.label)
        for height, index in enumerate(shown):
            if not layout.informed(index):
                continue
            value = layout.success(index, float(layout.scale[index]))
            middle = layout.success(index, float(layout.scale[index]), 0.5)
            axes.plot([value.low, value.high], [height + offset] * 2, color=style.colour, linewidth=0.9)
            axes.plot([middle.low, middle.high], [height + offset] * 2, color=style.colour, linewidth=2.8)
            axes.scatter([value.value], [height + offset], s=24, color=style.colour, marker=style.marker, zorder=3)
    for edge in range(1, len(dimensions)):
        axes.axhline(edge - 0.5, color=FAINT, linewidth=0.6)
    axes.set_yticks(range(len(dimensions)), names)
    axes.set_ylim(len(dimensions) - 0.5, -0.5)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    axes.set_xlabel("Success at the largest demand, this dimension alone (%)")
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=columns_of(labels, WIDTH))
    return Drawing("capabilities", caption, figure)
