"""Tasks of joints can really be solved with the controls that a person has."""

from collections.abc import Callable

import numpy as np
import pytest

from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.infant.studio.controls import checked_values, steering_of
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.two_hands import THING, TwoHandsTask

Keys = Callable[[Play], list[float]]


def played(task: str, keys: Keys, seed: int = 1) -> dict[str, object]:
    """Play an episode by what keys are held at each moment; return its last `info`."""
    env = InfantEnv(task, senses=("balance",))
    env.reset(seed=seed)
    steering = steering_of(env.core.play)
    steering.begin()
    over = truncated = False
    info: dict[str, object] = {}
    while not (over or truncated):
        action = steering.action(checked_values(keys(env.core.play), len(steering.controls)))
        _, _, over, truncated, info = env.step(action)
    return info


def press(way: float) -> float:
    """Return the key towards a place: none within a centimetre."""
    return 0.0 if abs(way) < 0.01 else float(np.sign(way))


def grip_and_lift(play: Play) -> list[float]:
    """Hold keys like a person who looks: hands to both sides of the thing, together, then up or to the target."""
    task = play.task
    assert isinstance(task, TwoHandsTask)
    palms = list(task.palms(play).values())
    way = play.place(THING) - sum(palms) / 2
    if play.steps < 40:
        apart = float(np.linalg.norm(palms[0] - palms[1])) / 2
        return [*map(press, way), -1.0 if apart < task.size / 2 + 0.05 else 0.0]
    if play.steps < 60:
        return [*map(press, way), 1.0]
    if "target" not in play.stage.things:
        return [0.0, 0.0, 1.0, 1.0]
    return [*map(press, play.place("target") - play.place(THING)), 1.0]


@pytest.mark.parametrize("task", ["grab-object", "grabs-block", "transport"])
def test_hands_that_a_person_moves_grip_and_carry_the_block(task: str) -> None:
    assert played(task, grip_and_lift)["passed"]


def test_a_person_gallops_a_metre() -> None:
    assert played("baby-run", lambda play: [1.0, 0.0])["passed"]
    assert not played("baby-run", lambda play: [0.0, 0.0])["passed"]


def test_values_are_checked_and_rounded() -> None:
    assert checked_values([0.3, -1], 2) == [38 / 128, -1.0]
    for wrong in ([0.0], [0.0, 1.5], [True, 0.0], "ab", None, [0.0, float("nan")]):
        with pytest.raises(ValueError, match="they must be 2 numbers from -1 to 1"):
            checked_values(wrong, 2)


@pytest.mark.parametrize(("age", "seed"), [(12, 7), (18, 5), (24, 3)])
def test_hands_come_back_from_wherever_keys_have_moved_them(age: int, seed: int) -> None:
    env = InfantEnv("grab-object", senses=("balance",), age_months=age, max_steps=1000)
    env.reset(seed=seed)
    play, task, rng = env.core.play, env.core.task, np.random.default_rng(seed)
    assert isinstance(task, TwoHandsTask)
    steering = steering_of(play)
    steering.begin()
    start = sum(task.palms(play).values()) / 2
    for _ in range(8):
        keys = rng.integers(-1, 2, 4).tolist()
        for _ in range(30):
            if env.step(steering.action(keys))[2]:
                return  # these keys lift the block
    for _ in range(60):
        way = start - sum(task.palms(play).values()) / 2
        if np.abs(way).max() < 0.04:
            return
        env.step(steering.action([*map(press, way), -1.0]))
    pytest.fail(f"the hands are still {way.round(2)} m from where they started: the table holds them")
