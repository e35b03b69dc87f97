"""Goals: balls that pay, cost, deceive or change with time when touched."""

from collections.abc import Mapping
from math import cos, radians, sin
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.things.kinds import Category, ColourRule, Notices, SizeRange, Solid, Stands, Takes
from puzzlebox.arena.things.thing import SHRINK, Thing
from puzzlebox.scene.colours import Linear
from puzzlebox.scene.parts import Part, painted
from puzzlebox.scene.scene import Kind
from puzzlebox.scene.shapes import Ball, Shape, Vector
from puzzlebox.scene.themes import Look

if TYPE_CHECKING:
    from puzzlebox.arena.things.animal import Agent
    from puzzlebox.arena.things.stage import Stage

# Speed of a ...Bounce goal at the start, and the smallest ball the engine gets.
LAUNCH_SPEED = 10.0
SMALLEST_BALL = 0.1
# The body of a ball is rebuilt when its diameter has changed by this much, in metres.
RESHAPE = 0.02
# Colours of goals, which glow (docs/original/things.md#goals, docs/original/looks.md#screenshots).
GREEN, GOLDEN = (0.506, 0.749, 0.255), (0.910, 0.726, 0.137)
_RED, _ORANGE, _PALE = (0.909, 0.155, 0.170), (1.0, 0.177, 0.0), (0.651, 0.708, 0.783)


class Goal(Thing, family=True):
    """The family of balls whose reward is their diameter; only the first number of `size` counts.

    Attributes:
        sign: the factor that turns the diameter into the reward.
        multi: whether a decoy ends the episode only after a goal was collected (only if `Rules.decoys_end`).
        launched: it starts at 10 m/s along its rotation.
        glow: the colour of its glow.
    """

    category = Category.GOAL
    parameters: ClassVar[Mapping[str, Takes]] = {
        "size": Takes(None, "its diameter in metres (the first number counts); default: random in its range")
    }
    size: ClassVar[SizeRange | None] = SizeRange.cube(0.5, 5.0)
    turns = False
    colour = ColourRule.GIVEN_OR_OWN
    solid = Solid.BALL
    mass = 1.0
    stands = Stands.FREE
    notices = Notices.TOUCH
    sign: ClassVar[float] = 1.0
    multi: ClassVar[bool] = False
    launched: ClassVar[bool] = False
    glow: ClassVar[Linear] = GREEN

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(settings, rules)
        # Whether it has rested for the physics step before its launch.
        self._rested = False
        # How many goals must have been collected for this one to complete the arena ("so_far" rules); None: as many as
        # were registered.
        self.quota: int | None = 1

    @property
    def value(self) -> float:
        """The reward for touching it now."""
        return self.sign * self.extent[0]

    def set_diameter(self, diameter: float) -> None:
        """Set the diameter of the ball, in metres."""
        self.extent = (diameter, diameter, diameter)

    def draw_size(self, rng: np.random.Generator, room: Vector) -> None:
        """Set the diameter to the first number of `size`, or draw it if any of the three is random."""
        size: tuple[Any, ...] = self.settings["size"] or (None,)
        assert self.size is not None
        low, high = self.size.smallest[0], self.size.largest[0]
        if None in size:
            self.set_diameter(rng.uniform(low, high))
        else:
            self.set_diameter(min(max(size[0], low), high) * SHRINK)

    def shapes(self) -> tuple[Shape, ...]:
        """Return one ball."""
        return (Ball(max(self.extent[0], SMALLEST_BALL) / 2),)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return one glowing ball."""
        radius = self.extent[0] / 2
        return (Part(Kind.BALL, (radius, radius, radius), painted(self.paint, self.glow), glows=True),)

    def look_state(self) -> float:
        """Return its diameter."""
        return self.extent[0]

    def register(self, stage: "Stage") -> None:
        """Count it among the goals to collect ("so_far" rules; docs/original/rewards.md#several-goals)."""

    def begin(self, stage: "Stage") -> None:
        """Wake it if it is one that is launched."""
        if self.launched:
            stage.wake(self)

    def tick(self, stage: "Stage") -> None:
        """Launch it in the second physics step: the original launches a goal in the frame after it appeared."""
        if self._rested:
            angle = radians(self.yaw)
            stage.body(self).set_linear_velocity((LAUNCH_SPEED * sin(angle), 0.0, LAUNCH_SPEED * cos(angle)))
            stage.rest(self)
        self._rested = True

    def touched(self, stage: "Stage", animal: "Agent") -> None:
        """Pay the animal and disappear."""
        value = self.value
        stage.note("collected", self, animal, value=value)
        stage.vanish(self)
        if value > 0.0:
            animal.collected += 1
        stage.pay(animal, value, completes=self.completes(stage, animal))

    def completes(self, stage: "Stage", animal: "Agent") -> bool:
        """Return whether touching it completes the arena; called once it has been taken out."""
        if self.ends_at_once():
            return True
        if self.rules.goals_to_collect == "so_far":
            return animal.collected >= (stage.goals_so_far if self.quota is None else self.quota)
        return self.pays and not any(thing.has_more_to_collect() for thing in stage.things)

    def ends_at_once(self) -> bool:
        """Return whether touching it ends the episode, whatever else there is."""
        return self.ends

    def has_more_to_collect(self) -> bool:
        """Return whether this goal must be collected to complete the arena."""
        return self.pays

    def condition(self) -> dict[str, Any]:
        """Return its current value."""
        return {"value": self.value}


class RegisteredGoal(Goal, family=True):
    """The family of positive goals that the original counts when they are placed or dispensed."""

    pays = True

    def register(self, stage: "Stage") -> None:
        """Count it among the goals to collect."""
        self.quota = None
        stage.goals_so_far += 1


class GoodGoal(RegisteredGoal):
    """A green ball of food; touching it pays its size and ends the episode."""

    ends = True
    reward = "+size, ends the episode"
    tag = "goodGoal"


class GoodGoalBounce(GoodGoal):
    """A GoodGoal launched once, at 10 m/s, along its rotation."""

    aliases = ("GoodGoalMove",)
    turns = True
    launched = True


class GoodGoalMulti(RegisteredGoal):
    """A golden ball of food; the episode goes on until all of them are collected."""

    turns = True
    glow = GOLDEN
    reward = "+size, ends the episode when it is the last"
    tag = "goodGoalMulti"


class GoodGoalMultiBounce(GoodGoalMulti):
    """A GoodGoalMulti launched once, at 10 m/s, along its rotation."""

    aliases = ("GoodGoalMultiMove",)
    launched = True


class BadGoal(Goal):
    """A red ball to keep away from; touching it costs its size and ends the episode."""

    ends = True
    reward = "-size, ends the episode"
    sign = -1.0
    glow = _RED
    tag = "badGoal"


class BadGoalBounce(BadGoal):
    """A BadGoal launched once, at 10 m/s, along its rotation."""

    aliases = ("BadGoalMove",)
    turns = True
    launched = True


class BadGoalMulti(BadGoal):
    """An orange ball that costs its size and disappears; the episode goes on."""

    aliases = ("BadGoalMulti.experimental",)
    turns = True
    ends = False
    glow = _ORANGE
    reward = "-size"
    tag = "badGoalMulti"

    def register(self, stage: "Stage") -> None:
        """Count it among the bad goals, as the original does.

        There each of them ends the episode once as many good goals were collected.
        """
        self.quota = None
        stage.bad_goals_so_far += 1

    def completes(self, stage: "Stage", animal: "Agent") -> bool:
        """Return False, unless `Rules.goals_to_collect` is "so_far" and enough goals were collected."""
        quota = stage.bad_goals_so_far if self.quota is None else self.quota
        return self.rules.goals_to_collect == "so_far" and animal.collected >= quota


class DecoyGoal(Goal):
    """A grey ball that pays nothing and disappears."""

    reward = "0"
    sign = 0.0
    glow = _PALE
    tag = "DecoyGoal"

    def completes(self, stage: "Stage", animal: "Agent") -> bool:
        """Return False, unless `Rules.decoys_end`.

        Then a decoy always ends the episode, and a multi decoy only after a goal was collected.
        """
        return self.rules.decoys_end and (not self.multi or animal.collected > 0)


class DecoyGoalBounce(DecoyGoal):
    """A DecoyGoal launched once, at 10 m/s, along its rotation."""

    turns = True
    launched = True
    tag = "DecoyGoalBounce"


class DecoyGoalMulti(DecoyGoal):
    """A DecoyGoal that, if decoys end the episode, does so only after a goal was collected."""

    multi = True
