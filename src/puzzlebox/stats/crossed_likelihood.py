"""The likelihood of a logistic model with crossed random intercepts, by Laplace's method.

The log odds of a cell are the sum of fixed effects and of normal intercepts of its task, of its agent on that task, and
of the participant or training run. The integral over all intercepts is replaced by that of a normal density with the
same mode and curvature, as in lme4's `glmer(nAGQ = 1)`. The intercepts are eliminated in the order in which this leaves
the matrix sparse: agents on tasks (each belongs to one task), then tasks, then participants or runs, which are dense.
"""

from dataclasses import dataclass
from math import lgamma
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.intervals import CannotCompute

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
# The random intercepts, in the order of their standard deviations in a point.
TASK, PAIR, SUBJECT = "task", "task:agent", "subject"
# Newton steps smaller than this leave an error of the order of their square.
_SMALL_STEP = 1e-5
_MOST_STEPS = 100


@dataclass(frozen=True)
class Panel:
    """The cells of one agent that has participants or runs: a table of tasks by subjects.

    Attributes:
        cells: the indices of its cells.
        pairs: the index of the agent on each of its tasks.
        subjects: the indices of its participants or runs.
        place: the place of each cell in the table, row by row.
        tasks: the index of the task of each row.
    """

    cells: Indices
    pairs: Indices
    subjects: Indices
    place: Indices
    tasks: Indices

    def table(self, values: Array) -> Array:
        """Return the sums of the values of the cells as a table of tasks by subjects."""
        size = len(self.pairs), len(self.subjects)
        return np.bincount(self.place, values[self.cells], size[0] * size[1]).reshape(size)


@dataclass(frozen=True)
class Cells:
    """Episodes of the same categories, task and subject, counted together.

    Attributes:
        passes: the number of episodes of each cell that passed.
        trials: the number of all its episodes.
        design: the distinct rows of the matrix of fixed effects.
        row: the row of the design of each cell.
        task: the index of the task of each cell.
        pair: the index of the agent on a task of each cell.
        task_of_pair: the task of each agent on a task.
        subject: the index of the participant or run of each cell; -1 for agents that have none.
        random: the random intercepts of the model.
        panels: the agents that have subjects.
    """

    passes: Array
    trials: Array
    design: Array
    row: Indices
    task: Indices
    pair: Indices
    task_of_pair: Indices
    subject: Indices
    random: tuple[str, ...]
    panels: tuple[Panel, ...]

    @property
    def tasks(self) -> int:
        """The number of tasks."""
        return int(self.task.max()) + 1

    @property
    def subjects(self) -> int:
        """The number of participants and runs."""
        return int(self.subject.max()) + 1

    def constant(self) -> float:
        """Return what the likelihood of the counts has more than that of single episodes: the binomial coefficients."""
        return float(
            sum(
                lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
                for k, n in zip(self.passes.tolist(), self.trials.tolist(), strict=True)
            )
        )


def panels_of(agent: Indices, task: Indices, pair: Indices, subject: Indices) -> tuple[Panel, ...]:
    """Return the panels of the agents that have participants or runs."""
    panels = []
    for one in np.unique(agent[subject >= 0]):
        cells = np.flatnonzero((agent == one) & (subject >= 0))
        pairs, first, rows = np.unique(pair[cells], return_index=True, return_inverse=True)
        subjects, columns = np.unique(subject[cells], return_inverse=True)
        place = rows.reshape(-1) * len(subjects) + columns.reshape(-1)
        panels.append(Panel(cells, pairs, subjects, place, task[cells[first]]))
    return tuple(panels)


class _Blocks(NamedTuple):
    """One number for each cell or intercept, by the random intercept it belongs to."""

    task: Array
    pair: Array
    subject: Array


class _Covariances(NamedTuple):
    """The conditional variances and covariances of the intercepts of each cell, in units of their deviations."""

    task: Array
    pair: Array
    subject: Array
    task_pair: Array
    task_subject: Array
    pair_subject: Array


class Likelihood:
    """The Laplace approximation of the log-likelihood and its gradient, as a function of a point.

    A point has the standard deviations of the random intercepts, in the order of `cells.random`, and the fixed effects.
    """

    def __init__(self, cells: Cells) -> None:
        """Prepare the likelihood of some cells."""
        self.cells = cells
        self.evaluations = 0
        self._mode = _Blocks(np.zeros(cells.tasks), np.zeros(len(cells.task_of_pair)), np.zeros(max(1, cells.subjects)))
        self._played = (cells.subject >= 0).astype(float)
        self._subject = np.maximum(cells.subject, 0)

    def split(self, point: Array) -> tuple[tuple[float, float, float], Array]:
        """Return the standard deviations of tasks, agents on tasks and subjects (0 without), and the fixed effects."""
        by_name = dict(zip(self.cells.random, point.tolist(), strict=False))
        return (by_name.get(TASK, 0.0), by_name.get(PAIR, 0.0), by_name.get(SUBJECT, 0.0)), point[len(by_name) :]

    def __call__(self, point: Array) -> tuple[float, Array]:
        """Return the log-likelihood of single episodes and its gradient."""
        self.evaluations += 1
        cells = self.cells
        spreads, beta = self.split(point)
        fixed = (cells.design @ beta)[cells.row]
        mode = self._find_mode(spreads, fixed)
        eta = fixed + self._sum(spreads, mode)
        probability = _logistic(eta)
        weight = cells.trials * probability * (1 - probability)
        system = _System(self, spreads, weight)
        joint = float(np.sum(cells.passes * eta - cells.trials * np.logaddexp(0, eta)))
        joint -= sum(float(part @ part) for part in mode) / 2
        value = joint - system.log_determinant / 2
        if not np.isfinite(value):
            raise CannotCompute("the likelihood is not finite")
        return value, self._gradient(spreads, mode, probability, weight, system)

    def _gradient(
        self, spreads: tuple[float, float, float], mode: _Blocks, probability: Array, weight: Array, system: "_System"
    ) -> Array:
        cells = self.cells
        residual = cells.passes - cells.trials * probability
        of = system.covariances()
        task, pair, subject = spreads
        along = _Blocks(
            task * of.task + pair * of.task_pair + subject * of.task_subject,
            task * of.task_pair + pair * of.pair + subject * of.pair_subject,
            task * of.task_subject + pair * of.pair_subject + subject * of.subject,
        )
        leverage = task * along.task + pair * along.pair + subject * along.subject
        # The determinant changes with the weights, and these with the mode: the adjoint of the mode's own derivative.
        pull = leverage * weight * (1 - 2 * probability)
        adjoint = system.solve(self._gather(spreads, pull))
        back = weight * self._sum(spreads, adjoint)
        by_row = np.bincount(cells.row, residual - (pull - back) / 2, len(cells.design))
        slopes = {}
        for name, own, q, m in zip((TASK, PAIR, SUBJECT), mode, adjoint, along, strict=True):
            index, used = self._index(name)
            u, q_cell = own[index] * used, q[index] * used
            explicit = residual @ u - weight @ (m * used)
            slopes[name] = explicit - (pull @ u + residual @ q_cell - back @ u) / 2
        return np.append([slopes[name] for name in cells.random], cells.design.T @ by_row)

    def _index(self, name: str) -> tuple[Indices, Array | float]:
        """Return the intercept of each cell, and whether the cell has one."""
        if name == SUBJECT:
            return self._subject, self._played
        return (self.cells.task if name == TASK else self.cells.pair), 1.0

    def _sum(self, spreads: tuple[float, float, float], parts: _Blocks) -> Array:
        """Return the part of the random intercepts in the log odds of each cell."""
        cells = self.cells
        # The part of the pair contains that of its task, so that only one array of all cells is gathered.
        by_pair = spreads[0] * parts.task[cells.task_of_pair] + spreads[1] * parts.pair
        total = by_pair[cells.pair]
        if spreads[2]:
            total = total + spreads[2] * parts.subject[self._subject] * self._played
        return np.asarray(total, float)

    def _gather(self, spreads: tuple[float, float, float], values: Array) -> _Blocks:
        """Return the sum of the values of each intercept's cells, times its standard deviation."""
        cells = self.cells
        by_pair = np.bincount(cells.pair, values, len(cells.task_of_pair))
        by_task = np.bincount(cells.task_of_pair, by_pair, cells.tasks)
        size = max(1, cells.subjects)
        by_subject = np.bincount(self._subject, values * self._played, size) if spreads[2] else np.zeros(size)
        return _Blocks(spreads[0] * by_task, spreads[1] * by_pair, spreads[2] * by_subject)

    def _find_mode(self, spreads: tuple[float, float, float], fixed: Array) -> _Blocks:
        """Return the most likely intercepts, in units of their standard deviations, by Newton's method."""
        cells, mode = self.cells, self._mode

        def height(parts: _Blocks) -> tuple[float, Array]:
            eta = fixed + self._sum(spreads, parts)
            inside = float(np.sum(cells.passes * eta - cells.trials * np.logaddexp(0, eta)))
            return inside - sum(float(part @ part) for part in parts) / 2, eta

        value, eta = height(mode)
        for _ in range(_MOST_STEPS):
            probability = _logistic(eta)
            weight = cells.trials * probability * (1 - probability)
            slope = self._gather(spreads, cells.passes - cells.trials * probability)
            slope = _Blocks(*(part - own for part, own in zip(slope, mode, strict=True)))
            step = _System(self, spreads, weight).solve(slope)
            length = max(float(np.abs(part).max()) for part in step)
            scale = 1.0
            while True:
                moved = _Blocks(*(own + scale * part for own, part in zip(mode, step, strict=True)))
                higher, eta = height(moved)
                if higher >= value - 1e-9 * (1 + abs(value)) or scale < 1e-6:
                    break
                scale /= 2
            mode, value = moved, higher
            if length < _SMALL_STEP:
                break
        self._mode = mode
        return mode


class _System:
    """The curvature of the integrand, factored: its determinant, its solutions, and parts of its inverse."""

    def __init__(self, likelihood: Likelihood, spreads: tuple[float, float, float], weight: Array) -> None:
        self._of = likelihood
        self._spreads = task, pair, subject = spreads
        cells = likelihood.cells
        by_pair = np.bincount(cells.pair, weight, len(cells.task_of_pair))
        self._pair = 1 + pair**2 * by_pair
        self._link = task * pair * by_pair
        by_task = np.bincount(cells.task_of_pair, by_pair, cells.tasks)
        reduced = np.bincount(cells.task_of_pair, self._link**2 / self._pair, cells.tasks)
        self._task = 1 + task**2 * by_task - reduced
        self._dense: Array | None = None
        self.log_determinant = float(np.sum(np.log(self._pair)) + np.sum(np.log(self._task)))
        if subject and cells.panels:
            self._add_subjects(weight)

    def _add_subjects(self, weight: Array) -> None:
        task, pair, subject = self._spreads
        cells = self._of.cells
        size = cells.subjects
        by_subject = np.bincount(self._of._subject, weight * self._of._played, size)
        dense = np.diag(1 + subject**2 * by_subject)
        side = np.zeros((cells.tasks, size))
        self._tables: list[Array] = []
        for panel in cells.panels:
            table = panel.table(weight)
            own = pair * subject * table
            self._tables.append(own)
            scaled = own / self._pair[panel.pairs][:, None]
            dense[np.ix_(panel.subjects, panel.subjects)] -= own.T @ scaled
            rows = task * subject * table - self._link[panel.pairs][:, None] * scaled
            # An agent has each task once, so that no row is added to twice here.
            side[np.ix_(panel.tasks, panel.subjects)] += rows
        self._side = side
        dense -= side.T @ (side / self._task[:, None])
        try:
            lower = np.linalg.cholesky(dense)
        except np.linalg.LinAlgError:
            raise CannotCompute("the variance between participants or runs cannot be estimated") from None
        self.log_determinant += 2 * float(np.sum(np.log(np.diag(lower))))
        inverse = np.linalg.inv(lower)
        self._dense = inverse.T @ inverse

    def solve(self, right: _Blocks) -> _Blocks:
        """Solve the system of equations with this curvature."""
        cells = self._of.cells
        by_task = right.task - np.bincount(cells.task_of_pair, self._link / self._pair * right.pair, len(self._task))
        by_subject = right.subject
        if self._dense is not None:
            reduced = right.subject - self._side.T @ (by_task / self._task)
            for panel, table in zip(cells.panels, self._tables, strict=True):
                reduced_pair = right.pair[panel.pairs] / self._pair[panel.pairs]
                # What the pairs leave in the rows of their tasks is part of `by_task` and `side` already.
                reduced[panel.subjects] -= table.T @ reduced_pair
            by_subject = self._dense @ reduced
            by_task = by_task - self._side @ by_subject
        task = by_task / self._task
        pair = right.pair - self._link * task[cells.task_of_pair]
        if self._dense is not None:
            pair = pair.copy()
            for panel, table in zip(cells.panels, self._tables, strict=True):
                pair[panel.pairs] -= table @ by_subject[panel.subjects]
        return _Blocks(task, pair / self._pair, by_subject)

    def covariances(self) -> _Covariances:
        """Return the parts of the inverse that belong to the intercepts of each cell."""
        cells = self._of.cells
        link = self._link / self._pair
        count = len(cells.trials)
        nothing = np.zeros(count)
        if self._dense is None:
            of_task = 1 / self._task
            of_both = -link * of_task[cells.task_of_pair]
            of_pair = 1 / self._pair - link * of_both
            played = self._of._played
            return _Covariances(of_task[cells.task], of_pair[cells.pair], played, of_both[cells.pair], nothing, nothing)
        task_subject = -(self._side / self._task[:, None]) @ self._dense
        of_task = 1 / self._task - np.sum(self._side * task_subject, axis=1) / self._task
        of_both = -link * of_task[cells.task_of_pair]
        of_pair = 1 / self._pair - link * of_both
        by_cell_task, by_cell_pair = nothing.copy(), nothing.copy()
        for panel, table in zip(cells.panels, self._tables, strict=True):
            own = self._pair[panel.pairs][:, None]
            here = task_subject[np.ix_(panel.tasks, panel.subjects)]
            dense = self._dense[np.ix_(panel.subjects, panel.subjects)]
            pair_subject = -(self._link[panel.pairs][:, None] * here + table @ dense) / own
            of_both[panel.pairs] -= np.sum(table * here, axis=1) / own[:, 0]
            of_pair[panel.pairs] = (
                1 - self._link[panel.pairs] * of_both[panel.pairs] - np.sum(table * pair_subject, axis=1)
            ) / own[:, 0]
            by_cell_task[panel.cells] = here.reshape(-1)[panel.place]
            by_cell_pair[panel.cells] = pair_subject.reshape(-1)[panel.place]
        of_subject = np.diag(self._dense)[self._of._subject] * self._of._played
        return _Covariances(
            of_task[cells.task],
            of_pair[cells.pair],
            of_subject,
            of_both[cells.pair],
            by_cell_task,
            by_cell_pair,
        )


def _logistic(eta: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(eta / 2)), float)
