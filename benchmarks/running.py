"""Measure a run over as many tasks as the testbed has: a scripted agent, two processes, everything recorded.

Everything counts: reading the files, starting the processes, playing, the journal, the trajectories, the tables.
"""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import Result
from benchmarks.reading import testbed_like
from puzzlebox.run.runs import run as play
from puzzlebox.run.tasks import find_tasks

TASKS, WORKERS = 900, 2
_AGENTS = {
    "random": "puzzlebox.arena.agents.random:RandomAgent",
    "heuristic, 15 rays": "puzzlebox.arena.agents.heuristic:HeuristicAgent(rays=15)",
}
# The navigator plans, which takes as long as everything else together.
_SLOWER = {"navigator, 91 rays": "puzzlebox.arena.agents.navigator:NavigatorAgent"}


def _seconds(folder: Path, agents: Sequence[str]) -> tuple[float, float]:
    """Return how many seconds a run takes, and how many physics steps it has."""
    with tempfile.TemporaryDirectory() as out:
        start = time.perf_counter()
        outcome = play(find_tasks([str(folder)]), agents, Path(out) / "run", rules="3.1", workers=WORKERS)
        seconds = time.perf_counter() - start
    assert not any(each.error for each in outcome.episodes)
    return seconds, sum(each.steps or 0 for each in outcome.episodes)


def run() -> list[Result]:
    """Measure the seconds for 900 episodes; for the slower agent, nine times those for a hundred."""
    results = []
    with tempfile.TemporaryDirectory() as place:
        folder, few = Path(place) / "all", Path(place) / "few"
        for path, count in ((folder, TASKS), (few, TASKS // 9)):
            path.mkdir()
            for number in range(count):
                (path / f"{number:03}.yaml").write_text(testbed_like(number))
        for name, agent in _AGENTS.items():
            seconds, steps = _seconds(folder, [agent])
            what = f"{TASKS} episodes, {name}, {WORKERS} processes ({steps / TASKS:.0f} physics steps each)"
            results.append(Result(what, seconds, "s", "at most 60 s"))
        for name, agent in _SLOWER.items():
            seconds, _ = _seconds(few, [agent])
            results.append(
                Result(f"{TASKS} episodes, {name}, {WORKERS} processes (from {TASKS // 9})", 9 * seconds, "s")
            )
    return results


if __name__ == "__main__":
    for result in run():
        print(f"{result.what}: {result.measured:.1f} {result.unit}")
