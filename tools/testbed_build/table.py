"""`table`: how often agents that take shortcuts pass each level, tests and controls apart."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from puzzlebox.arena.testbed.level import LEVELS, STRICT_LEVELS
from puzzlebox.record.episode import Episode
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks

AGENTS = ("random", "heuristic", "navigator")
# The most of the tests of a strict level that each may pass, in percent.
MOST = {"random": 10.0, "heuristic": 10.0, "navigator": 40.0}
CONDITIONS = ("test", "control")


def play_all(pattern: str, folder: Path, workers: int) -> list[Episode]:
    """Let the agents play all tasks of a pattern once, and return the episodes; what is in the folder is kept."""
    tasks = find_tasks([pattern])
    return run(tasks, AGENTS, folder, workers=workers, trajectories=False, command="tools/testbed.py table").episodes


def table(episodes: Sequence[Episode]) -> str:
    """Return the shares of passed episodes as a table in Markdown; a `!` marks what is above its limit."""
    passed: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for each in episodes:
        for level in (each.level, "all"):
            passed[level, str(each.factors.get("condition")), str(each.agent)].append(bool(each.passed))
    columns = [(condition, agent) for condition in CONDITIONS for agent in AGENTS]
    head = [f"{agent}, {condition}s" for condition, agent in columns]
    counts = [f"{condition}s" for condition in CONDITIONS]
    lines = [f"| level | {' | '.join(counts)} | {' | '.join(head)} |", "|---" * (3 + len(head)) + "|"]
    for level in [*(str(number) for number in range(1, LEVELS + 1)), "all"]:
        if not any(passed[level, *column] for column in columns):
            continue
        sizes = [str(len(passed[level, condition, AGENTS[0]])) for condition in CONDITIONS]
        cells = [_share(passed[level, condition, agent], level, condition, agent) for condition, agent in columns]
        lines.append(f"| {level} | {' | '.join(sizes)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _share(passed: Sequence[bool], level: str, condition: str, agent: str) -> str:
    if not passed:
        return ""
    share = 100 * sum(passed) / len(passed)
    above = level.isdigit() and int(level) in STRICT_LEVELS and condition == "test" and share >= MOST[agent]
    return f"{share:.1f} %{' !' if above else ''}"


def passed_tests(episodes: Sequence[Episode]) -> str:
    """Return which tests of strict levels each agent passes, as lines of text."""
    names: dict[tuple[int, str], list[str]] = defaultdict(list)
    for each in episodes:
        strict = each.level.isdigit() and int(each.level) in STRICT_LEVELS
        if strict and each.passed and each.factors.get("condition") == "test":
            names[int(each.level), str(each.agent)].append(each.task.split("/")[-1])
    return "\n".join(f"level {level}, {agent}: {', '.join(own)}" for (level, agent), own in sorted(names.items()))
