"""Labels of figures: shortening, wrapping and placing names of any length."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

from puzzlebox.report.figures.fonts import legible
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
# Signs that belong to the picture before them: joiners, selectors of variants, tones of skin.
_ZERO_WIDTH_JOINER = "\u200d"
_JOINERS = ("\u200c", _ZERO_WIDTH_JOINER, "\ufe0e", "\ufe0f")
_TONES = tuple(map(chr, range(0x1F3FB, 0x1F400)))


def shorten(names: Iterable[str], most: int = MOST) -> dict[str, str]:
    """Shorten names to at most `most` characters by omitting their middle; different names stay different.

    Letters that no installed font has are replaced (`legible`), and a name without letters is `(no name)`.
    """
    texts = {name: clusters(legible(name) or "(no name)") for name in names}
    # If two names would become equal, the cut moves towards one of their ends.
    for head in sorted(range(1, most - 1), key=lambda length: abs(length - most // 2)):
        cut = [_without_middle(text, head, most) for text in texts.values()]
        if len(set(cut)) == len(cut):
            return dict(zip(texts, cut, strict=True))
    return {
        name: _without_middle(clusters(f"{number}: {''.join(text)}"), most - 1, most)
        for number, (name, text) in enumerate(texts.items(), 1)
    }


def _without_middle(text: Sequence[str], head: int, most: int) -> str:
    """Return a name of at most `most` characters, of which `head` are those before the gap."""
    if cells(text) <= most:
        return "".join(text)
    return f"{''.join(_first(text, head))}…{''.join(reversed(_first(text[::-1], most - head - 1)))}"


def _first(text: Sequence[str], room: int) -> Sequence[str]:
    """Return as many of the first characters as fit into the width of `room` letters."""
    many = next((many for many in range(1, len(text) + 1) if cells(text[:many]) > room), len(text) + 1) - 1
    return text[:many]


def clusters(text: str) -> list[str]:
    """Split a text into characters as readers see them: letters with the marks and joiners that belong to them."""
    if text.isascii():
        return list(text)
    parts: list[str] = []
    for letter in text:
        joined = unicodedata.category(letter).startswith("M") or letter in _JOINERS or letter in _TONES
        if parts and (joined or parts[-1].endswith(_ZERO_WIDTH_JOINER)):
            parts[-1] += letter
        else:
            parts.append(letter)
    return parts


def cells(text: Iterable[str]) -> int:
    """Return the width of a text in letters of usual width; Chinese and Japanese letters and pictures have two."""
    return sum(2 if unicodedata.east_asian_width(each[0]) in "WF" else 1 for each in text)


def wrap(name: str, letters: int) -> str:
    """Break a name into lines of at most `letters` letters, after punctuation if possible."""
    lines: list[list[str]] = [[]]
    for part in map(clusters, _PARTS.findall(name)):
        if lines[-1] and cells([*lines[-1], *part]) > letters:
            lines.append([])
        lines[-1] += part
        while cells(lines[-1]) > letters and len(lines[-1]) > 1:
            first = lines[-1][: max(len(_first(lines[-1], letters)), 1)]
            lines[-1:] = [first, lines[-1][len(first) :]]
    return "\n".join("".join(line).strip() for line in lines)


def lines_of(texts: Iterable[str]) -> int:
    """Return the number of lines of the tallest of some texts."""
    return max((text.count("\n") + 1 for text in texts), default=1)


def text_width(texts: Iterable[str], points: float, weight: str = "normal") -> float:
    """Return the width of the longest line of some texts, in inches."""
    measure = import_extra("matplotlib.textpath").TextToPath().get_text_width_height_descent
    font = import_extra("matplotlib.font_manager").FontProperties(size=points, weight=weight)
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
        longest = max(cells(clusters(name)) for name in names)
        if max(cells(part) for name in names for part in _PARTS.findall(name) or [""]) <= letters:
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

    def write(self, axes: Any, places: Sequence[float] = ()) -> None:
        """Set the labels as ticks of the x axis, at 0, 1, 2, ... or at some places."""
        slanted = self.angle == _SLANT
        axes.set_xticks(
            places or range(len(self.names)),
            self.names,
            rotation=self.angle,
            ha="right" if slanted else "center",
            rotation_mode="anchor" if slanted else "default",
            fontsize=_POINTS,
        )
