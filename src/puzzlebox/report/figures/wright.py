"""Wright maps: abilities of players beside difficulties of tasks, on one vertical scale."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from puzzlebox.report.figures.lettering import shorten, text_width
from puzzlebox.report.figures.looks import FAINT, INK, WIDTH, Drawing, Looks, new_figure
from puzzlebox.stats import Interval

# Most players of a name that are drawn one by one, and most tasks whose names are written.
_MOST_SINGLE, _MOST_NAMED = 15, 30
# Inches: the height of a name of a task, the width of a player, and the width of what is beside the names of tasks.
_LINE, _COLUMN, _LINES = 0.17, 0.26, 0.6
# Inches of the panel of players at most.
_BROADEST = 9.0
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
    entries: Sequence[Entry],
    difficulties: Sequence[float],
    items: Sequence[str],
    look: Looks,
    caption: str,
    word: str = "task",
) -> Drawing:
    """Draw players on the left, with intervals, and tasks on the right, as names or as a histogram.

    Args:
        entries: the players.
        difficulties: the difficulty of each task.
        items: the name of each task.
        look: the looks of agents.
        caption: the caption.
        word: what the items are called: "task" or "arena".
    """
    crowds: dict[str, list[Entry]] = {}
    for entry in entries:
        crowds.setdefault(entry.name if entry.participant else f"{entry.name}\n{entry.published}", []).append(entry)
    singles = [each for own in crowds.values() if len(own) <= _MOST_SINGLE for each in own]
    many = [own for own in crowds.values() if len(own) > _MOST_SINGLE]
    singles.sort(key=lambda each: each.ability.value)
    labels = _labels(singles, look)
    named = len(items) <= _MOST_NAMED
    inner = max(2.7, _LINE * len(items) if named else 0.0)
    # Inches of the two panels: a column for each player, and beside the places of tasks room for their names.
    left = min(max(2.4, _COLUMN * (len(singles) + len(many))), _BROADEST)
    names = shorten(items)
    right = _LINES + text_width(names.values(), 8) if named else 2.6
    groups = [f"{_label(own[0], look)} ({len(own)})" for own in many]
    figure = new_figure(max(WIDTH, left + right + 1.2), inner + text_width([*labels, *groups], 8.5) + 0.6)
    share = (figure.get_figwidth() - 1.2) / (left + right)
    players, tasks = figure.subplots(1, 2, sharey=True, width_ratios=[left, right])
    low, high = _limits([*(each.ability.value for each in entries), *difficulties], [each.ability for each in singles])
    _draw_singles(players, singles, look, low, high)
    for place, own in enumerate(many, len(singles)):
        _draw_crowd(players, own, look, place)
    players.set_xticks(range(len(singles) + len(many)), [*labels, *groups], rotation=90, fontsize=8.5)
    players.set_xlim(-0.7, max(len(singles) + len(many) - 0.3, 0.7))
    if named:
        _draw_named(tasks, difficulties, [names[item] for item in items], low, high, share * right)
    else:
        _draw_histogram(tasks, difficulties, low, high)
    players.set_ylim(low, high)
    players.set_ylabel("Ability and difficulty (logits)")
    players.set_title("Players")
    tasks.set_title(f"{word.capitalize()}s")
    for each in (players, tasks):
        each.grid(axis="y", color=FAINT, linewidth=0.6)
        each.set_axisbelow(True)
        each.axhline(0, color=INK, linewidth=0.9, linestyle=(0, (3, 2)))
    return Drawing("abilities_and_difficulties", caption, figure)


def _label(entry: Entry, look: Looks) -> str:
    name = look[entry.name].label if entry.name in look else entry.name
    return f"{name} (published)" if entry.published else name


def _labels(singles: Sequence[Entry], look: Looks) -> list[str]:
    short = shorten(each.participant for each in singles if each.participant)
    return [f"{_label(each, look)} {short.get(each.participant, '')}".strip() for each in singles]


def _limits(values: Sequence[float], intervals: Sequence[Interval]) -> tuple[float, float]:
    """Return the ends of the scale: all values, and of intervals as much as does not dwarf them."""
    low, high = min(values), max(values)
    room = max(high - low, 2.0)
    lowest, highest = min([low, *(each.low for each in intervals)]), max([high, *(each.high for each in intervals)])
    low, high = max(lowest, low - 0.25 * room), min(highest, high + 0.25 * room)
    return low - 0.05 * room, high + 0.05 * room


def _draw_singles(panel: Any, singles: Sequence[Entry], look: Looks, low: float, high: float) -> None:
    """Draw each player in a column of its own, with its interval as far as the scale reaches."""
    for place, entry in enumerate(singles):
        style = look.get(entry.name)
        colour, marker = (style.colour, style.marker) if style is not None else (INK, "D")
        bottom, top = max(entry.ability.low, low), min(entry.ability.high, high)
        panel.plot([place, place], [bottom, top], color=colour, linewidth=1.8)
        face = "white" if entry.published else colour
        panel.scatter([place], [entry.ability.value], s=34, marker=marker, facecolor=face, edgecolor=colour, zorder=3)


def _draw_crowd(panel: Any, own: Sequence[Entry], look: Looks, place: int) -> None:
    """Draw many participants of one group as points beside each other, with their mean."""
    values = np.sort([each.ability.value for each in own])
    # Not random: neighbours in order of ability lie apart.
    aside = ((np.arange(len(values)) * 0.618) % 1.0 - 0.5) * 0.7
    colour = look[own[0].name].colour
    panel.scatter(place + aside, values, s=9, color=colour, alpha=0.5, linewidth=0)
    panel.plot([place - 0.45, place + 0.45], [values.mean()] * 2, color=colour, linewidth=2)


def _draw_named(
    panel: Any, difficulties: Sequence[float], names: Sequence[str], low: float, high: float, inches: float
) -> None:
    """Draw a point for each task, and its name beside it; names are spread evenly, each with a line to its point."""
    step = (high - low) / (len(names) + 1)
    bend, start = 0.3 / inches, 0.36 / inches
    for rank, item in enumerate(np.argsort(difficulties, kind="stable")):
        height = low + step * (rank + 1)
        panel.plot([0, bend], [difficulties[item], height], color=_TASKS, linewidth=0.9)
        panel.scatter([0], [difficulties[item]], s=16, color=INK, zorder=3)
        panel.text(start, height, names[item], fontsize=8, va="center")
    panel.set_xlim(-0.1 / inches, 1 - 0.1 / inches)
    panel.set_xticks([])


def _draw_histogram(panel: Any, difficulties: Sequence[float], low: float, high: float) -> None:
    count = int(min(max(np.sqrt(len(difficulties)), 12), 24))
    panel.hist(difficulties, bins=count, range=(low, high), orientation="horizontal", color=_TASKS, edgecolor="white")
    panel.set_xlabel(f"Number of tasks (of {len(difficulties):,})")
