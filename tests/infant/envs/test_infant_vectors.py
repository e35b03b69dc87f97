"""Vectors of one task and of several, with and without processes; and several agents."""

from typing import Any

import numpy as np
import pytest

from puzzlebox.infant import make_parallel, make_vec
from puzzlebox.infant.envs.env import InfantEnv

SMALL: dict[str, Any] = {"pixels": 16}


def test_processes_change_no_byte_also_with_several_tasks() -> None:
    tasks = ["object-nav", "disk-tower"]
    plans = None
    results = []
    for processes in (False, True):
        envs = make_vec(tasks, 2, processes=processes, **SMALL)
        try:
            assert envs.single_action_space.shape == (5,)
            assert set(envs.single_observation_space) == {"eyes", "target"}  # type: ignore[call-overload]
            if plans is None:
                envs.action_space.seed(0)
                plans = [envs.action_space.sample() for _ in range(4)]
            observation, info = envs.reset(seed=7)
            assert info["task"].tolist() == tasks
            kept = [{name: part.copy() for name, part in observation.items()}]
            for action in plans:
                observation, *_ = envs.step(action)
                kept.append({name: part.copy() for name, part in observation.items()})
            results.append(kept)
        finally:
            envs.close()
    for one, two in zip(*results, strict=True):
        assert all(np.array_equal(one[name], two[name]) for name in one)
    # The first environment is the task alone; the second has no target.
    alone = InfantEnv("object-nav", **SMALL)
    assert np.array_equal(alone.reset(seed=7)[0]["eyes"], results[0][0]["eyes"][0])
    assert not results[0][0]["target"][1].any()


def test_a_batch_of_tasks_refuses_what_it_cannot_hold() -> None:
    with pytest.raises(ValueError, match="multi-agent-nav has 2 agents"):
        make_vec(["multi-agent-nav", "object-nav"], 2, **SMALL)
    with pytest.raises(ValueError, match="num_envs is 0"):
        make_vec("object-nav", 0)
    with pytest.raises(ValueError, match="at least one"):
        make_vec([], 1)


def test_every_agent_has_its_own_child() -> None:
    from pettingzoo.test import parallel_api_test  # type: ignore[import-untyped]

    env = make_parallel("multi-agent-nav", agents=3, max_steps=6, **SMALL)
    parallel_api_test(env, num_cycles=12)
    observations, _ = env.reset(seed=1)
    assert list(observations) == ["agent_0", "agent_1", "agent_2"]
    assert not np.array_equal(observations["agent_0"]["eyes"], observations["agent_1"]["eyes"])
    saved = env.snapshot()
    forwards = {agent: np.array((1.0, 0.0), np.float32) for agent in env.agents}
    after = [env.step(forwards) for _ in range(3)]
    env.restore(saved)
    for wanted in after:
        found = env.step(forwards)
        for agent in env.possible_agents:
            assert np.array_equal(found[0][agent]["eyes"], wanted[0][agent]["eyes"])
        assert found[1:] == wanted[1:]
    with pytest.raises(ValueError, match="no agent 'agent_9'"):
        env.step({"agent_9": np.zeros(2)})


def test_children_stack_discs_together() -> None:
    env = InfantEnv("disk-tower", agents=2, discs=2, senses=("joints",), script=True)
    _, info = env.reset(seed=2)
    assert env.action_space.shape == (2, 5)
    for _ in range(300):
        _, _, over, _, info = env.step(info["script"])
        if over:
            break
    assert info["passed"]
    assert info["rewards"] == [1.0, 1.0]
