"""Background films for training: generated from the seed in compact form, kept in a file, split into two parts."""

from collections.abc import Callable, Iterator
from functools import lru_cache
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


class Part(NamedTuple):
    """Some films of one task: those from `start` up to `stop` of a file."""

    path: Path
    task: int
    start: int
    stop: int

    def films(self) -> Iterator[Stimulus]:
        """Yield the films; each is made when it is asked for, so that few are in memory at a time."""
        stored = _load(self.path)
        return (stored[number] for number in range(self.start, self.stop))

    def cut(self, most: int) -> "list[Part]":
        """Return parts of at most so many films."""
        starts = range(self.start, self.stop, most)
        return [self._replace(start=start, stop=min(start + most, self.stop)) for start in starts]


class Split(NamedTuple):
    """Films for training or for validation; tasks are numbers of `TASKS`."""

    parts: tuple[Part, ...]

    def films(self) -> Iterator[Stimulus]:
        """Yield all films."""
        return (film for part in self.parts for film in part.films())

    def tasks(self) -> list[int]:
        """Return the task of each film."""
        return [part.task for part in self.parts for _ in range(part.start, part.stop)]


@lru_cache(maxsize=len(TASKS))
def _load(path: Path) -> CompactSet:
    return CompactSet.load(path)


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
    training, validation = [], []
    folder.mkdir(parents=True, exist_ok=True)
    for number, task in enumerate(TASKS):
        count = max(5, round(FULL[task] * scale))
        path = _file(task, count, seed, folder, workers)
        first = int(count * TRAINING_SHARE)
        training.append(Part(path, number, 0, first))
        validation.append(Part(path, number, first, count))
        if progress is not None:
            progress(number + 1, len(TASKS))
    return Split(tuple(training)), Split(tuple(validation))


def _file(task: str, count: int, seed: int, folder: Path, workers: int) -> Path:
    """Return the file with the films of a task; it is written if it is not there."""
    path = folder / f"{task.rpartition('/')[2]}-{seed}-{count}.npz"
    if not path.exists():
        draft = path.with_suffix(".part")
        CompactSet.generate(task, range(count), seed, workers=workers).save(draft)
        draft.replace(path)
    return path
