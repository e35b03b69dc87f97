"""The schedule of a run: an episode for each task, each of its arenas, each agent and each repetition."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from puzzlebox.run.tasks import RunTask
from puzzlebox.seeds import episode_seed


class Slot(NamedTuple):
    """An episode of the schedule of a run.

    Attributes:
        task: the name of the task.
        arena: the index of the arena it starts in, from 0.
        agent: the agent, as named on the command line.
        episode: the number of the repetition, from 0.
    """

    task: str
    arena: int
    agent: str
    episode: int

    def seed(self, run_seed: int) -> int:
        """Return the seed of the episode in a run with this seed."""
        return episode_seed(run_seed, self.task, self.arena, self.episode)

    @property
    def name(self) -> str:
        """The name of the episode in its run: `TASK/ARENA/AGENT/REPETITION`, the arena counted from 1."""
        return f"{self.task}/{self.arena + 1}/{self.agent}/{self.episode}"


def slots(tasks: Sequence[RunTask], agents: Sequence[str], episodes: int) -> Iterator[Slot]:
    """Yield all episodes of a run, in the order of its table."""
    return slots_from({each.name: each.starts for each in tasks}, agents, episodes)


def slots_from(starts: Mapping[str, Iterable[int]], agents: Sequence[str], episodes: int) -> Iterator[Slot]:
    """Yield all episodes of a run, given the name of each task and the arenas its episodes start in."""
    for task, arenas in starts.items():
        for arena in arenas:
            for agent in agents:
                for episode in range(episodes):
                    yield Slot(task, arena, agent, episode)
