"""The board that shows a symbol."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.things.kinds import Category, ColourRule, Origin, SizeRange, Takes
from puzzlebox.arena.things.parameters import SYMBOLS
from puzzlebox.arena.things.thing import Thing
from puzzlebox.scene.colours import linear
from puzzlebox.scene.parts import BLACK, Part, painted
from puzzlebox.scene.scene import Kind, Pattern
from puzzlebox.scene.shapes import Box, Shape
from puzzlebox.scene.themes import Look

# Colours of wood, paper and ink; width of the borders, size of the symbol and thickness of the paper in metres.
_FRAME, _BACK, _PAPER, _INK = (0.345, 0.225, 0.155), (0.250, 0.140, 0.088), (0.80, 0.74, 0.62), linear((61, 0, 214))
_BORDER, _SYMBOL, _SHEET = 0.1, 0.9, 0.006


class SignBoard(Thing):
    """A board, 3 m wide and 2 m high at size 1, that shows a symbol or a pattern on its -x side."""

    category = Category.SIGN
    aliases = ("SignPosterboard",)
    size = SizeRange.cube(0.5, 2.5)
    unit = (0.1, 2.0, 3.0)
    colour = ColourRule.SYMBOL
    parameters = {
        "rotation": Takes(None, "degrees, clockwise seen from above; at 0 the symbol faces -x"),
        "size": Takes((1.0, 1.0, 1.0), "how many times 0.1 x 2 x 3 m the board measures"),
        "color": Takes(None, "the colour of the symbol"),
        "symbol": Takes("default"),
    }
    origin = Origin.BASE
    tag = "SignPoster"

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(settings, rules)
        # The rows of a pixel grid, top first, True where white; None for a preset symbol.
        self.pixels: tuple[tuple[bool, ...], ...] | None = None

    def draw_looks(self, rng: np.random.Generator) -> None:
        """Draw the pixels that the symbol leaves to chance."""
        super().draw_looks(rng)
        symbol: str = self.settings["symbol"]
        if symbol in SYMBOLS:
            return
        grid = re.fullmatch(r"(\d+)x(\d+)", symbol)
        rows = ["*" * int(grid[1])] * int(grid[2]) if grid else symbol.split("/")
        random_pixels = rng.random((len(rows), len(rows[0]))) < 0.5
        self.pixels = tuple(
            tuple(
                bool(random_pixel) if pixel == "*" else pixel == "1"
                for pixel, random_pixel in zip(row, drawing, strict=True)
            )
            for row, drawing in zip(rows, random_pixels, strict=True)
        )

    def shapes(self) -> tuple[Shape, ...]:
        """Return one board that stands on its lower edge."""
        x, y, z = self.extent
        return (Box((x / 2, y / 2, z / 2), (0.0, y / 2, 0.0)),)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return a framed board with a sheet of paper on its front, and the symbol on it."""
        (x, y, z), (_, high, wide) = self.extent, self.unit or (1.0, 1.0, 1.0)
        border_y, border_z = _BORDER * y / high, _BORDER * z / wide
        middle, inner = y / 2, (_SHEET / 2, y / 2 - border_y, z / 2 - border_z)
        parts = [
            Part(Kind.BOX, (x / 2, y / 2, z / 2), _FRAME, (0.0, middle, 0.0)),
            Part(Kind.BOX, inner, _BACK, (x / 2, middle, 0.0)),
            Part(Kind.BOX, inner, _PAPER, (-x / 2, middle, 0.0)),
        ]
        if self.pixels is not None or self.settings["symbol"] != SYMBOLS[0]:
            half = (_SHEET / 8, _SYMBOL * y / high, _SYMBOL * z / wide)
            parts.append(
                Part(
                    *(Kind.BOX, half, painted(self.paint, _INK), (-x / 2 - _SHEET / 2, middle, 0.0)),
                    pattern=Pattern.SYMBOL,
                    other=_PAPER if self.pixels is None else BLACK,
                    mask=self.settings["symbol"] if self.pixels is None else self.pixels,
                )
            )
        return tuple(parts)

    def condition(self) -> dict[str, Any]:
        """Return the symbol, or the rows of the pixel grid."""
        rows = None if self.pixels is None else ["".join("01"[pixel] for pixel in row) for row in self.pixels]
        return {"symbol": self.settings["symbol"] if rows is None else "/".join(rows)}
