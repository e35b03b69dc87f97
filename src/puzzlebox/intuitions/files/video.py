"""Films of stimuli: MP4 (H.264) written and read frame by frame, through PyAV (the extra `video`)."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.files.reading import StimulusError
from puzzlebox.intuitions.grid import FPS

Image = NDArray[np.uint8]
# Nearly without loss in flat colours, and quick; a key frame every two seconds, so that a player can seek.
_OPTIONS = {"crf": "16", "preset": "ultrafast", "g": "50"}


def _av() -> Any:
    try:
        return import_module("av")
    except ImportError:
        raise ModuleNotFoundError("films need PyAV; `pip install puzzlebox[video]` brings it") from None


def require_video() -> None:
    """Raise a ModuleNotFoundError that names the extra unless films can be written."""
    _av()


def write_film(path: Path, frames: Iterable[tuple[Image, int]], fps: int = FPS) -> int:
    """Write an MP4; the file appears when it is complete.

    Args:
        path: the file.
        frames: each picture with the number of frames for which it is shown; all have the same even size.
        fps: frames a second.

    Returns:
        The number of frames.
    """
    av = _av()
    draft = path.with_name(path.name + ".part")
    # One thread, so that the bytes do not depend on the machine's number of cores.
    options = {"movflags": "+faststart"}
    try:
        with av.open(str(draft), "w", format="mp4", options=options) as container:
            stream = container.add_stream("libx264", rate=Fraction(fps), options=dict(_OPTIONS))
            stream.pix_fmt = "yuv420p"
            stream.codec_context.thread_count = 1
            # One converter for all frames: to set it up takes longer than to use it.
            converter = import_module("av.video.reformatter").VideoReformatter()
            count = 0
            for image, times in frames:
                if not count:
                    stream.height, stream.width = image.shape[:2]
                frame = converter.reformat(av.VideoFrame.from_ndarray(image, format="rgb24"), format="yuv420p")
                for _ in range(times):
                    frame.pts = count
                    frame.time_base = Fraction(1, fps)
                    container.mux(stream.encode(frame))
                    count += 1
            container.mux(stream.encode(None))
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    draft.replace(path)
    return count


def count_frames(path: Path) -> int:
    """Return how many frames a film holds, without decoding it.

    Raises:
        StimulusError: the file is not a film, or is cut off.
    """
    av = _av()
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            stated = int(stream.frames)
            found = sum(1 for packet in container.demux(stream) if packet.size and not packet.is_corrupt)
    except (OSError, IndexError, av.error.FFmpegError) as problem:
        raise _not_a_film(path, problem) from None
    if stated and found < stated:
        raise StimulusError(f"{path} is cut off: it holds {found} of its {stated} frames")
    return found


def read_film(path: Path) -> Iterator[Image]:
    """Yield the frames of a film, height x width x 3 bytes.

    Raises:
        StimulusError: the file is not a film, or is cut off.
    """
    av = _av()
    count = 0
    try:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            stated = int(stream.frames)
            for frame in container.decode(stream):
                yield frame.to_ndarray(format="rgb24")
                count += 1
    except (OSError, IndexError, av.error.FFmpegError) as problem:
        if count:
            raise StimulusError(f"{path} is cut off: only {count} of its frames can be read") from None
        raise _not_a_film(path, problem) from None
    if stated and count < stated:
        raise StimulusError(f"{path} is cut off: it holds {count} of its {stated} frames")


def _not_a_film(path: Path, problem: Exception) -> StimulusError:
    if not path.exists():
        return StimulusError(f"there is no file {path}")
    reason = getattr(problem, "strerror", "") or str(problem)
    return StimulusError(f"{path} is not a film, or only the beginning of one: {reason}")
