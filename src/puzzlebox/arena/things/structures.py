"""Things that stay where they are: walls, ramps and tunnels."""

import numpy as np

from puzzlebox.arena.things.kinds import Category, ColourRule, Origin, SizeRange, Solid, Stands, Takes
from puzzlebox.arena.things.thing import Thing
from puzzlebox.scene.colours import linear
from puzzlebox.scene.parts import Part, painted
from puzzlebox.scene.scene import Kind, Pattern
from puzzlebox.scene.shapes import Box, Shape, Tube, Vector, Wedge
from puzzlebox.scene.surroundings import PATTERN_OF
from puzzlebox.scene.themes import DEFAULT_THEME, THEMES, Look

# Colour and opacity of glass (docs/original/looks.md#screenshots).
GLASS, GLASS_ALPHA = (1.0, 1.0, 1.0), 0.416
_GREY = linear((128, 128, 128))
# The original renders tunnels as if they stood in the shade (docs/original/looks.md#screenshots).
_SHADE = (0.60, 0.68, 0.80)
# Height of a brick, width of a stripe.
_BRICK, _STRIPE = 0.2, 0.4


def pane(half: Vector, kind: Kind = Kind.BOX) -> Part:
    """Return a piece of glass."""
    return Part(kind, half, GLASS, alpha=GLASS_ALPHA)


class Structure(Thing, family=True):
    """The family of things the animal cannot move."""

    category = Category.IMMOVABLE
    stands = Stands.WHERE_SUPPORTED
    tag = "Immovable"


class Wall(Structure):
    """A solid box that blocks both movement and sight."""

    size = SizeRange((0.1, 0.1, 0.1), (40.0, 10.0, 40.0))
    colour = ColourRule.GIVEN_OR_RANDOM
    solid = Solid.BOX
    mass = 10_000.0

    def shapes(self) -> tuple[Shape, ...]:
        """Return one box."""
        x, y, z = self.extent
        return (Box((x / 2, y / 2, z / 2)),)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return a brick wall in its colour; without one, the theme's colour, or a random one in the classic theme."""
        x, y, z = self.extent
        random = look.walls is THEMES[DEFAULT_THEME].walls
        color = (
            linear(look.walls.color)
            if "color" not in self.explicit_settings and not random
            else painted(self.paint, _GREY)
        )
        return (Part(Kind.BOX, (x / 2, y / 2, z / 2), color, pattern=PATTERN_OF[look.walls.pattern], scale=_BRICK),)


class WallTransparent(Wall):
    """A solid box that blocks movement but can be seen through."""

    colour = ColourRule.FIXED

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return a block of glass."""
        x, y, z = self.extent
        return (pane((x / 2, y / 2, z / 2)),)


class Ramp(Structure):
    """A wedge to climb; at rotation 0 its low edge faces +z and its tall face -z."""

    size = SizeRange((0.5, 0.1, 0.5), (40.0, 10.0, 40.0))
    colour = ColourRule.GIVEN_OR_RANDOM
    solid = Solid.WEDGE
    mass = 1_000.0

    def shapes(self) -> tuple[Shape, ...]:
        """Return one wedge."""
        x, y, z = self.extent
        return (Wedge((x / 2, y / 2, z / 2)),)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return one wedge, striped across the slope."""
        x, y, z = self.extent
        color = painted(self.paint, _GREY)
        return (Part(Kind.WEDGE, (x / 2, y / 2, z / 2), color, pattern=Pattern.STRIPES, scale=_STRIPE),)


class CylinderTunnel(Structure):
    """Half a tube to walk through or over, open along z at rotation 0; it always stands on the floor."""

    size = SizeRange.cube(2.5, 10.0)
    colour = ColourRule.GIVEN_OR_RANDOM
    parameters = {"at": Takes(None, "where its middle stands; the height has no effect")}
    stands = Stands.FIXED
    origin = Origin.FLOOR

    def draw_looks(self, rng: np.random.Generator) -> None:
        """Draw a colour, except under rules in which tunnels without one are grey."""
        if not self.rules.grey_tunnels:
            super().draw_looks(rng)
        else:
            self.paint = self.settings.get("color")

    def probe(self) -> Box:
        """Return the box around the whole tube, the half below the floor included."""
        x, y, z = self.extent
        return Box((x / 2, y / 2, z / 2))

    def shapes(self) -> tuple[Shape, ...]:
        """Return the half tube above the floor."""
        x, y, z = self.extent
        return (Tube((x / 2, y / 2, z / 2)),)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return a plain half tube in its colour."""
        x, y, z = self.extent
        red, green, blue = painted(self.paint, _GREY)
        color = (red * _SHADE[0], green * _SHADE[1], blue * _SHADE[2])
        return (Part(Kind.TUBE, (x / 2, y / 2, z / 2), color),)


class CylinderTunnelTransparent(CylinderTunnel):
    """A tunnel that can be seen through."""

    colour = ColourRule.FIXED

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return a half tube of glass."""
        x, y, z = self.extent
        return (pane((x / 2, y / 2, z / 2), Kind.TUBE),)
