"""A small catalogue of things: each function returns a `Prop` that can be changed with `with_`, `on` and `facing`."""

from math import cos, pi, sin

from puzzlebox.infant.body.shapes import Vector
from puzzlebox.infant.scenes.props import (
    RGB,
    Form,
    Freedom,
    Link,
    Prop,
    ball,
    box,
    capsule,
    cylinder,
    turned,
)
from puzzlebox.scene.scene import Pattern

RED, BLUE, YELLOW, GREEN = (214, 40, 40), (38, 84, 200), (245, 200, 40), (40, 150, 70)
ORANGE, PURPLE, WHITE, BLACK = (240, 130, 30), (130, 60, 160), (245, 245, 245), (25, 25, 28)
WOOD: RGB = (198, 160, 112)
_SIDES = 8


def block(name: str = "block", size: float = 0.05, colour: RGB = RED, mass: float | None = None) -> Prop:
    """Return a wooden cube."""
    return Prop(name, (box(size, size, size),), mass=mass or 500.0 * size**3, colour=colour, material="wood")


def toy_ball(name: str = "ball", radius: float = 0.04, colour: RGB = BLUE, mass: float = 0.05) -> Prop:
    """Return a ball of rubber."""
    return Prop(name, (ball(radius),), mass=mass, colour=colour, material="rubber")


def _ring(radius: float, height: float, wall: float, at: float = 0.0) -> tuple[Form, ...]:
    """Return boxes around the z axis; their inner faces touch a circle."""
    width = 2 * (radius + wall) * sin(pi / _SIDES) / cos(pi / _SIDES)
    out = []
    for number in range(_SIDES):
        angle = 2 * pi * number / _SIDES
        middle = radius + wall / 2
        out.append(
            box(wall, width, height, (middle * cos(angle), middle * sin(angle), at), turn=turned(360 * number / _SIDES))
        )
    return tuple(out)


def cup(
    name: str = "cup",
    radius: float = 0.035,
    height: float = 0.07,
    colour: RGB = YELLOW,
    *,
    upside_down: bool = False,
) -> Prop:
    """Return an open cup of eight walls and a bottom; its frame is at half its height."""
    wall = 0.004
    bottom = cylinder(radius + wall, wall, (0.0, 0.0, (height - wall) / 2 * (1 if upside_down else -1)))
    room = ((0.0, 0.0, 0.0), (radius, radius, height / 2))
    forms = (*_ring(radius, height, wall), bottom)
    return Prop(name, forms, mass=0.04, colour=colour, material="plastic", cavity=room)


def lid(name: str = "lid", radius: float = 0.045, colour: RGB = GREEN) -> Prop:
    """Return a flat lid with a knob."""
    knob = ball(0.009, (0.0, 0.0, 0.011))
    return Prop(name, (cylinder(radius, 0.006), knob), mass=0.03, colour=colour, material="plastic")


def rattle(name: str = "rattle", colour: RGB = ORANGE) -> Prop:
    """Return a rattle: a handle along x with a ball at one end."""
    handle = capsule(0.008, 0.07, (-0.03, 0.0, 0.0), turn=turned(90.0, (0.0, 1.0, 0.0)), colour=WHITE)
    return Prop(name, (ball(0.028, (0.03, 0.0, 0.0)), handle), mass=0.06, colour=colour, material="plastic")


def rod(name: str = "rod", length: float = 0.10, radius: float = 0.010, colour: RGB = BLUE) -> Prop:
    """Return a rod along z."""
    return Prop(name, (cylinder(radius, length),), mass=0.03, colour=colour, material="wood", friction=1.2)


def dumb_bell(name: str = "dumb-bell", colour: RGB = PURPLE) -> Prop:
    """Return a dumb-bell along y that pulls apart: the left ball slides on the bar of the right one."""
    bar = capsule(0.007, 0.10, turn=turned(90.0, (1.0, 0.0, 0.0)), colour=WHITE)
    left = Link("left", (ball(0.025),), (0.0, 0.06, 0.0), Freedom.SLIDE, (0.0, 1.0, 0.0), 0.0, 0.04, 0.04, 0.4)
    return Prop(name, (ball(0.025, (0.0, -0.06, 0.0)), bar), mass=0.06, colour=colour, material="wood", links=(left,))


def disc(name: str = "disc", diameter: float = 0.08, colour: RGB = WHITE, other: RGB = BLACK) -> Prop:
    """Return a chequered disc that faces along -x and stays where it is put."""
    half = diameter / 2
    face = cylinder(half, 0.006, turn=turned(90.0, (0.0, 1.0, 0.0)), solid=False)
    count = 4
    size = diameter / count
    squares: list[Form] = []
    for row in range(count):
        for column in range(count):
            y, z = (column - (count - 1) / 2) * size, (row - (count - 1) / 2) * size
            if (row + column) % 2 and (abs(y) + size / 2) ** 2 + (abs(z) + size / 2) ** 2 <= 1.3 * half**2:
                squares.append(box(0.008, size, size, (0.0, y, z), colour=other, solid=False))
    return Prop(name, (face, *squares), free=False, colour=colour)


def card(name: str = "card", size: float = 0.10, colour: RGB = WHITE, other: RGB = BLACK, stripes: float = 0.0) -> Prop:
    """Return a square card that faces along x; `stripes` is the width of each in metres, 0 for none."""
    pattern = Pattern.STRIPES if stripes else Pattern.PLAIN
    form = box(0.004, size, size, solid=False)
    return Prop(name, (form,), free=False, colour=colour, other=other, pattern=pattern, scale=stripes or 0.02)


def screen(name: str = "screen", width: float = 0.30, height: float = 0.25, colour: RGB = (90, 110, 140)) -> Prop:
    """Return an upright board across the view that a script moves."""
    return Prop(name, (box(0.012, width, height),), free=False, colour=colour)


def string(name: str = "string", length: float = 0.30, links: int = 10, radius: float = 0.004) -> Prop:
    """Return a cord: a chain of capsules along x from its frame, lying on its radius."""
    piece = length / links
    forms = (capsule(radius, piece * 0.8, (piece / 2, 0.0, 0.0), turn=turned(90.0, (0.0, 1.0, 0.0))),)
    mass = max(0.0005, 0.02 * piece)
    chain = tuple(
        Link(
            str(number),
            forms,
            (piece, 0.0, 0.0),
            Freedom.BALL,
            mass=mass,
            damping=2e-5,
            parent=str(number - 1) if number > 1 else "",
        )
        for number in range(1, links)
    )
    return Prop(name, forms, mass=mass, colour=WHITE, links=chain, friction=0.5)


def loudspeaker(name: str = "loudspeaker") -> Prop:
    """Return a loudspeaker that faces along -x."""
    cone = cylinder(0.035, 0.006, (-0.045, 0.0, 0.0), turn=turned(90.0, (0.0, 1.0, 0.0)), colour=BLACK)
    return Prop(name, (box(0.09, 0.10, 0.14), cone), free=False, colour=(70, 70, 78))


def table(
    name: str = "table", depth: float = 0.45, width: float = 0.60, height: float = 0.42, colour: RGB = WOOD
) -> Prop:
    """Return a table with four legs; its frame is at the middle of the top's surface."""
    top = 0.02
    x, y, leg = depth / 2 - 0.03, width / 2 - 0.03, height - top
    legs = [box(0.03, 0.03, leg, (i * x, j * y, -top - leg / 2)) for i in (-1, 1) for j in (-1, 1)]
    forms = (box(depth, width, top, (0.0, 0.0, -top / 2)), *legs)
    return Prop(name, forms, (0.0, 0.0, height), free=False, colour=colour, material="wood", friction=0.7)


def high_chair(name: str = "high chair", seat: float = 0.28, colour: RGB = (236, 236, 240)) -> Prop:
    """Return a high chair without a tray; its frame is on the floor below the middle of the seat."""
    legs = [box(0.025, 0.025, seat, (i * 0.13, j * 0.13, seat / 2)) for i in (-1, 1) for j in (-1, 1)]
    board = box(0.26, 0.28, 0.02, (-0.01, 0.0, seat - 0.01), colour=(120, 170, 200))
    back = box(0.02, 0.28, 0.26, (-0.145, 0.0, seat + 0.13), colour=(120, 170, 200))
    return Prop(name, (board, back, *legs), free=False, colour=colour)


def crib(name: str = "crib", length: float = 1.2, width: float = 0.65, height: float = 0.5) -> Prop:
    """Return a crib around its mattress; its frame is in the middle of the mattress' surface, at 10 cm."""
    mattress = box(length, width, 0.08, (0.0, 0.0, -0.04), colour=(228, 232, 240))
    rails, bars = [], []
    for side in (-1, 1):
        rails.append(box(length, 0.02, 0.02, (0.0, side * width / 2, height)))
        rails.append(box(0.02, width, 0.02, (side * length / 2, 0.0, height)))
        bars += [capsule(0.006, height, (x, side * width / 2, height / 2)) for x in _even(length, 9)]
        bars += [capsule(0.006, height, (side * length / 2, y, height / 2)) for y in _even(width, 5)]
    return Prop(name, (mattress, *rails, *bars), (0.0, 0.0, 0.10), free=False, colour=WOOD, soft=True)


def _even(length: float, count: int) -> list[float]:
    return [length * (number / (count - 1) - 0.5) for number in range(count)]


def mobile(name: str = "mobile", radius: float = 0.14, colours: tuple[RGB, ...] = (RED, BLUE, YELLOW, GREEN)) -> Prop:
    """Return a mobile that a script turns about its frame: toys hang from a ring, with one more in its middle."""
    forms: list[Form] = [cylinder(0.004, 0.10, (0.0, 0.0, 0.05), colour=WHITE, solid=False)]
    for number, colour in enumerate(colours):
        angle = 2 * pi * number / len(colours)
        x, y = radius * cos(angle), radius * sin(angle)
        forms.append(capsule(0.004, radius, (x / 2, y / 2, 0.0), turn=_along((x, y)), colour=WHITE, solid=False))
        forms.append(cylinder(0.0015, 0.10, (x, y, -0.05), colour=WHITE, solid=False))
        toy = (x, y, -0.12)
        forms.append(ball(0.03, toy, colour=colour) if number % 2 else box(0.05, 0.05, 0.05, toy, colour=colour))
    forms.append(ball(0.025, (0.0, 0.0, -0.06), colour=PURPLE))
    return Prop(name, tuple(forms), free=False)


def _along(direction: tuple[float, float]) -> tuple[float, float, float, float]:
    """Return the rotation of z towards a level direction."""
    x, y = direction
    length = (x * x + y * y) ** 0.5
    return turned(90.0, (-y / length, x / length, 0.0))


def box_with_lid(name: str = "box", size: Vector = (0.16, 0.20, 0.12), colour: RGB = (150, 110, 70)) -> Prop:
    """Return an open box with a lid on a hinge at its far side; its frame is in the middle of the bottom."""
    x, y, z = size
    wall = 0.008
    walls = [
        box(x, y, wall, (0.0, 0.0, wall / 2)),
        *(box(wall, y, z, (side * (x - wall) / 2, 0.0, z / 2)) for side in (-1, 1)),
        *(box(x, wall, z, (0.0, side * (y - wall) / 2, z / 2)) for side in (-1, 1)),
    ]
    cover = Link("lid", (box(x, y, wall, (-x / 2, 0.0, 0.0)),), (x / 2, 0.0, z + wall / 2), low=0.0, high=110.0)
    room = ((0.0, 0.0, z / 2), (x / 2 - wall, y / 2 - wall, z / 2))
    return Prop(name, tuple(walls), free=False, colour=colour, material="wood", links=(cover,), cavity=room)


def door(name: str = "door", width: float = 0.7, height: float = 1.2, colour: RGB = (160, 120, 80)) -> Prop:
    """Return a door in a frame across the x axis, hinged at its left side; its frame is on the floor in its middle."""
    post = 0.04
    posts = [box(post, post, height, (0.0, side * (width + post) / 2, height / 2)) for side in (-1, 1)]
    beam = box(post, width + 2 * post, post, (0.0, 0.0, height + post / 2))
    leaf = Link(
        "leaf",
        (
            box(0.02, width - 0.02, height - 0.03, (0.0, -width / 2, 0.0)),
            ball(0.02, (-0.03, -width + 0.08, 0.0), colour=YELLOW),
        ),
        (0.0, width / 2, height / 2),
        axis=(0.0, 0.0, 1.0),
        low=-100.0,
        high=100.0,
        mass=2.0,
        damping=0.1,
    )
    return Prop(name, (*posts, beam), free=False, colour=colour, material="wood", links=(leaf,))
