"""Names in figures: people call agents and tasks what they like, and figures hold it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

from puzzlebox.stats.needed import needed

# Longer names lose their middle; tables have them in full.
MOST = 40
# What a name is best broken after; or else before a parenthesis.
_SIGNS = r" /_,=:;@-"
_PARTS = re.compile(rf"\(?[^({_SIGNS}]+[{_SIGNS}]?|[({_SIGNS}]")
# Letters of a line: slanted ones at most, upright ones at least.
_MOST_SLANTED, _UPRIGHT = 24, 20
_MOST_LINES = 3
_POINTS, _SLANT = 9, 35
# Lines of a legend, and what an entry needs beside its name: the sign and the gaps, in inches.
LEGEND_LINE = 0.18
_LEGEND_SIGN = 0.58
_LEGEND_POINTS = 8.5


def shortened(names: Iterable[str], most: int = MOST) -> dict[str, str]:
    """Names of at most so many letters: longer ones without their middle, different ones always different."""
    names = list(dict.fromkeys(names))
    # Where a cut leaves the same of two names, it moves towards one of their ends.
    for head in sorted(range(1, most - 1), key=lambda place: abs(place - most // 2)):
        cut = [name if len(name) <= most else f"{name[:head]}…{name[head + 1 - most :]}" for name in names]
        if len(set(cut)) == len(names):
            return dict(zip(names, cut, strict=True))
    numbered = (f"{number}: {name}" for number, name in enumerate(names, 1))
    return {
        name: text if len(text) <= most else f"{text[: most - 1]}…" for name, text in zip(names, numbered, strict=True)
    }


def wrapped(name: str, letters: int) -> str:
    """A name in lines of at most so many letters, broken after a sign where it has one."""
    lines = [""]
    for part in _PARTS.findall(name):
        if lines[-1] and len(lines[-1] + part) > letters:
            lines.append("")
        lines[-1] += part
        while len(lines[-1]) > letters:
            lines[-1:] = [lines[-1][:letters], lines[-1][letters:]]
    return "\n".join(line.strip() for line in lines)


def lines_of(texts: Iterable[str]) -> int:
    """How many lines the tallest of some texts has."""
    return max((text.count("\n") + 1 for text in texts), default=1)


def breadth(texts: Iterable[str], points: float, weight: str = "normal") -> float:
    """How many inches the longest line of some texts takes."""
    measure = needed("matplotlib.textpath").TextToPath().get_text_width_height_descent
    font = needed("matplotlib.font_manager").FontProperties(family="DejaVu Sans", size=points, weight=weight)
    return max((measure(line, font, False)[0] for text in texts for line in text.split("\n")), default=0.0) / 72


def letters_in(inches: float, points: float, weight: str = "normal") -> int:
    """How many letters of a usual breadth fit."""
    return max(int(inches / breadth(["n"], points, weight)), 1)


def columns_of(labels: Sequence[str], inches: float) -> int:
    """How many columns a legend can have."""
    return min(len(labels), max(1, int(inches / legend_entry(labels))))


def legend_entry(labels: Iterable[str]) -> float:
    """How many inches the widest entry of a legend takes."""
    return breadth(labels, _LEGEND_POINTS) + _LEGEND_SIGN


@dataclass(frozen=True)
class Ticks:
    """Names below an axis, or above it: flat where they fit, else slanted, and upright where they are long.

    Attributes:
        names: in lines.
        angle: in degrees.
        room: how many inches they need away from the axis.
    """

    names: list[str]
    angle: int
    room: float

    @classmethod
    def of(cls, names: Sequence[str], slot: float, *, slanted: bool = True) -> "Ticks":
        """How names fit an axis.

        Args:
            names: from left to right.
            slot: inches each has for itself.
            slanted: whether they may be.
        """
        line = _POINTS * 1.3 / 72
        letters = letters_in(slot * 0.92, _POINTS)
        longest = max(map(len, names))
        if max(len(part) for name in names for part in _PARTS.findall(name) or [""]) <= letters:
            flat = [wrapped(name, letters) for name in names]
            if lines_of(flat) <= _MOST_LINES and breadth(flat, _POINTS) <= 0.95 * slot:
                return cls(flat, 0, line * lines_of(flat))
        if slanted and longest <= _MOST_SLANTED and slot * sin(radians(_SLANT)) >= line:
            far = breadth(names, _POINTS)
            return cls(list(names), _SLANT, far * sin(radians(_SLANT)) + line * cos(radians(_SLANT)))
        # In as many lines as the slot has room for.
        widths = range(min(_UPRIGHT, longest), longest)
        options = ([wrapped(name, letters) for name in names] for letters in widths)
        upright = next((each for each in options if line * lines_of(each) <= slot), list(names))
        return cls(upright, 90, breadth(upright, _POINTS) + 0.1)

    def write(self, axes: Any) -> None:
        """Write them at an axis that has one at each whole number."""
        slanted = self.angle == _SLANT
        axes.set_xticks(
            range(len(self.names)),
            self.names,
            rotation=self.angle,
            ha="right" if slanted else "center",
            rotation_mode="anchor" if slanted else "default",
            fontsize=_POINTS,
        )
