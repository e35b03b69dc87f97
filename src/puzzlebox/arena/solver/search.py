"""Best-first search over operators: what to push, press or leap over, until the goals can be reached."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush

import numpy as np

from puzzlebox.arena.solver.attempt import Attempt
from puzzlebox.arena.solver.ground import Floats, Ground
from puzzlebox.arena.solver.operators import Operator, approach, settle
from puzzlebox.arena.solver.order import good_goals, worth
from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.solver.style import Style
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world import World
from puzzlebox.arena.world.record import Record
from puzzlebox.seeds import rng_from

# The estimate of a state in which no goal that suffices has any place from which it can be touched.
_HOPELESS = 300.0
# How much further a state counts for each operator that led to it.
_PER_OPERATOR = 3.0


@dataclass(frozen=True)
class Node:
    """A state of the search: the episode so far, its steps in words, and how many operators led to it."""

    record: Record
    steps: tuple[str, ...]
    depth: int


Operators = Callable[[Run, Ground], Sequence[Operator]]


class Search:
    """Searches for operators after which an attempt passes.

    Args:
        start: a run at the state to start from.
        style: how the animal drives.
        operators: each returns operators that can be applied in a state.
        fastest: the speed of pushes in m/s.
        deepest: the most operators in a row.
    """

    def __init__(
        self, start: Run, style: Style, operators: Sequence[Operators], fastest: float = 5.0, deepest: int = 3
    ) -> None:
        self._operators = operators
        self._start, self._style, self._fastest, self._deepest = start, style, fastest, deepest
        self._rng = rng_from(style.noise)
        self._seen: set[object] = set()
        self._count = 0
        self._open: list[tuple[float, int, Node]] = []

    def find(self, most: int = 100_000) -> Run | None:
        """Return a run that passes, or None; expand at most so many states."""
        for _ in range(600):
            if self._start.world.over or (self._start.animal.grounded and not self._start.animal.held):
                break
            self._start.wait(1)
        won = self._consider(self._start, 0)
        if won is None:
            won = self._drive_first()
            most += len(self._open) - 1
        while won is None and self._open and most:
            most -= 1
            won = self._expand(heappop(self._open)[2])
        return won

    @property
    def states(self) -> int:
        """Return how many states were found, the first one included."""
        return self._count

    def _drive_first(self) -> Run | None:
        """Drive as far as that gets; the state in which nothing is left to collect is another one to start from."""
        twin = self._start.again()
        start = twin.world.position
        if Attempt(twin, self._style).play():
            return twin
        if not twin.world.over and (twin.animal.collected or twin.world.position != start):
            self._add(twin, 0)
        return None

    def _restore(self, record: Record, steps: tuple[str, ...]) -> Run:
        self._start.effort.spend(len(record.actions) // 4)
        return Run(World.replay(record), self._start.effort, list(steps))

    def _expand(self, node: Node) -> Run | None:
        run = self._restore(node.record, node.steps)
        if node.depth >= self._deepest or run.world.over:
            return None
        ground = run.ground(self._style)
        for operators in self._operators:
            for operator in operators(run, ground):
                run.effort.trying = operator.words()
                won = self._try(node, operator, ground)
                if won is not None:
                    return won
        return None

    def _try(self, node: Node, operator: Operator, ground: Ground) -> Run | None:
        run = self._restore(node.record, node.steps)
        if not approach(run, ground, self._style, operator, self._rng):
            return None
        run.note(f"go to ({operator.at[0]:.1f}, {operator.at[1]:.1f})")
        steps = tuple(run.steps)
        reached = operator.apply(run, ground, self._fastest)
        if run.world.over:
            run.note(reached[-1].step if reached else operator.words())
            if run.world.passed() is True:
                return run
        full = run.record
        for each in reversed(reached):
            state = self._restore(replace(full, actions=full.actions[: each.decisions]), (*steps, each.step))
            settle(state)
            won = self._consider(state, node.depth + 1)
            if won is not None:
                return won
        return None

    def _consider(self, run: Run, depth: int) -> Run | None:
        """Try to pass from a state, or add it to those to expand."""
        if run.world.over:
            return run if run.world.passed() is True else None
        key = _key(run)
        if key in self._seen:
            return None
        self._seen.add(key)
        left, free = estimate(run, self._style)
        if free and depth:
            twin = run.again()
            attempt = Attempt(twin, self._style)
            if attempt.play():
                return twin
            if not twin.world.over and twin.animal.collected > run.animal.collected:
                # Some goals are collected; what is left may need further operators.
                self._add(twin, depth)
        self._add(run, depth, left)
        return None

    def _add(self, run: Run, depth: int, left: float | None = None) -> None:
        """Add a state to those to expand."""
        if left is None:
            left = estimate(run, self._style)[0]
        self._count += 1
        node = Node(run.record, tuple(run.steps), depth)
        heappush(self._open, (left + _PER_OPERATOR * depth, self._count, node))


def _key(run: Run) -> object:
    """Return a rough description of a state, by which similar ones are found."""
    world = run.world
    moving = [
        (thing.id, *(round(2 * each) for each in world.engine.pose(thing.id)[0]))
        for thing in world.present.values()
        if not thing.fixed and thing is not run.animal
    ]
    x, _, z = run.position
    return (round(x / 3), round(z / 3), *moving)


def estimate(run: Run, style: Style) -> tuple[float, bool]:
    """Return the cost of the way to the goal that is easiest to get, and whether that way is free.

    The way may go through movable things and death zones, which cost much.
    """
    world = run.world
    ground = run.ground(replace(style, push=True, reckless=True))
    x, y, z = run.position
    start = ground.place_at(x, y - 0.5, z)
    goals = good_goals(run)
    if start is None or not goals:
        return _HOPELESS, False
    mark = world.arena.pass_mark - world.total
    enough = [goal for goal in goals if worth(goal) > mark]
    costs = ground.costs_from(start)
    each = [_estimate_goal(run, ground, goal, start, costs) for goal in enough or goals]
    if enough:
        return min(each, key=lambda pair: (pair[0], not pair[1]))
    return sum(cost for cost, _ in each), all(free for _, free in each)


def _estimate_goal(run: Run, ground: Ground, goal: Goal, start: int, costs: Floats) -> tuple[float, bool]:
    """Return the cost of the way to one goal, and whether it is free."""
    at = run.world.engine.pose(goal.id)[0]
    places = ground.touching(at, goal.extent[0] / 2)
    if not len(places):
        return 150.0 + 20.0 * at[1], False
    cost = float(costs[places].min())
    if not np.isfinite(cost):
        return _HOPELESS, False
    field = ground.field_to(places)
    assert field is not None
    way = ground.way(field, start, 100_000)
    return cost, not bool(ground.blocked[np.array(way)].any())
