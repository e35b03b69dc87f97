"""MazeNav: find one named toy after the other in a maze that stays the same for some searches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot, pi
from typing import Any, ClassVar

from puzzlebox.infant.control.ground import Block
from puzzlebox.infant.scenes.props import Prop, box
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.tasks.maze import Cell, Maze
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.settings import Settings
from puzzlebox.infant.tasks.task import Outcome, Task, steer
from puzzlebox.infant.tasks.toys import REACHED, THREE, toy

# Height and thickness of walls in metres.
_HIGH, _THICK = 0.9, 0.06


@dataclass(frozen=True, kw_only=True)
class MazeNavSettings(Settings):
    """Settings of MazeNav.

    Attributes:
        cells: how many cells the maze has along each side, 3 to 6.
        cell: the length of a cell in metres.
        searches: how many searches an episode has; the maze and the toys stay where they are.
        search_steps: control steps after which a search fails.
        shaping: the reward for each metre that the way to the target gets shorter.
    """

    default_senses: ClassVar[tuple[str, ...]] = ("eyes", "target")
    default_max_steps: ClassVar[int] = 5 * 256

    cells: int = 4
    cell: float = 1.0
    searches: int = 5
    search_steps: int = 256
    shaping: float = 0.01

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        self.whole("cells", 3, 6)
        self.number("cell", 0.8, 2.0)
        self.whole("searches", 1, 100)
        self.whole("search_steps", 1, 10_000)
        self.number("shaping", 0.0, 10.0)


class MazeNav(Task[MazeNavSettings]):
    """A child looks for one of three toys; when it is there, another one is named. Memory makes it faster."""

    settings_class = MazeNavSettings
    reward = "+1 at the target (the amount is ours), 0.01 for each metre that the way gets shorter"
    end = "after 5 searches of at most 256 steps each; passed if all of them succeed"
    youngest = 12.0
    why_youngest = "a child walks from 11 months, and younger ones are too slow to find the toys in time"
    targets = THREE

    def __init__(self, settings: MazeNavSettings) -> None:
        super().__init__(settings)
        cells = settings.cells
        grid = [(x, y) for x in range(cells) for y in range(cells)]
        self._edges: list[tuple[Cell, Cell]] = [
            ((x, y), (x + dx, y + dy)) for x, y in grid for dx, dy in ((1, 0), (0, 1)) if max(x + dx, y + dy) < cells
        ]

    @property
    def room(self) -> Room:
        """The maze is the whole room."""
        length = self.settings.cells * self.settings.cell
        return Room(length, length, _HIGH)

    def props(self) -> Sequence[Prop]:
        """Return all walls that there can be, and the toys."""
        long = self.settings.cell + _THICK
        walls = []
        for number, (one, two) in enumerate(self._edges):
            size = (_THICK, long, _HIGH) if one[0] != two[0] else (long, _THICK, _HIGH)
            # Neighbouring walls differ a little, so that a child can see where it is.
            colour = (190 + 15 * (one[0] % 3), 200 - 12 * (one[1] % 3), 205 - 15 * ((one[0] + one[1]) % 3))
            walls.append(
                Prop(f"wall {number}", (box(*size, (0, 0, _HIGH / 2)),), free=False, hidden=True, colour=colour)
            )
        return [*walls, *(toy(shape, "red", shape) for shape in THREE)]

    def begin(self, play: Play) -> None:
        """Draw a maze, places of toys, and the first target."""
        rng, settings = play.rng, self.settings
        maze = Maze.draw(settings.cells, settings.cell, rng)
        blocks = []
        walls = set(maze.walls())
        for number, (one, two) in enumerate(self._edges):
            if (one, two) not in walls:
                continue
            (ax, ay), (bx, by) = maze.middle(one), maze.middle(two)
            x, y = (ax + bx) / 2, (ay + by) / 2
            play.show(f"wall {number}", x, y)
            half = (settings.cell + _THICK) / 2
            halves = (_THICK / 2, half) if one[0] != two[0] else (half, _THICK / 2)
            blocks.append(Block(x, y, *halves))
        play.ground.blocks = tuple(blocks)
        order = rng.permutation(settings.cells**2).tolist()[: len(THREE) + 1]
        places = [maze.middle((index // settings.cells, index % settings.cells)) for index in order]
        for shape, (x, y) in zip(THREE, places[:-1], strict=True):
            play.show(shape, x, y, heading=float(rng.uniform(0, 360)))
        play.place_walker(0, *places[-1], float(rng.uniform(-pi, pi)))
        self.memory.update(maze=maze, search=0, found=0, began=0, target=int(rng.integers(len(THREE))))
        self.memory["way"] = self._way(play)

    def _goal(self, play: Play) -> tuple[float, float]:
        x, y, _ = play.place(THREE[self.memory["target"]]).tolist()
        return x, y

    def _way(self, play: Play) -> float:
        maze: Maze = self.memory["maze"]
        state = play.walker(0).state
        return maze.distance((state.x, state.y), self._goal(play))

    def step(self, play: Play) -> Outcome:
        """Pay for a shorter way, and name the next target when this one is found or given up."""
        memory, settings, state = self.memory, self.settings, play.walker(0).state
        way = self._way(play)
        reward = settings.shaping * (memory["way"] - way)
        memory["way"] = way
        x, y = self._goal(play)
        found = hypot(x - state.x, y - state.y) <= REACHED
        late = play.steps - memory["began"] >= settings.search_steps
        if found:
            reward += 1.0
            memory["found"] += 1
            play.emit("reached", thing=THREE[memory["target"]])
        if found or late:
            memory["search"] += 1
            memory["began"] = play.steps
            others = [index for index in range(len(THREE)) if index != memory["target"]]
            memory["target"] = others[int(play.rng.integers(len(others)))]
            memory["way"] = self._way(play)
        over = memory["search"] >= settings.searches
        return Outcome([reward], over, memory["found"] == settings.searches if over else None)

    def reason(self, play: Play) -> str:
        """Return how many searches succeeded."""
        return f"{self.memory['found']} of {self.settings.searches} toys were found in time"

    def measures(self, play: Play) -> Mapping[str, float]:
        """Return how many toys were found, and the length of the way to the target."""
        return {"found": self.memory["found"], "distance": self.memory["way"]}

    def script(self, play: Play, agent: int) -> Any:
        """Follow the shortest way through the maze."""
        maze: Maze = self.memory["maze"]
        state, goal = play.walker(0).state, self._goal(play)
        here = maze.cell_at(state.x, state.y)
        way = maze.way(here, maze.cell_at(*goal))
        if len(way) == 1:
            return steer(play, 0, *goal)
        return steer(play, 0, *maze.middle(way[1]))
