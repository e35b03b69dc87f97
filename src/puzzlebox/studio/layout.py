"""Generates the page's definitions of the binary tables, and a fixture for the test of its decoder.

`python -m puzzlebox.studio.layout` writes `layout.ts` (offsets and numbers, from the dtypes, the enumerations, the
shapes and the cameras), `fixture.bin` (messages, each after its length) and `fixture.json` (the decoded content)
into `web/src/scene`.
"""

import json
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from puzzlebox.render import views
from puzzlebox.render.painter import FOV_DEGREES
from puzzlebox.scene import scene as tables
from puzzlebox.scene.scene import Scene, Table
from puzzlebox.scene.shapes import TUBE_RATIO
from puzzlebox.studio import protocol
from puzzlebox.studio.protocol import Moment

FOLDER = Path("web/src/scene")
_STRUCTURES = {
    "PART": tables.PART,
    "POSE": tables.POSE,
    "SURFACE": tables.SURFACE,
    "SURROUNDINGS": tables.SURROUNDINGS,
    "SCENE_HEAD": protocol.SCENE,
    "FRAME_HEAD": protocol.FRAME,
    "FRAME_ROW": protocol.FRAME_ROW,
    "PARTS_HEAD": protocol.PARTS,
    "PARTS_ROW": protocol.PARTS_ROW,
    "ACTIONS_HEAD": protocol.ACTIONS,
    "CAMERA_HEAD": protocol.CAMERA,
    "RAYS_HEAD": protocol.RAYS,
}
_ENUMERATIONS: tuple[type[IntEnum] | Any, ...] = (
    tables.Kind,
    tables.Pattern,
    tables.Flag,
    tables.State,
    protocol.Message,
    protocol.FrameFlag,
)
_CAMERAS: dict[str, float | tuple[float, ...]] = {
    "eye_fov": FOV_DEGREES,
    "fov": views.PICTURE_FOV_DEGREES,
    "behind": views.BEHIND,
    "above": views.ABOVE,
    "pitch": views.PITCH_DEGREES,
    "higher": views.HIGHER_DEGREES,
    "nearest": views.NEAREST,
    "margin": views.MARGIN,
}
_TYPES = {"u1": "u8", "u2": "u16", "u4": "u32", "i4": "i32", "f4": "f32"}


def layout_text() -> str:
    """Return the content of `layout.ts`."""
    lines = [
        "// Written by `make generated` from puzzlebox.scene, puzzlebox.render and puzzlebox.studio; do not edit.",
        "// Offsets are bytes from the start of a row; `bytes` is its length. Numbers are little-endian.",
        "",
        "// A symbol is MASK rows of MASK bytes in `pixels`; a plane is four f32.",
        f"export const MASK = {tables.MASK};",
        "export const PLANE = { bytes: 16 } as const;",
        "// Inner to outer diameter of a tube.",
        f"export const TUBE_RATIO = {_number(TUBE_RATIO)};",
        "",
        "// Camera positions (puzzlebox.render.views): fields of view and angles in degrees, distances in metres.",
        "export const CAMERAS = {",
        *(f"  {name}: {_number(value)}," for name, value in _CAMERAS.items()),
        "} as const;",
    ]
    for name, structure in _STRUCTURES.items():
        lines += ["", f"export const {name} = {{", f"  bytes: {structure.itemsize},"]
        lines += [f"  {field}: {offset}, // {kind}" for field, offset, kind in _fields(structure)]
        lines.append("} as const;")
    for enumeration in _ENUMERATIONS:
        name = enumeration.__name__
        lines += ["", f"export const {name} = {{", *(f"  {each.name}: {each.value}," for each in enumeration)]
        lines += ["} as const;", f"export type {name} = (typeof {name})[keyof typeof {name}];"]
    return "\n".join(lines) + "\n"


def _number(value: float | tuple[float, ...]) -> str:
    """Return a number or a list of numbers as TypeScript, without trailing zeros."""
    return f"[{', '.join(map(_number, value))}]" if isinstance(value, tuple) else f"{value:g}"


def _fields(structure: np.dtype[Any]) -> list[tuple[str, int, str]]:
    fields = []
    for name in structure.names or ():
        if name.startswith("zero"):
            continue
        kind, offset = structure.fields[name][:2]  # type: ignore[index]
        count = f"[{kind.shape[0]}]" if kind.shape else ""
        fields.append((name, offset, "SURFACE" if kind.names else _TYPES[kind.base.str[1:]] + count))
    return fields


def make_fixture() -> tuple[bytes, dict[str, Any]]:
    """Return one message of each kind and their decoded content; all numbers are exact in single precision."""
    scene = _fixture_scene()
    names = ["Agent", "GoodGoal", "Ramp"]
    moved, changed = np.array([0, 2]), np.array([1])
    moment = Moment(1 | 32, 7, 3, 4, 99.5, -0.25, 1243.0, 270.5)
    picture = np.arange(2 * 2 * 3, dtype=np.uint8).reshape(2, 2, 3)
    rays = [(0.0, 12.5, "goodGoal"), (30.0, 200.0, "none"), (-30.0, 1.25, "")]
    messages = [
        *protocol.actions_messages(5, [0, 8]),
        protocol.scene_message(scene, 6, names),
        protocol.parts_message(scene.parts, changed),
        protocol.frame_message(moment, scene.poses, moved),
        protocol.camera_message(picture),
        protocol.rays_message(rays),
    ]
    expected = {
        "actions": {"first": 5, "actions": [0, 8]},
        "scene": {
            "header": {
                **{"step": 6, "version": scene.version, "animals": list(scene.animals)},
                **{"owners": scene.owners.tolist(), "names": names},
            },
            "parts": plain(scene.parts),
            "poses": plain(scene.poses),
            "planes": scene.planes.tolist(),
            "pixels": {"rows": len(scene.pixels), "set": np.argwhere(scene.pixels == 255).tolist()},
            "surroundings": plain(scene.surroundings)[0],
        },
        "parts": [
            {"row": row, **{name: plain(scene.parts)[row][name] for name in ("at", "half", "color")}}
            for row in changed.tolist()
        ],
        "frame": {
            **{"return" if name == "total" else name: value for name, value in moment._asdict().items()},
            "rows": [
                {"row": row, "state": pose.pop("flags"), **pose}
                for row, pose in ((row, plain(scene.poses)[row]) for row in moved.tolist())
            ],
        },
        "camera": picture.ravel().tolist(),
        "rays": [{"degrees": degrees, "metres": metres, "tag": tag} for degrees, metres, tag in rays],
    }
    return protocol.join_messages(messages), expected


def _fixture_scene() -> Scene:
    parts, poses = np.zeros(4, tables.PART), np.zeros(3, tables.POSE)
    _fill(parts, 0.125)
    _fill(poses, 0.25)
    parts["thing"], parts["kind"], parts["pattern"] = (0, 1, 2, 2), (1, 1, 7, 0), (12, 11, 10, 1)
    parts["flags"], parts["mark"], parts["first"], parts["count"] = (
        (0, 1, 2, 3),
        (0, 1, 0, 0),
        (0, 0, 1, 0),
        (0, 0, 2, 0),
    )
    poses["flags"] = (0, 1, 0)
    surroundings = np.zeros(1, tables.SURROUNDINGS)
    _fill(surroundings, 0.5)
    pixels = np.zeros((tables.MASK, tables.MASK), np.uint8)
    pixels[3, 5] = pixels[100, 127] = 255
    planes = np.arange(12, dtype=np.float32).reshape(3, 4) / 8
    return Scene(parts, poses, planes, pixels, surroundings, np.array([4, 9, 2], np.int32), (0,), 5)


def _fill(table: Table, step: float) -> None:
    """Fill the single-precision fields of a table with different numbers."""
    numbers = table.view(np.uint8).reshape(-1).view(np.float32)
    numbers[:] = (np.arange(numbers.size) % 100 - 20) * step


def plain(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table as dictionaries for JSON."""
    return [{name: _plain(row[name]) for name in table.dtype.names or ()} for row in table]


def _plain(value: Any) -> Any:
    if getattr(value.dtype, "names", None):
        return {name: _plain(value[name]) for name in value.dtype.names}
    return value.tolist()


def make_files() -> dict[str, bytes]:
    """Return the content of the generated files by name."""
    block, expected = make_fixture()
    text = json.dumps(expected, indent=1) + "\n"
    return {"layout.ts": layout_text().encode(), "fixture.bin": block, "fixture.json": text.encode()}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in make_files().items():
        (FOLDER / name).write_bytes(data)
    print(f"wrote {', '.join(make_files())} in {FOLDER}")
