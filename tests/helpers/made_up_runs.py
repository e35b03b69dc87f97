"""Made-up runs: folders as `puzzlebox run` writes them, with results drawn with probabilities that a test chooses."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from episodes import NAMES

# The skill of each agent, in log odds of passing a task of average difficulty.
SKILLS = {"random": -2.0, "heuristic": 0.0, "learner": 1.0}


def made_up_rows(
    tasks: Sequence[str],
    agents: Mapping[str, float] = SKILLS,
    episodes: int = 10,
    seed: int = 0,
    trained_on: Mapping[str, Sequence[str]] | None = None,
) -> list[dict[str, Any]]:
    """Draw rows of results; a task of the testbed has its level and variant."""
    rng = np.random.default_rng(seed)
    rows = []
    for number, task in enumerate(tasks):
        ease = rng.normal()
        parts = task.split("-")
        testbed = len(parts) == 3 and all(part.isdecimal() for part in parts)
        for agent, skill in agents.items():
            for episode in range(episodes):
                passed = bool(rng.random() < 1 / (1 + np.exp(-(skill + ease))))
                steps = int(rng.integers(100, 1250)) if passed else 1250
                row = dict.fromkeys(NAMES)
                row |= {
                    "run": "made-up",
                    "task": task,
                    "task_hash": f"{number:064x}",
                    "variant": parts[2] if testbed else "",
                    "level": str(int(parts[0])) if testbed else "",
                    "arena": 0,
                    "agent": agent,
                    "repetition": episode,
                    "seed": 1000 * number + episode,
                    "rules": "3.1",
                    "steps": steps,
                    "decisions": -(-steps // 3),
                    "return": round(0.999 - 0.0008 * steps, 6) if passed else -1.0,
                    "passed": passed,
                    "ended_by": "completed" if passed else "time",
                    "player": "agent",
                    "goals": int(passed),
                    "events": [],
                    # A passed episode shows the result for 2.5 s, after a delay of 0.5 s.
                    "seconds": round(0.02 * steps, 2),
                    "latency": round(0.02 * steps - (3 if passed else 0), 2),
                }
                if trained_on and agent in trained_on:
                    row["trained_on"] = task in trained_on[agent]
                rows.append(row)
    return rows


def write_run(folder: Path, rows: Sequence[Mapping[str, Any]], settings: Mapping[str, Any] | None = None) -> Path:
    """Write a folder with the results of a run and its settings."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "episodes.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, NAMES, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    default_settings = {
        "run": folder.name,
        "puzzlebox": "0.1.0",
        "rules": "3.1",
        "rules_fields": {"decision_period": 3},
        "seed": 7,
        "longest": 50_000,
        "agents": [{"name": "random"}, {"name": "heuristic"}],
        "tasks": [{"name": "many", "hash": "0"}],
        "commands": [{"command": f"puzzlebox run tasks --agent random --agent heuristic --seed 7 -o {folder.name}"}],
    }
    (folder / "run.json").write_text(json.dumps(default_settings if settings is None else settings), encoding="utf-8")
    return folder
