"""Training of one run, in pieces of some minutes."""

import json
from pathlib import Path
from typing import Any

from benchmarks.learning.jobs import JOBS, Job

RUN, RESULTS, WORDS = "run", "results", "words.txt"
# What is left of a time budget when a run counts as trained, in seconds: about an update of the slowest learner.
_ENOUGH_SECONDS = 2.0


def plan_of(job: Job) -> Any:
    """Return the plan of `puzzlebox.learn.trainer.train` for a run."""
    from puzzlebox.learn.curriculum_names import find_course
    from puzzlebox.learn.settings import resolve
    from puzzlebox.learn.trainer import Plan
    from puzzlebox.wings import find_training

    course = find_course(job.curriculum or None, list(job.sources))
    known = find_training(course.tasks.wing).training_settings()
    resolved = resolve(None, job.preset or None, job.changes, known)
    return Plan(course, resolved, job.steps, job.seed)


def trained_so_far(job: Job, out: Path) -> tuple[int, float]:
    """Return the decisions and the seconds of training of a run so far."""
    from puzzlebox.learn.checkpoints import resumable

    checkpoint = resumable(out / job.name / RUN)
    return (0, 0.0) if checkpoint is None else (checkpoint.step, float(checkpoint.about["seconds"]))


def time_budget(job: Job, out: Path) -> float | None:
    """Return the seconds a run may train: the mean of those it is to be like; None while none of them has finished."""
    names = [each.name for each in JOBS.values() if each.label == job.like]
    seconds = []
    for name in names:
        file = out / RESULTS / f"{name}.json"
        about = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        if about.get("trained"):
            seconds.append(about["seconds"])
    return sum(seconds) / len(seconds) if seconds else None


def is_trained(job: Job, out: Path) -> bool:
    """Return whether a run has all its decisions, or all its time."""
    if job.agent:
        return True
    steps, seconds = trained_so_far(job, out)
    if job.like:
        budget = time_budget(job, out)
        return budget is not None and seconds >= budget - _ENOUGH_SECONDS
    return steps >= job.steps


def train_piece(job: Job, out: Path, minutes: float, device: str) -> None:
    """Train a run for some minutes, or until it has all its decisions or its time."""
    from puzzlebox.learn.run_folder import RUN as RUN_FILE
    from puzzlebox.learn.trainer import train

    if job.like:
        budget = time_budget(job, out)
        if budget is None:
            raise ValueError(f"no run of {job.like} has finished, whose time {job.name} is to have")
        minutes = min(minutes, (budget - trained_so_far(job, out)[1]) / 60)
    folder = out / job.name / RUN
    resume = (folder / RUN_FILE).exists()
    outcome = train(plan_of(job), folder, resume=resume, minutes=minutes, device=device, command=f"run {job.name}")
    where = outcome.progress
    print(f"{job.name}: {where.step:,} decisions, {where.speed:,.0f} a second; {outcome.shares}", flush=True)
