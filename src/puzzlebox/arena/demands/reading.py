"""`demands`, which reads what a task demands off its arenas, without playing it.

An arena is built with a few seeds, because positions can be random, and left alone for some seconds, so that things
that fall or roll have come to rest; the animal does nothing in that time. The rest is geometry.
"""

from math import atan2, degrees, hypot, log2

import numpy as np

from puzzlebox.arena.demands.goals import Need, Target, need_of, targets_in, triggers_in
from puzzlebox.arena.demands.sight import met_first, visible_things
from puzzlebox.arena.demands.table import NAMES
from puzzlebox.arena.demands.terrain import Floats, Terrain, blocks_of, in_harm
from puzzlebox.arena.rules import PHYSICS_STEP, Rules
from puzzlebox.arena.schema import Task
from puzzlebox.arena.things import Thing
from puzzlebox.arena.things.changing import ChangingGoal
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.arena.world.lights import Lights

# Builds of an arena with random positions.
BUILDS = 5
# Seconds after which it is noted how far goals have moved, and the most that an arena is left alone until they rest.
_MOTION, _REST = 2.0, 8.0
# Metres per second at which a goal counts as resting.
_AT_REST = 0.05
# Metres per second of a fast animal over some ten metres, and the seconds it takes to turn and start.
_SPEED, _START = 10.0, 1.0
# The length of a path that does not exist, as a multiple of the straight distance.
_NO_PATH = 4.0
_GLASS = ("WallTransparent", "CylinderTunnelTransparent")


def demands(task: Task, start: int = 0, rules: str | Rules = "puzzlebox", builds: int = BUILDS) -> dict[str, float]:
    """Return the demands of an episode by the names of `DEMANDS`: means over a few seeds.

    Of arenas that merge into one episode, the largest demand counts.

    Args:
        task: the task.
        start: the index of the arena in which the episode starts.
        rules: the rules of the episode.
        builds: how many seeds are used if positions are random.
    """
    largest = dict.fromkeys(NAMES, 0.0)
    for position in range(start, task.last(start) + 1):
        single = task.model_copy(
            update={"arenas": (task.arenas[position].model_copy(update={"merge_next_arena": False}),)}
        )
        for name, value in _of_arena(single, rules, builds).items():
            largest[name] = max(largest[name], value)
    return largest


def _of_arena(task: Task, rules: str | Rules, builds: int) -> dict[str, float]:
    found: list[dict[str, float]] = []
    places = []
    for seed in range(builds):
        world = World(task, seed=seed, rules=rules)
        places.append(_places(world))
        if seed == 1 and places[0] == places[1]:
            break  # nothing is random
        found.append(_of_build(world))
    means = {name: float(np.mean([each[name] for each in found])) for name in NAMES if name != "spread"}
    return means | {"spread": _spread(places)}


def _places(world: World) -> list[tuple[float, ...]]:
    """Return where the animal and the goals are."""
    things: list[Thing] = [world.animals[0], *(target.thing for target in targets_in(world))]
    return [tuple(round(each, 3) for each in world.engine.pose(thing.id)[0]) for thing in things]


def _spread(places: list[list[tuple[float, ...]]]) -> float:
    """Return the standard deviation of positions over builds, the mean over animal and goals."""
    count = min(map(len, places))
    if not count:
        return 0.0
    positions = np.array([each[:count] for each in places])[:, :, [0, 2]]
    return float(np.sqrt(positions.var(axis=0).sum(axis=1)).mean())


def _of_build(world: World) -> dict[str, float]:
    values = dict.fromkeys(NAMES, 0.0)
    at_first = visible_things(world)
    need = need_of(world)
    values["wait"] = world.animals[0].held * PHYSICS_STEP
    lights = Lights(world.arena.blackouts)
    steps = np.linspace(0, need.seconds / PHYSICS_STEP, 200).astype(int)
    values["dark"] = float(np.mean([not lights.on(int(step)) for step in steps]))
    values["moving"] = log2(1 + _rest(world))
    need = need_of(world)
    values["seconds"] = need.seconds
    if not need.choices:
        return values | {"beyond_reach": 1.0, "hidden": 1.0, "obstructed": 1.0}
    seen = visible_things(world)
    _sight(world, need, at_first, seen, values)
    _way(world, need, values)
    harmful = sum(_is_harmful(thing) for thing in world.present.values())
    values["harmful"] = float(harmful)
    values["goals"] = log2(need.count)
    values["choice"] = len(need.tempting) / (len(need.tempting) + len(need.choices))
    values["changing"] = float(np.mean([isinstance(each.thing, ChangingGoal) for each in need.choices]))
    values["brought"] = float(all(each.brings for each in need.choices))
    return values


def _rest(world: World) -> float:
    """Leave an arena alone until its goals rest; return how far they moved in the first seconds, on average."""
    before = {each.thing.id: each.at for each in targets_in(world)}
    moved = 0.0
    decisions_in_second = 1 / PHYSICS_STEP / world.rules.decision_period
    for decision in range(round(_REST * decisions_in_second)):
        world.step([NOOP] * len(world.animals))
        if world.over:
            break
        if decision == round(_MOTION * decisions_in_second):
            apart = [_apart(before[each.thing.id], each.at) for each in targets_in(world) if each.thing.id in before]
            moved = float(np.mean(apart)) if apart else 0.0
            speeds = [max(map(abs, world.engine.velocity(each.thing.id))) for each in targets_in(world)]
            if max(speeds, default=0.0) < _AT_REST:
                break
    return moved


def _sight(world: World, need: Need, at_first: dict[int, int], seen: dict[int, int], values: dict[str, float]) -> None:
    """Set what depends on sight: the nearest goal, hidden and covered ones, and whether the straight way is free."""
    ids = [each.thing.id for each in need.choices]
    hidden = np.mean([not (at_first.get(each) or seen.get(each)) for each in ids])
    covered = np.mean([bool(at_first.get(each)) and not seen.get(each) for each in ids])
    values["hidden"], values["covered"] = log2(1 + hidden * need.count), log2(1 + covered * need.count)
    animal = world.animals[0]
    x, _, z = world.engine.pose(animal.id)[0]
    straight = [hypot(each.at[0] - x, each.at[2] - z) for each in need.choices]
    first = int(np.argmin(straight))
    target = need.choices[first]
    values["distance"], values["size"] = straight[first], 2 * target.radius
    values["smallness"] = log2(max(straight[first] / (2 * target.radius), 0.5)) + 1
    bearing = degrees(atan2(target.at[0] - x, target.at[2] - z)) - animal.heading
    values["turn"] = abs((bearing + 180) % 360 - 180)
    met = [met_first(world, each) for each in need.choices]
    values["obstructed"] = float(sum(free for free, _ in met) < need.count)
    visible = [bool(seen.get(each)) for each in ids]
    values["glass"] = float(
        any(
            sees and not free and type(thing).__name__ in _GLASS
            for sees, (free, thing) in zip(visible, met, strict=True)
        )
    )
    count = max(int(straight[first] / 0.2), 2)
    line_x, line_z = np.linspace(x, target.at[0], count), np.linspace(z, target.at[2], count)
    floor = np.zeros(count)
    values["harm"] = float(in_harm(world, line_x, line_z, floor).any())
    hot = np.zeros(count, bool)
    for thing in world.present.values():
        if type(thing).__name__ == "HotZone":
            for block in blocks_of(world, thing):
                hot |= block.away(line_x, line_z) == 0
    values["hot"] = log2(1 + float(hot.mean()) * straight[first])


def _way(world: World, need: Need, values: dict[str, float]) -> None:
    """Set what depends on the path: its length, the detour, the climb, and whether something must be moved."""
    animal = world.animals[0]
    x, y, z = world.engine.pose(animal.id)[0]
    for pushed in (False, True):
        terrain = Terrain(world, pushed=pushed)
        lengths, heights, left = _paths(terrain, need.choices, (x, y - 0.5, z))
        if np.isfinite(lengths).sum() >= min(need.count, len(need.choices)):
            break
    reached = np.isfinite(lengths)
    values["push"], values["commitment"] = float(pushed), left
    direct = np.array([hypot(each.at[0] - x, each.at[2] - z) for each in need.choices])
    if reached.sum() < min(need.count, len(need.choices)):
        values["beyond_reach"], values["push"] = 1.0, float(_triggers_are_blocked(world, (x, y - 0.5, z)))
        lengths = np.where(reached, lengths, _NO_PATH * direct)
    nearest = int(lengths.argmin())
    values["climb"] = max(heights[nearest] - (y - 0.5), 0.0) if reached[nearest] else max(need_height(need), 0.0)
    straight = max(direct[nearest] - need.choices[nearest].radius - 0.5, 0.5)
    values["detour"] = max(log2(max(lengths[nearest], 0.5) / straight), 0.0)
    ordered = np.sort(lengths)[: need.count]
    # The first goal is as far as the path; the others lie about as far from each other as from the start.
    values["path"] = float(ordered[0] + ordered[1:].sum() * 0.8)
    values["haste"] = log2(max((_START + values["path"] / _SPEED) / need.seconds, 2.0**-6)) + 6


def _triggers_are_blocked(world: World, start: tuple[float, float, float]) -> bool:
    """Return whether no button or mat can be reached before something movable is pushed away, and one after that."""
    triggers = triggers_in(world)
    if not triggers:
        return False
    free, pushed = (_paths(Terrain(world, pushed=each), triggers, start)[0] for each in (False, True))
    return not np.isfinite(free).any() and bool(np.isfinite(pushed).any())


def need_height(need: Need) -> float:
    """Return the height of the lowest goal above the floor."""
    return min(each.at[1] - each.radius for each in need.choices)


def _paths(
    terrain: Terrain, targets: list[Target], start: tuple[float, float, float]
) -> tuple[Floats, list[float], float]:
    """Return the paths to all targets.

    Returns:
        The length of the shortest path to each target; the height at which it ends; and the share of the targets that
        can be reached from the start but no longer from the nearest target, because an animal cannot climb back.
    """
    lengths, heights = np.full(len(targets), np.inf), [0.0] * len(targets)
    place = terrain.nearest(*start)
    if place is None:
        return lengths, heights, 0.0
    distances = terrain.distances(place)
    near = [terrain.touching(target.at, target.radius) for target in targets]
    ends = [-1] * len(targets)
    for index, places in enumerate(near):
        if len(places):
            ends[index] = int(places[distances[places].argmin()])
            lengths[index], heights[index] = distances[ends[index]], float(terrain.height[ends[index]])
    reached = np.isfinite(lengths)
    if reached.sum() < 2:
        return lengths, heights, 0.0
    onwards = terrain.distances(ends[int(lengths.argmin())])
    lost = [not np.isfinite(onwards[places].min()) for places, once in zip(near, reached, strict=True) if once]
    return lengths, heights, float(np.mean(lost))


def _apart(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    return hypot(a[0] - b[0], a[2] - b[2])


def _is_harmful(thing: Thing) -> bool:
    return type(thing).__name__ == "DeathZone" or (isinstance(thing, Goal) and thing.ends and thing.value < 0)
