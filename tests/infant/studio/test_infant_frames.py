"""The binary frame of infant tasks: what the server writes is what the page's decoder is tested with."""

import re
from pathlib import Path

import numpy as np

from infant_page import decode
from puzzlebox.infant.envs.core import Core
from puzzlebox.infant.senses.taxels import spread_taxels
from puzzlebox.infant.studio.frames import Moment, SensesCamera, frame_message
from puzzlebox.infant.studio.tab import HeldControls

FIXTURE = Path(__file__).parents[3] / "web" / "src" / "infant" / "frame.fixture.ts"
SOUND = np.array([[1, -2, 32767], [-32768, 0, 4]], np.int16)


def test_the_fixture_of_the_page_is_what_the_server_writes() -> None:
    message = frame_message(Moment(3, 70_000, 5, 0.5, -1.25), [1.0, -0.25, 0.2], SOUND, [b"\1\2\3", b"", b"\xff"])
    found = re.search(r'FRAME_HEX = "([0-9a-f]+)"', FIXTURE.read_text(encoding="utf-8"))
    assert found is not None and found[1] == message.hex()
    frame = decode(message)
    assert frame.pictures == [b"\1\2\3", b"", b"\xff"] and (frame.sound == SOUND).all()


def test_a_key_that_is_pressed_and_released_between_two_steps_counts_once() -> None:
    held = HeldControls(2)
    held.press(1, [1.0, 0.0])
    held.press(2, [0.0, 0.0])
    assert held.take() == ([1.0, 0.0], 2)
    assert held.take() == ([0.0, 0.0], 2)
    held.press(3, [1.0, -1.0])
    assert held.take() == held.take() == ([1.0, -1.0], 3)
    held.press(4, [0.0, -1.0])
    assert held.take() == ([0.0, -1.0], 4)
    held.release()
    assert held.take() == ([0.0, 0.0], 4)


def test_the_map_of_touch_has_the_whole_skin_also_where_the_agent_has_that_of_hands() -> None:
    core = Core("grab-object", senses=("eyes", "ears", "skin"), pixels=16)
    core.reset(seed=1)
    SensesCamera(core)
    core.step(core.script())
    felt = core.play.states()[0]["skin"]
    # The seat of the high chair presses on the legs.
    assert felt[spread_taxels(core.settings.taxels).region == "leg"].any()
