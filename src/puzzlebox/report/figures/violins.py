"""Returns of every episode: violins of equal width with all points, one panel a task."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from puzzlebox.report.figures.lettering import Ticks, letters_in, lines_of, shortened, wrapped
from puzzlebox.report.figures.looks import FAINT, INK, WIDTH, Drawing, Looks, new_figure
from puzzlebox.report.played import Played, agents_of, grouped, returns

MOST_PANELS = 6
# More points than this would be one blot.
_MOST_POINTS = 300
_FEWEST_FOR_A_SHAPE = 5
# Inches of names below a panel.
_MUCH_ROOM = 1.3


def violins(rows: Sequence[Played], tasks: Sequence[str], look: Looks, name: str, caption: str) -> Drawing:
    """One panel for each task."""
    agents = agents_of(rows)
    cells = grouped(rows, lambda row: (row.task, row.agent))
    columns = 1 if len(tasks) == 1 else 2 if len(agents) > 3 else min(3, len(tasks))
    lines = ceil(len(tasks) / columns)
    width = min(WIDTH, 1.6 + 1.1 * len(agents)) if len(tasks) == 1 else WIDTH
    panel_width = width / columns - 0.7
    ticks = Ticks.of([look[agent].label for agent in agents], panel_width / len(agents))
    titles = {task: wrapped(each, letters_in(panel_width, 10, "bold")) for task, each in shortened(tasks).items()}
    # Names that take much room stand below the last line only; the order is the same everywhere.
    named_lines = lines if ticks.room < _MUCH_ROOM else 1
    height = (2.3 + 0.17 * lines_of(titles.values())) * lines + ticks.room * named_lines
    figure = new_figure(width, height)
    panels = figure.subplots(lines, columns, squeeze=False).ravel()
    for number, (panel, task) in enumerate(zip(panels, tasks, strict=False)):
        chance = np.random.default_rng(0)
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
                drawn = panel.violinplot([values], [place], widths=0.85, showextrema=False)
                for body in drawn["bodies"]:
                    body.set(facecolor=colour, edgecolor=colour, alpha=0.35, linewidth=0.8)
            shown = values if len(values) <= _MOST_POINTS else chance.choice(values, _MOST_POINTS, replace=False)
            spots = place + chance.uniform(-0.16, 0.16, len(shown))
            panel.scatter(spots, shown, s=7, color=colour, alpha=0.65, linewidths=0.3, edgecolors="white", zorder=3)
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
