"""Everything that sounds in a world, for all ears in it: sources on bodies, and things that ring when struck."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.physics import Physics
from puzzlebox.infant.senses.blows import Blows
from puzzlebox.infant.sound.impacts import MATERIALS, Material, Struck
from puzzlebox.infant.sound.rate import FRAME
from puzzlebox.infant.sound.sources import Samples, Source
from puzzlebox.text import closest

WORLD = "world"


@dataclass
class Placed:
    """A source and where it is.

    Attributes:
        source: what sounds.
        body: the MuJoCo body that carries it.
        at: its place in the frame of that body, in metres.
        start: that place at the start of an episode.
        wave: what it emitted in the last control step; None for silence.
    """

    source: Source
    body: int
    at: NDArray[np.float64]
    start: NDArray[np.float64]
    wave: Samples | None = None


@dataclass(frozen=True)
class SoundscapeSnapshot:
    """The state of all sources between two steps, and what touches what."""

    sources: tuple[tuple[str, tuple[Any, ...], tuple[float, ...]], ...]
    touching: frozenset[tuple[int, int]]


class Soundscape:
    """The sources of a world."""

    def __init__(
        self,
        physics: Physics,
        materials: Mapping[str, str] | None = None,
        skins: NDArray[np.int32] | None = None,
        *,
        heard: bool = True,
    ) -> None:
        """Find what rings.

        Args:
            physics: the world.
            materials: the material of each body that rings when it is struck, by its name in MuJoCo; `world` is the
                floor and everything else that is fixed.
            skins: bodies that are covered with skin.
            heard: whether anybody hears; otherwise nothing looks for blows.
        """
        self.physics = physics
        self.placed: dict[str, Placed] = {}
        self._struck: dict[int, str] = {}
        self._skins = frozenset(() if skins is None else skins.tolist())
        for body, material in (materials or {}).items():
            row = physics.body(body)
            name = f"{body} struck"
            self.attach(name, Struck(material, **_size(physics.model, row)), body)
            self._struck[row] = name
        self._blows = Blows(physics, list(self._struck), self._strike)
        if self._struck and heard:
            physics.watchers.append(self._blows.watch)
        self._blows.reset()

    def attach(self, name: str, source: Source, body: str = WORLD, at: Any = (0.0, 0.0, 0.0)) -> None:
        """Let something sound in the world.

        Args:
            name: by which it can be removed; no two sources share one.
            source: what it sounds like. Each source belongs to one place.
            body: the body of MuJoCo that carries it. Default: the world, which does not move.
            at: where in the frame of that body, in metres.
        """
        if name in self.placed:
            raise ValueError(f"a source named {name!r} sounds already; names must differ")
        place = np.array(at, np.float64)
        if place.shape != (3,) or not np.isfinite(place).all():
            raise ValueError(f"source {name!r} is at {at!r}; it must be at three finite numbers")
        self.placed[name] = Placed(source, self.physics.body(body), place, place.copy())

    def remove(self, name: str) -> None:
        """Let a source end at once."""
        if name not in self.placed:
            raise ValueError(f"no source is named {name!r}{closest(name, list(self.placed))}")
        del self.placed[name]

    def place_of(self, name: str) -> NDArray[np.float64]:
        """Return where a source is now, in MuJoCo's axes, in metres."""
        placed, data = self.placed[name], self.physics.data
        return np.asarray(data.xpos[placed.body] + data.xmat[placed.body].reshape(3, 3) @ placed.at)

    def emit(self) -> None:
        """Let all sources sound for one control step; call it once a step."""
        for placed in self.placed.values():
            placed.wave = placed.source.emit()

    def _strike(self, one: int, two: int, speed: float, place: NDArray[np.float64], number: int) -> None:
        sample = number * FRAME // self.physics.substeps
        for own, other in ((one, two), (two, one)):
            if own not in self._struck:
                continue
            placed = self.placed[self._struck[own]]
            assert isinstance(placed.source, Struck)
            if own == 0:
                # The floor is everywhere: it sounds where it was struck last.
                placed.at = place
            placed.source.strike(speed, self._material(other), sample)

    def _material(self, body: int) -> Material | None:
        """Return the material of a body; None if it is not known what it is made of."""
        if body in self._struck:
            source = self.placed[self._struck[body]].source
            assert isinstance(source, Struck)
            return source.material
        return MATERIALS["skin"] if body in self._skins else None

    def reset(self) -> None:
        """Let all sources start again, at the start of an episode."""
        for placed in self.placed.values():
            placed.source.reset()
            placed.at, placed.wave = placed.start.copy(), None
        self._blows.reset()

    def snapshot(self) -> SoundscapeSnapshot:
        """Return the state of all sources."""
        sources = tuple((name, each.source.snapshot(), tuple(each.at.tolist())) for name, each in self.placed.items())
        return SoundscapeSnapshot(sources, self._blows.snapshot())

    def restore(self, snapshot: SoundscapeSnapshot) -> None:
        """Go back to a snapshot of a world with the same sources.

        Raises:
            ValueError: the snapshot has other sources.
        """
        names = [name for name, *_ in snapshot.sources]
        if names != list(self.placed):
            raise ValueError(f"the snapshot has the sources {names}; here are {list(self.placed)}")
        for name, state, at in snapshot.sources:
            placed = self.placed[name]
            placed.source.restore(state)
            placed.at = np.array(at)
        self._blows.restore(snapshot.touching)


def _size(model: mujoco.MjModel, body: int) -> dict[str, float]:
    """Return the size of a thing from the ball around its largest shape; nothing for the floor."""
    bounds = model.geom_rbound[model.geom_bodyid == body]
    largest = float(bounds.max()) if len(bounds) else 0.0
    return {"size": 2.0 * largest / 3.0**0.5} if body and largest > 0 else {}
