"""Evaluation tasks about efficient action: path control, time control, irrational agent."""

from random import Random
from typing import NamedTuple

from puzzlebox.intuitions.episodes.casting import Cast
from puzzlebox.intuitions.episodes.layouts import Ground, NoLayout, draw_walls, free_of
from puzzlebox.intuitions.episodes.motion import Places
from puzzlebox.intuitions.episodes.staging import stage
from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus, Trial
from puzzlebox.intuitions.grid import FAMILIARISATION, FEWEST_WALLS, INNER, MOST_WALLS, Cell, connected, inside

# A detour is at least this many times as long as the shortest path without the wall.
DETOUR = 1.3
# An efficient test leads past nothing: at most this many times the distance as the crow flies.
_NEARLY_STRAIGHT = 1.05
# The shortest path without the wall is at least, and the way around it at most, this long in pixels.
_SHORTEST, _LONGEST = 45.0, 170.0
# Different places of the object in the familiarisation, at least.
_FEWEST_GOALS = 3
# Places to try for the moved wall of the time control, where few scenes have two ways of almost equal duration.
_DRAWS = 40
_LONGEST_BLOCKER, _SHORTEST_BLOCKER = 5, 3


class Obstacle(NamedTuple):
    """A scene with a wall in the way, and the same scene without it.

    Attributes:
        blocked: with the wall between the start and the goals.
        open: with that wall gone or elsewhere.
        goals: cells to which the wall makes a detour necessary.
    """

    blocked: Ground
    open: Ground
    goals: list[Cell]

    def detour(self, goal: Cell) -> Places:
        """Return the way around the wall."""
        return self.blocked.walk(goal)


def _blocker(rng: Random, start: Cell) -> list[Cell]:
    """Draw a line of cells two or three steps from the start, across the way."""
    right, up = rng.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
    ahead, length = rng.choice((2, 2, 3)), rng.randint(_SHORTEST_BLOCKER, _LONGEST_BLOCKER)
    first = -rng.randint(1, length - 2)
    middle = (start[0] + right * ahead, start[1] + up * ahead)
    cells = [(middle[0] + up * (first + i), middle[1] + right * (first + i)) for i in range(length)]
    return [cell for cell in cells if inside(cell)]


def _obstacle(rng: Random, moved: bool, fewest_goals: int, draws: int = 1) -> Obstacle:
    """Draw a scene with a wall in the way; `draws`: places to try for a wall that is elsewhere in the test.

    Raises:
        NoLayout: the draws do not fit, or the wall is in the way to fewer goals than there must be.
    """
    start = rng.choice(INNER)
    blocker = _blocker(rng, start)
    if len(blocker) < _SHORTEST_BLOCKER:
        raise NoLayout
    most = MOST_WALLS - len(blocker)
    walls = draw_walls(rng, FEWEST_WALLS, most, keep_free={start, *blocker})
    with_blocker, without = walls.union(blocker), walls
    if moved:
        without = _elsewhere(rng, walls, blocker, start, draws)
    if without == with_blocker or not connected(with_blocker) or not connected(without):
        raise NoLayout
    blocked, unblocked = Ground(with_blocker, start), Ground(without, start)
    # Most draws fail here, before the paths without the wall are sought.
    if sum(_may_make_detour(blocked, cell) for cell in blocked.lengths) < fewest_goals:
        raise NoLayout
    goals = [cell for cell in unblocked.lengths if _makes_detour(blocked, unblocked, cell)]
    if len(goals) >= fewest_goals:
        goals = [cell for cell in goals if free_of(blocked.walk(cell), without)]
    if len(goals) < fewest_goals:
        raise NoLayout
    return Obstacle(blocked, unblocked, goals)


def _elsewhere(rng: Random, walls: frozenset[Cell], blocker: list[Cell], start: Cell, draws: int) -> frozenset[Cell]:
    """Return the walls with the one in the way moved to a free place."""
    for _ in range(draws):
        right, up = rng.randint(-7, 7), rng.randint(-7, 7)
        without = walls.union((column + right, row + up) for column, row in blocker)
        if len(without) == len(walls) + len(blocker) and start not in without and without.issubset(INNER):
            return without
    raise NoLayout


def _may_make_detour(blocked: Ground, cell: Cell) -> bool:
    """Return whether a way may be a detour: without the wall, it is not shorter than the crow flies."""
    return max(_SHORTEST, blocked.straight(cell)) * DETOUR - 1e-6 <= blocked.lengths[cell] <= _LONGEST


def _makes_detour(blocked: Ground, unblocked: Ground, cell: Cell) -> bool:
    way, shortest = blocked.lengths.get(cell), unblocked.lengths[cell]
    return (
        way is not None
        and way <= _LONGEST
        and shortest >= max(_SHORTEST, way / 4)
        and way >= DETOUR * shortest
        and shortest <= _NEARLY_STRAIGHT * unblocked.straight(cell)
    )


def _trial(ground: Ground, cast: Cast, goal: Cell, places: Places) -> Trial:
    return stage(ground.blocked, ground.start, cast.agent, [(cast.wanted, goal)], places)


def _draw_goals(rng: Random, goals: list[Cell], always: Cell | None = None) -> list[Cell]:
    """Draw the goals of eight trials, each of them at least once if there are so few; `always` is among them."""
    drawn = rng.sample(goals, min(len(goals), FAMILIARISATION))
    if always is not None and always not in drawn:
        drawn[0] = always
    drawn += rng.choices(goals, k=FAMILIARISATION - len(drawn))
    rng.shuffle(drawn)
    return drawn


def _around_the_wall(obstacle: Obstacle, cast: Cast, goals: list[Cell]) -> tuple[Trial, ...]:
    return tuple(_trial(obstacle.blocked, cast, goal, obstacle.detour(goal)) for goal in goals)


def path_control(rng: Random, cast: Cast, number: int, moved: bool) -> Pair:
    """Draw a pair of the path control; `moved`: in the test the wall is elsewhere and not gone."""
    obstacle = _obstacle(rng, moved, _FEWEST_GOALS)
    goals = _draw_goals(rng, obstacle.goals)
    trials = _around_the_wall(obstacle, cast, goals)
    goal = rng.choice(goals)
    ways = (obstacle.open.walk(goal), obstacle.detour(goal))
    tests = (_trial(obstacle.open, cast, goal, way) for way in ways)
    expected, unexpected = (Stimulus((*trials, test)) for test in tests)
    return Pair("efficiency_path", number, expected, unexpected)


def time_control(
    rng: Random, cast: Cast, number: int, moved: bool, expected_familiar: bool, expected_shorter: bool
) -> Pair:
    """Draw a pair of the time control.

    Args:
        rng: the random stream.
        cast: the agent and its object.
        number: the number of the episode.
        moved: in the test the wall is elsewhere and not gone.
        expected_familiar: the object of the expected test, and not that of the unexpected one, is at a familiar place.
        expected_shorter: the expected test is one frame shorter than the unexpected one, and not one frame longer.
    """
    # The goal of one of the tests is not among the familiar ones.
    obstacle = _obstacle(rng, moved, _FEWEST_GOALS + 1, _DRAWS)
    ground = obstacle.open
    straight = [
        (cell, ground.walk(cell))
        for cell, length in ground.lengths.items()
        if (cell in obstacle.goals or not expected_familiar)
        and length >= DETOUR * _SHORTEST
        and length <= _NEARLY_STRAIGHT * ground.straight(cell)
    ]
    near = [(cell, obstacle.detour(cell)) for cell in obstacle.goals]
    difference = -1 if expected_shorter else 1
    matches = [
        (one, two)
        for one in straight
        for two in near
        # Scenes with equal durations are rare; one that is shorter more often would give the expected test away.
        if len(one[1]) - len(two[1]) == difference and ground.lengths[two[0]] < ground.lengths[one[0]]
    ]
    if not matches:
        raise NoLayout
    match = rng.choice(matches)
    familiar, other = (goal for goal, _ in (match if expected_familiar else match[::-1]))
    goals = _draw_goals(rng, [goal for goal in obstacle.goals if goal != other], familiar)
    trials = _around_the_wall(obstacle, cast, goals)
    tests = (_trial(ground, cast, goal, way) for goal, way in match)
    expected, unexpected = (Stimulus((*trials, test)) for test in tests)
    return Pair("efficiency_time", number, expected, unexpected)


def irrational_agent(rng: Random, cast: Cast, number: int, moved: bool) -> Pair:
    """Draw a pair of the irrational agent: equal tests after different familiarisations.

    Args:
        rng: the random stream.
        cast: the agent and its object.
        number: the number of the episode.
        moved: the wall that is in the way of the rational agent is elsewhere, and not gone, for the irrational one.
    """
    # The goal of the test is not among the familiar ones.
    obstacle = _obstacle(rng, moved, _FEWEST_GOALS + 1)
    last = rng.choice(obstacle.goals)
    goals = _draw_goals(rng, [goal for goal in obstacle.goals if goal != last])
    around_nothing = tuple(_trial(obstacle.open, cast, goal, obstacle.detour(goal)) for goal in goals)
    test = _trial(obstacle.open, cast, last, obstacle.detour(last))
    rational = _around_the_wall(obstacle, cast, goals)
    return Pair("efficiency_irrational", number, Stimulus((*around_nothing, test)), Stimulus((*rational, test)))
