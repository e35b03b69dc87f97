"""The constraints of each task, checked on a pair alone: neither file names nor generator variables are used."""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from puzzlebox.intuitions.audit.measures import (
    blocked_cells,
    can_reach,
    cell_of,
    detour,
    inner_walls,
    unlocking,
)
from puzzlebox.intuitions.audit.members import (
    AGENT,
    BARRIER,
    PATH,
    PLACES,
    WALLS,
    enclosing_walls,
    familiar_agent,
    familiar_walls,
    familiarisations_differ_only_in,
    keys_fit,
    nearer_object_in_unexpected,
    objects_in_every_trial,
    one_agent,
    one_new_agent,
    one_set_of_objects,
    only_the_agent_moves,
    tests_differ_only_in,
    walls_of_the_detours,
)
from puzzlebox.intuitions.catalogue import GROUPS
from puzzlebox.intuitions.episodes.efficiency import DETOUR
from puzzlebox.intuitions.episodes.planner import planner_for
from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus, Track, Trial
from puzzlebox.intuitions.grid import (
    BORDER,
    FEWEST_WALLS,
    MOST_WALLS,
    SPEED,
    STILL_AFTER,
    STILL_BEFORE,
    reachable,
)

# A way is efficient up to this many times the shortest one: steps of whole pixels make it up to 3 % longer.
_EFFICIENT = 1.05
# Moving frames by which the tests of the time control may differ.
_SAME_TIME = 1


class Check(NamedTuple):
    """A constraint.

    Attributes:
        name: what the table calls it.
        tasks: the tasks that it holds for.
        holds: the function that tests a pair.
        published: why published files are known to break it; "" if none are.
    """

    name: str
    tasks: tuple[str, ...]
    holds: Callable[[Pair], bool]
    published: str = ""


def _trials(pair: Pair) -> list[Trial]:
    """Return all trials of both members."""
    return [trial for _, stimulus in pair.members() for trial in stimulus.trials]


def _tests(pair: Pair) -> tuple[Trial, Trial]:
    assert pair.unexpected is not None
    return pair.expected.test, pair.unexpected.test


def _wanted(stimulus: Stimulus) -> tuple[str, tuple[int, int, int]] | None:
    """Return the identity of the object that the agent always went to before the test; None if it changed."""
    reached = [trial.reached() for trial in stimulus.familiarisation]
    found = {each.identity for each in reached if each is not None}
    return found.pop() if len(found) == 1 and all(reached) else None


def _goal(trial: Trial) -> Track:
    return trial.objects[0]


# --- all tasks


def _still_frames(pair: Pair) -> bool:
    return all(
        trial.moving[0] == STILL_BEFORE and len(trial.steps) - trial.moving[1] == STILL_AFTER for trial in _trials(pair)
    )


def _speed(pair: Pair) -> bool:
    return all(int(np.abs(trial.steps).max(initial=0)) <= SPEED for trial in _trials(pair))


def _border(pair: Pair) -> bool:
    return all(trial.walls.cells() >= set(BORDER) for trial in _trials(pair))


def _wall_count(pair: Pair) -> bool:
    return all(
        FEWEST_WALLS <= len(inner_walls(trial)) <= MOST_WALLS
        for _, stimulus in pair.members()
        for trial in stimulus.familiarisation
    )


def _keeps_clear(pair: Pair) -> bool:
    """Return whether no agent is ever in a wall or in a barrier that is still there."""
    for trial in _trials(pair):
        moved = np.append(True, trial.steps.any(axis=1))
        start = 0
        for stop in sorted({*trial.barrier.until.tolist(), trial.frames}):
            # A piece that vanishes cannot put an agent that stands still into a wall.
            places = trial.agent.centres[start:stop][moved[start:stop]]
            if len(places) and not planner_for(blocked_cells(trial, start)).free(places).all():
                return False
            start = stop
    return True


def _arrives(pair: Pair) -> bool:
    return all(trial.reached() is not None for trial in _trials(pair))


def _one_start(pair: Pair) -> bool:
    starts = {tuple(trial.agent.corners[0].tolist()) for trial in _trials(pair)}
    homes = {tuple(trial.home.corners[0].tolist()) for trial in _trials(pair) if trial.home is not None}
    return len(starts) == 1 and homes <= starts


def _one_layout(pair: Pair) -> bool:
    return all(len({inner_walls(trial) for trial in stimulus.familiarisation}) == 1 for _, stimulus in pair.members())


def _shared_familiarisation(pair: Pair) -> bool:
    assert pair.unexpected is not None
    both = zip(pair.expected.familiarisation, pair.unexpected.familiarisation, strict=True)
    return all(one.same(two) for one, two in both)


def _one_agent_before(pair: Pair) -> bool:
    return all(len({trial.agent.identity for trial in s.familiarisation}) == 1 for _, s in pair.members())


# --- two objects


def _consistent(pair: Pair) -> bool:
    return all(_wanted(stimulus) is not None for _, stimulus in pair.members())


def _same_places(pair: Pair) -> bool:
    one, two = ({(each.identity, *each.corners[0].tolist()) for each in test.objects} for test in _tests(pair))
    return one == two


def _goes_to(trial: Trial, wanted: bool, stimulus: Stimulus) -> bool:
    reached = trial.reached()
    return reached is not None and reached in trial.objects and (reached.identity == _wanted(stimulus)) is wanted


def _preference_goals(pair: Pair) -> bool:
    expected, unexpected = _tests(pair)
    return _goes_to(expected, True, pair.expected) and _goes_to(unexpected, False, pair.expected)


def _exchanged(pair: Pair) -> bool:
    """Return whether the test has the places of a familiar trial with the objects exchanged, and repeats its path."""
    _, unexpected = _tests(pair)
    places = {each.identity: tuple(each.corners[0].tolist()) for each in unexpected.objects}
    if len(places) != 2:
        return False
    one, two = places
    for trial in pair.expected.familiarisation:
        before = {each.identity: tuple(each.corners[0].tolist()) for each in trial.objects}
        if before == {one: places[two], two: places[one]} and np.array_equal(trial.path, unexpected.path):
            return True
    return False


def _new_path(pair: Pair) -> bool:
    return not any(np.array_equal(trial.path, pair.expected.test.path) for trial in pair.expected.familiarisation)


def _multi_agent_tests(pair: Pair) -> bool:
    expected, unexpected = _tests(pair)
    familiar = pair.expected.familiarisation[0].agent.identity
    if not np.array_equal(expected.path, unexpected.path):
        return False
    same_goal = expected.agent.identity == familiar
    new_agent = unexpected if same_goal else expected
    return new_agent.agent.identity != familiar and all(
        _goes_to(test, same_goal, pair.expected) for test in (expected, unexpected)
    )


def _inaccessible_tests(pair: Pair) -> bool:
    expected, unexpected = _tests(pair)
    wanted = _wanted(pair.expected)
    reach = [
        [can_reach(test, each) for each in test.objects if each.identity == wanted] for test in (expected, unexpected)
    ]
    return (
        reach == [[False], [True]]
        and _goes_to(expected, False, pair.expected)
        and _goes_to(unexpected, False, pair.expected)
        and np.array_equal(expected.path, unexpected.path)
    )


# --- efficiency


def _efficient(trial: Trial) -> bool:
    return detour(trial, _goal(trial)) <= _EFFICIENT


def _wasteful(trial: Trial) -> bool:
    return DETOUR <= detour(trial, _goal(trial)) < float("inf")


def _around_a_wall(stimulus: Stimulus) -> bool:
    return all(_efficient(trial) for trial in stimulus.familiarisation)


def _efficiency_tests(pair: Pair) -> bool:
    expected, unexpected = _tests(pair)
    return _around_a_wall(pair.expected) and _efficient(expected) and _wasteful(unexpected)


def _repeats(pair: Pair) -> bool:
    _, unexpected = _tests(pair)
    return any(
        np.array_equal(trial.path, unexpected.path)
        and np.array_equal(_goal(trial).corners[0], _goal(unexpected).corners[0])
        for trial in pair.expected.familiarisation
    )


def _wall_changed(pair: Pair) -> bool:
    before = inner_walls(pair.expected.familiarisation[0])
    one, two = (inner_walls(test) for test in _tests(pair))
    return one == two != before


def _same_time(pair: Pair) -> bool:
    expected, unexpected = _tests(pair)
    return abs(expected.motion_frames - unexpected.motion_frames) <= _SAME_TIME


def _same_tests(pair: Pair) -> bool:
    expected, unexpected = _tests(pair)
    return expected.same(unexpected) and _wasteful(expected)


def _irrational_familiarisation(pair: Pair) -> bool:
    assert pair.unexpected is not None
    both = zip(pair.expected.familiarisation, pair.unexpected.familiarisation, strict=True)
    return all(np.array_equal(one.path, two.path) and _wasteful(one) and _efficient(two) for one, two in both)


# --- instrumental


def _unlocks(trial: Trial) -> bool:
    """Return whether key, lock, barrier and goal come in this order, and the key fits the lock."""
    used = unlocking(trial)
    if used is None or trial.key is None or trial.lock is None or not len(trial.barrier.until):
        return False
    fits = trial.key.shape.removeprefix("triangle") == trial.lock.shape.removeprefix("triangle_slot")
    at_lock = trial.agent.centres[used.opened - 1] - trial.lock.centres[0]
    gone = trial.barrier.until
    return (
        fits
        and trial.key.until == used.opened > used.carried
        and float(np.hypot(*at_lock)) <= trial.lock.half + trial.agent.half
        and bool((gone >= used.opened).all() and (gone < trial.frames).all())
        and trial.reached() is _goal(trial)
        and not can_reach(trial, _goal(trial))
    )


def _unlocking_before(pair: Pair) -> bool:
    return all(_unlocks(trial) for _, stimulus in pair.members() for trial in stimulus.familiarisation)


def _encloses_goal(pair: Pair) -> bool:
    """Return whether in each familiar trial the barrier encloses the object, and not the agent."""
    for trial in pair.expected.familiarisation:
        blocked = blocked_cells(trial)
        goal, start = cell_of(_goal(trial).centres[0]), cell_of(trial.agent.centres[0])
        if len(reachable(goal, blocked)) >= len(reachable(start, blocked)):
            return False
    return True


def _encloses_agent(pair: Pair) -> bool:
    for trial in pair.expected.trials:
        room = reachable(cell_of(trial.agent.centres[0]), blocked_cells(trial))
        if trial.key is None or trial.lock is None or cell_of(_goal(trial).centres[0]) in room:
            return False
        if not {cell_of(trial.key.centres[0]), cell_of(trial.lock.centres[0])} <= room or len(room) > 9:
            return False
    return True


def _goal_then_key(pair: Pair) -> bool:
    expected, unexpected = _tests(pair)
    return expected.reached() is _goal(expected) and unexpected.reached() is unexpected.key


def _both_efficient(pair: Pair) -> bool:
    ends = ((test, test.reached()) for test in _tests(pair))
    return all(end is not None and detour(test, end) <= _EFFICIENT for test, end in ends)


def _no_barrier(pair: Pair) -> bool:
    return all(not len(test.barrier.until) for test in _tests(pair))


def _idle_barrier(trial: Trial) -> bool:
    """Return whether there is a barrier, and the goal can be reached as if there were none."""
    if not len(trial.barrier.until) or not can_reach(trial, _goal(trial)):
        return False
    x, y = trial.agent.centres[0].tolist()
    goal_x, goal_y = _goal(trial).centres[0].tolist()
    lengths = [
        planner_for(blocked).field((int(x), int(y))).path((int(goal_x), int(goal_y)))[0]
        for blocked in (blocked_cells(trial), inner_walls(trial))
    ]
    return abs(lengths[0] - lengths[1]) < 1e-6


def _idle_barriers(pair: Pair) -> bool:
    return all(_idle_barrier(test) for test in _tests(pair)) and _same_places(pair)


def _blocking_tests(pair: Pair) -> bool:
    expected, unexpected = _tests(pair)
    return (
        not can_reach(expected, _goal(expected))
        and _idle_barrier(unexpected)
        and _same_places(pair)
        and expected.agent.same(unexpected.agent)
        and expected.reached() is expected.key
    )


# --- background


def _agent_changes_once(pair: Pair) -> bool:
    agents = [trial.agent.identity for trial in pair.expected.trials]
    changes = [one != two for one, two in pairwise(agents)]
    return sum(changes) == 1


def _always_efficient(pair: Pair) -> bool:
    return all(_efficient(trial) for trial in pair.expected.trials)


_ALL, _PAIRS = GROUPS["all"], GROUPS["evaluation"]
_CHOICES = ("preference", "multi_agent", "inaccessible_goal")
_EFFICIENCY = ("efficiency_path", "efficiency_time", "efficiency_irrational")
_INSTRUMENTAL = (
    "instrumental_no_barrier",
    "instrumental_inconsequential_barrier",
    "instrumental_blocking_barrier",
)
_BACKGROUND = GROUPS["background"]
_BACKGROUND_KEY = "background/instrumental_action"
_TWO_OBJECTS = (*_CHOICES, "background/preference")
_EARLY_INACCESSIBLE = "early published files of this task did not match the places of the objects"

CHECKS: tuple[Check, ...] = (
    Check(f"{STILL_BEFORE} still frames before and {STILL_AFTER} after the motion", _ALL, _still_frames),
    Check(f"at most {SPEED} pixels a frame along each axis", _ALL, _speed),
    Check("the border is complete", _ALL, _border),
    Check(f"{FEWEST_WALLS} to {MOST_WALLS} wall cells inside the border in the familiarisation", _ALL, _wall_count),
    Check("the agent is never in a wall or barrier", _ALL, _keeps_clear),
    Check("nothing moves but the agent and its key; only key, lock and barrier vanish", _ALL, only_the_agent_moves),
    Check("the agent ends at an object or the key", _ALL, _arrives),
    Check("one start in all trials, at the home", _ALL, _one_start),
    Check("the same walls in all trials of the familiarisation", _ALL, _one_layout),
    Check(
        "both members have the same familiarisation",
        tuple(task for task in _PAIRS if task != "efficiency_irrational"),
        _shared_familiarisation,
    ),
    Check("two objects in every trial", _TWO_OBJECTS, objects_in_every_trial(2)),
    Check(
        "one object in every trial",
        tuple(task for task in _ALL if task not in _TWO_OBJECTS),
        objects_in_every_trial(1),
    ),
    Check("the same objects in all trials, the test included", _ALL, one_set_of_objects),
    Check("one agent in the familiarisation", _PAIRS, _one_agent_before),
    Check("the test has the familiar agent", tuple(t for t in _PAIRS if t != "multi_agent"), familiar_agent),
    Check("one test has the familiar agent, the other a new one", ("multi_agent",), one_new_agent),
    Check("one agent in all trials", tuple(t for t in _BACKGROUND if t != "background/multi_agent"), one_agent),
    Check(
        "the test has the familiar walls",
        ("preference", "multi_agent", *_INSTRUMENTAL, *_BACKGROUND),
        familiar_walls,
    ),
    Check("u: the familiar walls; e: more of them, around one object", ("inaccessible_goal",), enclosing_walls),
    Check("the test has the familiar walls of e, not those of u", ("efficiency_irrational",), walls_of_the_detours),
    Check(
        "the tests differ in the path only",
        ("preference", "efficiency_path", *_INSTRUMENTAL[:2]),
        tests_differ_only_in(PATH),
    ),
    Check("the tests differ in the agent only", ("multi_agent",), tests_differ_only_in(AGENT)),
    Check(
        "the tests differ in the walls only",
        ("inaccessible_goal",),
        tests_differ_only_in(WALLS),
        _EARLY_INACCESSIBLE,
    ),
    Check(
        "the tests differ in the path and the place of the object only",
        ("efficiency_time",),
        tests_differ_only_in(PATH, PLACES),
    ),
    Check("the tests differ in the barrier only", _INSTRUMENTAL[2:], tests_differ_only_in(BARRIER)),
    Check(
        "the familiarisations differ in the walls only",
        ("efficiency_irrational",),
        familiarisations_differ_only_in(WALLS),
    ),
    Check("the agent always chooses the same object before the test", _CHOICES, _consistent),
    Check("both tests have the same objects at the same places", _CHOICES[:2], _same_places),
    Check(
        "both tests have the same objects at the same places",
        ("inaccessible_goal",),
        _same_places,
        _EARLY_INACCESSIBLE,
    ),
    Check("expected: to A; unexpected: to B", ("preference",), _preference_goals),
    Check("the test exchanges the objects of a familiar trial; unexpected: its path", ("preference",), _exchanged),
    Check("expected: a path that is not familiar", ("preference",), _new_path),
    Check("type i: both to A, u a new agent; type ii: both to B, e a new agent", ("multi_agent",), _multi_agent_tests),
    Check(
        "expected: A enclosed; unexpected: A in reach; both to B by one path",
        ("inaccessible_goal",),
        _inaccessible_tests,
    ),
    Check("efficient before the test; expected: efficient; unexpected: a detour", _EFFICIENCY[:2], _efficiency_tests),
    Check("the walls of the test differ from the familiar ones", _EFFICIENCY[:2], _wall_changed),
    Check("unexpected: a familiar path, repeated exactly", ("efficiency_path",), _repeats),
    Check(f"both tests last equally long (+- {_SAME_TIME} frame)", ("efficiency_time",), _same_time),
    Check("unexpected: the object is nearer than in e", ("efficiency_time",), nearer_object_in_unexpected),
    Check("both tests are equal, and a detour", ("efficiency_irrational",), _same_tests),
    Check(
        "the same paths before: around nothing (e), around a wall (u)",
        ("efficiency_irrational",),
        _irrational_familiarisation,
    ),
    Check("before the test: key, lock, barrier gone, goal", _INSTRUMENTAL, _unlocking_before),
    Check("before the test the barrier encloses the goal", _INSTRUMENTAL, _encloses_goal),
    Check("expected: to the goal; unexpected: to the key", _INSTRUMENTAL[:2], _goal_then_key),
    Check("both tests have a key, which fits the lock", _INSTRUMENTAL, keys_fit),
    Check("both tests are efficient", _INSTRUMENTAL, _both_efficient),
    Check("no barrier in the tests", _INSTRUMENTAL[:1], _no_barrier),
    Check("the barrier of the tests blocks no way; equal places", _INSTRUMENTAL[1:2], _idle_barriers),
    Check("one path to the key; the barrier encloses the goal only in e", _INSTRUMENTAL[2:], _blocking_tests),
    Check("always efficient", ("background/single_object",), _always_efficient),
    Check("the agent always chooses the same object", ("background/preference",), _consistent),
    Check("the agent changes once", ("background/multi_agent",), _agent_changes_once),
    Check("key, lock, barrier gone, goal", (_BACKGROUND_KEY,), _unlocking_before),
    Check("the barrier encloses agent, key and lock", (_BACKGROUND_KEY,), _encloses_agent),
)


def checks_for(task: str) -> list[Check]:
    """Return the constraints of a task."""
    return [check for check in CHECKS if task in check.tasks]
