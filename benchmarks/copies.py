"""Measure copies of a world: replays and forks, which are exact, and branches, which are nearly so."""

import os
from collections.abc import Callable
from math import inf

import numpy as np

from benchmarks.measure import Result, best_microseconds, best_seconds
from puzzlebox.arena.envs.speed import arena
from puzzlebox.arena.schema import Task, load_task
from puzzlebox.arena.world import Fork, Record, World
from puzzlebox.batteries.index import bundled_names

_DECISIONS_BEFORE, _DECISIONS_AFTER = 100, 200
_MOMENTS, _WARM_DECISIONS = (20, 100, 200), 30
_CALLS, _STEPS, _ROUNDS = 2000, 200, 15
_GIGABYTE = 2**27  # doubles


def _actions(count: int, animals: int = 1, seed: int = 0) -> list[tuple[int, ...]]:
    """Return random actions, mostly forwards, each held for five decisions."""
    choices = np.random.default_rng(seed).choice((0, 1, 2, 3, 3, 3, 4, 5, 6), (count // 5, animals))
    return [tuple(map(int, each)) for each in np.repeat(choices, 5, axis=0)]


def _play(task: Task, count: int) -> World:
    world = World(task, seed=3)
    for each in _actions(count, len(world.animals)):
        if not world.over:
            world.step(each)
    return world


def _step_by_step(record: Record) -> World:
    world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
    for each in record.actions:
        world.step(each)
    return world


def _step_all(world: World, actions: list[tuple[int, ...]]) -> int:
    for each in actions:
        world.step(each)
    return world.clock


def _fork_time(make: Callable[[], Fork]) -> float:
    """Return milliseconds until a fork has answered for the first time; closing it is not counted."""
    forks: list[Fork] = []

    def fork() -> None:
        forks.append(make())
        forks[-1].call("state")

    seconds = []
    for _ in range(12):
        seconds.append(best_seconds(fork, 1))
        forks.pop().close()
    return min(seconds) * 1e3


def _distance(trunk: World, branch: World) -> float:
    """Return the largest distance (m) of a body from its twin; 0 only where all bytes are equal."""
    expected, actual = (np.frombuffer(each.state(), np.float32).reshape(-1, 13) for each in (trunk, branch))
    if expected.shape != actual.shape:
        return inf
    largest = float(np.abs(expected[:, 4:7] - actual[:, 4:7]).max())
    return largest or float(expected.tobytes() != actual.tobytes()) * 1e-12


def _distances(trunk: World) -> list[float]:
    """Return the distance of a branch from its trunk after each decision, for as long as both last."""
    branch, distances = trunk.branch(), []
    for each in _actions(_DECISIONS_AFTER, len(trunk.animals), 1):
        if not (trunk.over or branch.over):
            trunk.step(each)
            branch.step(each)
            distances.append(_distance(trunk, branch))
    return distances


def _branches() -> list[Result]:
    """Count the branches of bundled tasks that stay equal to their trunks, or become so and differ again."""
    trunks = [_play(load_task(name), decisions) for name in bundled_names() for decisions in _MOMENTS]
    distances = [_distances(trunk) for trunk in trunks if not trunk.over]
    lasting = [each for each in distances if len(each) > _WARM_DECISIONS]
    warm = [each for each in lasting if not each[_WARM_DECISIONS - 1]]
    moments = ", ".join(map(str, _MOMENTS))
    return [
        Result(f"branches of bundled tasks at steps {moments}", len(distances), ""),
        Result(f"  equal to the trunk for {_DECISIONS_AFTER} steps", sum(not any(each) for each in distances), ""),
        Result("  furthest any body was off", max(map(max, distances)) * 1e3, "mm"),
        Result(
            f"  equal after {_WARM_DECISIONS} steps, whether or not before",
            len(warm),
            "",
            "",
            len(lasting),
            "that lasted",
        ),
        Result("  of these, not equal any more later", sum(any(each[_WARM_DECISIONS:]) for each in warm), ""),
    ]


def _forks(world: World) -> list[Result]:
    if not hasattr(os, "fork"):
        return []
    results = [Result("fork, until it answers", _fork_time(lambda: Fork(world)), "ms")]
    with Fork(world) as fork:
        results.append(Result("fork of a fork, until it answers", _fork_time(fork.fork), "ms"))
        results.append(Result("a call of a fork", best_microseconds(lambda: fork.call("state"), _CALLS), "us"))
        actions = _actions(_STEPS, seed=2)

        def one_by_one() -> None:
            with fork.fork() as twin:
                for each in actions:
                    twin.step(each)

        def at_once() -> None:
            with fork.fork() as twin:
                twin.call(_step_all, actions)

        for name, play in (("a call each", one_by_one), ("one call", at_once)):
            rate = _STEPS / best_seconds(play, 8)
            results.append(Result(f"fork and {_STEPS} steps, {name}: steps a second", rate, "/s"))
    ballast = np.ones(_GIGABYTE)
    results.append(Result("fork of a process of 1 GB more", _fork_time(lambda: Fork(world)), "ms"))
    assert ballast.any()
    return results


def run() -> list[Result]:
    """Measure replays after 100 and 400 decisions, forks and branches."""
    results = []
    for name, task in (("20 things", arena(20)), ("a tree of fruits", load_task("foraging"))):
        for count in (100, 400):
            record = _play(task, count).snapshot()
            rounds = [  # in turns, so that both run under the same load
                [
                    best_seconds(lambda play=play, record=record: play(record), 1)
                    for play in (World.replay, _step_by_step)
                ]
                for _ in range(_ROUNDS)
            ]
            replay, steps = map(min, zip(*rounds, strict=True))
            results.append(
                Result(f"replay, {name}, {count} decisions", replay * 1e3, "ms", "", steps * 1e3, "step by step")
            )
    world = _play(arena(20), _DECISIONS_BEFORE)
    results += _forks(world)
    results.append(Result("branch, 20 things", best_microseconds(world.branch, 6) / 1e3, "ms"))
    return results + _branches()
