"""The fixed scale of returns in an arena: 0 for chance, 1 for the best return that the task allows.

Neither end depends on who has played. Chance is the mean return of the random agent where `batteries/arena/scales.csv`
has it, which is so for bundled tasks, and otherwise the return of an animal that does nothing. The best return is what
all food together pays, without the cost of time; a task that can pay without limit has no scale.
"""

import csv
from functools import cache
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple

import puzzlebox.batteries
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import Task
from puzzlebox.arena.schema.models import (
    Arena,
    EndEpisode,
    GrantContinuousReward,
    GrantReward,
    Item,
    Limited,
    OneOf,
    Operation,
    ToggleObject,
)
from puzzlebox.arena.things import SHRINK, Thing
from puzzlebox.arena.things.changing import ChangingGoal
from puzzlebox.arena.things.dispensers import Dispenser
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world.operations import operation_models
from puzzlebox.arena.world.placement import make
from puzzlebox.wings.offers import Scale

# Written by `tools/scales.py`, which gives the command of the run.
TABLE = Path(puzzlebox.batteries.__file__).parent / "arena" / "scales.csv"


def scale(task: Task | None, task_hash: str, start: int) -> Scale | None:
    """Return the scale of the episodes that start in an arena; None if there is none.

    Args:
        task: the task; None if only its hash is known.
        task_hash: the hash of its text.
        start: the index of the arena.
    """
    known = _known().get((task_hash, start))
    if known is not None or task is None or start not in task.starts:
        return known
    best = best_return(task, start)
    return None if best is None else _scale(idle_return(task, start), best, "idle")


def best_return(task: Task, start: int) -> float | None:
    """Return what all food of an episode pays together, without the cost of time; None if there is no limit.

    Of several goals that end the episode, the largest one counts. A goal of random size counts with its mean size.
    """
    arenas = task.arenas[start : task.last(start) + 1]
    total = sum(_best_of_arena(arena) for arena in arenas)
    return total if isfinite(total) else None


def idle_return(task: Task, start: int) -> float:
    """Return what an animal gets that does nothing until the time is over: -1, or 0 if time costs nothing."""
    return -1.0 if task.arenas[start].time_limit else 0.0


@cache
def _known() -> dict[tuple[str, int], Scale | None]:
    """Return the scales in the table, by the hash of the task and the index of the arena."""
    scales: dict[tuple[str, int], Scale | None] = {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["task_hash"], int(row["arena"]) - 1
            best = float(row["best"]) if row["best"] else None
            scales[key] = None if best is None else _scale(float(row["random"]), best, "random")
    return scales


def _scale(chance: float, best: float, source: str) -> Scale | None:
    return Scale(chance, best, source) if best > chance else None


class _Worth(NamedTuple):
    """What a part of an arena can pay: in all that can be collected, and at most by something that ends the episode."""

    collected: float = 0.0
    ending: float = 0.0


def _best_of_arena(arena: Arena) -> float:
    parts = [_of_thing(_made(item)) for item in arena.items]
    return sum(part.collected for part in parts) + max([0.0, *(part.ending for part in parts)])


def _made(item: Item) -> Thing:
    return make(item, None, Rules())


def _of_thing(thing: Thing) -> _Worth:
    if isinstance(thing, Goal):
        value = max(0.0, _value(thing))
        return _Worth(ending=value) if thing.ends else _Worth(collected=value)
    if isinstance(thing, Dispenser):
        sizes = (thing.settings["initial_value"], thing.settings["final_value"])
        return _Worth(collected=thing.remaining * max(sizes) if thing.remaining else 0.0)
    return _together([_of_operation(model) for model in operation_models(thing)])


def _value(goal: Goal) -> float:
    """Return the most that a goal pays; for one of random size, the mean."""
    if isinstance(goal, ChangingGoal):
        return max(goal.first, goal.last)
    assert goal.size is not None
    low, high = goal.size.smallest[0], goal.size.largest[0]
    size: tuple[Any, ...] = goal.settings["size"] or (None,)
    return goal.sign * ((low + high) / 2 if None in size else min(max(size[0], low), high) * SHRINK)


def _of_operation(model: Operation) -> _Worth:
    match model:
        case GrantReward():
            return _Worth(collected=inf if model.reward > 0 else 0.0)
        case GrantContinuousReward():
            return _Worth(collected=inf if model.reward_per_step > 0 else 0.0)
        case EndEpisode():
            return _Worth(ending=max(0.0, model.reward))
        case ToggleObject():
            once = _together([_of_thing(_made(item)) for item in model.items])
            return once._replace(collected=inf if once.collected > 0 else 0.0)
        case Limited() if model.times >= 0:
            return _of_limited(model.operation, model.times)
        case Limited():
            return _of_operation(model.operation)
        case OneOf():
            return _together([_of_operation(each) for each in model.operations])
        case _:
            return _Worth()


def _of_limited(model: Operation, times: int) -> _Worth:
    """Return what an operation pays that runs at most a given number of times."""
    match model:
        case GrantReward():
            return _Worth(collected=times * max(0.0, model.reward))
        case ToggleObject():
            once = _together([_of_thing(_made(item)) for item in model.items])
            return once._replace(collected=times * once.collected if once.collected else 0.0)
        case OneOf():
            parts = [_of_limited(each, times) for each in model.operations]
            best = max((part.collected for part in parts), default=0.0)
            return _Worth(best, max((part.ending for part in parts), default=0.0))
        case Limited():
            return _of_limited(model.operation, times if model.times < 0 else min(times, model.times))
        case _:
            return _of_operation(model) if times else _Worth()


def _together(parts: list[_Worth]) -> _Worth:
    """Return the worth of several parts of which all can be had; of what ends the episode, only one."""
    return _Worth(sum(part.collected for part in parts), max([0.0, *(part.ending for part in parts)]))
