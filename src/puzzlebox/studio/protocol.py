"""The binary messages of docs/reference/studio-protocol.md, byte for byte; `layout` tells the page the same tables."""

import json
import struct
from collections.abc import Iterable, Sequence
from enum import IntEnum, IntFlag
from typing import Any, NamedTuple

import numpy as np

from puzzlebox.scene.scene import Scene, Table
from puzzlebox.wings import flags


class Message(IntEnum):
    """What the first byte of a binary message says."""

    SCENE = 1
    FRAME = 2
    PARTS = 3
    CAMERA = 4
    RAYS = 5
    ACTIONS = 6


class FrameFlag(IntFlag):
    """How things are in a frame; recordings keep the same bits."""

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
# The first nine numbers of a row of poses are place, turn and value, then flags.
_VALUES = 8
_LONGEST_RUN = 0xFFFF


class Moment(NamedTuple):
    """What a frame says beside where everything is."""

    flags: int
    step: int
    key: int
    action: int
    health: float
    total: float
    left: float
    heading: float


def scene_message(scene: Scene, step: int, names: Sequence[str]) -> bytes:
    """Everything there is to see (1); `names` are those of the things, one for each row of poses."""
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
    """Where some things are (2): the rows of `poses` that `which` names."""
    made = np.empty(len(which), FRAME_ROW)
    moved = poses[which]
    made["row"], made["state"] = which, moved["flags"]
    made["at"], made["turn"], made["value"] = moved["at"], moved["turn"], moved["value"]
    flags, step, key, action, *numbers = moment
    return _FRAME.pack(Message.FRAME, flags, len(made), step, key, action, *numbers) + made.tobytes()


def parts_message(parts: Table, which: Table) -> bytes:
    """What some parts look like now (3)."""
    made = np.zeros(len(which), PARTS_ROW)
    changed = parts[which]
    made["row"] = which
    for name in ("at", "half", "color"):
        made[name] = changed[name]
    return _PARTS.pack(Message.PARTS, len(made)) + made.tobytes()


def actions_messages(first: int, actions: Sequence[int]) -> list[bytes]:
    """What was done in the physics steps from `first` on (6); more than one message when there are very many."""
    return [
        _ACTIONS.pack(Message.ACTIONS, first + start, len(run)) + bytes(run)
        for start in range(0, len(actions), _LONGEST_RUN)
        for run in [actions[start : start + _LONGEST_RUN]]
    ]


def camera_message(picture: Table) -> bytes:
    """What a watched agent sees (4)."""
    return _CAMERA.pack(Message.CAMERA) + picture.tobytes()


def rays_message(rays: Sequence[tuple[float, float, str]]) -> bytes:
    """What its rays meet (5): degrees to the right, metres, tag."""
    told = [_RAYS.pack(Message.RAYS, len(rays))]
    for degrees, metres, tag in rays:
        name = tag.encode()[:255]
        told += [_RAY.pack(degrees, metres, len(name)), name]
    return b"".join(told)


def compact(message: Any) -> str:
    """JSON on one line."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False)


def in_a_row(messages: Iterable[bytes | str]) -> bytes:
    """Several messages as one block, each after its length; a text begins with `{`, which is no kind."""
    told: list[bytes] = []
    for message in messages:
        data = message.encode() if isinstance(message, str) else message
        told += [_LENGTH.pack(len(data)), data]
    return b"".join(told)


def apart(block: bytes) -> list[bytes]:
    """The messages of such a block."""
    found, at = [], 0
    while at < len(block):
        (length,) = _LENGTH.unpack_from(block, at)
        found.append(block[at + 4 : at + 4 + length])
        at += 4 + length
    return found


def rows_that_differ(now: Table, before: Table) -> Table:
    """The rows of two tables of equal shape that are not the same bytes."""
    width = now.dtype.itemsize // 4
    differ = now.view(np.uint32).reshape(-1, width) != before.view(np.uint32).reshape(-1, width)
    return np.flatnonzero(differ.any(axis=1))
