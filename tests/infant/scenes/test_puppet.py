"""Puppets: the same body as a child with joints, and its senses."""

import numpy as np
import pytest

from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.body.growth import Growth
from puzzlebox.infant.body.poses import POSES
from puzzlebox.infant.body.skeleton import Skeleton
from puzzlebox.infant.infant import Infant
from puzzlebox.infant.scenes import catalogue
from puzzlebox.infant.scenes.people import ADULT, Person
from puzzlebox.infant.scenes.stage import Stage
from puzzlebox.infant.senses.eyes import EyeSettings
from puzzlebox.infant.senses.senses import SensesSettings
from puzzlebox.infant.senses.skin import SkinSettings

ALL = SensesSettings(skin=SkinSettings(habituation=0.0), ears=True, eyes=EyeSettings(size=48))


@pytest.mark.parametrize("pose", ["stand", "sit", "lie"])
def test_a_puppet_has_the_bones_of_a_jointed_child(pose: str) -> None:
    infant = Infant(12, skin=False)
    infant.reset(pose=pose)
    stage = Stage((), [Person("child", 12, pose=pose)])
    puppet = stage.puppet("child")
    rows, own = infant.body.built.bodies, puppet.built.bodies
    assert np.abs(stage.physics.data.xpos[own] - infant.body.data.xpos[rows]).max() < 1e-6
    assert np.abs(stage.physics.data.xmat[own] - infant.body.data.xmat[rows]).max() < 1e-6
    assert np.array_equal(puppet.angles, infant.body.angles)


def test_its_senses_are_those_of_a_jointed_child() -> None:
    infant = Infant(skin=SkinSettings(habituation=0.0), ears=True, eyes=EyeSettings(size=48))
    still = infant.reset(pose="sit")
    stage = Stage((), [Person("child", senses=ALL)])
    state = stage.reset()["child"]
    assert {name: each.shape for name, each in state.items()} == {name: each.shape for name, each in still.items()}
    angles = slice(0, len(JOINT_NAMES))
    assert np.array_equal(state["joints"][angles], still["joints"][angles])
    assert np.abs(state["joints"][-188:] - still["joints"][-188:]).max() < 1e-6
    gravity = 9.81 * infant.body.data.xmat[infant.body.row("head")][6:]
    assert np.abs(state["balance"] - (*gravity, 0.0, 0.0, 0.0)).max() < 0.01
    # Both sit on the floor and feel it at the same places.
    assert state["skin"].sum() > 2
    assert np.corrcoef(state["skin"], still["skin"])[0, 1] > 0.9


def test_balance_and_speeds_follow_the_motion() -> None:
    stage = Stage((), [Person("child", senses=SensesSettings())])
    puppet = stage.puppet("child")
    for number in range(1, 6):
        # Accelerated by 2 m/s^2 along x, with a head that nods.
        puppet.set(position=puppet.position + np.array((2.0 * number / 225, 0.0, 0.0)))
        puppet.turn_joints({"neck.bend": -4.0 + 3.0 * number})
        state = stage.step()["child"]
    row = len(JOINT_NAMES) + JOINT_NAMES.index("neck.bend")
    assert state["joints"][row] == pytest.approx(np.radians(45.0), rel=1e-3)
    turn = stage.physics.data.xmat[puppet.row("head")].reshape(3, 3)
    world = turn @ state["balance"][:3]
    assert world[0] == pytest.approx(2.0, abs=0.7) and world[2] == pytest.approx(9.81, abs=0.7)
    assert state["balance"][4] == pytest.approx(np.radians(45.0), rel=0.05)


def test_a_thing_in_its_hand_and_a_table_under_it_are_felt() -> None:
    senses = SensesSettings(skin=SkinSettings(habituation=0.0))
    table = catalogue.table().with_(at=(0.35, 0.0, 0.25))
    stage = Stage([table, catalogue.block(size=0.04).on(0.5, 0.3, 0.25)], [Person("child", senses=senses)])
    puppet = stage.puppet("child")
    player = stage.person("child")
    assert player.senses is not None and player.senses.skin is not None
    hand = np.char.startswith(player.senses.skin.taxels.region, "hand") | (
        player.senses.skin.taxels.region == "fingertips"
    )
    lifted = {f"{side}_upper_arm.{joint}": 70.0 for side in ("left", "right") for joint in ("flex", "abduct")}
    puppet.turn_joints(lifted)
    assert not stage.step()["child"]["skin"][hand].any()
    puppet.set(puppet.skeleton().reach("right", (0.22, -0.1, 0.262), puppet.angles))
    assert stage.step()["child"]["skin"][hand].max() > 0.1
    puppet.turn_joints(lifted)
    stage.step()
    stage["block"].hold(puppet, "right_hand", at=(0.0, 0.03, -0.03))
    assert stage.step()["child"]["skin"][hand].max() > 0.1


def test_hands_reach_places_and_eyes_look_at_them() -> None:
    rng = np.random.default_rng(1)
    for growth in (Growth.at(6), Growth.at(18), Growth.of(ADULT)):
        skeleton, angles = Skeleton(growth), POSES["sit"].targets()
        for side, sign in (("left", 1.0), ("right", -1.0)):
            skeleton.pose((0.1, 0.2, 0.5), (1.0, 0.0, 0.0, 0.0), angles)
            shoulder = skeleton.point(f"{side}_upper_arm")
            length = np.linalg.norm(skeleton.point(f"{side}_hand") - skeleton.point(f"{side}_forearm"))
            length += np.linalg.norm(skeleton.point(f"{side}_forearm") - shoulder)
            for _ in range(5):
                away = np.abs(rng.normal(size=3)) * (1.0, sign, -0.5)
                place = shoulder + away / np.linalg.norm(away) * length * rng.uniform(0.5, 0.9)
                skeleton.pose((0.1, 0.2, 0.5), (1.0, 0.0, 0.0, 0.0), angles)
                found = skeleton.reach(side, place, angles)
                assert np.linalg.norm(skeleton.palm(side) - place) < 0.02
                assert (found >= skeleton.built.low - 1e-9).all() and (found <= skeleton.built.high + 1e-9).all()
        skeleton.face((1.0, 0.5, 0.9), angles)
        for eye in ("left_eye", "right_eye"):
            row = skeleton.row(eye)
            towards = np.array((1.0, 0.5, 0.9)) - skeleton.data.xpos[row]
            assert skeleton.data.xmat[row].reshape(3, 3)[:, 0] @ towards > 0.999 * np.linalg.norm(towards)
