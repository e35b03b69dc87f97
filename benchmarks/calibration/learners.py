"""Designs of the measures for machine learners, of equivalence, and of the power that a pilot predicts."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration import Design, Outcome, register
from benchmarks.calibration.draws import episodes, probability
from puzzlebox.report.episodes import ReportEpisode, Results
from puzzlebox.report.equivalence import equivalences
from puzzlebox.report.learners import learners_of
from puzzlebox.report.power import plan
from puzzlebox.report.scale import Scales
from puzzlebox.report.shares import Shares
from puzzlebox.report.units import Units
from puzzlebox.stats.improvement import probability_of_improvement
from puzzlebox.stats.learners import interquartile_mean
from puzzlebox.stats.pilot import centre_for, mean_share
from puzzlebox.wings.offers import Scale

Array = NDArray[np.float64]
# Draws the scores of a task: its index, how many, the random stream.
Draw = Callable[[int, int, np.random.Generator], Array]
_TRUTH_DRAWS = 400_000
# The ends of the scale of each task: a made-up table, because the bundled one needs more than numpy and scipy.
_ENDS = {"first": (-0.5, 2.0), "second": (-1.0, 3.0)}
_SCALES: Scales = {(name, 0): Scale(chance, best, "random") for name, (chance, best) in _ENDS.items()}


def normal(task: int, many: int, rng: np.random.Generator) -> Array:
    """Scores that vary a little about the mean of each task."""
    return rng.normal(0.4 + 0.2 * task, 0.2, many)


def bimodal(task: int, many: int, rng: np.random.Generator) -> Array:
    """Scores near 0.1 or 0.9, as of tasks that are failed or passed; tasks are passed in 30 % and 70 %."""
    return 0.1 + 0.8 * (rng.random(many) < 0.3 + 0.4 * task) + rng.normal(0, 0.05, many)


def all_or_nothing(task: int, many: int, rng: np.random.Generator) -> Array:
    """Scores of exactly 0 or 1; both tasks are passed in 60 %."""
    return (rng.random(many) < 0.6).astype(float)


def interquartile(draw: Draw, name: str, about: str, many: int, *, runs: bool) -> Design:
    """Two tasks with a fixed scale; the scores of one agent, by episodes of one run or by single runs."""

    @cache
    def truth() -> float:
        rng = np.random.default_rng(0)
        return interquartile_mean(np.concatenate([draw(task, _TRUTH_DRAWS, rng) for task in range(2)]))

    def simulate(rng: np.random.Generator) -> Outcome:
        rows = _rows("a", [draw(task, many, rng) for task in range(2)], runs=runs)
        found = learners_of(Units.of(rows), _SCALES).agents[0]
        measure = found.measures["interquartile_mean"]
        return None if found.why_not else measure.low <= truth() <= measure.high

    unit = "runs" if runs else "episodes"
    suffix = "-runs" if runs else ""
    return Design(
        f"iqm-{name}-{many}{suffix}", f"interquartile mean, 2 tasks x {many} {unit}, {about}", "coverage", simulate
    )


def optimality_gap(share: float, many: int) -> Design:
    """Two tasks that one agent passes, with a score of 1, in the same share of episodes, or fails, with 0."""

    def simulate(rng: np.random.Generator) -> Outcome:
        rows = _rows("a", [(rng.random(many) < share).astype(float) for _ in range(2)])
        found = learners_of(Units.of(rows), _SCALES).agents[0]
        measure = found.measures["optimality_gap"]
        return None if found.why_not else measure.low <= 1 - share <= measure.high

    about = f"optimality gap, 2 tasks x {many} episodes, scores of 0 and 1, {100 * share:.0f} % passed"
    return Design(f"gap-{100 * share:.0f}-{many}", about, "coverage", simulate)


def improvement(shares: tuple[float, float], many: int) -> Design:
    """Two agents that pass both of two tasks in some shares of episodes, with a score of 1, or fail, with 0."""
    truth = 0.5 + (shares[0] - shares[1]) / 2

    def simulate(rng: np.random.Generator) -> Outcome:
        rows = []
        for agent, share in zip("ab", shares, strict=True):
            rows += _rows(agent, [(rng.random(many) < share).astype(float) for _ in range(2)])
        first, second = learners_of(Units.of(rows), _SCALES).agents
        found = probability_of_improvement(first.scores, second.scores)
        return found.low <= truth <= found.high

    percents = " and ".join(f"{100 * share:.0f} %" for share in shares)
    about = f"probability of improvement, 2 tasks x {many} episodes, scores of 0 and 1, {percents} passed"
    return Design(
        f"improvement-{'-'.join(f'{100 * share:.0f}' for share in shares)}-{many}", about, "coverage", simulate
    )


def _rows(agent: str, scores: Iterable[Array], *, runs: bool = False) -> list[ReportEpisode]:
    """Return the episodes of an agent with these scores on each task, of one run or of a run each."""
    return [
        ReportEpisode(
            id="",
            task=f"task {task}",
            task_hash=name,
            agent=agent,
            total=chance + float(score) * (best - chance),
            passed=None,
            # Episodes of equal length and return would be those of an agent that always does the same.
            steps=number,
            seed=number,
            run=f"run {task} {number}" if runs else "run",
            player="agent",
        )
        for task, ((name, (chance, best)), own) in enumerate(zip(_ENDS.items(), scores, strict=True))
        for number, score in enumerate(own)
    ]


def equivalence_at_the_bound(tasks: int, repetitions: int) -> Design:
    """Two agents whose proportions differ by exactly the bound: equivalence must seldom be shown."""
    spread, bound = 1.0, 0.10

    whole = float(np.hypot(1.0, spread))
    centres = centre_for(0.55, whole), centre_for(0.55 - bound, whole)

    def simulate(rng: np.random.Generator) -> Outcome:
        ease = rng.normal(0, 1.0, tasks)
        rows = []
        for agent, centre in zip("ab", centres, strict=True):
            chances = probability(centre + ease + rng.normal(0, spread, tasks))
            rows += episodes(rng, agent, chances, repetitions)
        test = equivalences(rows, Shares.of(rows), 100 * bound)[0].test
        return None if test is None else test.shown

    return Design(
        f"equivalence-{tasks}",
        f"two agents that differ by exactly 10 points, {tasks} tasks x {repetitions} episodes: equivalence within 10",
        "type I",
        simulate,
    )


class _Truth(NamedTuple):
    """Standard deviations of tasks and of agents on tasks, and the log odds of both agents on a typical task."""

    task: float = 1.0
    pair: float = 0.8
    centres: tuple[float, float] = (0.45, -0.25)

    @property
    def difference(self) -> float:
        whole = float(np.hypot(self.task, self.pair))
        return mean_share(self.centres[0], whole) - mean_share(self.centres[1], whole)

    def study(self, rng: np.random.Generator, tasks: int, many: int) -> list[ReportEpisode]:
        ease = rng.normal(0, self.task, tasks)
        rows = []
        for agent, centre in zip("ab", self.centres, strict=True):
            rows += episodes(rng, agent, probability(centre + ease + rng.normal(0, self.pair, tasks)), many)
        return rows


def predicted_power(pilot_tasks: int, study_tasks: int, many: int) -> Design:
    """The power that a pilot predicts for a difference, against how often the page finds it."""
    truth = _Truth()

    def simulate(rng: np.random.Generator) -> Outcome:
        answer = plan(
            Results(truth.study(rng, pilot_tasks, many), [], [], []),
            difference=truth.difference,
            tasks=[study_tasks],
            episodes=[many],
            seed=int(rng.integers(2**31)),
        )
        return abs(answer.lines[0].powers[0] - true_power()) <= 0.15

    @cache
    def true_power() -> float:
        rng, found, studies = np.random.default_rng(1), 0, 600
        for _ in range(studies):
            rows = truth.study(rng, study_tasks, many)
            groups = {agent: [row for row in rows if row.agent == agent] for agent in "ab"}
            interval = Shares.of(rows).differences(groups)["a", "b"].like_these
            found += interval is not None and not interval.low <= 0 <= interval.high
        return found / studies

    return Design(
        f"power-{pilot_tasks}",
        f"power of {study_tasks} tasks, predicted within .15 from a pilot of {pilot_tasks} tasks x {many} episodes",
        "power",
        simulate,
        allowed=(0.8, 1.0),
    )


for _many in (3, 5, 10, 30):
    register(interquartile(normal, "normal", "normal scores", _many, runs=False))
    register(interquartile(bimodal, "bimodal", "bimodal scores", _many, runs=False))
for _many in (5, 10, 30):
    register(interquartile(normal, "normal", "normal scores", _many, runs=True))
    register(interquartile(all_or_nothing, "binary", "scores of 0 and 1", _many, runs=False))
for _share in (0.5, 0.8, 0.93):
    register(optimality_gap(_share, 10))
for _shares in ((0.8, 0.8), (0.8, 0.5), (0.95, 0.5)):
    register(improvement(_shares, 10))
register(equivalence_at_the_bound(10, 20), equivalence_at_the_bound(40, 20), predicted_power(40, 30, 10))
