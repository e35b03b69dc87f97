"""The guide about training tells the truth."""

import re
from pathlib import Path

import pytest

from conftest import ROOT
from puzzlebox.learn.curriculum_names import curriculum_names
from puzzlebox.learn.settings import LEARNERS, learner_defaults, preset_named, preset_names, resolve

GUIDE = (ROOT / "docs" / "guides" / "training.md").read_text()


def test_the_example_runs_as_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.DOTALL)
    exec(compile(code, "training.md", "exec"), {})
    assert capsys.readouterr().out == "256 31\n"


@pytest.mark.parametrize("name", [*LEARNERS, *preset_names(), *curriculum_names()])
def test_every_name_is_explained(name: str) -> None:
    assert f"`{name}`" in GUIDE


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_changes_only_settings_that_exist(name: str) -> None:
    patch = preset_named(name)
    assert set(patch) <= {"learner", "settings", "environment", "curiosity", "run"}
    resolved = resolve(None, name)
    assert set(resolved.settings) == set(learner_defaults(resolved.learner))


def test_ppo_2024_has_the_published_hyper_parameters() -> None:
    settings = resolve(None, "ppo-2024")
    published = {
        **{"envs": 1, "policy": "CnnPolicy", "learning_rate": 3e-4, "n_steps": 2048, "batch_size": 64, "n_epochs": 10},
        **{"gamma": 0.99, "gae_lambda": 0.95, "clip_range": 0.2, "ent_coef": 0.0, "vf_coef": 0.5, "max_grad_norm": 0.5},
    }
    assert {name: settings.settings[name] for name in published} == published
    assert settings.environment == {"camera": 64, "vitals": False, "rules": "3.1", "timeouts": "terminal"}


def test_ppo_2024_equals_the_defaults_of_the_library() -> None:
    import inspect

    from stable_baselines3 import PPO

    settings = resolve(None, "ppo-2024").settings
    for name, parameter in inspect.signature(PPO.__init__).parameters.items():
        if name in settings and name != "policy":
            assert settings[name] == parameter.default, name
