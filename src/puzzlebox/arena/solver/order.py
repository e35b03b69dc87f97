"""In which order to collect goals: sequences that reach the pass mark, the cheapest first."""

from dataclasses import dataclass

import numpy as np

from puzzlebox.arena.rules import PHYSICS_STEP, TIME_UNIT
from puzzlebox.arena.solver.forecast import Forecast
from puzzlebox.arena.solver.ground import Floats, Ground, Places
from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.things.changing import ChangingGoal
from puzzlebox.arena.things.goals import Goal

# Metres per second that an animal covers on average, on a way whose cost counts rims and turns.
PACE = 6.0
# How many unfinished sequences are kept at each length.
_BEAM = 120


@dataclass(frozen=True)
class Sequence:
    """Goals to collect, in order.

    Attributes:
        goals: their ids.
        value: what they pay together.
        cost: the cost of the way, in metres of easy ground.
        enough: whether they are expected to reach the pass mark.
    """

    goals: tuple[int, ...]
    value: float
    cost: float
    enough: bool


def good_goals(run: Run) -> list[Goal]:
    """Return the goals that pay something, now or later."""
    found = []
    for thing in run.world.present.values():
        if isinstance(thing, Goal):
            value = max(thing.value, thing.last) if isinstance(thing, ChangingGoal) else thing.value
            if value > 0:
                found.append(thing)
    return found


def worth(goal: Goal) -> float:
    """Return the most that a goal will pay from now on."""
    return max(goal.now, goal.last) if isinstance(goal, ChangingGoal) else goal.value


def sequences(run: Run, ground: Ground, forecast: Forecast) -> list[Sequence]:
    """Return sequences of reachable goals, those that reach the pass mark first, then by cost."""
    world = run.world
    x, y, z = run.position
    start = ground.place_at(x, y - 0.5, z)
    if start is None:
        return []
    goals = good_goals(run)
    reached = ground.costs_from(start)
    places = []
    for goal in goals:
        places.append(_places_of(run, ground, forecast, goal, reached))
    costs = _costs(ground, start, places)
    reachable = [index for index in range(len(goals)) if np.isfinite(costs[:, index]).any()]
    limit = world.arena.time_limit * TIME_UNIT * PHYSICS_STEP
    mark, so_far, total = world.arena.pass_mark, world.total, len(goals)
    states: list[tuple[tuple[int, ...], float, float]] = [((), 0.0, 0.0)]
    found: list[Sequence] = []
    while states:
        longer = []
        for chosen, value, cost in states:
            row = 0 if not chosen else chosen[-1] + 1
            for index in reachable:
                if index in chosen or not np.isfinite(costs[row, index]):
                    continue
                goal, further = goals[index], cost + float(costs[row, index])
                state = ((*chosen, index), value + worth(goal), further)
                lost = further / PACE / limit if limit else 0.0
                ends = goal.ends_at_once() or len(state[0]) == total
                # An episode that is not completed goes on until the time has cost another whole point.
                left = so_far + state[1] - lost - (0.0 if ends or not limit else 1.0)
                enough = left >= mark and (left > 0 or mark != 0.0)
                ids = tuple(goals[each].id for each in state[0])
                if ends or enough:
                    found.append(Sequence(ids, state[1], further, enough))
                else:
                    found.append(Sequence(ids, state[1], further, so_far + state[1] - lost >= mark and not limit))
                if not goal.ends_at_once():
                    longer.append(state)
        longer.sort(key=lambda state: (state[2] / (len(state[0]) or 1), state[0]))
        states = _best(longer)
    return sorted(found, key=lambda each: (not each.enough, each.cost if each.enough else -each.value, each.cost))


def _places_of(run: Run, ground: Ground, forecast: Forecast, goal: Goal, reached: Floats) -> Places:
    """Return the places at which a goal can be touched: where it comes to rest, or else where it can first be met."""
    track = forecast.tracks.get(goal.id)
    if track is None:
        return ground.touching(run.world.engine.pose(goal.id)[0], goal.extent[0] / 2)
    rest = ground.touching(track.at[-1], track.radius[-1])
    if (len(rest) and np.isfinite(reached[rest]).any()) or track.rests_after(run.decisions):
        return rest
    entries = range(track.index(run.decisions), len(track.times))
    for entry in entries[:: max(1, len(entries) // 40)]:
        places = ground.touching(track.at[entry], track.radius[entry])
        if len(places):
            travel = float(reached[places].min()) / PACE / run.seconds_of_decision
            if run.decisions + travel <= track.times[entry]:
                return places
    return rest


def _best(states: list[tuple[tuple[int, ...], float, float]]) -> list[tuple[tuple[int, ...], float, float]]:
    """Return the cheapest order of each set and last goal, limited in number."""
    kept: dict[tuple[frozenset[int], int], tuple[tuple[int, ...], float, float]] = {}
    for state in states:
        key = (frozenset(state[0]), state[0][-1])
        if key not in kept or state[2] < kept[key][2]:
            kept[key] = state
    return sorted(kept.values(), key=lambda state: (-state[1] / (1.0 + state[2]), state[0]))[:_BEAM]


def _costs(ground: Ground, start: int, places: list[Places]) -> Floats:
    """Return the cost from the start (row 0) and from each goal to each goal; infinite where there is no way."""
    count = len(places)
    costs = np.full((count + 1, count), np.inf)
    origins: list[int | None] = [start]
    first = ground.costs_from(start)
    for each in places:
        origins.append(int(each[first[each].argmin()]) if len(each) and np.isfinite(first[each]).any() else None)
    for row, origin in enumerate(origins):
        if origin is None and row:
            origin_places = places[row - 1]
            if not len(origin_places):
                continue
            origin = int(origin_places[0])
        assert origin is not None
        reached = first if row == 0 else ground.costs_from(origin)
        for column, each in enumerate(places):
            if len(each) and column != row - 1:
                costs[row, column] = reached[each].min()
    return costs
