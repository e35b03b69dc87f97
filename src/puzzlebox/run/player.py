"""One episode of a run: agents play it from its first to its last decision, and an Episode comes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from puzzlebox.agents import Agent
from puzzlebox.agents.origin import describe_error
from puzzlebox.record.entries import plain_event
from puzzlebox.record.episode import Episode
from puzzlebox.record.measures import seconds, with_events
from puzzlebox.run.play import play_episode
from puzzlebox.run.schedule import Slot
from puzzlebox.run.specs import agent_of
from puzzlebox.run.subjects import Subject
from puzzlebox.run.trajectories import TRAJECTORIES, packed
from puzzlebox.seeds import agent_seed
from puzzlebox.wings import Apparatus, Session, wing_named
from puzzlebox.wings.protocols import Ruling
from puzzlebox.wings.records import record_json

LIMIT = "limit"


@dataclass(frozen=True)
class Plan:
    """What all episodes of a run have in common; whoever has it can play any of them.

    Attributes:
        run: the name of the run.
        wing: the name of the wing of its tasks.
        subjects: the tasks.
        rules: what episodes are played by.
        seed: what their seeds are made from.
        longest: steps after which an episode is stopped; tasks without a time limit need it.
        keep_trajectories: whether records of the episodes come back.
    """

    run: str
    wing: str
    subjects: tuple[Subject, ...]
    rules: Ruling
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
        self._plan, self._wing = plan, wing_named(plan.wing)
        self._forgiven = forgiven
        self._subjects = {subject.name: subject for subject in plan.subjects}
        self._agents: dict[str, list[Agent]] = {}
        self._apparatus: dict[tuple[str, int], Apparatus] = {}

    def play(self, slot: Slot) -> tuple[Episode, bytes]:
        """The episode of a slot, and its trajectory."""
        subject, seed = self._subjects[slot.task], slot.seed(self._plan.seed)
        events: list[Any] = []
        session, problem, trained_on = None, None, None
        try:
            agents = self._players(slot.agent, subject.task.bodies)
            if hasattr(agents[0], "trained_on"):
                trained_on = subject.hash in agents[0].trained_on
            session, problem = self._played(subject, slot, agents, seed, events)
        except self._forgiven as wrong:
            problem = describe_error(wrong)
        kept = session is not None and self._plan.keep_trajectories
        episode = self._episode(subject, slot, seed, session, problem, trained_on, kept)
        episode = with_events(episode, [plain_event(event) for event in events])
        if session is None or not kept:
            return episode, b""
        rules = self._plan.rules.fields
        return episode, packed(
            slot.name, record_json(self._wing.name, subject.text, slot.arena, seed, rules, session.actions)
        )

    def _players(self, text: str, count: int) -> list[Agent]:
        """An agent for each body, kept for the next episode."""
        agents = self._agents.setdefault(text, [])
        while len(agents) < count:
            agents.append(agent_of(text))
        return agents[:count]

    def _played(
        self, subject: Subject, slot: Slot, agents: Sequence[Agent], seed: int, events: list[Any]
    ) -> tuple[Session, str | None]:
        """The session at the end of an episode, and what went wrong."""
        place = (slot.agent, len(agents))
        if place not in self._apparatus:
            self._apparatus[place] = self._wing.apparatus(self._plan.rules, agents[0].senses, len(agents))
        apparatus = self._apparatus[place]
        for agent in agents:
            prepare = getattr(agent, "prepare", None)
            if prepare is not None:
                prepare(subject.task, slot.arena)
        events += apparatus.begin(subject.task, slot.arena, seed)
        session = apparatus.session
        try:
            for body, agent in enumerate(agents):
                agent.begin(agent_seed(seed, body))
            play_episode(apparatus, agents, self._plan.longest, lambda outcome: events.extend(outcome.events))
        except self._forgiven as wrong:
            return session, describe_error(wrong)
        return session, session.error

    def _episode(
        self,
        subject: Subject,
        slot: Slot,
        seed: int,
        session: Session | None,
        problem: str | None,
        trained_on: bool | None,
        kept: bool,
    ) -> Episode:
        steps = 0 if session is None else session.clock
        cause = session.cause if session is not None and session.over else LIMIT
        return Episode(
            id=slot.name,
            run=self._plan.run,
            wing=self._wing.name,
            task=subject.name,
            title=subject.task.title,
            task_hash=subject.hash,
            variant=subject.variant,
            level=subject.level,
            arena=slot.arena,
            agent=slot.agent,
            repetition=slot.episode,
            seed=seed,
            rules=self._plan.rules.name,
            decision_period=self._plan.rules.decision_period,
            step_seconds=self._wing.step_seconds,
            steps=steps,
            decisions=0 if session is None else len(session.actions),
            seconds=seconds(steps, self._wing.step_seconds),
            total=0.0 if session is None else session.total,
            passed=None if session is None or problem else session.passed(),
            ended_by="error" if problem else cause,
            trajectory=f"{TRAJECTORIES}#{slot.name}" if kept else None,
            trained_on=trained_on,
            error=problem,
        )
