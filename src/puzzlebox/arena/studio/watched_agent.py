"""An agent plays on a page: it perceives and decides as in training, and its camera and rays are shown."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any

import numpy as np

from puzzlebox.agents import Agent, agent_named, agent_names, describe, required_options
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
from puzzlebox.seeds import agent_seed
from puzzlebox.studio import protocol
from puzzlebox.text import nearest
from puzzlebox.wings import ARENA

SLOWEST, FASTEST = 0.1, 8.0
# Camera and rays shown for an agent that has none; its own observations do not contain them.
_SHOWN = {"camera": 64, "rays": 15, "ray_degrees": 120.0}
# An agent may be this many steps late; then the clock waits for it.
_MAX_STEPS_BEHIND = 16.0


def list_agents() -> list[dict[str, str]]:
    """Return name and description of every agent that plays in the arena, as `/api/agents` answers.

    An agent that cannot be made without options, such as `language`, is left out: a page gives none.
    """
    return [{"name": name, "description": _description(name)} for name in _playable()]


def _playable() -> list[str]:
    return [name for name in agent_names(ARENA) if not _needs_options(name)]


def _needs_options(name: str) -> bool:
    try:
        return bool(required_options(name))
    except ValueError:  # its package cannot be imported; the description says why
        return False


def _description(name: str) -> str:
    """Return what an agent does, or why its package cannot be imported."""
    try:
        return describe(name)
    except ValueError as problem:
        return str(problem)


def find_agent(name: str, allowed: str | None = None) -> Agent:
    """Return a new agent by its name.

    Args:
        name: one of `agent_names`. An import path is refused, because pages must not choose code to import.
        allowed: the agent that the command line named; this may be an import path.

    Raises:
        ValueError: there is no agent of that name.
    """
    if name != allowed and name not in agent_names(ARENA):
        raise ValueError(f"there is no agent {name!r}{nearest(name, _playable())}")
    return agent_named(name)


class ShownSenses:
    """An agent's senses, and the camera and rays that the page shows.

    Attributes:
        camera: width, height and channels of the picture.
        rays: the number of rays.
        used: for camera and rays, whether the agent itself has this sense.
        tags: the tags that rays distinguish.
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
        pairs = self.rays // 2
        spacing = shown.ray_degrees / 2 / pairs if pairs else 0.0
        # In the order of the rays: ahead, then pairs of right and left.
        self._degrees = [0.0] + [sign * number * spacing for number in range(1, pairs + 1) for sign in (1, -1)]

    def perceive(self, world: World) -> tuple[Observation, Observation]:
        """Return all senses for the page, and the observation of the agent."""
        observation = self._perception.perceive(world)
        return self._perception.senses, {name: observation[name] for name in self._own}

    def messages(self, shown: Observation) -> list[bytes]:
        """Return the camera and rays messages for the page."""
        rows = shown["rays"].reshape(self.rays, len(self.tags) + 2)
        rays = []
        for degrees, row in zip(self._degrees, rows, strict=True):
            column = int(np.argmax(row[:-1])) if row[:-1].any() else -1
            tag = "" if column < 0 else (*self.tags, "none")[column]
            rays.append((degrees, LENGTH * float(row[-1]), tag))
        return [protocol.camera_message(shown["camera"]), protocol.rays_message(rays)]


class AgentDriver:
    """Plays the episodes of a page with an agent, which decides in another thread; a slow agent slows its world down.

    Attributes:
        speed: multiples of real time.
        on_steps: called after steps were taken.
    """

    def __init__(self, play: Play, agent: Agent, pool: Executor, on_steps: Callable[[], None]) -> None:
        self._play, self._agent, self._pool, self.on_steps = play, agent, pool, on_steps
        self._senses = ShownSenses(agent.senses, play.schedule.rules)
        schedule = play.schedule
        # The name of an upload means nothing outside the studio.
        self._task = name_of(schedule.task) if schedule.name.startswith(UPLOAD) else schedule.name
        self.speed = 1.0
        self._due = 0.0
        self._ready = asyncio.Event()
        self._episode, self._held, self._action = "", 0, 0
        self._events: tuple[Event, ...] = ()
        self._messages: list[bytes] = []

    def senses_message(self) -> str:
        """Return the `senses` message for the page, as JSON text."""
        senses = self._senses
        return protocol.compact(
            {"type": "senses", "camera": list(senses.camera), "rays": senses.rays, "used": senses.used}
        )

    def tick(self) -> bool:
        """Count the steps that are due; `run` takes them, so this returns False."""
        if self._play.moving:
            self._due = min(self._due + self.speed, _MAX_STEPS_BEHIND)
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
            self.on_steps()

    async def _step(self) -> None:
        play = self._play
        loop = asyncio.get_running_loop()
        if self._episode != play.episode:
            self._episode, self._held, self._events = play.episode, 0, ()
            await loop.run_in_executor(self._pool, self._agent.begin, agent_seed(play.world.seed))
        if not self._held:
            episode, world = play.episode, play.world
            shown, observation = self._senses.perceive(world)
            info = {"task": self._task, "ray_tags": self._senses.tags}
            info |= info_of(world, world.animals[0], self._events)
            action = await loop.run_in_executor(self._pool, self._agent.act, observation, info)
            if play.episode != episode or not play.running:
                return
            if isinstance(action, bool) or int(action) not in range(len(ACTIONS)):
                raise ValueError(f"the agent {play.schedule.agent} chose {action!r}; an action is a number from 0 to 8")
            self._action, self._held, self._events = int(action), play.schedule.decision_period, ()
            self._messages = self._senses.messages(shown)
        self._held -= 1
        self._events += play.step(0, self._action).events

    def take_messages(self) -> list[bytes]:
        """Return the camera and rays messages of the last decision, once."""
        messages, self._messages = self._messages, []
        return messages
