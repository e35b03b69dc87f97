"""Microseconds per picture of the native camera alone: by size, number of things, look and instruction set."""

from itertools import product

import numpy as np
from puzzlebox._native import camera_level, set_camera_level

from benchmarks.measure import Result, best_seconds
from puzzlebox.render import Painter
from puzzlebox.scene.scene import PART, POSE, Flag, Kind, Pattern, Scene
from puzzlebox.scene.surroundings import surroundings
from puzzlebox.scene.themes import DEFAULT_THEME, THEMES

_SIZES = (64, 84, 128, 256, 512)
_THINGS = (9, 20, 50, 150)
_LEVELS = ("avx512", "avx2", "baseline")
_PICTURES = 100
# Microseconds for 20 things at 64 pixels with AVX-512: 30,000 and 50,000 pictures a second.
_GOALS = {"full look": 33, "flat colours": 20}
# What an arena holds: mostly walls and goals, some ramps, tunnels and zones.
_KINDS = (Kind.BOX, Kind.BALL, Kind.BOX, Kind.WEDGE, Kind.BOX, Kind.BALL, Kind.TUBE, Kind.BOX, Kind.CYLINDER, Kind.BALL)


def arena(things: int, flat: bool) -> Scene:
    """Return an arena of 40 m with things spread over it; every tenth is transparent, unless colours are flat."""
    rng = np.random.default_rng(things)
    parts, poses = np.zeros(things, PART), np.zeros(things, POSE)
    parts["turn"] = (1, 0, 0, 0)
    for number, (part, pose) in enumerate(zip(parts, poses, strict=True)):
        kind = _KINDS[number % len(_KINDS)]
        half = rng.uniform(0.3, 1.5, 3)
        if kind in (Kind.BALL, Kind.CYLINDER):
            half[2] = half[0]
        if kind == Kind.BALL:
            half[1] = half[0]
        height = 0.0 if kind == Kind.TUBE else half[1] - 0.01
        yaw = rng.uniform(0, np.pi)
        part["thing"], part["kind"], part["half"] = number, kind, half
        part["color"] = (*rng.uniform(0.05, 0.9, 3), 1.0)
        part["other"] = (*(part["color"][:3] * 0.6), 0.4)
        pose["at"] = (rng.uniform(2, 38), height, rng.uniform(2, 38))
        pose["turn"] = (np.cos(yaw / 2), 0, np.sin(yaw / 2), 0)
        if flat:
            continue
        part["pattern"] = {Kind.BOX: Pattern.BRICKS, Kind.WEDGE: Pattern.STRIPES}.get(kind, Pattern.PLAIN)
        if number % 10 == 4:
            part["flags"], part["color"][3] = Flag.SEE_THROUGH, 0.5
    around = surroundings(THEMES[DEFAULT_THEME], 40, 40)
    if flat:
        for name in ("floor", "fence", "sky"):
            around[name]["pattern"] = Pattern.PLAIN
    return Scene(parts=parts, poses=poses, surroundings=around)


def microseconds(things: int, size: int, flat: bool = False) -> float:
    """Return microseconds per picture over a full turn in the middle of the arena, calls from Python included."""
    painter, image = Painter(arena(things, flat)), np.empty((size, size, 3), np.uint8)
    headings = [360.0 / _PICTURES * number for number in range(_PICTURES)]

    def turn() -> None:
        for heading in headings:
            painter.paint(image, (20.0, 0.49, 20.0), heading)

    turn()
    return best_seconds(turn, 15 if size <= 128 else 3) / _PICTURES * 1e6


def run() -> list[Result]:
    """Return a result for each size and number of things, then for each look and instruction set."""
    results = []
    own = camera_level()
    for size, things in product(_SIZES, _THINGS):
        if size != 64 and things != 20:
            continue
        goal = f"<= {_GOALS['full look']} with AVX-512" if (size, things) == (64, 20) else ""
        what = f"camera {size} x {size}, {things} things, full look, {own}"
        results.append(Result(what, microseconds(things, size), "us", goal))
    for things in _THINGS:
        goal = f"<= {_GOALS['flat colours']} with AVX-512" if things == 20 else ""
        what = f"camera 64 x 64, {things} things, flat colours, {own}"
        results.append(Result(what, microseconds(things, 64, flat=True), "us", goal))
    for level in _LEVELS:
        if level != own and set_camera_level(level):
            results.append(Result(f"camera 64 x 64, 20 things, full look, {level}", microseconds(20, 64), "us"))
    set_camera_level(own)
    return results
