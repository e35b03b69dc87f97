"""Several agents: what PettingZoo expects, and that each has its own senses, reward and end."""

import copy
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import puzzlebox
from puzzlebox.arena.world import World

LIGHT: dict[str, Any] = {"camera": None, "rays": 3}
TWO = """
arenas:
  - id: 0
    time_limit: 20
    episode_end: {end}
    merge_next_arena: {merge}
    items:
      - {{name: Agent, at: [10, 0, 10], rotation: 0, team: 1}}
      - {{name: Agent, at: [30, 0, 10], rotation: 0, team: 2}}
      - {{name: GoodGoal, at: [10, 0, 14], size: 1}}
      - {{name: GoodGoal, at: [30, 0, 30], size: 1}}
  - id: 1
    time_limit: 20
    items:
      - {{name: Agent}}
      - {{name: Agent}}
      - {{name: Wall}}
"""


def text(end: str = "any", merge: bool = False) -> str:
    return TWO.format(end=end, merge=str(merge).lower())


@pytest.mark.parametrize("end", ["any", "all"])
@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.filterwarnings("ignore:Observation is not NumPy array")  # it is a Dict of them
def test_the_checks_of_pettingzoo_pass(end: str, merge: bool) -> None:
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    parallel_api_test(puzzlebox.make_parallel(text(end, merge), **LIGHT), num_cycles=300)
    parallel_seed_test(lambda: puzzlebox.make_parallel(text(end, merge), **LIGHT))


@pytest.mark.filterwarnings("ignore:Observation")  # it is a Dict of arrays
def test_pettingzoos_turns_and_limit_of_cycles_work() -> None:
    from pettingzoo.test import api_test
    from pettingzoo.test.max_cycles_test import max_cycles_test
    from pettingzoo.utils.conversions import parallel_to_aec

    def make(max_cycles: int | None = None) -> Any:
        return puzzlebox.make_parallel(text("all"), max_cycles=max_cycles, **LIGHT)

    api_test(parallel_to_aec(make()), num_cycles=100)
    max_cycles_test(SimpleNamespace(parallel_env=make, env=lambda max_cycles: parallel_to_aec(make(max_cycles))))
    env = make(3)
    env.reset(seed=0)
    for _ in range(3):
        _, _, terminated, truncated, _ = env.step({agent: 0 for agent in env.agents})
    assert truncated == {"agent_0": True, "agent_1": True}
    assert not any(terminated.values())
    with pytest.raises(RuntimeError, match="the episode is over"):
        env.step({})
    with pytest.raises(ValueError, match="max_cycles is 0; it must be a whole number, 1 or more"):
        make(0)


def run(env: Any, steps: int = 12) -> list[Any]:
    """Return the results of turning and walking, as bytes."""
    results: list[Any] = []
    for step in range(steps):
        if not env.agents:
            results.append({agent: each["vitals"].tobytes() for agent, each in env.reset()[0].items()})
        observations, rewards, *_ = env.step({agent: (3, 4, 1)[(step + env._index(agent)) % 3] for agent in env.agents})
        parts = {agent: [part.tobytes() for part in each.values()] for agent, each in observations.items()}
        results.append((parts, rewards, list(env.agents)))
    return results


@pytest.mark.parametrize("steps", [0, 9])
def test_copies_and_snapshots_in_mid_episode(steps: int) -> None:
    env = puzzlebox.make_parallel(text("all"), camera=16, rays=3)
    env.reset(seed=2)
    run(env, steps)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    state = env.snapshot()
    expected = run(env)
    env.reset()
    observations, infos = env.restore(pickle.loads(pickle.dumps(state)))
    assert set(observations) == set(infos) == set(env.agents)
    for each in (env, *twins):
        assert run(each) == expected
    with pytest.raises(TypeError, match="only what `snapshot` returned"):
        env.restore(None)  # type: ignore[arg-type]


def test_a_copy_has_its_own_random_stream() -> None:
    env = puzzlebox.make_parallel(text("all"), camera=None)
    env.reset(seed=2)
    env.action_space("agent_0").seed(5)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        own = [twin.action_space("agent_0").sample() for _ in range(9)]
        twin.reset()
        other = copy.deepcopy(env)
        other.reset()
        assert twin.world.seed == other.world.seed != env.world.seed == 2
        assert [copy.deepcopy(env).action_space("agent_0").sample() for _ in range(9)] == [own[0]] * 9
        assert twin.agents is not env.agents
        assert twin.world.task == env.world.task
    assert copy.deepcopy(env).world.task is env.world.task


def test_each_agent_has_its_own_camera() -> None:
    env = puzzlebox.make_parallel(text(), camera=32, render_mode="rgb_array")
    observations, _ = env.reset(seed=0)
    assert not np.array_equal(observations["agent_0"]["camera"], observations["agent_1"]["camera"])
    assert env.render().shape == (512, 512, 3)


def test_each_sees_feels_and_earns_for_itself() -> None:
    env = puzzlebox.make_parallel(text("all"), **LIGHT)
    observations, infos = env.reset(seed=0)
    assert env.agents == env.possible_agents == ["agent_0", "agent_1"]
    assert [observations[agent]["vitals"][4] for agent in env.agents] == [10, 30]
    assert [infos[agent]["team"] for agent in env.agents] == [1, 2]
    assert all(observations[agent] in env.observation_space(agent) for agent in env.agents)
    while "agent_0" in env.agents:
        _, rewards, terminated, truncated, infos = env.step({agent: 3 for agent in env.agents})
    assert rewards["agent_0"] > 0.9 > 0 > rewards["agent_1"]
    assert terminated == {"agent_0": True, "agent_1": False}
    assert truncated == {"agent_0": False, "agent_1": False}
    assert env.agents == ["agent_1"]
    while env.agents:
        observations, rewards, terminated, truncated, infos = env.step({"agent_1": 3})
        assert set(observations) == {"agent_1"}
    assert terminated == {"agent_1": True}
    assert infos["agent_1"]["passed"]
    with pytest.raises(RuntimeError, match="the episode is over"):
        env.step({})


def test_one_agents_end_ends_the_episode_for_all_where_the_task_says_any() -> None:
    env = puzzlebox.make_parallel(text("any"), **LIGHT)
    env.reset(seed=0)
    while env.agents:
        _, _, terminated, _, _ = env.step({"agent_0": 3, "agent_1": 0})
    assert terminated == {"agent_0": True, "agent_1": True}


def test_an_agent_out_of_time_is_truncated() -> None:
    env = puzzlebox.make_parallel(text("all"), **LIGHT)
    env.reset(seed=0)
    while env.agents:
        _, _, terminated, truncated, _ = env.step({"agent_0": 0, "agent_1": 0})
    assert truncated == {"agent_0": True, "agent_1": True}
    assert not any(terminated.values())


def test_all_agents_stay_where_arenas_merge() -> None:
    env = puzzlebox.make_parallel(text("any", merge=True), **LIGHT)
    _, infos = env.reset(seed=0)
    for _ in range(25):
        _, _, _, _, infos = env.step({"agent_0": 3, "agent_1": 0})
    assert infos["agent_1"]["arena"] == 1
    assert len(env.agents) == 2


def test_a_parallel_environment_equals_its_world() -> None:
    env = puzzlebox.make_parallel(text(), **LIGHT)
    world = World(puzzlebox.load_task(text()), seed=4)
    env.reset(seed=4)
    for first, second in np.random.default_rng(0).integers(0, 9, (15, 2)).tolist():
        _, rewards, *_ = env.step({"agent_0": first, "agent_1": second})
        assert tuple(rewards.values()) == world.step([first, second]).rewards
    assert env.world.state() == world.state()


def test_arenas_follow_their_order_and_the_options_of_reset() -> None:
    env = puzzlebox.make_parallel(text(), **LIGHT)
    assert [env.reset()[1]["agent_0"]["arena"] for _ in range(3)] == [0, 1, 0]
    assert env.reset(options={"arena": 1})[1]["agent_1"]["arena"] == 1
    observations, _ = env.reset(options={"task": "foraging"})
    assert list(observations) == env.agents == ["agent_0"]
    with pytest.raises(TypeError, match="there is no option `areena`; allowed: task, arena; did you mean `arena`"):
        env.reset(options={"areena": 1})
    three = "arenas: [{items: [{name: Agent}, {name: Agent}, {name: Agent}]}]"
    with pytest.raises(ValueError, match="the task has 3 agents and this environment was made for 2"):
        env.reset(options={"task": three})


def test_a_closed_environment_stays_closed() -> None:
    env = puzzlebox.make_parallel(text(), render_mode="rgb_array", **LIGHT)
    env.reset(seed=0)
    snapshot = env.snapshot()
    env.close()
    env.close()
    for closed in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert closed.agents == []
        for call in (
            closed.reset,
            lambda it=closed: it.step({}),
            closed.render,
            lambda it=closed: it.restore(snapshot),
        ):
            with pytest.raises(RuntimeError, match="the environment is closed; make a new one"):
                call()


def test_wrong_arguments_are_refused_with_one_sentence() -> None:
    env = puzzlebox.make_parallel(text(), **LIGHT)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step({})
    env.reset(seed=0)
    with pytest.raises(ValueError, match="there is no action for agent_1; give one for each of agent_0, agent_1"):
        env.step({"agent_0": 1})
    with pytest.raises(TypeError, match="there is no agent `agent_7`; allowed: agent_0, agent_1; did you mean `agent_"):
        env.step({"agent_7": 1})
    with pytest.raises(ValueError, match="is not an action"):
        env.step({"agent_0": 1, "agent_1": 12})
    with pytest.raises(
        TypeError, match="actions is None; it must be a dictionary with one for each of agent_0, agent_1"
    ):
        env.step(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="there is no agent `agent_9`; allowed: agent_0, agent_1; did you mean `agent_"):
        env.observation_space("agent_9")
    with pytest.raises(ValueError, match="the seed is -1; it must be a whole number, 0 or more"):
        env.reset(seed=-1)
    with pytest.raises(TypeError, match="there is no setting `ray`; did you mean `rays`"):
        puzzlebox.make_parallel(text(), camera=None, ray=3)
