"""A player for tests: it reads the true state, steers the first animal by it, and records its actions."""

from collections.abc import Callable
from math import atan2, degrees, hypot

from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.things import Agent, Thing
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import FORWARDS, LEFT, NOOP, RIGHT

# Degrees. A turn action turns by six, so no heading can be reached more closely.
_NEAREST_HEADING = 3.0
# Degrees off its target within which it runs: its momentum keeps the old direction.
_AHEAD = 12.0
# Metres an animal slides for each m/s when it stops.
_SLIDE_SECONDS = 0.16
# Decisions for which the notification is shown, and a few more.
_NOTICE_DECISIONS = 50


def _actions_of_all(world: World, action: int) -> list[int]:
    """Return the actions of all animals where only the first one acts."""
    return [action] + [NOOP] * (len(world.animals) - 1)


class Player:
    """A player that steers the first animal of a new world and records its actions."""

    def __init__(self, task: Task, *, arena: int = 0, seed: int = 0) -> None:
        self.world = World(task, arena=arena, seed=seed)
        self.actions: list[int] = []
        self.highest = 0.0

    @property
    def animal(self) -> Agent:
        """The animal that is steered; another one after arenas have merged."""
        return self.world.animals[0]

    def find(self, name: str, number: int = 0) -> Thing:
        """Return the first thing of a name, or a later one."""
        return [thing for thing in self.world.things if type(thing).__name__ == name][number]

    def where(self, name: str, number: int = 0) -> tuple[float, float]:
        """Return the x and z of a thing."""
        x, _, z = self.world.position_of(self.find(name, number))
        return x, z

    def do(self, action: int, times: int = 1) -> None:
        """Repeat an action, until the episode is over."""
        for _ in range(times):
            if not self.world.over:
                self.actions.append(action)
                self.world.step(_actions_of_all(self.world, action))
                self.highest = max(self.highest, self.world.position_of(self.animal)[1])

    def forwards(self, times: int) -> None:
        """Move forwards."""
        self.do(FORWARDS, times)

    def push_until(self, done: Callable[[], bool]) -> None:
        """Move forwards until a condition holds."""
        for _ in range(60):
            if self.world.over or done():
                return
            self.do(FORWARDS)
        raise AssertionError(f"pushing leads nowhere, at {self.world.position_of(self.animal)}")

    def wait(self, times: int) -> None:
        """Do nothing for some decisions."""
        self.do(NOOP, times)

    def _turn_to(self, bearing: float) -> tuple[float, int]:
        """Return how many degrees off a direction is, and the action that turns towards it."""
        off = (bearing - self.animal.heading + 180.0) % 360.0 - 180.0
        return abs(off), NOOP if abs(off) <= _NEAREST_HEADING else RIGHT if off > 0 else LEFT

    def face(self, bearing: float) -> None:
        """Turn to a direction in degrees."""
        while not self.world.over and (turn := self._turn_to(bearing)[1]):
            self.do(turn)

    def _velocity(self) -> tuple[float, float]:
        x, _, z = self.world.body(self.animal).get_linear_velocity()
        return float(x), float(z)

    def stop(self) -> None:
        """Wait until the animal rests."""
        while not self.world.over and hypot(*self._velocity()) > 0.05:
            self.do(NOOP)

    def go_to(self, x: float, z: float, *, near: float = 0.3, speed: float = 26.0) -> None:
        """Walk to a point in a straight line, and stop."""
        for _ in range(300):
            here_x, _, here_z = self.world.position_of(self.animal)
            ahead, aside = z - here_z, x - here_x
            far = hypot(ahead, aside)
            if self.world.over or far < near:
                break
            off, turn = self._turn_to(degrees(atan2(aside, ahead)))
            vx, vz = self._velocity()
            closing = (vx * aside + vz * ahead) / far
            go = off < _AHEAD and closing < min(speed, far / _SLIDE_SECONDS)
            self.do((FORWARDS if go else NOOP) + turn)
        else:
            raise AssertionError(f"stuck at {self.world.position_of(self.animal)} on the way to {x}, {z}")
        self.stop()

    def fetch(self, name: str, number: int = 0) -> None:
        """Follow a thing, wherever it rolls, until it is collected."""
        thing = self.find(name, number)
        for _ in range(60):
            if thing.id < 0 or self.world.over:
                return
            x, _, z = self.world.position_of(thing)
            here_x, _, here_z = self.world.position_of(self.animal)
            off, turn = self._turn_to(degrees(atan2(x - here_x, z - here_z)))
            self.do((FORWARDS if off < _AHEAD else NOOP) + turn)
        raise AssertionError(f"never caught the {name}")


def passes(world: World) -> bool:
    """Return whether the episode was passed, with all things placed."""
    assert world.error is None
    assert not world.unplaced
    gained = world.animals[0].total
    return world.terminated and gained > 0.0 and gained >= world.arena.pass_mark


def replay(task: Task, actions: list[int], *, arena: int = 0, seed: int = 0) -> World:
    """Return a new world after the same actions, until the episode is over."""
    world = World(task, arena=arena, seed=seed)
    for action in actions:
        if not world.over:
            world.step(_actions_of_all(world, action))
    return world


def solved(task: Task, script: Callable[[Player], None], *, arena: int = 0, seed: int = 0) -> Player:
    """Return the player after a script, which must pass; its actions alone must give exactly the same result."""
    player = Player(task, arena=arena, seed=seed)
    script(player)
    if player.world.task.show_notification:
        player.wait(_NOTICE_DECISIONS)
    assert passes(player.world), (player.world.position_of(player.animal), player.animal.total)
    again = replay(task, player.actions, arena=arena, seed=seed)
    assert passes(again)
    assert again.animals[0].total == player.animal.total
    assert again.clock == player.world.clock
    assert again.state() == player.world.state()
    return player
