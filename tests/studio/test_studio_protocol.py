"""The bytes between server and page: the tables, the generated files, and that nothing is lost."""

import json
from pathlib import Path

import numpy as np
import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.studio.one_of_each import load_task as load_everything
from puzzlebox.arena.studio.scene_stream import SceneStream, moment_of
from puzzlebox.arena.world import Rules, World
from puzzlebox.scene.scene import PART, POSE
from puzzlebox.studio import layout, protocol
from puzzlebox.studio.protocol import Message, Moment
from studio_page import Mirror

WEB = Path(__file__).resolve().parents[2] / "web" / "src" / "scene"


@pytest.mark.parametrize("name", ["layout.ts", "fixture.bin", "fixture.json"])
def test_the_files_of_the_page_are_current(name: str) -> None:
    assert (WEB / name).read_bytes() == layout.make_files()[name], "`make generated` writes them anew"


def test_the_layout_describes_the_tables() -> None:
    text = layout.layout_text()
    assert f"export const PART = {{\n  bytes: {PART.itemsize},\n  thing: 0, // i32" in text
    assert f"  color: {PART.fields['color'][1]}, // f32[4]" in text  # type: ignore[index]
    assert "  floor: 112, // SURFACE" in text
    assert "  SHADOW_ONLY: 4,\n} as const;\nexport type Flag" in text


def test_the_fixture_contains_the_expected_numbers() -> None:
    """Read back with nothing but offsets, as the page does."""
    block, expected = layout.make_fixture()
    assert json.loads(json.dumps(expected)) == expected
    messages = protocol.split_messages(block)
    assert [message[0] for message in messages] == [6, 1, 3, 2, 4, 5]
    mirror = Mirror()
    for message in messages:
        mirror.take(message)
    assert mirror.scene is not None
    assert layout.plain(mirror.scene.parts) == expected["scene"]["parts"]
    assert layout.plain(mirror.scene.surroundings)[0] == expected["scene"]["surroundings"]
    assert mirror.scene.planes.tolist() == expected["scene"]["planes"]
    assert mirror.names == expected["scene"]["header"]["names"]
    assert mirror.actions == {5: 0, 6: 8, 7: 4}
    assert float(mirror.head["left"]) == expected["frame"]["left"] == 1243.0
    assert mirror.rays == [(each["degrees"], each["metres"], each["tag"]) for each in expected["rays"]]
    # Every number of a row is another one, so that a wrong offset shows.
    numbers = [
        number for name in ("at", "turn", "half", "color", "other") for number in expected["scene"]["parts"][0][name]
    ]
    assert len(set(numbers)) == len(numbers)


def test_a_frame_byte_for_byte() -> None:
    poses = np.zeros(3, POSE)
    poses["at"][2], poses["turn"][2], poses["value"][2], poses["flags"][2] = (1, 2, 3), (1, 0, 0, 0), 0.5, 1
    moment = Moment(33, 70000, 3, 5, 99.5, -0.5, -1.0, 90.0)
    data = protocol.frame_message(moment, poses, np.array([2]))
    assert data[:16] == bytes([2, 33, 1, 0, 0x70, 0x11, 1, 0, 3, 0, 0, 0, 5, 0, 0, 0])
    assert np.frombuffer(data, "<f4", 4, 16).tolist() == [99.5, -0.5, -1.0, 90.0]
    assert data[32:36] == bytes([2, 0, 1, 0])
    assert np.frombuffer(data, "<f4", 8, 36).tolist() == [1, 2, 3, 1, 0, 0, 0, 0.5]
    assert len(data) == 68


def test_parts_actions_camera_and_rays_byte_for_byte() -> None:
    parts = np.zeros(2, PART)
    parts["at"][1], parts["half"][1], parts["color"][1] = (1, 2, 3), (4, 5, 6), (0.25, 0.5, 0.75, 1)
    data = protocol.parts_message(parts, np.array([1]))
    assert data[:8] == bytes([3, 0, 1, 0, 1, 0, 0, 0])
    assert np.frombuffer(data, "<f4", 10, 8).tolist() == [1, 2, 3, 4, 5, 6, 0.25, 0.5, 0.75, 1]
    assert protocol.actions_messages(258, [3, 0, 8]) == [bytes([6, 0, 0, 0, 2, 1, 0, 0, 3, 0, 0, 0, 3, 0, 8])]
    assert protocol.actions_messages(5, []) == []
    assert protocol.camera_message(np.array([[[1, 2, 3]]], np.uint8)) == bytes([4, 0, 0, 0, 1, 2, 3])
    assert protocol.rays_message([(0.0, 1.0, "ab")]) == (
        bytes([5, 0, 1, 0]) + np.array([0, 1], "<f4").tobytes() + b"\x02ab"
    )


def test_very_many_actions_are_several_messages() -> None:
    actions = [number % 9 for number in range(70000)]
    mirror = Mirror()
    for message in protocol.actions_messages(1, actions):
        mirror.take(message)
    assert [mirror.actions[step] for step in range(1, 70001)] == actions


def test_changed_rows_are_found_by_their_bytes() -> None:
    poses = np.zeros(4, POSE)
    before = poses.copy()
    assert protocol.changed_rows(poses, before).tolist() == []
    poses["at"][1, 0] = -0.0
    poses["flags"][3] = 1
    before["value"][2] = poses["value"][2] = np.nan
    assert protocol.changed_rows(poses, before).tolist() == [1, 3]


def test_joined_messages_are_split_again() -> None:
    block = protocol.join_messages(['{"a":1}', b"\x02\x00", b""])
    assert protocol.split_messages(block) == [b'{"a":1}', b"\x02\x00", b""]


@pytest.mark.parametrize("task", ["everything", "foraging", "operant", "examples/button"])
@pytest.mark.parametrize("every", [1, 7])
def test_a_page_that_gets_the_changes_knows_everything(task: str, every: int) -> None:
    """Whatever appears, vanishes, grows or changes colour, and however often messages are sent."""
    world = World(
        load_everything() if task == "everything" else load_task(task), seed=4, rules=Rules(decision_period=1)
    )
    stream, mirror = SceneStream(), Mirror()
    rng = np.random.default_rng(0)
    action = 0
    for step in range(700):
        if step % 20 == 0:
            action = int(rng.integers(9))
        if world.over:
            break
        world.step([action] * len(world.animals))
        if step % every:
            continue
        for message in stream.messages(world, moment_of(world, action=action)):
            mirror.take(message)
        scene = world.scene()
        assert mirror.scene is not None
        for name in ("parts", "poses", "planes", "pixels", "surroundings", "owners"):
            assert getattr(mirror.scene, name).tobytes() == getattr(scene, name).tobytes(), (step, name)
        assert mirror.names == [type(world.present[number]).__name__ for number in scene.owners.tolist()]
    assert mirror.head["flags"] == world.flags()
    assert mirror.kinds.count(Message.SCENE) < 60
    if task in ("everything", "foraging"):
        assert Message.PARTS in mirror.kinds


def test_things_at_rest_cost_no_bytes() -> None:
    world = World(load_task("examples/wall"), rules=Rules(decision_period=1))
    stream = SceneStream()
    sizes = []
    for _ in range(50):
        world.step([0])
        sizes.append(sum(map(len, stream.messages(world, moment_of(world)))))
    assert sizes[-1] == protocol.FRAME.itemsize


def test_time_left_follows_from_health() -> None:
    world = World(
        load_task("arenas: [{time_limit: 10, items: [{name: Agent, at: [20, 0, 20]}]}]"), rules=Rules(decision_period=1)
    )
    assert moment_of(world).left == 50
    steps = 0
    while not world.over:
        left = moment_of(world).left
        world.step([0])
        steps += 1
        assert left == pytest.approx(51 - steps)
    assert moment_of(World(load_everything())).left == -1
