"""Nothing is pressed further than 5 cm beyond the fence or below the ground, at any physics step.

`make slow` plays 360,000 decisions with three seeds and prints what each kind of thing did; PUZZLEBOX_EXCURSION_STEPS
asks for more, PUZZLEBOX_EXCURSION_SEED for other seeds.
"""

import os

import numpy as np
import pytest

from excursions import FAR, ROUNDING, Tally, play, run
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world import World

STEPS = int(os.environ.get("PUZZLEBOX_EXCURSION_STEPS", "360000"))
SEED = int(os.environ.get("PUZZLEBOX_EXCURSION_SEED", "1"))
# What went deepest before bodies were put back: HollowBox 0.21 m, HeavyBlock and LBlock 0.09, Wall 0.08 m, ...
FOUND = (("dropped", 1, 114), ("dropped", 1, 723), ("random", 1, 777), ("random", 1, 672), ("random", 1, 182))


def assert_within(tally: Tally) -> None:
    assert tally.deepest <= FAR + ROUNDING and not tally.longest and not tally.lost, f"\n{tally}"


@pytest.mark.parametrize(("kind", "seed", "number"), FOUND)
def test_the_deepest_excursions_found_before_stay_within_limits(kind: str, seed: int, number: int) -> None:
    tally = Tally()
    play(seed, number, tally, kind=kind)
    assert_within(tally)


def test_excursions_in_hard_and_random_arenas_stay_within_limits() -> None:
    tally = run(2_500, seed=2)
    assert_within(tally)
    assert tally.physics_steps > 7_000 and len(tally.kinds) > 15


def test_a_thing_outside_is_put_back_and_keeps_its_velocity_along_the_fence() -> None:
    block = {"name": "HeavyBlock", "at": (5.0, 0.0, 5.0), "rotation": 0.0, "size": (1.0, 1.0, 1.0)}
    agent = {"name": "Agent", "at": (2.0, 0.0, 2.0), "rotation": 0.0}
    world = World(Task.model_validate({"arenas": [{"size": (10.0, 10.0), "items": [agent, block]}]}))
    thing = next(each for each in world.things if type(each).__name__ == "HeavyBlock")
    engine, body = world.engine, world.body(thing)
    turn = engine.pose(thing.id)[1]
    row = engine.rows().index(thing.id)
    pose = type(body.entity_pose)
    for at, velocity, inside, left in (
        ((10.3, 0.5, 5.0), (4.0, 1.0, 2.0), (10.0, 0.5, 5.0), (0.0, 1.0, 2.0)),
        ((5.0, -0.3, -0.2), (4.0, -1.0, 2.0), (5.0, -0.01, 0.0), (4.0, 0.0, 2.0)),
    ):
        body.entity.set_pose(pose(at, turn))
        body.set_linear_velocity(velocity)
        assert engine.put_back([row])
        np.testing.assert_allclose(engine.pose(thing.id)[0], inside, atol=1e-6)
        np.testing.assert_allclose(engine.velocity(thing.id), left, atol=1e-6)


@pytest.mark.slow
def test_excursions_in_many_hard_and_random_arenas_stay_within_limits() -> None:
    whole = Tally()
    for seed in range(SEED, SEED + 3):
        whole.merge(run(STEPS // 3, seed))
    print(f"\n{whole}")
    assert whole.steps >= STEPS
    assert_within(whole)
