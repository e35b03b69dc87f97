"""Every task says why an episode was not passed."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from puzzlebox.infant.catalogue import CATALOGUE
from puzzlebox.infant.control.joints import JointControl
from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.task import steer

# What a child that does nothing misses.
IDLE = {
    "baby-run": r"the child has come -?0\.\d\d m ahead; it must be 1 m",
    "cognia-nav": r"the child has not come to the red \w+",
    "cog-sci-nav": r"the child has not come to the \w+ \w+",
    "disk-tower": r"no disc lies on another one",
    "grab-object": r"both hands have not touched the block at the same time",
    "grabs-block": r"both hands have not touched the block for 8 steps",
    "kick-the-ball": r"the ball has left the field, and the child did not meet it",
    "kicks-squeaky-ball": r"no ball was kicked",
    "maze-nav": r"0 of 5 toys were found in time",
    "multi-agent-nav": r"0 of 2 children have come to the red \w+",
    "object-nav": r"the child has not come to the red \w+",
    "transport": r"the block is 1\d cm from the target; it must be within 4 cm",
}


def reason(task: str, act: Callable[[InfantEnv], Any], **settings: Any) -> str:
    """Play an episode that is not passed; return why."""
    env = InfantEnv(task, senses=("balance",), **settings)
    env.reset(seed=2)
    over = truncated = False
    while not (over or truncated):
        *_, over, truncated, info = env.step(act(env))
    assert info["passed"] is False
    return env.core.task.reason(env.core.play)


def idle(env: InfantEnv) -> Any:
    control = env.core.play.control
    return (
        control.current(env.core.play.child) if isinstance(control, JointControl) else np.zeros(env.action_space.shape)
    )


@pytest.mark.parametrize("task", CATALOGUE)
def test_a_child_that_does_nothing_learns_what_it_missed(task: str) -> None:
    limit = {} if task == "kick-the-ball" else {"max_steps": 12}
    assert re.fullmatch(IDLE[task], reason(task, idle, **limit))


def towards(thing: Callable[[Play], str]) -> Callable[[InfantEnv], Any]:
    def act(env: InfantEnv) -> Any:
        play = env.core.play
        x, y, _ = play.place(thing(play)).tolist()
        return play.control.chosen(steer(play, 0, x, y))  # type: ignore[union-attr]

    return act


def test_a_wrong_toy_and_a_wrong_ball_are_named() -> None:
    def other(play: Play) -> str:
        return next(name for name in play.task.memory["shown"] if name != play.task.memory["goal"])

    assert re.fullmatch(
        r"the child has come to the red (\w+); the target was the red (?!\1)\w+", reason("object-nav", towards(other))
    )

    def kick(env: InfantEnv) -> Any:
        wrong = next(f"ball {n}" for n in range(2) if f"ball {n}" != env.core.task.memory["right"])
        action = towards(lambda play: wrong)(env)
        action[2] = 1.0
        return action

    assert reason("kicks-squeaky-ball", kick) == "the ball that the child has kicked is not the one that squeaked"


def test_a_child_that_leaves_the_field_is_said_to_have_left_it() -> None:
    for seed in range(3, 9):
        env = InfantEnv("kick-the-ball", senses=("balance",))
        env.reset(seed=seed)
        over = False
        while not over:
            *_, over, _, info = env.step(np.array((1.0, 0.0), np.float32))
        if info["passed"] is False and abs(env.core.play.place("ball")[:2]).max() < 2.375:
            assert env.core.task.reason(env.core.play) == "the child has left the field"
            return
    pytest.fail("no child left the field")
