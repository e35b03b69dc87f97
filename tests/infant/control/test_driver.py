"""What the six primitives do to things on a stage: grab, carry, put down, kick, press, speak."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from puzzlebox.infant.control.driver import PrimitiveDriver
from puzzlebox.infant.control.grab import GrabRule
from puzzlebox.infant.control.ground import Ground
from puzzlebox.infant.control.primitives import Primitive
from puzzlebox.infant.scenes.catalogue import block, screen, toy_ball
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.props import Prop
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.scenes.stage import Stage

STILL = np.zeros(6)


def one(primitive: Primitive, value: float = 1.0) -> np.ndarray:
    action = STILL.copy()
    action[primitive] = value
    return action


class World:
    """A child in a room with things."""

    def __init__(self, *props: Prop, room: float = 3.0, at: tuple[float, float] = (0.0, 0.0), **uses: str) -> None:
        self.stage = Stage(
            props, [Person("child", pose="stand", at=at)], room=Room(room, room, 1.0), floor_material=None
        )
        self.told: list[tuple[str, Mapping[str, Any]]] = []
        ground = Ground(room / 2, room / 2)
        self.driver = PrimitiveDriver(
            self.stage, "child", ground, GrabRule(), lambda kind, more: self.told.append((kind, more))
        )
        self.driver.grabs = lambda: [name for name, thing in self.stage.things.items() if thing.free]
        self.driver.uses = lambda: uses
        self.stage.person("child").driver = self.driver
        self.stage.reset(0)

    def step(self, action: Any = STILL, count: int = 1) -> None:
        for _ in range(count):
            self.stage.step({"child": action})

    def look(self, name: str) -> None:
        self.driver.walker.look_at(self.stage[name].position)
        self.step()

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.told]


def test_a_thing_is_grabbed_carried_and_put_down_with_its_physics() -> None:
    world = World(block("cube").on(0.35, 0.0))
    world.look("cube")
    cube = world.stage["cube"]
    world.step(one(Primitive.GRAB), 8)
    assert world.kinds() == ["grabbed"]
    assert world.driver.held == "cube"
    world.step(count=4)
    assert cube.position[2] > 0.35
    start = cube.position
    world.step(one(Primitive.WALK), 10)
    assert cube.position[0] - start[0] == pytest.approx(0.5, abs=0.05)
    world.step(one(Primitive.GRAB, -1.0), 8)
    assert world.kinds() == ["grabbed", "released"]
    assert world.driver.held is None
    world.step(count=15)
    assert cube.position[2] == pytest.approx(0.025, abs=0.005)
    assert np.linalg.norm(cube.velocity) < 0.05


def test_nothing_is_grabbed_that_is_far_aside_or_hidden() -> None:
    far = World(block("cube").on(1.0, 0.0))
    far.look("cube")
    far.step(one(Primitive.GRAB), 8)
    aside = World(block("cube").on(0.0, 0.35))
    aside.step(one(Primitive.GRAB), 8)
    hidden = World(block("cube").on(0.40, 0.0), screen(height=0.5).with_(at=(0.28, 0.0, 0.25)))
    hidden.look("cube")
    hidden.step(one(Primitive.GRAB), 8)
    for world in (far, aside, hidden):
        assert world.told == []
        assert world.driver.held is None


def test_of_two_things_the_one_nearest_to_the_middle_of_the_view_is_grabbed() -> None:
    world = World(block("left").on(0.32, 0.07), block("right").on(0.32, -0.07))
    for name in ("left", "right"):
        world.stage.reset(0)
        world.look(name)
        world.step(one(Primitive.GRAB), 5)
        assert world.driver.held == name


def test_things_are_put_down_inside_the_room_and_on_each_other() -> None:
    world = World(block("cube").on(0.35, 0.0), room=1.6)
    world.look("cube")
    world.step(one(Primitive.GRAB), 8)
    world.step(one(Primitive.WALK), 30)
    world.step(one(Primitive.HEAD_PITCH), 20)
    world.step(one(Primitive.GRAB, -1.0), 8)
    assert world.stage["cube"].position[0] == pytest.approx(0.8 - 0.025, abs=0.01)
    pile = World(block("cube", 0.04).on(0.35, 0.2), block("base", 0.12).with_(free=False).on(0.42, 0.0))
    pile.look("cube")
    pile.step(one(Primitive.GRAB), 8)
    pile.driver.walker.look_at(np.array((0.42, 0.0, 0.14)))
    pile.step()
    pile.driver.rule = GrabRule(release=float(np.linalg.norm(pile.driver.gaze()[0] - (0.42, 0.0, 0.14))))
    pile.step(one(Primitive.GRAB, -1.0), 20)
    assert pile.stage["cube"].position == pytest.approx((0.42, 0.0, 0.14), abs=0.03)


def test_act_kicks_what_is_before_the_feet() -> None:
    world = World(
        toy_ball("ball", 0.08).on(0.3, 0.0), toy_ball("behind", 0.08).on(-0.3, 0.0), ball="kick", behind="kick"
    )
    world.step(one(Primitive.ACT))
    world.step(count=10)
    assert world.told == [("kicked", {"thing": "ball"})]
    assert world.stage["ball"].position[0] > 0.8
    assert world.stage["behind"].position[0] == pytest.approx(-0.3, abs=0.02)


@pytest.mark.parametrize(("use", "kind"), (("press", "pressed"), ("open", "opened"), ("step on", "stepped on")))
def test_act_uses_things_by_context(use: str, kind: str) -> None:
    world = World(block("thing", 0.1).with_(free=False).on(0.33, 0.0), thing=use)
    world.look("thing")
    world.step(one(Primitive.ACT), 6)
    assert world.told == [(kind, {"thing": "thing"})]


def test_act_speaks_or_gets_up_if_there_is_nothing_to_use() -> None:
    world = World()
    world.step(one(Primitive.ACT))
    assert world.kinds() == ["said"]
    assert world.stage.person("child").voice.speaking
    world.step(one(Primitive.ACT, -1.0), 8)
    assert world.driver.walker.state.down == 1.0
    head = world.stage.physics.data.xpos[world.driver.puppet.row("head")][2]
    assert head < 0.45
    world.step(one(Primitive.ACT), 8)
    assert world.driver.walker.state.down == 0.0


def test_a_snapshot_continues_in_the_middle_of_a_reach() -> None:
    world = World(block("cube").on(0.35, 0.0))
    world.look("cube")
    world.step(one(Primitive.GRAB), 2)
    saved = world.stage.snapshot()
    world.step(one(Primitive.TURN), 6)
    after = world.stage["cube"].position
    world.step(count=5)
    world.stage.restore(saved)
    world.step(one(Primitive.TURN), 6)
    assert np.array_equal(world.stage["cube"].position, after)
    assert world.driver.held == "cube"
