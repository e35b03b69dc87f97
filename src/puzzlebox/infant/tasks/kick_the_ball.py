"""KickTheBall: a ball that sounds is shot into the field, and the child intercepts it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, radians, sin
from typing import Any, ClassVar

import numpy as np

from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.control.ground import Block
from puzzlebox.infant.control.primitives import Primitive
from puzzlebox.infant.control.speeds import BACKWARDS, UNIT
from puzzlebox.infant.scenes.props import Prop, ball, box
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.sound.sources import Noise, Source
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.settings import Settings
from puzzlebox.infant.tasks.task import Outcome, Task, difference, steer

# VECA's numbers in units: half the field, where the child starts, the ball's radius, the point ahead of the child that
# the ball must come near, how near, how low, and for how many steps nothing can be kicked after a kick.
_HALF, _START, _RADIUS = 9.5 * UNIT, 5 * UNIT, 1 * UNIT
_AHEAD, _NEAR, _LOW, _COOLDOWN = 0.5 * UNIT, 2 * UNIT, 2 * UNIT, 10
# Our own: the speeds of a shot and of a kick in metres a second, how far a kick is turned aside at random, in rad, and
# by how many metres a shot misses a child that stays where it is.
_SHOT, _KICK, _ASIDE, _MISS = (0.9, 1.6), (2.5, 3.5), 0.5, 0.8
# Draws of a shot at most, control steps in which a ball can be met, and metres by which a meeting must be certain.
_DRAWS, _STEPS, _SURE = 200, 75, 0.08
BALL, SOUND = "ball", "ball's sound"


@dataclass(frozen=True, kw_only=True)
class KickTheBallSettings(Settings):
    """Settings of KickTheBall.

    Attributes:
        level: "easy": the ball is shot towards the middle; "hard2": anywhere into the field, and 1.5 times as fast. It
            always misses a child that stands still, and can always be met in time.
        furniture: how many boxes stand in the field at random places, 0 to 6.
        kicks: after how many kicks the episode ends. Default: it goes on until the ball leaves the field.
    """

    default_senses: ClassVar[tuple[str, ...]] = ("eyes", "ears")
    default_max_steps: ClassVar[int] = 150

    level: str = "easy"
    furniture: int = 0
    kicks: int | None = None

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        self.one_of("level", ("easy", "hard2"))
        self.whole("furniture", 0, 6)
        if self.kicks is not None:
            self.whole("kicks", 1, 100)


class KickTheBall(Task[KickTheBallSettings]):
    """A child on an open field of 4.75 m intercepts a hissing ball; coming near it kicks it.

    A white line shows the border of the field in pictures from outside; the child does not see it.
    """

    settings_class = KickTheBallSettings
    reward = "+1 for each kick: the ball is within 0.5 m of a point 12.5 cm ahead of the child, and lower than 0.5 m"
    end = "when ball or child leaves the field; passed after a kick"
    border = True
    youngest = 9.0
    why_youngest = "a child crawls from 8 months, and younger ones are too slow to meet the ball"

    @property
    def room(self) -> Room:
        """A field without walls, so that the ball can leave it."""
        return Room(2 * _HALF, 2 * _HALF, 0.0)

    def props(self) -> Sequence[Prop]:
        """Return the ball and the furniture."""
        sphere = Prop(BALL, (ball(_RADIUS),), mass=0.4, colour=(240, 130, 30), friction=0.6, hidden=True)
        boxes = [
            Prop(f"box {n}", (box(0.3, 0.3, 0.4, (0, 0, 0.2)),), free=False, hidden=True, colour=(120, 110, 150))
            for n in range(self.settings.furniture)
        ]
        return [sphere, *boxes]

    def sounds(self) -> Mapping[str, tuple[Source, str]]:
        """Return the sound of the ball."""
        return {SOUND: (Noise(level=0.06), BALL)}

    def begin(self, play: Play) -> None:
        """Shoot the ball in from a random side."""
        rng, hard = play.rng, self.settings.level == "hard2"
        x, y = rng.uniform(-_START, _START, 2).tolist()
        play.place_walker(0, x, y, float(rng.uniform(-pi, pi)))
        for _ in range(_DRAWS):
            shot = _Shot.draw(rng, hard)
            # A child that stands still gets no ball, and one that hurries can get every ball; VECA does not say how
            # it aims.
            if shot.miss(x, y) >= _MISS and _meeting(play, shot.start, shot.velocity) is not None:
                break
        (from_x, from_y), (to_x, to_y) = shot.start, shot.aim
        play.show(BALL, from_x, from_y, _RADIUS)
        play.push(BALL, (*shot.velocity, 0.0))
        blocks: list[Block] = []
        for number in range(self.settings.furniture):
            others = [(each.x, each.y) for each in blocks]
            place = _free_place(rng, (x, y), (from_x, from_y), (to_x, to_y), *others)
            play.show(f"box {number}", *place)
            blocks.append(Block(*place, 0.15, 0.15))
        play.ground.blocks = tuple(blocks)
        self.memory.update(kicks=0, rest=0)

    def step(self, play: Play) -> Outcome:
        """Kick the ball if it is near enough, and see whether all are still in the field."""
        memory, state = self.memory, play.walker(0).state
        place = play.place(BALL)
        ahead = (state.x + _AHEAD * cos(state.heading), state.y + _AHEAD * sin(state.heading))
        memory["rest"] = max(0, memory["rest"] - 1)
        reward = 0.0
        if not memory["rest"] and place[2] < _LOW and hypot(place[0] - ahead[0], place[1] - ahead[1]) < _NEAR:
            reward = 1.0
            memory["kicks"] += 1
            memory["rest"] = _COOLDOWN
            self._kick(play, place)
        out = max(abs(place[0]), abs(place[1])) > _HALF
        left = max(abs(state.x), abs(state.y)) > _HALF - play.walker(0).radius - 1e-6
        enough = self.settings.kicks is not None and memory["kicks"] >= self.settings.kicks
        over = bool(out or left or enough)
        passed = True if memory["kicks"] else False if over else None
        return Outcome([reward], over, passed)

    def _kick(self, play: Play, place: Any) -> None:
        state = play.walker(0).state
        angle = atan2(place[1] - state.y, place[0] - state.x) + float(play.rng.uniform(-_ASIDE, _ASIDE))
        speed = float(play.rng.uniform(*_KICK))
        play.walker(0).kick()
        play.push(BALL, (speed * cos(angle), speed * sin(angle), 0.3))
        play.emit("kicked", thing=BALL)

    def reason(self, play: Play) -> str:
        """Return who left the field."""
        x, y, _ = play.place(BALL).tolist()
        if max(abs(x), abs(y)) > _HALF:
            return "the ball has left the field, and the child did not meet it"
        return (
            "the child did not meet the ball" if play.steps >= self.settings.limit else "the child has left the field"
        )

    def measures(self, play: Play) -> Mapping[str, float]:
        """Return the kicks so far, and how far the ball is."""
        state, place = play.walker(0).state, play.place(BALL)
        return {"kicks": self.memory["kicks"], "distance": hypot(place[0] - state.x, place[1] - state.y)}

    def script(self, play: Play, agent: int) -> Any:
        """Walk to where the ball will be when the child gets there, forwards or backwards."""
        place, speed = play.place(BALL), play.velocity(BALL)
        x, y, backwards = _meeting(play, place[:2], speed[:2]) or (*place[:2].tolist(), False)
        limit = _HALF - 0.3
        x, y = float(np.clip(x, -limit, limit)), float(np.clip(y, -limit, limit))
        if not backwards:
            return steer(play, 0, x, y)
        state = play.walker(0).state
        # The way to the mirrored place is the same, backwards.
        action = steer(play, 0, 2 * state.x - x, 2 * state.y - y)
        action[Primitive.WALK] *= -1
        return action


@dataclass(frozen=True)
class _Shot:
    """A ball that is shot into the field.

    Attributes:
        start: where it begins, in metres.
        aim: a place on its way.
        speed: in metres a second.
    """

    start: tuple[float, float]
    aim: tuple[float, float]
    speed: float

    @classmethod
    def draw(cls, rng: np.random.Generator, hard: bool) -> "_Shot":
        """Draw a shot from any side."""
        angle = float(rng.uniform(-pi, pi))
        start = (_HALF - _RADIUS) / max(abs(cos(angle)), abs(sin(angle)))
        aim = _HALF * (0.8 if hard else 0.35)
        to_x, to_y = rng.uniform(-aim, aim, 2).tolist()
        speed = float(rng.uniform(*_SHOT)) * (1.5 if hard else 1.0)
        return cls((start * cos(angle), start * sin(angle)), (to_x, to_y), speed)

    @property
    def velocity(self) -> tuple[float, float]:
        """The velocity in metres a second."""
        x, y = self.aim[0] - self.start[0], self.aim[1] - self.start[1]
        return self.speed * x / hypot(x, y), self.speed * y / hypot(x, y)

    def miss(self, x: float, y: float) -> float:
        """Return by how many metres the ball misses a place, if nothing stops it."""
        (vx, vy), away = self.velocity, (x - self.start[0], y - self.start[1])
        return abs(away[0] * vy - away[1] * vx) / self.speed


def _meeting(play: Play, place: Any, velocity: Any) -> tuple[float, float, bool] | None:
    """Return where the child can meet a ball first, and whether it walks there backwards; None if it cannot.

    Args:
        play: the episode.
        place: where the ball is, in metres.
        velocity: of the ball, in metres a second.
    """
    state, speeds = play.walker(0).state, play.walker(0).speeds
    fastest = speeds.walk if speeds.walks else speeds.crawl
    for steps in range(_STEPS):
        seconds = steps * CONTROL_STEP
        x, y = float(place[0] + seconds * velocity[0]), float(place[1] + seconds * velocity[1])
        if max(abs(x), abs(y)) > _HALF:
            return None
        away = hypot(x - state.x, y - state.y)
        turn = abs(difference(state.heading, atan2(y - state.y, x - state.x)))
        for backwards in (False, True):
            metres = away - _NEAR + _SURE + (_AHEAD if backwards else -_AHEAD)
            walks = max(0.0, metres) / (fastest * (BACKWARDS if backwards else 1.0))
            turns = (pi - turn if backwards else turn) / radians(speeds.turn)
            if walks + turns <= seconds:
                return x, y, backwards
    return None


def _free_place(rng: np.random.Generator, *others: tuple[float, float]) -> tuple[float, float]:
    """Return a place that is away from others."""
    for _ in range(100):
        x, y = rng.uniform(-_HALF + 0.4, _HALF - 0.4, 2).tolist()
        if all(hypot(x - a, y - b) > 0.8 for a, b in others):
            break
    return x, y
