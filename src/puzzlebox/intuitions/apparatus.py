"""Judging as an episode: two films of a pair in random order, and one answer, which of them was more surprising."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from puzzlebox.intuitions.catalogue import EVALUATION, FAMILIAR, GROUPS, TASKS, task_named
from puzzlebox.intuitions.episodes.generate import check_request, make_pair, stratum
from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus
from puzzlebox.intuitions.pictures.painters import PAINTERS, painter_named
from puzzlebox.intuitions.pictures.sheets import trial_picture
from puzzlebox.seeds import rng_from
from puzzlebox.text import nearest
from puzzlebox.wings import Found
from puzzlebox.wings.gymnasium_wing import GymnasiumTask

WING = "intuitions"
# The answers, by their numbers as actions.
ANSWERS = ("first", "second", "cannot tell")
CANNOT_TELL = ANSWERS.index("cannot tell")
# The seed of the set that is judged if no other is asked for: that of `puzzlebox intuitions score`.
SEED = 1
# Pairs of each task that can be judged. A set has more; judgements of people, and of agents in a run, are about these.
PAIRS = 100
# The factor of the multi-agent task by which its pair types differ, and its pair types by the level of the factor.
_TYPED, _FACTOR, _TYPES = "multi_agent", "same_goal", {True: "i", False: "ii"}


def task_names() -> dict[str, tuple[str, str]]:
    """Return the names of tasks that are judged, each with its task in the catalogue and its pair type or ""."""
    names: dict[str, tuple[str, str]] = {}
    for name in GROUPS[EVALUATION]:
        for kind in _TYPES.values() if name == _TYPED else ("",):
            names[f"{name}-{kind}" if kind else name] = (name, kind)
    return names


def name_of(task: str, kind: str = "") -> str:
    """Return the name of a task that is judged from its task in the catalogue and its pair type."""
    return f"{task}-{kind}" if kind else task


def kind_of(task: str, number: int, seed: int) -> str:
    """Return the pair type of a generated pair; "" in tasks with one type only."""
    return _TYPES[stratum(task, number, seed)[_FACTOR]] if task == _TYPED else ""


@cache
def _starts(task: str, kind: str, seed: int) -> Sequence[int]:
    if not kind:
        return range(PAIRS)
    return tuple(number for number in range(PAIRS) if kind_of(task, number, seed) == kind)


@dataclass(frozen=True)
class PairTask(GymnasiumTask):
    """The pairs of one task, or one pair type of it, in one set: its starts are the numbers of the pairs.

    `PairTask.of` makes one. Its settings are the seed of the set, its shapes, and the view in which films are shown.
    """

    @classmethod
    def of(cls, name: str, seed: int = SEED, shapes: str = FAMILIAR, view: str = PAINTERS[0]) -> "PairTask":
        """Return the task with a name (`task_names`).

        Raises:
            ValueError: there is no such task, seed, set of shapes or view.
        """
        if name not in task_names():
            raise ValueError(f"there is no task {name!r} to judge{nearest(name, task_names())}")
        task, kind = task_names()[name]
        check_request(task, seed, shapes)
        if view not in PAINTERS:
            raise ValueError(f"there is no view {view!r}{nearest(view, PAINTERS)}")
        settings = {"seed": seed, "shapes": shapes, "view": view}
        return cls(WING, name, settings, _starts(task, kind, seed), title=title_of(task, kind))

    def pair(self, number: int) -> Pair:
        """Generate a pair of the set."""
        return make_pair(task_names()[self.name][0], number, self.settings["seed"], self.settings["shapes"])

    def conditions(self, start: int) -> dict[str, Any]:
        """Return the number of the pair, and as factors its shapes and the view."""
        factors = {name: self.settings[name] for name in ("shapes", "view")}
        return {"position": start, "last": start, "title": f"number {start}", "factors": factors}


def title_of(task: str, kind: str = "") -> str:
    """Return the title of a task for people, with its pair type if it has several."""
    return task_named(task).title + (f", pair type {kind}" if kind else "")


def level_of(task: str) -> str:
    """Return the group of a task: those of one group are averaged in publications."""
    return TASKS[task].title.partition(":")[0]


def described(
    seed: int,
    shapes: str,
    films: str = "",
    factors: Mapping[str, Any] | None = None,
    view: str = PAINTERS[0],
) -> dict[tuple[str, str], Found]:
    """Return every task of a set as results name it, by its name in the catalogue and its pair type.

    Args:
        seed: the seed of the set.
        shapes: its shapes.
        films: the name of a folder of films, if the pairs were read and not generated.
        factors: further experimental factors of all its pairs.
        view: how its films were painted.
    """
    tasks = {}
    for name, (task, kind) in task_names().items():
        made: GymnasiumTask = PairTask.of(name, seed, shapes, view)
        own = {"shapes": shapes, "view": view}
        if films:
            own = {"films": films} | ({} if view == PAINTERS[0] else {"view": view})
            made = GymnasiumTask(WING, name, own, title=made.title)
        tasks[task, kind] = Found(f"{WING}/{name}", made, level_of(task), kind, own | dict(factors or {}))
    return tasks


def shown_order(seed: int) -> str:
    """Return the members of a pair in the order in which they are shown, by the seed of the judgement."""
    return "eu" if rng_from(seed).random() < 0.5 else "ue"


def in_order(pair: Pair, seed: int) -> tuple[Stimulus, Stimulus]:
    """Return the films of a pair in the order in which they are shown, by the seed of the judgement."""
    members = dict(pair.members())
    order = shown_order(seed)
    return members[order[0]], members[order[1]]


class Judging(gym.Env[Any, Any]):
    """One judgement: both films as pictures of their trials, and one action out of `ANSWERS`.

    The reward is 1 if the answer is the unexpected film, 0 if it is the other, and a half for "cannot tell".

    Args:
        task: the task.
        size: pixels a side of each trial; 0 for observations without pictures, which need no pair to be generated.
    """

    action_space: gym.Space[Any] = Discrete(len(ANSWERS))

    def __init__(self, task: PairTask, size: int = 64) -> None:
        self._task, self._size = task, size
        self.observation_space = Box(0, 255, (2, size, 9 * size, 3), np.uint8)
        self._order = "eu"
        self._sheets: NDArray[np.uint8] = np.zeros((2, size, 9 * size, 3), np.uint8)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Show the pair with the number `start`; the seed decides which film is the first."""
        super().reset(seed=seed)
        self._order = shown_order(seed or 0)
        if self._size:
            painter = painter_named(self._task.settings["view"], self._size)
            films = in_order(self._task.pair((options or {}).get("start", 0)), seed or 0)
            sheets = [np.hstack([trial_picture(painter, trial) for trial in film.trials]) for film in films]
            self._sheets = np.stack(sheets)
        return self._sheets, {"passed": None}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take the answer; the episode is over."""
        answer = int(action)
        unexpected = self._order.index("u")
        reward = 0.5 if answer == CANNOT_TELL else float(answer == unexpected)
        details = {"answer": ANSWERS[answer], "unexpected": ANSWERS[unexpected]}
        passed = None if answer == CANNOT_TELL else bool(reward)
        info: Mapping[str, Any] = {"passed": passed, "events": [{"kind": "judged", "details": details}]}
        return self._sheets, reward, True, False, dict(info)
