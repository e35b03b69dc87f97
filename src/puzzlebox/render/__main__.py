"""`python -m puzzlebox.render [FILE.png]`: every kind of part, seen by the four cameras."""

import sys
from argparse import ArgumentParser
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from puzzlebox.render import Painter, View
from puzzlebox.scene.png import png
from puzzlebox.scene.scene import PART, POSE, Flag, Kind, Pattern, Scene
from puzzlebox.scene.surroundings import surroundings
from puzzlebox.scene.themes import DEFAULT_THEME, THEMES
from puzzlebox.seeds import rng_from

# The pattern of each kind in this picture.
_PATTERNS = {
    Kind.BOX: Pattern.BRICKS,
    Kind.BALL: Pattern.RING,
    Kind.WEDGE: Pattern.STRIPES,
    Kind.CYLINDER: Pattern.PLANKS,
    Kind.CAPSULE: Pattern.FUR,
}
# A skin has no form of its own; `puzzlebox infant show` paints one.
_FORMS = [kind for kind in Kind if kind != Kind.SKIN]
# An octahedron: normals and offsets of its faces.
_CORNER = 3**-0.5
_PLANES = [(x * _CORNER, y * _CORNER, z * _CORNER, 0.8) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]


def make_scene() -> Scene:
    """Return a scene with one part of every kind in a row, a pane of glass before some of them, and an animal."""
    count = len(_FORMS) + 2
    parts, poses = np.zeros(count, PART), np.zeros(count, POSE)
    parts["turn"] = (1, 0, 0, 0)
    poses["turn"] = (0.966, 0, 0.259, 0)
    poses["value"] = 0.6
    parts["thing"] = np.arange(count)
    rng = rng_from(7)
    for kind in _FORMS:
        part = parts[kind]
        part["kind"], part["half"], part["pattern"] = kind, (1, 1, 1), _PATTERNS.get(kind, Pattern.PLAIN)
        part["color"] = (*rng.uniform(0.1, 0.9, 3), 1)
        part["other"] = (*part["color"][:3] * 0.5, 0.3)
        poses["at"][kind] = (8.5 + 3.2 * kind, 0 if kind == Kind.TUBE else 1, 20)
    parts["half"][Kind.ELLIPSOID] = (0.6, 1, 1.2)
    parts["half"][Kind.CAPSULE] = (0.5, 0.5, 0.5)
    parts["count"][Kind.HULL] = len(_PLANES)
    glass, animal = parts[-2], parts[-1]
    glass["half"], glass["flags"], glass["color"] = (5, 1, 0.05), Flag.SEE_THROUGH, (0.7, 0.8, 0.9, 0.4)
    animal["kind"], animal["half"], animal["color"] = Kind.BALL, (0.5, 0.5, 0.5), (0.9, 0.4, 0.45, 1)
    poses["at"][-2:], poses["turn"][-2:] = ((15, 1, 17), (20, 0.5, 12)), (1, 0, 0, 0)
    around = surroundings(THEMES[DEFAULT_THEME], 40, 40)
    planes = np.array(_PLANES, np.float32)
    return Scene(parts=parts, poses=poses, planes=planes, surroundings=around, animals=(count - 1,))


def paint_sheet(width: int = 600, height: int = 400) -> NDArray[np.uint8]:
    """Return four pictures of the scene in one: first, third, top and fixed view."""
    scene = make_scene()
    views = (View.first(scene), View.third(scene), View.top(scene, width / height), View.fixed((8, 5, 8), (20, 0, 19)))
    painter = Painter(scene)
    first, third, top, fixed = (painter.picture(view, width, height) for view in views)
    return np.vstack((np.hstack((first, third)), np.hstack((top, fixed))))


def main() -> None:
    """Write the picture to a PNG file."""
    parser = ArgumentParser("python -m puzzlebox.render", description="Every kind of part, seen by the four cameras.")
    parser.add_argument("file", nargs="?", type=Path, default=Path("scene.png"), help="the PNG file to write")
    file: Path = parser.parse_args().file
    if file.suffix.lower() != ".png":
        parser.error(f"{file} is not a picture; its name must end in .png")
    picture = png(paint_sheet())
    try:
        file.write_bytes(picture)
    except OSError as problem:
        parser.error(f"{file} cannot be written: {problem.strerror}")
    print(f"wrote {file}", file=sys.stderr)


if __name__ == "__main__":
    main()
