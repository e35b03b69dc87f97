"""What tasks about walking to toys share: levels, arrangement, arrival, VECA's shaping, and a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, hypot, pi, radians
from typing import Any, ClassVar

import numpy as np

from puzzlebox.infant.control.primitives import Primitive
from puzzlebox.infant.scenes.props import Prop
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.settings import Settings
from puzzlebox.infant.tasks.task import Outcome, Task, detour, difference, steer
from puzzlebox.infant.tasks.toys import COLOURS, REACHED, THREE, toy

# The height of walls in metres.
WALL = 1.0
LEVELS = ("easy", "hard", "hard2")
# For each level: how many wrong toys there are, and the length of the room in metres; VECA's 19 units are 4.75 m.
_FAKES = {"easy": 1, "hard": 2, "hard2": 4}
_ROOMS = {"easy": 3.0, "hard": 4.75, "hard2": 4.75}
# The shaping of VECA's learners: this much for each full turn towards the target, and for each full step towards it.
_TURN_REWARD, _WALK_REWARD = 0.05, 0.03
# How far toys are from each other and from walls, in metres.
_APART, _FROM_WALL = 0.7, 0.3
# A toy that is placed next to a child would be reached at once.
_FROM_CHILD = 0.9


@dataclass(frozen=True, kw_only=True)
class NavigationSettings(Settings):
    """Settings of the tasks in which a child walks to a toy.

    Attributes:
        level: "easy" (1 wrong toy, a room of 3 m), "hard" (2 wrong toys, 4.75 m) or "hard2" (4 wrong toys, 4.75 m).
        fakes: how many wrong toys there are. Default: as in the level.
        room: the length of the room in metres. Default: as in the level.
        same_shape: whether wrong toys have the shape of the target, and only another colour.
        mentor: whether the target sounds, as if somebody called from there.
        shaping: whether turning and walking towards the target is rewarded, as VECA's learners were.
    """

    default_senses: ClassVar[tuple[str, ...]] = ("eyes", "target")

    level: str = "easy"
    fakes: int | None = None
    room: float | None = None
    same_shape: bool = False
    mentor: bool = False
    shaping: bool = False

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        self.one_of("level", LEVELS)
        if self.fakes is not None:
            self.whole("fakes", 0, 6)
        if self.room is not None:
            self.number("room", 2.5, 12.0)

    @property
    def wrong_toys(self) -> int:
        """How many wrong toys there are."""
        return _FAKES[self.level] if self.fakes is None else self.fakes

    @property
    def length(self) -> float:
        """The length of the room in metres."""
        return _ROOMS[self.level] if self.room is None else self.room


class NavigationTask(Task[Any]):
    """A child walks to one of several toys. What it looks for is in `memory["goal"]`, the name of a toy."""

    settings: NavigationSettings
    settings_class = NavigationSettings
    youngest = 8.0
    why_youngest = "a child crawls from 8 months; before, it only creeps, and does not get to a toy in time"
    # The shapes and colours of the toys that there can be.
    shapes: ClassVar[Sequence[str]] = THREE
    toy_colours: ClassVar[Sequence[str]] = ("red",)

    @property
    def room(self) -> Room:
        """A square room with walls."""
        return Room(self.settings.length, self.settings.length, WALL)

    def props(self) -> Sequence[Prop]:
        """Return each toy in each colour, and as many again where wrong toys may look alike."""
        colours = tuple(COLOURS) if self.settings.same_shape else self.toy_colours
        kinds = len(colours) if self.settings.same_shape else len(self.shapes) * len(colours)
        copies = 1 + self.settings.wrong_toys // max(1, kinds - 1)
        return [
            toy(shape, colour, f"{colour} {shape} {number}")
            for shape in self.shapes
            for colour in colours
            for number in range(copies)
        ]

    # --- arrangement

    def arrange(self, play: Play, names: Sequence[str], agents: int = 1) -> None:
        """Show some toys at random places, and put the children at others."""
        rng, half = play.rng, self.settings.length / 2 - _FROM_WALL
        taken: list[tuple[float, float]] = []

        def draw(apart: float) -> tuple[float, float]:
            for _ in range(200):
                x, y = rng.uniform(-half, half, 2).tolist()
                if all(hypot(x - a, y - b) >= apart for a, b in taken):
                    break
            taken.append((x, y))
            return x, y

        for agent in range(agents):
            x, y = draw(_APART)
            play.place_walker(agent, x, y, float(rng.uniform(-pi, pi)))
        for name in names:
            x, y = draw(_FROM_CHILD)
            play.show(name, x, y, heading=float(rng.uniform(0, 360)))
        self.memory["shown"] = list(names)

    def draw_toys(self, play: Play) -> tuple[str, list[str]]:
        """Return the name of the target, and those of all toys."""
        rng = play.rng
        shape = str(self.shapes[int(rng.integers(len(self.shapes)))])
        colours = tuple(COLOURS) if self.settings.same_shape else tuple(self.toy_colours)
        colour = colours[int(rng.integers(len(colours)))]
        goal = f"{colour} {shape} 0"
        if self.settings.same_shape:
            kinds = [f"{each} {shape}" for each in colours if each != colour]
        else:
            kinds = [f"{each} {other}" for other in self.shapes for each in colours if (each, other) != (colour, shape)]
        order = [kinds[index] for index in rng.permutation(len(kinds)).tolist()]
        wrong = [f"{order[n % len(order)]} {n // len(order)}" for n in range(self.settings.wrong_toys)]
        names = [goal, *wrong]
        self.memory["target"], self.memory["colour"] = self.shapes.index(shape), tuple(COLOURS).index(colour)
        return goal, [names[index] for index in rng.permutation(len(names)).tolist()]

    # --- judgement

    def reached(self, play: Play, agent: int) -> str | None:
        """Return the name of the toy that a child has come to, if any."""
        state = play.walker(agent).state
        for name in self.memory["shown"]:
            x, y, _ = play.place(name).tolist()
            if hypot(x - state.x, y - state.y) <= REACHED:
                return str(name)
        return None

    def distance(self, play: Play, name: str, agent: int = 0) -> float:
        """Return how far a child is from a toy, in metres."""
        state = play.walker(agent).state
        x, y, _ = play.place(name).tolist()
        return hypot(x - state.x, y - state.y)

    def shaped(self, play: Play, agent: int, goal: str) -> float:
        """Return VECA's shaping: for turning towards the side of the target, and for walking if it is ahead."""
        if not self.settings.shaping:
            return 0.0
        state, action = play.walker(agent).state, play.actions[agent]
        x, y, _ = play.place(goal).tolist()
        bearing = difference(state.heading, atan2(y - state.y, x - state.x))
        turn = _TURN_REWARD * action[Primitive.TURN] * np.sign(bearing)
        ahead = 1.0 if abs(bearing) < radians(90) else -1.0
        return float(turn + _WALK_REWARD * action[Primitive.WALK] * ahead)

    def touches(self, play: Play, agent: int) -> bool:
        """Return whether a child has come to a toy."""
        return self.reached(play, agent) is not None

    def reason(self, play: Play) -> str:
        """Return which toy the child has come to instead of the target."""
        goal = kind_of(self.memory["goal"])
        wrong = next((event["details"] for event in play.events if event["kind"] == "wrong"), None)
        if wrong is None:
            return f"the child has not come to the {goal}"
        who = "the child" if self.agents == 1 else f"child {wrong['agent'] + 1}"
        return f"{who} has come to the {kind_of(wrong['thing'])}; the target was the {goal}"

    def measures(self, play: Play) -> Mapping[str, float]:
        """Return how far the first child is from the target."""
        return {"distance": self.distance(play, self.memory["goal"])}

    # --- the script

    def script(self, play: Play, agent: int) -> Any:
        """Walk to the target, around what is in the way."""
        x, y, _ = play.place(self.memory["goal"]).tolist()
        return self.around(play, agent, x, y)

    def around(self, play: Play, agent: int, x: float, y: float) -> Any:
        """Walk to a place and keep away from toys that are not the target."""
        others = [play.place(name) for name in self.memory["shown"] if name != self.memory["goal"]]
        return steer(play, agent, *detour(play, agent, x, y, others, REACHED + 0.12))


def kind_of(name: str) -> str:
    """Return the colour and shape of a toy from its name, which ends in a number."""
    return name.rpartition(" ")[0]


def judged(task: NavigationTask, play: Play, agent: int = 0) -> Outcome:
    """Return the outcome of a step for one child: +1 at the target, -1 at any other toy; both end the episode."""
    goal = task.memory["goal"]
    found = task.reached(play, agent)
    reward = task.shaped(play, agent, goal)
    if found is None:
        return Outcome([reward])
    right = found == goal
    play.emit("reached" if right else "wrong", thing=found)
    return Outcome([reward + (1.0 if right else -1.0)], over=True, passed=right)
