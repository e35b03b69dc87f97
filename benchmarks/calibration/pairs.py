"""Designs of the comparisons of returns: shared seeds, several tasks without a difference, tasks as units."""

from collections.abc import Mapping

import numpy as np

from benchmarks.calibration import Design, Outcome, register
from benchmarks.calibration.draws import probability
from puzzlebox.report.by_factor import compare_values
from puzzlebox.report.comparisons import compare
from puzzlebox.report.contrasts import contrasts
from puzzlebox.report.episodes import ReportEpisode

# What the issue of shared seeds is about: seeds differ more than agents do, so that groups overlap almost wholly.
_SEED_SPREAD, _NOISE, _SEEDS = 1.0, 0.3, 20
# The difference of mean returns at which the signed-rank test of 20 pairs with this noise has a power of .71.
_DIFFERENCE = 0.258


def returns(
    rng: np.random.Generator,
    agents: Mapping[str, float],
    tasks: int = 1,
    seeds: int = _SEEDS,
    *,
    agent_by_task: float = 0.0,
    spreads: Mapping[str, float] | None = None,
    shared: bool = True,
) -> list[ReportEpisode]:
    """Draw the returns of agents on tasks.

    Args:
        rng: the random stream.
        agents: the mean return of each agent.
        tasks: the number of tasks.
        seeds: the number of episodes of each agent on a task.
        agent_by_task: the standard deviation of what an agent does better or worse on single tasks.
        spreads: the standard deviation of the episodes of each agent. Default: the same for all.
        shared: whether the seeds, each with a difficulty of its own, are the same for all agents.
    """
    rows = []
    for task in range(tasks):
        ease = rng.normal(0, _SEED_SPREAD, seeds)
        for number, (agent, mean) in enumerate(agents.items()):
            own = ease if shared else rng.normal(0, _SEED_SPREAD, seeds)
            noise = rng.normal(0, (spreads or {}).get(agent, _NOISE), seeds)
            totals = mean + rng.normal(0, agent_by_task) + own + noise
            rows += [
                ReportEpisode(
                    id="",
                    task=f"task {task}",
                    agent=agent,
                    total=float(total),
                    passed=bool(total > 0),
                    seed=seed if shared else 1000 * number + seed,
                    repetition=seed,
                )
                for seed, total in enumerate(totals)
            ]
    return rows


def one_task(name: str, about: str, agents: Mapping[str, float], allowed: tuple[float, float] | None = None) -> Design:
    """Agents on the shared seeds of one task."""

    def simulate(rng: np.random.Generator) -> Outcome:
        (test,) = compare(returns(rng, agents)).tests
        return None if test.tests is None else "returns differed" in test.sentence

    quantity = "type I" if len(set(agents.values())) == 1 else "power"
    return Design(name, about, quantity, simulate, allowed)  # type: ignore[arg-type]


def unequal_spreads(rng: np.random.Generator) -> Outcome:
    """Two agents without shared seeds; the one with fewer episodes varies three times as much."""
    few = returns(rng, {"a": 0.0}, seeds=10, spreads={"a": 3.0}, shared=False)
    many = returns(rng, {"b": 0.0}, seeds=40, spreads={"b": 0.0}, shared=False)
    many = [ReportEpisode(**vars(row) | {"seed": 5000 + (row.seed or 0)}) for row in many]
    (test,) = compare([*few, *many]).tests
    return None if test.tests is None else "returns differed" in test.sentence


def null_tasks(agents: int) -> Design:
    """Eight tasks on which no agent differs from another; whether any sentence says that some do."""

    def simulate(rng: np.random.Generator) -> Outcome:
        names = {"abcdef"[number]: 0.0 for number in range(agents)}
        return any("returns differed" in test.sentence for test in compare(returns(rng, names, tasks=8)).done)

    about = f"{agents} equal agents on shared seeds of eight tasks: some sentence says “differed”"
    return Design(f"eight-null-tasks-{agents}", about, "type I", simulate)


def over_tasks(agents: int, tasks: int) -> Design:
    """Agents that are equal over tasks like these and differ on single ones."""

    def simulate(rng: np.random.Generator) -> Outcome:
        names = {"abcdef"[number]: 0.0 for number in range(agents)}
        across = compare(returns(rng, names, tasks, seeds=10, agent_by_task=1.0)).across
        return None if across.tests is None else "returns differed" in across.sentence

    about = f"{agents} agents equal over tasks like these, {tasks} tasks x 10 episodes, tasks as units"
    return Design(f"returns-over-{tasks}-tasks-{agents}", about, "type I", simulate)


def control_and_test(units: str, count: int) -> Design:
    """Whether the interval of control minus test holds the true difference, for tasks or participants like these."""

    def simulate(rng: np.random.Generator) -> Outcome:
        rows = []
        for unit in range(count):
            ease = rng.normal(0.5, 1.0)
            for word, shift in (("control", 0.0), ("test", -1.0)):
                chance = 1 / (1 + np.exp(-(ease + shift + rng.normal(0, 0.7))))
                rows += [_trial(rng.random() < chance, units, unit, word, seed, rng.random()) for seed in range(10)]
        (found,) = contrasts(rows)
        if found.difference is None:
            return None
        spread = float(np.hypot(1.0, 0.7))
        true = _mean_probability(0.5, spread) - _mean_probability(-0.5, spread)
        return found.difference.low <= true <= found.difference.high

    about = f"control minus test, {count} {units}s x 10 episodes each, {units} SD 1, {units} x condition SD 0.7"
    return Design(f"control-and-test-{units}s", about, "coverage", simulate)


def _mean_probability(log_odds: float, spread: float) -> float:
    """Return the mean probability of passing if the log odds are normal with this mean and standard deviation."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(np.sum(weights * probability(log_odds + spread * nodes)) / np.sum(weights))


def _trial(passed: bool, units: str, unit: int, word: str, seed: int, waste: float) -> ReportEpisode:
    person = units == "participant"
    return ReportEpisode(
        id="",
        task="wall" if person else f"task {unit}",
        agent="human" if person else "a",
        arena=int(word == "test"),
        total=passed - waste,
        passed=bool(passed),
        seed=seed,
        participant=f"p{unit}" if person else "",
        person=person,
        player="human" if person else "agent",
        factors={"condition": word},
    )


def null_factor(rng: np.random.Generator) -> Outcome:
    """Three values of a factor that changes nothing, each on eight variants of different difficulty."""
    rows = []
    for variant in range(24):
        chance = 1 / (1 + np.exp(-rng.normal(0, 1.5)))
        trials = [_trial(rng.random() < chance, "task", 0, "", seed, rng.random()) for seed in range(10)]
        about = {"task": f"wall@{variant}", "variant": str(variant), "factors": {"side": "abc"[variant % 3]}}
        rows += [ReportEpisode(**vars(row) | about | {"arena": 0}) for row in trials]
    return any(test.p_adjusted < 0.05 for test in compare_values(rows, "side").tests)


_SHARED = f"on {_SEEDS} shared seeds of one task, returns"
register(
    one_task("shared-seeds-null", f"two equal agents {_SHARED}", {"a": 0.0, "b": 0.0}),
    one_task("shared-seeds-null-3", f"three equal agents {_SHARED}", {"a": 0.0, "b": 0.0, "c": 0.0}),
    one_task(
        "shared-seeds-power",
        f"two agents {_SHARED}, where signed ranks have a power of .71",
        {"a": _DIFFERENCE, "b": 0.0},
        (0.66, 0.76),
    ),
    Design(
        "unequal-variances",
        "two agents without shared seeds, SD 3.2 and 1, 10 and 40 episodes",
        "type I",
        unequal_spreads,
    ),
    null_tasks(2),
    null_tasks(3),
    over_tasks(2, 10),
    over_tasks(3, 10),
    control_and_test("task", 10),
    control_and_test("participant", 20),
    Design(
        "null-factor",
        "a factor without effect, 3 values x 8 variants x 10 episodes, variant SD 1.5",
        "type I",
        null_factor,
    ),
)
