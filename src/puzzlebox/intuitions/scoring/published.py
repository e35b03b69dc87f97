"""Published scores of models on the Baby Intuitions Benchmark, and where the published numbers disagree.

The scores are those of docs/guides/intuitions-models.md: Gandhi et al. (2021) for BC-MLP, BC-RNN, Video-RNN and offline
RL; Hein and Diepold (2022) for VT; Bortoletto, Shi and Bulling (2024) for IRENE; Zhi-Xuan et al. (2022) for HBToM. They
were measured on the published films; ours are films of our own generator.
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

FAMILIAR, NEW, THREE_D = "familiar", "new", "3d"
# The order of columns in tables.
MODELS = ("BC-MLP", "BC-RNN", "Video-RNN", "Offline RL", "VT", "IRENE", "HBToM")
# Which published model each of our models re-implements, by its name on the command line.
REBUILT = {
    "video": "Video-RNN",
    "bc-mlp": "BC-MLP",
    "bc-rnn": "BC-RNN",
    "offline-rl": "Offline RL",
    "graph": "IRENE",
}
# Three tasks that the published tables average.
GROUPS = {
    "Efficient action": ("efficiency_path", "efficiency_time", "efficiency_irrational"),
    "Instrumental action": (
        "instrumental_no_barrier",
        "instrumental_inconsequential_barrier",
        "instrumental_blocking_barrier",
    ),
}


class PublishedScore(NamedTuple):
    """A published share of pairs, in per cent.

    Attributes:
        model: the name of the model in the publications.
        set: `familiar` or `new` shapes, or `3d`.
        read_out: `maximum`, `mean`, or `own` where a model has a read-out of its own.
        task: the name of the task.
        score: the share of pairs that it judged right, in per cent.
    """

    model: str
    set: str
    read_out: str
    task: str
    score: float


class PublishedAverage(NamedTuple):
    """A published average of three tasks, in per cent."""

    model: str
    set: str
    group: str
    printed: float


class Disagreement(NamedTuple):
    """A place where published numbers disagree with each other, in one sentence."""

    where: str
    sentence: str


# Averages as printed. The appendix prints some that are not the mean of the three numbers beside them.
AVERAGES = (
    PublishedAverage("BC-MLP", FAMILIAR, "Efficient action", 88.8),
    PublishedAverage("BC-MLP", FAMILIAR, "Instrumental action", 67.0),
    PublishedAverage("BC-RNN", FAMILIAR, "Efficient action", 82.5),
    PublishedAverage("BC-RNN", FAMILIAR, "Instrumental action", 77.9),
    PublishedAverage("Video-RNN", FAMILIAR, "Efficient action", 83.1),
    PublishedAverage("Video-RNN", FAMILIAR, "Instrumental action", 79.9),
    PublishedAverage("Offline RL", FAMILIAR, "Efficient action", 55.5),
    PublishedAverage("Offline RL", FAMILIAR, "Instrumental action", 68.3),
    PublishedAverage("VT", FAMILIAR, "Efficient action", 77.1),
    PublishedAverage("VT", FAMILIAR, "Instrumental action", 84.7),
    PublishedAverage("IRENE", FAMILIAR, "Efficient action", 94.7),
    PublishedAverage("IRENE", FAMILIAR, "Instrumental action", 71.5),
    PublishedAverage("HBToM", FAMILIAR, "Efficient action", 96.0),
    PublishedAverage("HBToM", FAMILIAR, "Instrumental action", 98.5),
    PublishedAverage("Video-RNN", NEW, "Efficient action", 72.7),
    PublishedAverage("Video-RNN", NEW, "Instrumental action", 69.6),
    PublishedAverage("Video-RNN", THREE_D, "Efficient action", 62.9),
)
# Averages that differ by no more than this are rounding.
_ROUNDING = 0.35

# What differs between models or versions of the benchmark, and is not arithmetic.
NOTES = (
    Disagreement(
        "Offline RL, inaccessible goal",
        "42.8 % was measured on an older version of the task, whose object positions were not matched within a pair.",
    ),
    Disagreement(
        "HBToM, all tasks",
        "It has a read-out of its own: three logistic classifiers, fitted on 220 synthetic episodes.",
    ),
    Disagreement(
        "BC-MLP, BC-RNN, Video-RNN, offline RL, all tasks",
        "The published code counts a tie as right; we count it as a half.",
    ),
    Disagreement(
        "number of pairs",
        "The paper says 1,000 pairs a task; version 1.1 has 327 to 1,500 files in a folder, by later papers.",
    ),
    Disagreement(
        "frames a second",
        "The paper says 25 in one place and 30 in another; every tenth frame is called 3 a second and is 2.5.",
    ),
)

# Validation errors on background data: single object, no-navigation preference, multi-agent, instrumental.
BACKGROUND_ERRORS = {
    "Video-RNN": (3.3e-4, 5.4e-4, 2.4e-4, 9e-4),
    "BC-MLP": (0.05, 0.02, 0.05, 0.04),
    "BC-RNN": (0.05, 0.02, 0.03, 0.03),
    "Offline RL": (0.09, 0.03, 0.05, 0.07),
}

# What infants of eleven months did (Stojnic et al. 2023 and their pilot); looking times of groups, not shares of pairs.
INFANTS = {
    "preference": "looked longer at the unexpected film (pilot: N = 24, 3.24 s, p = .040)",
    "multi_agent": "did not react as the labels of the benchmark say",
    "efficiency_path": "looked longer at the detour (pilot: N = 24, 4.50 s, p = .016)",
    "efficiency_time": "as path control: one task of efficient action",
    "efficiency_irrational": "expected efficient action by default, also of an agent seen to act inefficiently",
}


@cache
def scores() -> tuple[PublishedScore, ...]:
    """Return all published scores of single tasks."""
    with (Path(__file__).parent / "published.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            PublishedScore(row["model"], row["set"], row["read_out"], row["task"], float(row["score"]))
            for row in csv.DictReader(file)
        )


def score(model: str, task: str, set: str = FAMILIAR, read_out: str = "maximum") -> float | None:
    """Return one published score in per cent; None if there is none. A model with its own read-out has that one."""
    for each in scores():
        if (each.model, each.set, each.task) == (model, set, task) and each.read_out in (read_out, "own"):
            return each.score
    return None


def disagreements() -> list[Disagreement]:
    """Return where published numbers disagree: averages that are not the mean of their tasks, and other differences."""
    found = []
    for printed in AVERAGES:
        tasks = [score(printed.model, task, printed.set) for task in GROUPS[printed.group]]
        numbers = [number for number in tasks if number is not None]
        mean = sum(numbers) / len(numbers)
        if abs(mean - printed.printed) > _ROUNDING:
            sentence = (
                f"The average is printed as {printed.printed:.1f} %; the mean of its three tasks, "
                f"{', '.join(f'{number:.1f}' for number in numbers)}, is {mean:.1f} %."
            )
            found.append(Disagreement(f"{printed.model}, {printed.group} ({printed.set})", sentence))
    return [*found, *NOTES]
