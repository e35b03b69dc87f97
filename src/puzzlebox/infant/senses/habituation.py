"""The paper's formula of touch with the state it needs: for each taxel, the frames since its stimulus began."""

import numpy as np
from numpy.typing import NDArray


class Habituation:
    """T(s, t) = sigma_delta(min(1, s / s_max) exp(-lambda t)), for many taxels.

    The first frame of a stimulus has t = 0. A stimulus goes on through gaps of fewer than `release_frames` frames
    without displacement.
    """

    def __init__(self, count: int, s_max: float, rate: float, threshold: float, release_frames: int) -> None:
        self.s_max, self.rate, self.threshold, self.release_frames = s_max, rate, threshold, release_frames
        # Frames since the stimulus began, -1 without one; frames since the last displacement.
        self.frames = np.full(count, -1, np.int32)
        self.quiet = np.zeros(count, np.int32)

    def reset(self) -> None:
        """Forget all stimuli."""
        self.frames[:] = -1
        self.quiet[:] = 0

    def respond(self, displacement: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return what each taxel feels in this frame, given its displacement in metres."""
        out = np.zeros(len(displacement), np.float32)
        # Only taxels with a stimulus, old or new, have anything to compute.
        rows = np.flatnonzero((displacement > 0) | (self.frames >= 0))
        pushed = displacement[rows]
        touched = pushed > 0
        quiet = np.where(touched, 0, self.quiet[rows] + 1)
        frames = self.frames[rows]
        going = (frames >= 0) & (quiet < self.release_frames)
        frames = np.where(going, frames + 1, np.where(touched, 0, -1))
        self.quiet[rows], self.frames[rows] = quiet, frames
        value = np.minimum(1.0, pushed / self.s_max) * np.exp(-self.rate * np.maximum(frames, 0))
        out[rows] = np.where(value >= self.threshold, value, 0.0)
        return out

    def snapshot(self) -> tuple[bytes, bytes]:
        """Return the state."""
        return self.frames.tobytes(), self.quiet.tobytes()

    def restore(self, snapshot: tuple[bytes, bytes]) -> None:
        """Go back to a state."""
        self.frames, self.quiet = (np.frombuffer(each, np.int32).copy() for each in snapshot)
