"""Test how well capabilities predict tasks that were not used: `python -m benchmarks.capabilities SAMPLE [FOLDER]`.

Three agents (random, heuristic, navigator) play the bundled tasks for one animal, and the 100 tasks of the testbed's
sample by the rules of build 3.1; then a report infers their capabilities and cross-validates them. Everything goes
through `puzzlebox run` and `puzzlebox report`; with one process it takes about ten minutes. SAMPLE is the folder of the
sample; runs and report stay in FOLDER, where a second call resumes them.
"""

import sys
import tempfile
from pathlib import Path

from puzzlebox.report import Report, make_report
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks
from puzzlebox.wings import ARENA, wing_named

AGENTS = ("random", "heuristic", "navigator")
EPISODES = 3


def report_on(sample: Path, folder: Path, episodes: int = EPISODES) -> Report:
    """Play all tasks and write the report.

    Args:
        sample: the folder of the testbed's sample.
        folder: the folder of the runs and the report.
        episodes: how often each agent plays each arena; a deterministic one plays fixed arenas always alike.
    """
    names = [each.name for each in wing_named(ARENA).bundled()]
    bundled = [task for task in find_tasks(names) if task.task.bodies == 1]
    run(bundled, AGENTS, folder / "bundled", episodes=episodes, workers=1)
    run(find_tasks([str(sample)]), AGENTS, folder / "sample", episodes=episodes, workers=1, rules="3.1")
    return make_report([folder / "bundled", folder / "sample"], folder / "report", layout=True)


def prediction(report: Report) -> list[str]:
    """Return the sentences of the report about capabilities."""
    sections = [section for section in report.contents.sections if section.title == "Capabilities"]
    return [block for section in sections for block in section.blocks if isinstance(block, str)]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        made = report_on(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else place))
        print("\n".join(prediction(made)))
