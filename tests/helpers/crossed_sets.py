"""Three simulated experiments that were also given to R: balanced, unbalanced with participants, and separated."""

from collections.abc import Iterator
from math import exp
from typing import NamedTuple

from puzzlebox.report.episodes import ReportEpisode


class Row(NamedTuple):
    """A simulated episode."""

    agent: str
    task: str
    level: str
    participant: str
    passed: bool


def draws(seed: int) -> Iterator[float]:
    """Yield numbers between 0 and 1 by plain arithmetic, so that the data given to R are reproducible."""
    state = seed
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield (state >> 11) / 2**53


def experiment(
    seed: int, tasks: int, effects: dict[str, float], episodes: tuple[int, int], levels: int = 1, people: int = 0
) -> list[Row]:
    """Draw episodes: task SD 1, agent x task SD 0.7, person SD 1; `episodes` at least and at most on each task."""
    draw = draws(seed)

    def normal() -> float:
        return sum(next(draw) for _ in range(12)) - 6

    ease = [normal() for _ in range(tasks)]
    rows = []
    for agent, effect in effects.items():
        own = [each + effect + 0.7 * normal() - 0.5 * (task % levels) for task, each in enumerate(ease)]
        for person in range(people) if agent == "people" else [-1]:
            shift = normal() if person >= 0 else 0.0
            for task in range(tasks):
                fewest, most = (0, 2) if person >= 0 else episodes
                for _ in range(fewest + int(next(draw) * (most + 1 - fewest))):
                    passed = next(draw) < 1 / (1 + exp(-(own[task] + shift)))
                    who = f"P{person}" if person >= 0 else ""
                    level = f"{1 + task % levels}" if levels > 1 else ""
                    rows.append(Row(agent, f"task {task:02}", level, who, passed))
    return rows


SETS = {
    "balanced": experiment(1, 20, {"a": -0.5, "b": 0.5, "c": 0.3}, (10, 10)),
    "people": experiment(2, 30, {"a": -0.5, "b": 0.5, "people": 1.0}, (0, 8), levels=3, people=12),
    "separated": experiment(3, 15, {"a": -0.5, "b": 0.5, "c": 30.0}, (8, 8)),
}


def report_rows(rows: list[Row]) -> list[ReportEpisode]:
    """Return simulated episodes as those of a report; returns differ, as those of agents do that vary."""
    draw = draws(7)
    return [
        ReportEpisode(
            id="",
            task=row.task,
            agent=row.agent,
            total=row.passed - next(draw),
            passed=row.passed,
            level=row.level,
            participant=row.participant,
            person=bool(row.participant),
            seed=number,
        )
        for number, row in enumerate(rows)
    ]
