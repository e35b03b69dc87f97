"""Shortcut models that know nothing of goals, and where they are meant to succeed.

Two give a film an expectedness from the place where the agent goes, whatever its way, one from the duration of the
test, one from the order of the objects in the file, and one from the scene alone. Three more look at the barrier alone,
where that is what the members differ in. A pair is right if the expected film gets more; equal numbers count half.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from puzzlebox.intuitions.audit.measures import cell_of, distances
from puzzlebox.intuitions.episodes.stimulus import Numbers, Pair, Stimulus, Trial
from puzzlebox.intuitions.grid import SIZE, centre

# Differences of expectedness below this, in pixels, are a tie.
_TIE = 1e-9


def _end(trial: Trial) -> Numbers:
    """Return the centre of what the agent went to, or of the agent if it is at nothing."""
    reached = trial.reached()
    return np.asarray(trial.agent.centres[-1] if reached is None else reached.centres[-1])


def nearest_object(stimulus: Stimulus) -> float:
    """Return minus the distance from what the agent went to to the object that was nearest to its start."""
    test = stimulus.test
    nearest = test.objects[int(np.argmin(distances(test)))]
    return -float(np.hypot(*(nearest.centres[-1] - _end(test))))


def same_location(stimulus: Stimulus) -> float:
    """Return minus the distance from where the agent went to the nearest place where it went before."""
    end = _end(stimulus.test)
    return -min(float(np.hypot(*(_end(trial) - end))) for trial in stimulus.familiarisation)


def shorter_test(stimulus: Stimulus) -> float:
    """Return minus the number of frames of the test."""
    return -float(stimulus.test.frames)


def listed_first(stimulus: Stimulus) -> float:
    """Return 1 if the agent ends at the object that the file lists first, and 0 if not."""
    return float(stimulus.test.reached() is stimulus.test.objects[0])


def familiar_layout(stimulus: Stimulus) -> float:
    """Return minus the number of cells in which the scene of the test differs from the most similar familiar one."""
    scene = _layout(stimulus.test)
    return -float(min(len(scene ^ _layout(trial)) for trial in stimulus.familiarisation))


def barrier_near_home(stimulus: Stimulus) -> float:
    """Return minus the distance from the start of the test to the nearest piece of its barrier."""
    return -_from_barrier(stimulus.test, stimulus.test.agent.centres[0])


def barrier_near_object(stimulus: Stimulus) -> float:
    """Return minus the distance from the object of the test to the nearest piece of its barrier."""
    return -_from_barrier(stimulus.test, stimulus.test.objects[0].centres[0])


def smaller_barrier(stimulus: Stimulus) -> float:
    """Return minus the number of cells of the barrier of the test."""
    return -float(len(stimulus.test.barrier.cells()))


def _from_barrier(trial: Trial, place: Numbers) -> float:
    """Return the distance from a place to the nearest piece of the barrier in pixels, or the side of a picture."""
    cells = trial.barrier.cells()
    return min((float(np.hypot(*(np.array(centre(cell)) - place))) for cell in cells), default=float(SIZE))


def _layout(trial: Trial) -> set[Any]:
    """Return what is in each cell of the first frame: walls, barrier and objects, these by their look."""
    walls = {("wall", cell) for cell in trial.walls.cells()}
    barrier = {("barrier", cell) for cell in trial.barrier.cells()}
    return walls | barrier | {(each.identity, cell_of(each.centres[0])) for each in trial.objects}


SHORTCUTS: dict[str, Callable[[Stimulus], float]] = {
    "nearest object": nearest_object,
    "same location": same_location,
    "shorter test": shorter_test,
    "object listed first": listed_first,
    "familiar layout": familiar_layout,
}
# Only where the barrier is what the members differ in; in other tasks each of these finds a tie.
BARRIER_SHORTCUTS: dict[str, Callable[[Stimulus], float]] = {
    "barrier near home": barrier_near_home,
    "barrier near object": barrier_near_object,
    "smaller barrier": smaller_barrier,
}


def shortcuts_for(task: str) -> dict[str, Callable[[Stimulus], float]]:
    """Return the shortcuts that are scored in a task, by name."""
    return {**SHORTCUTS, **BARRIER_SHORTCUTS} if task == "instrumental_blocking_barrier" else SHORTCUTS


_STRAIGHT = (
    "in the design: with one object, this is `go straight to the goal`, which solves the two tests in which the key is "
    "not needed and not the blocking barrier"
)
_ONLY_OBJECT = "in the design: the object listed first is the only one, and the unexpected test ends at the key"
# Where a shortcut succeeds by design, and why.
BY_DESIGN: dict[tuple[str, str], str] = {
    ("instrumental_no_barrier", "nearest object"): _STRAIGHT,
    ("instrumental_inconsequential_barrier", "nearest object"): _STRAIGHT,
    ("instrumental_no_barrier", "object listed first"): _ONLY_OBJECT,
    ("instrumental_inconsequential_barrier", "object listed first"): _ONLY_OBJECT,
    (
        "efficiency_path",
        "shorter test",
    ): "in the design: the straight way is shorter than the detour; the time control has equal durations",
    (
        "efficiency_irrational",
        "familiar layout",
    ): "in the design: the tests are equal, and only the irrational agent has seen their walls before",
}
# Where a shortcut fails by design, so that its opposite would succeed.
AGAINST_DESIGN: dict[tuple[str, str], str] = {
    (
        "preference",
        "same location",
    ): "in the design: the unexpected test repeats the old place, the expected one leaves it",
    (
        "inaccessible_goal",
        "familiar layout",
    ): "in the design: only the expected test has new walls, those that enclose A",
}


def score(pair: Pair, model: Callable[[Stimulus], float]) -> float:
    """Return 1 if the model finds the expected member more expected, 0 if less, and a half for a tie."""
    assert pair.unexpected is not None
    difference = model(pair.expected) - model(pair.unexpected)
    return 0.5 if abs(difference) < _TIE else float(difference > 0)
