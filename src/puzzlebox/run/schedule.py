"""Which episodes make a run: each task, each arena of it, each agent, each repetition. Nothing is drawn later."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from puzzlebox.run.subjects import Subject


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


def seed_of(slot: Slot, seed: int) -> int:
    """What the chances of an episode are drawn from: another one for each task, arena and repetition.

    All agents meet the same ones, so that they can be compared pair by pair; and no two tasks share one, so that an
    agent that plays by chance does not do the same in all of them.
    """
    return _drawn(f"{seed}/{slot.task}/{slot.arena}/{slot.episode}")


def agent_seed_of(seed: int, animal: int = 0) -> int:
    """What an agent's own chances in an episode are drawn from; not what the arena is built from.

    Where there are several animals, each has its own.
    """
    return _drawn(f"agent/{seed}/{animal}" if animal else f"agent/{seed}")


def _drawn(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
