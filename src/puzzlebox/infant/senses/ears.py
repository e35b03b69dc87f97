"""The sense of hearing: what reaches two ears from everything that sounds in the child's world.

A frame has 2,940 samples for each ear, the sound of one control step of 1/15 s at 44.1 kHz, rounded to 16 bits as in
VECA. Head and ears filter it like those of the KEMAR dummy head, an adult; a child's smaller head is not modelled, but
the directions and distances are those of its own ears.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.child import PHYSICS_STEPS, Child
from puzzlebox.infant.senses.blows import Blows
from puzzlebox.infant.sound.impacts import MATERIALS, Material, Struck
from puzzlebox.infant.sound.mixer import Heard, Mixer, Sounding
from puzzlebox.infant.sound.propagation import DistanceLaw, Room
from puzzlebox.infant.sound.rate import FRAME
from puzzlebox.infant.sound.sources import Source
from puzzlebox.infant.sound.wav import FULL_SCALE, to_integers
from puzzlebox.text import closest

# The entrance of the left ear in the frame of the head at 18 months, in metres; the right one mirrors it.
_EAR = (-0.008, 0.072, 0.079)
_WORLD = "world"


@dataclass(frozen=True)
class EarsSettings:
    """How a child hears.

    Attributes:
        law: how loudness falls with distance.
        room: the walls that reflect sound. Default: none.
        materials: the material of each body that rings when it is struck, by its name in MuJoCo; `world` is the floor
            and everything else that is fixed.
    """

    law: DistanceLaw = field(default_factory=DistanceLaw)
    room: Room | None = None
    materials: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class EarsSnapshot:
    """The state of hearing between two steps: of each source, and what touches what."""

    sources: tuple[tuple[str, tuple[Any, ...], tuple[float, ...], tuple[bytes, bytes | None]], ...]
    touching: frozenset[tuple[int, int]]


@dataclass
class _Placed:
    source: Source
    body: int
    at: NDArray[np.float64]
    heard: Heard
    start: NDArray[np.float64]


class Ears:
    """The sense of hearing of one child."""

    shape = (2, FRAME)

    def __init__(self, child: Child, settings: EarsSettings | None = None) -> None:
        self.child, self.settings = child, settings or EarsSettings()
        room = self.settings.room
        scale = np.array(child.built.growth.scales["head"])
        left, right = np.array(_EAR) * scale, np.array(_EAR) * scale * (1.0, -1.0, 1.0)
        self._middle = (left + right) / 2.0
        ears = np.stack((left, right)) - self._middle
        self.mixer = Mixer(ears, self.settings.law, room.longest_detour if room else 0)
        self._head = child.model.body("head").id
        self._placed: dict[str, _Placed] = {}
        self._struck: dict[int, str] = {}
        for body, material in self.settings.materials.items():
            row = self._body(body)
            name = f"{body} struck"
            self.attach(name, Struck(material, **_size(child.model, row)), body)
            self._struck[row] = name
        self._blows = Blows(child, list(self._struck), self._strike)
        if self._struck:
            child.watch = self._blows.watch
        self._blows.reset()

    def attach(self, name: str, source: Source, body: str = _WORLD, at: Any = (0.0, 0.0, 0.0)) -> None:
        """Let something sound in the world.

        Args:
            name: by which it can be removed; no two sources share one.
            source: what it sounds like. Each source belongs to one place.
            body: the body of MuJoCo that carries it. Default: the world, which does not move.
            at: where in the frame of that body, in metres.
        """
        if name in self._placed:
            raise ValueError(f"a source named {name!r} sounds already; names must differ")
        place = np.array(at, np.float64)
        if place.shape != (3,) or not np.isfinite(place).all():
            raise ValueError(f"source {name!r} is at {at!r}; it must be at three finite numbers")
        self._placed[name] = _Placed(source, self._body(body), place, self.mixer.new(), place.copy())

    def remove(self, name: str) -> None:
        """Let a source end at once."""
        if name not in self._placed:
            raise ValueError(f"no source is named {name!r}{closest(name, list(self._placed))}")
        del self._placed[name]

    def sources(self) -> dict[str, Source]:
        """Return all sources by name, those of struck things included."""
        return {name: each.source for name, each in self._placed.items()}

    def place_of(self, name: str) -> NDArray[np.float64]:
        """Return where a source is now, in MuJoCo's axes, in metres."""
        placed, data = self._placed[name], self.child.data
        return np.asarray(data.xpos[placed.body] + data.xmat[placed.body].reshape(3, 3) @ placed.at)

    def read(self) -> NDArray[np.float32]:
        """Return the sound of the last control step (2 x 2,940, from -1 to 1); call it once a step."""
        data = self.child.data
        turn = data.xmat[self._head].reshape(3, 3)
        middle = data.xpos[self._head] + turn @ self._middle
        sounding = []
        for name, placed in self._placed.items():
            paths = self._paths(self.place_of(name), middle, turn)
            sounding.append(Sounding(placed.heard, placed.source.emit(), paths))
        return to_integers(self.mixer.frame(sounding)).astype(np.float32) / np.float32(FULL_SCALE)

    def _paths(
        self, place: NDArray[np.float64], middle: NDArray[np.float64], turn: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the source and its images in the frame of the head, each with its gain."""
        room = self.settings.room
        places = place[None, :] if room is None else np.concatenate((place[None, :], room.images(place)))
        out = np.ones((len(places), 4))
        out[:, :3] = (places - middle) @ turn
        if room is not None:
            out[1:, 3] = room.reflection if room.contains(place) and room.contains(middle) else 0.0
        return out

    def _strike(self, one: int, two: int, speed: float, place: NDArray[np.float64], number: int) -> None:
        sample = number * FRAME // PHYSICS_STEPS
        for own, other in ((one, two), (two, one)):
            if own not in self._struck:
                continue
            placed = self._placed[self._struck[own]]
            assert isinstance(placed.source, Struck)
            if own == 0:
                # The floor is everywhere: it sounds where it was struck last.
                placed.at = place
            placed.source.strike(speed, self._material(other), sample)

    def _material(self, body: int) -> Material | None:
        """Return the material of a body; None if it is not known what it is made of."""
        if body in self._struck:
            source = self._placed[self._struck[body]].source
            assert isinstance(source, Struck)
            return source.material
        return MATERIALS["skin"] if body in self.child.built.bodies else None

    def _body(self, name: str) -> int:
        row = mujoco.mj_name2id(self.child.model, mujoco.mjtObj.mjOBJ_BODY, name)
        if row < 0:
            names = [self.child.model.body(each).name for each in range(self.child.model.nbody)]
            raise ValueError(f"no body is named {name!r}{closest(name, names)}")
        return int(row)

    def reset(self) -> None:
        """Let all sources start again, at the start of an episode."""
        for placed in self._placed.values():
            placed.source.reset()
            placed.heard, placed.at = self.mixer.new(), placed.start.copy()
        self._blows.reset()

    def snapshot(self) -> EarsSnapshot:
        """Return the state of all sources and of what is still on its way to the ears."""
        sources = tuple(
            (name, each.source.snapshot(), tuple(each.at.tolist()), each.heard.snapshot())
            for name, each in self._placed.items()
        )
        return EarsSnapshot(sources, self._blows.snapshot())

    def restore(self, snapshot: EarsSnapshot) -> None:
        """Go back to a snapshot of ears with the same sources.

        Raises:
            ValueError: the snapshot has other sources.
        """
        names = [name for name, *_ in snapshot.sources]
        if names != list(self._placed):
            raise ValueError(f"the snapshot has the sources {names}; these ears have {list(self._placed)}")
        for name, state, at, heard in snapshot.sources:
            placed = self._placed[name]
            placed.source.restore(state)
            placed.heard.restore(heard)
            placed.at = np.array(at)
        self._blows.restore(snapshot.touching)


def _size(model: mujoco.MjModel, body: int) -> dict[str, float]:
    """Return the size of a thing from the ball around its largest shape; nothing for the floor."""
    bounds = model.geom_rbound[model.geom_bodyid == body]
    largest = float(bounds.max()) if len(bounds) else 0.0
    return {"size": 2.0 * largest / 3.0**0.5} if body and largest > 0 else {}
