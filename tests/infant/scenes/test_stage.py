"""The stage: things, people, light, sound, repetition and snapshots."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from puzzlebox.infant.scenes import catalogue
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.props import Prop, Tie, ball, box
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.scenes.stage import Stage
from puzzlebox.infant.senses.eyes import PERFECT, EyeSettings
from puzzlebox.infant.senses.senses import SensesSettings
from puzzlebox.infant.sound.sources import Noise

EYES = EyeSettings(size=32, segments=True, sight=PERFECT)


def small_stage(*, jointed: bool = False, senses: SensesSettings | None = None) -> Stage:
    props = [
        catalogue.table().with_(at=(0.5, 0.0, 0.30)),
        catalogue.block().on(0.45, 0.0, 0.30),
        catalogue.toy_ball().on(0.5, 0.15, 0.30),
        catalogue.screen(width=0.2, height=0.1).with_(at=(0.42, 0.2, 0.36)),
    ]
    child = Person("child", jointed=jointed, seated=jointed, pose="sit", height=0.1, senses=senses)
    return Stage(props, [child], [Person.adult(at=(1.2, 0.0), heading=180.0)])


def wave(stage: Stage, number: int) -> None:
    """Let the caregiver swing an arm over the table."""
    puppet = stage.puppet("caregiver")
    puppet.turn_joints({"right_upper_arm.flex": 10.0 + 8.0 * (number % 6), "right_forearm.flex": 30.0})


def test_things_rest_where_they_are_put_and_people_do_not_move() -> None:
    stage = small_stage()
    start = {name: thing.position for name, thing in stage.things.items()}
    head = stage.physics.data.xpos[stage.person("child").body.row("head")].copy()
    for _ in range(30):
        stage.step()
    for name, thing in stage.things.items():
        assert np.linalg.norm(thing.position - start[name]) < 0.004, name
    assert np.array_equal(stage.physics.data.xpos[stage.person("child").body.row("head")], head)
    assert stage["block"].lowest == pytest.approx(0.30, abs=0.003)


def test_a_moving_hand_pushes_a_free_thing_and_is_not_disturbed() -> None:
    stage = Stage([catalogue.block(mass=0.2).on(0.3, 0.0)], adults=[Person.adult(at=(-0.5, 0.0))])
    puppet = stage.puppet("caregiver")
    foot = puppet.row("left_toes")
    stage["block"].place(stage.physics.data.xpos[foot] * (1.0, 1.0, 0.0) + (0.25, 0.0, 0.025))
    start = stage["block"].position
    for _ in range(10):
        puppet.set(position=puppet.position + np.array((0.04, 0.0, 0.0)))
        stage.step()
    assert stage["block"].position[0] > start[0] + 0.05
    places, _ = puppet.bones()
    assert np.abs(stage.physics.data.xpos[foot] - places[list(puppet.built.bodies).index(foot)]).max() < 1e-9


def test_a_held_thing_follows_the_hand_and_flies_on_when_it_is_let_go() -> None:
    stage = small_stage()
    puppet, block = stage.puppet("caregiver"), stage["block"]
    block.hold(puppet, "right_hand", at=(0.0, 0.0, -0.1))
    for _ in range(12):
        puppet.set(position=puppet.position + np.array((0.0, 0.03, 0.0)))
        stage.step()
        row = puppet.row("right_hand")
        data = stage.physics.data
        expected = data.xpos[row] + data.xmat[row].reshape(3, 3) @ (0.0, 0.0, -0.1)
        assert np.abs(block.position - expected).max() < 1e-9
    assert block.velocity[1] == pytest.approx(0.45, abs=0.02)
    block.release()
    before = block.position
    for _ in range(3):
        stage.step()
    assert block.position[1] > before[1] + 0.05 and block.position[2] < before[2] - 0.05
    with pytest.raises(ValueError, match="not free"):
        stage["screen"].hold(puppet)


def test_hidden_things_are_neither_seen_nor_touched_and_stay() -> None:
    stage = small_stage(senses=SensesSettings(eyes=EYES))
    stage.puppet("child").turn_joints({"neck.bend": 15.0, "head.bend": 15.0})
    number = stage.ids["block"]
    assert (stage.step()["child"]["segments"] == number).sum() > 20
    block = stage["block"]
    block.hide()
    where = block.position
    stage["ball"].place(where + np.array((0.0, 0.0, 0.03)))
    for _ in range(8):
        state = stage.step()
    assert not (state["child"]["segments"] == number).any()
    assert np.array_equal(block.position, where)
    assert stage["ball"].position[2] == pytest.approx(0.34, abs=0.003)
    stage["ball"].place((0.6, 0.2, 0.35))
    block.show()
    assert (stage.step()["child"]["segments"] == number).sum() > 20


def test_scripts_move_things_evenly() -> None:
    stage = small_stage()
    screen = stage["screen"]
    start = screen.position
    screen.move(start + np.array((0.0, 0.06, 0.0)))
    seen: list[float] = []
    stage.physics.watchers.append(lambda number: seen.append(float(screen.position[1])))
    stage.step()
    assert np.allclose(np.diff([start[1], *seen]), 0.06 / stage.physics.substeps)
    assert screen.velocity[1] == pytest.approx(0.9)
    stage.step()
    assert np.array_equal(screen.velocity, np.zeros(3))
    with pytest.raises(ValueError, match="forces move it"):
        stage["block"].move((0.0, 0.0, 0.0))


def test_the_lamp_darkens_everything_but_what_glows() -> None:
    glowing = Prop("bar", (box(0.01, 0.05, 0.2),), (0.5, 0.0, 0.5), free=False, colour=(255, 255, 255), glows=True)
    dull = glowing.with_(name="dull", at=(0.5, 0.2, 0.5), glows=False)
    child = Person("child", pose="sit", height=0.1, senses=SensesSettings(eyes=EYES))
    stage = Stage([glowing, dull], [child])
    bright = stage.step()["child"]
    ids = stage.ids
    assert {ids["bar"], ids["dull"]} <= set(np.unique(bright["segments"]))
    stage.lamp = 0.0
    dark = stage.step()["child"]
    assert set(np.unique(dark["segments"])) == {-1, ids["bar"]}
    assert (dark["eyes"][dark["segments"] == ids["bar"]] > 250).all()
    assert not dark["eyes"][dark["segments"] != ids["bar"]].any()
    stage["bar"].glow(False)
    assert not stage.step()["child"]["eyes"].any()
    stage.reset()
    assert stage.lamp == 1.0 and stage["bar"].glows
    with pytest.raises(ValueError, match=r"0 .dark. to 1"):
        stage.lamp = 2.0


def test_colours_change() -> None:
    stage = small_stage(senses=SensesSettings(eyes=EYES))
    stage.puppet("child").turn_joints({"neck.bend": 15.0, "head.bend": 15.0})
    stage["block"].colour = (20, 220, 20)
    state = stage.step()["child"]
    red, green, _ = state["eyes"][state["segments"] == stage.ids["block"]].mean(axis=0)
    assert green > 2 * red


def test_everybody_with_ears_hears_the_same_source_and_voices() -> None:
    ears = SensesSettings(ears=True, joints=False, balance=False)
    children = [Person("anna", at=(0.0, 0.5), senses=ears), Person("ben", at=(0.0, -0.5), senses=ears)]
    stage = Stage([catalogue.toy_ball().on(1.0, 0.0)], children)
    stage.attach_sound("hiss", Noise(0.1), "ball")
    state = stage.step()
    sums = {name: np.abs(state[name]["ears"]).sum(axis=1) for name in ("anna", "ben")}
    # The ball is on Anna's right and on Ben's left.
    assert sums["anna"][1] > 1.2 * sums["anna"][0] and sums["ben"][0] > 1.2 * sums["ben"][1]
    stage.sounds.placed["hiss"].source.level = 0.0
    for _ in range(3):
        state = stage.step()
    quiet = np.abs(state["ben"]["ears"]).max()
    stage.person("anna").voice.say("mama")
    loud = max(np.abs(stage.step()["ben"]["ears"]).max() for _ in range(4))
    assert quiet < 1e-3 < loud


def test_a_hand_that_strikes_a_thing_is_heard() -> None:
    ears = SensesSettings(ears=True, joints=False, balance=False)
    child = Person("child", at=(0.5, 0.6), senses=ears)
    stage = Stage([catalogue.block(mass=0.3).on(0.15, 0.0)], [child], [Person.adult(at=(-0.5, 0.0))])
    puppet = stage.puppet("caregiver")
    foot = stage.physics.data.xpos[puppet.row("left_toes")]
    stage["block"].place(foot * (1.0, 1.0, 0.0) + (0.2, 0.0, 0.025))
    loud = []
    for _ in range(10):
        puppet.set(position=puppet.position + np.array((0.05, 0.0, 0.0)))
        loud.append(float(np.abs(stage.step()["child"]["ears"]).max()))
    assert max(loud) > 1e-2 > 10 * max(loud[1:3])


def play(stage: Stage, count: int) -> list[bytes]:
    out = []
    for number in range(count):
        wave(stage, number)
        if stage.steps == 4:
            stage["block"].hold(stage.puppet("caregiver"))
        if stage.steps == 9:
            stage["block"].release()
        if stage.steps == 6:
            stage["screen"].move(stage["screen"].position + np.array((0.0, 0.01, 0.02)))
        actions = None
        if stage.child is not None:
            actions = {"child": stage.rng.uniform(-1, 1, stage.child.action_size)}
        state = stage.step(actions)["child"]
        out.append(b"".join(state[name].tobytes() for name in sorted(state)) + stage["ball"].position.tobytes())
    return out


ALL = SensesSettings(skin=True, ears=True, eyes=EYES)


@pytest.mark.parametrize("jointed", [False, True], ids=["puppet", "joints"])
def test_the_same_seed_gives_the_same_bytes_and_a_snapshot_continues_them(jointed: bool) -> None:
    one, two = small_stage(jointed=jointed, senses=ALL), small_stage(jointed=jointed, senses=ALL)
    for stage in (one, two):
        stage.reset(5)
    assert play(one, 8) == play(two, 8)
    snapshot = pickle.loads(pickle.dumps(one.snapshot()))
    expected = play(one, 8)
    fresh = small_stage(jointed=jointed, senses=ALL)
    for stage in (one, fresh):
        state = stage.restore(snapshot)["child"]
        assert all(np.array_equal(state[name], two.states["child"][name]) for name in state)
        assert play(stage, 8) == expected
    assert len(set(expected)) == 8
    one.reset(5)
    two.reset(5)
    assert play(one, 5) == play(two, 5)


def test_another_process_gives_the_same_bytes() -> None:
    program = (
        "import hashlib, sys; sys.path.insert(0, 'tests/infant/scenes'); import test_stage as t;"
        "stage = t.small_stage(senses=t.ALL); stage.reset(7);"
        "print(hashlib.sha256(b''.join(t.play(stage, 6))).hexdigest())"
    )
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(2)]
    assert runs[0].stdout and runs[0].stdout == runs[1].stdout, runs[0].stderr


def test_a_seated_jointed_child_keeps_its_pelvis() -> None:
    stage = small_stage(jointed=True)
    assert stage.child is not None
    row = stage.child.row("pelvis")
    start = stage.physics.data.xpos[row].copy()
    rng = np.random.default_rng(0)
    for _ in range(20):
        stage.step({"child": rng.uniform(-1, 1, stage.child.action_size)})
    assert np.linalg.norm(stage.physics.data.xpos[row] - start) < 0.01


def test_knots_and_links() -> None:
    cord = catalogue.string(length=0.2, links=5).with_(at=(0.0, 0.0, 0.005))
    toy = catalogue.block(mass=0.02).on(0.225, 0.0)
    lidded = catalogue.box_with_lid().with_(at=(0.0, 0.5, 0.0))
    stage = Stage([cord, toy, lidded], [Person(at=(-0.3, 0.0))], ties=[Tie("string/4", "block", (0.04, 0.0, 0.0))])
    puppet = stage.puppet("child")
    stage["string"].hold(puppet)

    def pull(count: int) -> float:
        start = stage["block"].position[0]
        for _ in range(count):
            puppet.set(position=puppet.position - (0.01, 0.0, 0.0))
            stage.step()
        return float(start - stage["block"].position[0])

    assert 0.12 < pull(15) < 0.16
    stage.tie("string/4", "block", tied=False)
    assert pull(15) < 0.03
    stage["box"].set_angle("lid", 60.0)
    assert stage["box"].angle("lid") == pytest.approx(60.0)
    stage.step()
    assert stage["box"].angle("lid") != pytest.approx(60.0)
    with pytest.raises(ValueError, match=r"no link 'lidd'.*lid"):
        stage["box"].angle("lidd")


def test_mistakes_are_refused() -> None:
    block = catalogue.block()
    with pytest.raises(ValueError, match="two things are named 'block'"):
        Stage([block, block])
    with pytest.raises(ValueError, match="two people or things are named 'block'"):
        Stage([block], [Person("block")])
    with pytest.raises(ValueError, match="at most one person"):
        Stage((), [Person("a", jointed=True), Person("b", jointed=True)])
    stage = Stage([block], [Person()])
    with pytest.raises(KeyError, match=r"no thing 'blok'.*block"):
        stage["blok"]
    with pytest.raises(KeyError, match=r"nobody named 'chid'.*child"):
        stage.person("chid")
    with pytest.raises(ValueError, match="takes no actions"):
        stage.step({"child": 1})
    with pytest.raises(ValueError, match="nobody named 'x'"):
        stage.step({"x": 1})
    with pytest.raises(ValueError, match="2 positive numbers"):
        catalogue.rod(length=-1.0)
    with pytest.raises(ValueError, match="no shapes"):
        Prop("x", ())
    with pytest.raises(ValueError, match="material"):
        Prop("x", (ball(0.1),), material="cheese")
    with pytest.raises(ValueError, match="1 or 4"):
        Room(walls=((0, 0, 0),) * 2)
