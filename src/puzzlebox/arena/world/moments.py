"""Replay of a recorded episode, one physics step at a time, whatever its decision period."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from puzzlebox.arena.world import Outcome, Record, World


class Moment(NamedTuple):
    """A world after one physics step, with the `actions` and `outcome` of that step; both are empty at the start."""

    world: World
    outcome: Outcome | None
    actions: tuple[int, ...]


def moments(record: Record) -> Iterator[Moment]:
    """Yield every physics step of an episode; the world is always the same object, and must not be stepped."""
    period = record.rules.decision_period
    # An action held for three steps is the same action taken three times (a test compares the worlds).
    world = World(record.task, arena=record.arena, seed=record.seed, rules=replace(record.rules, decision_period=1))
    yield Moment(world, None, ())
    for actions in record.actions:
        for _ in range(period):
            if world.over:
                return
            yield Moment(world, world.step(actions), actions)
