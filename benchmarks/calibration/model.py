"""Designs of the model of passing: agents, levels, deterministic agents and groups of people."""

from collections.abc import Callable

import numpy as np

from benchmarks.calibration import Design, Outcome, register
from benchmarks.calibration.draws import episodes, probability
from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.model import Model, fit_model
from puzzlebox.report.units import Units

_SIGNIFICANT = 0.05


def model_of(rows: list[ReportEpisode]) -> Model:
    """Return the model that a page has about some episodes."""
    return fit_model(Units.of(rows))


def found_a_difference(rows: list[ReportEpisode]) -> Outcome:
    """Return whether a page says that agents differ: by its model, or by permutation; None if it gives no answer."""
    model = model_of(rows)
    if model.overall is not None:
        return model.overall.p < _SIGNIFICANT
    return any(pair.p_holm < _SIGNIFICANT for pair in model.pairs) if model.pairs else None


def covers(rows: list[ReportEpisode], factor: str, name: str, truth: float) -> Outcome:
    """Return whether the interval of a term contains the true log odds; None if the page has no such term."""
    for term in model_of(rows).terms:
        if (term.factor, term.name) == (factor, name):
            return term.log_odds.low <= truth <= term.log_odds.high
    return None


def agents(
    rng: np.random.Generator,
    effects: dict[str, float],
    tasks: int,
    repetitions: int,
    spread: float,
    level: Callable[[int], str] = lambda task: "",
    harder: float = 0.0,
) -> list[ReportEpisode]:
    """Draw episodes of agents on tasks of different difficulty (SD 1); `harder` for each level after the first."""
    ease = rng.normal(0, 1, tasks)
    if harder:
        ease -= harder * np.array([float(level(task)) for task in range(tasks)])
    rows = []
    for agent, effect in effects.items():
        own = ease + effect + rng.normal(0, spread, tasks)
        rows += episodes(rng, agent, probability(own), repetitions, level)
    return rows


def right_model() -> Design:
    """Three agents as the model assumes them: the interval of an agent's effect."""

    def simulate(rng: np.random.Generator) -> Outcome:
        rows = agents(rng, {"a": -0.5, "b": 0.5, "c": 0.0}, 30, 10, 0.5)
        return covers(rows, "agent", "b", 1.0)

    about = "log odds of an agent, three agents, agent x task SD 0.5, 30 tasks x 10 episodes"
    return Design("right-model", about, "coverage", simulate)


def level_term(tasks: int) -> Design:
    """Two agents on tasks of two levels: the interval of the difference between levels."""

    def simulate(rng: np.random.Generator) -> Outcome:
        rows = agents(rng, {"a": 0.0, "b": 0.5}, tasks, 20, 0.5, lambda task: str(task % 2), 1.0)
        return covers(rows, "level", "1", -1.0)

    about = f"log odds of a level, two levels, {tasks} tasks x 20 episodes, two agents"
    return Design(f"levels-{tasks}-tasks", about, "coverage", simulate)


def null_agents(tasks: int, repetitions: int, spread: float, count: int = 2) -> Design:
    """Agents that are equally good over tasks like these, each with strengths and weaknesses of its own."""

    def simulate(rng: np.random.Generator) -> Outcome:
        return found_a_difference(agents(rng, dict.fromkeys("abcdef"[:count], 0.0), tasks, repetitions, spread))

    name = f"null-agents-{spread:g}" + (f"-{repetitions}" if repetitions != 20 else "")
    many = {2: "two", 4: "four"}[count]
    about = f"{many} equal agents, agent x task SD {spread:g}, {tasks} tasks x {repetitions} episodes"
    return Design(name if count == 2 else f"{name}-{many}", about, "type I", simulate)


def null_deterministic() -> Design:
    """Two deterministic agents, each of which passes a task always or never, and half of all tasks like these."""

    def simulate(rng: np.random.Generator) -> Outcome:
        rows = []
        for agent in ("a", "b"):
            for task, passed in enumerate(rng.random(20) < 0.5):
                total = float(passed) - 0.1 * float(rng.random())
                rows += [
                    ReportEpisode(id="", task=f"task {task}", agent=agent, total=total, passed=bool(passed), seed=seed)
                    for seed in range(20)
                ]
        return found_a_difference(rows)

    about = "two equal deterministic agents, 20 tasks x 20 episodes"
    return Design("null-deterministic", about, "type I", simulate)


def null_groups_of_people() -> Design:
    """Two groups of people who are equally good on average, but differ from person to person."""

    def simulate(rng: np.random.Generator) -> Outcome:
        ease = rng.normal(0, 1, 40)
        rows = []
        for group in ("children", "adults"):
            for person in range(15):
                chances = probability(ease + rng.normal(0, 1.5))
                rows += episodes(rng, group, chances, 1, participant=f"{group} {person}")
        return found_a_difference(rows)

    about = "two equal groups of 15 people, person SD 1.5, 40 tasks"
    return Design("null-groups-of-people", about, "type I", simulate)


register(
    right_model(),
    level_term(6),
    level_term(12),
    null_agents(20, 20, 0.5),
    null_agents(20, 20, 1.0),
    null_agents(20, 100, 1.0),
    null_agents(20, 20, 1.0, 4),
    null_deterministic(),
    null_groups_of_people(),
)
