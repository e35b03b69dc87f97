"""Evaluation tasks about means and ends: a barrier that encloses the goal, a lock, and the key that opens it."""

from itertools import combinations
from random import Random
from statistics import fmean
from typing import NamedTuple

from puzzlebox.intuitions.episodes.casting import ORIENTATIONS, Cast, key_and_lock
from puzzlebox.intuitions.episodes.layouts import Ground, NoLayout, draw_walls
from puzzlebox.intuitions.episodes.motion import Places, distance_to_path, walk
from puzzlebox.intuitions.episodes.staging import Mechanism, Unlocking, stage, waiting_frames
from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus, Trial
from puzzlebox.intuitions.grid import (
    AGENT_HALF,
    CELL,
    FAMILIARISATION,
    FEWEST_WALLS,
    INNER,
    Cell,
    centre,
    reachable,
    ring,
    steps_apart,
)

# Walls inside the border at most: the barrier needs room.
_MOST_WALLS = 10
# Pieces of cells that a barrier has at least; walls may close the rest of the ring.
FEWEST_PIECES = 4
# King's steps between any two of start, key, lock and goal at least.
_APART = 2
# The shortest and longest straightforward path to key or goal, and the least difference between the two, in pixels.
_SHORTEST, _LONGEST, _DIFFERENCE = 45.0, 140.0, 6.0
# Draws of the trials, and of the test, before walls and start are drawn anew.
_DRAWS, _TEST_DRAWS = 150, 600
# Draws of a familiarisation for a test of the blocking barrier, before walls and start are drawn anew.
_FAMILIARISATION_DRAWS = 12


class Scene(NamedTuple):
    """Where everything is in a trial."""

    goal: Cell
    key: Cell
    lock: Cell
    barrier: tuple[Cell, ...]


def barrier_around(middle: Cell, walls: frozenset[Cell], radius: int = 1) -> tuple[Cell, ...]:
    """Return the barrier that encloses a cell together with the walls and the border, in order around it."""
    return tuple(cell for cell in ring(middle, radius) if cell not in walls)


def _draw_scene(rng: Random, walls: frozenset[Cell], start: Cell, free: list[Cell]) -> Scene:
    """Draw a scene whose barrier encloses the goal."""
    goal, key = rng.sample(free, 2)
    barrier = barrier_around(goal, walls)
    locks = [cell for cell in ring(goal, 2) if cell not in walls and set(ring(cell)) & set(barrier)]
    if len(barrier) < FEWEST_PIECES or not locks:
        raise NoLayout
    lock = rng.choice(locks)
    places = (start, key, lock, goal)
    if set(places[:3]) & set(barrier) or any(
        steps_apart(one, two) < _APART for number, one in enumerate(places) for two in places[:number]
    ):
        raise NoLayout
    return Scene(goal, key, lock, barrier)


def fetch(walls: frozenset[Cell], start: Cell, scene: Scene) -> tuple[Places, Unlocking]:
    """Return the way to the key, with it to the lock, and on to the goal once the barrier has vanished.

    Raises:
        NoLayout: one of the ways is blocked, or the agent would touch something else on its way.
    """
    closed = Ground(walls.union(scene.barrier), start)
    near = reachable(start, closed.blocked)
    if scene.key not in near or scene.lock not in near or scene.goal in near:
        raise NoLayout
    if not closed.avoids(scene.key, scene.lock, 14.0):
        raise NoLayout
    places = closed.walk(scene.key)
    picked = len(places)
    if not picked:
        raise NoLayout
    places += walk(Ground(closed.blocked, scene.key, places[-1]).path(scene.lock), centre(scene.lock))
    unlocked = len(places)
    if unlocked == picked:
        raise NoLayout
    places += [places[-1]] * waiting_frames(scene.barrier)
    way = Ground(walls, scene.lock, places[-1]).path(scene.goal)
    if not way:
        raise NoLayout
    places += walk(way, centre(scene.goal))
    return places, Unlocking(picked, unlocked)


def fetching_trial(rng: Random, cast: Cast, walls: frozenset[Cell], start: Cell, scene: Scene) -> Trial:
    """Return the trial in which the agent unlocks the barrier of a scene and goes to its goal."""
    places, unlocking = fetch(walls, start, scene)
    return stage(
        walls, start, cast.agent, [(cast.wanted, scene.goal)], places, _mechanism(rng, scene, scene.barrier), unlocking
    )


def _mechanism(rng: Random, scene: Scene, barrier: tuple[Cell, ...]) -> Mechanism:
    key, lock = key_and_lock(rng.choice(ORIENTATIONS))
    return Mechanism((key, scene.key), (lock, scene.lock), barrier)


class _Episode(NamedTuple):
    walls: frozenset[Cell]
    start: Cell
    free: list[Cell]
    trials: tuple[Trial, ...]


def _draw_ground(rng: Random) -> tuple[Ground, list[Cell]]:
    """Draw walls and a start; return them with the cells without a wall."""
    walls = draw_walls(rng, FEWEST_WALLS, _MOST_WALLS)
    free = [cell for cell in INNER if cell not in walls]
    return Ground(walls, rng.choice(free)), free


def _familiarise(rng: Random, cast: Cast, ground: Ground, free: list[Cell]) -> _Episode:
    walls, start = ground.blocked, ground.start
    trials: list[Trial] = []
    for _ in range(_DRAWS):
        try:
            trials.append(fetching_trial(rng, cast, walls, start, _draw_scene(rng, walls, start, free)))
        except NoLayout:
            continue
        if len(trials) == FAMILIARISATION:
            return _Episode(walls, start, free, tuple(trials))
    raise NoLayout


def _fair(ground: Ground, scene: Scene, key_nearer: bool) -> bool:
    """Return whether key and goal can be reached without touching each other, and the right one is nearer."""
    key, goal = ground.lengths.get(scene.key), ground.lengths.get(scene.goal)
    if key is None or goal is None or not (_SHORTEST <= key <= _LONGEST and _SHORTEST <= goal <= _LONGEST):
        return False
    if abs(key - goal) < _DIFFERENCE or (key < goal) is not key_nearer:
        return False
    return (ground.straight(scene.key) < ground.straight(scene.goal)) is key_nearer and all(
        ground.avoids(way, other)
        for way in (scene.key, scene.goal)
        for other in (scene.key, scene.goal, scene.lock)
        if way != other
    )


def _elsewhere(rng: Random, episode: _Episode, scene: Scene) -> tuple[Cell, ...]:
    """Draw a barrier of as many cells beside the same lock that encloses an empty place and blocks no way."""
    ground = Ground(episode.walls, episode.start)
    middles = [cell for cell in ring(scene.lock, 2) if cell not in episode.walls]
    rng.shuffle(middles)
    for middle in middles:
        barrier = barrier_around(middle, episode.walls)
        taken = {episode.start, scene.goal, scene.key, scene.lock}
        beside = not set(ring(scene.lock)).isdisjoint(barrier)
        if not beside or len(barrier) != len(scene.barrier) or taken & {middle, *barrier}:
            continue
        around = Ground(episode.walls.union(barrier), episode.start)
        ways = (scene.key, scene.goal)
        if all(around.path(way) == ground.path(way) for way in ways):
            return barrier
    raise NoLayout


def _goal_is_familiar(episode: _Episode, scene: Scene) -> bool | None:
    """Return whether the goal, and not the key, is nearer to a place where the agent ended before; None for a tie."""
    ends = [trial.objects[0].centres[0].tolist() for trial in episode.trials]
    goal, key = (min((x - a) ** 2 + (y - b) ** 2 for a, b in ends) for x, y in (centre(scene.goal), centre(scene.key)))
    return None if goal == key else goal < key


def _draw_test(rng: Random, episode: _Episode, key_nearer: bool, goal_familiar: bool) -> tuple[Scene, tuple[Cell, ...]]:
    """Draw the scene of a test, and a barrier beside its lock that blocks no way."""
    ground = Ground(episode.walls, episode.start)
    for _ in range(_TEST_DRAWS):
        try:
            scene = _draw_scene(rng, episode.walls, episode.start, episode.free)
            if _goal_is_familiar(episode, scene) is goal_familiar and _fair(ground, scene, key_nearer):
                closed = Ground(episode.walls.union(scene.barrier), episode.start)
                # The way to the key is the same with either barrier.
                if closed.path(scene.key) == ground.path(scene.key):
                    return scene, _elsewhere(rng, episode, scene)
        except NoLayout:
            continue
    raise NoLayout


def _tests(
    rng: Random, cast: Cast, episode: _Episode, scene: Scene, elsewhere: tuple[Cell, ...], name: str, number: int
) -> Pair:
    """Return the pair of a task with this familiarisation, scene of the test and barrier around an empty place."""
    ground = Ground(episode.walls, episode.start)
    enclosing, beside, none = (_mechanism(rng, scene, barrier) for barrier in (scene.barrier, elsewhere, ()))
    beside, none = (each._replace(key=enclosing.key, lock=enclosing.lock) for each in (beside, none))
    to_goal, to_key = ground.walk(scene.goal), ground.walk(scene.key)
    shown = {
        "instrumental_no_barrier": ((none, to_goal), (none, to_key)),
        "instrumental_inconsequential_barrier": ((beside, to_goal), (beside, to_key)),
        "instrumental_blocking_barrier": ((enclosing, to_key), (beside, to_key)),
    }[name]
    tests = (
        stage(episode.walls, episode.start, cast.agent, [(cast.wanted, scene.goal)], way, mechanism)
        for mechanism, way in shown
    )
    expected, unexpected = (Stimulus((*episode.trials, test)) for test in tests)
    return Pair(name, number, expected, unexpected)


def _straight_or_key(rng: Random, cast: Cast, name: str, number: int, key_nearer: bool, goal_familiar: bool) -> Pair:
    """Draw a pair in which the agent goes straight to the object, or to a key that it does not need.

    Args:
        rng: the random stream.
        cast: the agent and its object.
        name: the name of the task.
        number: the number of the episode.
        key_nearer: in the test, the key is nearer to the start than the goal.
        goal_familiar: in the test, the goal is nearer to a familiar place of the object than the key.
    """
    episode = _familiarise(rng, cast, *_draw_ground(rng))
    scene, elsewhere = _draw_test(rng, episode, key_nearer, goal_familiar)
    return _tests(rng, cast, episode, scene, elsewhere, name, number)


def no_barrier(rng: Random, cast: Cast, number: int, key_nearer: bool, goal_familiar: bool) -> Pair:
    """Draw a pair of the task without a barrier in the test."""
    return _straight_or_key(rng, cast, "instrumental_no_barrier", number, key_nearer, goal_familiar)


def inconsequential_barrier(rng: Random, cast: Cast, number: int, key_nearer: bool, goal_familiar: bool) -> Pair:
    """Draw a pair with a barrier in the test that blocks no way."""
    return _straight_or_key(rng, cast, "instrumental_inconsequential_barrier", number, key_nearer, goal_familiar)


# --- the blocking barrier
#
# One test has its barrier around the goal, the other around an empty place. Goal and empty place could change places:
# whatever is asked of one is asked of the other. So, over many pairs, nothing tells the two barriers apart but which
# of them encloses the goal. A twin is a scene with the empty place in place of the goal.


def _enclosing_is_familiar(episode: _Episode, scene: Scene, beside: tuple[Cell, ...]) -> bool | None:
    """Return whether a familiar scene is more like the test with the barrier around the goal; None for a tie."""
    known = [
        (trial.barrier.cells(), trial.objects[0].centres[0].tolist() != [*centre(scene.goal)])
        for trial in episode.trials
    ]
    enclosing, other = (
        min(len(cells.symmetric_difference(barrier)) + 2 * moved for cells, moved in known)
        for barrier in (scene.barrier, beside)
    )
    return None if enclosing == other else enclosing < other


def _first_is_nearer(ground: Ground, one: tuple[Cell, ...], two: tuple[Cell, ...]) -> bool | None:
    """Return whether the first barrier is nearer to the start, by nearest piece and by mean; None if these differ."""
    first, second = ([ground.straight(cell) for cell in barrier] for barrier in (one, two))
    nearest, mean = (of(second) - of(first) for of in (min, fmean))
    return nearest > 0 if nearest * mean > 0 else None


def _touches(barrier: tuple[Cell, ...], cell: Cell) -> bool:
    """Return whether a barrier has a piece right beside a cell, as every barrier around the cell has."""
    return any(abs(cell[0] - piece[0]) + abs(cell[1] - piece[1]) == 1 for piece in barrier)


def _leaves_way(ground: Ground, barrier: tuple[Cell, ...], cell: Cell) -> bool:
    """Return whether a barrier leaves the way to a cell as it is without one."""
    path, least = ground.path(cell), CELL / 2 + AGENT_HALF
    if any(distance_to_path(centre(piece), path) < least for piece in barrier):
        return False
    return Ground(ground.blocked.union(barrier), ground.start).path(cell) == path


def _rooms(ground: Ground, free: list[Cell], enclosing_nearer: bool) -> list[tuple[Scene, Scene]]:
    """Return all scenes with their twins, for each place of the lock; there is no key yet."""
    start, walls = ground.start, ground.blocked
    middles = [cell for cell in free if _SHORTEST <= ground.lengths.get(cell, 0.0) <= _LONGEST]
    around = {middle: barrier_around(middle, walls) for middle in middles}
    found = []
    for one, two in combinations(middles, 2):
        if steps_apart(one, two) != 2:
            continue
        if len(around[one]) != len(around[two]) or len(around[one]) < FEWEST_PIECES:
            continue
        if start in around[one] or start in around[two]:
            continue
        if not (_touches(around[two], one) and _touches(around[one], two)):
            continue
        first = _first_is_nearer(ground, around[one], around[two])
        if first is None:
            continue
        near, far = (one, two) if first else (two, one)
        # The way to the farther one is the more likely one to be blocked.
        if not (_leaves_way(ground, around[near], far) and _leaves_way(ground, around[far], near)):
            continue
        barriers = (around[one], around[two])
        goal, empty = (near, far) if enclosing_nearer else (far, near)
        for lock in ring(goal, 2):
            beside = all(set(ring(lock)).intersection(barrier) for barrier in barriers)
            if lock in walls or lock not in ring(empty, 2) or steps_apart(lock, start) < _APART or not beside:
                continue
            if all(lock in reachable(start, walls.union(barrier)) for barrier in barriers):
                scene, twin = (Scene(middle, middle, lock, around[middle]) for middle in (goal, empty))
                found.append((scene, twin))
    return found


def _with_keys(
    ground: Ground, free: list[Cell], rooms: tuple[Scene, Scene], key_nearer: bool
) -> list[tuple[Scene, Scene]]:
    """Return a scene and its twin with each place of the key that fits both."""
    found = []
    middles, barriers = [each.goal for each in rooms], [each.barrier for each in rooms]
    for key in free:
        if any(steps_apart(key, place) < _APART for place in (ground.start, rooms[0].lock, *middles)):
            continue
        scene, twin = (each._replace(key=key) for each in rooms)
        if (
            all(_fair(ground, each, key_nearer) for each in (scene, twin))
            and all(key not in barrier for barrier in barriers)
            and all(_leaves_way(ground, barrier, key) for barrier in barriers)
        ):
            found.append((scene, twin))
    return found


def blocking_barrier(
    rng: Random,
    cast: Cast,
    number: int,
    key_nearer: bool,
    goal_familiar: bool,
    enclosing_familiar: bool,
    enclosing_nearer: bool,
) -> Pair:
    """Draw a pair in which the agent goes to the key, needed or not.

    Args:
        rng: the random stream.
        cast: the agent and its object.
        number: the number of the episode.
        key_nearer: in the test, the key is nearer to the start than the goal.
        goal_familiar: in the test, the goal is nearer to a familiar place of the object than the key.
        enclosing_familiar: the test whose barrier encloses the goal is more like a familiar scene than the other.
        enclosing_nearer: the barrier that encloses the goal is nearer to the start than the other.
    """
    ground, free = _draw_ground(rng)
    rooms = _rooms(ground, free, enclosing_nearer)
    options = [each for room in rooms for each in _with_keys(ground, free, room, key_nearer)]
    for _ in range(_FAMILIARISATION_DRAWS if options else 0):
        episode = _familiarise(rng, cast, ground, free)
        fitting = [
            (scene, twin.barrier)
            for scene, twin in options
            if all(_goal_is_familiar(episode, each) is goal_familiar for each in (scene, twin))
            and _enclosing_is_familiar(episode, scene, twin.barrier) is enclosing_familiar
        ]
        if fitting:
            return _tests(rng, cast, episode, *rng.choice(fitting), "instrumental_blocking_barrier", number)
    raise NoLayout
