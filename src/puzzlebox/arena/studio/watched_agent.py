"""An agent plays and somebody watches: it perceives and decides as in training, and its camera and rays are shown."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any

import numpy as np

from puzzlebox.agents import Agent, agent_named, agent_names, describe
from puzzlebox.arena.envs.info import info_of
from puzzlebox.arena.envs.perception import Perception
from puzzlebox.arena.envs.settings import Observation, Settings
from puzzlebox.arena.envs.sources import name_of
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.senses.rays import LENGTH
from puzzlebox.arena.studio.play import Play
from puzzlebox.arena.world import Event, World
from puzzlebox.arena.world.actions import ACTIONS
from puzzlebox.record.entries import UPLOAD
from puzzlebox.studio import protocol
from puzzlebox.text import nearest

SLOWEST, FASTEST = 0.1, 8.0
# What is shown of an agent that does not look: these are not told to it.
_SHOWN = {"camera": 64, "rays": 15, "ray_degrees": 120.0}
# So many steps an agent may be late before time waits for it.
_MOST_BEHIND = 16.0


def agents() -> list[dict[str, str]]:
    """The agents there are, for the page."""
    return [{"name": name, "description": _description(name)} for name in agent_names()]


def _description(name: str) -> str:
    """What an agent does; of one of another package that cannot be imported, why not."""
    try:
        return describe(name)
    except ValueError as problem:
        return str(problem)


def known_agent(name: str, allowed: str | None = None) -> Agent:
    """An agent by its name; import paths are for the command line, which names at most one (`allowed`).

    Raises:
        ValueError: there is none of that name.
    """
    if name != allowed and name not in agent_names():
        raise ValueError(f"there is no agent {name!r}{nearest(name, agent_names())}")
    return agent_named(name)


class Senses:
    """What an agent perceives, and what is shown of it.

    Attributes:
        camera: width, height and channels of the picture.
        rays: how many.
        used: whether the agent itself has these senses.
    """

    def __init__(self, senses: Mapping[str, Any], rules: Rules) -> None:
        own = Settings.of(**{**senses, "rules": rules})
        more: dict[str, Any] = {} if own.camera else {"camera": _SHOWN["camera"]}
        if own.rays is None:
            more |= {"rays": _SHOWN["rays"], "ray_degrees": _SHOWN["ray_degrees"]}
        shown = Settings.of(**{**senses, "rules": rules, **more})
        self._own = tuple(Perception(own).space)
        self._perception = Perception(shown)
        self.tags = self._perception.ray_tags
        self.used = {"camera": own.camera is not None, "rays": own.rays is not None}
        size = shown.camera or 0
        self.camera = (size, size, 1 if shown.grayscale else 3)
        self.rays = shown.rays or 0
        side = self.rays // 2
        apart = shown.ray_degrees / 2 / side if side else 0.0
        # In the order of the rays: ahead, then pairs of right and left.
        self._degrees = [0.0] + [sign * number * apart for number in range(1, side + 1) for sign in (1, -1)]

    def perceive(self, world: World) -> tuple[Observation, Observation]:
        """What is shown, and what the agent perceives, arranged as its senses ask."""
        perceived = self._perception.perceive(world)
        return self._perception.senses, {name: perceived[name] for name in self._own}

    def messages(self, shown: Observation) -> list[bytes]:
        """Both for the page."""
        rows = shown["rays"].reshape(self.rays, len(self.tags) + 2)
        told = []
        for degrees, row in zip(self._degrees, rows, strict=True):
            met = int(np.argmax(row[:-1])) if row[:-1].any() else -1
            tag = "" if met < 0 else (*self.tags, "none")[met]
            told.append((degrees, LENGTH * float(row[-1]), tag))
        return [protocol.camera_message(shown["camera"]), protocol.rays_message(told)]


class ByAgent:
    """Lets an agent play: it decides beside the clock, and the world waits where it takes long.

    Attributes:
        times: how fast, in multiples of real time.
        stepped: called when something has moved.
    """

    def __init__(self, play: Play, agent: Agent, pool: Executor, stepped: Callable[[], None]) -> None:
        self._play, self._agent, self._pool, self.stepped = play, agent, pool, stepped
        self._senses = Senses(agent.senses, play.schedule.rules)
        schedule = play.schedule
        # Outside the studio nobody knows the name of what was uploaded here.
        self._task = name_of(schedule.task) if schedule.name.startswith(UPLOAD) else schedule.name
        self.times = 1.0
        self._due = 0.0
        self._ready = asyncio.Event()
        self._episode, self._held, self._action = "", 0, 0
        self._events: tuple[Event, ...] = ()
        self._news: list[bytes] = []

    def senses_text(self) -> str:
        """What the page is told of its senses."""
        senses = self._senses
        return protocol.compact(
            {"type": "senses", "camera": list(senses.camera), "rays": senses.rays, "used": senses.used}
        )

    def tick(self) -> bool:
        """Time passes; the steps are taken by `run`."""
        if self._play.moving:
            self._due = min(self._due + self.times, _MOST_BEHIND)
            if self._due >= 1:
                self._ready.set()
        return False

    async def run(self) -> None:
        """Take the steps that are due, until cancelled."""
        while True:
            await self._ready.wait()
            self._ready.clear()
            while self._due >= 1 and self._play.moving:
                self._due -= 1
                await self._step()
            self.stepped()

    async def _step(self) -> None:
        play = self._play
        loop = asyncio.get_running_loop()
        if self._episode != play.episode:
            self._episode, self._held, self._events = play.episode, 0, ()
            await loop.run_in_executor(self._pool, self._agent.begin, play.world.seed)
        if not self._held:
            episode, world = play.episode, play.world
            shown, own = self._senses.perceive(world)
            info = {"task": self._task, "ray_tags": self._senses.tags}
            info |= info_of(world, world.animals[0], self._events)
            action = await loop.run_in_executor(self._pool, self._agent.act, own, info)
            if play.episode != episode or not play.running:
                return
            if isinstance(action, bool) or int(action) not in range(len(ACTIONS)):
                raise ValueError(f"the agent {play.schedule.agent} chose {action!r}; an action is a number from 0 to 8")
            self._action, self._held, self._events = int(action), play.schedule.decision_period, ()
            self._news = self._senses.messages(shown)
        self._held -= 1
        self._events += play.step(0, self._action).events

    def news(self) -> list[bytes]:
        """Camera and rays, if they are new."""
        news, self._news = self._news, []
        return news
