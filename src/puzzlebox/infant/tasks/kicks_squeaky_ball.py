"""KicksSqueakyBall: several balls look alike, one of them squeaks for a second while it rolls; find it and kick it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin
from typing import Any, ClassVar

import numpy as np

from puzzlebox.infant.control.driver import KICK
from puzzlebox.infant.control.primitives import Primitive
from puzzlebox.infant.control.speeds import UNIT
from puzzlebox.infant.scenes.props import Prop, ball
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.sound.rate import SAMPLE_RATE
from puzzlebox.infant.sound.sources import Recording, Source
from puzzlebox.infant.tasks.navigation import WALL
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.settings import Settings
from puzzlebox.infant.tasks.task import Outcome, Task, steer

_RADIUS, _KICKED = 0.12, 0.38
# Where balls lie: metres from the child, and how far the squeaking one rolls sideways, in metres a second.
_FAR, _ROLL = (1.2, 1.8), 0.5
# Full marks are for a kick within this many control steps: 8 s.
_QUICK = 120
SQUEAK = "squeak"


@dataclass(frozen=True, kw_only=True)
class KicksSqueakyBallSettings(Settings):
    """Settings of KicksSqueakyBall.

    Attributes:
        balls: how many balls there are, 1 to 5; they look alike.
        squeak_seconds: how long the right one squeaks, at the start.
        moving: whether it rolls while it squeaks.
    """

    default_senses: ClassVar[tuple[str, ...]] = ("eyes", "ears")
    default_max_steps: ClassVar[int] = 225

    balls: int = 3
    squeak_seconds: float = 1.0
    moving: bool = True

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        self.whole("balls", 1, 5)
        self.number("squeak_seconds", 0.1, 30.0)


class KicksSqueakyBall(Task[KicksSqueakyBallSettings]):
    """A child hears where a ball squeaks, which may be behind it, walks there and kicks it."""

    settings_class = KicksSqueakyBallSettings
    primitives = ("walk", "turn", "act")
    reward = "2 for a kick of the right ball within 8 s, 1 for a later one (an item score; the times are ours)"
    end = "when any ball is kicked; passed if it is the right one"
    youngest = 9.0
    why_youngest = "a child crawls from 8 months, and younger ones are too slow to reach the ball in time"

    @property
    def room(self) -> Room:
        """A room of 4.75 m."""
        return Room(19 * UNIT, 19 * UNIT, WALL)

    def props(self) -> Sequence[Prop]:
        """Return the balls."""
        return [
            Prop(f"ball {n}", (ball(_RADIUS),), mass=0.2, colour=(230, 60, 120), friction=0.6, hidden=True)
            for n in range(self.settings.balls)
        ]

    def sounds(self) -> Mapping[str, tuple[Source, str]]:
        """Return the squeak; it moves with the right ball."""
        return {SQUEAK: (Recording(_squeak(self.settings.squeak_seconds), level=0.25), "")}

    def begin(self, play: Play) -> None:
        """Place the balls around the child, and let one squeak."""
        rng, count = play.rng, self.settings.balls
        play.place_walker(0, 0.0, 0.0, float(rng.uniform(-pi, pi)))
        first = float(rng.uniform(-pi, pi))
        right = int(rng.integers(count))
        for number in range(count):
            angle = first + 2 * pi * number / count + float(rng.uniform(-0.3, 0.3))
            away = float(rng.uniform(*_FAR))
            play.show(f"ball {number}", away * cos(angle), away * sin(angle), _RADIUS)
            if number == right and self.settings.moving:
                side = 1.0 if rng.random() < 0.5 else -1.0
                play.push(f"ball {number}", (-side * _ROLL * sin(angle), side * _ROLL * cos(angle), 0.0))
        self.memory.update(right=f"ball {right}", acted=False)
        source = play.source(SQUEAK)
        assert isinstance(source, Recording)
        source.play()
        play.move_sound(SQUEAK, play.place(self.memory["right"]))

    def step(self, play: Play) -> Outcome:
        """Move the sound with its ball, stop balls that roll, and judge a kick."""
        if play.steps <= 15 * self.settings.squeak_seconds + 1:
            play.move_sound(SQUEAK, play.place(self.memory["right"]))
        kicked = next((event["details"]["thing"] for event in play.events if event["kind"] == "kicked"), None)
        if kicked is None:
            return Outcome([0.0])
        passed = kicked == self.memory["right"]
        score = 0.0 if not passed else 2.0 if play.steps <= _QUICK else 1.0
        return Outcome([score], over=True, passed=passed)

    def uses(self, play: Play, agent: int) -> Mapping[str, str]:
        """Return what can be kicked: the balls."""
        return {f"ball {number}": KICK for number in range(self.settings.balls)}

    def measures(self, play: Play) -> Mapping[str, float]:
        """Return how far the right ball is."""
        state, place = play.walker(0).state, play.place(self.memory["right"])
        return {"distance": hypot(place[0] - state.x, place[1] - state.y)}

    def reason(self, play: Play) -> str:
        """Return whether a ball was kicked."""
        kicked = any(event["kind"] == "kicked" for event in play.events)
        return "the ball that the child has kicked is not the one that squeaked" if kicked else "no ball was kicked"

    def script(self, play: Play, agent: int) -> Any:
        """Walk to the right ball and kick."""
        state, place = play.walker(0).state, play.place(self.memory["right"])
        action = steer(play, 0, float(place[0]), float(place[1]), stop=_KICKED - 0.06)
        if hypot(place[0] - state.x, place[1] - state.y) < _KICKED:
            action[Primitive.ACT] = 1.0
        return action


def _squeak(seconds: float) -> Any:
    """Return a squeak: a voice that glides up and down three times a second, with overtones."""
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    pitch = 900.0 + 350.0 * np.sin(2 * np.pi * 3.0 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / SAMPLE_RATE
    wave = sum(np.sin(each * phase) / each for each in range(1, 8))
    edge = np.minimum(1.0, np.minimum(time, seconds - time) / 0.02)
    return 0.5 * wave * edge
