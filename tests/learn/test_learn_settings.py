"""Settings of training as they are written on the command line."""

import pytest

from puzzlebox.learn.settings import resolve
from puzzlebox.wings import find_training, wing_named


@pytest.mark.parametrize("text", ["rules=3.1", "environment.rules=3.1"])
def test_a_setting_of_the_environment_that_is_a_word_may_look_like_a_number(text: str) -> None:
    known = find_training(wing_named("arena")).training_settings()
    assert resolve("recurrent", None, [text, "camera=36"], known).environment == {"rules": "3.1", "camera": 36}


def test_none_is_a_word_where_words_are_allowed_and_no_value_elsewhere() -> None:
    settings = resolve("recurrent", None, ["memory=none", "value_clip=none"]).settings
    assert settings["memory"] == "none" and settings["value_clip"] is None


@pytest.mark.parametrize(
    ("learner", "text", "sentence"),
    [
        ("dqn", "log_every=0", "log_every is 0; it must be a whole number, 1 or more"),
        ("ppo", "envs=0", "envs is 0; it must be a whole number from 1 to 65536"),
        ("recurrent", "memory_size=0", "memory_size is 0; it must be a whole number, 1 or more"),
        ("recurrent", "evaluation_episodes=0", "evaluation_episodes is 0; it must be a whole number, 1 or more"),
        ("recurrent", "gamma=7", "gamma is 7.0; it must be from 0 to 1"),
        ("sac", "tau=1.5", "tau is 1.5; it must be from 0 to 1"),
        ("ppo", "environment.camra=3", "there is no setting 'environment.camra'; did you mean `camera`?"),
    ],
)
def test_values_with_which_no_run_can_work_are_refused(learner: str, text: str, sentence: str) -> None:
    with pytest.raises(ValueError) as refusal:
        resolve(learner, None, [text], {"camera": 64})
    assert str(refusal.value) == sentence
