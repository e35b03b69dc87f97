"""What every learner has learned plays like any other agent."""

from pathlib import Path

import numpy as np
import pytest

from puzzlebox.agents import agent_named, code_of
from puzzlebox.learn.trained import TrainedAgent
from puzzlebox.learn.trainer import train
from puzzlebox.run.play import play
from puzzlebox.run.tasks import find_tasks
from training_helpers import lines, small_plan, train_until, trained

OURS = ("envs=4", "workers=1", "rollout=16", "memory_size=16", "features=16")


@pytest.fixture(scope="module", params=["recurrent", "ppo", "dqn"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param) / "run"
    own = OURS if request.param == "recurrent" else ()
    trained(small_plan(*own, learner=request.param, steps=256), folder)
    return folder


def test_the_same_seed_gives_the_same_episode(run: Path) -> None:
    task = find_tasks(["examples/food"])[0].task
    first, second, other = (play(task, TrainedAgent(run), seed=seed).actions for seed in (1, 1, 2))
    assert first == second != other
    assert len({action for (action,) in first}) > 1, "an untrained policy draws different actions"
    greedy = [play(task, agent_named(str(run), greedy=True), seed=1).actions for _ in range(2)]
    assert greedy[0] == greedy[1]


def test_its_senses_tasks_and_weights_are_known(run: Path) -> None:
    agent = agent_named(f"{run}/latest")
    task = find_tasks(["examples/food", "examples/wall"])
    assert agent.senses == {"camera": None, "rays": 3}
    assert [each.hash in agent.trained_on for each in task] == [True, False]  # type: ignore[attr-defined]
    code = code_of(str(run), agent)
    assert code is not None and code.endswith(agent.identity)  # type: ignore[attr-defined]
    earlier = sorted((run / "checkpoints").iterdir())[0]
    assert code_of(str(earlier), agent_named(str(earlier))) != code


def test_a_folder_without_an_agent_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a run of `puzzlebox train`"):
        agent_named(str(tmp_path))
    with pytest.raises(ValueError, match=r"there is no checkpoint .*; the run has "):
        agent_named(f"{run}/checkpoints/000000000001")
    with pytest.raises(ValueError, match="has no option 'greedi'; did you mean `greedy`"):
        agent_named(str(run), greedi=True)
    with pytest.raises(ValueError, match="greedy is 3; it must be true or false"):
        agent_named(str(run), greedy=3)


def test_a_resumed_run_of_our_learner_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    plan = small_plan(
        *(*OURS, "checkpoint_every=64"), learner="recurrent", steps=512, tasks=("examples/food", "testbed-train/01")
    )
    trained(plan, tmp_path / "whole")
    train_until(plan, tmp_path / "parts", 192)
    train_until(plan, tmp_path / "parts", 384, resume=True)
    train(plan, tmp_path / "parts", resume=True)
    assert len(lines(tmp_path / "whole" / "episodes.jsonl")) >= 12
    assert (tmp_path / "parts" / "episodes.jsonl").read_bytes() == (tmp_path / "whole" / "episodes.jsonl").read_bytes()


@pytest.mark.parametrize("learner", ["ppo", "recurrent"])
def test_curiosity_is_paid_but_not_logged_as_return_and_is_resumed(tmp_path: Path, learner: str) -> None:
    own = OURS if learner == "recurrent" else ()
    plan = small_plan(*own, "strength=0.5", "every=8", "checkpoint_every=64", learner=learner, steps=320)
    trained(plan, tmp_path / "whole")
    episodes, log = lines(tmp_path / "whole" / "episodes.jsonl"), lines(tmp_path / "whole" / "log.jsonl")
    # Without food, thirty decisions cost the same everywhere; curiosity would add several points.
    assert max(each["return"] for each in episodes if not each["passed"]) < 0.1
    paid = [each["metrics"]["curiosity/reward"] for each in log]
    assert 0 < paid[-1] < paid[0] <= 0.5, "what was seen before is less surprising"
    train_until(plan, tmp_path / "parts", 192)
    train(plan, tmp_path / "parts", resume=True)
    assert (tmp_path / "parts" / "episodes.jsonl").read_bytes() == (tmp_path / "whole" / "episodes.jsonl").read_bytes()


def test_an_agent_trained_on_two_infant_tasks_plays_each_of_them(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    tasks = ("infant/kick-the-ball", "infant/grab-object")
    senses = ('environment.senses=["joints"]',)
    plan = small_plan("n_steps=8", "batch_size=16", tasks=tasks, senses=senses, steps=32)
    trained(plan, tmp_path / "whole")
    for name in tasks:
        agent = TrainedAgent(tmp_path / "whole")
        run_task = find_tasks([name])[0]
        assert run_task.hash in agent.trained_on and agent.wing == "infant"
        apparatus = _apparatus(run_task.task, agent)
        agent.begin(5)
        agent.use_space(apparatus.action_space)
        for _ in range(3):
            observation, info = apparatus.perceive()[0]
            action = agent.act(observation, info)
            assert apparatus.action_space.contains(np.asarray(action, np.float32))
            apparatus.act({0: action})


def _apparatus(task, agent):  # type: ignore[no-untyped-def]
    from puzzlebox.wings import wing_named

    wing = wing_named("infant")
    apparatus = wing.apparatus(wing.rules(None), agent.senses, 1)
    apparatus.begin(task, 0, 1)
    return apparatus


def test_sac_resumes_on_an_infant_task(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    settings = ("envs=2", "workers=1", "learning_starts=8", "buffer_size=64", "log_every=16", "batch_size=8")
    plan = small_plan(
        *settings, tasks=("infant/kick-the-ball",), senses=('environment.senses=["joints"]',), learner="sac", steps=64
    )
    trained(plan, tmp_path / "whole")
    train_until(plan, tmp_path / "parts", 48)
    train(plan, tmp_path / "parts", resume=True)
    assert _weights(tmp_path / "whole") == _weights(tmp_path / "parts")


def _weights(folder: Path) -> str:
    return TrainedAgent(folder).identity
