"""Large toys of a few shapes each, to walk to: those that VECA's navigation tasks name.

Each stands on the floor, is about 30 cm high and has one colour, so that shape and colour differ independently. The
frame of a toy is on the floor below its middle.
"""

from collections.abc import Callable

from puzzlebox.infant.scenes.props import RGB, Form, Prop, ball, box, capsule, cylinder, turned
from puzzlebox.infant.scenes.props import Kind as FormKind

COLOURS: dict[str, RGB] = {"red": (214, 40, 40), "green": (40, 150, 70), "blue": (38, 84, 200)}
_DARK: RGB = (40, 36, 36)
_FORWARDS, _SIDEWAYS = turned(90.0, (0.0, 1.0, 0.0)), turned(90.0, (1.0, 0.0, 0.0))
# How near the middle of a child must come to that of a toy to reach it, in metres.
REACHED = 0.35


def _ellipsoid(x: float, y: float, z: float, at: tuple[float, float, float]) -> Form:
    return Form(FormKind.ELLIPSOID, (x, y, z), at)


def _ball() -> tuple[Form, ...]:
    return (ball(0.15, (0, 0, 0.15)),)


def _pyramid() -> tuple[Form, ...]:
    steps = ((0.30, 0.04), (0.24, 0.11), (0.17, 0.18), (0.10, 0.25))
    return tuple(box(side, side, 0.08, (0, 0, height)) for side, height in steps)


def _pig() -> tuple[Form, ...]:
    legs = tuple(cylinder(0.025, 0.10, (x, y, 0.05)) for x in (-0.08, 0.08) for y in (-0.05, 0.05))
    snout = cylinder(0.035, 0.05, (0.21, 0, 0.17), turn=_FORWARDS)
    ears = tuple(box(0.02, 0.04, 0.06, (0.10, y, 0.27)) for y in (-0.05, 0.05))
    return (_ellipsoid(0.14, 0.10, 0.09, (0, 0, 0.16)), ball(0.08, (0.13, 0, 0.19)), snout, *legs, *ears)


def _boat() -> tuple[Form, ...]:
    hull = (box(0.26, 0.12, 0.08, (0, 0, 0.04)), _ellipsoid(0.09, 0.06, 0.04, (0.14, 0, 0.05)))
    sail = tuple(box(0.20 - 0.05 * step, 0.012, 0.055, (-0.01, 0, 0.13 + 0.05 * step)) for step in range(4))
    return (*hull, cylinder(0.01, 0.26, (0, 0, 0.20)), *sail)


def _boots() -> tuple[Form, ...]:
    return tuple(
        form
        for y in (-0.065, 0.065)
        for form in (
            cylinder(0.05, 0.24, (-0.04, y, 0.16)),
            box(0.17, 0.10, 0.07, (0.0, y, 0.035)),
            ball(0.045, (0.08, y, 0.045)),
        )
    )


def _bus() -> tuple[Form, ...]:
    wheels = tuple(
        cylinder(0.045, 0.02, (x, y, 0.045), turn=_SIDEWAYS, colour=_DARK) for x in (-0.10, 0.10) for y in (-0.08, 0.08)
    )
    windows = tuple(box(0.055, 0.165, 0.06, (x, 0, 0.21), colour=(200, 220, 235)) for x in (-0.10, 0.0, 0.10))
    return (box(0.34, 0.16, 0.22, (0, 0, 0.16)), *windows, *wheels)


def _cap() -> tuple[Form, ...]:
    return (_ellipsoid(0.13, 0.12, 0.13, (0, 0, 0.06)), box(0.16, 0.17, 0.02, (0.15, 0, 0.04)), ball(0.02, (0, 0, 0.2)))


def _cup() -> tuple[Form, ...]:
    handle = (box(0.08, 0.025, 0.025, (0.15, 0, 0.20)), box(0.08, 0.025, 0.025, (0.15, 0, 0.09)))
    return (cylinder(0.11, 0.26, (0, 0, 0.13)), *handle, box(0.025, 0.025, 0.135, (0.19, 0, 0.145)))


def _fork() -> tuple[Form, ...]:
    prongs = tuple(capsule(0.010, 0.09, (0, y, 0.32)) for y in (-0.045, -0.015, 0.015, 0.045))
    return (capsule(0.016, 0.18, (0, 0, 0.11)), box(0.02, 0.11, 0.07, (0, 0, 0.245)), *prongs)


def _spoon() -> tuple[Form, ...]:
    return (capsule(0.016, 0.20, (0, 0, 0.12)), _ellipsoid(0.025, 0.07, 0.09, (0, 0, 0.31)))


def _glove() -> tuple[Form, ...]:
    fingers = tuple(capsule(0.018, 0.07, (0, y, 0.27)) for y in (-0.066, -0.022, 0.022, 0.066))
    thumb = capsule(0.018, 0.06, (0, 0.115, 0.18), turn=turned(-40.0, (1.0, 0.0, 0.0)))
    return (box(0.06, 0.17, 0.14, (0, 0, 0.16)), cylinder(0.07, 0.09, (0, 0, 0.045)), *fingers, thumb)


def _bear() -> tuple[Form, ...]:
    ears = tuple(ball(0.032, (0, y, 0.33)) for y in (-0.065, 0.065))
    limbs = tuple(_ellipsoid(0.075, 0.04, 0.04, (0.08, y, 0.04)) for y in (-0.08, 0.08))
    arms = tuple(_ellipsoid(0.06, 0.03, 0.03, (0.06, y, 0.16)) for y in (-0.11, 0.11))
    return (_ellipsoid(0.09, 0.10, 0.11, (0, 0, 0.11)), ball(0.085, (0.01, 0, 0.26)), *ears, *limbs, *arms)


_SHAPES: dict[str, Callable[[], tuple[Form, ...]]] = {
    "ball": _ball,
    "pig": _pig,
    "pyramid": _pyramid,
    "boat": _boat,
    "boots": _boots,
    "bus": _bus,
    "cap": _cap,
    "cup": _cup,
    "fork": _fork,
    "glove": _glove,
    "spoon": _spoon,
    "bear": _bear,
}
# The three toys of VECA's first version, and the ten of its later one.
THREE = ("ball", "pig", "pyramid")
TEN = ("ball", "boat", "boots", "bus", "cap", "cup", "fork", "glove", "spoon", "bear")


def toy(shape: str, colour: str, name: str = "") -> Prop:
    """Return a toy that stays where it is put, hidden at first.

    Args:
        shape: one of `THREE` or `TEN`.
        colour: one of `COLOURS`.
        name: its name on the stage. Default: colour and shape.
    """
    return Prop(name or f"{colour} {shape}", _SHAPES[shape](), free=False, hidden=True, colour=COLOURS[colour])
