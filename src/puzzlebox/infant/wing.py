"""The infant wing for runs, recordings, replays and reports: the tasks of the toolkit with their default settings."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import gymnasium as gym
import numpy as np

from puzzlebox.columns import Column
from puzzlebox.infant.catalogue import CATALOGUE
from puzzlebox.text import closest
from puzzlebox.wings.gymnasium_wing import GymnasiumTask, GymnasiumWing, TaskEntry
from puzzlebox.wings.offers import EpisodePage

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The views of pictures and films, as in `puzzlebox.infant.envs.views`, which imports MuJoCo.
_VIEWS = ("outside", "left-eye", "right-eye")
# Senses of the arena: agents that play in any wing ask for them, and get the default senses of the task here.
_ELSEWHERE = ("camera", "rays", "vitals")


class _Camera:
    """Paints the state of an infant task."""

    def __init__(self, view: str, size: tuple[int, int], samples: int) -> None:
        self._view, self._size, self._samples = view, size, samples

    def paint(self, session: Any) -> "NDArray[np.uint8]":
        from puzzlebox.infant.envs.views import picture

        return picture(session.env.unwrapped.core.play, self._view, self._size, samples=self._samples)


class InfantWing(GymnasiumWing):
    """The tasks of the toolkit, each with its default settings."""

    name = "infant"
    step_seconds = 1 / 15
    views = _VIEWS
    pages = "puzzlebox.infant.studio.pages:InfantPages"
    measures = (
        Column("distance", "number", "the distance from the target, or of both hands from the thing", "m"),
        Column("bad_distance", "number", "the distance from the bad thing", "m"),
        Column("height", "number", "the height of the thing above the table", "m"),
        Column("offset", "number", "the distance of the thing from its target", "m"),
        Column("way", "number", "how far the child has moved", "m"),
        Column("kicks", "number", "kicks so far", ""),
        Column("found", "number", "toys found so far", ""),
        Column("arrived", "number", "children at the target", ""),
        Column("stacked", "number", "discs that lie on the first one in order", ""),
    )

    def tasks(self) -> Mapping[str, TaskEntry]:
        """Return all tasks."""
        return {
            name: TaskEntry({}, title=entry.title, level=entry.group, tags=entry.tags)
            for name, entry in CATALOGUE.items()
        }

    def make(self, task: GymnasiumTask, **senses: Any) -> gym.Env[Any, Any]:
        """Make the environment of a task.

        Args:
            task: the task.
            senses: settings of the task that an agent asks for, such as `senses`, `pixels` or `script`.
        """
        from puzzlebox.infant.envs.env import InfantEnv

        own = {name: value for name, value in senses.items() if name not in _ELSEWHERE}
        return InfantEnv(task.name, **{**task.settings, **own})

    def environment(self, tasks: Sequence[GymnasiumTask], rules: None, senses: Mapping[str, Any]) -> gym.Env[Any, Any]:
        """Return the environment of a task, with a specification that recreates it."""
        from puzzlebox.infant.envs.registration import register

        env = super().environment(tasks, rules, senses)
        register()
        env.spec = copy(gym.spec(CATALOGUE[tasks[0].name].id))
        env.spec.kwargs = {"task": tasks[0].name, **tasks[0].settings, **self.senses(senses)}
        return env

    def senses(self, senses: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that an agent asks for."""
        return {name: value for name, value in senses.items() if name not in _ELSEWHERE}

    def shared_spaces(self, envs: Sequence[gym.Env[Any, Any]]) -> Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]:
        """Return a function that pads the spaces of an environment to those that hold all tasks."""
        from puzzlebox.infant.envs.env import InfantEnv
        from puzzlebox.infant.envs.vector import Padded, Padding

        padding = Padding.of([each for each in envs if isinstance(each, InfantEnv)])
        return lambda env: Padded(env, padding)  # type: ignore[arg-type]

    def camera(self, view: str, size: tuple[int, int], *, fine: bool = False) -> _Camera:
        """Return a camera from outside, or in an eye of the first child."""
        if view not in _VIEWS:
            raise ValueError(f"there is no view {view!r}; there are {', '.join(_VIEWS)}{closest(view, list(_VIEWS))}")
        return _Camera(view, size, 4 if fine else 2)

    def episode_page(self, task: GymnasiumTask, start: int, id: str) -> EpisodePage:
        """Return the page that shows a recorded episode with all senses."""
        return EpisodePage(f"/infant/play?{urlencode({'task': f'{self.name}/{task.name}', 'shown': id})}", "")


WING = InfantWing()
