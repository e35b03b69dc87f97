"""Radar charts of the proportion that each agent passed on each level."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, pi, sin

from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped
from puzzlebox.report.figures.lettering import LEGEND_LINE, columns_of, lines_of, shorten, wrap
from puzzlebox.report.figures.looks import FAINT, WIDTH, Drawing, Looks, new_figure

# Fewest and most levels.
FEWEST, MOST = 3, 14
MOST_AGENTS = 8
# The diameter in inches.
_WHEEL = 3.45


def radar(
    rows: Sequence[ReportEpisode],
    levels: Sequence[str],
    titles: Mapping[str, str],
    look: Looks,
    name: str,
    caption: str,
    value: Callable[[Sequence[ReportEpisode]], float | None],
) -> Drawing:
    """Draw a radar chart of proportions, `value` of an agent's episodes; a level it did not play is a gap."""
    agents = agents_of(rows)[:MOST_AGENTS]
    cells = grouped(rows, lambda row: (row.level, row.agent))
    angles = [2 * pi * i / len(levels) for i in range(len(levels))]
    short = shorten(levels)
    names = [wrap(f"{short[level]} {titles.get(level, '')}".strip(), 18) for level in levels]
    columns = columns_of([look[agent].label for agent in agents], WIDTH)
    legend = LEGEND_LINE * ceil(len(agents) / columns) + 0.2
    around = 0.15 + 0.14 * lines_of(names)
    height = legend + _WHEEL + 2 * around
    figure = new_figure(WIDTH, height)
    # Laid out by hand: matplotlib's layout does not account for labels around a polar axis.
    figure.set_layout_engine("none")
    bounds = ((1 - _WHEEL / WIDTH) / 2, (legend + around) / height, _WHEEL / WIDTH, _WHEEL / height)
    axes = figure.add_axes(bounds, projection="polar")
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    for agent in agents:
        shares = [value(cells.get((level, agent), [])) for level in levels]
        values = [float("nan") if share is None else share for share in shares]
        axes.plot(
            [*angles, angles[0]],
            [*values, values[0]],
            color=look[agent].colour,
            marker=look[agent].marker,
            markersize=4.5,
            linewidth=1.6,
            label=look[agent].label,
            clip_on=False,
        )
        if not any(value != value for value in values):
            axes.fill(angles, values, color=look[agent].colour, alpha=0.08)
    axes.set_xticks(angles, names, fontsize=8)
    axes.tick_params(axis="x", pad=3)
    axes.set_ylim(0, 1)
    axes.set_yticks([0.25, 0.5, 0.75, 1], ["25", "50", "75 %", ""], fontsize=7.5, color="#595959")
    for label, angle in zip(axes.get_xticklabels(), angles, strict=True):
        # Labels extend away from the circle.
        label.set_ha("center" if abs(sin(angle)) < 0.1 else "left" if sin(angle) > 0 else "right")
    axes.set_rlabel_position(180 / len(levels))
    axes.grid(color=FAINT, linewidth=0.7)
    axes.spines["polar"].set_color("#9A9A9A")
    figure.legend(loc="lower center", ncols=columns)
    return Drawing(name, caption, figure)
