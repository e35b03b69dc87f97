"""The child of one page, with all senses, and who decides what it does: a person, an agent or a recording."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from puzzlebox.agents import Agent, agent_named, agent_names
from puzzlebox.infant.catalogue import Entry, entry_named
from puzzlebox.infant.envs.core import Core, task_class
from puzzlebox.infant.studio.controls import Steering, steering_of
from puzzlebox.infant.studio.frames import FrameFlag, Moment, SensesCamera, frame_message
from puzzlebox.infant.tasks.settings import JOINTS
from puzzlebox.seeds import agent_seed
from puzzlebox.text import nearest
from puzzlebox.wings import Outcome, wing_named
from puzzlebox.wings.gymnasium_wing import GymnasiumEvent, GymnasiumSession, GymnasiumTask

WING = "infant"
# What a page shows of every child, whatever the senses of its task are.
SHOWN = ("eyes", "ears", "skin")
# Pixels along each side of an eye's picture for a person; an agent has as many as it asks for.
PIXELS = 168


def find_agent(name: str, allowed: str | None = None) -> Agent:
    """Return a new agent by its name.

    Args:
        name: the name of an agent that plays infant tasks. An import path is refused, because pages must not choose
            code to import.
        allowed: the agent that the command line named; this may be an import path.

    Raises:
        ValueError: there is no such agent.
    """
    names = agent_names(WING)
    if name != allowed and name not in names:
        raise ValueError(f"there is no agent {name!r} for infant tasks{nearest(name, names)}")
    return agent_named(name)


def task_named(name: str) -> GymnasiumTask:
    """Return an infant task by its name, with or without `infant/`.

    Raises:
        ValueError: there is no such task.
    """
    entry = entry_named(name.removeprefix(f"{WING}/"))
    return GymnasiumTask(WING, entry.name, {}, title=entry.title)


def full_name(task: GymnasiumTask) -> str:
    """Return the name of a task as every command knows it: `infant/grab-object`."""
    return f"{WING}/{task.name}"


class Player:
    """A task with all senses, played episode after episode.

    Args:
        task: the task.
        agent: who plays; None: a person.

    Attributes:
        task: the task.
        entry: the task in the catalogue.
        steering: what a person can do.
    """

    def __init__(self, task: GymnasiumTask, agent: Agent | None = None) -> None:
        self.task, self._agent = task, agent
        self.entry: Entry = entry_named(task.name)
        wing = wing_named(WING)
        own: dict[str, Any] = {"pixels": PIXELS} if agent is None else dict(wing.senses(agent.senses))
        chosen = own.get("senses") or task_class(self.entry).settings_class.default_senses
        self._senses = (chosen,) if isinstance(chosen, str) else tuple(chosen)
        own["senses"] = tuple(dict.fromkeys((*self._senses, *SHOWN)))
        self._apparatus: Any = wing.apparatus(wing.rules(None), own, 1)
        self._recorded: list[Any] = []
        self._camera: SensesCamera | None = None
        self.steering: Steering

    @property
    def session(self) -> GymnasiumSession:
        """The current episode."""
        session: GymnasiumSession = self._apparatus.session
        return session

    @property
    def core(self) -> Core:
        """The task that is played."""
        core: Core = self.session.env.unwrapped.core  # type: ignore[attr-defined]
        return core

    def begin(self, seed: int, recorded: Sequence[Any] = ()) -> tuple[GymnasiumEvent, ...]:
        """Begin an episode, and return the events of its preparation.

        Args:
            seed: the seed of the episode.
            recorded: the actions of a recording that is shown; `act` takes them before anybody decides.
        """
        events: tuple[GymnasiumEvent, ...] = self._apparatus.begin(self.task, 0, seed)
        if self._camera is None:
            self._camera, self.steering = SensesCamera(self.core), steering_of(self.core.play)
        self._recorded = list(reversed(recorded))
        self.steering.begin()
        if self._agent is not None:
            self._agent.begin(agent_seed(seed))
            if hasattr(self._agent, "use_space"):
                self._agent.use_space(self._apparatus.action_space)
        return events

    @property
    def left(self) -> int:
        """How many actions of a recording are still to be shown."""
        return len(self._recorded)

    def repeat(self, action: Any) -> Outcome:
        """Take a step with an action that was taken before."""
        outcome: Outcome = self._apparatus.repeat(action)
        return outcome

    def act(self, values: Sequence[float]) -> Outcome:
        """Take a step: with a recorded action, the agent's, or that of a person whose controls have some values."""
        if self._recorded:
            return self.repeat(self._recorded.pop())
        outcome: Outcome = self._apparatus.act({0: self._decide(values)})
        return outcome

    def _decide(self, values: Sequence[float]) -> Any:
        if self._agent is not None:
            observation, info = self._apparatus.perceive()[0]
            return self._agent.act({name: observation[name] for name in self._senses}, info)
        own = self.steering.action(values)
        core = self.core
        if core.agents == 1:
            return own
        # The script of the task, which knows everything, plays the other children.
        return np.stack([own, *(core.play.scripted(other) for other in range(1, core.agents))])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of an action."""
        return tuple(self._apparatus.action_space.shape)

    @property
    def goal(self) -> str:
        """What the first child is to find, as its sense `target` says; "" if the task names nothing."""
        task = self.core.task
        words = []
        for names, code in ((task.colours, task.colour(0)), (task.targets, task.target(0))):
            if code is not None:
                words.append(names[int(np.argmax(code))])
        return " ".join(words)

    def describe(self) -> dict[str, Any]:
        """Return what a page says about the task."""
        core = self.core
        task = core.task
        return {
            "task": full_name(self.task),
            "title": self.entry.title,
            "about": (type(task).__doc__ or "").strip().split("\n")[0],
            "reward": task.reward,
            "end": task.end,
            "limit": core.settings.limit,
            "children": core.agents,
            "views": ["near"] if task.control == JOINTS else ["near", "room"],
            "controls": [each.plain() for each in self.steering.controls],
            "hint": self.steering.hint,
        }

    def frame(self, key: int, reward: float, flags: int, near: bool | None) -> bytes:
        """Return the message about this moment; with near None, it has no pictures."""
        session, camera = self.session, self._camera
        assert camera is not None
        flags |= (FrameFlag.OVER if session.over else 0) | (FrameFlag.PASSED if session.passed() else 0)
        action = numbers_of(session.actions[-1][0]) if session.actions else []
        pictures = [] if near is None else camera.pictures(near)
        moment = Moment(flags, session.clock, key, reward, session.total)
        return frame_message(moment, action, camera.sound(), pictures)


def numbers_of(action: Any) -> list[float]:
    """Return all numbers of an action in a row, whatever its shape."""
    numbers: list[float] = np.asarray(action, np.float64).ravel().tolist()
    return numbers
