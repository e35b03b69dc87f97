"""The heuristic (Braitenberg) agents of the Animal-AI paper, as they were run (docs/original/experiments.md#agents).

They turn what a fan of rays meets straight into an action, by the first rule that holds. What the published scripts
kept from one episode to the next, the last action, starts afresh here, so that an episode can be repeated on its own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from puzzlebox.arena.agents.sight import Seen, Sight, checked_rays
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world.actions import (
    BACKWARDS,
    BACKWARDS_LEFT,
    BACKWARDS_RIGHT,
    FORWARDS,
    FORWARDS_LEFT,
    FORWARDS_RIGHT,
    LEFT,
    NOOP,
    RIGHT,
)
from puzzlebox.seeds import rng_from
from puzzlebox.text import nearest

_GOOD, _MULTI, _BAD, _WALL, _BUTTON = "goodGoal", "goodGoalMulti", "badGoal", "Immovable", "PillarButton"
_FAN = 60.0
# Metres per second; an animal is slow when it is no faster in any direction.
_SLOW = 1.0
# What to do about a thing ahead, on the left, on the right.
_GO_TO = (FORWARDS, LEFT, RIGHT)
_BACK_OFF = (BACKWARDS, BACKWARDS_LEFT, BACKWARDS_RIGHT)
_DRIVE_TO = (FORWARDS, FORWARDS_LEFT, FORWARDS_RIGHT)

Places = dict[str, Seen]


def _answer(places: Places, kind: str, answers: tuple[int, int, int]) -> int | None:
    """The action for the first of ahead, left, right where a kind of thing is; None where it is not seen."""
    seen = places.get(kind)
    return None if seen is None else answers[seen.index(True)]


def _first(places: Places, rules: tuple[tuple[str, tuple[int, int, int]], ...]) -> int | None:
    for kind, answers in rules:
        action = _answer(places, kind, answers)
        if action is not None:
            return action
    return None


def _is_slow(velocity: Any) -> bool:
    """As the published script has it: backwards is slow, for the sign counts."""
    return bool(velocity[0] <= _SLOW and velocity[1] <= _SLOW and velocity[2] <= _SLOW)


class _Food:
    """Goes to food, backs off from bad goals, and otherwise turns left every other step."""

    sees = (_MULTI, _GOOD, _BAD)
    _rules = ((_MULTI, _GO_TO), (_GOOD, _GO_TO), (_BAD, _BACK_OFF))

    def decide(self, places: Places, velocity: Any, last: int) -> int:
        action = _first(places, self._rules)
        if action is None:
            action = LEFT if last in (NOOP, BACKWARDS) else NOOP
        return action


class _Operant:
    """Goes to food, to the button, along walls; drives a curve where it is slow."""

    sees = (_GOOD, _BUTTON, _WALL)
    _rules = ((_GOOD, _GO_TO), (_BUTTON, _GO_TO), (_WALL, _DRIVE_TO))

    def decide(self, places: Places, velocity: Any, last: int) -> int:
        if _is_slow(velocity):
            return FORWARDS_LEFT
        action = _first(places, self._rules)
        return last if action is None else action


class _Radial:
    """Goes to food of either kind, and otherwise ahead; turns and drives in turn where it is slow."""

    sees = (_GOOD, _MULTI)

    def decide(self, places: Places, velocity: Any, last: int) -> int:
        if _is_slow(velocity):
            return LEFT if last == FORWARDS_LEFT else FORWARDS_LEFT
        kinds = [places[kind] for kind in self.sees if kind in places]
        if not kinds:
            return FORWARDS
        either = Seen(*(any(places) for places in zip(*kinds, strict=True)))
        return _GO_TO[either.index(True)]


BEHAVIOURS: Mapping[str, type[Any]] = {"food": _Food, "operant": _Operant, "radial": _Radial}


class HeuristicAgent:
    """Goes to food it sees and turns left until it sees some; near a button, as in the published operant chamber.

    Args:
        rays: how many, an odd number, over 60 degrees. The paper says 45; its testbed script had 15.
        behaviour: "food" (foraging, testbed), "operant" or "radial" (what-where-when): which of the three published
            lists of rules it follows. "published": the one the task was published with, which is "operant" where
            there is a button and "food" elsewhere.
    """

    def __init__(self, rays: int = 45, behaviour: str = "published") -> None:
        if behaviour not in (*BEHAVIOURS, "published"):
            raise ValueError(f"behaviour is {behaviour!r}{nearest(str(behaviour), ['published', *BEHAVIOURS])}")
        self.senses: Mapping[str, Any] = {"camera": None, "rays": checked_rays(rays), "ray_degrees": _FAN}
        self._asked = behaviour
        self._follow("food" if behaviour == "published" else behaviour)
        self._last = NOOP

    def _follow(self, behaviour: str) -> None:
        self._behaviour = BEHAVIOURS[behaviour]()
        self._sight = Sight(self._behaviour.sees)

    def prepare(self, task: Task, arena: int) -> None:
        """Take the rules the experimenter would, knowing the apparatus."""
        if self._asked == "published":
            button = any(item.name == "SpawnerButton" for item in task.arenas[arena].items)
            self._follow("operant" if button else "food")

    def begin(self, seed: int) -> None:
        """Forget the last action."""
        self._last = NOOP

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """What the first rule that holds says."""
        places = self._sight.look(observation, info)
        self._last = self._behaviour.decide(places, observation["vitals"][1:4], self._last)
        return self._last


class PaperHeuristicAgent(HeuristicAgent):
    """The heuristic with the rule the paper describes and its code lacks: where slow, forwards-left or -right.

    Args:
        rays: how many, an odd number, over 60 degrees.
        behaviour: see `HeuristicAgent`.
    """

    def begin(self, seed: int) -> None:
        """Forget the last action; the coin is the seed's."""
        super().begin(seed)
        self._rng = rng_from(seed)

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """Where it is slow and sees nothing it can turn to, a coin decides; otherwise the rules."""
        action = super().act(observation, info)
        if action in (LEFT, RIGHT) or not _is_slow(np.abs(observation["vitals"][1:4])):
            return action
        self._last = FORWARDS_LEFT if self._rng.random() < 0.5 else FORWARDS_RIGHT
        return self._last
