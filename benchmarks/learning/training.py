"""Training of one run, in pieces of some minutes."""

from pathlib import Path
from typing import Any

from benchmarks.learning.jobs import JOBS, Job

RUN, RESULTS, WORDS = "run", "results", "words.txt"


def plan_of(job: Job, out: Path) -> Any:
    """Return the plan of `puzzlebox.learn.trainer.train` for a run in the folder of all runs."""
    from puzzlebox.learn.curriculum_names import find_course
    from puzzlebox.learn.origin import find_origin
    from puzzlebox.learn.settings import resolve
    from puzzlebox.learn.trainer import Plan
    from puzzlebox.wings import find_training

    course = find_course(job.curriculum or None, list(job.sources))
    if job.origin:
        origin = find_origin(str(out / job.origin / RUN))
        return Plan(course, origin.resolve(course.tasks.wing, job.changes), job.steps, job.seed, origin=origin)
    known = find_training(course.tasks.wing).training_settings()
    return Plan(course, resolve(None, job.preset or None, job.changes, known), job.steps, job.seed)


def trained_so_far(job: Job, out: Path) -> tuple[int, float]:
    """Return the decisions and the seconds of training of a run so far."""
    from puzzlebox.learn.checkpoints import resumable

    checkpoint = resumable(out / job.name / RUN)
    return (0, 0.0) if checkpoint is None else (checkpoint.step, float(checkpoint.about["seconds"]))


def can_begin(job: Job, out: Path) -> bool:
    """Return whether there are the weights that a run starts from."""
    from puzzlebox.learn.checkpoints import find_checkpoint

    try:
        return not job.origin or find_checkpoint(out / job.origin / RUN).step >= JOBS[job.origin].steps
    except FileNotFoundError:
        return False


def is_trained(job: Job, out: Path) -> bool:
    """Return whether a run has all its decisions."""
    if job.agent:
        return True
    return trained_so_far(job, out)[0] >= job.steps


def train_piece(job: Job, out: Path, minutes: float, device: str) -> None:
    """Train a run for some minutes, or until it has all its decisions."""
    from puzzlebox.learn.run_folder import RUN as RUN_FILE
    from puzzlebox.learn.trainer import train

    folder = out / job.name / RUN
    resume = (folder / RUN_FILE).exists()
    outcome = train(plan_of(job, out), folder, resume=resume, minutes=minutes, device=device, command=f"run {job.name}")
    where = outcome.progress
    print(f"{job.name}: {where.step:,} decisions, {where.speed:,.0f} a second; {outcome.shares}", flush=True)
