"""Many runs side by side, each in its own process; a run that fails does not stop the others."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.infant_learning.baselines import FILE
from benchmarks.infant_learning.jobs import BASELINES, JOBS, SAC

WORDS = "words.txt"
# Control steps a second on one core by task and learner, roughly: only the order of the runs depends on it.
_RATES = {"kick-the-ball": 700.0, "grab-object": 450.0, "object-nav": 700.0, "multi-agent-nav": 450.0}
_SAC_RATE = 0.5
_POLL_SECONDS, _LEAST_SECONDS = 0.5, 20.0
# A process that has not ended this long after its time is stopped.
_GRACE_SECONDS = 45.0


def left(name: str, out: Path) -> float:
    """Return roughly how many seconds a job still needs; 0 if it has finished."""
    from benchmarks.infant_learning.learner import progress

    if name in BASELINES:
        return 0.0 if (out / name / FILE).exists() else 120.0
    job = JOBS[name]
    rate = _RATES[job.task] * (_SAC_RATE if job.learner == SAC else 1.0)
    return max(0.0, (job.steps - int(progress(out / name)["step"])) / rate)


def run_all(
    names: Sequence[str], out: Path, processes: int, minutes: float, note: Callable[[str], None]
) -> dict[str, str]:
    """Run jobs until all have finished or the time is over; return the state of each.

    Those that need longest begin first, so that the last ones end at about the same time.
    """
    start = time.monotonic()
    running: dict[str, subprocess.Popen[bytes]] = {}
    states: dict[str, str] = {}
    waiting = sorted((name for name in names if left(name, out)), key=lambda name: -left(name, out))
    end = start + 60 * minutes
    while waiting or running:
        now = time.monotonic()
        while waiting and len(running) < processes and end - now > _LEAST_SECONDS:
            name = waiting.pop(0)
            running[name] = _start(name, out, end - now)
            note(f"{name}: started")
        for name, process in list(running.items()):
            if process.poll() is None:
                if now > end + _GRACE_SECONDS:
                    process.kill()
                continue
            del running[name]
            states[name] = "finished" if not left(name, out) else "unfinished"
            if process.returncode:
                states[name] = f"failed, see {out / name / WORDS}"
            note(f"{name}: {states[name]} after {now - start:.0f} s")
        if not running and now > end - _LEAST_SECONDS:
            break
        time.sleep(_POLL_SECONDS)
    for name in names:
        states.setdefault(name, "unfinished" if left(name, out) else "finished")
    return states


def _start(name: str, out: Path, seconds: float) -> "subprocess.Popen[bytes]":
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "benchmarks.infant_learning", name, "--out", str(out)]
    command += ["--minutes", f"{seconds / 60:.3f}"]
    # Each process has one core, so libraries must not start threads of their own.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    with (folder / WORDS).open("ab") as words:
        return subprocess.Popen(command, stdout=words, stderr=words, env={**os.environ, **threads})
