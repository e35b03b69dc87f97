"""An agent plays an episode, and it is recorded."""

from puzzlebox.agents import Agent
from puzzlebox.arena.envs.arena import make
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world import Record
from puzzlebox.record.recorder import Recording
from puzzlebox.record.rows import Start
from puzzlebox.record.store import Store


def play(
    task: Task,
    agent: Agent,
    *,
    arena: int = 0,
    seed: int = 0,
    rules: str | Rules = "puzzlebox",
    store: Store | None = None,
    name: str = "",
    agent_name: str = "",
) -> Record:
    """Let an agent play one episode to its end.

    Args:
        task: the task.
        agent: who plays; it begins with the seed of the episode.
        arena: the position of the arena it starts in.
        seed: what the chances of the episode are drawn from.
        rules: what it is played by.
        store: where it is recorded; None: nowhere.
        name: what the task is called in the recording.
        agent_name: what the agent is called there.
    """
    env = make(task, rules=rules, **agent.senses)
    observation, info = env.reset(seed=seed, options={"arena": task.arenas[arena].id})
    agent.begin(seed)
    recording = None
    if store is not None:
        who = agent_name or type(agent).__name__
        start = Start.of(task, name=name, arena=arena, seed=seed, rules=env.rules, player="agent", agent=who)
        recording = Recording(store, start, env.world, events=info["events"])
    while not env.world.over:
        outcome = env.act(env.settings.action(agent.act(observation, info)))
        if recording is not None:
            recording.stepped(outcome)
        observation, info = env.perceive(), env.info(outcome.events)
    return env.world.snapshot()
