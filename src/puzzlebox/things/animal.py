"""The animal that acts: one per agent."""

from collections.abc import Mapping
from math import cos, radians, sin
from typing import Any

import numpy as np

from puzzlebox.scene.parts import Part
from puzzlebox.scene.shapes import Ball, Box, Shape
from puzzlebox.scene.themes import Look
from puzzlebox.things.kinds import Category, Solid, Stands, Takes
from puzzlebox.things.parameters import SKINS
from puzzlebox.things.rules import Rules, steps_in
from puzzlebox.things.skins import skin
from puzzlebox.things.thing import Thing

FULL_HEALTH = 100.0
# Degrees an animal turns in one physics step: 100 a second.
TURN = 2.0
# Health is a sum of thousands of small costs; less than this is rounding.
_NOTHING = 1e-9
# No single reward is larger: sums stay finite.
_MOST = 1e9
_NO_TORQUE = np.zeros(3, np.float32)


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
        self.health = FULL_HEALTH
        self.total = 0.0
        self.collected = 0
        self.grounded = False
        self.skin = SKINS[0]
        # Physics steps it still cannot move, and steps its health and reward still stand still (animal-ai.md 5.7).
        self.held = self.spared = steps_in(self.asked["frozen_delay"])
        # Finished with this arena; whether well; and whether this step brought or cost it more than time.
        self.done = self.succeeded = self.earned = False
        self.heading = 0.0
        # The push of each direction it has looked in; there are 180 of them at most.
        self._pushes: dict[float, tuple[Any, Any]] = {}
        self._forwards: Any = None
        self._backwards: Any = None
        self._quick_stop = np.float32(rules.quick_stop)

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
        """Only its middle asks for room; what reaches into its rim is pushed away (animal-ai.md 3.3)."""
        return Box((0.0, 0.0, 0.0))

    def face(self, degrees: float) -> None:
        """Look in a direction."""
        heading = self.heading = degrees % 360.0
        pushes = self._pushes.get(heading)
        if pushes is None:
            angle, push = radians(heading), self.rules.drive * self.weight()
            forwards = np.array((push * sin(angle), 0.0, push * cos(angle)), np.float32)
            pushes = self._pushes[heading] = (forwards, -forwards)
        self._forwards, self._backwards = pushes

    def act(self, body: Any, move: int, turn: int) -> None:
        """Do, for one physics step, what an action says (animal-ai.md 4.3)."""
        if turn:
            self.face(self.heading + (TURN if turn == 1 else -TURN))
        if not self.grounded:
            return
        if move == 1:
            body.add_force_torque(self._forwards, _NO_TORQUE)
        elif move == 2:
            body.add_force_torque(self._backwards, _NO_TORQUE)
        elif self._quick_stop < 1.0:
            body.set_linear_velocity(body.get_linear_velocity() * self._quick_stop)

    def spend(self, cost: float) -> bool:
        """Pay for a step (`cost` is zero or less); False when that was its last health."""
        self.total += cost
        self.health += 100.0 * cost
        if self.health > _NOTHING:
            return True
        self.health = 0.0
        return False

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
