"""The animal: the body in the arena that an agent or a participant steers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from puzzlebox._native import Animal
from puzzlebox.arena.rules import Rules, steps_in
from puzzlebox.arena.things.kinds import Category, Solid, Stands, Takes
from puzzlebox.arena.things.parameters import SKINS
from puzzlebox.arena.things.skins import skin
from puzzlebox.arena.things.thing import Thing
from puzzlebox.scene.parts import Part
from puzzlebox.scene.shapes import Ball, Box, Shape
from puzzlebox.scene.themes import Look

FULL_HEALTH = 100.0
# Health is a sum of thousands of small costs; less than this is a rounding error.
_ROUNDING = 1e-9
# The largest single reward, so that sums stay finite.
_LARGEST_REWARD = 1e9


def _native_property(name: str, meaning: str) -> Any:
    """Return a property for a number that changes at every physics step and is kept in native code."""
    return property(
        lambda self: getattr(self.motor, name), lambda self, value: setattr(self.motor, name, value), doc=meaning
    )


class Agent(Thing):
    """The animal that a participant or an agent steers: a ball of one metre that slides, turns and pushes."""

    category = Category.AGENT
    fixed_size = (1.0, 1.0, 1.0)
    solid = Solid.BALL
    parameters = {
        "rotation": Takes(None, "degrees, clockwise seen from above; 0 looks along z, 90 along x"),
        "at_one_of": Takes(),
        "skin": Takes(),
        "frozen_delay": Takes(0.0),
        "team": Takes(0),
    }
    mass = 100.0
    stands = Stands.FREE
    tag = "agent"

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(settings, rules)
        self.index = 0
        self.collected = 0
        # How it finished this arena, whether that was a success and whether it passed; None while it plays.
        self.ending: str | None = None
        self.succeeded = False
        self.passed: bool | None = None
        # Seconds from when it could first move to the event that ended it; None while it plays.
        self.latency: float | None = None
        # Whether it has lost reward to anything but time.
        self.penalised = False
        self.skin = SKINS[0]
        # native/motion.cpp moves it at every physics step (docs/original/motion.md#actions).
        self.motor = Animal(rules.drive * self.weight(), rules.quick_stop)
        self.held = self.spared = steps_in(self.settings["frozen_delay"])
        # Physics steps it had to wait at the start of this arena and of those that merged into it.
        self.waited = self.held

    health: float = _native_property("health", "health, 0 to 100")
    total: float = _native_property("total", "return so far")
    grounded: bool = _native_property("grounded", "whether it stands on something")
    held: int = _native_property("held", "physics steps for which it still cannot move")
    spared: int = _native_property("spared", "physics steps for which its health and reward still do not change")
    done: bool = _native_property("done", "whether it has finished this arena")
    earned: bool = _native_property("earned", "whether this step paid or cost it anything but time")

    @property
    def heading(self) -> float:
        """The direction it looks in, in degrees, clockwise seen from above."""
        return self.motor.heading  # type: ignore[no-any-return]

    def draw_looks(self, rng: np.random.Generator) -> None:
        """Draw a skin, unless the task names one."""
        self.skin = self.settings["skin"] or SKINS[int(rng.integers(len(SKINS)))]

    def shapes(self) -> tuple[Shape, ...]:
        """Return one ball."""
        return (Ball(0.5),)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return the parts of its skin: a panda, a pig or a hedgehog."""
        return skin(self.skin)

    def probe(self) -> Box:
        """Return an empty box: only the animal's middle needs room (docs/original/placement.md#the-agent).

        The engine pushes away what touches its rim.
        """
        return Box((0.0, 0.0, 0.0))

    def face(self, degrees: float) -> None:
        """Turn it to a direction in degrees, clockwise seen from above."""
        self.motor.face(degrees)

    def gain(self, amount: float) -> bool:
        """Add reward and health; return False when no health is left."""
        amount = min(max(amount, -_LARGEST_REWARD), _LARGEST_REWARD)
        self.total += amount
        health = self.health + 100.0 * amount
        self.health = FULL_HEALTH if health > FULL_HEALTH else health if health > _ROUNDING else 0.0
        return self.health > 0.0

    def condition(self) -> dict[str, Any]:
        """Return its health, return, heading and other current state, for `World.describe`."""
        return {
            "health": self.health,
            "return": self.total,
            "heading": self.heading,
            "grounded": self.grounded,
            "can_move": not (self.held or self.done),
            "team": self.settings["team"],
            "skin": self.skin,
        }
