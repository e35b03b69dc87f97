"""Which goals of an arena an animal needs to pass, and how much time it has for them."""

from dataclasses import dataclass

from puzzlebox.arena.rules import PHYSICS_STEP, TIME_UNIT
from puzzlebox.arena.things import Thing
from puzzlebox.arena.things.buttons import SpawnerButton
from puzzlebox.arena.things.changing import ChangingGoal
from puzzlebox.arena.things.dispensers import Dispenser
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.things.zones import DataZone
from puzzlebox.arena.world import World
from puzzlebox.scene.shapes import Vector

# Seconds that an arena without a time limit gives for its goals.
NO_LIMIT = 120.0


@dataclass(frozen=True)
class Target:
    """Something to go to: a goal, or what brings one.

    Attributes:
        thing: the goal, dispenser or button.
        at: its middle.
        radius: half its size, in metres; of a dispenser the distance at which its goals lie.
        value: the most that it pays.
        ends: whether touching it ends the episode.
        brings: whether it is not a goal itself but brings one.
    """

    thing: Thing
    at: Vector
    radius: float
    value: float
    ends: bool = False
    brings: bool = False


@dataclass(frozen=True)
class Need:
    """What an animal has to collect.

    Attributes:
        choices: the targets of which it has to collect `count`.
        count: how many of them it needs.
        tempting: the targets that pay and end the episode below the pass mark.
        seconds: the time within which they have to be collected.
    """

    choices: list[Target]
    count: int
    tempting: list[Target]
    seconds: float


def targets_in(world: World) -> list[Target]:
    """Return all positive goals of an arena, and all things that bring some."""
    found = []
    for thing in world.present.values():
        at = world.engine.pose(thing.id)[0]
        if isinstance(thing, Goal):
            value = max(thing.first, thing.last) if isinstance(thing, ChangingGoal) else thing.value
            if value > 0:
                found.append(Target(thing, at, max(thing.extent[0], 0.1) / 2, value, thing.ends))
        elif isinstance(thing, Dispenser) and thing.has_more_to_collect():
            most = min(float(thing.remaining), 20.0)
            found.append(Target(thing, (at[0], 0.5, at[2]), 1.5, most, brings=True))
        elif isinstance(thing, SpawnerButton):
            found.append(Target(thing, (at[0], 0.5, at[2]), 0.4, 1.0, brings=True))
    return found


def triggers_in(world: World) -> list[Target]:
    """Return the buttons and mats of an arena that do something: open a gate, bring a ramp or food."""
    found = []
    for thing in world.present.values():
        if isinstance(thing, SpawnerButton | DataZone) and (
            thing.settings["operations"] or thing.settings.get("reward_names")
        ):
            x, _, z = world.engine.pose(thing.id)[0]
            # The animal presses a button beside it, and a mat within it.
            radius = 0.4 if isinstance(thing, SpawnerButton) else min(thing.extent[0], thing.extent[2]) / 2
            found.append(Target(thing, (x, 0.5, z), radius, 0.0))
    return found


def need_of(world: World) -> Need:
    """Return what is needed to pass: one goal that suffices, or else as many goals as reach the pass mark.

    The return is the sum of the goals minus the share of the time limit that has passed, so a goal that pays hardly
    more than the mark must be collected early.
    """
    mark = world.arena.pass_mark
    limit = world.arena.time_limit * TIME_UNIT * PHYSICS_STEP
    targets = targets_in(world)
    ending = [each for each in targets if each.ends and not each.brings]
    lasting = [each for each in targets if not each.ends and not each.brings]
    sources = [each for each in targets if each.brings]
    enough = [each for each in ending if each.value > mark]
    tempting = [each for each in ending if each.value <= mark]
    if enough:
        return Need(enough, 1, tempting, _seconds(limit, max(each.value for each in enough) - mark))
    # The goals that pay most come first; a goal that ends the episode can be the last of them.
    best = max((each.value for each in ending), default=0.0)
    collected, count = best, int(best > 0)
    for each in sorted(lasting, key=lambda each: -each.value):
        if collected > mark:
            break
        collected, count = collected + each.value, count + 1
    if collected > mark:
        choices = [*lasting, *(each for each in ending if each.value == best)] if best else lasting
        surplus = sum(each.value for each in lasting) + best - mark
        # Below a pass mark under 0 nothing is needed; the nearest goal is what an animal would go to.
        return Need(choices, max(count, 1), tempting if lasting else [], _seconds(limit, surplus))
    if sources:
        return Need(sources, 1, tempting, _seconds(limit, 1.0))
    return Need([*lasting, *ending], max(1, len(lasting) + int(best > 0)), tempting, _seconds(limit, 0.1))


def _seconds(limit: float, surplus: float) -> float:
    """Return the time in which the cost of time does not use up what the goals pay above the pass mark."""
    return (limit or NO_LIMIT) * (min(max(surplus, 0.05), 1.0) if limit else 1.0)
