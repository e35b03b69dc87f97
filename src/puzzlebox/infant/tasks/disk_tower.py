"""DiskTower: stack six magnetic discs by size; also with several children."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, hypot, pi, radians
from typing import Any, ClassVar

import numpy as np

from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.control.primitives import Primitive
from puzzlebox.infant.scenes.props import RGB, Prop, cylinder
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.tasks.navigation import WALL
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.settings import Settings
from puzzlebox.infant.tasks.task import Outcome, Task, detour, difference, steer

# Radii of the three sizes and the height of a disc in metres; the colours of the two polarities.
_RADII, _HEIGHT = (0.15, 0.12, 0.09), 0.05
_COLOURS: tuple[RGB, RGB] = ((205, 55, 50), (50, 90, 190))
DISCS = tuple(
    f"{'large medium small'.split()[size]} {'red blue'.split()[pole]}" for size in range(3) for pole in range(2)
)
# Discs nearer than this act on each other, in metres, with this force in newtons at the distance of a disc's height.
_FIELD, _FORCE = 0.12, 1.2
# A disc lies on another one if it is about its height above it and at most this far aside, in metres.
_ASIDE, _GAP = 0.06, 0.02
LEVEL, COUNT = "change", "count"


@dataclass(frozen=True, kw_only=True)
class DiskTowerSettings(Settings):
    """Settings of DiskTower.

    Attributes:
        agents: how many children stack together, 1 to 4.
        discs: how many of the six discs there are, 2 to 6, from the largest.
        magnetic: whether equal colours repel and different ones attract each other.
        pay: "change" pays when the tower grows or falls; "count" pays the number of discs on the first one in every
            step, as VECA does.
        room: the length of the room in metres.
    """

    default_senses: ClassVar[tuple[str, ...]] = ("eyes",)
    default_max_steps: ClassVar[int] = 900

    agents: int = 1
    discs: int = 6
    magnetic: bool = True
    pay: str = LEVEL
    room: float = 3.0

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        self.whole("agents", 1, 4)
        self.whole("discs", 2, 6)
        self.one_of("pay", (LEVEL, COUNT))
        self.number("room", 2.5, 6.0)


class DiskTower(Task[DiskTowerSettings]):
    """Discs of three sizes and two colours lie about; larger ones belong below, and colours alternate."""

    settings_class = DiskTowerSettings
    primitives = ("walk", "turn", "head_pitch", "head_yaw", "grab")
    reward = "the change of the number of discs that lie on the first one in order, 0 to 5; to all children alike"
    end = "when all discs are stacked; then it is passed"
    youngest = 11.0
    why_youngest = "a child walks from 11 months, and must stand to stack the discs"

    @property
    def agents(self) -> int:
        """How many children there are."""
        return self.settings.agents

    @property
    def names(self) -> tuple[str, ...]:
        """The discs of this task, from the largest."""
        return DISCS[: self.settings.discs]

    @property
    def room(self) -> Room:
        """A room with walls."""
        return Room(self.settings.room, self.settings.room, WALL)

    def props(self) -> Sequence[Prop]:
        """Return the discs."""
        out = []
        for number, name in enumerate(self.names):
            radius = _RADII[number // 2]
            mass = 0.12 * (radius / _RADII[0]) ** 2
            colour = _COLOURS[number % 2]
            out.append(
                Prop(name, (cylinder(radius, _HEIGHT),), mass=mass, colour=colour, friction=1.0, material="wood")
            )
        return out

    def begin(self, play: Play) -> None:
        """Scatter discs and children."""
        rng, half = play.rng, self.settings.room / 2 - 0.45
        taken: list[tuple[float, float]] = []

        def draw(apart: float) -> tuple[float, float]:
            for _ in range(500):
                x, y = rng.uniform(-half, half, 2).tolist()
                if all(hypot(x - a, y - b) >= apart for a, b in taken):
                    break
            taken.append((x, y))
            return x, y

        for name in self.names:
            play.show(name, *draw(0.45), _HEIGHT / 2 + 0.001)
        for agent in range(self.agents):
            play.place_walker(agent, *draw(0.45), float(rng.uniform(-pi, pi)))
        self.memory.update(stacked=0, plan=[{} for _ in range(self.agents)])

    def forces(self, play: Play) -> Mapping[str, Any]:
        """Return the force of magnets on each disc, in newtons."""
        if not self.settings.magnetic:
            return {}
        free = [name for name in self.names if play.holder(name) is None]
        places = np.array([play.place(name) for name in free]).reshape(-1, 3)
        out = {name: np.zeros(3) for name in free}
        for one in range(len(free)):
            for two in range(one + 1, len(free)):
                away = places[two] - places[one]
                distance = float(np.linalg.norm(away))
                if distance > _FIELD or distance < 1e-6:
                    continue
                equal = DISCS.index(free[one]) % 2 == DISCS.index(free[two]) % 2
                force = (1.0 if equal else -0.5) * _FORCE * (_HEIGHT / max(distance, _HEIGHT)) ** 2 * away / distance
                out[free[two]] += force
                out[free[one]] -= force
        return out

    def tower(self, play: Play) -> list[str]:
        """Return the longest stack in order, from its lowest disc."""
        places = {name: play.place(name) for name in self.names if play.holder(name) is None}
        best: list[str] = []
        for base, at in places.items():
            if at[2] > _HEIGHT / 2 + _GAP:
                continue
            stack = [base]
            while True:
                below = places[stack[-1]]
                above = next((name for name in places if name not in stack and _lies_on(places[name], below)), None)
                if above is None or DISCS.index(above) // 2 < DISCS.index(stack[-1]) // 2:
                    break
                stack.append(above)
            if len(stack) > len(best):
                best = stack
        return best

    def step(self, play: Play) -> Outcome:
        """Count the discs of the tower."""
        stacked = max(0, len(self.tower(play)) - 1)
        change = stacked - self.memory["stacked"]
        if change:
            play.emit("stacked", discs=stacked + 1)
        self.memory["stacked"] = stacked
        reward = float(change if self.settings.pay == LEVEL else stacked)
        over = stacked == len(self.names) - 1
        return Outcome([reward] * self.agents, over, True if over else None)

    def grabs(self, play: Play, agent: int) -> Sequence[str]:
        """Return what can be grabbed: all discs."""
        return self.names

    def reason(self, play: Play) -> str:
        """Return how high the tower is."""
        stacked = self.memory["stacked"]
        return f"the tower has {stacked + 1} of {len(self.names)} discs" if stacked else "no disc lies on another one"

    def measures(self, play: Play) -> Mapping[str, float]:
        """Return how many discs lie on the first one in order."""
        return {"stacked": self.memory["stacked"]}

    # --- the script

    def script(self, play: Play, agent: int) -> Any:
        """Carry one disc after the other to the tower, in order; the first child does it alone."""
        if agent:
            return np.zeros(len(Primitive))
        tower = self.tower(play)
        base = self.names[0]
        done = tower if tower[:1] == [base] and tower == list(self.names[: len(tower)]) else [base]
        if len(done) == len(self.names):
            return np.zeros(len(Primitive))
        disc, held = self.names[len(done)], play.holding(agent)
        if held is not None and held != disc:
            return self._use(play, agent, np.add(play.place(base), (0.6, 0.0, 0.0)), -1.0)
        if held is None:
            return self._use(play, agent, play.place(disc), 1.0)
        top = play.place(done[-1])
        return self._use(play, agent, np.array((top[0], top[1], top[2] + _HEIGHT)), -1.0)

    def _use(self, play: Play, agent: int, place: Any, grab: float) -> Any:
        """Walk to a place, look at it, and grab or put down there."""
        walker = play.walker(agent)
        state = walker.state
        action = np.zeros(len(Primitive))
        if state.target is not None:
            return action
        eyes = play.eyes(agent)
        # The eyes must be as far from the place as things are put down.
        reach = play.rule.release if grab < 0 else 0.9 * play.rule.reach
        wanted = max(0.30, float(np.sqrt(max(0.0, reach**2 - (eyes[2] - place[2]) ** 2))))
        x, y = float(place[0]), float(place[1])
        away = hypot(x - eyes[0], y - eyes[1])
        error = away - wanted
        if error > 0.15:
            others = [play.place(name) for name in self.names if play.holder(name) is None]
            others = [each for each in others if hypot(each[0] - x, each[1] - y) > 0.1]
            return steer(play, agent, *detour(play, agent, x, y, others, 0.33))
        turn = difference(state.heading, atan2(y - state.y, x - state.x))
        rate = radians(walker.speeds.turn) * CONTROL_STEP
        action[Primitive.TURN] = np.clip(turn / rate, -1.0, 1.0)
        fastest = walker.speeds.walk * CONTROL_STEP
        if abs(turn) < radians(8):
            action[Primitive.WALK] = np.clip(error / fastest if error > 0 else 2 * error / fastest, -1.0, 1.0)
        pitch = atan2(place[2] - eyes[2], max(away, 1e-6))
        nod = radians(walker.speeds.head) * CONTROL_STEP
        action[Primitive.HEAD_PITCH] = np.clip((pitch - play.gaze_pitch(agent)) / nod, -1.0, 1.0)
        action[Primitive.HEAD_YAW] = np.clip(-state.head_yaw / nod, -1.0, 1.0)
        # Grabbing forgives more than putting down.
        precise = radians(1.0 if grab < 0 else 15.0)
        if abs(error) < 0.012 and abs(turn) < precise and abs(pitch - play.gaze_pitch(agent)) < precise:
            action[Primitive.GRAB] = grab
        return action


def _lies_on(upper: Any, lower: Any) -> bool:
    """Return whether a disc lies on another one."""
    return abs(upper[2] - lower[2] - _HEIGHT) < _GAP and hypot(upper[0] - lower[0], upper[1] - lower[1]) < _ASIDE
