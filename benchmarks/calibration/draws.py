"""Draws of simulated experiments: episodes of agents and participants on tasks, with known effects."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from puzzlebox.report.episodes import ReportEpisode

Array = NDArray[np.float64]


def probability(log_odds: Array) -> Array:
    """Return the probabilities of log odds."""
    return np.asarray(1 / (1 + np.exp(-log_odds)), float)


def episodes(
    rng: np.random.Generator,
    agent: str,
    chances: Array,
    repetitions: int,
    level: Callable[[int], str] = lambda task: "",
    participant: str = "",
) -> list[ReportEpisode]:
    """Draw the episodes of an agent or participant on all tasks.

    Args:
        rng: the random stream.
        agent: the name of the agent, or of the group of participants.
        chances: the probability of passing each task.
        repetitions: the number of episodes on each task.
        level: the level of each task, by its index.
        participant: the id of the participant; "" for an agent.
    """
    passed = rng.random((len(chances), repetitions)) < chances[:, None]
    # Returns vary as those of agents do that are not deterministic.
    totals = passed - rng.random(passed.shape)
    person = bool(participant)
    return [
        ReportEpisode(
            id="",
            task=f"task {task}",
            agent=agent,
            total=float(totals[task, number]),
            passed=bool(passed[task, number]),
            level=level(task),
            seed=number,
            repetition=number,
            participant=participant,
            person=person,
            player="human" if person else "agent",
        )
        for task in range(len(chances))
        for number in range(repetitions)
    ]
