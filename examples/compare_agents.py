"""Let two agents play the same variations of a task, compare them, and read the table of results."""

import csv
import subprocess
from collections import defaultdict
from pathlib import Path

VARIATIONS = 10


def puzzlebox(*words: str) -> None:
    """Run a command as in a terminal."""
    print("$ puzzlebox", *words)
    subprocess.run(["puzzlebox", *words], check=True)


agents = ["--agent", "random", "--agent", "heuristic"]
puzzlebox("run", "basic-control/approach", *agents, "--variations", str(VARIATIONS), "--seed", "1", "-o", "out")
puzzlebox("report", "out", "-o", "report")  # figures, statistics and a methods section: open report/report.html

passed = defaultdict(list)
with Path("out/episodes.csv").open(newline="") as file:
    for row in csv.DictReader(file):  # one row for each episode
        passed[row["agent"]].append(row["passed"] == "True")
for agent, results in passed.items():
    print(f"{agent} passed {sum(results)} of {len(results)}")
