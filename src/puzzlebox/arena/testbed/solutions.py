"""Recorded solutions: the actions that pass a task, as a short text, and their replay."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world import Record, World

# The sign of each action, in the order of their numbers: F and B drive, R and L turn, lower case turns while driving.
_SIGNS = (".", "R", "L", "F", "Fr", "Fl", "B", "Br", "Bl")
FORWARDS = _SIGNS.index("F")
# The decisions for which an animal goes on after the actions that solve another task.
_PLAYED_ON = 60
_RUN = re.compile(r"(\.|[RL]|[FB][rl]?)(\d*)$")


@dataclass(frozen=True)
class Solution:
    """A solution of a task for one seed.

    Attributes:
        id: the name of the task, such as `testbed/08-13-2`.
        seed: the seed of the episode.
        actions: the action of each decision.
        total: the return.
    """

    id: str
    seed: int
    actions: tuple[int, ...]
    total: float


def actions_text(actions: Sequence[int]) -> str:
    """Return actions as a text in which each run of equal ones is a sign and a number, as in `F12 R3 .5`."""
    runs = ((action, len(list(each))) for action, each in groupby(actions))
    return " ".join(f"{_SIGNS[action]}{count if count > 1 else ''}" for action, count in runs)


def actions_from(text: str) -> tuple[int, ...]:
    """Return the actions of a text that `actions_text` wrote.

    Raises:
        ValueError: a word of it is no run of actions.
    """
    actions: list[int] = []
    for word in text.split():
        match = _RUN.match(word)
        if match is None:
            raise ValueError(f"`{word}` is no run of actions; it must be one of {' '.join(_SIGNS)} and a number")
        actions += [_SIGNS.index(match[1])] * int(match[2] or 1)
    return tuple(actions)


def replay(task: Task, actions: Sequence[int], seed: int) -> World:
    """Return the world of a task after some actions of its one animal."""
    return World.replay(_record(task, actions, seed))


def solved_by(task: Task, actions: Sequence[int], seed: int) -> bool:
    """Return whether the actions that solve another task, and going on forwards after them, pass a task."""
    world = World(task, seed=seed)
    for action in (*actions, *[FORWARDS] * _PLAYED_ON):
        if world.over:
            break
        world.step((action,))
    return world.passed() is True


def record_of(task: Task, solution: Solution) -> Record:
    """Return a solution as a record, which can be replayed and filmed."""
    return _record(task, solution.actions, solution.seed)


def _record(task: Task, actions: Sequence[int], seed: int) -> Record:
    return Record(task, 0, seed, Rules(), tuple((action,) for action in actions))
