"""DreamerV3 of SheepRL: trained, resumed and played. The extra `dreamer` is not part of `puzzlebox[all]`."""

from dataclasses import replace
from pathlib import Path

import pytest

from puzzlebox.learn.origin import find_origin
from puzzlebox.learn.trained import TrainedAgent
from puzzlebox.learn.trainer import train
from puzzlebox.run.play import play
from puzzlebox.run.tasks import find_tasks
from training_helpers import lines, small_plan, train_until, trained

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

TINY = (
    'sheeprl=["algo.dense_units=16","algo.mlp_layers=1","algo.world_model.encoder.cnn_channels_multiplier=2",'
    '"algo.world_model.recurrent_model.recurrent_state_size=16","algo.world_model.transition_model.hidden_size=16",'
    '"algo.world_model.representation_model.hidden_size=16","algo.world_model.discrete_size=4",'
    '"algo.world_model.stochastic_size=4"]'
)
SETTINGS = (
    *("envs=2", "workers=1", "learning_starts=100", "sequence_length=16", "batch_size=4", "buffer_size=1000"),
    *("log_every=100", "replay_ratio=0.1", "horizon=5", "checkpoint_every=100", TINY),
)


@pytest.fixture(autouse=True)
def sheeprl() -> None:
    pytest.importorskip("sheeprl")


@pytest.mark.parametrize(
    "senses", [("camera=16", "max_episode_steps=40"), ("camera=null", "rays=3", "max_episode_steps=40")]
)
def test_dreamer_learns_resumes_exactly_and_plays(tmp_path: Path, senses: tuple[str, ...]) -> None:
    plan = small_plan(*SETTINGS, learner="dreamer", senses=senses, steps=600)
    trained(plan, tmp_path / "whole")
    losses = [each["metrics"].get("Loss/world_model_loss") for each in lines(tmp_path / "whole" / "log.jsonl")]
    known = [each for each in losses if each is not None]
    assert len(known) >= 4 and known[-1] < known[0], "the world model learns"
    train_until(plan, tmp_path / "parts", 400)
    train(plan, tmp_path / "parts", resume=True)
    assert (tmp_path / "parts" / "episodes.jsonl").read_bytes() == (tmp_path / "whole" / "episodes.jsonl").read_bytes()
    task = find_tasks(["examples/food"])[0].task
    first, second, other = (play(task, TrainedAgent(tmp_path / "whole"), seed=seed).actions for seed in (1, 1, 2))
    assert first == second != other


def test_dreamer_learns_continuous_actions_of_an_infant(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    senses = ('environment.senses=["joints"]',)
    plan = small_plan(*SETTINGS, tasks=("infant/kick-the-ball",), learner="dreamer", senses=senses, steps=200)
    outcome = trained(plan, tmp_path / "run")
    assert outcome.finished and TrainedAgent(tmp_path / "run").wing == "infant"


def test_wrong_settings_are_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a picture is 36 pixels wide; for dreamer it must be 8, 16, 32, 64 or 128"):
        train(small_plan(*SETTINGS, learner="dreamer", senses=("camera=36",)), tmp_path / "a")
    with pytest.raises(ValueError, match="SheepRL refuses a setting: "):
        train(small_plan(*SETTINGS, 'sheeprl=["algo.dense_unit=16"]', learner="dreamer"), tmp_path / "b")
    with pytest.raises(ValueError, match="size is 'XXL'; it must be XS, S, M, L, XL"):
        train(small_plan(*SETTINGS, "size=XXL", learner="dreamer"), tmp_path / "c")


def test_dreamer_does_not_start_from_weights_without_their_critic(tmp_path: Path) -> None:
    plan = small_plan(*SETTINGS, learner="dreamer", senses=("camera=null", "rays=3"), steps=100)
    trained(plan, tmp_path / "source")
    with pytest.raises(ValueError, match=r"^dreamer cannot start from .*, whose weights\.pt lacks the critic; "):
        train(replace(plan, origin=find_origin(str(tmp_path / "source"))), tmp_path / "further")
