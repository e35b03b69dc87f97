"""Labels of figures: shortening, wrapping and placing names of any length."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

from puzzlebox.stats.extras import import_extra

# Characters of a name at most; longer names lose their middle, and tables have them in full.
MOST = 40
# Characters after which a name is broken into lines; it may also be broken before a parenthesis.
_SIGNS = r" /_,=:;@-"
_PARTS = re.compile(rf"\(?[^({_SIGNS}]+[{_SIGNS}]?|[({_SIGNS}]")
# Characters of a line: at most if slanted, at least if upright.
_MOST_SLANTED, _UPRIGHT = 24, 20
_MOST_LINES = 3
# The font size in points, and the angle of slanted labels in degrees.
_POINTS, _SLANT = 9, 35
# Inches: the height of a line of a legend, and the width of an entry without its name.
LEGEND_LINE = 0.18
_LEGEND_SIGN = 0.58
_LEGEND_POINTS = 8.5


def shorten(names: Iterable[str], most: int = MOST) -> dict[str, str]:
    """Shorten names to at most `most` characters by omitting their middle; different names stay different."""
    names = list(dict.fromkeys(names))
    # If two names would become equal, the cut moves towards one of their ends.
    for head in sorted(range(1, most - 1), key=lambda length: abs(length - most // 2)):
        cut = [name if len(name) <= most else f"{name[:head]}…{name[head + 1 - most :]}" for name in names]
        if len(set(cut)) == len(names):
            return dict(zip(names, cut, strict=True))
    numbered = (f"{number}: {name}" for number, name in enumerate(names, 1))
    return {
        name: text if len(text) <= most else f"{text[: most - 1]}…" for name, text in zip(names, numbered, strict=True)
    }


def wrap(name: str, letters: int) -> str:
    """Break a name into lines of at most `letters` characters, after punctuation if possible."""
    lines = [""]
    for part in _PARTS.findall(name):
        if lines[-1] and len(lines[-1] + part) > letters:
            lines.append("")
        lines[-1] += part
        while len(lines[-1]) > letters:
            lines[-1:] = [lines[-1][:letters], lines[-1][letters:]]
    return "\n".join(line.strip() for line in lines)


def lines_of(texts: Iterable[str]) -> int:
    """Return the number of lines of the tallest of some texts."""
    return max((text.count("\n") + 1 for text in texts), default=1)


def text_width(texts: Iterable[str], points: float, weight: str = "normal") -> float:
    """Return the width of the longest line of some texts, in inches."""
    measure = import_extra("matplotlib.textpath").TextToPath().get_text_width_height_descent
    font = import_extra("matplotlib.font_manager").FontProperties(family="DejaVu Sans", size=points, weight=weight)
    return max((measure(line, font, False)[0] for text in texts for line in text.split("\n")), default=0.0) / 72


def letters_in(inches: float, points: float, weight: str = "normal") -> int:
    """Return the number of letters of average width that fit into a width."""
    return max(int(inches / text_width(["n"], points, weight)), 1)


def columns_of(labels: Sequence[str], inches: float) -> int:
    """Return the number of columns of a legend that fit into a width."""
    return min(len(labels), max(1, int(inches / legend_entry(labels))))


def legend_entry(labels: Iterable[str]) -> float:
    """Return the width of the widest entry of a legend, in inches."""
    return text_width(labels, _LEGEND_POINTS) + _LEGEND_SIGN


@dataclass(frozen=True)
class Ticks:
    """The tick labels of an axis: horizontal if they fit, else slanted, and vertical if they are long.

    Attributes:
        names: the labels, broken into lines.
        angle: their angle in degrees.
        room: the inches they take perpendicular to the axis.
    """

    names: list[str]
    angle: int
    room: float

    @classmethod
    def of(cls, names: Sequence[str], slot: float, *, slanted: bool = True) -> "Ticks":
        """Lay out tick labels.

        Args:
            names: the labels, from left to right.
            slot: the inches of the axis for each label.
            slanted: whether labels may be slanted.
        """
        line = _POINTS * 1.3 / 72
        letters = letters_in(slot * 0.92, _POINTS)
        longest = max(map(len, names))
        if max(len(part) for name in names for part in _PARTS.findall(name) or [""]) <= letters:
            flat = [wrap(name, letters) for name in names]
            if lines_of(flat) <= _MOST_LINES and text_width(flat, _POINTS) <= 0.95 * slot:
                return cls(flat, 0, line * lines_of(flat))
        if slanted and longest <= _MOST_SLANTED and slot * sin(radians(_SLANT)) >= line:
            length = text_width(names, _POINTS)
            return cls(list(names), _SLANT, length * sin(radians(_SLANT)) + line * cos(radians(_SLANT)))
        # In as many lines as fit into the slot.
        widths = range(min(_UPRIGHT, longest), longest)
        options = ([wrap(name, letters) for name in names] for letters in widths)
        upright = next((each for each in options if line * lines_of(each) <= slot), list(names))
        return cls(upright, 90, text_width(upright, _POINTS) + 0.1)

    def write(self, axes: Any) -> None:
        """Set the labels as the ticks 0, 1, 2, ... of the x axis."""
        slanted = self.angle == _SLANT
        axes.set_xticks(
            range(len(self.names)),
            self.names,
            rotation=self.angle,
            ha="right" if slanted else "center",
            rotation_mode="anchor" if slanted else "default",
            fontsize=_POINTS,
        )
