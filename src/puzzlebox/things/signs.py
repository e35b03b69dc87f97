"""The board that shows a symbol."""

from puzzlebox.things.thing import Category, ColourRule, SizeRange, Takes, Thing


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
