"""Evaluation during training: the latest checkpoint plays tasks, as any agent does."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from puzzlebox.learn.trained import TrainedAgent
from puzzlebox.run.play import play_episode
from puzzlebox.run.tasks import RunTask
from puzzlebox.seeds import agent_seed, episode_seed
from puzzlebox.wings import wing_named

# Steps after which an episode is stopped, for tasks without a time limit; as in `puzzlebox run`.
LONGEST = 50_000


def evaluate(
    checkpoint: Path,
    tasks: Sequence[RunTask],
    episodes: int = 1,
    seed: int = 0,
    rules: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Let a checkpoint play each arena of some tasks; return the summary, as a line of `evaluation.jsonl`.

    Seeds are those of `puzzlebox run`, so that every checkpoint plays the same episodes.

    Args:
        checkpoint: the folder of the checkpoint.
        tasks: the tasks.
        episodes: how often each arena is played.
        seed: the seed of the evaluation.
        rules: the rules of the wing. Default: the wing's own.
        progress: called with the number of episodes played and the number there are.
    """
    agent: Any = TrainedAgent(checkpoint, threads=None)
    wing = wing_named(tasks[0].task.wing)
    apparatus = wing.apparatus(wing.rules(rules), agent.senses, 1)
    slots = [(task, start, number) for task in tasks for start in task.starts for number in range(episodes)]
    by_task: dict[str, list[tuple[float, bool | None]]] = {}
    for done, (task, start, number) in enumerate(slots):
        episode = episode_seed(seed, task.name, start, number)
        apparatus.begin(task.task, start, episode)
        agent.begin(agent_seed(episode))
        play_episode(apparatus, [agent], LONGEST, lambda outcome: None)
        session = apparatus.session
        by_task.setdefault(task.name, []).append((float(session.total), session.passed()))
        if progress is not None:
            progress(done + 1, len(slots))
    results = [each for rows in by_task.values() for each in rows]
    return {
        "episodes": len(results),
        "passed": _share([passed for _, passed in results]),
        "mean_return": sum(total for total, _ in results) / len(results),
        "tasks": {
            name: {
                "passed": _share([passed for _, passed in rows]),
                "mean_return": sum(total for total, _ in rows) / len(rows),
                "trained_on": task_hash in agent.trained_on,
            }
            for (name, rows), task_hash in zip(by_task.items(), [each.hash for each in tasks], strict=True)
        },
    }


def _share(verdicts: Sequence[bool | None]) -> float | None:
    known = [each for each in verdicts if each is not None]
    return sum(known) / len(known) if known else None
