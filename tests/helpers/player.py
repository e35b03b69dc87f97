"""A player for tests: it sees the true state, steers the first animal by it, and remembers what it did."""

from collections.abc import Callable
from math import atan2, degrees, hypot

from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.things import Agent, Thing
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import FORWARDS, LEFT, NOOP, RIGHT

# A turn action turns by six degrees, so no heading is nearer than this.
_NEAREST_HEADING = 3.0
# One who runs before it faces its aim drifts off, for its momentum keeps the old direction.
_AHEAD = 12.0
# Metres an animal slides for each m/s when it stops.
_SLIDES = 0.16
# Actions for which the end is shown, and a few more.
_NOTICE = 50


def _alone(world: World, action: int) -> list[int]:
    """What all do when the first animal acts and nobody steers the others."""
    return [action] + [NOOP] * (len(world.animals) - 1)


class Player:
    """Steers the first agent of a new world and remembers what it did."""

    def __init__(self, task: Task, *, arena: int = 0, seed: int = 0) -> None:
        self.world = World(task, arena=arena, seed=seed)
        self.actions: list[int] = []
        self.highest = 0.0

    @property
    def animal(self) -> Agent:
        """The one that is steered; another one after arenas have merged."""
        return self.world.animals[0]

    def find(self, name: str, number: int = 0) -> Thing:
        """The first thing of that name, or a later one."""
        return [thing for thing in self.world.things if type(thing).__name__ == name][number]

    def where(self, name: str, number: int = 0) -> tuple[float, float]:
        """Where that thing is on the floor plan."""
        x, _, z = self.world.position_of(self.find(name, number))
        return x, z

    def do(self, action: int, times: int = 1) -> None:
        """Act, unless it is all over."""
        for _ in range(times):
            if not self.world.over:
                self.actions.append(action)
                self.world.step(_alone(self.world, action))
                self.highest = max(self.highest, self.world.position_of(self.animal)[1])

    def forwards(self, times: int) -> None:
        """Press on."""
        self.do(FORWARDS, times)

    def push_until(self, done: Callable[[], bool]) -> None:
        """Press on until something is so."""
        for _ in range(60):
            if self.world.over or done():
                return
            self.do(FORWARDS)
        raise AssertionError(f"pushing leads nowhere, at {self.world.position_of(self.animal)}")

    def wait(self, times: int) -> None:
        """Let time pass."""
        self.do(NOOP, times)

    def _turn_to(self, bearing: float) -> tuple[float, int]:
        """How far off a direction is, and the turn that leads there."""
        off = (bearing - self.animal.heading + 180.0) % 360.0 - 180.0
        return abs(off), NOOP if abs(off) <= _NEAREST_HEADING else RIGHT if off > 0 else LEFT

    def face(self, bearing: float) -> None:
        """Look in a direction."""
        while not self.world.over and (turn := self._turn_to(bearing)[1]):
            self.do(turn)

    def _velocity(self) -> tuple[float, float]:
        x, _, z = self.world.body(self.animal).get_linear_velocity()
        return float(x), float(z)

    def stop(self) -> None:
        """Come to rest."""
        while not self.world.over and hypot(*self._velocity()) > 0.05:
            self.do(NOOP)

    def go_to(self, x: float, z: float, *, near: float = 0.3, speed: float = 26.0) -> None:
        """Walk there in a straight line, and stop."""
        for _ in range(300):
            here_x, _, here_z = self.world.position_of(self.animal)
            ahead, aside = z - here_z, x - here_x
            far = hypot(ahead, aside)
            if self.world.over or far < near:
                break
            off, turn = self._turn_to(degrees(atan2(aside, ahead)))
            vx, vz = self._velocity()
            closing = (vx * aside + vz * ahead) / far
            go = off < _AHEAD and closing < min(speed, far / _SLIDES)
            self.do((FORWARDS if go else NOOP) + turn)
        else:
            raise AssertionError(f"stuck at {self.world.position_of(self.animal)} on the way to {x}, {z}")
        self.stop()

    def fetch(self, name: str, number: int = 0) -> None:
        """Go for a thing, wherever it rolls, until it is gone."""
        prey = self.find(name, number)
        for _ in range(60):
            if prey.id < 0 or self.world.over:
                return
            x, _, z = self.world.position_of(prey)
            here_x, _, here_z = self.world.position_of(self.animal)
            off, turn = self._turn_to(degrees(atan2(x - here_x, z - here_z)))
            self.do((FORWARDS if off < _AHEAD else NOOP) + turn)
        raise AssertionError(f"never caught the {name}")


def passes(world: World) -> bool:
    """Whether it came to a good end, with every thing in its place."""
    assert world.error is None
    assert not world.unplaced
    gained = world.animals[0].total
    return world.terminated and gained > 0.0 and gained >= world.arena.pass_mark


def replayed(task: Task, actions: list[int], *, arena: int = 0, seed: int = 0) -> World:
    """A new world after the same actions, as far as they are needed."""
    world = World(task, arena=arena, seed=seed)
    for action in actions:
        if not world.over:
            world.step(_alone(world, action))
    return world


def solved(task: Task, script: Callable[[Player], None], *, arena: int = 0, seed: int = 0) -> Player:
    """The player after its script: it has passed, and its actions alone lead to the very same end."""
    player = Player(task, arena=arena, seed=seed)
    script(player)
    if player.world.task.show_notification:
        player.wait(_NOTICE)
    assert passes(player.world), (player.world.position_of(player.animal), player.animal.total)
    again = replayed(task, player.actions, arena=arena, seed=seed)
    assert passes(again)
    assert again.animals[0].total == player.animal.total
    assert again.clock == player.world.clock
    assert again.state() == player.world.state()
    return player
