"""Performance profiles: for each agent, the proportion of scores above each threshold."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.report import words
from puzzlebox.report.figures.looks import FAINT, INK, WIDTH, Drawing, Looks, new_figure

Array = NDArray[np.float64]
# Agents with a colour, and with a band, of their own. Of more, some from the best to the worst have one, and the others
# are grey; these have other colours than elsewhere in a report, where colours repeat.
MOST_COLOURED, MOST_BANDS = 7, 4
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_GREY = "#D0D0D0"


class Profile(NamedTuple):
    """The profile of one agent: its thresholds, the proportion above each, and the limits, if there are any."""

    agent: str
    thresholds: Array
    shares: Array
    low: Array | None
    high: Array | None


def profiles(each: Sequence[Profile], look: Looks, axis: str, scaled: bool) -> Drawing:
    """Draw the profiles of all agents; of many, some from the best to the worst are coloured and the others grey."""
    ranked = sorted(each, key=lambda profile: -float(profile.shares.mean()))
    coloured = ranked
    if len(ranked) > MOST_COLOURED:
        chosen = np.linspace(0, len(ranked) - 1, MOST_COLOURED).round().astype(int)
        coloured = [ranked[index] for index in chosen]
    colours = {profile.agent: look[profile.agent].colour for profile in coloured}
    if len(set(colours.values())) < len(colours):
        colours = dict(zip(colours, _COLOURS, strict=False))
    figure = new_figure(WIDTH, 3.6)
    axes = figure.subplots()
    for profile in ranked:
        if profile.agent in colours:
            continue
        axes.step(profile.thresholds, profile.shares, where="post", color=_GREY, linewidth=0.7, zorder=1)
    for place, profile in enumerate(reversed(coloured)):
        own = look[profile.agent]
        if profile.low is not None and profile.high is not None and len(coloured) <= MOST_BANDS:
            axes.fill_between(
                profile.thresholds,
                profile.low,
                profile.high,
                step="post",
                color=colours[profile.agent],
                alpha=0.15,
                linewidth=0,
            )
        axes.step(
            profile.thresholds,
            profile.shares,
            where="post",
            color=colours[profile.agent],
            linewidth=1.8,
            zorder=3 + place,
            marker=own.marker,
            markevery=(4 * place, 20),
            markersize=5,
            markeredgecolor="white",
            markeredgewidth=0.6,
            label=own.label,
        )
    handles, labels = axes.get_legend_handles_labels()
    handles, labels = handles[::-1], labels[::-1]
    others = len(ranked) - len(coloured)
    if others:
        (grey,) = axes.plot([], [], color=_GREY, linewidth=0.7)
        handles.append(grey)
        labels.append(words.count(others, "other agent"))
    axes.legend(handles, labels, loc="center left", bbox_to_anchor=(1.01, 0.5))
    axes.set_ylim(-0.02, 1.02)
    if scaled:
        axes.set_xlim(0, 1)
    axes.set_xlabel(axis)
    axes.set_ylabel("Scores above it" if scaled else "Returns above it")
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines["left"].set_color(INK)
    return Drawing("performance_profiles", _caption(len(ranked), len(coloured)), figure)


def _caption(agents: int, coloured: int) -> str:
    lines = "Performance profiles: the proportion of scores above each threshold; tasks weigh equally."
    if coloured <= MOST_BANDS:
        lines += " Bands are 95 % intervals at each threshold."
    if agents > coloured:
        lines += f" {coloured} of {agents} agents, from the largest area to the smallest, are coloured."
    return lines
