"""The variances behind a pilot study: how much tasks differ, agents on the same task, and participants or runs.

The model is logistic with normal intercepts of tasks, of agents on tasks, and of participants or runs. Its standard
deviations are those for which the expected products of two outcomes are the observed ones: of the same task and agent,
of the same task and two agents, of the same participant and two tasks. Products of different episodes hold no
binomial noise, so that the estimates do not depend on the number of episodes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.intervals import CannotCompute

Array = NDArray[np.float64]
# The largest standard deviation in log odds: beyond it, each task is passed always or never.
LARGEST_SPREAD = 6.0
# The standard deviation of agents on tasks where the pilot cannot tell it: a large, but not unusual one.
ASSUMED_SPREAD = 1.0
# Tasks and participants below which the pilot hardly tells their variance.
FEW_TASKS, FEW_SUBJECTS = 10, 10
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True)
class Cells:
    """The outcomes of one agent or group: subjects x tasks.

    Attributes:
        passes: the number of episodes passed.
        trials: the number of episodes; 0 if the subject has not played the task.
        subjects: whether the rows are participants or runs; otherwise there is one row.
    """

    passes: Array
    trials: Array
    subjects: bool = False

    @property
    def played(self) -> Array:
        """1 for each subject and task that was played, 0 for the others."""
        return (self.trials > 0).astype(float)

    @property
    def shares(self) -> Array:
        """The proportion passed of each subject and task; 0 where it was not played."""
        return np.asarray(self.passes / np.maximum(self.trials, 1), float)

    @property
    def of_tasks(self) -> Array:
        """The mean proportion of each task."""
        return np.asarray(self.shares.sum(axis=0) / np.maximum(self.played.sum(axis=0), 1), float)

    @property
    def mean(self) -> float:
        """The proportion passed; tasks weigh equally."""
        return float(self.of_tasks[self.played.sum(axis=0) > 0].mean())


@dataclass(frozen=True)
class Pilot:
    """The estimates from a pilot; standard deviations are in log odds.

    Attributes:
        means: the proportion passed of both agents.
        task_spread: the standard deviation of tasks, for both agents alike.
        pair_spread: the standard deviation of an agent on a task beyond that.
        subject_spreads: the standard deviation of the participants or runs of each agent; 0 without any.
        subjects: the number of participants or runs of each agent; 0 without any.
        warnings: sentences about what the pilot cannot tell.
    """

    means: tuple[float, float]
    task_spread: float
    pair_spread: float
    subject_spreads: tuple[float, float]
    subjects: tuple[int, int]
    warnings: list[str] = field(default_factory=list)

    def centre(self, share: float, which: int) -> float:
        """Return the log odds of the typical task and subject of an agent that passes this proportion overall."""
        spread = float(np.hypot(np.hypot(self.task_spread, self.pair_spread), self.subject_spreads[which]))
        return centre_for(share, spread)


def fit_pilot(first: Cells, second: Cells | None) -> Pilot:
    """Estimate the variances from the outcomes of two agents on the same tasks, or from those of one agent.

    Raises:
        CannotCompute: there are fewer than two tasks.
    """
    agents = [first] if second is None else [first, second]
    tasks = int(min((each.played.sum(axis=0) > 0).sum() for each in agents))
    if tasks < 2:
        raise CannotCompute("the pilot has fewer than two tasks that both have played")
    warnings = _warnings(agents, tasks)
    shares = [float(np.clip(each.mean, 0.01, 0.99)) for each in agents]
    products = [_Products.of(each) for each in agents]
    of_tasks = [each.task - each.apart for each in products if each.task is not None]
    of_subjects = [0.0 if each.subject is None else each.subject - each.apart for each in products]
    whole, subject_spreads = 1.0, [0.0] * len(agents)
    for _ in range(6):  # each standard deviation depends a little on the others
        if of_tasks:
            whole = _solve(partial(_mean_covariance, shares, subject_spreads), float(np.mean(of_tasks)))
        subject_spreads = [
            _solve(partial(_covariance, (share, share), (whole, whole)), target)
            for share, target in zip(shares, of_subjects, strict=True)
        ]
    task_spread, pair_spread = _divide(agents, shares, whole if of_tasks else None, subject_spreads, warnings)
    if second is None:
        shares, subject_spreads = shares * 2, subject_spreads * 2
        agents = agents * 2
    subjects = tuple(len(each.trials) if each.subjects else 0 for each in agents)
    return Pilot(
        (shares[0], shares[1]),
        task_spread,
        pair_spread,
        (subject_spreads[0], subject_spreads[1]),
        (subjects[0], subjects[1]),
        warnings,
    )


def _divide(
    agents: list[Cells], shares: list[float], whole: float | None, subjects: list[float], warnings: list[str]
) -> tuple[float, float]:
    """Divide the spread of tasks into that of all agents and that of an agent on a task; `whole` is None if unknown."""
    if len(agents) == 1:
        warnings.append(
            "The pilot has one agent, so it does not tell how differently two agents do on the same task; half of the "
            "variance between tasks was taken to be so."
        )
        part = ASSUMED_SPREAD if whole is None else whole / sqrt(2)
        return part, part
    both = (agents[0].played.sum(axis=0) > 0) & (agents[1].played.sum(axis=0) > 0)
    mine, theirs = (each.of_tasks[both] for each in agents)
    many = len(mine)
    together = float((mine * theirs).mean())
    apart = float((mine.sum() * theirs.sum() - (mine * theirs).sum()) / (many * (many - 1)))
    if whole is None:
        warnings.append(
            "Each task was played once, so luck cannot be told from differences between agents on a task; a standard "
            f"deviation of {ASSUMED_SPREAD:g} in log odds was assumed for the latter."
        )
        own = (ASSUMED_SPREAD, ASSUMED_SPREAD)
        return _solve(partial(_covariance, (shares[0], shares[1]), own), together - apart), ASSUMED_SPREAD

    def covariance(task: float) -> float:
        rest = sqrt(max(0.0, whole**2 - task**2))
        own = float(np.hypot(rest, subjects[0])), float(np.hypot(rest, subjects[1]))
        return _covariance((shares[0], shares[1]), own, task)

    task = _solve(covariance, together - apart, whole)
    return task, sqrt(max(0.0, whole**2 - task**2))


def _warnings(agents: list[Cells], tasks: int) -> list[str]:
    lines = []
    if tasks < FEW_TASKS:
        lines.append(
            f"The pilot has only {tasks} tasks: how much tasks differ is hardly known, and the true numbers may be "
            "twice or half of these."
        )
    fewest = min((len(each.trials) for each in agents if each.subjects), default=FEW_SUBJECTS)
    if fewest < FEW_SUBJECTS:
        lines.append(f"A group of the pilot has only {fewest} participants or runs: how much they differ is uncertain.")
    if any(each.mean <= 0.02 or each.mean >= 0.98 for each in agents):
        lines.append(
            "An agent of the pilot passed nearly all or nearly none: how much tasks differ for it cannot be told."
        )
    return lines


@dataclass(frozen=True)
class _Products:
    """Mean products of two different outcomes of one agent; None if there are none.

    Attributes:
        task: of the same task, by different subjects, or different episodes if there are no subjects.
        subject: of the same subject on different tasks.
        apart: of different tasks, by different subjects where there are any.
    """

    task: float | None
    subject: float | None
    apart: float

    @classmethod
    def of(cls, cells: Cells) -> "_Products":
        shares, played = cells.shares, cells.played
        several = len(shares) > 1
        by_task = _pairs(shares, played, 0)
        by_subject = _pairs(shares, played, 1)
        total, count = shares.sum() ** 2, played.sum() ** 2
        squares = (shares**2).sum(), played.sum()
        if several:
            apart = (
                total - (shares.sum(0) ** 2).sum() - (shares.sum(1) ** 2).sum() + squares[0],
                count - (played.sum(0) ** 2).sum() - (played.sum(1) ** 2).sum() + squares[1],
            )
        else:
            apart = total - squares[0], count - squares[1]
        if not several:
            twice = cells.trials > 1
            pairs = cells.passes[twice] * (cells.passes[twice] - 1) / (cells.trials[twice] * (cells.trials[twice] - 1))
            by_task = float(pairs.mean()) if len(pairs) else None
        return cls(by_task, by_subject if several else None, float(apart[0] / max(apart[1], 1)))


def _pairs(shares: Array, played: Array, axis: int) -> float | None:
    """Return the mean product of two different values along an axis; None if there are none."""
    count = (played.sum(axis) ** 2).sum() - played.sum()
    return float(((shares.sum(axis) ** 2).sum() - (shares**2).sum()) / count) if count > 0 else None


def _logistic(value: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-value)), float)


def mean_share(centre: float, spread: float) -> float:
    """Return the proportion passed if log odds are normal with this centre and standard deviation."""
    return float(_WEIGHTS @ _logistic(centre + spread * _NODES))


def centre_for(share: float, spread: float) -> float:
    """Return the centre of normal log odds with this standard deviation at which a proportion is passed."""
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_share(middle, spread) < share else (low, middle)
    return (low + high) / 2


def _covariance(shares: tuple[float, float], own: tuple[float, float], common: float) -> float:
    """Return the covariance of two probabilities that share an intercept and each have another of their own.

    Args:
        shares: the mean of each probability.
        own: the standard deviation of the intercept of each.
        common: the standard deviation of the intercept that they share.
    """
    conditional = [
        _logistic(centre_for(share, float(np.hypot(common, each))) + common * _NODES[:, None] + each * _NODES[None])
        @ _WEIGHTS
        for share, each in zip(shares, own, strict=True)
    ]
    means = [float(_WEIGHTS @ each) for each in conditional]
    return float(_WEIGHTS @ (conditional[0] * conditional[1])) - means[0] * means[1]


def _mean_covariance(shares: list[float], subjects: list[float], task: float) -> float:
    """Return the covariance of two subjects on the same task, for tasks with this standard deviation."""
    pairs = zip(shares, subjects, strict=True)
    return float(np.mean([_covariance((share, share), (own, own), task) for share, own in pairs]))


def _solve(function: Callable[[float], float], target: float, highest: float = LARGEST_SPREAD) -> float:
    """Return where an increasing function of a standard deviation reaches a target, from 0 to the highest."""
    if target <= 0 or highest <= 0:
        return 0.0
    low, high = 0.0, highest
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < target else (low, middle)
    return (low + high) / 2
