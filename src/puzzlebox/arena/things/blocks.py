"""Things the animal can push."""

from typing import ClassVar

from puzzlebox.arena.things.kinds import Category, ColourRule, Origin, SizeRange, Solid, Stands, Takes
from puzzlebox.arena.things.thing import HIGHEST, LIFT, Thing
from puzzlebox.scene.colours import Linear
from puzzlebox.scene.parts import Part, between, box, painted
from puzzlebox.scene.scene import Kind, Pattern
from puzzlebox.scene.shapes import Box, Shape, Vector, turned_quarter
from puzzlebox.scene.themes import Look

# Grey stones and brown cardboard, in the colours of the screenshots (docs/original/looks.md#screenshots).
_LIGHT_STONE, _DARK_STONE = (0.234, 0.226, 0.231), (0.134, 0.151, 0.180)
_CARDBOARD, _OLD_CARDBOARD = (0.906, 0.773, 0.664), (0.640, 0.548, 0.469)
_CORRUGATION = (0.28, 0.16, 0.07)
_GRAIN, _LINES = 0.35, 0.05


def _cardboard(form: Box, color: Linear, *, own: bool) -> Part:
    return box(form, color, Pattern.CARDBOARD, _LINES, other=_CORRUGATION if own else None)


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
    _own: ClassVar[Linear] = _LIGHT_STONE

    def shapes(self) -> tuple[Shape, ...]:
        """Return one box."""
        x, y, z = self.extent
        return (Box((x / 2, y / 2, z / 2)),)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return one box of stone."""
        x, y, z = self.extent
        color = painted(self.paint, self._own)
        return (Part(Kind.BOX, (x / 2, y / 2, z / 2), color, pattern=Pattern.STONE, scale=_GRAIN),)


class HeavyBlock(LightBlock):
    """A box that is hard to push."""

    aliases = ("Cardbox2", "CardBox2")
    mass = 420.0
    _own = _DARK_STONE


class HookBlock(Block, family=True):
    """The family of bars with feet (docs/original/things.md#shapes). At rotation 0 the bar lies along x, about `at`."""

    size = SizeRange((1.0, 0.3, 3.0), (5.0, 2.0, 20.0))
    mass = 180.0
    # Size and middle of each box, in units of (0.3 x, y, 0.1 z), before the quarter turn; the bar comes first.
    _boxes: tuple[tuple[Vector, Vector], ...]
    # The visible outline, simpler than the body: lower and upper corner of each box across (x) and along (z), in the
    # same units.
    _outline: tuple[tuple[float, float, float, float], ...]
    _own: ClassVar[Linear] = _CARDBOARD

    def shapes(self) -> tuple[Shape, ...]:
        """Return the boxes of the bar and the feet, the bar first."""
        unit = (0.3 * self.extent[0], self.extent[1], 0.1 * self.extent[2])
        boxes = []
        for size, at in self._boxes:
            half = (size[0] * unit[0] / 2, size[1] * unit[1] / 2, size[2] * unit[2] / 2)
            boxes.append(turned_quarter(Box(half, (at[0] * unit[0], at[1] * unit[1], at[2] * unit[2]))))
        return tuple(boxes)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return the bar and the feet in cardboard, the bar first."""
        x, y, z = 0.3 * self.extent[0], self.extent[1] / 2, 0.1 * self.extent[2]
        color = painted(self.paint, self._own)
        forms = [
            turned_quarter(between((low * x, -y, start * z), (high * x, y, stop * z)))
            for low, high, start, stop in self._outline
        ]
        return tuple(_cardboard(form, color, own=self.paint is None) for form in forms)

    def probe(self) -> Box:
        """Return the box of the bar alone, centred on the origin."""
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
    _outline = ((-0.5, 0.5, -6.0, 6.0), (0.5, 2.5, -6.0, -5.0), (0.5, 2.5, 5.0, 6.0))
    _own = _OLD_CARDBOARD


class LBlock(HookBlock):
    """A block in the form of an L: a bar with one foot."""

    aliases = ("LObject",)
    parameters = {"size": Takes(None, "three numbers x, y, z: it is 0.9 x wide over its foot, y high and 1.1 z long")}
    _boxes = (((0.965, 1.0, 11.0), (-0.017, 0.0, -0.5)), ((2.021, 1.0, 0.955), (1.489, 0.0, -5.522)))
    _outline = ((-0.5, 0.5, -6.0, 5.0), (0.5, 2.5, -6.0, -5.0))


class JBlock(HookBlock):
    """The mirror image of an LBlock."""

    aliases = ("LObject2", "JObject")
    parameters = LBlock.parameters
    _boxes = (((0.991, 1.065, 11.0), (0.016, -0.032, -0.5)), ((2.022, 1.0, 0.991), (-1.489, 0.0, -5.505)))
    _outline = ((-0.5, 0.5, -6.0, 5.0), (-2.5, -0.5, -6.0, -5.0))


class HollowBox(Block):
    """A heavy box with a floor and four sides, open at the top, that can hold other things; 1.1 times its size."""

    size = SizeRange.cube(0.5, 5.0)
    mass = 500.0
    origin = Origin.BASE
    tag = "HollowObj"
    # Outer size and thickness of the sides, for each metre of size (docs/original/things.md#shapes).
    _outer = 1.1
    _thick = 0.1375

    def height(self, y: float) -> float:
        """Return the height of its origin; the original's solid box starts half its height too high."""
        return min(max(y, 0.0), HIGHEST) + LIFT + (0.0 if self.rules.hollow_boxes else self.extent[1] / 2)

    def shapes(self) -> tuple[Shape, ...]:
        """Return a floor and four sides, or one solid box if the rules require it."""
        x, _, z = (self._outer * side / 2 for side in self.extent)
        if not self.rules.hollow_boxes:
            return (Box((x, 0.42 * self.extent[1], z), (0.0, 0.42 * self.extent[1], 0.0)),)
        thick = self._thick * self.extent[1] / 2
        return (Box((x, thick, z), (0.0, thick, 0.0)), *self._sides(2 * thick))

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return a cardboard box."""
        color = painted(self.paint, _CARDBOARD)
        if not self.rules.hollow_boxes:  # a cube with a hollow in its upper half
            x, y, z = (self._outer * side / 2 for side in self.extent)
            forms = [Box((x, y / 2, z), (0.0, y / 2, 0.0)), *self._sides(y)]
        else:
            forms = [form for form in self.shapes() if isinstance(form, Box)]
        return tuple(_cardboard(form, color, own=self.paint is None) for form in forms)

    def _sides(self, floor: float) -> list[Box]:
        """Return the four sides above a floor of a given height."""
        x, y, z = (self._outer * side / 2 for side in self.extent)
        thick_x, _, thick_z = (self._thick * side / 2 for side in self.extent)
        tall = y - floor / 2
        middle = floor + tall
        return [
            Box((thick_x, tall, z), (thick_x - x, middle, 0.0)),
            Box((thick_x, tall, z), (x - thick_x, middle, 0.0)),
            Box((x - 2 * thick_x, tall, thick_z), (0.0, middle, thick_z - z)),
            Box((x - 2 * thick_x, tall, thick_z), (0.0, middle, z - thick_z)),
        ]

    def probe(self) -> Box:
        """Return the box around its outside."""
        x, y, z = (self._outer * side / 2 for side in self.extent)
        return Box((x, y, z), (0.0, y, 0.0))
