"""Measure which slopes an animal can climb with which run-up, for docs/concepts/differences.md."""

from math import inf, radians, tan

from benchmarks.measure import Result
from puzzlebox.arena.schema import read
from puzzlebox.arena.world import Rules, World

_RUN_UPS = (0, 0.25, 0.5, 1, 2, 3, 5, 8, 10, 15, 20, 30, 40)
# Degrees and metres; a ramp is at least 0.5 m long.
_SLOPES = ((45, 5), (46, 5), (47, 5), (48, 5), (48, 1), (50, 1), (52, 1), (58, 1), (60, 1), (70, 1.4), (76, 2.01))


def climbs(degrees: float, height: float, run_up: float) -> bool:
    """Return whether an animal with a run-up (m) to the foot of a ramp reaches the platform behind it."""
    length = height / tan(radians(degrees))
    foot = 50 + length / 2
    items = (
        f"{{name: Agent, at: [50, 0, {foot + 0.5 + run_up:.4f}], rotation: 180}}",
        f"{{name: Ramp, at: [50, 0, 50], rotation: 0, size: [10, {height}, {length:.4f}]}}",
        f"{{name: Wall, at: [50, 0, {50 - length / 2 - 10.05:.4f}], rotation: 0, size: [10, {height}, 20]}}",
    )
    task = read("arenas: [{size: [100, 100], items: [" + ", ".join(items) + "]}]").task
    assert task is not None
    world = World(task, rules=Rules(decision_period=1))
    for step in range(430):
        world.step([0 if step < 30 else 3])
        _, y, z = world.position_of(world.animals[0])
        if y > height + 0.3 and z < 50 - length / 2 - 0.3:
            return True
    return False


def run() -> list[Result]:
    """Return the shortest sufficient run-up for each slope; infinite where 40 m are not enough."""
    results = []
    for degrees, height in _SLOPES:
        enough = next((run_up for run_up in _RUN_UPS if climbs(degrees, height, run_up)), inf)
        results.append(Result(f"run-up for {degrees} degrees, {height:g} m high", enough, "m"))
    return results
