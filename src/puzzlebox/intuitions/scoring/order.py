"""The three-way order: films that were expected surprise least, then those without expectation, then the unexpected.

Pairs compare two levels only. In the multi-agent task both pair types together have all three, so the order of films of
different episodes can be checked; it asks more than the pairs, because scenes differ between episodes.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from puzzlebox.intuitions.scoring.observer import READ_OUTS
from puzzlebox.intuitions.scoring.pairs import LEVELS, Judgement, levels_of


class Order(NamedTuple):
    """How often a film of one level surprises less than a film of the next, over all pairs of films of the two.

    Attributes:
        task: the name of the task.
        read_out: `maximum` or `mean`.
        lower: the level that should surprise less.
        higher: the level that should surprise more.
        share: how often it does; ties count half.
        films: the number of films of each of the two levels.
    """

    task: str
    read_out: str
    lower: str
    higher: str
    share: float
    films: tuple[int, int]


def three_way_order(judgements: Iterable[Judgement]) -> list[Order]:
    """Return how well the surprises of all films of each task are ordered by level."""
    films: dict[str, dict[tuple[str, str], list[float]]] = {}
    for judgement in judgements:
        by_level = films.setdefault(judgement.task, {})
        members = zip(levels_of(judgement.task, judgement.kind), judgement[3:], strict=True)
        for level, surprises in members:
            for read_out in READ_OUTS:
                by_level.setdefault((read_out, level), []).append(surprises[read_out])
    steps = [(lower, higher) for place, lower in enumerate(LEVELS) for higher in LEVELS[place + 1 :]]
    return [
        _order(task, read_out, lower, higher, by_level)
        for task, by_level in films.items()
        for read_out in READ_OUTS
        for lower, higher in steps
        if (read_out, lower) in by_level and (read_out, higher) in by_level
    ]


def _order(task: str, read_out: str, lower: str, higher: str, films: dict[tuple[str, str], list[float]]) -> Order:
    one, two = np.array(films[read_out, lower]), np.array(films[read_out, higher])
    share = float((one[:, None] < two).mean() + 0.5 * (one[:, None] == two).mean())
    return Order(task, read_out, lower, higher, share, (len(one), len(two)))
