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

# How deep a growing ball may press into something that does not give way (docs/original/things.md#changing-goals).
_SQUEEZE = 0.05
# How a goal without value looks, and the rings that show how much is left (docs/original/things.md#changing-goals).
_GREY = 0.392
_DECAYS, _RIPENS = (1.0, 0.214, 0.051), (0.0, 0.522, 1.0)
# A ball grows no more than this in one physics step, so that it can stop in time.
_FASTEST_GROWTH = 0.05


class ChangingGoal(Goal, family=True):
    """The family of goals with a value that goes from the first to the last, a little each physics step."""

    size: ClassVar[SizeRange | None] = None
    pays = True
    ticks = True
    fades = True
    glow = GOLDEN
    rises: ClassVar[bool] = False

    def __init__(self, asked: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(asked, rules)
        first, last = self.asked["initial_value"], self.asked["final_value"]
        rising = self.rises_here()
        if (last < first) if rising else (last > first):
            last = first  # a range the wrong way round does not change at all (docs/original/things.md#changing-goals)
        self.first: float = first
        self.last: float = last
        self.now: float = first
        self._rate = abs(self.asked["change_rate"]) * (1.0 if rising else -1.0)
        self._waits = round(self.asked["delay"])

    def rises_here(self) -> bool:
        """Whether its value goes up under the rules it lives by."""
        return self.rises

    def draw_size(self, generator: np.random.Generator, room: Vector) -> None:
        """Its size follows its value."""
        self.set_diameter(self.first)

    def register(self, stage: "Stage") -> None:
        """Count among the goals there are to collect, where the rules say so."""
        if self.rules.changing_goals_count:
            self.quota = None
            stage.goals_so_far += 1

    def awaited(self) -> bool:
        """Unless it is worth nothing and will stay so."""
        return max(self.now, self.last) > 0.0

    @property
    def value(self) -> float:
        """What touching it brings now."""
        return self.now

    def tick(self, stage: "Stage") -> None:
        """Change a little."""
        if self._waits:
            self._waits -= 1
        elif self.now != self.last:
            after = self.now + self._rate
            after = min(after, self.last) if self._rate > 0 else max(after, self.last)
            self.change(stage, after)
        else:
            stage.rest(self)

    def change(self, stage: "Stage", after: float) -> None:
        """Take on another value."""
        self.now = after


class ValueGoal(ChangingGoal, family=True):
    """The family of goals whose value, not their size, changes with time."""

    parameters = {}
    colour = ColourRule.FIXED
    reward = "+its value at that moment, counts as a goal to collect"
    tag = "goodGoalMulti"

    def shown(self) -> float:
        """How much of its largest value it has."""
        low, high = sorted((self.first, self.last))
        return (self.now - low) / (high - low) if high > low else 1.0

    def looks(self, look: Look) -> tuple[Part, ...]:
        """A ball between grey and its full colour, with a ring on all sides that fills with its value."""
        share, radius = self.shown(), self.extent[0] / 2
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

    def draw_size(self, generator: np.random.Generator, room: Vector) -> None:
        """Its largest value, a little shrunk."""
        self.set_diameter(self.first * SHRINK)


class EndingOnTouch(Goal, family=True):
    """What the ...EpEnding goals have in common."""

    ends = True
    glow = GREEN
    reward = "+its value at that moment, ends the episode"

    def ends_at_once(self) -> bool:
        """Unless the game's slip makes it like the plain one."""
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

    def __init__(self, asked: Mapping[str, Any], rules: Rules) -> None:
        if not rules.ripen_goals_ripen:  # then the game takes a decay goal's defaults, too
            asked = {"initial_value": 2.5, "final_value": 0.5} | {
                name: value for name, value in asked.items() if value is not None
            }
        super().__init__(asked, rules)

    def rises_here(self) -> bool:
        """Not in builds since 4.0.0."""
        return self.rules.ripen_goals_ripen

    def draw_size(self, generator: np.random.Generator, room: Vector) -> None:
        """Its largest value, a little shrunk."""
        self.set_diameter(max(self.first, self.last) * SHRINK)


class RipenGoalEpEnding(EndingOnTouch, RipenGoal):
    """A RipenGoal that ends the episode when touched."""


class SizeGoal(ChangingGoal, family=True):
    """The family of goals whose size, and with it the reward, changes with time."""

    parameters = {}
    turns = True
    reward = "+its size at that moment, counts as a goal to collect"

    def __init__(self, asked: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(asked, rules)
        self._built = self.first

    def change(self, stage: "Stage", after: float) -> None:
        """Grow if there is room, or shrink."""
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
        """Something over it, or something that does not give way beside it."""
        x, y, z = stage.position_of(self)
        inner = after / 2 - _SQUEEZE
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
