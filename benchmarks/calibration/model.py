"""Designs of the model of passing: agents, levels, deterministic agents and groups of people."""

import numpy as np

from benchmarks.calibration import Design, Outcome, register
from benchmarks.calibration.draws import episodes, probability
from puzzlebox.report.model import fit_model


def null_agents(tasks: int, repetitions: int, spread: float, task_spread: float = 1.0) -> Design:
    """Two agents that are equally good over tasks like these, each with strengths and weaknesses of its own."""

    def simulate(rng: np.random.Generator) -> Outcome:
        ease = rng.normal(0, task_spread, tasks)
        rows = []
        for agent in ("a", "b"):
            rows += episodes(rng, agent, probability(ease + rng.normal(0, spread, tasks)), repetitions)
        fit = fit_model(rows).fit
        return None if fit is None else fit.terms[1].p < 0.05

    suffix = f"-{repetitions}" if repetitions != 20 else ""
    return Design(
        f"null-agents-{spread:g}{suffix}",
        f"two equal agents, agent x task SD {spread:g}, {tasks} tasks x {repetitions} episodes",
        "type I",
        simulate,
    )


register(null_agents(20, 20, 0.5), null_agents(20, 20, 1.0), null_agents(20, 100, 1.0))
