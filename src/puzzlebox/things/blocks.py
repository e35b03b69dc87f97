"""Things the animal can push."""

from typing import ClassVar

from puzzlebox.scene.shapes import Box, Shape, Vector, turned_quarter
from puzzlebox.things.kinds import Category, ColourRule, Origin, SizeRange, Solid, Stands, Takes
from puzzlebox.things.thing import HIGHEST, LIFT, Thing


class Block(Thing, family=True):
    """The family of things that move when pushed."""

    category = Category.MOVABLE
    colour = ColourRule.GIVEN_OR_OWN
    stands = Stands.FREE
    tag = "Movable"


class LightBlock(Block):
    """A box that is easy to push."""

    aliases: ClassVar[tuple[str, ...]] = ("Cardbox1", "CardBox1")
    size = SizeRange.cube(0.5, 10.0)
    solid = Solid.BOX
    mass = 220.0
    friction = 0.25

    def shapes(self) -> tuple[Shape, ...]:
        """One box."""
        x, y, z = self.extent
        return (Box((x / 2, y / 2, z / 2)),)


class HeavyBlock(LightBlock):
    """A box that is hard to push."""

    aliases = ("Cardbox2", "CardBox2")
    mass = 420.0


class HookBlock(Block, family=True):
    """The family of bars with feet. At rotation 0 the bar lies along x and its middle is at `at` (animal-ai.md 2.4)."""

    size = SizeRange((1.0, 0.3, 3.0), (5.0, 2.0, 20.0))
    mass = 180.0
    # Size and middle of each box, in units of (0.3 x, y, 0.1 z), before the quarter turn; the bar comes first.
    _boxes: tuple[tuple[Vector, Vector], ...]

    def shapes(self) -> tuple[Shape, ...]:
        """The bar, then the feet."""
        unit = (0.3 * self.extent[0], self.extent[1], 0.1 * self.extent[2])
        boxes = []
        for size, at in self._boxes:
            half = (size[0] * unit[0] / 2, size[1] * unit[1] / 2, size[2] * unit[2] / 2)
            boxes.append(turned_quarter(Box(half, (at[0] * unit[0], at[1] * unit[1], at[2] * unit[2]))))
        return tuple(boxes)

    def probe(self) -> Box:
        """The bar alone, as if its middle were at the origin."""
        bar = self.shapes()[0]
        assert isinstance(bar, Box)
        return Box(bar.half)


class UBlock(HookBlock):
    """A block in the form of a U: a bar with two feet, good for hooking food."""

    aliases = ("UObject",)
    parameters = {"size": Takes(None, "three numbers x, y, z: it is 0.9 x wide over its feet, y high and 1.2 z long")}
    _boxes = (
        ((1.003, 1.0, 12.0), (0.001, 0.0, 0.0)),
        ((1.995, 1.0, 1.001), (1.502, 0.0, -5.499)),
        ((2.003, 1.0, 0.991), (1.513, 0.0, 5.504)),
    )


class LBlock(HookBlock):
    """A block in the form of an L: a bar with one foot."""

    aliases = ("LObject",)
    parameters = {"size": Takes(None, "three numbers x, y, z: it is 0.9 x wide over its foot, y high and 1.1 z long")}
    _boxes = (((0.965, 1.0, 11.0), (-0.017, 0.0, -0.5)), ((2.021, 1.0, 0.955), (1.489, 0.0, -5.522)))


class JBlock(HookBlock):
    """The mirror image of an LBlock."""

    aliases = ("LObject2", "JObject")
    parameters = LBlock.parameters
    _boxes = (((0.991, 1.065, 11.0), (0.016, -0.032, -0.5)), ((2.022, 1.0, 0.991), (-1.489, 0.0, -5.505)))


class HollowBox(Block):
    """A heavy box with a floor and four sides, open at the top, that can hold other things; 1.1 times its size."""

    size = SizeRange.cube(0.5, 5.0)
    mass = 500.0
    origin = Origin.BASE
    tag = "HollowObj"
    # Outer size and thickness of the sides, for each metre of size (animal-ai.md 2.4).
    _outer = 1.1
    _thick = 0.1375

    def height(self, y: float) -> float:
        """The solid one of the game starts half its height too high."""
        return min(max(y, 0.0), HIGHEST) + LIFT + (0.0 if self.rules.hollow_boxes else self.extent[1] / 2)

    def shapes(self) -> tuple[Shape, ...]:
        """A floor and four sides, or the game's solid block."""
        x, y, z = (self._outer * side / 2 for side in self.extent)
        if not self.rules.hollow_boxes:
            return (Box((x, 0.42 * self.extent[1], z), (0.0, 0.42 * self.extent[1], 0.0)),)
        thick_x, thick_y, thick_z = (self._thick * side / 2 for side in self.extent)
        tall = y - thick_y  # half of what stands above the floor
        middle = 2 * thick_y + tall
        return (
            Box((x, thick_y, z), (0.0, thick_y, 0.0)),
            Box((thick_x, tall, z), (thick_x - x, middle, 0.0)),
            Box((thick_x, tall, z), (x - thick_x, middle, 0.0)),
            Box((x - 2 * thick_x, tall, thick_z), (0.0, middle, thick_z - z)),
            Box((x - 2 * thick_x, tall, thick_z), (0.0, middle, z - thick_z)),
        )

    def probe(self) -> Box:
        """Its outside."""
        x, y, z = (self._outer * side / 2 for side in self.extent)
        return Box((x, y, z), (0.0, y, 0.0))
