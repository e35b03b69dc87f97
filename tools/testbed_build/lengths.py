"""`pairs`: how long the recorded solutions of tests and of their matched controls are."""

from collections.abc import Iterable
from itertools import pairwise
from math import dist
from statistics import median

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.testbed.lengths import pair_steps
from puzzlebox.arena.testbed.level import VARIANTS, Level
from puzzlebox.arena.testbed.manifest import read_solutions
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.world import World
from puzzlebox.batteries.testbed import BATTERY


def lengths(levels: Iterable[int], metres: bool = False, matched: bool = True) -> str:
    """Return the physics steps of tests over those of their controls, level by level and pair by pair.

    Args:
        levels: the numbers of the levels.
        matched: whether to take only the tests that are matched with their controls, not all that have one.
        metres: whether to replay the solutions, and add how far the animal goes in tests and in controls.
    """
    lines = []
    for number in levels:
        level = read_level(number)
        pairs = pair_steps(level, matched=matched)
        ratios = [one / other for steps in pairs.values() for one, other in steps]
        lines.append(
            f"level {number:2}: {len(ratios)} pairs, ratio {median(ratios):.2f} in the median, "
            f"{min(ratios):.2f} to {max(ratios):.2f}"
        )
        if metres:
            lines.append(f"   ratio of metres {median(_ratios_of_metres(level, pairs)):.2f} in the median")
        for (test, control), steps in pairs.items():
            lines.append(f"   {test:2} and {control:2}: {', '.join(f'{one}/{other}' for one, other in steps)}")
    return "\n".join(lines)


def _ratios_of_metres(level: Level, pairs: Iterable[tuple[int, int]]) -> list[float]:
    solutions = read_solutions(level.folder)

    def metres(row: int, variant: int) -> float:
        name = f"{BATTERY}/{level.number:02d}-{row:02d}-{variant}"
        return _metres(name, solutions[name][0].actions, solutions[name][0].seed)

    return [
        metres(test, variant) / metres(control, variant)
        for test, control in pairs
        for variant in range(1, VARIANTS + 1)
    ]


def _metres(name: str, actions: Iterable[int], seed: int) -> float:
    """Return how far the animal goes on the floor plan while it takes the actions."""
    world = World(load_task(name), seed=seed)
    places = [_place(world)]
    for action in actions:
        if world.over:
            break
        world.step((action,))
        places.append(_place(world))
    return sum(dist(one, other) for one, other in pairwise(places))


def _place(world: World) -> tuple[float, float]:
    x, _, z = world.engine.pose(world.animals[0].id)[0]
    return float(x), float(z)
