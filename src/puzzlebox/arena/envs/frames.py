"""Observations as the settings define them: stacked frames, channels first, scaled numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from puzzlebox.arena.senses.sense import Sense
from puzzlebox.arena.world import World

Observation = dict[str, npt.NDArray[Any]]


class Frames:
    """Arranges the observations of one agent according to the settings, and stores the frames that are stacked.

    Frames are stacked along the channels of a picture and one after the other in a row of numbers, the oldest first. At
    the beginning of an episode all of them are the first one, as in Gymnasium's `FrameStackObservation`.

    Attributes:
        space: the space of the arranged observations.
    """

    def __init__(self, senses: Sequence[Sense], count: int, channels_first: bool) -> None:
        self._count = count
        self._channels_first = channels_first
        self._world: World | None = None
        self._step = -1
        self._pictures = {sense.name for sense in senses if sense.picture}
        self._scales = {sense.name: sense.scale for sense in senses}
        self.space = spaces.Dict({sense.name: self._arranged_space(sense) for sense in senses})
        self._stacks: Observation = {
            name: np.zeros(part.shape, part.dtype)  # type: ignore[arg-type]
            for name, part in self.space.items()
        }

    def _arranged_space(self, sense: Sense) -> spaces.Box:
        """Return the space of one sense: scaled, channels first, with all frames."""
        name, low, high = sense.name, sense.space.low, sense.space.high
        if sense.scale is not None:
            low, high = low / sense.scale, high / sense.scale
        low, high = self._transposed(name, low), self._transposed(name, high)
        if self._count > 1:
            if low.ndim == 2:  # a picture of one number for each pixel
                low, high = (np.expand_dims(each, self._axis(name)) for each in (low, high))
            low, high = (np.concatenate([each] * self._count, self._axis(name)) for each in (low, high))
        return spaces.Box(low, high, dtype=sense.space.dtype)  # type: ignore[arg-type]

    def _axis(self, name: str) -> int:
        """Return the axis along which the frames of a sense are stacked."""
        return -1 if name in self._pictures and not self._channels_first else 0

    def _transposed(self, name: str, part: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return part.transpose(2, 0, 1) if self._channels_first and name in self._pictures and part.ndim == 3 else part

    def arrange(self, senses: Observation, world: World, out: Observation) -> Observation:
        """Fill `out` with the current frame and those before it; a second call at the same step gives the same."""
        step = len(world.actions)
        begins, again = world is not self._world, step == self._step
        self._world, self._step = world, step
        for name, stack in self._stacks.items():
            frame = self._transposed(name, senses[name])
            scale = self._scales[name]
            if scale is not None:
                frame = frame / scale
            if self._count == 1:
                out[name][...] = frame
                continue
            self._push(name, stack, frame, self._count if begins else int(not again))
            out[name][...] = stack
        return out

    def _push(self, name: str, stack: npt.NDArray[Any], frame: npt.NDArray[Any], places: int) -> None:
        """Append a frame to a stack; at the start of an episode, fill all its places."""
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
            # All numbers move by the size of one frame. Where channels come last, the numbers that cross over from the
            # neighbouring pixel are overwritten by the new frame.
            row, step = stack.reshape(-1), size if last else stack.size // self._count
            row[:-step] = row[step:]
        if not last:
            stack[-size:] = frame
            return
        for channel in range(size):  # ten times as fast as copying all channels at once
            stack[..., channel - size] = frame[..., channel]
