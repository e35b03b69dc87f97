"""Evaluation of one run: episodes with drawn actions, a line of a file each, so that it can be resumed."""

import time
import zlib
from pathlib import Path
from typing import Any

from benchmarks.learning.jobs import ORIGINALS, Job, Test
from benchmarks.learning.training import RUN

Line = dict[str, Any]


def tests_of(job: Job, originals: Path | None) -> list[Test]:
    """Return the tests of a run; that on the original's tasks only if their folder is known."""
    return [test for test in job.tests if ORIGINALS not in test.sources or originals is not None]


def file_of(job: Job, out: Path, part: int) -> Path:
    """Return the file of the episodes of a part of an evaluation."""
    return out / job.name / f"test-{part}.jsonl"


def read_part(job: Job, out: Path, part: int) -> list[Line]:
    """Return the episodes of a part so far."""
    from puzzlebox.learn.logs import read_lines

    return read_lines(file_of(job, out, part))


def is_tested(job: Job, out: Path, part: int) -> bool:
    """Return whether a part of the evaluation is complete."""
    lines = read_part(job, out, part)
    return bool(lines) and bool(lines[-1].get("done"))


def test_part(job: Job, out: Path, part: int, minutes: float, originals: Path | None) -> bool:
    """Play the episodes of a part that are left, for some minutes; return whether it is complete.

    Whatever the number of parts, an episode has the same seed.
    """
    from puzzlebox.agents import agent_named
    from puzzlebox.learn.logs import append_line
    from puzzlebox.learn.trained import TrainedAgent
    from puzzlebox.run.play import play_episode
    from puzzlebox.run.tasks import find_tasks
    from puzzlebox.seeds import agent_seed, episode_seed
    from puzzlebox.wings import wing_named

    end = time.monotonic() + 60 * minutes
    known = {(each["test"], each["number"]) for each in read_part(job, out, part) if "test" in each}
    agent: Any = agent_named(job.agent) if job.agent else TrainedAgent(out / job.name / RUN)
    path = file_of(job, out, part)
    path.parent.mkdir(parents=True, exist_ok=True)
    number = 0
    for test in tests_of(job, originals):
        sources = [str(originals) if source == ORIGINALS else source for source in test.sources]
        tasks = find_tasks(sources, variations=test.variations)
        wing = wing_named(tasks[0].task.wing)
        apparatus = wing.apparatus(wing.rules(test.rules or None), agent.senses, 1)
        slots = [(task, start, again) for task in tasks for start in task.starts for again in range(test.episodes)]
        for task, start, again in slots:
            number += 1
            if number % job.parts != part or (test.name, number) in known:
                continue
            if time.monotonic() > end:
                return False
            # Runs with other seeds of training play other episodes.
            seed = episode_seed(job.seed + zlib.crc32(test.name.encode()), task.name, start, again)
            apparatus.begin(task.task, start, seed)
            agent.begin(agent_seed(seed))
            play_episode(apparatus, [agent], 50_000, lambda outcome: None)
            session = apparatus.session
            line = {"test": test.name, "number": number, "task": task.name, "level": task.level}
            line |= {"return": float(session.total), "passed": session.passed(), "length": session.clock}
            append_line(path, line)
    append_line(path, {"done": True})
    return True
