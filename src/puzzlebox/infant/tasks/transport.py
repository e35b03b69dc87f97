"""Transport: carry a thing to a target with both hands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from puzzlebox.infant.scenes.props import Prop, ball
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.task import Outcome
from puzzlebox.infant.tasks.two_hands import THING, TwoHandsSettings, TwoHandsTask

TARGET = "target"
# VECA's term for being near the target, in each step; and ours: for each metre nearer, and at the end.
_OFFSET, _NEARER, _DONE = 4e-4, 5.0, 1.0
# How near is near enough, in metres, and for how many control steps.
_NEAR, _LONG = 0.04, 5


@dataclass(frozen=True, kw_only=True)
class TransportSettings(TwoHandsSettings):
    """Settings of Transport.

    Attributes:
        aside: how far the target may be to the side, in metres.
        up: how high the target is above the place of the thing, in metres.
    """

    aside: float = 0.05
    up: float = 0.12

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        self.number("aside", 0.0, 0.15)
        self.number("up", 0.0, 0.25)


class Transport(TwoHandsTask):
    """A child in a high chair carries a block of 9 cm to where a small ball floats in the air."""

    settings: TransportSettings
    settings_class = TransportSettings
    reward = (
        "the decrease of the distances of both palms (m), 5 for each metre that the thing comes nearer to the target, "
        "VECA's 0.0004 tanh(-offset) in each step, 1 at the end (the second and the last are ours)"
    )
    end = "when the thing has been within 4 cm of the target for 5 steps; then it is passed"
    youngest = 6.0
    why_youngest = "the arms of younger children are too small to carry the block"

    def props(self) -> Sequence[Prop]:
        """Return chair, table, thing and the mark of the target."""
        mark = Prop(TARGET, (ball(0.015, solid=False),), free=False, colour=(60, 200, 90), glows=True)
        return [*super().props(), mark]

    def begin(self, play: Play) -> None:
        """Draw the target."""
        super().begin(play)
        x, y, z = play.place(THING).tolist()
        aside = float(play.rng.uniform(-self.settings.aside, self.settings.aside))
        play.show(TARGET, x, y + aside, z + self.settings.up)
        self.memory.update(offset=None, there=0)

    def offset(self, play: Play) -> float:
        """Return how far the thing is from the target, in metres."""
        return float(np.linalg.norm(play.place(THING) - play.place(TARGET)))

    def step(self, play: Play) -> Outcome:
        """Pay for nearness of hands and of the thing."""
        memory, offset = self.memory, self.offset(play)
        reward = self.approach(play) + _OFFSET * float(np.tanh(-offset))
        reward += 0.0 if memory["offset"] is None else _NEARER * (memory["offset"] - offset)
        memory["offset"] = offset
        memory["there"] = memory["there"] + 1 if offset <= _NEAR else 0
        over = memory["there"] >= _LONG
        if over:
            play.emit("arrived", offset=offset)
        return Outcome([reward + (_DONE if over else 0.0)], over, True if over else None)

    def measures(self, play: Play) -> Mapping[str, float]:
        """Return how far the thing is from the target, too."""
        return {**super().measures(play), "offset": self.offset(play)}

    def reason(self, play: Play) -> str:
        """Return how far the thing is from the target."""
        return f"the block is {100 * self.offset(play):.0f} cm from the target; it must be within {100 * _NEAR:.0f} cm"

    def script(self, play: Play, agent: int) -> Any:
        """Grip the thing, and carry it to the target."""
        start = self.memory.setdefault("start", play.place(THING).copy())
        goal = play.place(TARGET) - start
        return self.two_hands(play, start, (float(goal[0]), float(goal[1]), float(goal[2])))
