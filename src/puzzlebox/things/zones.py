"""Zones: areas that do something to whoever is inside. Other things may stand in them."""

from puzzlebox.things.thing import Category, SizeRange, Takes, Thing


class Zone(Thing, family=True):
    """The family of areas one can walk into."""

    category = Category.ZONE
    size = SizeRange((1.0, 0.5, 1.0), (40.0, 10.0, 40.0))
    passable = True


# These two always lie on the floor.
_FLAT = {"at": Takes(None, "where its middle lies; the height has no effect")}


class DeathZone(Zone):
    """A red area on the floor; entering it costs 1 and ends the episode as failed."""

    parameters = _FLAT
    ends = True
    reward = "-1, ends the episode"


class HotZone(Zone):
    """An orange area on the floor; being inside costs ten times the price of time."""

    parameters = _FLAT
    reward = "ten times the time cost, each physics step inside"


class DataZone(Zone):
    """An area that notes who enters and leaves, and can run operations."""

    size = SizeRange((1.0, 0.5, 1.0), (30.0, 10.0, 30.0))
    parameters = {
        "zone_id": Takes(),
        "visible": Takes(True),
        "operations": Takes((), "what happens on entry, in order; what lasts stops on exit"),
    }
