"""One task that is played on a stage: children, things and sounds, as a task arranges and judges them."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.child import Child
from puzzlebox.infant.control.driver import PrimitiveDriver, push
from puzzlebox.infant.control.grab import GrabRule
from puzzlebox.infant.control.ground import Ground
from puzzlebox.infant.control.joints import JointControl
from puzzlebox.infant.control.primitives import NAMES, PrimitiveControl
from puzzlebox.infant.control.walker import Walker
from puzzlebox.infant.scenes.props import turned
from puzzlebox.infant.scenes.stage import Stage, StageSnapshot
from puzzlebox.infant.senses.ears import EarsSettings
from puzzlebox.infant.senses.eyes import PERFECT as PERFECT_SIGHT
from puzzlebox.infant.senses.eyes import EyeSettings
from puzzlebox.infant.senses.senses import SensesSettings
from puzzlebox.infant.senses.skin import SkinSettings
from puzzlebox.infant.sound.sources import Source
from puzzlebox.infant.tasks.settings import HAND_REGIONS, HANDS, HRTF, JOINTS, PERFECT, SILENT, Settings

if TYPE_CHECKING:
    from puzzlebox.infant.tasks.task import Outcome, Task

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
# The shirts of children, so that they look different.
_SHIRTS = ((230, 190, 60), (190, 70, 80), (90, 150, 90), (120, 100, 180))
# Half the field of view of an eye, in degrees.
_HALF_VIEW = 30.0


@dataclass(frozen=True)
class PlaySnapshot:
    """The state of an episode between two steps."""

    stage: StageSnapshot
    actions: tuple[bytes, ...]
    posture: bytes


class Play:
    """One task on its stage.

    Attributes:
        task: the task.
        stage: its stage.
        control: what an action is.
        ground: where children may walk.
        rule: what they can grab.
        events: what happened in the last step: mappings with `kind` and `details`.
        actions: all six primitives of each child in the last step; empty arrays in tasks of joints.
    """

    def __init__(self, task: "Task[Any]") -> None:
        settings: Settings = task.settings
        self.task = task
        self.control: PrimitiveControl | JointControl
        if task.control == JOINTS:
            self.control = JointControl(task.joints if settings.joints is None else settings.joints)
        else:
            names = task.primitives if settings.primitives is None else settings.primitives
            self.control = PrimitiveControl(names, discrete=settings.discrete)
        room = task.room
        self.ground = Ground(room.depth / 2, room.width / 2)
        self.rule = GrabRule()
        self.names = [f"child {number}" for number in range(task.agents)]
        senses = senses_of(settings)
        persons = [task.person(name, senses, _clothes(number)) for number, name in enumerate(self.names)]
        if isinstance(self.control, JointControl):
            persons = [replace(person, locked=self.control.locked) for person in persons]
        self.stage = Stage(task.props(), persons, room=room, floor_material=None)
        for name, (source, thing) in task.sounds().items():
            self.stage.attach_sound(name, source, thing or "world")
        self.events: list[dict[str, Any]] = []
        self.actions: list[Floats] = [np.zeros(len(NAMES)) for _ in self.names]
        # The geoms of bones of a child (its number, a part of their names) and of things (None and the name).
        self._masks: dict[tuple[int | None, str], Mask] = {}
        self._starts: dict[int, tuple[float, float, float]] = {}
        # Things that a task arranges before the stage has put everything in its place: how they are put later.
        self._pending: dict[str, tuple[Floats, Floats]] | None = None
        self._pushes: dict[str, Floats] = {}
        self._drivers: list[PrimitiveDriver] = []
        if task.control != JOINTS:
            self._drivers = [self._driver(number) for number in range(task.agents)]
        self.stage.actors.append(self)

    def _driver(self, agent: int) -> PrimitiveDriver:
        name = self.names[agent]
        driver = _StartingDriver(self.stage, name, self.ground, self.rule, lambda kind, more: self.emit(kind, **more))
        driver.start = lambda: self._start(agent)
        driver.grabs = lambda: self.task.grabs(self, agent)
        driver.uses = lambda: self.task.uses(self, agent)
        self.stage.person(name).driver = driver
        return driver

    # --- episodes

    def states(self) -> list[dict[str, NDArray[Any]]]:
        """Return what the senses of each child have read last."""
        return [self.stage.states.get(name, {}) for name in self.names]

    def idle(self, agent: int) -> NDArray[Any]:
        """Return the action that does nothing: zeros, or targets that keep the posture of the child."""
        if isinstance(self.control, JointControl):
            return self.control.full(self.control.current(self.child))
        return np.zeros(len(NAMES))

    def checked(self, action: Any) -> Floats:
        """Return the full action of a body: all primitives, or all joints; errors are those of `control.full`."""
        return self.control.full(action)

    def scripted(self, agent: int) -> Any:
        """Return the next action of the task's script, as the action space has it."""
        action = self.task.script(self, agent)
        if isinstance(self.control, PrimitiveControl):
            return self.control.chosen(action)
        return np.asarray(action, np.float32)

    def begin(self, seed: int) -> None:
        """Begin an episode."""
        self.events = []
        self.ground.blocks = ()
        self._pending, self._starts = None, {}
        self.task.memory.clear()
        self.stage.reset(seed)
        if isinstance(self.control, JointControl):
            self.control.begin(self.child)

    def step(self, actions: list[Floats]) -> "Outcome":
        """Take one control step with the full action of each child."""
        self.events = []
        self.actions = actions
        self.stage.step(dict(zip(self.names, actions, strict=True)))
        return self.task.step(self)

    @property
    def steps(self) -> int:
        """Control steps since the beginning of the episode."""
        return self.stage.steps

    @property
    def rng(self) -> np.random.Generator:
        """The random stream of the episode."""
        return self.stage.rng

    # --- what the stage calls

    def reset(self) -> None:
        """Put things where the task wants them; the stage calls this when everybody is in place."""
        if self._pending is None:
            self._arrange()
        pending, self._pending = self._pending or {}, None
        for name, (place, turn) in pending.items():
            self.stage[name].show()
            self.stage[name].place(place, turn)
        for name, velocity in self._pushes.items():
            push(self.stage[name], velocity)

    def act(self) -> None:
        """Let forces of the task act during the next step; the stage calls this before it."""
        for name, force in self.task.forces(self).items():
            self.stage.physics.data.xfrc_applied[self.stage[name].body, :3] = force

    def _start(self, agent: int) -> tuple[float, float, float]:
        """Return where a child starts; the first one that asks lets the task arrange everything."""
        if self._pending is None:
            self._arrange()
        return self._starts.get(agent, (0.0, 0.0, 0.0))

    def _arrange(self) -> None:
        self._pending, self._pushes = {}, {}
        self.task.begin(self)

    # --- what tasks use

    def emit(self, kind: str, **details: Any) -> None:
        """Note that something happened in this step."""
        self.events.append({"kind": kind, "details": details})

    def place_walker(self, agent: int, x: float, y: float, heading: float) -> None:
        """Let a child start somewhere; heading in radians."""
        self._starts[agent] = (float(x), float(y), float(heading))
        self._drivers[agent].walker.place_at(*self._starts[agent])

    def walker(self, agent: int) -> Walker:
        """Return the animation of a child."""
        return self._drivers[agent].walker

    @property
    def child(self) -> Child:
        """The child with joints."""
        assert self.stage.child is not None
        return self.stage.child

    def show(self, name: str, x: float, y: float, z: float = 0.0, *, heading: float = 0.0) -> None:
        """Show a thing somewhere at once, at rest and upright; heading in degrees."""
        place, turn = np.array((x, y, z), np.float64), np.array(turned(heading))
        if self._pending is not None:
            self._pending[name] = (place, turn)
        else:
            self.stage[name].show()
            self.stage[name].place(place, turn)

    def hide(self, name: str) -> None:
        """Hide a thing."""
        self.stage[name].hide()

    def place(self, name: str) -> Floats:
        """Return where a thing is, in metres."""
        if self._pending is not None and name in self._pending:
            return self._pending[name][0]
        return self.stage[name].position

    def velocity(self, name: str) -> Floats:
        """Return the velocity of a thing in metres a second."""
        return self.stage[name].velocity

    def push(self, name: str, velocity: Any) -> None:
        """Give a thing a velocity in metres a second."""
        if self._pending is not None:
            self._pushes[name] = np.asarray(velocity, np.float64)
        else:
            push(self.stage[name], np.asarray(velocity, np.float64))

    def source(self, name: str) -> Source:
        """Return a source of sound by its name."""
        return self.stage.sounds.placed[name].source

    def move_sound(self, name: str, place: Any) -> None:
        """Let a sound that no thing carries come from a place, 20 cm above it."""
        self.stage.sounds.placed[name].at = np.add(place, (0.0, 0.0, 0.2))

    def holding(self, agent: int) -> str | None:
        """Return the name of the thing that a child holds."""
        return self._drivers[agent].held

    def holder(self, name: str) -> int | None:
        """Return the child that holds a thing; None if nobody does."""
        return next((agent for agent, driver in enumerate(self._drivers) if driver.held == name), None)

    def eyes(self, agent: int) -> Floats:
        """Return the middle between the eyes of a child."""
        return self._drivers[agent].gaze()[0]

    def gaze_pitch(self, agent: int) -> float:
        """Return how far up a child looks, in radians."""
        return float(np.arcsin(np.clip(self._drivers[agent].gaze()[1][2], -1.0, 1.0)))

    def in_view(self, agent: int, place: Floats) -> bool:
        """Return whether a place is in the field of view of a child; whether something hides it does not matter."""
        if self._pending is not None:
            return False
        eyes, gaze = self._drivers[agent].gaze()
        towards = place - eyes
        return bool(towards @ gaze >= np.cos(np.radians(_HALF_VIEW)) * np.linalg.norm(towards))

    def touches(self, agent: int, name: str | None = None, bones: str = "") -> bool:
        """Return whether a child touches a thing.

        Args:
            agent: which child.
            name: which thing. Default: any.
            bones: only with bones whose names contain this.
        """
        contact = self.stage.physics.data.contact
        pairs = contact.geom[contact.dist < contact.includemargin]
        if not len(pairs):
            return False
        own = self._own_geoms(agent, bones)
        theirs = self._thing_geoms(name) if name else self._shown_geoms()
        first, second = pairs[:, 0], pairs[:, 1]
        return bool(((own[first] & theirs[second]) | (own[second] & theirs[first])).any())

    def _own_geoms(self, agent: int, bones: str) -> Mask:
        """Return which geoms belong to bones of a child whose names contain something."""
        if (agent, bones) not in self._masks:
            model = self.stage.physics.model
            bodies = self.stage.person(self.names[agent]).body.built.bodies
            rows = [row for row in bodies if bones in model.body(row).name]
            self._masks[agent, bones] = np.isin(model.geom_bodyid, rows)
        return self._masks[agent, bones]

    def _thing_geoms(self, name: str) -> Mask:
        """Return which geoms belong to a thing."""
        if (None, name) not in self._masks:
            rows = [row for row, _ in self.stage[name].bodies]
            self._masks[None, name] = np.isin(self.stage.physics.model.geom_bodyid, rows)
        return self._masks[None, name]

    def _shown_geoms(self) -> Mask:
        """Return which geoms belong to any thing that is not hidden."""
        shown = [self._thing_geoms(name) for name, thing in self.stage.things.items() if not thing.hidden]
        return np.logical_or.reduce(shown) if shown else np.zeros(self.stage.physics.model.ngeom, bool)

    # --- snapshots

    def snapshot(self) -> Any:
        """Return the state of the task, for the stage, which calls this."""
        return (deepcopy(self.task.memory), tuple(deepcopy(self.events)), self.ground.blocks)

    def restore(self, snapshot: Any) -> None:
        """Go back to a state of the task; the stage calls this."""
        memory, events, blocks = deepcopy(snapshot)
        self.task.memory.clear()
        self.task.memory.update(memory)
        self.events, self.ground.blocks = list(events), blocks

    def save(self) -> PlaySnapshot:
        """Return the state of everything."""
        stage = self.stage.snapshot()
        posture = self.control.base.tobytes() if isinstance(self.control, JointControl) else b""
        actions = tuple(np.asarray(each, np.float64).tobytes() for each in self.actions)
        return PlaySnapshot(stage, actions, posture)

    def load(self, saved: PlaySnapshot) -> None:
        """Go back to a state of everything."""
        self.stage.restore(saved.stage)
        self.actions = [np.frombuffer(each).copy() for each in saved.actions]
        if isinstance(self.control, JointControl):
            self.control.base = np.frombuffer(saved.posture).copy()


class _StartingDriver(PrimitiveDriver):
    """A driver whose puppet starts where the task wants it."""

    start: Any

    def reset(self) -> None:
        """Stand where the task wants."""
        self.place(*self.start())


def senses_of(settings: Settings) -> SensesSettings:
    """Return what a child senses under these settings."""
    chosen = settings.chosen_senses
    sees = "eyes" in chosen or "fovea" in chosen
    eyes = EyeSettings(
        size=settings.pixels,
        fovea=settings.fovea_pixels if "fovea" in chosen else 0,
        sight=PERFECT_SIGHT if settings.sight == PERFECT else None,
    )
    regions = HAND_REGIONS if settings.skin_part == HANDS else None
    hears = "ears" in chosen and settings.hearing != SILENT
    return SensesSettings(
        skin=SkinSettings(taxels=settings.taxels, regions=regions) if "skin" in chosen else False,
        ears=EarsSettings(direction=settings.hearing == HRTF) if hears else False,
        eyes=eyes if sees else False,
        joints="joints" in chosen,
        balance="balance" in chosen,
    )


def _clothes(number: int) -> Mapping[str, tuple[int, int, int]] | None:
    return {"shirt": _SHIRTS[number]} if number else None
