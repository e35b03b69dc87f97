"""The contacts of animals: our own kernel against the contacts of the engine, and against plain geometry.

The kernel answers at every physics step because asking the engine from Python costs more than the step itself. So the
two must agree: on every pair, on every goal touched, and on whether the animal stands on something.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arenas import Rng, chance, pick, random_actions
from puzzlebox.arena.schema.models import Arena, Item, Task
from puzzlebox.arena.things import CATALOGUE, Agent, Notices, Thing
from puzzlebox.arena.things.dispensers import Dispenser
from puzzlebox.arena.things.structures import CylinderTunnel, Ramp
from puzzlebox.arena.world import World
from puzzlebox.arena.world.engine import ENTERED, FENCE, FLOOR, SOLID, TOUCHED, Solids, sapien
from puzzlebox.scene.shapes import TUBE_RATIO, TUBE_SIDES, Wedge

RADIUS = 0.5
CONTACT = 0.02
# Gaps and normals nearer than this to the limit of a contact are decided by the engine's single precision.
HAIRLINE = 1e-5
# The y of a normal that the engine takes for level.
LEVEL = 1e-3
# Things whose colliders in the engine are triangles or convex meshes.
MESHES = (CylinderTunnel, Ramp, Dispenser)


# --- against the engine


@dataclass
class Tally:
    """What was compared, and what differed."""

    looks: int = 0
    hairlines: int = 0
    dropped: int = 0
    contacts: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    grounded: int = 0
    airborne: int = 0
    touches: int = 0
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.looks} looks, {sum(self.contacts.values())} contacts ({dict(self.contacts.most_common())}), "
            f"at {dict(self.places)}, {self.touches} touches, grounded {self.grounded}, airborne {self.airborne}, "
            f"{self.hairlines} too close to call, {self.dropped} dropped by the engine, "
            f"{len(self.differences)} differences\n" + "\n".join(self.differences[:20])
        )


class ComparingMotion:
    """Replaces the motion of a world, compares it with the engine, and hides all meetings, so that no episode ends."""

    def __init__(self, world: World, tally: Tally) -> None:
        self._world = world
        self._kernel: Solids = world.engine.solids
        self._motion = world._motion
        self._tally = tally

    @property
    def state(self) -> bytes | None:
        return self._motion.state  # type: ignore[no-any-return]

    @state.setter
    def state(self, state: bytes | None) -> None:
        self._motion.state = state

    @property
    def clock(self) -> int:
        return self._motion.clock  # type: ignore[no-any-return]

    def begin(self) -> None:
        self._motion.begin()

    def act(self, actions: tuple[int, ...], cost: float) -> list[int]:
        return self._motion.act(actions, cost)  # type: ignore[no-any-return]

    def go(self, actions: tuple[int, ...], cost: float, most: int) -> SimpleNamespace:
        assert most > 0
        assert not self.act(actions, cost)
        return self.move()

    def move(self) -> SimpleNamespace:
        before = self._world.state()
        stretch = self._motion.move()
        for index, animal in enumerate(self._world.animals):
            goals = {thing for who, thing in stretch.meetings if who == index and self._is_goal(thing)}
            self._compare(animal, animal.grounded, goals, before)
        return SimpleNamespace(steps=1, starved=[], meetings=[], astray=stretch.astray)

    def _is_goal(self, identity: int) -> bool:
        return self._world.present[identity].notices is Notices.TOUCH

    def _compare(self, animal: Agent, grounded: bool, goals: set[int], before: bytes) -> None:
        tally, engine = self._tally, self._world.engine
        tally.looks += 1
        rows = np.frombuffer(before, np.float32).reshape(-1, 13)
        centre = tuple(map(float, rows[engine.rows().index(animal.id), 4:7]))
        pairs, normals = self._contacts(animal)
        near, surely, perhaps = (
            set(self._kernel.near(before, centre, RADIUS + CONTACT + slack, SOLID)) - {animal.id}
            for slack in (0.0, -HAIRLINE, HAIRLINE)
        )
        # At the edge of a mesh the engine sometimes drops a contact while there is still a gap.
        meshes = {each for each in surely - pairs if isinstance(self._world.present.get(each), MESHES)}
        dropped = {each for each in meshes if self._gap(each, centre, before) > 0}
        tally.dropped += len(dropped)
        unclear = (perhaps - surely) | dropped
        for identity in pairs:
            tally.contacts[self._kind(identity)] += 1
            tally.places[self._place(identity, centre)] += 1
        tally.hairlines += len((unclear - dropped) & (near ^ pairs))
        for identity in (near ^ pairs) - unclear:
            who = "engine" if identity in pairs else "kernel"
            self._differ(f"{who} only, gap {self._gap(identity, centre, before):.6f}", identity, animal, centre, pairs)
        tally.touches += len(goals)
        for identity in (goals ^ {each for each in pairs if self._is_thing(each) and self._is_goal(each)}) - unclear:
            self._differ("touched", identity, animal, centre, pairs)
        upwards = any(normal > LEVEL for normal in normals)
        tally.grounded += upwards
        tally.airborne += not pairs
        if grounded != upwards:
            if unclear or any(0.1 * LEVEL < normal < 10 * LEVEL for normal in normals):
                tally.hairlines += 1
            else:
                self._differ(f"grounded {grounded}, engine {sorted(normals)}", None, animal, centre, pairs)

    def _contacts(self, animal: Agent) -> tuple[set[int], list[float]]:
        """Return what the engine says the animal is in contact with, and the y of each normal."""
        engine = self._world.engine
        whose = {component.entity.per_scene_id: thing for thing, component in engine._components.items()}
        pairs, normals = set(), []
        for contact in engine.system.get_contacts():
            bodies = [whose[body.entity.per_scene_id] for body in contact.bodies]
            if animal.id not in bodies:
                continue
            # The normal points from the second body to the first.
            sign = 1.0 if bodies[0] == animal.id else -1.0
            points = [point for point in contact.points if point.separation < CONTACT]
            if points:
                pairs.add(bodies[1] if bodies[0] == animal.id else bodies[0])
                normals += [sign * float(point.normal[1]) for point in points]
        return pairs, normals

    def _is_thing(self, identity: int) -> bool:
        return identity not in (FLOOR, FENCE)

    def _kind(self, identity: int) -> str:
        return {FLOOR: "floor", FENCE: "fence"}.get(identity) or type(self._world.present[identity]).__name__

    def _place(self, identity: int, centre: Any) -> str:
        """Return where on a tunnel or a ramp the animal is."""
        thing = self._world.present.get(identity)
        if not isinstance(thing, CylinderTunnel | Ramp):
            return "elsewhere"
        at, turn = self._world.engine.pose(identity)
        here = (np.array(centre) - at) @ rotation_of(np.array(turn))
        half = np.array(thing.extent) / 2
        if isinstance(thing, CylinderTunnel):
            if abs(here[2]) > half[2]:
                return "end of a tunnel"
            return "over a tunnel" if np.hypot(*(here / half)[:2]) > (1 + TUBE_RATIO) / 2 else "in a tunnel"
        up = np.array((0.0, half[2], half[1])) / np.hypot(half[1], half[2])
        foot = here - (here @ up) * up
        return "on a slope" if here @ up > 0.4 and (np.abs(foot) <= half).all() else "at an edge of a ramp"

    def _gap(self, identity: int, centre: Any, before: bytes) -> float:
        """Return the kernel's distance between the animal and a thing."""
        low, high = 0.0, 1.0
        while high - low > 1e-7:
            middle = (low + high) / 2
            inside = identity in self._kernel.near(before, centre, middle, SOLID)
            low, high = (low, middle) if inside else (middle, high)
        return low - RADIUS

    def _differ(self, what: str, identity: int | None, animal: Agent, centre: Any, pairs: set[int]) -> None:
        others = [f"{self._kind(each)} {each}" for each in sorted(pairs)]
        who = "" if identity is None else f" {self._kind(identity)} {identity} at {self._where(identity)}"
        place = tuple(round(axis, 4) for axis in centre)
        self._tally.differences.append(
            f"step {self._world.clock}: {what}{who}; animal at {place}, engine {others}, seed {self._world.seed}"
        )

    def _where(self, identity: int) -> Any:
        at, turn = self._world.engine.pose(identity)
        return tuple(round(axis, 4) for axis in (*at, *turn))


def zoo(rng: Rng, names: list[str], copies: int) -> Task:
    """Return a task with several things of these kinds, small and close together, and three animals."""
    items = []
    for _ in range(copies):
        for name in names:
            values: dict[str, Any] = {"at": (None, pick(rng, (0.0, 0.0, 0.0, 1.5)), None)}
            if name in ("Wall", "WallTransparent"):
                values["size"] = tuple(float(rng.uniform(0.3, 3.0)) for _ in range(3))
            elif name == "Ramp":
                values["size"] = tuple(float(rng.uniform(0.5, 4.0)) for _ in range(3))
            elif name.startswith("CylinderTunnel"):
                values["size"] = tuple(float(rng.uniform(2.5, 4.5)) for _ in range(3))
            elif name in ("UBlock", "LBlock", "JBlock"):
                values["size"] = tuple(float(rng.uniform(low, high)) for low, high in ((1, 2), (0.3, 1), (3, 6)))
            elif name in ("LightBlock", "HeavyBlock", "HollowBox"):
                values["size"] = tuple(float(rng.uniform(0.5, 2.0)) for _ in range(3))
            elif name in ("GoodGoalMulti", "BadGoal", "DecoyGoal"):
                values["size"] = (float(rng.uniform(0.5, 2.0)),) * 3
            items.append(Item(name=name, **values))
    animals = [Item(name="Agent") for _ in range(3)]
    return Task(arenas=(Arena(size=(18.0, 18.0), items=(*items, *animals)),))


def drop(world: World, animal: Agent, body: Any, rng: Rng) -> None:
    """Put an animal onto, beside or into a thing, where there is just room."""
    thing: Thing = pick(rng, world.things)
    at, reach = np.array(world.position_of(thing)), np.array(thing.extent) / 2
    for _ in range(20):
        place = at + rng.uniform(-1.0, 1.0, 3) * (reach + 0.6)
        place = np.clip(place, (0.5, 0.5, 0.5), (17.5, 9.0, 17.5))
        if not set(world.engine.solids.near(world.state(), tuple(map(float, place)), 0.49, SOLID)) - {animal.id}:
            body.entity.set_pose(sapien.Pose(tuple(map(float, place))))
            body.set_linear_velocity(rng.normal(0.0, 3.0, 3).astype(np.float32))
            world._motion.state = None  # the body was moved without the world
            return


SOLIDS = {
    "balls": ["GoodGoalMulti", "BadGoal", "DecoyGoal", "GoodGoalMultiBounce"],
    "boxes": ["Wall", "WallTransparent", "LightBlock", "HeavyBlock", "SignBoard"],
    "wedges": ["Ramp", "Ramp", "LightBlock"],
    "hulls": ["SpawnerTree", "SpawnerDispenserTall", "SpawnerContainerShort"],
    "tubes": ["CylinderTunnel", "CylinderTunnelTransparent", "GoodGoalMulti"],
    "compounds": ["UBlock", "LBlock", "JBlock", "HollowBox", "SpawnerButton"],
    "all": ["Wall", "Ramp", "CylinderTunnel", "UBlock", "HollowBox", "SpawnerTree", "GoodGoalMulti", "BadGoal"],
}


PLACES = {
    "tubes": ("in a tunnel", "over a tunnel", "end of a tunnel"),
    "wedges": ("on a slope", "at an edge of a ramp"),
}


def compare(names: list[str], seed: int, *, arenas: int, steps: int) -> Tally:
    rng = np.random.default_rng(seed)
    tally = Tally()
    for number in range(arenas):
        world = World(zoo(rng, names, int(rng.integers(1, 6))), seed=number)
        world._motion = ComparingMotion(world, tally)
        for actions in random_actions(rng, len(world.animals), steps):
            for animal in world.animals:
                if chance(rng, 0.05):
                    drop(world, animal, world.body(animal), rng)
            world.step(actions)
            if world.over:
                break
    return tally


@pytest.mark.parametrize("kind", SOLIDS)
def test_the_kernel_finds_the_contacts_of_the_engine(kind: str) -> None:
    tally = compare(SOLIDS[kind], seed=5, arenas=6, steps=100)
    assert not tally.differences, tally
    contacts = sum(tally.contacts.values())
    assert tally.hairlines < 0.01 * contacts and tally.dropped < 0.001 * contacts, tally
    assert tally.grounded > 1_000 and tally.airborne > 50, tally
    for name in SOLIDS[kind]:
        assert tally.contacts[name] > 10, tally
    for place in PLACES.get(kind, ()):
        assert tally.places[place] > 20, tally
    if kind == "all":
        assert tally.contacts["Agent"] > 10 and tally.contacts["fence"] > 10 and tally.touches > 10, tally


@pytest.mark.slow
def test_the_kernel_finds_the_contacts_of_the_engine_in_long_episodes() -> None:
    total = Tally()
    for kind, names in SOLIDS.items():
        tally = compare(names, seed=6, arenas=60, steps=300)
        print(f"\n{kind}: {tally}")
        total.differences += tally.differences
        total.dropped += tally.dropped
        total.contacts += tally.contacts
    assert not total.differences
    meshes = [name for name in total.contacts if issubclass(CATALOGUE.get(name, Agent), MESHES)]
    assert total.dropped < 0.0005 * sum(total.contacts[name] for name in meshes)


# --- against plain geometry

Array = np.ndarray[Any, np.dtype[np.float64]]
_SIGNS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


def hull(points: Array) -> Any:
    """Return the convex hull of points."""
    from scipy.spatial import ConvexHull

    return ConvexHull(points)


@dataclass(frozen=True)
class Form:
    """A shape with its pose, for the reference: convex parts, or a ball.

    Attributes:
        parts: the corners of each convex part, in the frame of the form.
        radius: of a ball, which has no parts.
    """

    kernel: Solids
    parts: tuple[Array, ...]
    radius: float
    rotation: Array
    at: Array

    def inside(self, points: Array) -> Array:
        """Return points of the world in the frame of the shape."""
        return (points - self.at) @ self.rotation

    @cached_property
    def planes(self) -> list[Array]:
        """Return the faces of each part: unit normals and offsets, negative inside."""
        return [hull(part).equations for part in self.parts]


def rotation_of(q: Array) -> Array:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def tube_parts(half: Array) -> tuple[Array, ...]:
    """Return the tunnel as the blocks of its arch."""
    parts = []
    for side in range(TUBE_SIDES):
        angles = np.pi * np.array([side, side + 1]) / TUBE_SIDES
        rim = np.stack((np.cos(angles), np.sin(angles)), axis=1)
        flat = np.concatenate((rim, TUBE_RATIO * rim)) * half[:2]
        parts.append(np.array([(x, y, z) for x, y in flat for z in (-half[2], half[2])]))
    return tuple(parts)


def random_form(rng: Rng, kind: str) -> Form:
    """Return a shape of a kind, with random size and pose."""
    kernel = Solids()
    half = np.exp(rng.uniform(np.log(0.1), np.log(3.0), 3))
    centre = rng.normal(0.0, 1.0, 3) if chance(rng, 0.5) else np.zeros(3)
    parts: tuple[Array, ...] = ()
    radius = 0.0
    match kind:
        case "box":
            kernel.add_box(0, SOLID, tuple(centre), tuple(half))
            parts = (centre + _SIGNS * half,)
        case "ball":
            radius = float(half[0])
            kernel.add_ball(0, SOLID, (0.0, 0.0, 0.0), radius)
        case "wedge":
            points = Wedge(tuple(half)).points
            kernel.add_hull(0, SOLID, points)
            parts = (np.array(points),)
        case "hull":
            points = centre + half * rng.normal(0.0, 1.0, (int(rng.integers(5, 12)), 3))
            points = points[hull(points).vertices]  # the kernel gets corners only
            kernel.add_hull(0, SOLID, [tuple(point) for point in points])
            parts = (points,)
        case "tube":
            kernel.add_tube(0, SOLID, tuple(half), TUBE_RATIO, TUBE_SIDES)
            parts = tube_parts(half)
    turn = rng.normal(0.0, 1.0, 4)
    turn /= np.linalg.norm(turn)
    at = rng.uniform(-5.0, 5.0, 3)
    kernel.fix(0, tuple(at), tuple(turn))
    return Form(kernel, parts, radius, rotation_of(turn), at)


FORMS = ("box", "ball", "wedge", "hull", "tube")


def distance_to_convex(point: Array, corners: Array) -> float:
    """Return the distance of a point from the convex hull of some corners: that of the nearest mixture of them."""
    from scipy.optimize import nnls

    weight = 1e4  # the shares must add up to one
    matrix = np.vstack(((corners - point).T, np.full(len(corners), weight)))
    shares, _ = nnls(matrix, np.array((0.0, 0.0, 0.0, weight)))
    return float(np.linalg.norm(shares / shares.sum() @ corners - point))


def reference_gap(form: Form, point: Array) -> float:
    """Return the distance from the surface; negative inside."""
    here = form.inside(point)
    if not form.parts:
        return float(np.linalg.norm(here)) - form.radius
    depths = [float((planes[:, :3] @ here + planes[:, 3]).max()) for planes in form.planes]
    if min(depths) <= 0:
        return min(depths)
    return min(distance_to_convex(here, part) for part in form.parts)


@pytest.mark.parametrize("kind", FORMS)
def test_the_gap_between_a_point_and_a_form_agrees_with_a_reference(kind: str) -> None:
    pytest.importorskip("scipy", minversion="1.15")  # in older versions, `nnls` does not always terminate
    rng = np.random.default_rng(8)
    within = outside = 0
    for _ in range(6 if kind == "tube" else 60):
        form = random_form(rng, kind)
        corners = np.concatenate(form.parts) if form.parts else form.radius * _SIGNS
        low, high = corners.min(axis=0), corners.max(axis=0)
        for _ in range(12):
            here = rng.uniform(low - 0.3, high + 0.3)
            point = form.at + form.rotation @ here
            gap = reference_gap(form, point)
            if kind == "tube" and gap < 0:
                # The depth inside the arch does not matter, only that it is inside.
                assert form.kernel.near(None, tuple(point), 0.0, SOLID) == [0]
            else:
                assert form.kernel.near(None, tuple(point), gap + 1e-5, SOLID) == [0], (form, point, gap)
                assert form.kernel.near(None, tuple(point), gap - 1e-5, SOLID) == [], (form, point, gap)
            within += gap < 0
            outside += gap > 0
    assert min(within, outside) > (2 if kind == "tube" else 30)


def room_in_both(one: Array, other: Array) -> float:
    """Return the radius of the largest ball in the intersection of two convex shapes; negative when they are apart."""
    from scipy.optimize import linprog

    planes = np.vstack((one, other))
    solution = linprog(
        (0, 0, 0, -1), np.column_stack((planes[:, :3], np.ones(len(planes)))), -planes[:, 3], bounds=[(None, None)] * 4
    )
    return float(solution.x[3])


@pytest.mark.parametrize("kind", ["box", "wedge", "hull", "tube"])
def test_a_box_cuts_a_form_where_they_share_room(kind: str) -> None:
    rng = np.random.default_rng(9)
    answers: Counter[bool] = Counter()
    for _ in range(15 if kind == "tube" else 250):
        form = random_form(rng, kind)
        half, yaw = np.exp(rng.uniform(np.log(0.05), np.log(2.0), 3)), float(rng.uniform(0.0, 7.0))
        corners = np.concatenate(form.parts)
        # Near the surface, where the answer is not obvious.
        centre = form.at + form.rotation @ (pick(rng, corners) + rng.normal(0.0, 0.7, 3))
        turn = rotation_of(np.array((np.cos(yaw / 2), 0.0, np.sin(yaw / 2), 0.0)))
        box = hull(form.inside(centre + (_SIGNS * half) @ turn.T)).equations
        room = max(room_in_both(box, planes) for planes in form.planes)
        if abs(room) > 2e-6:
            cuts = form.kernel.cut_by_box(None, tuple(centre), tuple(half), yaw, SOLID) == [0]
            assert cuts == (room > 0), (form, centre, half, yaw, room)
            answers[cuts] += 1
    assert min(answers[True], answers[False]) > (2 if kind == "tube" else 30), answers


def test_a_box_cuts_a_ball_where_it_is_nearer_than_its_radius() -> None:
    rng = np.random.default_rng(10)
    answers: Counter[bool] = Counter()
    for _ in range(500):
        form = random_form(rng, "ball")
        half, yaw = np.exp(rng.uniform(np.log(0.05), np.log(2.0), 3)), float(rng.uniform(0.0, 7.0))
        centre = form.at + rng.normal(0.0, 1.0, 3) * (half + form.radius)
        turn = rotation_of(np.array((np.cos(yaw / 2), 0.0, np.sin(yaw / 2), 0.0)))
        apart = float(np.linalg.norm(np.maximum(np.abs((form.at - centre) @ turn) - half, 0.0))) - form.radius
        cuts = form.kernel.cut_by_box(None, tuple(centre), tuple(half), yaw, SOLID) == [0]
        assert cuts == (apart < 0) or abs(apart) < 2e-6
        answers[cuts] += 1
    assert min(answers.values()) > 50


@pytest.mark.parametrize("kind", FORMS)
def test_a_point_in_a_box_and_in_a_form_means_a_cut(kind: str) -> None:
    """Test overlap by random points that lie in both shapes: less sensitive, but without assumptions."""
    rng = np.random.default_rng(11)
    answers: Counter[bool] = Counter()
    for _ in range(60):
        form = random_form(rng, kind)
        half, yaw = np.exp(rng.uniform(np.log(0.05), np.log(2.0), 3)), float(rng.uniform(0.0, 7.0))
        somewhere = pick(rng, np.concatenate(form.parts)) if form.parts else rng.normal(0.0, form.radius, 3)
        centre = form.at + form.rotation @ somewhere + rng.normal(0.0, 0.7, 3)
        turn = rotation_of(np.array((np.cos(yaw / 2), 0.0, np.sin(yaw / 2), 0.0)))
        points = form.inside(centre + (rng.uniform(-1.0, 1.0, (2_000, 3)) * half) @ turn.T)
        if form.parts:
            depths = np.min([(points @ each[:, :3].T + each[:, 3]).max(axis=1) for each in form.planes], axis=0)
        else:
            depths = np.linalg.norm(points, axis=1) - form.radius
        cuts = form.kernel.cut_by_box(None, tuple(centre), tuple(half), yaw, SOLID) == [0]
        assert cuts or depths.min() > -1e-5
        answers[cuts] += 1
    assert min(answers.values()) > 5


def test_a_zone_is_entered_with_the_rim_and_a_ball_touched_across_the_gap() -> None:
    """An animal is inside as soon as it overlaps; it touches what is nearer than two contact offsets."""
    rng = np.random.default_rng(12)
    met: Counter[str] = Counter()
    for _ in range(2_000):
        kernel = Solids()
        half, yaw, radius = rng.uniform(0.2, 2.0, 3), float(rng.uniform(0.0, 7.0)), float(rng.uniform(0.05, 1.0))
        zone, ball = rng.uniform(-1.0, 1.0, (2, 3))
        quaternion = np.array((np.cos(yaw / 2), 0.0, np.sin(yaw / 2), 0.0))
        kernel.add_ball(5, SOLID, (0.0, 0.0, 0.0), RADIUS)
        kernel.add_box(6, ENTERED, (0.0, 0.0, 0.0), tuple(half))
        kernel.fix(6, tuple(zone), tuple(quaternion))
        kernel.add_ball(7, SOLID | TOUCHED, (0.0, 0.0, 0.0), radius)
        kernel.follow([7, 5])
        kernel.watch([5])
        kernel.bound((-9, -9, -9), (9, 9, 9))
        state = np.zeros((2, 13), np.float32)
        state[:, 0] = 1.0
        animal = ball + rng.normal(0.0, 1.0, 3)
        state[0, 4:7], state[1, 4:7] = ball, animal
        apart = np.abs((animal - zone) @ rotation_of(quaternion)) - half
        to_zone = float(np.linalg.norm(np.maximum(apart, 0.0))) + min(float(apart.max()), 0.0) - RADIUS
        to_ball = float(np.linalg.norm(animal - ball)) - radius - RADIUS
        grounded, astray, meetings = kernel.look(state.tobytes(), state.tobytes())
        assert astray == -1
        if min(abs(to_zone), abs(to_ball - CONTACT)) < 1e-5:
            continue  # too close to call
        expected = [pair for pair, is_so in (((0, 6), to_zone < 0), ((0, 7), to_ball < CONTACT)) if is_so]
        assert sorted(meetings) == expected
        assert (grounded[0] == 1) == (to_ball < CONTACT and animal[1] - ball[1] > LEVEL * (radius + RADIUS))
        met.update(str(pair[1]) for pair in expected)
        kernel.remove(7)
        assert (0, 7) not in kernel.look(state.tobytes(), state.tobytes())[2]
    assert min(met.values()) > 100
