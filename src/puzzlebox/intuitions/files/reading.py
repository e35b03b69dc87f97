"""Stimuli from JSON files, ours and the published ones, with their quirks; every mistake gets one sentence.

Quirks that are accepted: duplicate walls, entities in one list more or less, both names of key and lock, coordinates
written as decimals, and barriers with pieces between cells; such a piece that appears later in a trial is left out.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from puzzlebox.intuitions.episodes.stimulus import RGB, Blocks, Stimulus, Track, Trial
from puzzlebox.intuitions.files.names import VERSIONS
from puzzlebox.intuitions.grid import CELL, SIZE, SPEED, TRIALS
from puzzlebox.text import closest, counted

# The fields that a frame must have, and all that it may have.
_NEEDED = ("walls", "objects", "agent")
_ALLOWED = ("size", "walls", "fuse_walls", "pin", "key", "lock", "objects", "blocking", "home", "agent")
# Names of fields in the paper that differ from those in the files.
_PAPER_NAMES = {"agents": "agent", "fuse": "fuse_walls"}
# Coordinates up to this many pixels outside the picture are accepted: a carried key may stick out.
_OUTSIDE = SIZE
# Characters of a value that a message shows.
_LONGEST_SHOWN = 80
# How deep lists within a field may be.
_DEEPEST = 6
# The text between the walls and the rest of a frame, as this package writes it.
_AFTER_WALLS = ',"fuse_walls":'
_ENTITY = "[[x, y], half, icon, [red, green, blue]]"
_BOX = "[[x, y], [width, height]]"


class StimulusError(ValueError):
    """A file is not a stimulus; the message is one sentence with file, trial, frame, value and what is allowed."""


class _Place(NamedTuple):
    """Where in a file something is; trials and frames count from 0, as in the published files."""

    file: str
    trial: int
    frame: int

    def problem(self, text: str) -> StimulusError:
        return StimulusError(f"{self.file}: trial {self.trial}, frame {self.frame}: {text}")


class _Entity(NamedTuple):
    corner: tuple[int, int]
    half: int
    icon: str
    color: RGB


def read_stimulus(path: Path | str) -> Stimulus:
    """Read a stimulus from a JSON file.

    Raises:
        StimulusError: the file cannot be read or is not a stimulus; the message says where and why.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise StimulusError(f"{path} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise StimulusError(f"{path} is not a text file, so it is not the JSON of a stimulus") from None
    return parse_stimulus(text, str(path))


def parse_stimulus(text: str, file: str = "<text>") -> Stimulus:
    """Return the stimulus of a JSON text; `file` is what messages call it.

    Raises:
        StimulusError: the text is not a stimulus; the message says where and why.
    """
    data = _lines(text)
    if data is None:
        try:
            data = json.loads(text)
        except json.JSONDecodeError as problem:
            where = f"line {problem.lineno}, column {problem.colno}"
            # Some messages of the parser end in "at" already.
            what = problem.msg.removesuffix(" at")
            raise StimulusError(f"{file} is not JSON, or only a part of it: {what} at {where}") from None
        except RecursionError:
            raise StimulusError(f"{file} is not a stimulus: its lists are nested too deeply") from None
        except ValueError:
            raise StimulusError(f"{file} is not a stimulus: a number in it has thousands of digits") from None
    if not isinstance(data, list) or not all(isinstance(trial, list) for trial in data):
        raise StimulusError(f"{file} is not a stimulus: it must be a list of {TRIALS} trials, each a list of frames")
    if len(data) != TRIALS:
        raise StimulusError(f"{file} has {counted(len(data), 'trial')}; a stimulus has {TRIALS}")
    return Stimulus(tuple(_trial(frames, file, number) for number, frames in enumerate(data)))


def _lines(text: str) -> list[Any] | None:
    """Parse a text with one frame a line, each different line once; None if it is written in another way."""
    if not text.startswith("[[\n{"):
        return None
    known: dict[str, Any] = {}
    trials: list[list[Any]] = [[]]
    lines = text.split("\n")
    if lines[-2:] != ["]]", ""]:
        return None
    for line in lines[1:-2]:
        if line == "],[":
            trials.append([])
            continue
        frame = known.get(line)
        if frame is None:
            try:
                frame = known[line] = _frame(line.removesuffix(","), known)
            except (ValueError, RecursionError):
                return None
        trials[-1].append(frame)
    return trials


def _frame(line: str, known: dict[str, Any]) -> Any:
    """Parse a frame; the walls, most of its text, are the same in many frames and parsed once."""
    walls, rest, more = line.partition(_AFTER_WALLS)
    if not rest:
        return json.loads(line)
    if walls not in known:
        known[walls] = json.loads(walls + "}")
    frame = json.loads("{" + rest[1:] + more)
    # Anything but two objects without a field in common is left to the parser of the whole text.
    if not isinstance(frame, dict) or known[walls].keys() & frame.keys():
        raise json.JSONDecodeError("a field is written twice", line, 0)
    return {**known[walls], **frame}


def _trial(frames: Sequence[Any], file: str, number: int) -> Trial:
    if not frames:
        raise StimulusError(f"{file}: trial {number} has no frames")
    entities = _Collector(len(frames))
    before: Any = None
    for index, frame in enumerate(frames):
        place = _Place(file, number, index)
        if frame is before or frame == before:
            entities.repeat(index)
        else:
            entities.add(_checked(frame, place), place)
        before = frame
    return entities.trial()


def _checked(frame: Any, place: _Place) -> dict[str, Any]:
    """Return a frame with the names that files have; raise a StimulusError unless all fields are there."""
    if not isinstance(frame, dict) or not frame:
        raise place.problem(f"the frame is missing: {_shown(frame)} is no object with the fields of a frame")
    fields: dict[str, Any] = {_PAPER_NAMES.get(str(name), str(name)): value for name, value in frame.items()}
    for name in _NEEDED:
        if name not in fields:
            raise place.problem(f"the field `{name}` is missing")
    for name in fields:
        if name not in _ALLOWED:
            raise place.problem(f"`{name[:40]}` is not a field of a frame{closest(name, _ALLOWED)}")
    size = fields.get("size", [SIZE, SIZE])
    if size != [SIZE, SIZE]:
        raise place.problem(f"`size` is {_shown(size)}; it must be [{SIZE}, {SIZE}]")
    return fields


class _Collector:
    """Puts the frames of one trial together."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        self._single: dict[str, list[_Entity | None]] = {"agent": [], "home": [], "key": [], "lock": []}
        self._objects: list[list[_Entity]] = []
        self._boxes: dict[str, list[list[tuple[int, ...]]]] = {"walls": [], "fuse_walls": []}
        self._raw: dict[str, Any] = {}
        self._place = _Place("", 0, 0)

    def repeat(self, index: int) -> None:
        """Add a frame that equals the one before."""
        for row in self._single.values():
            row.append(row[-1])
        self._objects.append(self._objects[-1])
        for boxes in self._boxes.values():
            boxes.append(boxes[-1])

    def add(self, frame: dict[str, Any], place: _Place) -> None:
        """Add a frame."""
        self._place = place
        for name, column in self._boxes.items():
            raw = frame.get(name, [])
            # Walls are the same in most frames; they are parsed once.
            same = bool(column) and (raw is self._raw[name] or raw == self._raw[name])
            column.append(column[-1] if same else _boxes(raw, name, place))
            self._raw[name] = raw
        key, lock = _key_and_lock(frame)
        for name, value in (("agent", "agent"), ("home", "home"), ("key", key), ("lock", lock)):
            found = _entities(frame.get(value, []) if value else [], value, place)
            if len(found) > 1 or (name == "agent" and not found):
                raise place.problem(f"`{value}` holds {len(found)} entities; it must hold 1")
            self._single[name].append(found[0] if found else None)
        self._objects.append(_entities(frame["objects"], "objects", place))
        if len(self._objects[-1]) != len(self._objects[0]):
            counts = f"{len(self._objects[-1])}, but {len(self._objects[0])} at the start of the trial"
            raise place.problem(f"the number of objects changes: {counts}")

    def trial(self) -> Trial:
        """Return the trial."""
        agent = self._track("agent", self._single["agent"])
        assert agent is not None
        self._check_steps(agent)
        objects = []
        for number in range(len(self._objects[0])):
            track = self._track("objects", [row[number] for row in self._objects])
            assert track is not None
            objects.append(track)
        return Trial(
            frames=self.frames,
            walls=self._blocks("walls"),
            barrier=self._blocks("fuse_walls"),
            objects=tuple(objects),
            agent=agent,
            home=self._track("home", self._single["home"]),
            key=self._track("key", self._single["key"]),
            lock=self._track("lock", self._single["lock"]),
        )

    def _problem(self, frame: int, text: str) -> StimulusError:
        return self._place._replace(frame=frame).problem(text)

    def _check_steps(self, agent: Track) -> None:
        """Raise a StimulusError if the agent jumps: it moves evenly, so that a frame is missing there."""
        steps = np.abs(np.diff(agent.corners.astype(int), axis=0)).max(1)
        moving = steps[steps > 0]
        if not moving.size:
            return
        usual = max(SPEED, int(np.percentile(moving, 90)))
        jump = int(steps.argmax())
        if steps[jump] > usual:
            raise self._problem(
                jump + 1,
                f"the agent jumps by {steps[jump]} pixels, where it moves at most {usual} a frame; a frame is missing",
            )

    def _track(self, name: str, row: Sequence[_Entity | None]) -> Track | None:
        """Return the track of an entity from its state in each frame; it may vanish, but not come back."""
        until = next((frame for frame, entity in enumerate(row) if entity is None), self.frames)
        back = next((frame for frame in range(until, self.frames) if row[frame] is not None), None)
        if back is not None:
            raise self._problem(back, f"`{name}` appears, but was not there in frame {until}")
        first = row[0]
        if first is None:
            return None
        corners = np.empty((self.frames, 2), np.int16)
        for frame, entity in enumerate(row):
            if entity is not None:
                if entity[1:] != first[1:]:
                    raise self._problem(frame, f"`{name}` changes its size, icon or colour within the trial")
                corners[frame] = entity.corner
        corners[until:] = corners[until - 1]
        if (corners == corners[0]).all():
            corners = np.broadcast_to(corners[:1].copy(), (self.frames, 2))
        return Track(first.icon, first.half, first.color, corners, until)

    def _blocks(self, name: str) -> Blocks:
        rows = self._boxes[name]
        first = rows[0]
        until = [self.frames] * len(first)
        before = first
        there = set(range(len(first)))
        for frame, row in enumerate(rows):
            if row is before or row == before:
                continue
            left = list(row)
            for piece in sorted(there):
                if first[piece] in left:
                    left.remove(first[piece])
                else:
                    until[piece] = frame
                    there.discard(piece)
            # Pieces between cells only smooth the picture of a barrier that burns away.
            cells = [(x, y) for x, y, _, _ in left if x % CELL == 0 and y % CELL == 0]
            if cells:
                x, y = cells[0]
                raise self._problem(frame, f"`{name}` has a piece at [{x}, {y}] that was not there before")
            before = row
        return Blocks(np.array(first, np.int16).reshape(-1, 4), np.array(until, np.int32))


def _key_and_lock(frame: dict[str, Any]) -> tuple[str, str]:
    """Return the fields of key and lock; "" for one that the frame does not have."""
    for names in VERSIONS.values():
        if names.key in frame and names.lock in frame:
            return names
    if "key" in frame:
        # Alone, the field is the lock if its icon is a slot.
        return ("", "key") if "slot" in json.dumps(frame["key"]) else ("key", "")
    return ("pin" if "pin" in frame else "", "lock" if "lock" in frame else "")


def _shown(value: Any) -> str:
    """Return a value as the file has it; only its beginning if it is long."""
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and _is_number(value[0]) and _is_number(value[1])


def _entities(value: Any, name: str, place: _Place, depth: int = 0) -> list[_Entity]:
    """Return the entities of a field, in however many lists they are wrapped."""
    if isinstance(value, list) and len(value) == 4 and _is_pair(value[0]):
        return [_entity(value, name, place)]
    if not isinstance(value, list) or depth > _DEEPEST:
        raise place.problem(f"`{name}` is {_shown(value)}; it must be {_ENTITY}")
    return [found for each in value for found in _entities(each, name, place, depth + 1)]


def _entity(value: list[Any], name: str, place: _Place) -> _Entity:
    (x, y), half, icon, color = value
    numbers = isinstance(color, list) and len(color) == 3 and all(_is_number(each) for each in color)
    if not numbers or not _is_number(half) or not isinstance(icon, str):
        raise place.problem(f"`{name}` is {_shown(value)}; it must be {_ENTITY}")
    if not all(0 <= each <= 255 for each in color) or not 1 <= half <= SIZE:
        raise place.problem(
            f"`{name}` has half side {_shown(half)} and colour {_shown(color)}; half sides are 1 to {SIZE}, "
            f"colours 0 to 255"
        )
    red, green, blue = (int(each) for each in color)
    corner = (_coordinate(x, name, place), _coordinate(y, name, place))
    if name == "agent" and not all(0 <= each <= SIZE for each in (x, y)):
        raise place.problem(f"`{name}` is at {_shown([x, y])}; agents are inside the picture, from 0 to {SIZE}")
    return _Entity(corner, int(half), icon, (red, green, blue))


def _coordinate(value: float, name: str, place: _Place) -> int:
    if not -_OUTSIDE <= value <= SIZE + _OUTSIDE:
        raise place.problem(f"`{name}` has the coordinate {_shown(value)}; the picture goes from 0 to {SIZE}")
    return round(value)


def _boxes(value: Any, name: str, place: _Place, depth: int = 0) -> list[tuple[int, ...]]:
    """Return x, y, width and height of each rectangle of a field, in however many lists they are wrapped."""
    if isinstance(value, list) and len(value) == 2 and _is_pair(value[0]) and _is_pair(value[1]):
        (x, y), (width, height) = value
        if not (0 < width <= SIZE and 0 < height <= SIZE):
            raise place.problem(
                f"`{name}` has a piece of {_shown(width)} x {_shown(height)} pixels; sides are 1 to {SIZE}"
            )
        return [(_coordinate(x, name, place), _coordinate(y, name, place), round(width), round(height))]
    if not isinstance(value, list) or depth > _DEEPEST:
        raise place.problem(f"`{name}` holds {_shown(value)}; it must hold {_BOX}")
    return [box for each in value for box in _boxes(each, name, place, depth + 1)]
