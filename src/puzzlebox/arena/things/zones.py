"""Zones: areas that act on the animals inside. Other things may stand in them."""

from typing import TYPE_CHECKING, Any, ClassVar

from puzzlebox.arena.things.kinds import Category, Notices, Origin, SizeRange, Takes
from puzzlebox.arena.things.structures import pane
from puzzlebox.arena.things.thing import Thing
from puzzlebox.scene.parts import Part
from puzzlebox.scene.scene import Kind
from puzzlebox.scene.shapes import Box, Shape
from puzzlebox.scene.themes import Look

if TYPE_CHECKING:
    from puzzlebox.arena.things.animal import Agent
    from puzzlebox.arena.things.stage import Stage


class Zone(Thing, family=True):
    """The family of areas one can walk into."""

    category = Category.ZONE
    size = SizeRange((1.0, 0.5, 1.0), (40.0, 10.0, 40.0))
    passable = True
    notices = Notices.ENTRY

    def shapes(self) -> tuple[Shape, ...]:
        """Return one box, which things and animals pass through."""
        x, y, z = self.extent
        return (Box((x / 2, y / 2, z / 2)),)


class FlatZone(Zone, family=True):
    """The family of zones that lie on the floor, mostly under it (docs/original/things.md#zones)."""

    parameters = {"at": Takes(None, "where its middle lies; the height has no effect")}
    origin = Origin.FLOOR
    # The colour of its haze, and its opacity.
    _haze: ClassVar[tuple[float, float, float]]
    _thick: ClassVar[float]

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return a haze over the floor."""
        x, y, z = self.extent
        return (Part(Kind.BOX, (x / 2, y / 2, z / 2), self._haze, alpha=self._thick, glows=True),)

    def height(self, y: float) -> float:
        """Return the fixed height of its middle, just below the floor."""
        return -0.15

    def probe(self) -> Box:
        """Return the whole box."""
        return self.shapes()[0]  # type: ignore[return-value]


class DeathZone(FlatZone):
    """A red area on the floor; entering it costs 1 and ends the episode as failed."""

    ends = True
    reward = "-1, ends the episode"
    tag = "DeathZone"
    _haze, _thick = (0.233, 0.033, 0.034), 0.88

    def inside(self, stage: "Stage", animal: "Agent") -> None:
        """Cost the animal 1 and end its episode, also if it came in while it was spared."""
        stage.pay(animal, -1.0)


class HotZone(FlatZone):
    """An orange area on the floor; being inside costs ten times the price of time."""

    reward = "ten times the time cost, each physics step inside"
    tag = "HotZone"
    _haze, _thick = (0.452, 0.160, 0.045), 0.69

    def inside(self, stage: "Stage", animal: "Agent") -> None:
        """Cost ten times the price of time, and a minimum where time costs nothing."""
        stage.pay(animal, min(10.0 * stage.time_cost, -self.rules.hot_zone_floor))


class DataZone(Zone):
    """An area that notes who enters and leaves, and can run operations."""

    size = SizeRange((1.0, 0.5, 1.0), (30.0, 10.0, 30.0))
    parameters = {
        "zone_id": Takes(),
        "visible": Takes(True),
        "operations": Takes((), "what happens on entry, in order; what lasts stops on exit"),
    }
    tag = "DataZone"

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return a block of glass, or nothing if it is invisible."""
        x, y, z = self.extent
        return (pane((x / 2, y / 2, z / 2)),) if self.settings["visible"] else ()

    def entered(self, stage: "Stage", animal: "Agent") -> None:
        """Run the operations of the zone."""
        stage.operate(self, animal)

    def left(self, stage: "Stage", animal: "Agent") -> None:
        """Stop the operations of the zone that last."""
        stage.stop_operating(self, animal)

    def condition(self) -> dict[str, Any]:
        """Return its `zone_id`."""
        return {"zone_id": self.settings["zone_id"]}
