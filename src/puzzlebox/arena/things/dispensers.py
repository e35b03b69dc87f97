"""Things that dispense goals: the tree and the two dispensers."""

from collections.abc import Mapping
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, ClassVar

from puzzlebox.arena.rules import Rules, steps_in
from puzzlebox.arena.things.dotnet_random import DotNetRandom
from puzzlebox.arena.things.goals import RESHAPE, Goal
from puzzlebox.arena.things.kinds import Category, ColourRule, Origin, Takes
from puzzlebox.arena.things.structures import GLASS
from puzzlebox.arena.things.thing import SHRINK, Thing
from puzzlebox.scene.colours import linear
from puzzlebox.scene.parts import Part, between, box, painted
from puzzlebox.scene.scene import Kind
from puzzlebox.scene.shapes import Box, Hull, Shape, Vector, turned
from puzzlebox.scene.themes import Look

if TYPE_CHECKING:
    from puzzlebox.arena.things.stage import Stage

# Metres that builds 3.1 to 4.0 added to a fruit by mistake, and its first size (docs/original/things.md#dispensers).
_SWELLING = 0.25
_SWOLLEN_START = 1.0
# The seed that the original gives every tree.
_GAME_SEED = 1
# Attempts of a tree to find a place with room for a fruit before it tries again later.
_MOST_ATTEMPTS = 20
# The number of its goals in the arena at which a dispenser stops.
_MOST_GOALS = 100
# The number of positions a moving door passes through; its body is rebuilt at each of them.
_DOOR_STEPS = 20
DISPENSED = "GoodGoalMulti"
_LEAVES, _BARK = (0.154, 0.417, 0.0195), linear((94, 66, 51))
_BLUE = linear((48, 139, 203))
# Opacity of the panes of a dispenser and of its door.
_PANE, _DOOR_PANE = 0.14, 0.5


class Dispenser(Thing, family=True):
    """The family of things that give GoodGoalMulti goals by themselves."""

    category = Category.DISPENSER
    turns = False
    origin = Origin.BASE
    ticks = True
    tag = "GoalSpawner"
    # The settings that builds since 4.1.0 use, whatever the file sets.
    constants: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        if rules.spawners == "constant":
            settings = {**settings, **self.constants}
        elif rules.spawners == "swollen":
            settings = {**settings, "delay": None}  # these builds set the delay too late to have an effect
        super().__init__(settings, rules)
        self.age = 0
        self.remaining: float = float("inf") if self.settings["spawn_count"] < 0 else self.settings["spawn_count"]
        self._next = steps_in(self.settings["delay"])
        self._dispensed: list[Goal] = []
        self._interval = max(1, steps_in(self.settings["time_between_spawns"]))

    def due(self) -> bool:
        """Return whether it is time for another goal; called once each physics step."""
        self.age += 1
        if self.age <= self._next or self.remaining <= 0:
            return False
        self._next += self._interval
        if sum(each.id >= 0 for each in self._dispensed) >= _MOST_GOALS:
            return False
        self.remaining -= 1
        return True

    def give(self, stage: "Stage", at: Vector, size: float, *, hanging: bool = False) -> Goal:
        """Put a goal into the arena and return it."""
        goal = stage.appear(DISPENSED, {"color": self.settings["spawn_color"]}, at, size=size, hanging=hanging)
        assert isinstance(goal, Goal)
        goal.register(stage)
        self._dispensed = [each for each in self._dispensed if each.id >= 0]
        self._dispensed.append(goal)
        stage.note("dispensed", goal, dispenser=self.id)
        return goal

    def to_come(self) -> float:
        """Return how many goals it has still to give; infinite without a limit."""
        return self.remaining

    def has_more_to_collect(self) -> bool:
        """Return whether it has goals still to give."""
        return self.to_come() > 0

    def condition(self) -> dict[str, Any]:
        """Return how many goals are still to come; None means no limit."""
        to_come = self.to_come()
        return {"remaining": None if to_come == float("inf") else int(to_come)}


class SpawnerTree(Dispenser):
    """A tree on which goals ripen and fall."""

    fixed_size = (5.19, 5.95, 5.02)
    parameters = {
        "delay": Takes(2.0, "seconds before the first goal"),
        "initial_value": Takes(0.2, "the size a goal starts with", (0.2, 3.0)),
        "final_value": Takes(1.0, "the size a goal has when it falls", (0.2, 3.0)),
        "spawn_count": Takes(-1),
        "spawn_color": Takes(),
        "time_between_spawns": Takes(4.0),
        "ripen_time": Takes(6.0),
    }
    constants = {
        "delay": 2.0,
        "initial_value": 1.0,  # it appears at full size
        "final_value": 1.0,
        "spawn_count": 10,
        "spawn_color": None,
        "time_between_spawns": 1.5,
        "ripen_time": 4.0,
    }
    _trunk = (
        Hull(
            tuple((x, 0.0, z) for x in (-0.45, 0.45) for z in (-0.45, 0.45))
            + tuple((x, 1.5, z) for x in (-0.225, 0.225) for z in (-0.225, 0.225))
        ),
        Box((0.225, 0.73, 0.225), (0.0, 2.23, 0.0)),
    )
    _crown = Hull(
        tuple(
            (-0.1 + 1.5 * x, 3.8 + 1.5 * y, 0.1 + 1.5 * z)
            for x, y, z in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
        )
    )
    # The visible crown is larger than the solid one and has large flat faces, traced from the screenshot.
    _leaves = (
        *((1.1, 5.93, -0.92), (0.3, 5.82, 2.14), (0.0, 4.81, 2.5), (0.0, 3.78, 2.48), (0.2, 2.32, -0.14)),
        *((0.5, 3.16, -2.3), (1.7, 3.78, -2.63), (1.1, 5.13, -1.99), (2.2, 3.3, -1.0), (2.0, 4.06, -1.25)),
        *((2.05, 4.2, -0.19), (1.95, 3.5, 1.4), (1.75, 4.45, 1.5), (-2.4, 3.8, -1.1), (-2.5, 4.4, 0.9)),
        *((-1.2, 5.6, -0.7), (-1.0, 5.5, 1.3), (-1.4, 3.0, 0.4), (-0.9, 4.8, -2.1)),
    )
    _roots = tuple((x, 0.0, z) for x in (-0.42, 0.42) for z in (-0.42, 0.42)) + tuple(
        (x, 0.3, z) for x in (-0.2, 0.2) for z in (-0.2, 0.2)
    )
    _stem = tuple((x, 0.25, z) for x in (-0.21, 0.21) for z in (-0.21, 0.21)) + tuple(
        (x, 3.0, z - 0.1) for x in (-0.16, 0.16) for z in (-0.16, 0.16)
    )
    # Fruits hang on a ball around the crown, neither on top nor underneath; large ones further out, so that they do not
    # overlap it.
    _heart = (-0.1, 4.3, -0.1)
    _reach = 2.25
    _crown_reach = 1.6

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(settings, rules)
        self._first, self._last = self.settings["initial_value"], self.settings["final_value"]
        if rules.spawners == "swollen":
            self._last = (self._last + _SWELLING) * SHRINK
            self._first = min(_SWOLLEN_START, self._last)
        # The original draws the same places in every episode.
        self._rng = None if rules.spawners == "documented" else DotNetRandom(_GAME_SEED)
        # Hanging fruits, each with its age in physics steps and the size of its body.
        self._hanging: list[tuple[Goal, int, float]] = []

    def shapes(self) -> tuple[Shape, ...]:
        """Return the trunk and the crown."""
        return (*self._trunk, self._crown)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return the roots, the trunk and the crown."""
        forms = ((self._roots, _BARK), (self._stem, _BARK), (self._leaves, _LEAVES))
        return tuple(Part(Kind.HULL, self.extent, color, points=points) for points, color in forms)

    def probe(self) -> Box:
        """Return a box as wide as the trunk, so that a tree may stand at the fence."""
        return Box((0.45, 2.65, 0.45), (0.0, 2.65, 0.0))

    def tick(self, stage: "Stage") -> None:
        """Grow the fruits, drop the ripe ones, and add new ones."""
        ripe_at = steps_in(self.settings["ripen_time"])
        still = []
        for fruit, age, built in self._hanging:
            if fruit.id < 0:  # collected while it hung
                continue
            age += 1
            share = min(1.0, age / ripe_at) if ripe_at else 1.0
            size = self._first + (self._last - self._first) * share
            fruit.set_diameter(size)
            if share == 1.0:
                fruit.kinematic = False
            if share == 1.0 or abs(size - built) >= RESHAPE:
                stage.reshape(fruit)
                built = size
            if share < 1.0:
                still.append((fruit, age, built))
        self._hanging = still
        if self.due():
            twig = self._twig(stage)
            if twig is None:
                self.remaining += 1  # it is given later
            else:
                self._hanging.append((self.give(stage, twig, self._first, hanging=True), 0, self._first))
        elif self.remaining <= 0 and not self._hanging:
            stage.rest(self)

    def removed(self, stage: "Stage") -> None:
        """Drop the fruits that hang on it."""
        for fruit, _, _ in self._hanging:
            if fruit.id >= 0:
                fruit.kinematic = False
                stage.reshape(fruit)
        self._hanging = []

    def _twig(self, stage: "Stage") -> Vector | None:
        """Return where the next fruit hangs, or None if no place around the crown has room for it when ripe."""
        radius = max(self._first, self._last) / 2
        if self._rng is not None:
            twig = self._twig_at(self._rng.next_double(), self._rng.next_double(), self._reach)
            if not any(thing is None for thing in stage.near(twig, radius)):  # within the fence
                return twig
        reach = max(self._reach, self._crown_reach + radius)
        for _ in range(_MOST_ATTEMPTS):
            twig = self._twig_at(stage.rng.random(), stage.rng.random(), reach)
            if all(thing is self for thing in stage.near(twig, radius)):
                return twig
        return None

    def _twig_at(self, around: float, down: float, reach: float) -> Vector:
        """Return a place on a ball around the crown, neither on top nor underneath.

        `around` and `down` are fractions from 0 to 1 of the angles about the vertical and from top to bottom.
        """
        x, y, z = (origin + offset for origin, offset in zip(self.at, self._heart, strict=True))
        highest, lowest = 0.2 * pi, 0.8 * pi
        azimuth, polar = 2.0 * pi * around, highest + (lowest - highest) * down
        ring = reach * sin(polar)
        return (x + ring * cos(azimuth), y + reach * cos(polar), z + ring * sin(azimuth))


# Half widths of a dispenser: its plinth and roof, its column, the chamber inside (docs/original/things.md#dispensers).
_OUTER, _COLUMN, _CHAMBER = 0.807, 0.705, 0.504


def _shell(top: float, lintel: float, roof: float) -> tuple[Shape, ...]:
    """Return a hollow column on a plinth, with a floor that slopes down to its opening.

    The opening faces -x and reaches up to the lintel.
    """
    outer, body, chamber, plinth = _OUTER, _COLUMN, _CHAMBER, 0.206
    middle, half = (plinth + top) / 2, (top - plinth) / 2
    wall = (body - chamber) / 2
    slope = ((-body, plinth, 0.0), (chamber, plinth, 0.0), (chamber, plinth + 0.2, 0.0))
    return (
        Box((outer, plinth / 2, outer), (0.0, plinth / 2, 0.0)),
        Hull(tuple((x, y, z) for x, y, _ in slope for z in (-chamber, chamber))),
        Box((wall, half, body), (body - wall, middle, 0.0)),
        Box((body, half, wall), (0.0, middle, body - wall)),
        Box((body, half, wall), (0.0, middle, wall - body)),
        Box((wall, (top - lintel) / 2, chamber), (wall - body, (top + lintel) / 2, 0.0)),
        Box((outer, (roof - top) / 2, outer), (0.0, (roof + top) / 2, 0.0)),
    )


def _ring(low: float, high: float, *, closed: bool = False) -> tuple[Box, ...]:
    """Return the walls of a column between two heights; unless `closed`, the side of the opening has none."""
    outer, inner = _COLUMN, _CHAMBER
    sides = (
        between((inner, low, -outer), (outer, high, outer)),
        between((-outer, low, inner), (inner, high, outer)),
        between((-outer, low, -outer), (inner, high, -inner)),
    )
    return (*sides, between((-outer, low, -inner), (-inner, high, inner))) if closed else sides


class Door(Thing, family=True):
    """The door of a dispenser: it sinks into the plinth in small steps."""

    category = Category.DISPENSER
    friction = 0.0
    origin = Origin.BASE
    fades = True
    # Position of its foot, a little inside the plinth, before the dispenser is turned; and its size above the plinth.
    place = (-0.75, 0.106, 0.0)
    fixed_size = (0.05, 1.15, 1.0)
    _hidden = 0.1

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(settings, rules)
        self.opening = 0.0
        self._position = 0

    def move(self, stage: "Stage", opening: float) -> None:
        """Set how far open the door is, 0 to 1."""
        self.opening = opening
        if int(opening * _DOOR_STEPS) != self._position:
            self._position = int(opening * _DOOR_STEPS)
            stage.reshape(self)

    def shapes(self) -> tuple[Shape, ...]:
        """Return one board, as high as the door is closed."""
        x, y, z = self.extent
        half = (self._hidden + y * (1.0 - self._position / _DOOR_STEPS)) / 2
        return (Box((x / 2, half, z / 2), (0.0, half, 0.0)),)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return a pane of milk glass, as high as the door is closed."""
        x, y, z = self.extent
        half = (self._hidden + y * (1.0 - self.opening)) / 2
        return (Part(Kind.BOX, (x / 2, half, z / 2), GLASS, (0.0, half, 0.0), alpha=_DOOR_PANE),)

    def look_state(self) -> float:
        """Return how far open the door is, 0 to 1."""
        return self.opening

    def condition(self) -> dict[str, Any]:
        """Return how far open the door is, 0 to 1."""
        return {"opening": self.opening}


class SpawnerDispenserTall(Dispenser):
    """A tall vending machine with a door through which goals roll out, on the -x side at rotation 0."""

    aliases: ClassVar[tuple[str, ...]] = ("SpawnerDispenser",)
    fixed_size = (1.67, 4.46, 1.67)
    colour = ColourRule.GIVEN_OR_RANDOM
    parameters = {
        "rotation": Takes(0.0, "degrees, clockwise seen from above; at 0 the door faces -x"),
        "delay": Takes(0.0, "seconds before the first goal"),
        "initial_value": Takes(1.0, "no effect: its goals do not ripen", (0.2, 1.0)),
        "final_value": Takes(1.0, "the size of a goal", (0.2, 1.0)),
        "spawn_count": Takes(-1),
        "spawn_color": Takes(),
        "time_between_spawns": Takes(1.5),
        "door_delay": Takes(10.0),
        "time_between_door_opens": Takes(-1.0),
    }
    friction = 0.0
    constants = {
        "delay": 0.0,
        "initial_value": 1.0,
        "final_value": 1.0,
        "spawn_count": 10,
        "spawn_color": None,
        "time_between_spawns": 0.5,
        "door_delay": 0.0,
    }
    _parts = _shell(top=4.194, lintel=1.65, roof=4.406)
    # The heights between which its column is of glass, and the height of the opening.
    _glass, _opening = (0.75, 3.55), 1.65
    _drop = 3.65
    # The door takes a second each way and stays open for at most 1.5 s (docs/original/things.md#dispensers).
    _moving = steps_in(1.0)
    _shortest_cycle = 1.4
    _longest_open = 1.5

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(settings, rules)
        self.door = Door({}, rules)
        self._queue = 0
        self._last: Goal | None = None
        self._open_at = steps_in(self.settings["door_delay"])

    def probe(self) -> Box:
        """Return the box around the column and its plinth."""
        height = self._parts[-1].at[1] + self._parts[-1].half[1]  # type: ignore[union-attr]
        return Box((_OUTER, height / 2, _OUTER), (0.0, height / 2, 0.0))

    def shapes(self) -> tuple[Shape, ...]:
        """Return the shell; the door is a separate thing."""
        return self._parts

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return plinth, roof and frame in its colour, and the glass between them."""
        color = painted(self.paint, _BLUE)
        plinth, roof = self._parts[0], self._parts[-1]
        assert isinstance(plinth, Box) and isinstance(roof, Box)
        low, high = 2 * plinth.half[1], roof.at[1] - roof.half[1]
        forms = [plinth, roof, *self._frame(low)]
        if self._glass[0] > low:
            forms += [*_ring(low, self._glass[0]), *_ring(self._glass[1], high, closed=True)]
        return (*(box(form, color) for form in forms), *(box(pane, GLASS, alpha=_PANE) for pane in self._panes()))

    def _panes(self) -> tuple[Box, ...]:
        """Return the panes of three sides, and of the fourth above the opening."""
        edge, thick, (low, high) = _COLUMN, 0.01, self._glass
        sides = (
            between((edge - thick, low, -edge), (edge, high, edge)),
            between((-edge, low, edge - thick), (edge - thick, high, edge)),
            between((-edge, low, -edge), (edge - thick, high, thick - edge)),
        )
        if high - self._opening < 0.1:
            return sides
        return (*sides, between((-edge, self._opening, thick - edge), (thick - edge, high, edge - thick)))

    def _frame(self, low: float) -> tuple[Box, ...]:
        """Return two posts and a lintel around the opening."""
        near, far, wide, bar = -_COLUMN - 0.02, -_COLUMN + 0.06, 0.54, 0.09
        return (
            between((near, low, -wide - bar), (far, self._opening, -wide)),
            between((near, low, wide), (far, self._opening, wide + bar)),
            between((near, self._opening - bar, -wide), (far, self._opening, wide)),
        )

    def opening(self) -> float:
        """Return how far open the door is at the dispenser's current age, 0 to 1."""
        age = self.age - self._open_at
        if age <= 0:
            return 0.0
        cycle = self.settings["time_between_door_opens"]
        if cycle < 0:
            return min(1.0, age / self._moving)
        cycle = max(cycle, self._shortest_cycle)
        open_steps, shut_steps = (
            steps_in(min(self._longest_open, cycle)),
            steps_in(cycle - min(self._longest_open, cycle)),
        )
        phase = age % (2 * self._moving + open_steps + shut_steps)
        if phase < self._moving:
            return phase / self._moving
        if phase < self._moving + open_steps:
            return 1.0
        return max(0.0, 1.0 - (phase - self._moving - open_steps) / self._moving)

    def companions(self) -> tuple[Thing, ...]:
        """Return its door, placed in front of the opening."""
        place = turned(self.door.place, self.yaw)
        self.door.at = (self.at[0] + place[0], self.at[1] + place[1], self.at[2] + place[2])
        self.door.yaw = self.yaw
        return (self.door,)

    def tick(self, stage: "Stage") -> None:
        """Drop a goal into the chamber when one is due and there is room, and move the door."""
        if self.due():
            self._queue += 1
        if self._queue and not self._occupied(stage):
            self._queue -= 1
            drop = (self.at[0], self.at[1] + self._drop, self.at[2])
            self._last = self.give(stage, drop, self.settings["final_value"])
        self.door.move(stage, self.opening())

    def _occupied(self, stage: "Stage") -> bool:
        """Return whether a goal is still inside: two at once would wedge in the narrow chamber."""
        if self._last is None or self._last.id < 0:
            return False
        x, _, z = stage.position_of(self._last)
        return abs(x - self.at[0]) < _COLUMN and abs(z - self.at[2]) < _COLUMN

    def to_come(self) -> float:
        """Return how many goals it has still to give, those that wait for room inside included."""
        return self.remaining + self._queue

    def condition(self) -> dict[str, Any]:
        """Return how many goals are still to come, and how far open the door is."""
        return {**super().condition(), "door": self.door.opening}


class SpawnerContainerShort(SpawnerDispenserTall):
    """A low container with a door through which goals roll out, on the -x side at rotation 0."""

    aliases = ("SpawnerContainer", "SpawnerDispenserShort")
    fixed_size = (1.67, 1.67, 1.67)
    constants = {**SpawnerDispenserTall.constants, "spawn_count": 1, "door_delay": 1.0}
    _parts = _shell(top=1.394, lintel=1.35, roof=1.606)
    _glass, _opening = (0.206, 1.394), 1.35
    _drop = 0.85
