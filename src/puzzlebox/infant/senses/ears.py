"""The sense of hearing: what reaches two ears from everything that sounds in the child's world.

A frame has 2,940 samples for each ear, the sound of one control step of 1/15 s at 44.1 kHz, rounded to 16 bits as in
VECA. Head and ears filter it like those of the KEMAR dummy head, an adult; a child's smaller head is not modelled, but
the directions and distances are those of its own ears.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Body
from puzzlebox.infant.senses.soundscape import WORLD, Soundscape, SoundscapeSnapshot
from puzzlebox.infant.sound.mixer import Heard, Mixer, Sounding
from puzzlebox.infant.sound.plain import PlainHeard, PlainMixer
from puzzlebox.infant.sound.propagation import DistanceLaw, Room
from puzzlebox.infant.sound.rate import FRAME
from puzzlebox.infant.sound.sources import Source
from puzzlebox.infant.sound.wav import FULL_SCALE, to_integers

# The entrance of the left ear in the frame of the head at 18 months, in metres; the right one mirrors it.
_EAR = (-0.008, 0.072, 0.079)


@dataclass(frozen=True)
class EarsSettings:
    """How a child hears.

    Attributes:
        law: how loudness falls with distance.
        room: the walls that reflect sound. Default: none.
        materials: the material of each body that rings when it is struck, by its name in MuJoCo; `world` is the floor
            and everything else that is fixed.
        direction: whether directions are heard. Otherwise both ears hear the same, as loud as the distance allows, and
            without reflections.
    """

    law: DistanceLaw = field(default_factory=DistanceLaw)
    room: Room | None = None
    materials: Mapping[str, str] = field(default_factory=dict)
    direction: bool = True


@dataclass(frozen=True)
class EarsSnapshot:
    """The state of hearing between two steps: what of each source is on its way, and the sources if they are own."""

    heard: tuple[tuple[str, tuple[bytes, bytes | None]], ...]
    soundscape: SoundscapeSnapshot | None


class Ears:
    """The sense of hearing of one child."""

    shape = (2, FRAME)

    def __init__(self, child: Body, settings: EarsSettings | None = None, soundscape: Soundscape | None = None) -> None:
        """Prepare the filters.

        Args:
            child: the body whose ears these are.
            settings: how it hears.
            soundscape: what sounds, if others hear it too; then its owner calls `emit` before the ears are read, and
                the materials of the settings do not count. Default: sources of its own.
        """
        self.child, self.settings = child, settings or EarsSettings()
        room = self.settings.room
        scale = np.array(child.built.growth.scales["head"])
        left, right = np.array(_EAR) * scale, np.array(_EAR) * scale * (1.0, -1.0, 1.0)
        self._middle = (left + right) / 2.0
        ears = np.stack((left, right)) - self._middle
        self.mixer: Mixer | PlainMixer = PlainMixer(self.settings.law)
        if self.settings.direction:
            self.mixer = Mixer(ears, self.settings.law, room.longest_detour if room else 0)
        self._head = child.row("head")
        self._own = soundscape is None
        self.soundscape = soundscape or Soundscape(child.physics, self.settings.materials, child.built.bodies)
        self._heard: dict[str, Heard | PlainHeard] = {}

    def attach(self, name: str, source: Source, body: str = WORLD, at: Any = (0.0, 0.0, 0.0)) -> None:
        """Let something sound in the world; arguments and errors are those of `Soundscape.attach`."""
        self.soundscape.attach(name, source, body, at)

    def remove(self, name: str) -> None:
        """Let a source end at once."""
        self.soundscape.remove(name)
        self._heard.pop(name, None)

    def sources(self) -> dict[str, Source]:
        """Return all sources by name, those of struck things included."""
        return {name: each.source for name, each in self.soundscape.placed.items()}

    def place_of(self, name: str) -> NDArray[np.float64]:
        """Return where a source is now, in MuJoCo's axes, in metres."""
        return self.soundscape.place_of(name)

    def read(self) -> NDArray[np.float32]:
        """Return the sound of the last control step (2 x 2,940, from -1 to 1); call it once a step."""
        if self._own:
            self.soundscape.emit()
        data = self.child.data
        turn = data.xmat[self._head].reshape(3, 3)
        middle = data.xpos[self._head] + turn @ self._middle
        sounding = []
        for name, placed in self.soundscape.placed.items():
            paths = self._paths(self.place_of(name), middle, turn)
            sounding.append(Sounding(self._hearing(name), placed.wave, paths))
        return to_integers(self.mixer.frame(sounding)).astype(np.float32) / np.float32(FULL_SCALE)

    def _hearing(self, name: str) -> Heard | PlainHeard:
        if name not in self._heard:
            self._heard[name] = self.mixer.new()
        return self._heard[name]

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

    def reset(self) -> None:
        """Let all sources start again, at the start of an episode."""
        self._heard.clear()
        if self._own:
            self.soundscape.reset()

    def snapshot(self) -> EarsSnapshot:
        """Return the state of what is still on its way to the ears, and of the sources if they are own."""
        heard = tuple((name, self._hearing(name).snapshot()) for name in self.soundscape.placed)
        return EarsSnapshot(heard, self.soundscape.snapshot() if self._own else None)

    def restore(self, snapshot: EarsSnapshot) -> None:
        """Go back to a snapshot of ears with the same sources.

        Raises:
            ValueError: the snapshot has other sources.
        """
        if snapshot.soundscape is not None:
            self.soundscape.restore(snapshot.soundscape)
        self._heard.clear()
        for name, heard in snapshot.heard:
            self._hearing(name).restore(heard)
