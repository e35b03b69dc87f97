"""Several runs at the same time, each in its own process; a run that fails does not stop the others."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.learning.jobs import Job
from benchmarks.learning.results import is_finished, write_result
from benchmarks.learning.testing import is_tested
from benchmarks.learning.training import WORDS, can_begin, is_trained, trained_so_far

TRAIN = "train"
_POLL_SECONDS = 0.5
# A process needs this long to start and to save; with less time left none is started.
_LEAST_SECONDS, _SAVING_SECONDS = 25.0, 8.0
# A process that has not ended this long after its time is stopped.
_GRACE_SECONDS = 30.0


@dataclass(frozen=True)
class Piece:
    """Work of one process: the training of a run, or a part of its evaluation.

    Attributes:
        job: the run.
        what: "train", or the number of the part.
    """

    job: Job
    what: str

    @property
    def cores(self) -> int:
        """The number of cores that it keeps busy."""
        return self.job.cores if self.what == TRAIN else 1

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.job.name if self.what == TRAIN else f"{self.job.name} (evaluation {self.what})"


@dataclass(frozen=True)
class Work:
    """Where and how the processes work.

    Attributes:
        out: the folder of all runs.
        device: "cpu" or "cuda".
        originals: the folder of the original's tasks; None if it is not known.
    """

    out: Path
    device: str = "cpu"
    originals: Path | None = None


def pieces_of(job: Job, work: Work) -> list[Piece]:
    """Return the pieces of a run that can be done next; none if it is finished."""
    if not is_trained(job, work.out):
        return [Piece(job, TRAIN)] if can_begin(job, work.out) else []
    return [Piece(job, str(part)) for part in range(job.parts) if not is_tested(job, work.out, part)]


def run_all(
    jobs: Sequence[Job], work: Work, processes: int, minutes: float, note: Callable[[str], None]
) -> dict[str, str]:
    """Do runs until all are finished or the time is over; return the state of each.

    Runs begin in the order in which they are named, the largest of a group first; evaluations come before further
    training, since they are short.
    """
    end = time.monotonic() + 60 * minutes
    order = sorted(range(len(jobs)), key=lambda index: (_group_index(jobs, index), -jobs[index].steps, index))
    running: dict[Piece, subprocess.Popen[bytes]] = {}
    failed: dict[str, str] = {}
    while True:
        now = time.monotonic()
        _collect(running, failed, work, now > end + _GRACE_SECONDS, note)
        waiting = [
            piece
            for index in order
            if jobs[index].name not in failed
            for piece in pieces_of(jobs[index], work)
            if piece not in running
        ]
        waiting.sort(key=lambda piece: piece.what == TRAIN)
        for piece in waiting:
            busy = sum(each.cores for each in running)
            if end - now > _LEAST_SECONDS and (not running or busy + piece.cores <= processes):
                running[piece] = _start(piece, work, end - now - _SAVING_SECONDS)
                note(f"{piece.name}: started")
        if not running:
            break
        time.sleep(_POLL_SECONDS)
    return {job.name: failed.get(job.name) or state(job, work.out) for job in jobs}


def _group_index(jobs: Sequence[Job], index: int) -> int:
    return list(dict.fromkeys(job.group for job in jobs)).index(jobs[index].group)


def _collect(
    running: "dict[Piece, subprocess.Popen[bytes]]",
    failed: dict[str, str],
    work: Work,
    late: bool,
    note: Callable[[str], None],
) -> None:
    """Remove the processes that have ended, and write what they found."""
    for piece, process in list(running.items()):
        if process.poll() is None:
            if late:
                process.kill()
            continue
        del running[piece]
        if process.returncode:
            failed[piece.job.name] = f"failed, see {work.out / piece.job.name / WORDS}"
        write_result(piece.job, work.out)
        note(f"{piece.name}: {failed.get(piece.job.name, 'ended')}")


def state(job: Job, out: Path) -> str:
    """Return in words where a run stands."""
    if is_finished(job, out):
        return "finished"
    if not is_trained(job, out):
        waits = "" if can_begin(job, out) else f", needs {job.origin}"
        return "training" if trained_so_far(job, out)[0] else f"not begun{waits}"
    return f"evaluation, {sum(is_tested(job, out, part) for part in range(job.parts))} of {job.parts} parts"


def _start(piece: Piece, work: Work, seconds: float) -> "subprocess.Popen[bytes]":
    folder = work.out / piece.job.name
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "benchmarks.learning", "work", piece.job.name, piece.what, "-o", str(work.out)]
    command += ["--minutes", f"{seconds / 60:.3f}", "--device", work.device]
    if work.originals is not None:
        command += ["--originals", str(work.originals)]
    # Each process has one core, or divides its work itself, so libraries must not start threads of their own.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    with (folder / WORDS).open("ab") as words:
        return subprocess.Popen(command, stdout=words, stderr=words, env={**os.environ, **threads})
