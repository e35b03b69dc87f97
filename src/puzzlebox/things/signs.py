"""The board that shows a symbol."""

from puzzlebox.things.thing import Category, ColourRule, SizeRange, Takes, Thing


class SignBoard(Thing):
    """A board, 3 m wide and 2 m high at size 1, that shows a symbol or a pattern on its -x side."""

    category = Category.SIGN
    aliases = ("SignPosterboard",)
    size = SizeRange.cube(0.5, 2.5)
    colour = ColourRule.SYMBOL
    parameters = {"symbol": Takes("default")}
