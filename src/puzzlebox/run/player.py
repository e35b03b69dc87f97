"""One episode of a run: an agent plays it from its first to its last decision, and a row of the results comes of it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlebox.agents import Agent
from puzzlebox.agents.origin import said
from puzzlebox.arena.envs.arena import ArenaEnv, make
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.world import Event, Record, World
from puzzlebox.record.measures import events_json, goals_among, latency_among, seconds
from puzzlebox.run.episode import Alone, Together
from puzzlebox.run.journal import TRAJECTORIES, packed
from puzzlebox.run.schedule import Slot
from puzzlebox.run.specs import agent_of
from puzzlebox.run.subjects import Subject
from puzzlebox.seeds import agent_seed

LIMIT = "limit"


@dataclass(frozen=True)
class Plan:
    """What all episodes of a run have in common; whoever has it can play any of them.

    Attributes:
        run: the name of the run.
        subjects: the tasks.
        rules: what episodes are played by; `rules_name` is what the results call them.
        seed: what their seeds are made from.
        longest: physics steps after which an episode is stopped; tasks without a time limit need it.
        keep_trajectories: whether records of the episodes come back.
    """

    run: str
    subjects: tuple[Subject, ...]
    rules: Rules
    rules_name: str
    seed: int
    longest: int
    keep_trajectories: bool


class Player:
    """Plays episodes of a plan, one after the other; a process needs one.

    Args:
        plan: the plan.
        forgiven: what an agent may raise: it costs its episode, not the night's run. An interruption is not among it,
            since it is the user's, except where those do not arrive.
    """

    def __init__(
        self, plan: Plan, forgiven: type[BaseException] | tuple[type[BaseException], ...] = (Exception, SystemExit)
    ) -> None:
        self._plan = plan
        self._forgiven = forgiven
        self._subjects = {subject.name: subject for subject in plan.subjects}
        self._agents: dict[str, list[Agent]] = {}
        self._envs: dict[str, ArenaEnv] = {}
        self._heads: dict[str, str] = {}

    def play(self, slot: Slot) -> tuple[dict[str, Any], bytes]:
        """The row of an episode, and its trajectory."""
        subject, seed = self._subjects[slot.task], slot.seed(self._plan.seed)
        events: list[Event] = []
        world, problem, trained_on = None, None, None
        try:
            agents = self._players(slot.agent, subject.animals)
            if hasattr(agents[0], "trained_on"):
                trained_on = subject.hash in agents[0].trained_on
            world, problem = self._played(subject, slot, agents, seed, events)
        except self._forgiven as wrong:
            problem = said(wrong)
        row = self._row(subject, slot, seed, world, events, problem) | {"trained_on": trained_on}
        if world is None or not self._plan.keep_trajectories:
            return row, b""
        row["trajectory"] = f"{TRAJECTORIES}#{slot.name}"
        return row, packed(slot.name, self._record(subject, world))

    def _players(self, text: str, count: int) -> list[Agent]:
        """An agent for each animal, kept for the next episode."""
        agents = self._agents.setdefault(text, [])
        while len(agents) < count:
            agents.append(agent_of(text))
        return agents[:count]

    def _played(
        self, subject: Subject, slot: Slot, agents: Sequence[Agent], seed: int, events: list[Event]
    ) -> tuple[World, str | None]:
        """The world at the end of an episode, and what went wrong."""
        task = subject.task
        episode = self._episode(subject, slot, agents)
        for agent in agents:
            prepare = getattr(agent, "prepare", None)
            if prepare is not None:
                prepare(task, slot.arena)
        events += episode.begin(seed=seed, options={"task": task, "arena": task.arenas[slot.arena].id})
        world, longest = episode.world, self._plan.longest
        try:
            for animal, agent in enumerate(agents):
                agent.begin(agent_seed(seed, animal))
            while not world.over and world.clock < longest:
                events += episode.decide()
        except self._forgiven as wrong:
            return world, said(wrong)
        return world, world.error

    def _episode(self, subject: Subject, slot: Slot, agents: Sequence[Agent]) -> Alone | Together:
        senses, rules = agents[0].senses, self._plan.rules
        if len(agents) > 1:
            from puzzlebox.arena.envs.parallel import make_parallel  # PettingZoo, which not everybody has

            return Together(make_parallel(subject.task, rules=rules, **senses), agents)
        if slot.agent not in self._envs:
            self._envs[slot.agent] = make(subject.task, rules=rules, **senses)
        return Alone(self._envs[slot.agent], agents[0])

    def _row(
        self,
        subject: Subject,
        slot: Slot,
        seed: int,
        world: World | None,
        events: Sequence[Event],
        problem: str | None,
    ) -> dict[str, Any]:
        causes = [event.details["cause"] for event in events if event.kind == "ended"]
        steps = 0 if world is None else world.clock
        return {
            "run": self._plan.run,
            "task": subject.name,
            "task_hash": subject.hash,
            "variant": subject.variant,
            "level": subject.level,
            "arena": slot.arena,
            "agent": slot.agent,
            "participant": None,
            "episode": slot.episode,
            "seed": seed,
            "rules": self._plan.rules_name,
            "steps": steps,
            "decisions": 0 if world is None else len(world.actions),
            "return": 0.0 if world is None else world.animals[0].total,
            "passed": None if world is None or problem else world.passed(),
            "ended_by": "error" if problem else causes[-1] if causes else LIMIT,
            "goals_collected": goals_among(events),
            "events": events_json(events),
            "seconds": seconds(steps),
            "latency": None if problem else latency_among(events),
            "trajectory": None,
            "trained_on": None,
            "error": problem,
        }

    def _record(self, subject: Subject, world: World) -> str:
        """The world's record as JSON; what all episodes of a task share is written once."""
        if subject.name not in self._heads:
            empty: Mapping[str, Any] = json.loads(Record(subject.task, 0, 0, self._plan.rules).to_json())
            self._heads[subject.name] = json.dumps(
                {name: empty[name] for name in ("format", "task", "rules")}, separators=(",", ":")
            )
        own = {
            "arena": world.start_arena,
            "seed": world.seed,
            "actions": ["".join(map(str, each)) for each in world.actions],
        }
        return self._heads[subject.name][:-1] + "," + json.dumps(own, separators=(",", ":"))[1:]
