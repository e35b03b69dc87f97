"""The heuristic (Braitenberg) agents of the Animal-AI paper, as they were run (docs/original/experiments.md#agents).

They turn what a fan of rays hits straight into an action, by the first rule that applies. The published scripts kept
the last action from one episode to the next; here it is reset, so that an episode can be repeated on its own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from puzzlebox.arena.agents.sight import Sight, Sighting, checked_rays
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world import actions
from puzzlebox.seeds import rng_from
from puzzlebox.text import nearest
from puzzlebox.wings import ARENA

_GOOD, _MULTI, _BAD, _WALL, _BUTTON = "goodGoal", "goodGoalMulti", "badGoal", "Immovable", "PillarButton"
_FAN = 60.0
# Metres per second; an animal is slow when it is no faster in any direction.
_SLOW = 1.0
# The actions for a thing ahead, on the left, on the right.
_GO_TO = (actions.FORWARDS, actions.LEFT, actions.RIGHT)
_BACK_OFF = (actions.BACKWARDS, actions.BACKWARDS_LEFT, actions.BACKWARDS_RIGHT)
_DRIVE_TO = (actions.FORWARDS, actions.FORWARDS_LEFT, actions.FORWARDS_RIGHT)

Places = dict[str, Sighting]


def _response(places: Places, kind: str, responses: tuple[int, int, int]) -> int | None:
    """Return the action for the first of ahead, left, right where a kind is seen; None if it is not seen."""
    sighting = places.get(kind)
    return None if sighting is None else responses[sighting.index(True)]


def _first_response(places: Places, rules: tuple[tuple[str, tuple[int, int, int]], ...]) -> int | None:
    for kind, responses in rules:
        action = _response(places, kind, responses)
        if action is not None:
            return action
    return None


def _is_slow(velocity: Any) -> bool:
    """Return whether an animal is slow; as in the published script, moving backwards counts as slow."""
    return bool(velocity[0] <= _SLOW and velocity[1] <= _SLOW and velocity[2] <= _SLOW)


class _Food:
    """Goes to food, backs off from bad goals, and otherwise turns left every other step."""

    sees = (_MULTI, _GOOD, _BAD)
    _rules = ((_MULTI, _GO_TO), (_GOOD, _GO_TO), (_BAD, _BACK_OFF))

    def decide(self, places: Places, velocity: Any, last: int) -> int:
        action = _first_response(places, self._rules)
        if action is None:
            action = actions.LEFT if last in (actions.NOOP, actions.BACKWARDS) else actions.NOOP
        return action


class _Operant:
    """Goes to food, to the button, along walls; drives a curve when it is slow."""

    sees = (_GOOD, _BUTTON, _WALL)
    _rules = ((_GOOD, _GO_TO), (_BUTTON, _GO_TO), (_WALL, _DRIVE_TO))

    def decide(self, places: Places, velocity: Any, last: int) -> int:
        if _is_slow(velocity):
            return actions.FORWARDS_LEFT
        action = _first_response(places, self._rules)
        return last if action is None else action


class _Radial:
    """Goes to food of either kind, otherwise ahead; alternates turning and driving when it is slow."""

    sees = (_GOOD, _MULTI)

    def decide(self, places: Places, velocity: Any, last: int) -> int:
        if _is_slow(velocity):
            return actions.LEFT if last == actions.FORWARDS_LEFT else actions.FORWARDS_LEFT
        kinds = [places[kind] for kind in self.sees if kind in places]
        if not kinds:
            return actions.FORWARDS
        either = Sighting(*(any(places) for places in zip(*kinds, strict=True)))
        return _GO_TO[either.index(True)]


BEHAVIOURS: Mapping[str, type[Any]] = {"food": _Food, "operant": _Operant, "radial": _Radial}


class HeuristicAgent:
    """Goes to food it sees, otherwise turns left every other step; with a button, follows the published operant rules.

    Args:
        rays: the number of rays, odd, over 60 degrees. The paper says 45; its testbed script had 15.
        behaviour: which of the three published lists of rules it follows: "food" (foraging, testbed), "operant" or
            "radial" (what-where-when). "published" takes the list the task was published with: "operant" if there is
            a button, "food" elsewhere.
    """

    wing = ARENA

    def __init__(self, rays: int = 45, behaviour: str = "published") -> None:
        if behaviour not in (*BEHAVIOURS, "published"):
            raise ValueError(f"behaviour is {behaviour!r}{nearest(str(behaviour), ['published', *BEHAVIOURS])}")
        self.senses: Mapping[str, Any] = {"camera": None, "rays": checked_rays(rays), "ray_degrees": _FAN}
        self._requested = behaviour
        self._choose("food" if behaviour == "published" else behaviour)
        self._last = actions.NOOP

    def _choose(self, behaviour: str) -> None:
        self._behaviour = BEHAVIOURS[behaviour]()
        self._sight = Sight(self._behaviour.sees)

    def prepare(self, task: Task, arena: int) -> None:
        """Choose the list of rules that the task was published with."""
        if self._requested == "published":
            button = any(item.name == "SpawnerButton" for item in task.arenas[arena].items)
            self._choose("operant" if button else "food")

    def begin(self, seed: int) -> None:
        """Start an episode: reset the last action."""
        self._last = actions.NOOP

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """Return the action of the first rule that applies."""
        places = self._sight.look(observation, info)
        self._last = self._behaviour.decide(places, observation["vitals"][1:4], self._last)
        return self._last


class PaperHeuristicAgent(HeuristicAgent):
    """The heuristic with a rule of the paper that its code lacks: when slow, forwards-left or forwards-right.

    Args:
        rays: the number of rays, odd, over 60 degrees.
        behaviour: see `HeuristicAgent`.
    """

    def begin(self, seed: int) -> None:
        """Start an episode: reset the last action, and start a new random stream from the seed."""
        super().begin(seed)
        self._rng = rng_from(seed)

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """Return a random curve when slow and not turning, otherwise the action of the rules."""
        action = super().act(observation, info)
        if action in (actions.LEFT, actions.RIGHT) or not _is_slow(np.abs(observation["vitals"][1:4])):
            return action
        self._last = actions.FORWARDS_LEFT if self._rng.random() < 0.5 else actions.FORWARDS_RIGHT
        return self._last
