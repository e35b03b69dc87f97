"""Things the animal can push."""

from puzzlebox.things.thing import Category, ColourRule, SizeRange, Solid, Takes, Thing


class Block(Thing, family=True):
    """The family of things that move when pushed."""

    category = Category.MOVABLE
    colour = ColourRule.GIVEN_OR_OWN


class LightBlock(Block):
    """A box that is easy to push."""

    aliases = ("Cardbox1", "CardBox1")
    size = SizeRange.cube(0.5, 10.0)
    solid = Solid.BOX


class HeavyBlock(Block):
    """A box that is hard to push."""

    aliases = ("Cardbox2", "CardBox2")
    size = LightBlock.size
    solid = Solid.BOX


class UBlock(Block):
    """A block in the form of a U: a bar with two feet, good for hooking food."""

    aliases = ("UObject",)
    size = SizeRange((1.0, 0.3, 3.0), (5.0, 2.0, 20.0))
    parameters = {"size": Takes(None, "three numbers x, y, z: it is 0.9 x wide over its feet, y high and 1.2 z long")}


class LBlock(Block):
    """A block in the form of an L: a bar with one foot."""

    aliases = ("LObject",)
    size = UBlock.size
    parameters = {"size": Takes(None, "three numbers x, y, z: it is 0.9 x wide over its foot, y high and 1.1 z long")}


class JBlock(Block):
    """The mirror image of an LBlock."""

    aliases = ("LObject2", "JObject")
    size = UBlock.size
    parameters = LBlock.parameters


class HollowBox(Block):
    """A heavy box with a floor and four sides, open at the top, that can hold other things."""

    size = SizeRange.cube(0.5, 5.0)
