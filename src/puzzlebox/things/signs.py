"""The board that shows a symbol."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from puzzlebox.scene.shapes import Box, Shape
from puzzlebox.things.kinds import Category, ColourRule, Origin, SizeRange, Takes
from puzzlebox.things.parameters import SYMBOLS
from puzzlebox.things.rules import Rules
from puzzlebox.things.thing import Thing


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

    def __init__(self, asked: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(asked, rules)
        # The rows of a pixel grid, top first, True where white; None for a preset symbol.
        self.pixels: tuple[tuple[bool, ...], ...] | None = None

    def draw_looks(self, generator: np.random.Generator) -> None:
        """Draw the pixels that are left to chance."""
        super().draw_looks(generator)
        symbol: str = self.asked["symbol"]
        if symbol in SYMBOLS:
            return
        grid = re.fullmatch(r"(\d+)x(\d+)", symbol)
        rows = ["*" * int(grid[1])] * int(grid[2]) if grid else symbol.split("/")
        chance = generator.random((len(rows), len(rows[0]))) < 0.5
        self.pixels = tuple(
            tuple(bool(drawn) if pixel == "*" else pixel == "1" for pixel, drawn in zip(row, drawing, strict=True))
            for row, drawing in zip(rows, chance, strict=True)
        )

    def shapes(self) -> tuple[Shape, ...]:
        """One board on its lower edge."""
        x, y, z = self.extent
        return (Box((x / 2, y / 2, z / 2), (0.0, y / 2, 0.0)),)

    def condition(self) -> dict[str, Any]:
        """What it shows."""
        rows = None if self.pixels is None else ["".join("01"[pixel] for pixel in row) for row in self.pixels]
        return {"symbol": self.asked["symbol"] if rows is None else "/".join(rows)}
