"""`python -m puzzlebox.render [FILE.png]`: every kind of part in one picture."""

import sys
from argparse import ArgumentParser
from pathlib import Path

import numpy as np

from puzzlebox.render.painter import Painter, View
from puzzlebox.scene.png import png
from puzzlebox.scene.scene import PART, POSE, Flag, Kind, Pattern, Scene
from puzzlebox.scene.surroundings import surroundings
from puzzlebox.scene.themes import DEFAULT_THEME, THEMES

# What each kind is painted like here.
_PATTERNS = {
    Kind.BOX: Pattern.BRICKS,
    Kind.BALL: Pattern.RING,
    Kind.WEDGE: Pattern.STRIPES,
    Kind.CYLINDER: Pattern.PLANKS,
    Kind.CAPSULE: Pattern.FUR,
}
# An octahedron: normals and offsets of its faces.
_CORNER = 3**-0.5
_PLANES = [(x * _CORNER, y * _CORNER, z * _CORNER, 0.8) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]


def scene() -> Scene:
    """One part of every kind in a row, and a pane of glass before some of them."""
    count = len(Kind) + 1
    parts, poses = np.zeros(count, PART), np.zeros(count, POSE)
    parts["turn"] = (1, 0, 0, 0)
    poses["turn"] = (0.966, 0, 0.259, 0)
    poses["value"] = 0.6
    parts["thing"] = np.arange(count)
    random = np.random.default_rng(7)
    for kind in Kind:
        part = parts[kind]
        part["kind"], part["half"], part["pattern"] = kind, (1, 1, 1), _PATTERNS.get(kind, Pattern.PLAIN)
        part["color"] = (*random.uniform(0.1, 0.9, 3), 1)
        part["other"] = (*part["color"][:3] * 0.5, 0.3)
        poses["at"][kind] = (8.5 + 3.2 * kind, 0 if kind == Kind.TUBE else 1, 20)
    parts["half"][Kind.ELLIPSOID] = (0.6, 1, 1.2)
    parts["half"][Kind.CAPSULE] = (0.5, 0.5, 0.5)
    parts["count"][Kind.HULL] = len(_PLANES)
    glass = parts[-1]
    glass["half"], glass["flags"], glass["color"] = (5, 1, 0.05), Flag.SEE_THROUGH, (0.7, 0.8, 0.9, 0.4)
    poses["at"][-1], poses["turn"][-1] = (15, 1, 17), (1, 0, 0, 0)
    around = surroundings(THEMES[DEFAULT_THEME], 40, 40)
    return Scene(parts=parts, poses=poses, planes=np.array(_PLANES, np.float32), surroundings=around)


def main() -> None:
    """Write the picture."""
    words = ArgumentParser("python -m puzzlebox.render", description="Every kind of part in one picture.")
    words.add_argument("file", nargs="?", type=Path, default=Path("scene.png"), help="the PNG file to write")
    file: Path = words.parse_args().file
    if file.exists() and file.suffix.lower() != ".png":
        words.error(f"{file} is already there and no picture; name another file")
    picture = png(Painter(scene()).picture(View((20, 6, 6), 0, -18, 60), 1200, 600))
    try:
        file.write_bytes(picture)
    except OSError as problem:
        words.error(f"{file} cannot be written: {problem.strerror}")
    print(f"wrote {file}", file=sys.stderr)


if __name__ == "__main__":
    main()
