"""What the members of a pair, and a test and its familiarisation, must have in common; the task says what may differ.

All of it is read off the trials. A scene is what the first frame shows; the course of a trial is what comes after.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from puzzlebox.intuitions.audit.measures import cell_of, inner_walls, shortest_way
from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus, Track, Trial
from puzzlebox.intuitions.grid import ring

# Parts of a trial that can differ between the members of a pair.
WALLS, BARRIER, MEANS = "walls", "barrier", "key or lock"
OBJECTS, PLACES = "objects", "places of the objects"
AGENT, START, PATH = "agent", "start", "path"


def _tests(pair: Pair) -> tuple[Trial, Trial]:
    assert pair.unexpected is not None
    return pair.expected.test, pair.unexpected.test


def _look(track: Track | None) -> Any:
    """Return the look and the first place of an entity; None if there is none."""
    return None if track is None else (track.identity, *track.centres[0].tolist())


def _course(trial: Trial) -> Any:
    """Return what happens in a trial after its first frame: where the agent and its key go, and what vanishes when."""
    key, lock = trial.key, trial.lock
    vanishing = trial.barrier.until
    return (
        trial.agent.centres.tolist(),
        None if key is None else key.centres[: key.until].tolist(),
        None if lock is None else lock.until,
        sorted(vanishing[vanishing < trial.frames].tolist()),
    )


# How each part of a trial is read; equal values mean that the part is the same.
_PARTS: dict[str, Callable[[Trial], Any]] = {
    WALLS: lambda trial: trial.walls.cells(),
    BARRIER: lambda trial: {tuple(box) for box in trial.barrier.boxes.tolist()},
    MEANS: lambda trial: (_look(trial.key), _look(trial.lock)),
    OBJECTS: lambda trial: sorted(each.identity for each in trial.objects),
    PLACES: lambda trial: sorted(_look(each) for each in trial.objects),
    AGENT: lambda trial: trial.agent.identity,
    START: lambda trial: (trial.agent.centres[0].tolist(), _look(trial.home)),
    PATH: _course,
}


def differing(one: Trial, two: Trial) -> set[str]:
    """Return the parts in which two trials differ."""
    return {name for name, part in _PARTS.items() if part(one) != part(two)}


def tests_differ_only_in(*allowed: str) -> Callable[[Pair], bool]:
    """Return the constraint that the two tests of a pair are the same but for some parts."""
    return lambda pair: differing(*_tests(pair)) <= set(allowed)


def familiarisations_differ_only_in(*allowed: str) -> Callable[[Pair], bool]:
    """Return the constraint that each familiar trial is the same in both members but for some parts."""

    def holds(pair: Pair) -> bool:
        assert pair.unexpected is not None
        both = zip(pair.expected.familiarisation, pair.unexpected.familiarisation, strict=True)
        return all(differing(one, two) <= set(allowed) for one, two in both)

    return holds


def only_the_agent_moves(pair: Pair) -> bool:
    """Return whether nothing moves but the agent and, together with it, the key, and only means and barrier vanish."""
    return all(_only_the_agent_moves(trial) for _, stimulus in pair.members() for trial in stimulus.trials)


def _only_the_agent_moves(trial: Trial) -> bool:
    home = [] if trial.home is None else [trial.home]
    for track in (*trial.objects, *home, trial.agent):
        if track.until < trial.frames:
            return False
    for track in (*trial.objects, *home, *([] if trial.lock is None else [trial.lock])):
        if (track.corners[: track.until] != track.corners[0]).any():
            return False
    if trial.key is not None:
        carried = np.diff(trial.key.corners[: trial.key.until], axis=0).any(axis=1)
        if (carried & ~trial.steps[: carried.size].any(axis=1)).any():
            return False
    return bool((trial.walls.until == trial.frames).all())


def objects_in_every_trial(count: int) -> Callable[[Pair], bool]:
    """Return the constraint that every trial has this number of objects, of different looks."""
    return lambda pair: all(
        len(trial.objects) == count == len({each.identity for each in trial.objects})
        for _, stimulus in pair.members()
        for trial in stimulus.trials
    )


def _objects(trial: Trial) -> set[Any]:
    return {each.identity for each in trial.objects}


def one_set_of_objects(pair: Pair) -> bool:
    """Return whether all trials of both members, the tests included, have the same objects."""
    trials = [trial for _, stimulus in pair.members() for trial in stimulus.trials]
    return all(_objects(trial) == _objects(trials[0]) for trial in trials)


def _has_familiar_agent(stimulus: Stimulus) -> bool:
    return stimulus.test.agent.identity in {trial.agent.identity for trial in stimulus.familiarisation}


def familiar_agent(pair: Pair) -> bool:
    """Return whether the agent of the test was there before, in each member."""
    return all(_has_familiar_agent(stimulus) for _, stimulus in pair.members())


def one_new_agent(pair: Pair) -> bool:
    """Return whether one test has the familiar agent, and the other one an agent that was never there before."""
    return sorted(_has_familiar_agent(stimulus) for _, stimulus in pair.members()) == [False, True]


def one_agent(pair: Pair) -> bool:
    """Return whether all trials have the same agent."""
    return len({trial.agent.identity for trial in pair.expected.trials}) == 1


def familiar_walls(pair: Pair) -> bool:
    """Return whether each test has the walls of the trials before it."""
    return all(
        trial.walls.cells() == stimulus.test.walls.cells()
        for _, stimulus in pair.members()
        for trial in stimulus.familiarisation
    )


def enclosing_walls(pair: Pair) -> bool:
    """Return whether the unexpected test has the familiar walls, and the expected one more of them around an object."""
    expected, unexpected = _tests(pair)
    before = inner_walls(pair.expected.familiarisation[0])
    added = inner_walls(expected) - before
    around = [set(ring(cell_of(each.centres[0]))) for each in expected.objects]
    return (
        inner_walls(unexpected) == before <= inner_walls(expected)
        and bool(added)
        and any(added <= each for each in around)
    )


def walls_of_the_detours(pair: Pair) -> bool:
    """Return whether the test has the walls that the wasteful agent had before, and not those of the efficient one."""
    assert pair.unexpected is not None
    wasteful, efficient = (
        {inner_walls(trial) for trial in stimulus.familiarisation} for stimulus in (pair.expected, pair.unexpected)
    )
    return all(inner_walls(test) in wasteful - efficient for test in _tests(pair))


def nearer_object_in_unexpected(pair: Pair) -> bool:
    """Return whether the shortest way to the object is shorter in the unexpected test than in the expected one."""
    expected, unexpected = (shortest_way(test, test.objects[0]) for test in _tests(pair))
    return unexpected < expected


def keys_fit(pair: Pair) -> bool:
    """Return whether each test has a key and, if there is a lock, one that it fits."""
    for test in _tests(pair):
        if test.key is None:
            return False
        slot = None if test.lock is None else test.lock.shape.removeprefix("triangle_slot")
        if slot is not None and slot != test.key.shape.removeprefix("triangle"):
            return False
    return True
