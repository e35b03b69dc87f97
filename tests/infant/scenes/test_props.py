"""Things of the catalogue and acts of people on a stage, judged by the predicates from what a recorder wrote."""

from collections.abc import Callable

import numpy as np
import pytest

from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.scenes import catalogue, predicates
from puzzlebox.infant.scenes.caregiver import Caregiver
from puzzlebox.infant.scenes.log import Log
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.places import TABLE_HEIGHT, crib_scene, room_scene, seat_scene
from puzzlebox.infant.scenes.props import turned
from puzzlebox.infant.scenes.recorder import Recorder
from puzzlebox.infant.scenes.stage import Stage


def record(recorder: Recorder, steps: int, before: Callable[[int], None] = lambda number: None) -> Log:
    """Let steps pass, and return their log."""
    start = len(recorder.log)
    for number in range(steps):
        before(number)
        recorder.stage.step()
        recorder.record()
    return recorder.log.window(start)


@pytest.mark.parametrize("upside_down", [False, True])
def test_a_block_falls_into_a_cup_but_not_into_one_that_is_upside_down(upside_down: bool) -> None:
    cup = catalogue.cup(upside_down=upside_down).on(0.35, 0.0, TABLE_HEIGHT)
    block = catalogue.block(size=0.03).on(0.35, 0.0, TABLE_HEIGHT + 0.09)
    recorder = Recorder(seat_scene([cup, block], child=Person(), caregiver=False), sees=False)
    log = record(recorder, 45)
    assert predicates.inside(log, "block", "cup") is not upside_down
    assert predicates.on(log, "block", "cup") and not predicates.on(log, "block", "table")


def test_a_lid_rests_on_a_cup_until_it_is_taken_off() -> None:
    cup = catalogue.cup().on(0.45, 0.1, TABLE_HEIGHT)
    lid = catalogue.lid().on(0.45, 0.1, TABLE_HEIGHT + 0.0745)
    stage = seat_scene([cup, lid], child=Person())
    recorder = Recorder(stage, sees=False)
    log = record(recorder, 40)
    assert predicates.on(log, "lid", "cup") and not predicates.inside(log, "lid", "cup")
    Caregiver(stage).put("lid", (0.40, -0.1, TABLE_HEIGHT + 0.01))
    log = record(recorder, 120)
    assert predicates.on(log, "lid", "table") and not predicates.on(log, "lid", "cup")


def test_a_rattle_is_shaken() -> None:
    stage = seat_scene([catalogue.rattle().on(0.3, 0.0, TABLE_HEIGHT + 0.2)], child=Person())
    recorder, puppet = Recorder(stage, sees=False), stage.puppet("child")
    stage["rattle"].place(puppet.skeleton().palm("right"))
    stage["rattle"].hold(puppet, "right_hand")
    elbow = np.degrees(puppet.angles[JOINT_NAMES.index("right_forearm.flex")])

    def shake(number: int) -> None:
        puppet.turn_joints({"right_forearm.flex": elbow - (20.0 if number // 3 % 2 else 0.0)})

    still = record(recorder, 30)
    assert predicates.grasp(still, "rattle").all() and not predicates.shakes(still, "rattle").any()
    assert predicates.shakes(record(recorder, 30, shake), "rattle")[-1]


def test_a_leg_kicks_a_ball() -> None:
    stage = room_scene([catalogue.toy_ball().on(0.0, 0.0)], child=Person(pose="stand"), furniture=False)
    recorder, puppet = Recorder(stage, sees=False), stage.puppet("child")
    foot = stage.physics.data.xpos[puppet.row("right_toes")]
    stage["ball"].place((foot[0] + 0.12, foot[1], 0.04))
    start = stage["ball"].position

    def kick(number: int) -> None:
        swing = number % 10
        puppet.turn_joints({"right_thigh.flex": 50.0 * max(0.0, 1 - abs(swing - 2) / 2)})

    assert predicates.kicks(record(recorder, 10), "right") == 0
    log = record(recorder, 20, kick)
    assert predicates.kicks(log, "right") >= 2 and predicates.kicks(log, "left") == 0
    assert stage["ball"].position[0] > start[0] + 0.1


def test_a_script_turns_the_mobile_above_a_child_that_looks_at_it() -> None:
    stage = crib_scene(child=Person(age_months=3.0))
    recorder, mobile, puppet = Recorder(stage), stage["mobile"], stage.puppet("child")
    puppet.set(puppet.skeleton().face(mobile.position + np.array((0.0, 0.0, -0.06)), puppet.angles))

    def turn(number: int) -> None:
        mobile.move(mobile.prop.at, turned(6.0 * number))

    log = record(recorder, 16, turn)
    assert predicates.look(log, "mobile")[-1]
    turns = [entry.things["mobile"].turn for entry in log.entries]
    assert turns[-1] == pytest.approx(turned(90.0), abs=1e-4) and turns[0] == pytest.approx((1, 0, 0, 0), abs=1e-4)
    puppet.set(puppet.skeleton().face(mobile.position + np.array((-0.5, 1.0, -0.3)), puppet.angles))
    assert not predicates.look(record(recorder, 5), "mobile")[-1]


def test_nothing_is_looked_at_through_a_screen() -> None:
    board = catalogue.screen().with_(at=(0.30, 0.0, TABLE_HEIGHT + 0.125))
    stage = seat_scene([board, catalogue.block().on(0.40, 0.0, TABLE_HEIGHT)], child=Person(), caregiver=False)
    recorder, puppet = Recorder(stage), stage.puppet("child")
    puppet.set(puppet.skeleton().face(stage["block"].position, puppet.angles))
    log = record(recorder, 6)
    assert not predicates.look(log, "block").any() and predicates.on_target(log, "block", visible=False)[-1]
    stage["screen"].move((0.30, 0.5, TABLE_HEIGHT + 0.125))
    assert predicates.look(record(recorder, 6), "block")[-1]


def seat_with_toys() -> tuple[Stage, Caregiver]:
    things = [catalogue.block().on(0.45, 0.12, TABLE_HEIGHT), catalogue.cup().on(0.45, -0.15, TABLE_HEIGHT)]
    stage = seat_scene(things, child=Person())
    return stage, Caregiver(stage)


def test_the_caregiver_who_hands_over_reaches_grasps_lifts_and_lets_go() -> None:
    stage, caregiver = seat_with_toys()
    recorder = Recorder(stage, "caregiver", sees=False)
    caregiver.give("block", "child", hold=1.0)
    log = record(recorder, 150)
    assert not caregiver.busy
    assert predicates.reach(log, "right", "block") and not predicates.reach(log, "left", "cup")
    assert predicates.grasp(log, "block").sum() > 15 and not predicates.grasp(log, "cup").any()
    assert predicates.lift(log, "block", 0.03).any() and not predicates.lift(log, "block", 0.5).any()
    assert not predicates.grasp(log, "block")[-1] and predicates.on(log, "block", "table")


def test_a_caregiver_who_points_at_a_thing_does_not_take_it() -> None:
    stage, caregiver = seat_with_toys()
    recorder = Recorder(stage, "caregiver", sees=False)
    caregiver.point_at("block", 1.0)
    log = record(recorder, 45)
    away = {
        name: np.linalg.norm(predicates.palms(log, "right") - predicates.positions(log, name), axis=1)
        for name in ("block", "cup")
    }
    assert away["block"].min() < away["cup"].min() and away["block"].min() < 0.8 * away["block"][0]
    assert not predicates.grasp(log, "block").any() and predicates.choose(log, ["block", "cup"]) is None


def test_a_caregiver_who_walks_gets_to_one_of_two_places() -> None:
    toys = [catalogue.block().on(0.7, 0.6), catalogue.toy_ball().on(0.7, -0.6)]
    stage = room_scene(toys, child=Person(pose="stand", at=(-1.0, 0.5)), furniture=False)
    caregiver, recorder = Caregiver(stage), Recorder(stage, "caregiver", sees=False)
    assert predicates.choose_zone(record(recorder, 3), ["block", "ball"]) is None
    caregiver.walk_to(0.7, -0.4)
    log = record(recorder, 90)
    assert not caregiver.busy and predicates.choose_zone(log, ["block", "ball"]) == "ball"
