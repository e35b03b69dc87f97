"""Films and pictures of recorded episodes: the episode is replayed and painted."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from puzzlebox.record.entries import FILE, HUMAN, UPLOAD
from puzzlebox.record.episode import Episode
from puzzlebox.record.gif import GifFile
from puzzlebox.record.mp4 import Mp4File
from puzzlebox.wings import Wing, wing_named
from puzzlebox.wings.protocols import Camera, Image

__all__ = ["FILMS", "file_name", "film", "film_name", "path_picture", "picture"]

# The formats of films and their default pictures a second. The delay of a GIF is a number of hundredths of a second.
FILMS = {".mp4": 25.0, ".gif": 12.5}
# Seconds for which the last picture is shown.
_LAST_PICTURE_SECONDS = 0.6
# Limits of width and height, in pixels.
SMALLEST, LARGEST = 16, 4096
# Characters of one part of a file name at most.
_LONGEST_PART = 60
Size = tuple[int, int]
Progress = Callable[[int, int], None]


def film_name(episode: Episode, suffix: str) -> str:
    """Return the file name of a recorded episode's film or picture: task, participant or agent, id, `suffix`.

    The name holds only characters that are allowed in every file system and every HTTP header.
    """
    task = episode.title if not episode.task or episode.task.startswith(UPLOAD) else episode.task.removeprefix(FILE)
    return file_name(task or "task", episode.participant or episode.agent or HUMAN, episode.id, suffix=suffix)


def file_name(*parts: str, suffix: str) -> str:
    """Join words with `-` into a file name; letters lose their accents, other characters become `-`."""
    plain = (unicodedata.normalize("NFKD", part).encode("ascii", "ignore").decode() for part in parts)
    words = (re.sub(r"[^A-Za-z0-9._]+", "-", part)[:_LONGEST_PART].strip("-.") for part in plain)
    return ("-".join(word for word in words if word) or "film") + suffix


def picture(
    record: Any,
    step: int | None = None,
    view: str | None = None,
    size: Size = (1200, 800),
    progress: Progress | None = None,
) -> Image:
    """Paint an episode after `step` steps (default: at its end), as height x width x 3 bytes.

    Args:
        record: the episode.
        step: after how many steps. Default: at its end.
        view: one of the views of the wing. Default: the first one.
        size: width and height in pixels.
        progress: a function called after every step with the number of steps replayed and that of all.
    """
    wing = wing_named(record.wing)
    steps = wing.length(record)
    if step is not None and not 0 <= step <= steps:
        raise ValueError(f"there is no step {step}; the episode has {steps}")
    camera = wing.camera(_view(wing, view), _checked_size(size), fine=True)
    wanted = steps if step is None else step
    for session, _ in wing.replay(record):
        if progress is not None:
            progress(min(session.clock, wanted), wanted)
        if session.clock >= wanted:
            break
    return camera.paint(session)


def _view(wing: Wing, view: str | None) -> str:
    return view or next(iter(wing.views), "")


def path_picture(record: Any, size: Size = (1200, 800)) -> Image:
    """Paint the paths of the animals of an episode from above, as height x width x 3 bytes."""
    return wing_named(record.wing).path_picture(record, size)


def film(
    record: Any,
    path: str | Path,
    view: str | None = None,
    size: Size = (640, 480),
    progress: Progress | None = None,
    *,
    fps: float | None = None,
    speed: float = 1.0,
    shadows: bool = False,
) -> None:
    """Write an episode as a film: MP4 (which needs the extra `video`) or GIF, by the suffix of `path`.

    Args:
        record: the episode.
        path: the file; it appears when it is complete.
        view: one of the views of the wing, in the arena "third", "first" or "top". Default: the first one.
        size: width and height in pixels; odd numbers are rounded down to even ones for MP4.
        progress: a function called after every picture with the number of pictures written and that of all.
        fps: pictures a second. Default: 25, or 12.5 for a GIF.
        speed: playback speed; 2 is twice as fast as the episode was played.
        shadows: paint soft shadows, which takes ten times as long.
    """
    path = Path(path)
    form = path.suffix.lower()
    if form not in FILMS:
        raise ValueError(f"{path.name} is not a film; its name must end in {' or '.join(FILMS)}")
    wing = wing_named(record.wing)
    rate = FILMS[form] if fps is None else fps
    if not 1 <= rate <= 60:
        raise ValueError(f"fps is {rate}; it must be from 1 to 60")
    if not 0.1 <= speed <= 100:
        raise ValueError(f"speed is {speed}; it must be from 0.1 to 100")
    width, height = _checked_size(size)
    if form == ".mp4":  # yuv420p stores colours at half the resolution
        width, height = width - width % 2, height - height % 2
    camera = wing.camera(_view(wing, view), (width, height), fine=shadows)
    draft = path.with_name(path.name + ".part")
    reel: _Reel = Mp4File(draft, (width, height), rate) if form == ".mp4" else GifFile(draft, (width, height), rate)
    try:
        every = speed / wing.step_seconds / rate
        total = int(wing.length(record) / every) + 1 + round(_LAST_PICTURE_SECONDS * rate)
        for count, image in enumerate(_pictures(wing, record, camera, every), 1):
            reel.add(image)
            if progress is not None:
                progress(min(count, total), total)
        for _ in range(round(_LAST_PICTURE_SECONDS * rate)):
            reel.add(image)
        reel.close()
        if progress is not None:
            progress(total, total)
    except BaseException:
        reel.abandon()
        draft.unlink(missing_ok=True)
        raise
    draft.replace(path)


def _pictures(wing: Wing, record: Any, camera: Camera, every: float) -> Iterator[Image]:
    """Yield a picture for every `every` steps, which need not be a whole number, and one of the end."""
    count, shown = 0, -1
    image: Image | None = None
    for session, _ in wing.replay(record):
        while session.clock >= count * every:
            if image is None or shown != session.clock:
                image, shown = camera.paint(session), session.clock
            yield image
            count += 1
    if shown != session.clock:
        yield camera.paint(session)


class _Reel(Protocol):
    def add(self, image: Image) -> None: ...
    def close(self) -> None: ...
    def abandon(self) -> None: ...


def _checked_size(size: Size) -> Size:
    width, height = size
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise ValueError(f"{width}x{height} is not a picture size; both are from {SMALLEST} to {LARGEST} pixels")
    return int(width), int(height)
