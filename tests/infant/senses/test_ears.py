"""The ears of the child: who hears what from where, blows, snapshots."""

import pickle

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from puzzlebox.infant.infant import Infant
from puzzlebox.infant.senses.ears import EarsSettings
from puzzlebox.infant.sound.propagation import Room
from puzzlebox.infant.sound.sources import Noise
from puzzlebox.infant.sound.voice import Voice

MATERIALS = {"block": "wood", "world": "floor"}


def add_block(spec: mujoco.MjSpec, height: float = 0.4) -> None:
    body = spec.worldbody.add_body(name="block", pos=[0.6, 0.5, height])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.03, 0.03, 0.03], mass=0.1)


def infant_with(settings: EarsSettings | bool = True, height: float = 0.4) -> Infant:
    return Infant(skin=False, ears=settings, furnish=lambda spec: add_block(spec, height))


def level(sound: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.asarray(np.sqrt((sound.astype(np.float64) ** 2).mean(axis=1)))


def test_the_ear_on_the_side_of_the_source_hears_more() -> None:
    infant = infant_with()
    assert infant.ears is not None
    for side, name in ((1.0, "left"), (-1.0, "right")):
        infant.ears.attach(name, Noise(0.1), at=(0.0, side, 0.4))
        infant.reset()
        state = infant.step()["ears"]
        assert state.shape == (2, 2940) and state.dtype == np.float32
        left, right = level(state)
        assert (left > 2 * right) if side > 0 else (right > 2 * left)
        infant.ears.remove(name)
    infant.reset()
    assert not infant.step()["ears"].any()


def test_a_source_moves_with_its_body_and_with_the_head() -> None:
    infant = infant_with()
    assert infant.ears is not None
    infant.ears.attach("squeak", Noise(0.1), "block", (0.0, 0.0, 0.1))
    infant.reset()
    before = infant.ears.place_of("squeak")
    for _ in range(6):
        infant.step()
    assert before[2] - infant.ears.place_of("squeak")[2] > 0.2


def test_a_falling_block_is_heard_when_it_lands_and_louder_from_higher_up() -> None:
    heard = {}
    for height in (0.1, 0.4):
        infant = infant_with(EarsSettings(materials={"block": "wood"}), height)
        infant.reset(pose="lie")
        loud = [float(level(infant.step()["ears"]).max()) for _ in range(12)]
        lands = int(np.argmax(np.array(loud) > 1e-3))
        assert lands == int(np.sqrt(2 * (height - 0.03) / 9.81) * 15)
        assert max(loud[:lands], default=0.0) < 1e-3
        heard[height] = max(loud)
    assert heard[0.4] > 1.3 * heard[0.1]
    deaf = infant_with()
    deaf.reset(pose="lie")
    assert not any(deaf.step()["ears"].any() for _ in range(12))


def test_the_same_seed_gives_the_same_bytes_and_a_snapshot_continues_them() -> None:
    def make() -> Infant:
        infant = infant_with(EarsSettings(room=Room(), materials=MATERIALS))
        assert infant.ears is not None
        infant.ears.attach("hiss", Noise(0.05, 4), "block")
        infant.ears.attach("caregiver", Voice(), at=(1.0, -0.5, 0.8))
        infant.reset(seed=2, pose="sit")
        voice = infant.ears.sources()["caregiver"]
        assert isinstance(voice, Voice)
        voice.say("hello mama baba")
        return infant

    def play(infant: Infant, count: int, seed: int) -> list[bytes]:
        rng = np.random.default_rng(seed)
        return [infant.step(rng.uniform(-1, 1, infant.body.action_size))["ears"].tobytes() for _ in range(count)]

    one, two = make(), make()
    # The block is about to land when the snapshot is taken, and the voice speaks.
    assert play(one, 5, 1) == play(two, 5, 1)
    snapshot = pickle.loads(pickle.dumps(one.snapshot()))
    expected = play(one, 6, 2)
    fresh = make()
    fresh.restore(snapshot)
    assert play(fresh, 6, 2) == expected
    assert len(set(expected)) == 6


def test_a_room_adds_sound_and_a_source_outside_has_no_reflections() -> None:
    loud = {}
    walls = Room(low=(-1.0, -1.0, 0.0), high=(1.5, 1.0, 1.2), reflection=1.0)
    for name, room, place in (
        ("open", None, (1.0, 0.0, 0.5)),
        ("room", walls, (1.0, 0.0, 0.5)),
        ("far", None, (4.0, 0.0, 0.5)),
        ("outside", walls, (4.0, 0.0, 0.5)),
    ):
        infant = infant_with(EarsSettings(room=room))
        assert infant.ears is not None
        infant.ears.attach("hiss", Noise(0.1), at=place)
        infant.reset()
        loud[name] = float(level(infant.step()["ears"]).sum())
    assert loud["room"] > 1.05 * loud["open"]
    assert loud["outside"] == pytest.approx(loud["far"], rel=1e-3)


def test_mistakes_are_refused() -> None:
    infant = infant_with()
    assert infant.ears is not None
    infant.ears.attach("hiss", Noise())
    with pytest.raises(ValueError, match="named 'hiss' sounds already"):
        infant.ears.attach("hiss", Noise())
    with pytest.raises(ValueError, match=r"no body is named 'blok'.*block"):
        infant.ears.attach("other", Noise(), "blok")
    with pytest.raises(ValueError, match="three finite numbers"):
        infant.ears.attach("other", Noise(), at=(0.0, 1.0))
    with pytest.raises(ValueError, match=r"no source is named 'his'.*hiss"):
        infant.ears.remove("his")
    with pytest.raises(ValueError, match="the snapshot has the sources"):
        infant_with().restore(infant.snapshot())
    with pytest.raises(ValueError, match="material 'wod' is not known"):
        infant_with(EarsSettings(materials={"block": "wod"}))
