"""Things that stay where they are: walls, ramps and tunnels."""

from puzzlebox.things.thing import Category, ColourRule, SizeRange, Solid, Takes, Thing


class Structure(Thing, family=True):
    """The family of things the animal cannot move."""

    category = Category.IMMOVABLE


class Wall(Structure):
    """A solid box that blocks both movement and sight."""

    size = SizeRange((0.1, 0.1, 0.1), (40.0, 10.0, 40.0))
    colour = ColourRule.GIVEN_OR_RANDOM
    solid = Solid.BOX


class WallTransparent(Structure):
    """A solid box that blocks movement but can be seen through."""

    size = Wall.size
    solid = Solid.BOX


class Ramp(Structure):
    """A wedge to climb; at rotation 0 its low edge faces +z and its tall face -z."""

    size = SizeRange((0.5, 0.1, 0.5), (40.0, 10.0, 40.0))
    colour = ColourRule.GIVEN_OR_RANDOM
    solid = Solid.WEDGE


class CylinderTunnel(Structure):
    """Half a tube to walk through or over, open along z at rotation 0; it always stands on the floor."""

    size = SizeRange.cube(2.5, 10.0)
    colour = ColourRule.GIVEN_OR_RANDOM
    parameters = {"at": Takes(None, "where its middle stands; the height has no effect")}


class CylinderTunnelTransparent(Structure):
    """A tunnel that can be seen through."""

    size = CylinderTunnel.size
    parameters = CylinderTunnel.parameters
