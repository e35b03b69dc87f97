"""Published results for comparison: the levels of the testbed, the two experiments, and the leaderboard.

The tables are `published_levels.csv` (proportions passed, recomputed from the published result files) and
`published_experiments.csv` (returns of 100 episodes each). Two entries exist twice: as published and as corrected.
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

from puzzlebox.stats.intervals import Interval, wilson_of

_HERE = Path(__file__).parent
LEVELS = {
    "1": "Food retrieval",
    "2": "Preferences",
    "3": "Static obstacles",
    "4": "Avoidance",
    "5": "Spatial reasoning and support",
    "6": "Generalisation",
    "7": "Internal modelling",
    "8": "Object permanence and working memory",
    "9": "Numerosity and advanced preferences",
    "10": "Causal reasoning",
}
SOURCES = {
    "children-2022": "59 children aged 6 to 10, 40 tasks each (Voudouris et al. 2022), recomputed from their scores",
    "entrant-2019": "Animal-AI competition of 2019 (Crosby et al. 2020), 900 tasks once each",
    "paper-2024": "Voudouris et al. 2024 (arXiv 2312.11414), 900 tasks once each, game build 3.1.3",
}
# The published results that reports show, and their names there; PPO with corrected task names.
SHOWN = {
    "random": "random",
    "heuristic": "heuristic",
    "ppo-relabelled": "PPO",
    "dreamer-v3": "Dreamer-v3",
    "ironbar": "ironbar",
    "Trrrrr": "Trrrrr",
    "children-corrected": "children",
}
CAUTIONS = {
    "children-corrected": "the paper's figure read pass flags as scores (0.600 overall instead of 0.559)",
    "ppo-relabelled": (
        "the paper's rows have wrong task names, with which 2.6 % of 900 tasks are passed; with reconstructed names "
        "these 900 episodes are on 609 tasks, some of them played more than once, and 1.4 % of them pass"
    ),
}
# Tasks that were played, where they are fewer than the episodes.
_TASKS = {"ppo-relabelled": 609, "children-corrected": 40, "children-as-published": 40}
# Variants of a task are alike, so that the 90 episodes of a level are worth half as many: the variance between tasks,
# divided by that of independent episodes, in the mean over all agents and levels of the published episodes.
_DESIGN_EFFECT = 2.0
# The published experiment of each of our tasks.
EXPERIMENTS = {"foraging": "foraging", "operant": "operant-chamber", "operant-chamber": "operant-chamber"}


class LevelRates(NamedTuple):
    """The proportions that an agent or a group of participants passed on the testbed.

    Attributes:
        source: a key of SOURCES.
        agent: its name in the table.
        episodes: the number of episodes on all levels together.
        rates: the proportion passed, by level ("1" to "10").
        overall: the proportion passed of all episodes.
    """

    source: str
    agent: str
    episodes: int
    rates: dict[str, float]
    overall: float

    @property
    def name(self) -> str:
        """Its name in a report."""
        return SHOWN.get(self.agent, self.agent)

    @property
    def tasks(self) -> int:
        """The number of different tasks that were played; the others played each task once."""
        return _TASKS.get(self.agent, self.episodes)

    def interval(self, level: str) -> Interval:
        """Return the proportion passed on a level with an approximate interval for tasks like these.

        Single episodes are not bundled; all levels have equally many, in variants of tasks.
        """
        return wilson_of(self.rates[level], self.episodes / len(self.rates) / _DESIGN_EFFECT)


class Experiment(NamedTuple):
    """Returns of an agent in one of the two experiments of 2024."""

    experiment: str
    agent: str
    episodes: int
    mean: float
    sd: float
    median: float
    passes: int


class Place(NamedTuple):
    """A rank on the leaderboard, and the best and the worst rank that the interval of the proportion allows."""

    place: int
    best: int
    worst: int
    entrants: int


@cache
def level_rates() -> dict[str, LevelRates]:
    """Return all published results on the testbed, by name."""
    rows = _rows("published_levels.csv")
    return {
        row["agent"]: LevelRates(
            row["source"],
            row["agent"],
            int(row["episodes"]),
            {level: float(row[f"level_{level}"]) for level in LEVELS},
            float(row["overall"]),
        )
        for row in rows
    }


def shown() -> list[LevelRates]:
    """Return the published results on the testbed that reports show."""
    return [level_rates()[agent] for agent in SHOWN]


@cache
def experiments() -> tuple[Experiment, ...]:
    """Return the results of the two experiments, and of the radial maze, which is not in the paper."""
    return tuple(
        Experiment(
            row["experiment"],
            row["agent"],
            int(row["episodes"]),
            float(row["mean"]),
            float(row["sd"]),
            float(row["median"]),
            int(row["passes"]),
        )
        for row in _rows("published_experiments.csv")
    )


@cache
def leaderboard() -> tuple[LevelRates, ...]:
    """Return the 64 entrants, best first: 60 of 2019, and the four agents of 2024 as published."""
    new = ("random", "heuristic", "dreamer-v3", "ppo-as-published")
    entries = [each for each in level_rates().values() if each.source == "entrant-2019" or each.agent in new]
    return tuple(sorted(entries, key=lambda each: -each.overall))


def place_among_entrants(rate: Interval) -> Place:
    """Return the rank of a proportion passed on the leaderboard; ties get the better rank."""

    def rank(share: float) -> int:
        return 1 + sum(each.overall > share + 5e-5 for each in leaderboard())

    return Place(rank(rate.value), rank(rate.high), rank(rate.low), len(leaderboard()))


def _rows(name: str) -> list[dict[str, str]]:
    with (_HERE / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
