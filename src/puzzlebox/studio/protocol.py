"""The binary messages of docs/reference/studio-protocol.md; `layout` generates the same tables for the page."""

import json
import struct
from collections.abc import Iterable, Sequence
from enum import IntEnum, IntFlag
from typing import Any, NamedTuple

import numpy as np

from puzzlebox.scene.scene import Scene, Table
from puzzlebox.wings import flags


class Message(IntEnum):
    """The kinds of binary messages: their first byte."""

    SCENE = 1
    FRAME = 2
    PARTS = 3
    CAMERA = 4
    RAYS = 5
    ACTIONS = 6


class FrameFlag(IntFlag):
    """The flags of a frame; recordings store the same bits."""

    LIGHT_ON = flags.LIGHT_ON
    OVER = flags.OVER
    CANNOT_MOVE = flags.CANNOT_MOVE
    HEALTH_STANDS = flags.HEALTH_STANDS
    NOTIFICATION = flags.NOTIFICATION
    PASSED = flags.PASSED
    PAUSED = flags.PAUSED
    WAITING = flags.WAITING


FRAME = np.dtype(
    [
        ("kind", "u1"),
        ("flags", "u1"),  # FrameFlag
        ("rows", "<u2"),
        ("step", "<u4"),
        ("key", "<u4"),
        ("action", "u1"),
        ("zero", "u1", 3),
        ("health", "<f4"),
        ("return", "<f4"),
        ("left", "<f4"),  # physics steps; -1: no limit
        ("heading", "<f4"),  # degrees
    ]
)
FRAME_ROW = np.dtype([("row", "<u2"), ("state", "<u2"), ("at", "<f4", 3), ("turn", "<f4", 4), ("value", "<f4")])
PARTS = np.dtype([("kind", "u1"), ("zero", "u1"), ("rows", "<u2")])
PARTS_ROW = np.dtype([("row", "<u2"), ("zero", "<u2"), ("at", "<f4", 3), ("half", "<f4", 3), ("color", "<f4", 4)])
SCENE = np.dtype([("kind", "u1"), ("zero", "u1", 3), ("header", "<u4")])
ACTIONS = np.dtype([("kind", "u1"), ("zero", "u1", 3), ("first", "<u4"), ("count", "<u2"), ("zeros", "<u2")])
CAMERA = np.dtype([("kind", "u1"), ("zero", "u1", 3)])
RAYS = np.dtype([("kind", "u1"), ("zero", "u1"), ("count", "<u2")])
# The tables of a scene, in the order they are sent.
TABLES = ("parts", "poses", "planes", "pixels", "surroundings")

_FRAME = struct.Struct("<BBHIIB3xffff")
_SCENE, _PARTS, _ACTIONS = struct.Struct("<B3xI"), struct.Struct("<BxH"), struct.Struct("<B3xIH2x")
_CAMERA, _RAYS, _RAY = struct.Struct("<B3x"), struct.Struct("<BxH"), struct.Struct("<ffB")
_LENGTH = struct.Struct("<I")
# Actions in one message; their number is a u16.
_MAX_ACTIONS = 0xFFFF


class Moment(NamedTuple):
    """The state that a frame carries besides the poses of things; `FRAME` has its fields, `total` as `return`."""

    flags: int
    step: int
    key: int
    action: int
    health: float
    total: float
    left: float
    heading: float


def scene_message(scene: Scene, step: int, names: Sequence[str]) -> bytes:
    """Return a scene message (1): all tables; `names` are those of the things, one for each row of poses."""
    tables = {name: np.ascontiguousarray(getattr(scene, name)) for name in TABLES}
    places, offset = {}, 0
    for name, table in tables.items():
        places[name] = [offset, len(table)]
        offset += table.nbytes
    header = {
        "step": step,
        "version": scene.version,
        "animals": list(scene.animals),
        "owners": scene.owners.tolist(),
        "names": list(names),
        "tables": places,
    }
    text = compact(header).encode()
    text += b" " * (-len(text) % 4)
    return b"".join((_SCENE.pack(Message.SCENE, len(text)), text, *(table.tobytes() for table in tables.values())))


def frame_message(moment: Moment, poses: Table, which: Table) -> bytes:
    """Return a frame message (2), with the rows of `poses` whose numbers are in `which`."""
    rows = np.empty(len(which), FRAME_ROW)
    moved = poses[which]
    rows["row"], rows["state"] = which, moved["flags"]
    rows["at"], rows["turn"], rows["value"] = moved["at"], moved["turn"], moved["value"]
    flags, step, key, action, *numbers = moment
    return _FRAME.pack(Message.FRAME, flags, len(rows), step, key, action, *numbers) + rows.tobytes()


def parts_message(parts: Table, which: Table) -> bytes:
    """Return a parts message (3), with the rows of `parts` whose numbers are in `which`."""
    rows = np.zeros(len(which), PARTS_ROW)
    changed = parts[which]
    rows["row"] = which
    for name in ("at", "half", "color"):
        rows[name] = changed[name]
    return _PARTS.pack(Message.PARTS, len(rows)) + rows.tobytes()


def actions_messages(first: int, actions: Sequence[int]) -> list[bytes]:
    """Return actions messages (6) for the physics steps from `first` on; several if one cannot hold them all."""
    return [
        _ACTIONS.pack(Message.ACTIONS, first + start, len(run)) + bytes(run)
        for start in range(0, len(actions), _MAX_ACTIONS)
        for run in [actions[start : start + _MAX_ACTIONS]]
    ]


def camera_message(picture: Table) -> bytes:
    """Return a camera message (4) with the picture that a watched agent sees."""
    return _CAMERA.pack(Message.CAMERA) + picture.tobytes()


def rays_message(rays: Sequence[tuple[float, float, str]]) -> bytes:
    """Return a rays message (5) of a watched agent; each ray is degrees to the right, metres, and tag."""
    pieces = [_RAYS.pack(Message.RAYS, len(rays))]
    for degrees, metres, tag in rays:
        name = tag.encode()[:255]
        pieces += [_RAY.pack(degrees, metres, len(name)), name]
    return b"".join(pieces)


def compact(message: Any) -> str:
    """Return a message as JSON on one line."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False)


def join_messages(messages: Iterable[bytes | str]) -> bytes:
    """Return messages as one block, each after its length; a text begins with `{`, which is not a message kind."""
    pieces: list[bytes] = []
    for message in messages:
        data = message.encode() if isinstance(message, str) else message
        pieces += [_LENGTH.pack(len(data)), data]
    return b"".join(pieces)


def split_messages(block: bytes) -> list[bytes]:
    """Return the messages of a block that `join_messages` made."""
    messages, at = [], 0
    while at < len(block):
        (length,) = _LENGTH.unpack_from(block, at)
        messages.append(block[at + 4 : at + 4 + length])
        at += 4 + length
    return messages


def changed_rows(now: Table, before: Table) -> Table:
    """Return the numbers of the rows in which two tables of equal shape differ, compared as bytes."""
    width = now.dtype.itemsize // 4
    differ = now.view(np.uint32).reshape(-1, width) != before.view(np.uint32).reshape(-1, width)
    return np.flatnonzero(differ.any(axis=1))
