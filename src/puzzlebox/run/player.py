"""The player, which lets agents play single episodes of a run and describes each as an `Episode`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from puzzlebox.agents import Agent
from puzzlebox.agents.language.budget import SPENDING, Budget, Ledger
from puzzlebox.agents.origin import describe_error
from puzzlebox.record.entries import plain_event
from puzzlebox.record.episode import FACTORS, Episode
from puzzlebox.record.measures import seconds, with_events
from puzzlebox.run.play import play_episode
from puzzlebox.run.schedule import Slot
from puzzlebox.run.specs import agent_of
from puzzlebox.run.tasks import RunTask
from puzzlebox.run.trajectories import TRAJECTORIES, pack_record
from puzzlebox.run.transcripts import pack_transcripts
from puzzlebox.seeds import agent_seed
from puzzlebox.wings import Apparatus, Session, wing_named
from puzzlebox.wings.protocols import Ruling
from puzzlebox.wings.records import record_json

# The `ended_by` of an episode that was longer than the run allows.
LIMIT = "limit"


@dataclass(frozen=True)
class Plan:
    """The settings that all episodes of a run share; together with a slot, they determine an episode.

    Attributes:
        run: the name of the run.
        wing: the name of the wing of its tasks.
        tasks: the tasks.
        rules: the rules of all episodes.
        seed: the seed of the run, from which those of the episodes are derived.
        longest: the number of steps after which an episode is stopped, for tasks without a time limit.
        keep_trajectories: whether records of the episodes are returned.
        folder: the folder of the run, in which workers share the budget; None if they cannot reach it.
        budget: what language models may spend in the whole run; None: no limit.
    """

    run: str
    wing: str
    tasks: tuple[RunTask, ...]
    rules: Ruling
    seed: int
    longest: int
    keep_trajectories: bool
    folder: Path | None = None
    budget: Budget | None = None


class Played(NamedTuple):
    """An episode that was played.

    Attributes:
        episode: its row of the table.
        trajectory: what `pack_record` returned for it; empty if none is kept.
        transcripts: what `pack_transcripts` returned for it; empty unless an agent has a transcript.
    """

    episode: Episode
    trajectory: bytes
    transcripts: bytes


class Player:
    """Plays episodes of a plan, one after the other.

    Args:
        plan: the plan.
        caught: exceptions of an agent that end its episode but not the run. KeyboardInterrupt is not among them,
            because it comes from the user; workers, which the user's interruptions do not reach, catch it as well.
    """

    def __init__(
        self, plan: Plan, caught: type[BaseException] | tuple[type[BaseException], ...] = (Exception, SystemExit)
    ) -> None:
        self._plan, self._wing = plan, wing_named(plan.wing)
        self._caught = caught
        self._tasks = {each.name: each for each in plan.tasks}
        self._agents: dict[str, list[Agent]] = {}
        self._apparatus: dict[tuple[str, int], Apparatus] = {}
        self._ledger = Ledger(None if plan.folder is None else plan.folder / SPENDING, plan.budget)

    def play(self, slot: Slot) -> Played:
        """Play the episode of a slot; return it with its trajectory and the transcripts of its agents."""
        run_task, seed = self._tasks[slot.task], slot.seed(self._plan.seed)
        events: list[Any] = []
        session, problem, trained_on = None, None, None
        agents: list[Agent] = []
        earlier: list[Any] = []
        try:
            agents = self._agents_for(slot.agent, run_task.task.bodies)
            earlier = [getattr(agent, "transcript", None) for agent in agents]
            if hasattr(agents[0], "trained_on"):
                trained_on = run_task.hash in agents[0].trained_on
            session, problem = self._play_session(run_task, slot, agents, seed, events)
        except self._caught as error:
            problem = describe_error(error)
        has_trajectory = session is not None and self._plan.keep_trajectories
        episode = self._episode(run_task, slot, seed, session, problem, trained_on, has_trajectory)
        episode = with_events(episode, [plain_event(event) for event in events])
        # An episode that failed before its agents began has no transcript: theirs is that of the episode before.
        own = [getattr(agent, "transcript", None) for agent in agents]
        new = [None if now is old else now for now, old in zip(own, earlier, strict=False)]
        transcripts = pack_transcripts(slot.name, new)
        if session is None or not has_trajectory:
            return Played(episode, b"", transcripts)
        rules = self._plan.rules.fields
        record = record_json(self._wing.name, run_task.text, slot.arena, seed, rules, session.actions)
        return Played(episode, pack_record(slot.name, record), transcripts)

    def _agents_for(self, text: str, count: int) -> list[Agent]:
        """Return an agent for each animal; agents are kept for the next episode."""
        agents = self._agents.setdefault(text, [])
        while len(agents) < count:
            agent = agent_of(text)
            if hasattr(agent, "use_ledger"):
                agent.use_ledger(self._ledger)
            agents.append(agent)
        return agents[:count]

    def _play_session(
        self, run_task: RunTask, slot: Slot, agents: Sequence[Agent], seed: int, events: list[Any]
    ) -> tuple[Session, str | None]:
        """Play an episode and append its events to `events`; return the session at its end, and an error or None."""
        key = (slot.agent, len(agents))
        if key not in self._apparatus:
            self._apparatus[key] = self._wing.apparatus(self._plan.rules, agents[0].senses, len(agents))
        apparatus = self._apparatus[key]
        for agent in agents:
            prepare = getattr(agent, "prepare", None)
            if prepare is not None:
                prepare(run_task.task, slot.arena)
        events += apparatus.begin(run_task.task, slot.arena, seed)
        session = apparatus.session
        try:
            for body, agent in enumerate(agents):
                agent.begin(agent_seed(seed, body))
            play_episode(apparatus, agents, self._plan.longest, lambda outcome: events.extend(outcome.events))
        except self._caught as error:
            return session, describe_error(error)
        return session, session.error

    def _episode(
        self,
        run_task: RunTask,
        slot: Slot,
        seed: int,
        session: Session | None,
        problem: str | None,
        trained_on: bool | None,
        has_trajectory: bool,
    ) -> Episode:
        steps = 0 if session is None else session.clock
        cause = session.cause if session is not None and session.over else LIMIT
        conditions = run_task.task.conditions(slot.arena)
        return Episode(
            id=slot.name,
            run=self._plan.run,
            wing=self._wing.name,
            task=run_task.name,
            title=run_task.task.title,
            task_hash=run_task.hash,
            variant=run_task.variant,
            level=run_task.level,
            arena=slot.arena,
            arena_title=conditions.get("title", ""),
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
            trajectory=f"{TRAJECTORIES}#{slot.name}" if has_trajectory else None,
            trained_on=trained_on,
            error=problem,
            factors=dict(run_task.factors) | conditions.get(FACTORS, {}),
            measures=self._final_measures(session),
        )

    def _final_measures(self, session: Session | None) -> dict[str, float | None]:
        """Return the last values of the measures that tables of episodes have."""
        if session is None or not self._wing.final_measures:
            return {}
        last = session.measures()
        return {column.name: last.get(column.name) for column in self._wing.measures}
