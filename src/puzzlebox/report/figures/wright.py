"""Wright maps: abilities of players beside difficulties of tasks, on one vertical scale."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from puzzlebox.report.figures.lettering import shorten, text_width
from puzzlebox.report.figures.looks import FAINT, INK, WIDTH, Drawing, Looks, new_figure
from puzzlebox.stats import Interval
from puzzlebox.stats.extras import import_extra

# Most players of a name that are drawn one by one, and most tasks whose names are written.
_MOST_SINGLE, _MOST_NAMED = 15, 30
# Inches: the height of a name of a task, the width of a player, and the width of what is beside the names of tasks.
_LINE, _COLUMN, _LINES = 0.17, 0.26, 0.6
# Inches of the panel of players at most.
_BROADEST = 9.0
# Tasks of the same difficulty at most that have a name each; more of them, such as variants, share one.
_MOST_ALIKE = 3
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
    names = shorten(items)
    groups_of_tasks = _alike(difficulties, [names[item] for item in items])
    inner = max(2.7, _LINE * len(groups_of_tasks) if named else 0.0)
    # Inches of the two panels: a column for each player, and beside the places of tasks room for their names.
    left = min(max(2.4, _COLUMN * (len(singles) + len(many))), _BROADEST)
    right = _LINES + text_width([name for _, name in groups_of_tasks], 8) if named else 2.6
    groups = [f"{_label(own[0], look)} ({len(own)})" for own in many]
    figure = new_figure(max(WIDTH, left + right + 1.2), inner + text_width([*labels, *groups], 8.5) + 0.6)
    share = (figure.get_figwidth() - 1.2) / (left + right)
    players, tasks = figure.subplots(1, 2, sharey=True, width_ratios=[left, right])
    low, high = _limits([*(each.ability.value for each in entries), *difficulties], [each.ability for each in singles])
    if _draw_singles(players, singles, look, low, high):
        caption += " Arrows: the interval goes on beyond the scale."
    for place, own in enumerate(many, len(singles)):
        _draw_crowd(players, own, look, place)
    players.set_xticks(range(len(singles) + len(many)), [*labels, *groups], rotation=90, fontsize=8.5)
    players.set_xlim(-0.7, max(len(singles) + len(many) - 0.3, 0.7))
    if named:
        _draw_named(tasks, groups_of_tasks, low, high, share * right, _LINE * (high - low) / inner)
    else:
        _draw_histogram(tasks, difficulties, low, high, word)
    players.set_ylim(low, high)
    players.set_ylabel("Ability and difficulty (logits)")
    players.set_title("Players")
    tasks.set_title(f"{word.capitalize()}s")
    # Lines of the scale would strike out names; beside them only the zero line goes on, as far as the points.
    for each, end in ((players, 1.0), (tasks, 0.2 / (share * right) if named else 1.0)):
        if end == 1:
            each.grid(axis="y", color=FAINT, linewidth=0.6)
        each.set_axisbelow(True)
        each.axhline(0, xmax=end, color=INK, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
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


def _draw_singles(panel: Any, singles: Sequence[Entry], look: Looks, low: float, high: float) -> bool:
    """Draw each player in a column of its own, with its interval as far as the scale reaches.

    Returns:
        whether an interval goes on beyond the scale; an arrow marks its end.
    """
    cut_off = False
    for place, entry in enumerate(singles):
        style = look.get(entry.name)
        colour, marker = (style.colour, style.marker) if style is not None else (INK, "D")
        bottom, top = max(entry.ability.low, low), min(entry.ability.high, high)
        panel.plot([place, place], [bottom, top], color=colour, linewidth=1.8)
        for end, mark, beyond in ((low, "v", entry.ability.low < low), (high, "^", entry.ability.high > high)):
            if beyond:
                panel.plot([place], [end], mark, color=colour, markersize=6, clip_on=False)
                cut_off = True
        face = "white" if entry.published else colour
        panel.scatter([place], [entry.ability.value], s=34, marker=marker, facecolor=face, edgecolor=colour, zorder=3)
    return cut_off


def _draw_crowd(panel: Any, own: Sequence[Entry], look: Looks, place: int) -> None:
    """Draw many participants of one group as points beside each other, with their mean."""
    values = np.sort([each.ability.value for each in own])
    # Not random: neighbours in order of ability lie apart.
    aside = ((np.arange(len(values)) * 0.618) % 1.0 - 0.5) * 0.7
    colour = look[own[0].name].colour
    panel.scatter(place + aside, values, s=9, color=colour, alpha=0.5, linewidth=0)
    panel.plot([place - 0.45, place + 0.45], [values.mean()] * 2, color=colour, linewidth=2)


def _alike(difficulties: Sequence[float], names: Sequence[str]) -> list[tuple[float, str]]:
    """Return difficulties, lowest first, with the names of tasks; many tasks of the same difficulty have one name."""
    equal: dict[float, list[int]] = {}
    for item in np.argsort(difficulties, kind="stable"):
        equal.setdefault(round(float(difficulties[item]), 2), []).append(int(item))
    groups = []
    for own in equal.values():
        if len(own) <= _MOST_ALIKE:
            groups += [(float(difficulties[item]), names[item]) for item in own]
            continue
        families = {names[item].partition("@")[0] if "@" in names[item] else "" for item in own}
        first = min(names[item] for item in own)
        name = f"{first} and {len(own) - 1} others"
        if len(families) == 1 and "" not in families:
            name = f"{families.pop()} ({len(own)} variants)"
        groups.append((float(difficulties[own[0]]), name))
    return groups


def _spread(heights: Sequence[float], low: float, high: float, gap: float) -> list[float]:
    """Return heights as near as possible to those given, in ascending order, but at least a gap apart."""
    # Without the gaps, names that are too near each other share the mean of their heights (pooled neighbours).
    pools: list[list[float]] = []
    for rank, height in enumerate(heights):
        pools.append([height - rank * gap])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    top = max(high - gap / 2 - (len(heights) - 1) * gap, low + gap / 2)
    even = [min(max(float(np.mean(pool)), low + gap / 2), top) for pool in pools for _ in pool]
    return [height + rank * gap for rank, height in enumerate(even)]


def _draw_named(
    panel: Any, groups: Sequence[tuple[float, str]], low: float, high: float, inches: float, gap: float
) -> None:
    """Draw a point for each difficulty, and beside it the name of its task, with a line to its point.

    Args:
        panel: the axes.
        groups: difficulties, lowest first, and names.
        low: the lower end of the scale.
        high: its upper end.
        inches: the width of the panel.
        gap: the height of a name on the scale.
    """
    bend, start = 0.3 / inches, 0.36 / inches
    gap = min(gap, (high - low) / len(groups))
    heights = _spread([difficulty for difficulty, _ in groups], low, high, gap)
    for height, (difficulty, name) in zip(heights, groups, strict=True):
        panel.plot([0, bend], [difficulty, height], color=_TASKS, linewidth=0.9)
        panel.scatter([0], [difficulty], s=16, color=INK, zorder=3)
        panel.text(start, height, name, fontsize=8, va="center")
    panel.set_xlim(-0.1 / inches, 1 - 0.1 / inches)
    panel.set_xticks([])


def _draw_histogram(panel: Any, difficulties: Sequence[float], low: float, high: float, word: str) -> None:
    count = int(min(max(np.sqrt(len(difficulties)), 12), 24))
    panel.xaxis.set_major_locator(import_extra("matplotlib.ticker").MaxNLocator(integer=True))
    panel.hist(difficulties, bins=count, range=(low, high), orientation="horizontal", color=_TASKS, edgecolor="white")
    panel.set_xlabel(f"Number of {word}s (of {len(difficulties):,})")
