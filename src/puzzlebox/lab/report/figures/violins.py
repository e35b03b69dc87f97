"""Returns of every episode: violins of equal width with all points, one panel a task."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from puzzlebox.lab.report.figures.looks import FAINT, INK, WIDTH, Drawing, looks, new_figure
from puzzlebox.lab.report.played import Played, agents_of, grouped, returns

MOST_PANELS = 6
# More points than this would be one blot.
_MOST_POINTS = 300
_FEWEST_FOR_A_SHAPE = 5


def violins(rows: Sequence[Played], tasks: Sequence[str], name: str, caption: str) -> Drawing:
    """One panel for each task."""
    agents = agents_of(rows)
    look = looks(agents)
    cells = grouped(rows, lambda row: (row.task, row.agent))
    columns = 1 if len(tasks) == 1 else 2 if len(agents) > 3 else min(3, len(tasks))
    lines = ceil(len(tasks) / columns)
    figure = new_figure(
        min(WIDTH, 1.6 + 1.1 * len(agents)) if len(tasks) == 1 else WIDTH, 3.2 * lines if lines == 1 else 2.7 * lines
    )
    panels = figure.subplots(lines, columns, squeeze=False).ravel()
    for panel, task in zip(panels, tasks, strict=False):
        chance = np.random.default_rng(0)
        ticks = []
        for place, agent in enumerate(agents):
            values = returns(cells.get((task, agent), []))
            ticks.append(agent)
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
                drawn = panel.violinplot([values], [place], widths=0.85, showextrema=False)
                for body in drawn["bodies"]:
                    body.set(facecolor=colour, edgecolor=colour, alpha=0.35, linewidth=0.8)
            shown = values if len(values) <= _MOST_POINTS else chance.choice(values, _MOST_POINTS, replace=False)
            spots = place + chance.uniform(-0.16, 0.16, len(shown))
            panel.scatter(spots, shown, s=7, color=colour, alpha=0.65, linewidths=0.3, edgecolors="white", zorder=3)
            low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
            panel.vlines(place, low, high, color=INK, linewidth=2.4, zorder=4)
            panel.scatter([place], [middle], s=26, color="white", edgecolors=INK, linewidths=1.2, zorder=5)
        many = len(agents) > 4 or max(map(len, agents)) > 12
        panel.set_xticks(range(len(agents)), ticks, rotation=30 if many else 0, ha="right" if many else "center")
        panel.set_xlim(-0.6, len(agents) - 0.4)
        panel.set_ylabel("Return")
        panel.set_title(task)
        panel.grid(axis="y", color=FAINT, linewidth=0.6)
        panel.set_axisbelow(True)
    for panel in panels[len(tasks) :]:
        panel.set_visible(False)
    return Drawing(name, caption, figure)
