"""Which episodes make a run: each task, each arena of it, each agent, each repetition. Nothing is drawn later."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from puzzlebox.run.subjects import Subject
from puzzlebox.seeds import episode_seed


class Slot(NamedTuple):
    """An episode to be played: the names and numbers that make it what it is.

    Attributes:
        task: the name of the task.
        arena: the position of the arena it starts in.
        agent: who plays, as it was asked for.
        episode: which repetition, from 0.
    """

    task: str
    arena: int
    agent: str
    episode: int

    def seed(self, run_seed: int) -> int:
        """The seed of the episode in a run with a given seed."""
        return episode_seed(run_seed, self.task, self.arena, self.episode)

    @property
    def name(self) -> str:
        """What the episode is called in its run: `TASK/ARENA/AGENT/EPISODE`, the arena counted from 1."""
        return f"{self.task}/{self.arena + 1}/{self.agent}/{self.episode}"


def slots(subjects: Sequence[Subject], agents: Sequence[str], episodes: int) -> Iterator[Slot]:
    """All of them, in the order of the results."""
    return slots_from({subject.name: subject.starts for subject in subjects}, agents, episodes)


def slots_from(starts: Mapping[str, Iterable[int]], agents: Sequence[str], episodes: int) -> Iterator[Slot]:
    """The same where only the names of the tasks are known, and the arenas each is begun in."""
    for task, arenas in starts.items():
        for arena in arenas:
            for agent in agents:
                for episode in range(episodes):
                    yield Slot(task, arena, agent, episode)
