"""Things that stay where they are: walls, ramps and tunnels."""

from puzzlebox.scene.shapes import Box, Shape, Tube, Wedge
from puzzlebox.things.kinds import Category, ColourRule, Origin, SizeRange, Solid, Stands, Takes
from puzzlebox.things.thing import Thing


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
        """One box."""
        x, y, z = self.extent
        return (Box((x / 2, y / 2, z / 2)),)


class WallTransparent(Wall):
    """A solid box that blocks movement but can be seen through."""

    colour = ColourRule.FIXED


class Ramp(Structure):
    """A wedge to climb; at rotation 0 its low edge faces +z and its tall face -z."""

    size = SizeRange((0.5, 0.1, 0.5), (40.0, 10.0, 40.0))
    colour = ColourRule.GIVEN_OR_RANDOM
    solid = Solid.WEDGE
    mass = 1_000.0

    def shapes(self) -> tuple[Shape, ...]:
        """One wedge."""
        x, y, z = self.extent
        return (Wedge((x / 2, y / 2, z / 2)),)


class CylinderTunnel(Structure):
    """Half a tube to walk through or over, open along z at rotation 0; it always stands on the floor."""

    size = SizeRange.cube(2.5, 10.0)
    colour = ColourRule.GIVEN_OR_RANDOM
    parameters = {"at": Takes(None, "where its middle stands; the height has no effect")}
    stands = Stands.FIXED
    origin = Origin.FLOOR

    def probe(self) -> Box:
        """The whole tube, with the half below the floor."""
        x, y, z = self.extent
        return Box((x / 2, y / 2, z / 2))

    def shapes(self) -> tuple[Shape, ...]:
        """The half above the floor."""
        x, y, z = self.extent
        return (Tube((x / 2, y / 2, z / 2)),)


class CylinderTunnelTransparent(CylinderTunnel):
    """A tunnel that can be seen through."""

    colour = ColourRule.FIXED
