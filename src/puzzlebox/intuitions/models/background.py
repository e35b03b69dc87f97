"""Background films for training: generated from the seed in compact form, kept in a file, split into two parts."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from puzzlebox.intuitions.catalogue import GROUPS
from puzzlebox.intuitions.episodes.compact import CompactSet
from puzzlebox.intuitions.episodes.stimulus import Stimulus

# The published number of episodes of each task.
FULL = {
    "background/single_object": 10_000,
    "background/preference": 10_000,
    "background/multi_agent": 4_000,
    "background/instrumental_action": 4_000,
}
# The share of episodes that are for training; the others, with the highest numbers, are for validation.
TRAINING_SHARE = 0.8
TASKS = GROUPS["background"]
Progress = Callable[[int, int], None]


class Split(NamedTuple):
    """Films and their tasks, as numbers of `TASKS`."""

    films: list[Stimulus]
    tasks: list[int]


def background(
    scale: float, seed: int, folder: Path, workers: int = 1, progress: Progress | None = None
) -> tuple[Split, Split]:
    """Return films for training and for validation.

    Args:
        scale: the share of the published number of episodes; 1 is 28,000 episodes.
        seed: the seed of the set.
        folder: where a file of each task is kept, so that the next call need not generate it again.
        workers: the number of processes that generate.
        progress: is called with how many tasks are ready and how many there are.
    """
    training, validation = Split([], []), Split([], [])
    folder.mkdir(parents=True, exist_ok=True)
    for number, task in enumerate(TASKS):
        count = max(5, round(FULL[task] * scale))
        films = _films(task, count, seed, folder, workers)
        first = int(len(films) * TRAINING_SHARE)
        for split, part in ((training, films[:first]), (validation, films[first:])):
            split.films.extend(part)
            split.tasks.extend([number] * len(part))
        if progress is not None:
            progress(number + 1, len(TASKS))
    return training, validation


def _films(task: str, count: int, seed: int, folder: Path, workers: int) -> Sequence[Stimulus]:
    path = folder / f"{task.rpartition('/')[2]}-{seed}-{count}.npz"
    if not path.exists():
        draft = path.with_suffix(".part")
        CompactSet.generate(task, range(count), seed, workers=workers).save(draft)
        draft.replace(path)
    # A film is made again each time it is asked for, so that few are in memory at a time.
    return CompactSet.load(path)
