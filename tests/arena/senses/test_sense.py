"""A sense is a name, a space and a read-out; a defined sense is a setting by its name."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

import puzzlebox
from puzzlebox.arena.senses import SENSES, Cruising, Sense
from puzzlebox.arena.senses.sense import make_sense

TASK = "arenas: [{items: [{name: Agent, at: [20, 0, 20], rotation: 0}]}]"


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """Remove the senses that a test defines."""
    before = dict(SENSES)
    yield
    SENSES.clear()
    SENSES.update(before)


def pulse(*, space: Any = None, **body: Any) -> type[Sense]:
    """Define a sense that counts decisions."""

    def begin(self: Any, beats: int = 1) -> None:
        self.beats = beats
        self.space = spaces.Box(0, np.inf, (1,), np.float32) if space is None else space

    def read(self: Any, world: Any, animal_index: int, out: Any) -> None:
        out[0] = self.beats * len(world.actions)

    return type("Pulse", (Sense,), {"name": "pulse", "__init__": begin, "read": read, **body})


def test_a_sense_is_a_setting_by_its_name() -> None:
    pulse()
    env = puzzlebox.make(TASK, camera=None, vitals=False, pulse={"beats": 2})
    env.reset(seed=0)
    assert list(env.observation_space) == ["pulse"]
    assert [float(env.step(3)[0]["pulse"][0]) for _ in range(3)] == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("no", [None, False])
def test_a_sense_set_to_none_or_false_is_left_out(no: bool | None) -> None:
    pulse()
    assert list(puzzlebox.make(TASK, camera=None, pulse=no).observation_space) == ["vitals"]


@pytest.mark.parametrize(("how", "cruises"), [(Cruising.NEVER, False), (Cruising.READS, True)])
def test_a_sense_determines_whether_there_is_a_cruise(how: Cruising, cruises: bool) -> None:
    """In a vector the values are the same with and without cruises."""
    pulse(cruising=how)
    env = puzzlebox.make(TASK, camera=None, pulse=True)
    env.reset(seed=0)
    assert (env.cruise(env.perceive()) is not None) == cruises
    envs = puzzlebox.make_vec(TASK, 2, workers=1, camera=None, pulse=True, frame_stack=2)
    envs.reset(seed=0)
    for _ in range(5):
        observations = envs.step(np.array([3, 1]))[0]
    assert observations["pulse"].tolist() == [[4.0, 5.0], [4.0, 5.0]]
    envs.close()


def test_a_name_is_given_once_and_is_a_word() -> None:
    with pytest.raises(TypeError, match=r"there is a sense `rays` already, in puzzlebox\.arena\.senses\.rays"):
        pulse(name="rays")
    with pytest.raises(TypeError, match="Pulse has the name 'my pulse'; it must be a word, as in compass=True"):
        pulse(name="my pulse")
    pulse()
    again = pulse()  # like a notebook cell that is run twice
    assert SENSES["pulse"] is again


@pytest.mark.parametrize("space", [spaces.Discrete(3), spaces.Box(0, 1, ()), 5])
def test_the_space_of_a_sense_must_be_a_box_with_axes(space: Any) -> None:
    pulse(space=space)
    with pytest.raises(TypeError, match=r"the space of the sense `pulse` is .*; it must be a Box with an axis or more"):
        puzzlebox.make(TASK, pulse=True)


def test_an_unknown_sense_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"^there is no sense `vital`; allowed: camera, .*did you mean `vitals`\?$"):
        make_sense("vital", {})


def test_a_sense_without_read_is_refused() -> None:
    pulse(read=Sense.read)
    env = puzzlebox.make(TASK, pulse=True)
    with pytest.raises(NotImplementedError, match="the sense Pulse has no read"):
        env.reset(seed=0)
