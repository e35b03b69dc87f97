"""What was published of the same experiments."""

import csv
from collections.abc import Mapping
from pathlib import Path

# Voudouris et al. (2024), 100 episodes of one run each: mean return and share passed, of the published result files.
PPO: Mapping[str, tuple[float, float]] = {
    "foraging": (19.53, 0.97),
    "operant": (-1.00, 0.0),
    "operant-curriculum": (-0.72, 0.19),
}
# Beyret et al. (2019), table 1: share passed in each maze.
MAZES: Mapping[str, Mapping[str, float]] = {
    "maze-curriculum": {"two-by-two": 0.64, "three-by-three": 0.70, "scrambled": 0.53, "circular": 0.39},
    "maze-two-by-two": {"two-by-two": 0.99, "three-by-three": 0.78, "scrambled": 0.55, "circular": 0.41},
}
_CURVES = Path(__file__).with_name("published-curves.csv")


def curves() -> dict[str, tuple[list[int], list[float]]]:
    """Return the published curves of PPO, means of 100 episodes: steps and returns by the label of the run."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    with _CURVES.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            steps, returns = found.setdefault(row["label"], ([], []))
            steps.append(int(row["step"]))
            returns.append(float(row["return"]))
    return found
