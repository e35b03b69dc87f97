"""The caregiver: each action, judged by where eyes, hands and things are and by what is heard."""

import pickle

import numpy as np
import pytest

from puzzlebox.infant.scenes import catalogue, predicates
from puzzlebox.infant.scenes.caregiver import Caregiver
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.places import TABLE_HEIGHT, room_scene, seat_scene
from puzzlebox.infant.scenes.recorder import Recorder
from puzzlebox.infant.scenes.stage import Stage
from puzzlebox.infant.senses.senses import SensesSettings


def seat(senses: SensesSettings | None = None) -> tuple[Stage, Caregiver]:
    things = [catalogue.block().on(0.45, 0.12, TABLE_HEIGHT), catalogue.cup().on(0.45, -0.15, TABLE_HEIGHT)]
    stage = seat_scene(things, child=Person(senses=senses))
    return stage, Caregiver(stage)


def wait(stage: Stage, caregiver: Caregiver, most: float = 12.0) -> None:
    while caregiver.busy and stage.seconds < most:
        stage.step()
    assert not caregiver.busy


@pytest.mark.parametrize("target", ["block", "cup", "child"])
def test_it_looks(target: str) -> None:
    stage, caregiver = seat()
    recorder = Recorder(stage, "caregiver")
    caregiver.look_at(target)
    for _ in range(25):
        stage.step()
        recorder.record()
    if target != "child":
        assert predicates.look(recorder.log, target)[-5:].all()
        other = "cup" if target == "block" else "block"
        assert not predicates.look(recorder.log, other)[-5:].any()
    else:
        last = recorder.log.entries[-1]
        away = caregiver.place_of("child") - np.array(last.eyes)
        assert np.array(last.gaze) @ away / np.linalg.norm(away) > 0.999
        assert max(last.pixels["child"]) > 100


@pytest.mark.parametrize(("target", "side"), [("block", "right"), ("cup", "left"), ((0.3, 0.9, 1.4), "right")])
def test_it_points(target: str | tuple[float, float, float], side: str) -> None:
    stage, caregiver = seat()
    caregiver.point_at(target, 1.0)
    for _ in range(20):
        stage.step()
    skeleton = caregiver.puppet.skeleton()
    shoulder = skeleton.point(f"{side}_upper_arm")
    finger = skeleton.point(f"{side}_index_tip") - shoulder
    away = caregiver.place_of(target) - shoulder
    assert finger @ away > 0.985 * np.linalg.norm(finger) * np.linalg.norm(away)
    rest = caregiver.puppet.angles
    wait(stage, caregiver)
    for _ in range(20):
        stage.step()
    assert np.abs(caregiver.puppet.angles - rest).max() > 0.3


@pytest.mark.parametrize("tone", ["neutral", "call", "there", "whoops", "question"])
def test_it_speaks_in_five_tones_and_moves_its_jaw(tone: str) -> None:
    stage, caregiver = seat(SensesSettings(ears=True))
    stage.step()
    caregiver.say("mama", tone)
    heard, jaw = [], []
    while caregiver.busy:
        heard.append(stage.step()["child"]["ears"])
        jaw.append(caregiver.puppet.angles[list(_names()).index("jaw.open")])
    assert np.abs(np.concatenate(heard, axis=1)).max() > 0.01
    assert max(jaw) > 0.15
    quiet = stage.step()
    for _ in range(3):
        quiet = stage.step()
    assert np.abs(quiet["child"]["ears"]).max() < 1e-3


def _names() -> tuple[str, ...]:
    from puzzlebox.infant.body.bones import JOINT_NAMES

    return JOINT_NAMES


def test_it_hands_a_thing_over() -> None:
    stage, caregiver = seat()
    caregiver.give("block", "child", hold=1.0)
    held = []
    while caregiver.busy and stage.seconds < 12:
        stage.step()
        held.append(stage["block"].held)
    assert any(held) and not stage["block"].held and not caregiver.busy
    chest = stage.physics.data.xpos[stage.person("child").body.row("chest")]
    assert np.linalg.norm(stage["block"].position[:2] - chest[:2]) < 0.30
    assert stage["block"].lowest == pytest.approx(TABLE_HEIGHT, abs=0.01)


def test_it_puts_a_thing_somewhere_along_a_curve() -> None:
    stage, caregiver = seat()
    recorder = Recorder(stage, sees=False)
    goal = (0.35, 0.05, TABLE_HEIGHT + 0.036)
    caregiver.put("cup", goal)
    while caregiver.busy and stage.seconds < 12:
        stage.step()
        recorder.record()
    for _ in range(35):
        stage.step()
        recorder.record()
    assert np.linalg.norm(stage["cup"].position - goal) < 0.03
    assert predicates.on(recorder.log, "cup", "table")
    heights = predicates.positions(recorder.log, "cup")[:, 2]
    assert heights.max() > TABLE_HEIGHT + 0.05
    # Nothing jumps: the hand never moves faster than 1.5 m/s.
    assert np.linalg.norm(np.diff(predicates.positions(recorder.log, "cup"), axis=0), axis=1).max() < 0.1


def test_it_walks_and_carries() -> None:
    stage = room_scene([catalogue.toy_ball().on(0.6, 0.45, 0.0)], child=Person(pose="stand", at=(-1.0, 0.5)))
    caregiver = Caregiver(stage)
    caregiver.walk_to(0.9, 0.3, facing=180.0)
    wait(stage, caregiver)
    assert np.linalg.norm(caregiver.puppet.position[:2] - (0.9, 0.3)) < 0.01
    assert abs(abs(caregiver.puppet.heading) - 180.0) < 1.0
    stage["ball"].place((0.55, 0.3, 0.8))
    stage["ball"].hold(caregiver.puppet, "right_hand", at=(0.0, 0.0, -0.1))
    caregiver.walk_to(-0.2, -0.8)
    lowest, places = [], []
    while caregiver.busy and stage.seconds < 20:
        stage.step()
        lowest.append(caregiver.puppet.skeleton().lowest())
        places.append(caregiver.puppet.position.copy())
    assert stage["ball"].held
    assert np.linalg.norm(stage["ball"].position[:2] - (-0.2, -0.8)) < 0.5
    # Feet stay on the floor, and the body does not jump.
    assert np.abs(lowest).max() < 1e-6
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() < 0.08


def test_a_snapshot_continues_in_the_middle_of_an_action() -> None:
    def make() -> tuple[Stage, Caregiver]:
        stage, caregiver = seat(SensesSettings(ears=True))
        stage.reset(1)
        return stage, caregiver

    def play(stage: Stage) -> list[bytes]:
        return [stage.step()["child"]["ears"].tobytes() + stage["block"].position.tobytes() for _ in range(20)]

    stage, caregiver = make()
    caregiver.give("block", "child", hold=0.3)
    caregiver.say("hello mama baba", "call")
    for _ in range(15):
        stage.step()
    snapshot = pickle.loads(pickle.dumps(stage.snapshot()))
    expected = play(stage)
    other, _ = make()
    other.restore(snapshot)
    assert play(other) == expected


def test_an_utterance_ends_where_nobody_listens() -> None:
    stage = Stage([], [Person("child")], [Person.adult(at=(1.2, 0.0), heading=180.0)])
    caregiver = Caregiver(stage)
    caregiver.say("mama")
    for _ in range(60):
        stage.step()
    assert not caregiver.busy
