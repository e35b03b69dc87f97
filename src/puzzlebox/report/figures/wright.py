"""Wright maps: abilities of players beside difficulties of tasks, on one vertical scale."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from puzzlebox.report.figures.lettering import shorten, text_width
from puzzlebox.report.figures.looks import FAINT, INK, WIDTH, Drawing, Looks, new_figure
from puzzlebox.stats import Interval

# Most players of a name that are drawn one by one, and most tasks whose names are written.
_MOST_SINGLE, _MOST_NAMED = 15, 30
# Inches for each label at the side.
_LINE = 0.17
_TASKS = "#9BB4C7"


class Entry(NamedTuple):
    """A player on the map.

    Attributes:
        name: the agent, or the group of participants.
        participant: the id of a participant; "" for others.
        ability: the ability with its interval.
        published: whether it comes from published counts.
    """

    name: str
    participant: str
    ability: Interval
    published: bool


def wright_map(
    entries: Sequence[Entry], difficulties: Sequence[float], items: Sequence[str], look: Looks, caption: str
) -> Drawing:
    """Draw players on the left, with intervals, and tasks on the right, as names or as a histogram.

    Args:
        entries: the players.
        difficulties: the difficulty of each task.
        items: the name of each task.
        look: the looks of agents.
        caption: the caption.
    """
    crowds: dict[str, list[Entry]] = {}
    for entry in entries:
        crowds.setdefault(entry.name if entry.participant else f"{entry.name}\n{entry.published}", []).append(entry)
    singles = [each for own in crowds.values() if len(own) <= _MOST_SINGLE for each in own]
    many = [own for own in crowds.values() if len(own) > _MOST_SINGLE]
    singles.sort(key=lambda each: each.ability.value)
    labels = _labels(singles, look)
    named = len(items) <= _MOST_NAMED
    height = max(3.8, 0.6 + _LINE * max(len(singles), len(items) if named else 0))
    left = text_width(labels, 8.5) + 0.35
    figure = new_figure(max(WIDTH, left + 4.4), min(height, 14.0))
    axes = figure.subplots(1, 2, sharey=True, width_ratios=[1.25 if singles else 0.6, 1])
    low, high = _limits([*(each.ability.value for each in entries), *difficulties], [each.ability for each in singles])
    players, tasks = axes
    _draw_singles(players, singles, labels, look, low, high)
    for own in many:
        _draw_crowd(players, own, look, len(singles))
    _draw_tasks(tasks, difficulties, items if named else [], low, high)
    players.set_ylim(low, high)
    players.set_ylabel("Ability and difficulty (logits)")
    players.set_title("Players")
    tasks.set_title("Tasks")
    for each in axes:
        each.grid(axis="y", color=FAINT, linewidth=0.6)
        each.set_axisbelow(True)
        each.axhline(0, color=INK, linewidth=0.9, linestyle=(0, (3, 2)))
    return Drawing("abilities_and_difficulties", caption, figure)


def _labels(singles: Sequence[Entry], look: Looks) -> list[str]:
    short = shorten(each.participant for each in singles if each.participant)
    return [
        f"{look[each.name].label} {short[each.participant]}"
        if each.participant
        else (look[each.name].label if each.name in look else each.name) + (" (published)" if each.published else "")
        for each in singles
    ]


def _limits(values: Sequence[float], intervals: Sequence[Interval]) -> tuple[float, float]:
    """Return the ends of the scale: all values, and of intervals as much as does not dwarf them."""
    low, high = min(values), max(values)
    room = max(high - low, 2.0)
    lowest, highest = min([low, *(each.low for each in intervals)]), max([high, *(each.high for each in intervals)])
    low, high = max(lowest, low - 0.25 * room), min(highest, high + 0.25 * room)
    return low - 0.05 * room, high + 0.05 * room


def _draw_singles(
    panel: Any, singles: Sequence[Entry], labels: Sequence[str], look: Looks, low: float, high: float
) -> None:
    """Draw each player in a column of its own, with its name beside its interval."""
    for place, entry in enumerate(singles):
        style = look.get(entry.name)
        colour, marker = (style.colour, style.marker) if style is not None else (INK, "D")
        bottom, top = max(entry.ability.low, low), min(entry.ability.high, high)
        panel.plot([place, place], [bottom, top], color=colour, linewidth=1.8)
        face = "white" if entry.published else colour
        value = min(max(entry.ability.value, low), high)
        panel.scatter([place], [value], s=34, marker=marker, facecolor=face, edgecolor=colour, zorder=3)
    panel.set_xticks(range(len(singles)), labels, rotation=90, fontsize=8.5)
    panel.set_xlim(-0.7, max(len(singles) - 0.3, 0.7))


def _draw_crowd(panel: Any, own: Sequence[Entry], look: Looks, place: int) -> None:
    """Draw many participants of one group as points beside each other, with their mean."""
    values = np.sort([each.ability.value for each in own])
    # Deterministic jitter: neighbours in order of ability lie apart.
    spread = ((np.arange(len(values)) * 0.618) % 1.0 - 0.5) * 0.9
    panel.scatter(place + spread, values, s=9, color=look[own[0].name].colour, alpha=0.5, linewidth=0)
    panel.plot([place - 0.5, place + 0.5], [values.mean()] * 2, color=look[own[0].name].colour, linewidth=2)
    ticks = [text.get_text() for text in panel.get_xticklabels()][:place]
    panel.set_xticks(range(place + 1), [*ticks, f"{look[own[0].name].label} ({len(own)})"], rotation=90, fontsize=8.5)
    panel.set_xlim(-0.7, place + 0.7)


def _draw_tasks(panel: Any, difficulties: Sequence[float], names: Sequence[str], low: float, high: float) -> None:
    if names:
        # Names are spread so that they do not overlap, each with a line to its place.
        order = np.argsort(difficulties)
        short = shorten(names)
        step = (high - low) / (len(names) + 1)
        for rank, item in enumerate(order):
            height = low + step * (rank + 1)
            panel.plot([0, 0.25], [difficulties[item], height], color=_TASKS, linewidth=0.9)
            panel.scatter([0], [difficulties[item]], s=16, color=INK, zorder=3)
            panel.text(0.27, height, short[names[item]], fontsize=8, va="center")
        panel.set_xlim(-0.08, 1.6)
        panel.set_xticks([])
        return
    count = int(min(max(np.sqrt(len(difficulties)), 12), 24))
    panel.hist(difficulties, bins=count, range=(low, high), orientation="horizontal", color=_TASKS, edgecolor="white")
    panel.set_xlabel(f"Number of tasks (of {len(difficulties):,})")
