"""Goals that change with time: in value (decay, ripen) or in size (grow, shrink)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.things.goals import GOLDEN, GREEN, RESHAPE, Goal
from puzzlebox.arena.things.kinds import ColourRule, SizeRange, Stands, Takes
from puzzlebox.arena.things.thing import SHRINK
from puzzlebox.scene.parts import Part
from puzzlebox.scene.scene import Kind, Pattern
from puzzlebox.scene.shapes import Vector
from puzzlebox.scene.themes import Look

if TYPE_CHECKING:
    from puzzlebox.arena.things.stage import Stage

# Metres a growing ball may overlap something immovable (docs/original/things.md#changing-goals).
_MOST_OVERLAP = 0.05
# Grey of a goal without value, and colours of the rings that show the value (docs/original/things.md#changing-goals).
_GREY = 0.392
_DECAYS, _RIPENS = (1.0, 0.214, 0.051), (0.0, 0.522, 1.0)
# Metres a ball grows at most in one physics step, so that it stops at an obstacle.
_FASTEST_GROWTH = 0.05


class ChangingGoal(Goal, family=True):
    """The family of goals whose value moves from a first to a last number, a little each physics step."""

    size: ClassVar[SizeRange | None] = None
    pays = True
    ticks = True
    fades = True
    glow = GOLDEN
    rises: ClassVar[bool] = False

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(settings, rules)
        first, last = self.settings["initial_value"], self.settings["final_value"]
        rising = self.is_rising()
        if (last < first) if rising else (last > first):
            last = first  # a range the wrong way round never changes (docs/original/things.md#changing-goals)
        self.first: float = first
        self.last: float = last
        self.now: float = first
        self._rate = abs(self.settings["change_rate"]) * (1.0 if rising else -1.0)
        self._waits = round(self.settings["delay"])

    def is_rising(self) -> bool:
        """Return whether its value rises under the rules of the episode."""
        return self.rises

    def draw_size(self, rng: np.random.Generator, room: Vector) -> None:
        """Set the size to the first value; nothing is drawn."""
        self.set_diameter(self.first)

    def register(self, stage: "Stage") -> None:
        """Count it among the goals to collect, if `Rules.changing_goals_count`."""
        if self.rules.changing_goals_count:
            self.quota = None
            stage.goals_so_far += 1

    def has_more_to_collect(self) -> bool:
        """Return whether it is worth something, now or later."""
        return max(self.now, self.last) > 0.0

    @property
    def value(self) -> float:
        """The reward for touching it now."""
        return self.now

    def tick(self, stage: "Stage") -> None:
        """Wait for the delay to pass, then change the value by one step."""
        if self._waits:
            self._waits -= 1
        elif self.now != self.last:
            after = self.now + self._rate
            after = min(after, self.last) if self._rate > 0 else max(after, self.last)
            self.change(stage, after)
        else:
            stage.rest(self)

    def change(self, stage: "Stage", after: float) -> None:
        """Change the value."""
        self.now = after


class ValueGoal(ChangingGoal, family=True):
    """The family of goals whose value, not their size, changes with time."""

    parameters = {}
    colour = ColourRule.FIXED
    reward = "+its value at that moment, counts as a goal to collect"
    tag = "goodGoalMulti"

    def look_state(self) -> float:
        """Return its value as a fraction of the way from the smallest to the largest, 0 to 1."""
        low, high = sorted((self.first, self.last))
        return (self.now - low) / (high - low) if high > low else 1.0

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return a ball between grey and its full colour, with a ring that fills with its value."""
        share, radius = self.look_state(), self.extent[0] / 2
        dull, (red, green, blue) = (1.0 - share) * _GREY, self.glow
        color = (dull + share * red, dull + share * green, dull + share * blue)
        ring = _RIPENS if self.rises else _DECAYS
        half = (radius, radius, radius)
        return (Part(Kind.BALL, half, color, pattern=Pattern.RING, other=ring, glows=True, mark=int(self.rises)),)


class DecayGoal(ValueGoal):
    """A goal that loses value with time; its size is that of its first value."""

    parameters = {
        "delay": Takes(0.0, "physics steps (0.02 s) before it starts to lose value"),
        "initial_value": Takes(2.5, "the value it starts with", (0.0, 5.0)),
        "final_value": Takes(0.5, "the value it ends with", (0.0, 5.0)),
        "change_rate": Takes(-0.005),
    }

    def draw_size(self, rng: np.random.Generator, room: Vector) -> None:
        """Set the size to the first value, a little shrunk; nothing is drawn."""
        self.set_diameter(self.first * SHRINK)


class EndingOnTouch(Goal, family=True):
    """The common part of the ...EpEnding goals."""

    ends = True
    glow = GREEN
    reward = "+its value at that moment, ends the episode"

    def ends_at_once(self) -> bool:
        """Return True, except under rules in which these goals act like the plain ones."""
        return self.rules.ep_ending_goals_end


class DecayGoalEpEnding(EndingOnTouch, DecayGoal):
    """A DecayGoal that ends the episode when touched."""


class RipenGoal(ValueGoal):
    """A goal that gains value with time; its size is that of its last value."""

    aliases = ("AntiDecayGoal",)
    parameters = {
        "delay": Takes(0.0, "physics steps (0.02 s) before it starts to gain value"),
        "initial_value": Takes(0.5, "the value it starts with", (0.0, 5.0)),
        "final_value": Takes(2.5, "the value it ends with", (0.0, 5.0)),
        "change_rate": Takes(0.005),
    }
    rises = True

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        if not rules.ripen_goals_ripen:  # then the original also uses a decay goal's defaults
            settings = {"initial_value": 2.5, "final_value": 0.5} | {
                name: value for name, value in settings.items() if value is not None
            }
        super().__init__(settings, rules)

    def is_rising(self) -> bool:
        """Return whether it gains value; in builds since 4.0.0 it loses value."""
        return self.rules.ripen_goals_ripen

    def draw_size(self, rng: np.random.Generator, room: Vector) -> None:
        """Set the size to the larger of its values, a little shrunk; nothing is drawn."""
        self.set_diameter(max(self.first, self.last) * SHRINK)


class RipenGoalEpEnding(EndingOnTouch, RipenGoal):
    """A RipenGoal that ends the episode when touched."""


class SizeGoal(ChangingGoal, family=True):
    """The family of goals whose size, and with it the reward, changes with time."""

    parameters = {}
    turns = True
    reward = "+its size at that moment, counts as a goal to collect"

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(settings, rules)
        self._built = self.first

    def change(self, stage: "Stage", after: float) -> None:
        """Shrink, or grow if there is room."""
        if after > self.now:
            after = min(after, self.now + _FASTEST_GROWTH)
            if self._cramped(stage, after):
                return
        self.now = after
        self.set_diameter(after)
        if abs(after - self._built) >= RESHAPE or after == self.last:
            self._built = after
            stage.reshape(self)

    def _cramped(self, stage: "Stage", after: float) -> bool:
        """Return whether something is above it, or something immovable beside it."""
        x, y, z = stage.position_of(self)
        inner = after / 2 - _MOST_OVERLAP
        sides = stage.near((x, y, z), inner) if inner > 0 else ()
        if any(thing is None or thing.stands is not Stands.FREE for thing in sides):
            return True
        half = (after - self.now) / 2
        return any(thing is not self for thing in stage.near((x, y + self.now / 2 + half, z), half))


class GrowGoal(SizeGoal):
    """A goal that grows while there is room, and pays its size."""

    parameters = {
        "delay": Takes(0.0, "physics steps (0.02 s) before it starts to grow"),
        "initial_value": Takes(0.5, "the diameter it starts with", (0.0, 8.0)),
        "final_value": Takes(2.5, "the diameter it ends with", (0.0, 8.0)),
        "change_rate": Takes(0.005),
    }
    rises = True
    tag = "GrowGoal"


class ShrinkGoal(SizeGoal):
    """A goal that shrinks, and pays its size."""

    parameters = {
        "delay": Takes(0.0, "physics steps (0.02 s) before it starts to shrink"),
        "initial_value": Takes(2.5, "the diameter it starts with", (0.0, 8.0)),
        "final_value": Takes(0.5, "the diameter it ends with", (0.0, 8.0)),
        "change_rate": Takes(-0.005),
    }
    tag = "ShrinkGoal"
