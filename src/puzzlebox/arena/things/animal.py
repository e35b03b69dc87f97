"""The animal that acts: one per agent."""

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
# Health is a sum of thousands of small costs; less than this is rounding.
_NOTHING = 1e-9
# No single reward is larger: sums stay finite.
_MOST = 1e9


def _kept(name: str, meaning: str) -> Any:
    """One of the numbers that change at every physics step, which the native part keeps."""
    return property(
        lambda self: getattr(self.motor, name), lambda self, value: setattr(self.motor, name, value), doc=meaning
    )


class Agent(Thing):
    """The animal a player or a learner steers: a ball of one metre that slides, turns and pushes."""

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

    def __init__(self, asked: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(asked, rules)
        self.index = 0
        self.collected = 0
        # How it finished this arena, whether that was a success and whether it passed; None while it plays.
        self.ending: str | None = None
        self.succeeded = False
        self.passed: bool | None = None
        # Seconds from when it could first move to the event that ended it; None while it plays.
        self.latency: float | None = None
        # It has lost reward to something else than time.
        self.penalised = False
        self.skin = SKINS[0]
        # What it does at every physics step (docs/original/motion.md#actions) is native/motion.cpp's.
        self.motor = Animal(rules.drive * self.weight(), rules.quick_stop)
        self.held = self.spared = steps_in(self.asked["frozen_delay"])
        # Physics steps it had to wait at the start, in this arena and in those before it.
        self.waited = self.held

    health: float = _kept("health", "0 to 100")
    total: float = _kept("total", "its return so far")
    grounded: bool = _kept("grounded", "it stands on something")
    held: int = _kept("held", "physics steps it still cannot move")
    spared: int = _kept("spared", "physics steps its health and reward still stand still")
    done: bool = _kept("done", "it has finished with this arena")
    earned: bool = _kept("earned", "this step brought or cost it more than time")

    @property
    def heading(self) -> float:
        """Where it looks: degrees, clockwise seen from above."""
        return self.motor.heading  # type: ignore[no-any-return]

    def draw_looks(self, generator: np.random.Generator) -> None:
        """Choose a skin."""
        self.skin = self.asked["skin"] or SKINS[int(generator.integers(len(SKINS)))]

    def shapes(self) -> tuple[Shape, ...]:
        """One ball."""
        return (Ball(0.5),)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """A panda, a pig or a hedgehog."""
        return skin(self.skin)

    def probe(self) -> Box:
        """Only its middle asks for room; what touches its rim is pushed away (docs/original/placement.md#the-agent)."""
        return Box((0.0, 0.0, 0.0))

    def face(self, degrees: float) -> None:
        """Look in a direction."""
        self.motor.face(degrees)

    def gain(self, amount: float) -> bool:
        """Add reward and health; False when that was its last health."""
        amount = min(max(amount, -_MOST), _MOST)
        self.total += amount
        health = self.health + 100.0 * amount
        self.health = FULL_HEALTH if health > FULL_HEALTH else health if health > _NOTHING else 0.0
        return self.health > 0.0

    def condition(self) -> dict[str, Any]:
        """What is true of it now."""
        return {
            "health": self.health,
            "return": self.total,
            "heading": self.heading,
            "grounded": self.grounded,
            "can_move": not (self.held or self.done),
            "team": self.asked["team"],
            "skin": self.skin,
        }
