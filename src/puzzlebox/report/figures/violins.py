"""Violin plots of returns, with points of single episodes, and one panel for each task."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, returns
from puzzlebox.report.figures.lettering import Ticks, letters_in, lines_of, shorten, wrap
from puzzlebox.report.figures.looks import FAINT, INK, WIDTH, Drawing, Looks, new_figure

MOST_PANELS = 6
# Points of an agent at most; more would overlap completely.
_MOST_POINTS = 300
_FEWEST_FOR_A_SHAPE = 5
# Inches of labels below a panel from which on only the last row of panels has them.
_MUCH_ROOM = 1.3


def violins(rows: Sequence[ReportEpisode], tasks: Sequence[str], look: Looks, name: str, caption: str) -> Drawing:
    """Draw the returns of each agent, with one panel for each task."""
    agents = agents_of(rows)
    cells = grouped(rows, lambda row: (row.task, row.agent))
    columns = 1 if len(tasks) == 1 else 2 if len(agents) > 3 else min(3, len(tasks))
    lines = ceil(len(tasks) / columns)
    width = min(WIDTH, 1.6 + 1.1 * len(agents)) if len(tasks) == 1 else WIDTH
    panel_width = width / columns - 0.7
    ticks = Ticks.of([look[agent].label for agent in agents], panel_width / len(agents))
    titles = {task: wrap(each, letters_in(panel_width, 10, "bold")) for task, each in shorten(tasks).items()}
    # The order of agents is the same in all panels.
    named_lines = lines if ticks.room < _MUCH_ROOM else 1
    height = (2.3 + 0.17 * lines_of(titles.values())) * lines + ticks.room * named_lines
    figure = new_figure(width, height)
    panels = figure.subplots(lines, columns, squeeze=False).ravel()
    for number, (panel, task) in enumerate(zip(panels, tasks, strict=False)):
        rng = np.random.default_rng(0)
        for place, agent in enumerate(agents):
            values = returns(cells.get((task, agent), []))
            if not len(values):
                panel.text(
                    place,
                    0.02,
                    "not played",
                    rotation=90,
                    ha="center",
                    va="bottom",
                    fontsize=7,
                    color="#767676",
                    transform=panel.get_xaxis_transform(),
                )
                continue
            colour = look[agent].colour
            if len(values) >= _FEWEST_FOR_A_SHAPE and np.ptp(values) > 1e-9:
                shapes = panel.violinplot([values], [place], widths=0.85, showextrema=False)
                for body in shapes["bodies"]:
                    body.set(facecolor=colour, edgecolor=colour, alpha=0.35, linewidth=0.8)
            shown = values if len(values) <= _MOST_POINTS else rng.choice(values, _MOST_POINTS, replace=False)
            positions = place + rng.uniform(-0.16, 0.16, len(shown))
            panel.scatter(positions, shown, s=7, color=colour, alpha=0.65, linewidths=0.3, edgecolors="white", zorder=3)
            low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
            panel.vlines(place, low, high, color=INK, linewidth=2.4, zorder=4)
            panel.scatter([place], [middle], s=26, color="white", edgecolors=INK, linewidths=1.2, zorder=5)
        ticks.write(panel)
        panel.tick_params(axis="x", labelbottom=number // columns >= lines - named_lines)
        panel.set_xlim(-0.6, len(agents) - 0.4)
        panel.set_ylabel("Return")
        panel.set_title(titles[task])
        panel.grid(axis="y", color=FAINT, linewidth=0.6)
        panel.set_axisbelow(True)
    for panel in panels[len(tasks) :]:
        panel.set_visible(False)
    return Drawing(name, caption, figure)
