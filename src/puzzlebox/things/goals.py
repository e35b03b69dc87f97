"""Goals: balls that pay, cost, deceive or change with time when touched."""

from collections.abc import Mapping
from typing import ClassVar

from puzzlebox.things.thing import Category, ColourRule, SizeRange, Solid, Takes, Thing


class Goal(Thing, family=True):
    """The family of balls whose reward is their diameter; only the first number of `size` counts."""

    category = Category.GOAL
    parameters: ClassVar[Mapping[str, Takes]] = {
        "size": Takes(None, "its diameter in metres (the first number counts); left out: random in its range")
    }
    size: ClassVar[SizeRange | None] = SizeRange.cube(0.5, 5.0)
    turns = False
    colour = ColourRule.GIVEN_OR_OWN
    solid = Solid.BALL


class GoodGoal(Goal):
    """A green ball of food; touching it pays its size and ends the episode."""

    pays = True
    ends = True
    reward = "+size, ends the episode"


class GoodGoalBounce(GoodGoal):
    """A GoodGoal launched once, at 10 m/s, along its rotation."""

    aliases = ("GoodGoalMove",)
    turns = True


class GoodGoalMulti(Goal):
    """A golden ball of food; the episode goes on until all of them are collected."""

    turns = True
    pays = True
    reward = "+size, ends the episode when it is the last"


class GoodGoalMultiBounce(GoodGoalMulti):
    """A GoodGoalMulti launched once, at 10 m/s, along its rotation."""

    aliases = ("GoodGoalMultiMove",)


class BadGoal(Goal):
    """A red ball to keep away from; touching it costs its size and ends the episode."""

    ends = True
    reward = "-size, ends the episode"


class BadGoalBounce(BadGoal):
    """A BadGoal launched once, at 10 m/s, along its rotation."""

    aliases = ("BadGoalMove",)
    turns = True


class BadGoalMulti(BadGoal):
    """A red ball that costs its size and disappears; the episode goes on."""

    aliases = ("BadGoalMulti.experimental",)
    turns = True
    ends = False
    reward = "-size"


class DecoyGoal(Goal):
    """A grey ball that pays nothing and disappears."""

    reward = "0"


class DecoyGoalBounce(DecoyGoal):
    """A DecoyGoal launched once, at 10 m/s, along its rotation."""

    turns = True


class DecoyGoalMulti(DecoyGoal):
    """A DecoyGoal under the name Animal-AI gives it among goals to collect."""


class ValueGoal(Goal, family=True):
    """The family of goals whose value, not their size, changes with time."""

    size = None
    parameters = {}
    colour = ColourRule.FIXED
    pays = True
    reward = "+its value at that moment, counts as a goal to collect"


class DecayGoal(ValueGoal):
    """A goal that loses value with time; its size is that of its first value."""

    parameters = {
        "delay": Takes(0.0, "physics steps (0.02 s) before it starts to lose value"),
        "initial_value": Takes(2.5, "the value it starts with", (0.0, 5.0)),
        "final_value": Takes(0.5, "the value it ends with", (0.0, 5.0)),
        "change_rate": Takes(-0.005),
    }


class DecayGoalEpEnding(DecayGoal):
    """A DecayGoal that ends the episode when touched."""

    ends = True
    reward = "+its value at that moment, ends the episode"


class RipenGoal(ValueGoal):
    """A goal that gains value with time; its size is that of its last value."""

    aliases = ("AntiDecayGoal",)
    parameters = {
        "delay": Takes(0.0, "physics steps (0.02 s) before it starts to gain value"),
        "initial_value": Takes(0.5, "the value it starts with", (0.0, 5.0)),
        "final_value": Takes(2.5, "the value it ends with", (0.0, 5.0)),
        "change_rate": Takes(0.005),
    }


class RipenGoalEpEnding(RipenGoal):
    """A RipenGoal that ends the episode when touched."""

    ends = True
    reward = "+its value at that moment, ends the episode"


class SizeGoal(Goal, family=True):
    """The family of goals whose size, and with it the reward, changes with time."""

    size = None
    parameters = {}
    turns = True
    pays = True
    reward = "+its size at that moment, counts as a goal to collect"


class GrowGoal(SizeGoal):
    """A goal that grows while there is room, and pays its size."""

    parameters = {
        "delay": Takes(0.0, "physics steps (0.02 s) before it starts to grow"),
        "initial_value": Takes(0.5, "the diameter it starts with", (0.0, 8.0)),
        "final_value": Takes(2.5, "the diameter it ends with", (0.0, 8.0)),
        "change_rate": Takes(0.005),
    }


class ShrinkGoal(SizeGoal):
    """A goal that shrinks, and pays its size."""

    parameters = {
        "delay": Takes(0.0, "physics steps (0.02 s) before it starts to shrink"),
        "initial_value": Takes(2.5, "the diameter it starts with", (0.0, 8.0)),
        "final_value": Takes(0.5, "the diameter it ends with", (0.0, 8.0)),
        "change_rate": Takes(-0.005),
    }
