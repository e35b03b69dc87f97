"""Curricula: which tasks the next episodes are drawn from, and how often.

A curriculum turns the decisions and episodes so far into a weight for each task. It decides between two updates, from
what is in the episode log alone, so that a run that is resumed continues it exactly.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from puzzlebox.learn.sampler import Episode


class Curriculum(Protocol):
    """Decides how probable each task is."""

    def weights(self, step: int) -> list[float] | None:
        """Return the weight of each task after a number of decisions; None plays the tasks in order."""

    def observe(self, episodes: Sequence[Episode]) -> None:
        """Take note of episodes that ended."""

    def status(self) -> dict[str, float]:
        """Return numbers for the log, such as the stage."""

    def state(self) -> dict[str, Any]:
        """Return all that is needed to continue, as plain values."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from what `state` returned."""


class InOrder:
    """No curriculum: each environment plays its share of the tasks in turn."""

    def weights(self, step: int) -> list[float] | None:
        """Return None."""
        return None

    def observe(self, episodes: Sequence[Episode]) -> None:
        """Nothing depends on episodes."""

    def status(self) -> dict[str, float]:
        """Return nothing."""
        return {}

    def state(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """There is nothing to continue."""


@dataclass(frozen=True)
class Stage:
    """A stage of a curriculum.

    Attributes:
        tasks: the names of its tasks, each as probable as the others.
        last_step: the number of decisions after which the next stage begins; None if success decides.
        success: the share of passed episodes from which the next stage begins.
        episodes: the number of latest episodes of the stage of which that share is taken.
    """

    tasks: tuple[str, ...]
    last_step: int | None = None
    success: float = 1.0
    episodes: int = 1


class Stages:
    """One stage after the other; the last one lasts until the end."""

    def __init__(self, names: Sequence[str], stages: Sequence[Stage]) -> None:
        self._names, self._stages = list(names), list(stages)
        self._stage, self._begun = 0, 0
        self._latest: deque[bool] = deque(maxlen=stages[0].episodes)

    def weights(self, step: int) -> list[float] | None:
        """Return 1 for the tasks of the current stage, and 0 for the others."""
        while self._stage + 1 < len(self._stages) and self._over(step):
            self._stage += 1
            self._begun = step
            self._latest = deque(maxlen=self._stages[self._stage].episodes)
        chosen = set(self._stages[self._stage].tasks)
        return [float(name in chosen) for name in self._names]

    def _over(self, step: int) -> bool:
        stage = self._stages[self._stage]
        if stage.last_step is not None:
            return step >= stage.last_step
        return len(self._latest) == stage.episodes and sum(self._latest) >= stage.success * stage.episodes

    def observe(self, episodes: Sequence[Episode]) -> None:
        """Count the passed episodes of this stage; one that began in an earlier stage with another task is left out."""
        own = set(self._stages[self._stage].tasks)
        self._latest.extend(bool(each.passed) for each in episodes if each.task in own)

    def status(self) -> dict[str, float]:
        """Return the stage from 1, and the share of passed episodes among its latest ones."""
        share = sum(self._latest) / len(self._latest) if self._latest else 0.0
        return {"stage": self._stage + 1, "stage_began": self._begun, "stage_success": share}

    def state(self) -> dict[str, Any]:
        """Return the stage and its latest episodes."""
        return {"stage": self._stage, "begun": self._begun, "latest": list(self._latest)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue in a stage."""
        self._stage, self._begun = state["stage"], state["begun"]
        self._latest = deque(state["latest"], maxlen=self._stages[self._stage].episodes)


class Learnability:
    """Draws tasks in proportion to p (1 - p), where p is the share of their latest episodes that were passed.

    Tasks that always or never succeed teach little. A task that was not played yet counts as p = 0.5, and a floor
    keeps every task in play.

    Args:
        names: the names of the tasks.
        floor: the share of episodes that is drawn from all tasks alike.
        window: the number of latest episodes of a task that count.
    """

    def __init__(self, names: Sequence[str], floor: float = 0.2, window: int = 50) -> None:
        self._floor = floor
        self._latest: dict[str, deque[bool]] = {name: deque(maxlen=window) for name in names}

    def weights(self, step: int) -> list[float] | None:
        """Return the probability of each task."""
        shares = [sum(each) / len(each) if each else 0.5 for each in self._latest.values()]
        values = [share * (1 - share) for share in shares]
        total, count = sum(values), len(values)
        if not total:
            return [1 / count] * count
        return [self._floor / count + (1 - self._floor) * value / total for value in values]

    def observe(self, episodes: Sequence[Episode]) -> None:
        """Count passed episodes; one without a verdict is left out."""
        for each in episodes:
            if each.task in self._latest and each.passed is not None:
                self._latest[each.task].append(each.passed)

    def status(self) -> dict[str, float]:
        """Return how many tasks are neither mastered nor out of reach."""
        mixed = sum(len(set(each)) > 1 for each in self._latest.values())
        return {"tasks_between": mixed}

    def state(self) -> dict[str, Any]:
        """Return the latest episodes of each task."""
        return {name: list(each) for name, each in self._latest.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue with the latest episodes of each task."""
        for name, latest in state.items():
            if name in self._latest:
                self._latest[name].extend(latest)


class Coverage:
    """Counts the episodes of each task, so that no task is left out unnoticed."""

    def __init__(self, names: Sequence[str], counts: Mapping[str, int] | None = None) -> None:
        self.counts: dict[str, int] = {name: 0 for name in names} | dict(counts or {})

    def observe(self, episodes: Sequence[Episode]) -> None:
        """Count episodes that ended."""
        for each in episodes:
            self.counts[each.task] = self.counts.get(each.task, 0) + 1

    def status(self) -> dict[str, float]:
        """Return how many tasks were played, and the fewest and most episodes of a task."""
        counts = self.counts.values()
        return {"tasks_played": sum(each > 0 for each in counts), "fewest": min(counts), "most": max(counts)}
