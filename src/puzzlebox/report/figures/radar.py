"""Radar charts of the proportion that each agent passed on each level."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, cos, pi, sin
from typing import Any

import numpy as np

from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped
from puzzlebox.report.figures.lettering import LEGEND_LINE, columns_of, letters_in, lines_of, shorten, wrap
from puzzlebox.report.figures.looks import FAINT, INK, MOST_DRAWN, WIDTH, Drawing, Look, Looks, new_figure

# Fewest and most levels.
FEWEST, MOST = 3, 14
# Agents in one chart at most; more have a small chart each.
MOST_AGENTS = 8
# The diameter in inches, of the one chart and of small ones, with the distance between these.
_WHEEL, _SMALL, _BETWEEN = 3.45, 0.82, 1.2
# Characters of a level at most, to be written around small charts.
_MOST_AROUND = 3


def radar(
    rows: Sequence[ReportEpisode],
    levels: Sequence[str],
    titles: Mapping[str, str],
    look: Looks,
    name: str,
    caption: str,
    value: Callable[[Sequence[ReportEpisode]], float | None],
) -> Drawing:
    """Draw a radar chart of proportions, `value` of an agent's episodes; a level it did not play is a gap.

    More than eight agents have a small chart each, with the median of all agents behind it.
    """
    agents = agents_of(rows)
    cells = grouped(rows, lambda row: (row.level, row.agent))
    shares: dict[str, list[float]] = {}
    for agent in agents:
        values = [value(cells.get((level, agent), [])) for level in levels]
        shares[agent] = [float("nan") if each is None else each for each in values]
    if len(agents) > MOST_AGENTS:
        return _small_charts(shares, levels, look, name, caption)
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
        own = shares[agent]
        axes.plot(
            [*angles, angles[0]],
            [*own, own[0]],
            color=look[agent].colour,
            marker=look[agent].marker,
            markersize=4.5,
            linewidth=1.6,
            label=look[agent].label,
            clip_on=False,
        )
        if not any(each != each for each in own):
            axes.fill(angles, own, color=look[agent].colour, alpha=0.08)
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


def _small_charts(
    shares: Mapping[str, Sequence[float]], levels: Sequence[str], look: Looks, name: str, caption: str
) -> Drawing:
    """Draw a small chart for each agent; all are in one pair of axes, which is faster than one pair each."""
    agents = list(shares)[:MOST_DRAWN]
    caption += " Grey: the median of all agents."
    around = shorten(levels)
    if max(map(len, around.values())) > _MOST_AROUND:
        caption += f" Levels: {', '.join(f'{i}: {around[level]}' for i, level in enumerate(levels, 1))}."
        around = {level: str(i) for i, level in enumerate(levels, 1)}
    if len(agents) < len(shares):
        caption += f" The first {len(agents)} of {len(shares)} agents are shown."
    table = np.array([shares[agent] for agent in shares])
    medians = [float(np.median(own[np.isfinite(own)])) if np.isfinite(own).any() else float("nan") for own in table.T]
    columns = round(WIDTH / _BETWEEN)
    heads = {agent: wrap(look[agent].label, letters_in(_BETWEEN - 0.06, 7)) for agent in agents}
    height = _BETWEEN - 0.1 + 0.115 * lines_of(heads.values())
    lines = ceil(len(agents) / columns)
    figure = new_figure(WIDTH, lines * height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(0, lines * height), aspect="equal")
    axes.set_axis_off()
    for index, agent in enumerate(agents):
        line, column = divmod(index, columns)
        middle = np.array([(column + 0.5) * _BETWEEN, (lines - line) * height - 0.2 - _SMALL / 2])
        middle[1] -= 0.115 * lines_of(heads.values())
        axes.text(middle[0], (lines - line) * height - 0.03, heads[agent], ha="center", va="top", fontsize=7)
        _small_chart(axes, middle, shares[agent], medians, list(around.values()), look[agent])
    return Drawing(name, caption, figure)


def _small_chart(
    axes: Any, middle: Any, values: Sequence[float], medians: Sequence[float], names: Sequence[str], look: Look
) -> None:
    angles = np.array([2 * pi * i / len(values) for i in range(len(values))])
    spokes = np.stack((np.sin(angles), np.cos(angles)), axis=1) * _SMALL / 2
    turn = np.linspace(0, 2 * pi, 61)
    for share in (0.5, 1.0):
        ring = middle + share * _SMALL / 2 * np.stack((np.sin(turn), np.cos(turn)), axis=1)
        axes.plot(*ring.T, color="#9A9A9A" if share == 1 else FAINT, linewidth=0.6)
    for spoke, angle, name in zip(spokes, angles, names, strict=True):
        axes.plot(*np.stack((middle, middle + spoke)).T, color=FAINT, linewidth=0.5, zorder=1)
        beyond = middle + spoke + 0.075 * np.array((sin(angle), cos(angle)))
        axes.text(*beyond, name, ha="center", va="center", fontsize=5.5, color="#595959")
    grey = middle + spokes * np.array(medians)[:, None]
    axes.fill(*grey[np.isfinite(grey[:, 0])].T, color="#BDBDBD", alpha=0.6, linewidth=0, zorder=2)
    way = middle + spokes * np.array(values)[:, None]
    axes.plot(*np.vstack((way, way[:1])).T, color=look.colour, linewidth=1.2, zorder=3)
    axes.scatter(*way.T, s=7, color=look.colour, edgecolors=INK, linewidths=0.3, zorder=4)
