"""Small runs of training: rays in place of pictures, short episodes, one process."""

import json
from pathlib import Path
from typing import Any

from puzzlebox.learn.curriculum_names import find_course
from puzzlebox.learn.settings import resolve
from puzzlebox.learn.trainer import Outcome, Plan, train
from puzzlebox.run.tasks import find_tasks
from puzzlebox.wings import find_training

SMALL = ("camera=null", "rays=3", "max_episode_steps=30")
PPO = ("envs=2", "workers=1", "n_steps=32", "batch_size=32", "n_epochs=1")
DQN = ("envs=2", "workers=1", "learning_starts=50", "buffer_size=300", "target_update_interval=50", "log_every=100")


def small_plan(
    *changes: str,
    tasks: tuple[str, ...] = ("examples/food",),
    learner: str | None = "ppo",
    steps: int = 256,
    curriculum: str | None = None,
    preset: str | None = None,
    evaluate: tuple[str, ...] = (),
    evaluate_every: int = 0,
    senses: tuple[str, ...] = SMALL,
    seed: int = 3,
) -> Plan:
    course = find_course(curriculum, tasks)
    known = find_training(course.tasks.wing).training_settings()
    own = {"ppo": PPO, "dqn": DQN}.get(learner or "", ())
    resolved = resolve(learner, preset, [*own, *senses, *changes], known)
    evaluated = tuple(find_tasks(evaluate)) if evaluate else ()
    return Plan(course, resolved, steps, seed, evaluated, evaluate, evaluate_every)


class Stop(Exception):
    """What stops a run in these tests."""


def train_until(plan: Plan, folder: Path, step: int, *, resume: bool = False) -> None:
    """Train until a number of decisions, then stop as a crash would: without writing anything."""

    def stop(where: Any) -> None:
        if where.step >= step:
            raise Stop

    try:
        train(plan, folder, resume=resume, progress=stop)
    except Stop:
        return
    raise AssertionError("the run was to be stopped")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def trained(plan: Plan, folder: Path, **options: Any) -> Outcome:
    return train(plan, folder, **options)
