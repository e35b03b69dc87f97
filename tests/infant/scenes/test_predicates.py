"""What a child did, judged from its log."""

from pathlib import Path

import numpy as np
import pytest

from puzzlebox.infant.scenes import catalogue, predicates
from puzzlebox.infant.scenes.log import Contact, Entry, Hand, Log, Seen
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.places import TABLE_HEIGHT, seat_scene
from puzzlebox.infant.scenes.recorder import Recorder

FLAT = [1.0, 0.0, 0.0, 0.0]


def entry(step: int = 0, **more: object) -> Entry:
    """Return a step of a child at the origin that looks along x, with a toy 30 cm ahead."""
    hands = {side: Hand([0.1, y, 0.0], FLAT, 20.0) for side, y in (("left", 0.2), ("right", -0.2))}
    start: dict[str, object] = {
        "step": step,
        "eyes": [0.0, 0.0, 0.0],
        "gaze": [1.0, 0.0, 0.0],
        "head": [0.0, 0.0],
        "pixels": {"toy": [20, 0]},
        "hands": hands,
        "things": {"toy": Seen([0.3, 0.0, 0.0], FLAT, [0.0, 0.0, 0.0], -0.02)},
        "rests": [],
        "root": [0.0, 0.0, 0.0, 0.0],
        "ankles": {"left": 0.0, "right": 0.0},
        "lamp": 1.0,
    }
    return Entry(**{**start, **more})  # type: ignore[arg-type]


def log_of(count: int, change: object = None, facts: dict[str, object] | None = None) -> Log:
    entries = [entry(number) for number in range(count)]
    for number, each in enumerate(entries):
        if change is not None:
            change(each, number)  # type: ignore[operator]
    return Log(facts or {}, entries)


def test_a_look_needs_direction_visibility_and_three_steps() -> None:
    assert predicates.look(log_of(5), "toy").all()

    def aside(each: Entry, number: int) -> None:
        angle = np.radians(17.0 if number < 4 else 19.0)
        each.gaze = [float(np.cos(angle)), float(np.sin(angle)), 0.0]

    assert predicates.look(log_of(8, aside), "toy").tolist() == [True] * 4 + [False] * 4

    def small(each: Entry, number: int) -> None:
        each.pixels = {"toy": [11, 11]} if number % 3 == 2 else {"toy": [0, 12]}

    log = log_of(9, small)
    assert not predicates.look(log, "toy").any()
    assert predicates.look(log, "toy", visible=False).all()
    assert predicates.first_look(log_of(5), "toy") == pytest.approx(0.2)
    assert predicates.first_look(log, "toy") is None
    assert predicates.looking_seconds(log_of(30), "toy") == pytest.approx(2.0)


def test_preference_and_habituation() -> None:
    def alternate(each: Entry, number: int) -> None:
        each.things["other"] = Seen([0.0, 0.3, 0.0], FLAT, [0.0] * 3, 0.0)
        each.pixels["other"] = [20, 20]
        if number >= 45:
            each.gaze = [0.0, 1.0, 0.0]

    assert predicates.preference(log_of(60, alternate), "toy", ["toy", "other"]) == pytest.approx(0.75)
    assert predicates.preference(log_of(20, alternate), "toy", ["toy", "other"]) is None
    assert predicates.habituated([10, 8, 9, 6, 5, 4, 3]) and not predicates.habituated([10, 8, 9, 6, 5, 4])
    assert not predicates.habituated([10, 8, 2, 3])
    assert predicates.looked_away(log_of(60, alternate).window(20), "other") is False


def test_turns_are_measured_from_the_first_step_across_the_back() -> None:
    def turn(each: Entry, number: int) -> None:
        each.head = [170.0 + 10.0 * number if number < 2 else -180.0 + 10.0 * (number - 1), 0.0]

    assert predicates.head_turn(log_of(4, turn)) == pytest.approx([0.0, 10.0, 20.0, 30.0])


def hold(each: Entry, *, opposed: bool = True, side: str = "right") -> None:
    normals = [[0.0, 1.0, 0.0], [0.0, -1.0 if opposed else 1.0, 0.0]]
    each.hands[side].touches["toy"] = Contact([f"{side}_hand", f"{side}_index_tip"], normals)
    each.hands[side].felt = True


def carry(each: Entry, number: int) -> None:
    """Lift the toy with the right hand from step 10 on, by a centimetre a step, for 10 steps."""
    if number < 10:
        return
    height = 0.01 * min(number - 10, 10)
    each.hands["right"].palm = [0.3, 0.03, height]
    each.things["toy"].at = [0.3, 0.0, height]
    each.things["toy"].lowest = -0.02 + height
    hold(each)


def test_touch_reach_grasp_and_lift() -> None:
    log = log_of(30, carry)
    assert predicates.touch(log, "right", "toy").tolist() == [False] * 10 + [True] * 20
    assert not predicates.touch(log, "left", "toy").any()
    assert predicates.reach(log, "right", "toy") and not predicates.reach(log, "left", "toy")
    grasped = predicates.grasp(log, "toy")
    assert not grasped[:10].any() and grasped[11:].all()
    assert predicates.lift(log, "toy", 0.05).tolist() == [False] * 15 + [True] * 15
    assert not predicates.lift(log, "toy", 0.12).any()

    def press(each: Entry, number: int) -> None:
        hold(each, opposed=False)

    assert not predicates.grasp(log_of(20, press), "toy").any()

    def both(each: Entry, number: int) -> None:
        hold(each, opposed=False)
        hold(each, opposed=False, side="left")

    assert predicates.grasp(log_of(20, both), "toy").all()

    def slip(each: Entry, number: int) -> None:
        hold(each)
        each.things["toy"].at = [0.3 + 0.002 * number, 0.0, 0.0]

    assert not predicates.grasp(log_of(20, slip), "toy").any()

    def animated(each: Entry, number: int) -> None:
        each.hands["left"].holds = "toy" if number >= 5 else None

    assert predicates.grasp(log_of(10, animated), "toy").tolist() == [False] * 5 + [True] * 5


def test_feeling_is_part_of_touch_and_near_misses_are_reaches() -> None:
    def numb(each: Entry, number: int) -> None:
        hold(each)
        each.hands["right"].felt = False

    assert not predicates.touch(log_of(3, numb), "right", "toy").any()

    def near(each: Entry, number: int) -> None:
        each.hands["left"].palm = [0.3, 0.2 - 0.01 * number, 0.0]

    assert predicates.reach(log_of(14, near), "left", "toy")
    assert not predicates.reach(log_of(12, near), "left", "toy")
    assert predicates.path_ratio(log_of(14, near), "left") == pytest.approx(1.0)


def test_in_and_on() -> None:
    facts: dict[str, object] = {"cavities": {"cup": [[0.0, 0.0, 0.0], [0.04, 0.04, 0.04]]}}

    def place(each: Entry, number: int) -> None:
        each.things["cup"] = Seen([0.3, 0.03, 0.0], FLAT, [0.0] * 3, -0.04)
        each.rests = [("toy", "cup", 0.99)]
        if number < 10:
            hold(each)

    log = log_of(60, place, facts)
    assert predicates.inside(log, "toy", "cup") and predicates.on(log, "toy", "cup")
    assert not predicates.inside(log.window(0, 20), "toy", "cup")
    assert not predicates.on(log.window(0, 25), "toy", "cup")

    def tilted(each: Entry, number: int) -> None:
        place(each, number)
        each.things["cup"].at = [0.3, 0.05, 0.0]
        each.rests = [("toy", "cup", 0.6)]

    log = log_of(60, tilted, facts)
    assert not predicates.inside(log, "toy", "cup") and not predicates.on(log, "toy", "cup")
    with pytest.raises(ValueError, match="no cavity"):
        predicates.inside(log, "cup", "toy")


def test_choices_have_no_second_chance() -> None:
    def touch_two(each: Entry, number: int) -> None:
        each.things["other"] = Seen([1.0, 0.0, 0.0], FLAT, [0.0] * 3, 0.0)
        each.root = [0.1 * number, 0.0, 0.0, 0.0]
        name = "other" if number == 4 else "toy" if number > 6 else None
        if name:
            hold(each)
            each.hands["right"].touches = {name: each.hands["right"].touches["toy"]}

    log = log_of(12, touch_two)
    assert predicates.choose(log, ["toy", "other"]) == "other"
    assert predicates.choose(log.window(0, 4), ["toy", "other"]) is None
    assert predicates.choose_zone(log, ["other", "toy"]) == "toy"
    assert predicates.choose_zone(log, ["other"]) == "other"


def test_shake_bang_scan_and_kick() -> None:
    def shake(each: Entry, number: int) -> None:
        hold(each)
        each.things["toy"].velocity = [0.3 if number // 4 % 2 else -0.3, 0.0, 0.0]
        each.ankles["left"] = 0.5 if number % 6 == 3 else 0.1
        each.ankles["right"] = 0.25 if number % 6 == 3 else 0.1

    log = log_of(30, shake)
    shaken = predicates.shakes(log, "toy")
    assert not shaken[:12].any() and shaken[13:].all()
    assert predicates.kicks(log, "left") == 5 and predicates.kicks(log, "right") == 0

    def bang(each: Entry, number: int) -> None:
        if number % 5 == 2:
            hold(each)
            each.hands["right"].touches["toy"].speed = 0.1 * number

    assert predicates.bangs(log_of(15, bang), "toy") == 2

    def stroke(each: Entry, number: int) -> None:
        hold(each)
        each.hands["right"].palm = [0.3, 0.01 * number, 0.02]

    assert predicates.scans(log_of(8, stroke), "right", "toy")
    assert not predicates.scans(log_of(5, stroke), "right", "toy")


def test_a_log_survives_writing_and_reading(tmp_path: Path) -> None:
    log = log_of(12, carry, {"cavities": {}, "seed": 3})
    log.write(tmp_path / "log.jsonl")
    again = Log.read(tmp_path / "log.jsonl")
    assert again == log
    assert np.array_equal(predicates.grasp(again, "toy"), predicates.grasp(log, "toy"))


@pytest.mark.parametrize("jointed", [False, True], ids=["puppet", "joints"])
def test_the_recorder_writes_what_happens_on_a_stage(jointed: bool) -> None:
    block = catalogue.block().on(0.30, -0.10, TABLE_HEIGHT)
    stage = seat_scene([block, catalogue.cup().on(0.40, 0.15, TABLE_HEIGHT)], child=Person(jointed=jointed))
    recorder = Recorder(stage)
    body = stage.person("child").body
    stage.step()
    first = recorder.record(["start"])
    assert first.cues == ["start"] and set(first.things) == {"table", "chair", "block", "cup"}
    assert ("block", "table", 1.0) in first.rests and ("cup", "table", 1.0) in first.rests
    assert "block" not in first.hands["right"].touches
    if jointed:
        return
    puppet = stage.puppet("child")
    place = stage["block"].position + np.array((0.0, 0.0, 0.03))
    for number in range(20):
        skeleton = puppet.skeleton()
        here = skeleton.palm("right")
        angles = skeleton.reach("right", here + (place - here) * min(1.0, number / 12), puppet.angles)
        puppet.set(skeleton.face(stage["block"].position, angles))
        stage.step()
        recorder.record()
    assert predicates.touch(recorder.log, "right", "block").any()
    assert predicates.reach(recorder.log, "right", "block") and not predicates.reach(recorder.log, "left", "cup")
    assert predicates.look(recorder.log, "block")[-1] and not predicates.look(recorder.log, "cup")[-1]
    assert body is puppet
