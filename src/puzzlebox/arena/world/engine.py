"""The PhysX bodies of one arena, their packed state, and the native kernel that answers questions of distance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import cos, inf, radians, sin
from typing import Any

import numpy as np

from puzzlebox._native import Solids
from puzzlebox.arena.rules import PHYSICS_STEP
from puzzlebox.arena.world.physics_library import load_sapien
from puzzlebox.scene.shapes import TUBE_RATIO, TUBE_SIDES, Ball, Box, Hull, Shape, Tube, Vector, Wedge, thinnest

sapien: Any = load_sapien()
physx: Any = sapien.physx

# The tests a shape takes part in; the same bits as in native/solids.h.
SOLID, BLOCKS, TOUCHED, ENTERED = 1, 2, 4, 8

FLOOR_TOP = -0.01
# The ids of the floor and the fence in the kernel; other things are numbered from FIRST_THING.
FLOOR, FENCE = 0, 1
FIRST_THING = 2
# The id of a cast that hits nothing.
NOTHING = -1
# Metres; thick enough that no body passes through within one physics step.
_THICK, _FLOOR_THICK = 20.0, 4.0
_FENCE_TOP = 200.0
# A body beyond these bounds (metres outside the fence, below the floor) is astray.
_MARGIN, _DEPTH = 0.5, 3.0
# A body pressed further than this (metres) into the fence or below y = 0 is put back.
_TOLERANCE = 0.05
_WORLD_GRAVITY = np.array((0.0, -9.81, 0.0), np.float32)
_UNIT = np.ones(3, np.float32)
_UPRIGHT = (1.0, 0.0, 0.0, 0.0)
# The original's settings (docs/original/motion.md#engine).
_ITERATIONS = 12
_SLEEP = 0.005
_CONTACT_OFFSET = 0.01
# Metres. A fast ball could pass through a fixed thing thinner than this within one physics step. Such a thing gets a
# second collider with a larger contact offset, for everything but animals; animals collide as in the original.
_THIN = 0.6
_EARLY_CONTACT_OFFSET = 0.2
# SAPIEN's collision groups: two shapes collide if a bit of one's first number is set in the other's second.
_ALL, _EARLY_COLLIDER, _ANIMAL_COLLIDER = 1, 2, 4
_GROUPS_OF_ANIMALS = [_ALL, _ALL | _ANIMAL_COLLIDER, 0, 0]
_GROUPS_OF_OTHERS = [_ALL, _ALL | _EARLY_COLLIDER, 0, 0]
# Contacts never turn an animal. Locked axes zero its spin only after the solver, which by then has spent friction on
# turning it; a huge moment of inertia prevents that.
_NO_SPIN = np.full(3, 1e9, np.float32)
_MAX_SPIN = 7.0
_MAX_PUSH_OUT = 10.0
_SPIN_DRAG = 0.05

Quaternion = tuple[float, float, float, float]


def facing(degrees: float) -> Quaternion:
    """Return the rotation about the vertical by an angle in degrees, clockwise seen from above."""
    half = radians(degrees) / 2
    return (cos(half), 0.0, sin(half), 0.0)


def configure() -> None:
    """Set every default of the engine; they are global to the process, so other code may have changed them."""
    physx.set_scene_config(
        gravity=_WORLD_GRAVITY,
        bounce_threshold=2.0,
        enable_pcm=True,
        enable_tgs=False,
        enable_ccd=False,
        enable_enhanced_determinism=True,
        enable_friction_every_iteration=True,
        cpu_workers=0,
    )
    physx.set_body_config(
        solver_position_iterations=_ITERATIONS, solver_velocity_iterations=_ITERATIONS, sleep_threshold=_SLEEP
    )
    physx.set_shape_config(contact_offset=_CONTACT_OFFSET, rest_offset=0.0)


@cache
def _material(friction: float) -> Any:
    return physx.PhysxMaterial(friction, friction, 0.0)


@cache
def _tube_mesh() -> tuple[Any, Any]:
    """Return corners and triangles of half a tube of radius and half length 1, open below."""
    angles = np.linspace(0.0, np.pi, TUBE_SIDES + 1)
    circle = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    rings = [(radius * circle, z) for z in (-1.0, 1.0) for radius in (1.0, TUBE_RATIO)]
    corners = np.concatenate([np.column_stack((flat, np.full(len(flat), z))) for flat, z in rings])
    count = TUBE_SIDES + 1
    outer, inner, far_outer, far_inner = (ring * count for ring in range(4))
    strips = [(outer, far_outer, False), (inner, far_inner, True), (outer, inner, True), (far_outer, far_inner, False)]
    triangles = []
    for near, far, inwards in strips:
        for i in range(TUBE_SIDES):
            quads = [(near + i, near + i + 1, far + i), (far + i, near + i + 1, far + i + 1)]
            triangles += [quad[::-1] if inwards else quad for quad in quads]
    for i, outwards in ((0, False), (TUBE_SIDES, True)):  # the two feet
        quads = [(outer + i, far_outer + i, inner + i), (far_outer + i, far_inner + i, inner + i)]
        triangles += [quad[::-1] if outwards else quad for quad in quads]
    return corners.astype(np.float32), np.array(triangles, np.uint32)


def _collider(shape: Shape, friction: float) -> Any:
    """Return the engine's collision shape for one of our shapes."""
    material = _material(friction)
    match shape:
        case Box():
            collider = physx.PhysxCollisionShapeBox(shape.half, material)
        case Ball():
            collider = physx.PhysxCollisionShapeSphere(shape.radius, material)
        case Wedge() | Hull():
            collider = physx.PhysxCollisionShapeConvexMesh(np.array(shape.points, np.float32), _UNIT, material)
        case Tube():
            corners, triangles = _tube_mesh()
            collider = physx.PhysxCollisionShapeTriangleMesh(
                corners, triangles, np.array(shape.half, np.float32), material
            )
    if isinstance(shape, Box | Ball) and any(shape.at):
        collider.set_local_pose(sapien.Pose(shape.at))
    return collider


def _fixed_colliders(shape: Shape, friction: float) -> list[Any]:
    """Return the colliders of a fixed shape: one for all bodies, or one for animals and one for the others."""
    if thinnest(shape) >= _THIN:
        return [_collider(shape, friction)]
    for_animals, for_others = _collider(shape, friction), _collider(shape, friction)
    for_animals.set_collision_groups([_ANIMAL_COLLIDER, 0, 0, 0])
    for_others.set_collision_groups([_EARLY_COLLIDER, 0, 0, 0])
    for_others.set_contact_offset(_EARLY_CONTACT_OFFSET)
    return [for_animals, for_others]


@dataclass
class Build:
    """Everything the engine needs to create a body.

    Attributes:
        solid: shapes that collide.
        soft: shapes that collide but do not keep other things from being placed there.
        entered: shapes an animal can be inside of.
        touched: contacts of animals with it are reported.
        blocks: nothing may be placed where it is.
        mass: kilograms; None for a body that is fixed for good.
        fastest: the greatest speed in m/s; None for no limit.
        kinematic: forces do not move it.
        upright: contacts do not turn it.
    """

    solid: Sequence[Shape]
    at: Vector
    turn: Quaternion = _UPRIGHT
    soft: Sequence[Shape] = ()
    entered: Sequence[Shape] = ()
    touched: bool = False
    blocks: bool = True
    mass: float | None = None
    friction: float = 0.6
    drag: float = 0.0
    fastest: float | None = None
    kinematic: bool = False
    upright: bool = False


class Engine:
    """The bodies of one arena; their positions and velocities are stored nowhere else."""

    def __init__(self, width: float, depth: float) -> None:
        self.width, self.depth = width, depth
        configure()
        self.system = physx.PhysxCpuSystem()
        self.system.set_timestep(PHYSICS_STEP)
        self._scene = sapien.Scene([self.system])
        self.solids = Solids()
        self.solids.bound((-_MARGIN, -_DEPTH, -_MARGIN), (width + _MARGIN, _FENCE_TOP, depth + _MARGIN))
        self.solids.keep_within((-_TOLERANCE, -_TOLERANCE, -_TOLERANCE), (width + _TOLERANCE, inf, depth + _TOLERANCE))
        self._builds: dict[int, Build] = {}
        self._components: dict[int, Any] = {}
        self._moving: list[int] = []
        self._animals: list[int] = []
        self._add_shell()

    def _add_shell(self) -> None:
        thick, half = _THICK / 2, (self.width / 2, self.depth / 2)
        middle = (half[0], FLOOR_TOP - _FLOOR_THICK / 2, half[1])
        floor = (Box((half[0] + _THICK, _FLOOR_THICK / 2, half[1] + _THICK)),)
        fence = []
        for side in (-1.0, 1.0):
            fence.append(Box((thick, _FENCE_TOP, half[1] + _THICK), (side * (half[0] + thick), 0.0, 0.0)))
            fence.append(Box((half[0] + _THICK, _FENCE_TOP, thick), (0.0, 0.0, side * (half[1] + thick))))
        self.add(FLOOR, Build(floor, middle, blocks=False))
        self.add(FENCE, Build(fence, (half[0], 0.0, half[1])))

    def add(self, thing: int, build: Build) -> None:
        """Register a thing with the kernel and create its body."""
        self.enter(thing, build)
        self.embody(thing)
        if build.mass is not None:
            self.solids.follow(self._moving)

    def enter(self, thing: int, build: Build) -> None:
        """Register the shapes of a thing with the kernel, without a body, so that other things are placed around it."""
        self._builds[thing] = build
        self.solids.fix(thing, build.at, build.turn)
        solid = SOLID | (BLOCKS if build.blocks else 0) | (TOUCHED if build.touched else 0)
        for shapes, bits in ((build.solid, solid), (build.soft, SOLID), (build.entered, ENTERED)):
            for shape in shapes:
                match shape:
                    case Box():
                        self.solids.add_box(thing, bits, shape.at, shape.half)
                    case Ball():
                        self.solids.add_ball(thing, bits, shape.at, shape.radius)
                    case Wedge() | Hull():
                        self.solids.add_hull(thing, bits, shape.points)
                    case Tube():
                        self.solids.add_tube(thing, bits, shape.half, TUBE_RATIO, TUBE_SIDES)

    def let_down(self, thing: int, at: Vector) -> None:
        """Fix a thing that has no body yet at a lower position."""
        build = self._builds[thing]
        build.at, build.mass = at, None
        self.solids.fix(thing, at, build.turn)

    def embody(self, thing: int) -> None:
        """Create the body of an entered thing; call `follow` after the last one."""
        build = self._builds[thing]
        shapes = (*build.solid, *build.soft)
        if not shapes:
            return
        body = physx.PhysxRigidStaticComponent() if build.mass is None else physx.PhysxRigidDynamicComponent()
        if build.mass is None:
            colliders = [collider for shape in shapes for collider in _fixed_colliders(shape, build.friction)]
        else:
            colliders = [_collider(shape, build.friction) for shape in shapes]
            density = build.mass / sum(shape.volume for shape in shapes if isinstance(shape, Box | Ball | Wedge))
            for collider in colliders:
                collider.set_density(density)
                collider.set_collision_groups(_GROUPS_OF_ANIMALS if build.upright else _GROUPS_OF_OTHERS)
        for collider in colliders:
            body.attach(collider)
        entity = sapien.Entity()
        entity.add_component(body)
        entity.set_pose(sapien.Pose(build.at, build.turn))
        if build.mass is not None:
            body.set_mass(build.mass)  # density and volume give it only up to rounding
            body.set_linear_damping(build.drag)
            body.set_angular_damping(_SPIN_DRAG)
            body.set_max_angular_velocity(_MAX_SPIN)
            body.set_max_depenetration_velocity(_MAX_PUSH_OUT)
            if build.fastest is not None:
                body.set_max_linear_velocity(build.fastest)
            if build.upright:
                body.set_locked_motion_axes([False, False, False, True, True, True])
                body.set_inertia(_NO_SPIN)
            if build.kinematic:
                body.set_kinematic(True)
            self._moving.append(thing)
        self._scene.add_entity(entity)
        self._components[thing] = body

    def watch(self, animals: list[int]) -> None:
        """Set which things are animals, by id."""
        self._animals = animals
        self.solids.watch(animals)

    def follow(self) -> None:
        """Pass the ids of the moving bodies to the kernel, in the order of the rows of the packed state."""
        self.solids.follow(self._moving)

    def remove(self, thing: int) -> None:
        """Remove a thing and its body."""
        self.solids.remove(thing)
        del self._builds[thing]
        component = self._components.pop(thing, None)
        if component is not None:
            self._scene.remove_entity(component.entity)
        if thing in self._moving:
            self._moving.remove(thing)
            self.solids.follow(self._moving)

    def replace(self, thing: int, build: Build) -> None:
        """Replace a body, keeping its position and velocity; a ball that has grown is raised by the difference."""
        old, new = self._builds[thing].solid[0], build.solid[0]
        (x, y, z), turn = self.pose(thing)
        lift = (
            new.radius - old.radius if isinstance(old, Ball) and isinstance(new, Ball) and not build.kinematic else 0.0
        )
        moves = build.mass is not None and not build.kinematic and not self._builds[thing].kinematic
        before = self._components[thing]
        velocities = (before.get_linear_velocity(), before.get_angular_velocity()) if moves else None
        build.at, build.turn = (x, y + max(lift, 0.0), z), turn
        self.remove(thing)
        self.add(thing, build)
        if velocities is not None:
            after = self._components[thing]
            after.set_linear_velocity(velocities[0])
            after.set_angular_velocity(velocities[1])

    def put_back(self, rows: list[int]) -> bool:
        """Move bodies that were pressed into the fence or the floor back out; return whether any was moved.

        The solver yields when a mass of ten tonnes falls onto a light body. A body loses only the velocity that points
        outwards.
        """
        moved = False
        for row in rows:
            thing = self._moving[row]
            if self._builds[thing].kinematic:
                continue
            body, (at, turn) = self._components[thing], self.pose(thing)
            inside = (min(max(at[0], 0.0), self.width), max(at[1], FLOOR_TOP), min(max(at[2], 0.0), self.depth))
            velocity = [
                (max if new > old else min)(speed, 0.0) if new != old else speed
                for old, new, speed in zip(at, inside, self.velocity(thing), strict=True)
            ]
            body.entity.set_pose(sapien.Pose(inside, turn))
            body.set_linear_velocity(velocity)
            moved = True
        return moved

    def body(self, thing: int) -> Any:
        """Return the engine's component of a body."""
        return self._components[thing]

    def pack(self) -> bytes:
        """Return the state of all moving bodies, 13 numbers each: rotation, position, velocity, spin."""
        state: bytes = self.system.pack()
        return state

    def rows(self) -> list[int]:
        """Return the ids of the moving bodies, in the order of their rows in the packed state."""
        return self._moving

    def pose(self, thing: int) -> tuple[Vector, Quaternion]:
        """Return the position and the rotation of a thing."""
        build = self._builds[thing]
        if build.mass is None or thing not in self._components:
            return build.at, build.turn  # the engine rounds fixed poses to floats once it has stepped
        pose = self._components[thing].entity_pose
        return tuple(map(float, pose.p)), tuple(map(float, pose.q))  # type: ignore[return-value]

    def velocity(self, thing: int) -> Vector:
        """Return the velocity of a thing in m/s."""
        build = self._builds[thing]
        if build.mass is None or build.kinematic:
            return (0.0, 0.0, 0.0)
        return tuple(map(float, self._components[thing].get_linear_velocity()))  # type: ignore[return-value]

    def __deepcopy__(self, memo: dict[int, Any]) -> "Engine":
        """Copy all bodies into another scene, with their poses, velocities and which of them sleep."""
        twin = Engine(self.width, self.depth)
        memo[id(self)] = twin
        for thing, build in self._builds.items():
            if thing not in (FLOOR, FENCE):
                at, turn = self.pose(thing)
                twin.enter(thing, replace(build, at=at, turn=turn))
        for thing in [*(each for each in self._components if each not in self._moving), *self._moving]:
            if thing not in (FLOOR, FENCE):
                twin.embody(thing)
        twin.watch(self._animals)
        twin.follow()
        twin.system.unpack(self.system.pack())
        for thing in self._moving:
            if not self._builds[thing].kinematic and self._components[thing].is_sleeping:
                twin._components[thing].put_to_sleep()  # an awake body would move until it came to rest again
        return twin
