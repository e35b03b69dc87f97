"""An animated body goes where it is asked to, keeps to limits, and rests on the floor."""

from math import cos, degrees, pi, radians, sin

import numpy as np
import pytest

from puzzlebox.infant.body.bones import LEFT, RIGHT
from puzzlebox.infant.control.ground import Block, Ground
from puzzlebox.infant.control.speeds import speeds_at
from puzzlebox.infant.control.walker import DOWN_STEPS, REACH_STEPS, Walker

FREE = Ground(50.0, 50.0)


def walk(walker: Walker, steps: int, *, walk: float = 0.0, turn: float = 0.0, ground: Ground = FREE) -> None:
    for _ in range(steps):
        walker.move(walk, turn, 0.0, 0.0, ground)


def ahead(walker: Walker) -> np.ndarray:
    """Return the direction in which the left eye looks."""
    return walker.skeleton.data.xmat[walker.skeleton.row("left_eye")].reshape(3, 3)[:, 0]


def test_a_child_of_18_months_walks_75_cm_and_turns_80_degrees_in_a_second() -> None:
    walker = Walker(18)
    walk(walker, 15, walk=1.0)
    assert (walker.state.x, walker.state.y) == pytest.approx((0.75, 0.0))
    walk(walker, 15, turn=1.0)
    assert degrees(walker.state.heading) == pytest.approx(80.0)
    walk(walker, 15, walk=-1.0)
    assert walker.state.x == pytest.approx(0.75 - 0.375 * cos(radians(80)))
    assert walker.state.y == pytest.approx(-0.375 * sin(radians(80)))


@pytest.mark.parametrize("age", (6, 12, 18, 24))
@pytest.mark.parametrize("down", (False, True))
def test_every_posture_keeps_the_limits_and_rests_on_the_floor(age: float, down: bool) -> None:
    walker = Walker(age)
    walker.get_down(down)
    built = walker.skeleton.built
    for step in range(25):
        walker.move(1.0, 0.3, 0.5, -0.5, FREE)
        if step == 12:
            walker.kick()
        posture = walker.pose()
        assert (posture.angles >= built.low - 1e-9).all()
        assert (posture.angles <= built.high + 1e-9).all()
        assert walker.skeleton.lowest() == pytest.approx(0.0, abs=1e-9)
        assert np.linalg.norm(posture.turn) == pytest.approx(1.0)


def test_who_cannot_walk_yet_crawls() -> None:
    baby, child = Walker(9), Walker(18)
    child.get_down(True)
    walk(child, DOWN_STEPS)
    assert baby.state.down == child.state.down == 1.0
    standing = Walker(18)
    standing.pose()
    for walker, age in ((baby, 9), (child, 18)):
        before = walker.state.x
        walk(walker, 15, walk=1.0)
        assert walker.state.x - before == pytest.approx(speeds_at(age).crawl)
        walker.pose()
        assert walker.skeleton.point("head")[2] < 0.5
    baby.get_down(False)
    child.get_down(False)
    walk(baby, DOWN_STEPS)
    walk(child, DOWN_STEPS)
    assert baby.state.down == 1.0
    assert child.state.down == 0.0


@pytest.mark.parametrize("place", ((0.25, -0.05, 0.5), (0.2, 0.12, 0.45), (0.22, 0.0, 0.15), (0.25, -0.1, 0.3)))
def test_a_hand_comes_to_where_it_reaches(place: tuple[float, float, float]) -> None:
    walker = Walker(18)
    walker.reach_for(np.array(place))
    assert walker.state.side == (LEFT if place[1] > 0 else RIGHT)
    for _ in range(REACH_STEPS):
        assert not walker.arrived
        walker.move(1.0, 1.0, 0.0, 0.0, FREE)
    assert walker.arrived
    assert (walker.state.x, walker.state.heading) == (0.0, 0.0)  # it does not walk meanwhile
    walker.pose()
    # The animation squats by height alone, so that one of the places is a little too far.
    assert walker.palm() == pytest.approx(place, abs=0.003 if place[2] != 0.3 else 0.06)
    walker.take_back(holds=True)
    for _ in range(REACH_STEPS):
        walker.move(0.0, 0.0, 0.0, 0.0, FREE)
    walker.pose()
    assert walker.state.holds
    assert walker.state.target is None
    assert walker.palm()[2] > 0.4


def test_the_head_turns_and_nods_as_far_as_it_goes() -> None:
    walker = Walker()
    before = walker.pose().angles.copy()
    for _ in range(60):
        walker.move(0.0, 0.0, 1.0, 1.0, FREE)
    assert degrees(walker.state.head_pitch) == pytest.approx(50.0)
    assert degrees(walker.state.head_yaw) == pytest.approx(70.0)
    assert not np.allclose(before, walker.pose().angles)
    gaze = ahead(walker)
    assert degrees(np.arctan2(gaze[1], gaze[0])) == pytest.approx(70.0, abs=15.0)
    walker.look_at(np.array((100.0, 0.0, 0.6)))
    walker.pose()
    assert ahead(walker) == pytest.approx((1.0, 0.0, 0.0), abs=0.02)


def test_nobody_walks_through_walls_and_boxes() -> None:
    ground = Ground(1.0, 1.0, (Block(0.6, 0.0, 0.1, 0.3),))
    walker = Walker()
    walk(walker, 60, walk=1.0, ground=ground)
    assert walker.state.x == pytest.approx(0.5 - walker.radius)
    slider = Walker()
    slider.place_at(0.0, 0.0, pi / 8)
    for _ in range(90):
        slider.move(1.0, 0.0, 0.0, 0.0, ground)
        assert ground.is_free(slider.state.x, slider.state.y, slider.radius - 1e-6)
    assert slider.state.x > 0.7  # along the box, around its corner, and on to the wall
    assert slider.state.x == pytest.approx(1.0 - slider.radius, abs=0.02) or slider.state.y > 0.7
