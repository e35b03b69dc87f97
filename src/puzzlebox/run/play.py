"""The one loop in which agents play an episode: observe, act and record until it is over."""

from collections.abc import Callable, Sequence
from typing import Any

from puzzlebox.agents import Agent
from puzzlebox.record.entries import Start
from puzzlebox.record.recorder import Recorder
from puzzlebox.record.store import Store
from puzzlebox.seeds import agent_seed
from puzzlebox.wings import Apparatus, Outcome, wing_named


def play_episode(
    apparatus: Apparatus, agents: Sequence[Agent], longest: int | None, on_outcome: Callable[[Outcome], object]
) -> None:
    """Let agents play the current episode of an apparatus until it is over or has taken `longest` steps.

    Args:
        apparatus: the apparatus, in which an episode was begun.
        agents: the agent of each animal.
        longest: the number of steps after which the episode is stopped. None: no limit.
        on_outcome: a function called with the outcome of each decision.
    """
    session = apparatus.session
    for agent in agents:
        # An agent that plays in any wing may ask what its actions are.
        if hasattr(agent, "use_space") and hasattr(apparatus, "action_space"):
            agent.use_space(apparatus.action_space)
    while not session.over and (longest is None or session.clock < longest):
        perceptions = apparatus.perceive()
        on_outcome(apparatus.act({body: agents[body].act(*each) for body, each in perceptions.items()}))


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
    """Let an agent play one episode to its end.

    Args:
        task: the task.
        agent: the agent; its `begin` gets a seed derived from that of the episode (`agent_seed`).
        arena: the index of the arena the episode starts in, from 0.
        seed: the seed of the episode.
        rules: the name of a preset, or rules of the task's wing. Default: the wing's default rules.
        store: the store that records the episode. None: it is not recorded.
        name: the name of the task in the recording.
        agent_name: the name of the agent in the recording. Default: the name of its class.

    Returns:
        The record of the episode.
    """
    wing = wing_named(task.wing)
    apparatus = wing.apparatus(wing.rules(rules), agent.senses, 1)
    events = apparatus.begin(task, arena, seed)
    agent.begin(agent_seed(seed))
    recorder = None
    if store is not None:
        agent_name = agent_name or type(agent).__name__
        start = Start.of(task, name=name, arena=arena, seed=seed, rules=rules, player="agent", agent=agent_name)
        recorder = Recorder(store, start, apparatus.session, events=events)
    play_episode(apparatus, [agent], None, lambda outcome: recorder and recorder.stepped(outcome))
    if store is not None:
        store.flush()
    return apparatus.session.snapshot()
