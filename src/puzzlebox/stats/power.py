"""The power of a study that is still to be done, by simulation from the estimates of a pilot.

A simulated study finds a difference if the 95 % interval of the difference of the two proportions passed, for tasks
like these (and people like these), does not contain 0: the interval that a report shows.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute, wilson
from puzzlebox.stats.pilot import Pilot

Array = NDArray[np.float64]
# Numbers that are held in memory at a time.
_MOST_NUMBERS = 4_000_000


@dataclass(frozen=True)
class Design:
    """A study with two agents or groups that play the same tasks.

    Attributes:
        tasks: the number of tasks.
        episodes: the number of episodes of each task, by each participant or run where there are any; two numbers if
            those of both agents differ.
        subjects: the number of participants or runs of each agent that has any.
    """

    tasks: int
    episodes: int | tuple[int, int]
    subjects: int = 0


def shares_at(pilot: Pilot, difference: float) -> tuple[float, float]:
    """Return the proportions of both agents at a difference, which keeps their mean and direction of the pilot.

    Raises:
        CannotCompute: a proportion would be below 0 or above 1.
    """
    middle = sum(pilot.means) / 2
    sign = 1 if pilot.means[0] >= pilot.means[1] else -1
    shares = (middle + sign * difference / 2, middle - sign * difference / 2)
    if not 0 < min(shares) <= max(shares) < 1:
        # Moved away from the end of the scale.
        moved = min(max(middle, abs(difference) / 2 + 0.005), 1 - abs(difference) / 2 - 0.005)
        shares = (moved + sign * difference / 2, moved - sign * difference / 2)
    if not 0 < min(shares) <= max(shares) < 1:
        raise CannotCompute(f"two proportions cannot differ by {100 * difference:g} percentage points")
    return shares


def power(pilot: Pilot, difference: float, design: Design, repetitions: int, rng: np.random.Generator) -> float:
    """Return how often a study of this design finds a difference.

    Args:
        pilot: the estimates of the pilot.
        difference: the true difference of the proportions passed.
        design: the design of the study.
        repetitions: the number of simulated studies.
        rng: the random stream.
    """
    shares = shares_at(pilot, difference)
    centres = [pilot.centre(share, which) for which, share in enumerate(shares)]
    rows = [max(1, design.subjects) if many else 1 for many in pilot.subjects]
    episodes = design.episodes if isinstance(design.episodes, tuple) else (design.episodes,) * 2
    batch = max(1, _MOST_NUMBERS // (sum(rows) * design.tasks))
    found = 0
    for done in range(0, repetitions, batch):
        many = min(batch, repetitions - done)
        ease = rng.normal(0, pilot.task_spread, (many, 1, design.tasks))
        # All intercepts come first, so that the same stream has the same ones for any number of episodes.
        log_odds = []
        for which, centre in enumerate(centres):
            odds = centre + ease + rng.normal(0, pilot.pair_spread, (many, 1, design.tasks))
            if pilot.subjects[which]:
                odds = odds + rng.normal(0, pilot.subject_spreads[which], (many, rows[which], 1))
            log_odds.append(odds)
        groups = [
            rng.binomial(times, 1 / (1 + np.exp(-odds))) / times for times, odds in zip(episodes, log_odds, strict=True)
        ]
        found += int(finds_difference(groups[0], groups[1], (pilot.subjects[0] > 0, pilot.subjects[1] > 0)).sum())
    return found / repetitions


def finds_difference(first: Array, second: Array, subjects: tuple[bool, bool] = (False, False)) -> NDArray[np.bool_]:
    """Return for each study whether its 95 % interval of the difference excludes 0.

    Args:
        first: the proportions of the first agent: studies x subjects x tasks.
        second: those of the second agent.
        subjects: whether the rows of each agent are participants or runs, which are a sample as well as the tasks.
    """
    groups, tasks = (first, second), first.shape[2]
    of_tasks = first.mean(axis=1) - second.mean(axis=1)
    by_task = of_tasks.var(axis=1, ddof=1) / tasks
    by_subject, by_cell = np.zeros(len(first)), np.zeros(len(first))
    df = tasks - 1
    for own, sampled in zip(groups, subjects, strict=True):
        if sampled:
            many = own.shape[1]
            by_subject += own.mean(axis=2).var(axis=1, ddof=1) / many
            by_cell += ((own - own.mean(axis=(1, 2), keepdims=True)) ** 2).sum(axis=(1, 2)) / (many * tasks) ** 2
    if any(subjects):
        people = [own.shape[1] for own, sampled in zip(groups, subjects, strict=True) if sampled]
        df = min(df, sum(people) - len(people))
    variance = np.maximum(np.maximum(by_task + by_subject - by_cell, by_task), by_subject)
    difference = of_tasks.mean(axis=1)
    # Never less than as if one task were wrong by half, as in the interval of a report.
    limit = import_extra("scipy.stats").t.ppf(0.975, df) * np.sqrt(np.maximum(variance, 1 / (4 * tasks**3)))
    found = np.abs(difference) > limit
    for study in np.flatnonzero(variance < 1e-12):
        found[study] = _apart(float(first[study].mean()), float(second[study].mean()), tasks)
    return np.asarray(found, bool)


def _apart(first: float, second: float, tasks: int) -> bool:
    """Return whether two proportions without any variance between tasks differ (Newcombe's interval, by tasks)."""
    high, low = (wilson(round(share * tasks), tasks) for share in (max(first, second), min(first, second)))
    return high.value - low.value > float(np.hypot(high.value - high.low, low.high - low.value))


def tasks_needed(tasks: Array, powers: Array, wanted: float) -> int | None:
    """Return the smallest number of tasks with the wanted power, between the simulated ones; None if none has it.

    Simulated powers scatter a little; they are taken as never decreasing with the number of tasks.
    """
    rising = np.maximum.accumulate(powers)
    reached = np.flatnonzero(rising >= wanted)
    if not len(reached):
        return None
    at = int(reached[0])
    if at == 0:
        return int(tasks[0])
    share = (wanted - rising[at - 1]) / (rising[at] - rising[at - 1])
    return ceil(float(tasks[at - 1] + share * (tasks[at] - tasks[at - 1])) - 1e-9)
