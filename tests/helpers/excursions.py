"""How far bodies get beyond the fence and below the floor, measured at every physics step of random and hard arenas.

`python -m benchmarks excursions` prints the table; tests/arena/world/test_excursions.py holds the bar.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arenas import pick, random_actions, random_task
from hard_arenas import HARD, hard_actions, hard_task
from puzzlebox.arena.rules import PRESETS
from puzzlebox.arena.world import World
from puzzlebox.arena.world.engine import FLOOR_TOP
from puzzlebox.scene.shapes import Ball, Box, Hull, Shape, Tube, Wedge

Floats = NDArray[np.float64]
# An excursion: the position of a body is further than this (metres) beyond the fence or below the floor.
FAR = 0.05
ROUNDING = 1e-6
# A thing whose position is at its base rests this far below the ground (y = 0).
_RESTING = 0.0101
# Beyond this many things an episode is ended: a heap of balls is slow, and nothing new happens in it.
CROWD = 250


@dataclass
class Kind:
    """Measurements of one kind of thing: depths in metres, times in physics steps.

    Attributes:
        bodies: the number of bodies.
        fence, floor: the greatest distance of a position beyond the fence, below the ground.
        excursions: how often that was more than `FAR`; longest: the longest time.
        surface: the greatest depth of any part of a body in the fence or the floor, after it was first clear of both
            (some things start in the fence, as in the original); pressed: the longest time that was more than `FAR`.
        where: the episode and step of the greatest depth.
    """

    bodies: int = 0
    fence: float = 0.0
    floor: float = 0.0
    excursions: int = 0
    longest: int = 0
    surface: float = 0.0
    pressed: int = 0
    where: str = ""


@dataclass
class Tally:
    """Measurements of all bodies.

    Attributes:
        steps: the number of decisions; physics_steps: that of physics steps.
        kinds: by the name of the thing.
        lost: episodes that ended because a body left the arena.
    """

    steps: int = 0
    physics_steps: int = 0
    arenas: int = 0
    episodes: int = 0
    kinds: dict[str, Kind] = field(default_factory=lambda: defaultdict(Kind))
    lost: list[str] = field(default_factory=list)

    @property
    def deepest(self) -> float:
        """Return the greatest depth in metres."""
        return max((max(kind.fence, kind.floor) for kind in self.kinds.values()), default=0.0)

    @property
    def longest(self) -> int:
        """Return the longest excursion in physics steps."""
        return max((kind.longest for kind in self.kinds.values()), default=0)

    def merge(self, other: "Tally") -> None:
        """Add the measurements of another tally."""
        self.steps += other.steps
        self.physics_steps += other.physics_steps
        self.arenas += other.arenas
        self.episodes += other.episodes
        self.lost += other.lost
        for name, theirs in other.kinds.items():
            ours = self.kinds[name]
            if max(theirs.fence, theirs.floor) > max(ours.fence, ours.floor):
                ours.where = theirs.where
            ours.bodies += theirs.bodies
            ours.excursions += theirs.excursions
            for depth in ("fence", "floor", "longest", "surface", "pressed"):
                setattr(ours, depth, max(getattr(ours, depth), getattr(theirs, depth)))

    def __str__(self) -> str:
        lines = [
            f"{self.arenas} arenas, {self.episodes} episodes, {self.steps} steps, {self.physics_steps} physics steps",
            f"deepest {self.deepest:.3f} m, longest {self.longest} physics steps beyond {FAR} m, {len(self.lost)} lost",
            "| thing | bodies | beyond the fence, m | below the ground, m | excursions | longest, physics steps "
            "| its surface, m | longest, physics steps | where |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for name, kind in sorted(self.kinds.items(), key=lambda pair: -max(pair[1].fence, pair[1].floor)):
            depths = f"{kind.fence:.3f} | {kind.floor:.3f} | {kind.excursions} | {kind.longest}"
            lines.append(f"| {name} | {kind.bodies} | {depths} | {kind.surface:.3f} | {kind.pressed} | {kind.where} |")
        return "\n".join([*lines, *self.lost])


def outline(shapes: tuple[Shape, ...]) -> tuple[Floats, float]:
    """Return points whose convex hull holds a body, and how far it extends beyond them."""
    points: list[Any] = []
    beyond = 0.0
    for shape in shapes:
        match shape:
            case Box():
                corners = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
                points += list(corners * shape.half + shape.at)
            case Ball():
                points.append(shape.at)
                beyond = shape.radius
            case Wedge() | Hull():
                points += list(shape.points)
            case Tube():
                x, y, z = shape.half
                for angle in np.linspace(0.0, np.pi, 13):
                    points += [(x * np.cos(angle), y * np.sin(angle), side * z) for side in (-1, 1)]
    return np.array(points, np.float64).reshape(-1, 3), beyond


class Gauge:
    """Measures every body of a world before each physics step."""

    def __init__(self, tally: Tally, *, surfaces: bool = False) -> None:
        self.tally = tally
        self._surfaces = surfaces
        self.world: World | None = None
        self.name = ""
        self._since: dict[int, int] = {}
        self._pressed: dict[int, int] = {}
        self._outlines: dict[int, tuple[Any, tuple[Floats, float]]] = {}
        self._counted: set[int] = set()

    def begin(self, world: World, name: str) -> None:
        """Start measuring another episode."""
        self.world, self.name = world, name
        self._since, self._pressed, self._outlines, self._counted = {}, {}, {}, set()

    def look(self) -> None:
        """Measure how far each body is outside now."""
        world = self.world
        if world is None:
            return
        engine = world.engine
        state = np.frombuffer(engine.pack(), np.float32).reshape(-1, 13).astype(np.float64)
        at, reach = state[:, 4:7], (engine.width, engine.depth)
        level = at[:, [0, 2]]
        fence = np.maximum(-level, level - reach).max(axis=1, initial=-np.inf)
        floor = -at[:, 1]
        deepest = np.maximum(fence, floor)
        things = engine.rows()
        for identity in things:
            if identity not in self._counted and identity in world.present:
                self._counted.add(identity)
                self.tally.kinds[type(world.present[identity]).__name__].bodies += 1
        still: set[int] = set()
        for row in np.flatnonzero(deepest > _RESTING) if not self._surfaces else range(len(things)):
            identity = things[row]
            thing = world.present.get(identity)
            if thing is None or thing.kinematic:
                continue
            kind = self.tally.kinds[type(thing).__name__]
            if deepest[row] > max(kind.fence, kind.floor, _RESTING):
                kind.where = f"{self.name}, physics step {world.clock}"
            kind.fence, kind.floor = max(kind.fence, float(fence[row])), max(kind.floor, float(floor[row]))
            if self._surfaces:
                self._press(kind, identity, self._surface(identity, state[row], reach))
            if deepest[row] > FAR + ROUNDING:
                still.add(identity)
                if identity not in self._since:
                    kind.excursions += 1
                self._since[identity] = self._since.get(identity, 0) + 1
                kind.longest = max(kind.longest, self._since[identity])
        self._since = {identity: count for identity, count in self._since.items() if identity in still}

    def _press(self, kind: Kind, identity: int, depth: float) -> None:
        """Measure how deep the surface of a body is in the fence or the floor, once it was clear of both."""
        if depth <= FAR:
            self._pressed[identity] = 0
        elif identity in self._pressed:
            self._pressed[identity] += 1
            kind.surface = max(kind.surface, depth)
            kind.pressed = max(kind.pressed, self._pressed[identity])

    def _surface(self, identity: int, row: Floats, reach: tuple[float, float]) -> float:
        """Return how deep any part of a body is in the fence or the floor."""
        assert self.world is not None
        build = self.world.engine._builds[identity]
        outline_of_build = self._outlines.get(identity)
        if outline_of_build is None or outline_of_build[0] is not build:
            outline_of_build = self._outlines[identity] = (build, outline((*build.solid, *build.soft)))
        points, beyond = outline_of_build[1]
        if not len(points):
            return 0.0
        w, x, y, z = row[:4]
        turn = np.array(
            (
                (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
            )
        )
        x, y, z = (points @ turn.T + row[4:7]).T
        sides = (-x.min(), x.max() - reach[0], -z.min(), z.max() - reach[1], FLOOR_TOP - y.min())
        return float(max(0.0, max(sides) + beyond))


class _System:
    """The engine's system, with a call before every step."""

    def __init__(self, system: Any, look: Callable[[], None]) -> None:
        self._step, self._look, self.pack = system.step, look, system.pack

    def step(self) -> None:
        self._look()
        self._step()


@contextmanager
def measured(gauge: Gauge) -> Iterator[None]:
    """Measure every world that is built within this context."""
    build = World._make_motion

    def moved(world: World) -> Any:
        system = world.engine.system
        world.engine.system = _System(system, gauge.look)  # type: ignore[assignment]
        try:
            return build(world)
        finally:
            world.engine.system = system

    World._make_motion = moved  # type: ignore[method-assign]
    try:
        yield
    finally:
        World._make_motion = build  # type: ignore[method-assign]


def play(seed: int, number: int, tally: Tally, *, kind: str, surfaces: bool = False) -> None:
    """Play one arena: a random one, or a hard one by name; with `surfaces`, every part of every body is measured."""
    rng = np.random.default_rng((seed, number))
    rules = pick(rng, list(PRESETS))
    task = random_task(rng) if kind == "random" else hard_task(rng, kind)
    steps = int(pick(rng, (60, 120, 200)))
    actions = (random_actions if kind == "random" else hard_actions)(rng, max(1, len(task.arenas[0].agents())), steps)
    arena, episode_seed = int(rng.integers(len(task.arenas))), int(rng.integers(2**31))
    name = f"{kind}, seed {seed}, number {number}, rules {rules}"
    tally.arenas += 1
    gauge = Gauge(tally, surfaces=surfaces)
    with measured(gauge):
        world, episodes = None, 0
        for chosen in actions:
            if world is None:
                if episodes == 4:
                    break
                world = World(task, arena=arena, seed=episode_seed + episodes, rules=rules)
                gauge.begin(world, name)
                episodes += 1
                tally.episodes += 1
            before = world.clock
            world.step(chosen)
            tally.steps += 1
            tally.physics_steps += world.clock - before
            gauge.look()
            if world.error is not None:
                tally.lost.append(f"{name}: {world.error}")
            if len(world.things) > CROWD:
                break
            if world.over:
                world = None
    gauge.world = None  # the world holds the gauge: break the cycle


def run(steps: int, seed: int, *, surfaces: bool = False) -> Tally:
    """Play random and hard arenas in turn for a number of decisions."""
    tally = Tally()
    kinds = ["random", *HARD]
    number = 0
    while tally.steps < steps:
        play(seed, number, tally, kind=kinds[number % len(kinds)], surfaces=surfaces)
        number += 1
    return tally
