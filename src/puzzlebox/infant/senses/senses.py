"""All senses of one body, those that are wanted, read together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Body
from puzzlebox.infant.senses.balance import Balance
from puzzlebox.infant.senses.ears import Ears, EarsSettings, EarsSnapshot
from puzzlebox.infant.senses.eyes import Eyes, EyeSettings, Sights
from puzzlebox.infant.senses.joints import Joints
from puzzlebox.infant.senses.skin import Skin, SkinSettings
from puzzlebox.infant.senses.soundscape import Soundscape

State = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class SensesSettings:
    """Which senses a body has, and how they work; True stands for the defaults of a sense.

    Attributes:
        skin: the constants of the sense of touch.
        ears: how it hears.
        eyes: what it sees.
        joints: whether it feels its joints and muscles.
        balance: whether it feels how its head moves.
    """

    skin: SkinSettings | bool = False
    ears: EarsSettings | bool = False
    eyes: EyeSettings | bool = False
    joints: bool = True
    balance: bool = True

    def __post_init__(self) -> None:
        """Raise a ValueError if a sense is neither a truth value nor its settings."""
        kinds = {"skin": SkinSettings, "ears": EarsSettings, "eyes": EyeSettings, "joints": None, "balance": None}
        for name, kind in kinds.items():
            value = getattr(self, name)
            if isinstance(value, np.bool_):
                object.__setattr__(self, name, bool(value))
            elif not isinstance(value, bool) and (kind is None or not isinstance(value, kind)):
                settings = "" if kind is None else f" or {kind.__name__}(...)"
                raise ValueError(f"{name} is {value!r}; it must be True or False{settings}")


@dataclass(frozen=True)
class SensesSnapshot:
    """The state of all senses between two steps."""

    skin: tuple[bytes, bytes] | None
    ears: EarsSnapshot | None
    state: State


class Senses:
    """The senses of one body; a sense it does not have is None.

    Attributes:
        state: what was read last, those that are wanted: `joints`, `balance`, `skin`, `ears` (float32), `eyes` and
            `fovea` (bytes, 2 x height x width x 3), `depth` (float32) and `segments` (int32).
    """

    def __init__(
        self,
        body: Body,
        settings: SensesSettings,
        *,
        sights: Sights | None = None,
        soundscape: Soundscape | None = None,
    ) -> None:
        """Prepare the senses.

        Args:
            body: whose senses they are.
            settings: which senses.
            sights: the Scene that the eyes see. Default: the body alone.
            soundscape: what sounds, if others hear it too; its owner lets it sound before the senses are read.
        """
        self.body = body
        skin = SkinSettings() if settings.skin is True else settings.skin
        ears = EarsSettings() if settings.ears is True else settings.ears
        eyes = EyeSettings() if settings.eyes is True else settings.eyes
        self.skin = Skin(body, skin) if skin else None
        self.ears = Ears(body, ears, soundscape) if ears else None
        self.eyes = Eyes(body, sights, eyes) if eyes else None
        self.joints = Joints(body) if settings.joints else None
        self.balance = Balance(body) if settings.balance else None
        self.state: State = {}

    def read(self) -> State:
        """Read all senses; call it once a step."""
        state: State = {}
        if self.joints is not None:
            state["joints"] = self.joints.read().flat()
        if self.balance is not None:
            state["balance"] = np.concatenate(self.balance.read())
        if self.skin is not None:
            state["skin"] = self.skin.read()
        if self.ears is not None:
            state["ears"] = self.ears.read()
        if self.eyes is not None:
            glance = self.eyes.read()
            seen = {"eyes": glance.images, "fovea": glance.fovea, "depth": glance.depth, "segments": glance.segments}
            state.update((name, each) for name, each in seen.items() if each is not None)
        self.state = state
        return state

    def reset(self) -> None:
        """Forget all stimuli, at the start of an episode."""
        if self.skin is not None:
            self.skin.reset()
        if self.ears is not None:
            self.ears.reset()

    def snapshot(self) -> SensesSnapshot:
        """Return the state of habituation and of what is on its way to the ears."""
        skin = None if self.skin is None else self.skin.snapshot()
        ears = None if self.ears is None else self.ears.snapshot()
        return SensesSnapshot(skin, ears, {name: each.copy() for name, each in self.state.items()})

    def restore(self, snapshot: SensesSnapshot) -> State:
        """Go back to a snapshot of senses that were built alike, and return the state they had."""
        if self.skin is not None and snapshot.skin is not None:
            self.skin.restore(snapshot.skin)
        if self.ears is not None and snapshot.ears is not None:
            self.ears.restore(snapshot.ears)
        self.state = {name: each.copy() for name, each in snapshot.state.items()}
        return self.state
