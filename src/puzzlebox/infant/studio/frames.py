"""The binary message about one control step: the action, the sound of both ears, and pictures of all senses.

docs/reference/studio-protocol.md describes it, and `web/src/infant/frame.ts` reads it.
"""

import struct
from collections.abc import Sequence
from enum import IntFlag
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.envs.core import Core
from puzzlebox.infant.envs.touch_camera import TouchCamera
from puzzlebox.infant.envs.views import OUTSIDE, near_picture, picture
from puzzlebox.infant.sound.wav import to_integers
from puzzlebox.scene.png import png

Image = NDArray[np.uint8]
FRAME = np.dtype(
    [
        ("kind", "u1"),
        ("flags", "u1"),  # FrameFlag
        ("actions", "<u2"),  # numbers of the action
        ("step", "<u4"),
        ("key", "<u4"),  # the last `keys` message that counted
        ("reward", "<f4"),
        ("total", "<f4"),
        ("samples", "<u2"),  # of each ear
        ("pictures", "<u2"),
    ]
)
KIND = 1
_LENGTH = struct.Struct("<I")
# Pixels of the pictures from outside and of the skin; the page shows them smaller, which smooths their edges.
OUTSIDE_SIZE, TOUCH_SIZE = (720, 480), (320, 400)
# Speed counts here, not size: level 1 takes 1 to 3 ms.
_LEVEL = 1


class FrameFlag(IntFlag):
    """The flags of a frame."""

    OVER = 1
    PASSED = 2
    WAITING = 4
    PAUSED = 8


class Moment(NamedTuple):
    """What a frame says besides pictures and sound; `FRAME` has its fields."""

    flags: int
    step: int
    key: int
    reward: float
    total: float


def frame_message(
    moment: Moment, action: Sequence[float], sound: NDArray[np.int16], pictures: Sequence[bytes]
) -> bytes:
    """Return the message about a step.

    Args:
        moment: the state.
        action: all numbers of the action of the step; empty before the first one.
        sound: what both ears heard, 2 x samples; may be empty.
        pictures: PNG files of the child from outside, the left and the right eye, the skin from the front and from
            behind; none if the page has not shown the last ones yet.
    """
    head = np.zeros((), FRAME)
    head["kind"], head["flags"], head["step"], head["key"] = KIND, moment.flags, moment.step, moment.key
    head["reward"], head["total"] = moment.reward, moment.total
    head["actions"], head["samples"], head["pictures"] = len(action), sound.shape[1], len(pictures)
    parts = [head.tobytes(), np.asarray(action, "<f4").tobytes(), np.ascontiguousarray(sound, "<i2").tobytes()]
    for each in pictures:
        parts += [_LENGTH.pack(len(each)), each]
    return b"".join(parts)


class SensesCamera:
    """Paints what a page shows of the first child: from outside, through its eyes, and what its skin feels.

    Args:
        core: the task; its child has eyes, ears and skin.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        play = core.play
        player = play.stage.person(play.names[0])
        assert player.senses is not None and player.senses.skin is not None
        player.senses.skin.feel_everywhere()
        self._touch = TouchCamera(player.body, core.settings.taxels, samples=1)

    def pictures(self, near: bool) -> list[bytes]:
        """Return PNG files of this moment; near the child, or with the whole room."""
        play = self._core.play
        state = play.states()[0]
        if near:
            outside = near_picture(play, OUTSIDE_SIZE, samples=1)
        else:
            outside = picture(play, OUTSIDE, OUTSIDE_SIZE, samples=1)
        images = (outside, *state["eyes"], *self._touch.paint(state["skin"], TOUCH_SIZE))
        return [png(np.ascontiguousarray(each), _LEVEL) for each in images]

    def sound(self) -> NDArray[np.int16]:
        """Return what both ears heard in the last step."""
        return to_integers(self._core.play.states()[0]["ears"])
