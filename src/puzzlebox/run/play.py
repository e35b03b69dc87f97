"""The one loop in which agents play an episode: observe, act, record, until it is over."""

from collections.abc import Callable, Sequence
from typing import Any

from puzzlebox.agents import Agent
from puzzlebox.record.entries import Start
from puzzlebox.record.recorder import Recorder
from puzzlebox.record.store import Store
from puzzlebox.wings import Apparatus, Outcome, wing_named


def play_episode(
    apparatus: Apparatus, agents: Sequence[Agent], longest: int | None, then: Callable[[Outcome], object]
) -> None:
    """Let agents play the episode that was begun, until it is over or has taken `longest` steps.

    Args:
        apparatus: what they play in.
        agents: who plays each body.
        longest: steps after which the episode is left; None: never.
        then: is given what each decision brought.
    """
    session = apparatus.session
    while not session.over and (longest is None or session.clock < longest):
        seen = apparatus.perceive()
        then(apparatus.act({body: agents[body].act(*each) for body, each in seen.items()}))


def play(
    task: Any,
    agent: Agent,
    *,
    arena: int = 0,
    seed: int = 0,
    rules: Any = None,
    store: Store | None = None,
    name: str = "",
    agent_name: str = "",
) -> Any:
    """Let an agent play one episode to its end; what comes back is its record.

    Args:
        task: the task.
        agent: who plays; it begins with the seed of the episode.
        arena: the position the episode starts in.
        seed: the seed of the episode.
        rules: what it is played by. Default: the rules of the task's wing.
        store: where it is recorded; None: nowhere.
        name: what the task is called in the recording.
        agent_name: what the agent is called there.
    """
    wing = wing_named(task.wing)
    apparatus = wing.apparatus(wing.rules(rules), agent.senses, 1)
    events = apparatus.begin(task, arena, seed)
    agent.begin(seed)
    recorder = None
    if store is not None:
        who = agent_name or type(agent).__name__
        start = Start.of(task, name=name, arena=arena, seed=seed, rules=rules, player="agent", agent=who)
        recorder = Recorder(store, start, apparatus.session, events=events)
    play_episode(apparatus, [agent], None, lambda outcome: recorder and recorder.stepped(outcome))
    return apparatus.session.snapshot()
