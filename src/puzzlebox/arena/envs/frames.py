"""Observations as learners want them: the last frames together, channels first, scaled vitals, the heading."""

from math import cos, radians, sin
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from puzzlebox.arena.world import World

if TYPE_CHECKING:
    from puzzlebox.arena.envs.settings import Settings

Observation = dict[str, npt.NDArray[Any]]
# What the vitals are divided by when they are scaled: health of 100, 20 m/s, 40 m.
VITALS_SCALE: npt.NDArray[np.float32] = np.array((100, 20, 20, 20, 40, 40, 40), np.float32)
_PICTURES = ("camera", "depth", "segments")


class Frames:
    """Arranges what one agent perceives as its settings ask, and remembers the frames it perceived before.

    Frames are stacked along the channels of a picture and one after the other in a row of numbers, the oldest first. At
    the beginning of an episode all of them are the first one, as in Gymnasium's `FrameStackObservation`.

    Attributes:
        space: the observations after arranging.
    """

    def __init__(self, settings: "Settings", senses: spaces.Dict) -> None:
        self._count = settings.frame_stack
        self._first = settings.channels_first
        self._scaled = settings.scaled_vitals
        self._heading = settings.heading
        self._world: World | None = None
        self._moment = -1
        parts: dict[str, Any] = dict(senses.items())
        if self._scaled:
            low, high = parts["vitals"].low / VITALS_SCALE, parts["vitals"].high / VITALS_SCALE
            parts["vitals"] = spaces.Box(low, high, dtype=np.float32)
        if self._heading:
            parts["heading"] = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.space = spaces.Dict({name: self._arranged(name, part) for name, part in parts.items()})
        self._stacks: Observation = {
            name: np.zeros(part.shape, part.dtype)  # type: ignore[arg-type]
            for name, part in self.space.items()
        }

    def _arranged(self, name: str, part: spaces.Box) -> spaces.Box:
        """The space of one part: with its channels first, and as often as there are frames."""
        low, high = self._turned(name, part.low), self._turned(name, part.high)
        if self._count > 1:
            if low.ndim == 2:  # a picture of one number for each pixel
                low, high = (np.expand_dims(each, self._axis(name)) for each in (low, high))
            low, high = (np.concatenate([each] * self._count, self._axis(name)) for each in (low, high))
        return spaces.Box(low, high, dtype=part.dtype)  # type: ignore[arg-type]

    def _axis(self, name: str) -> int:
        """Along which axis the frames of a part are."""
        return -1 if name in _PICTURES and not self._first else 0

    def _turned(self, name: str, part: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return part.transpose(2, 0, 1) if self._first and name == "camera" else part

    def arrange(self, senses: Observation, world: World, animal_index: int, out: Observation) -> Observation:
        """Fill `out` with what is perceived now and was before; at the same moment again, with the same."""
        moment = len(world.actions)
        begins, again = world is not self._world, moment == self._moment
        self._world, self._moment = world, moment
        for name, stack in self._stacks.items():
            if name == "heading":
                angle = radians(world.animals[animal_index].heading)
                frame: npt.NDArray[Any] = np.array((sin(angle), cos(angle)), np.float32)
            else:
                frame = self._turned(name, senses[name])
            if name == "vitals" and self._scaled:
                frame = frame / VITALS_SCALE
            if self._count == 1:
                out[name][...] = frame
                continue
            self._push(name, stack, frame, self._count if begins else int(not again))
            out[name][...] = stack
        return out

    def _push(self, name: str, stack: npt.NDArray[Any], frame: npt.NDArray[Any], places: int) -> None:
        """Put a frame at the end of a stack, into all places where an episode begins."""
        last = self._axis(name) == -1
        size = stack.shape[-1 if last else 0] // self._count
        if last and frame.ndim == 2:
            frame = frame[..., np.newaxis]
        elif frame.ndim == 2:
            frame = frame[np.newaxis]
        if places == self._count:
            stack[...] = np.concatenate([frame] * self._count, self._axis(name))
            return
        if places:
            # All numbers move by the place of one frame. Where channels come last, those that cross over from the
            # neighbouring pixel are where the new frame is put.
            row, step = stack.reshape(-1), size if last else stack.size // self._count
            row[:-step] = row[step:]
        if not last:
            stack[-size:] = frame
            return
        for channel in range(size):  # one at a time is ten times as fast as three bytes together
            stack[..., channel - size] = frame[..., channel]
