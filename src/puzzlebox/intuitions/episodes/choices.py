"""Evaluation tasks with two objects: preference, multi-agent, inaccessible goal."""

from itertools import product
from random import Random
from typing import NamedTuple

from puzzlebox.intuitions.episodes.casting import Cast, Look
from puzzlebox.intuitions.episodes.layouts import Ground, NoLayout, draw_walls
from puzzlebox.intuitions.episodes.staging import stage
from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus, Trial
from puzzlebox.intuitions.grid import FAMILIARISATION, INNER, MOST_WALLS, Cell, connected, ring, steps_apart

# The shortest and longest paths to an object in pixels, and the least difference of the two in a scene.
_SHORTEST, _LONGEST, _DIFFERENCE = 50.0, 115.0, 6.0
# King's steps between the two objects at least, and between the middles of two regions.
_APART, _REGIONS_APART = 3, 4


class Places(NamedTuple):
    """The cells of the two objects."""

    wanted: Cell
    other: Cell

    def swapped(self) -> "Places":
        """Return the places with the objects exchanged."""
        return Places(self.other, self.wanted)


def _ground(rng: Random, most: int = MOST_WALLS) -> Ground:
    walls = draw_walls(rng, most=most)
    return Ground(walls, rng.choice([cell for cell in INNER if cell not in walls]))


def _in_reach(ground: Ground) -> list[Cell]:
    return [cell for cell, length in ground.lengths.items() if _SHORTEST <= length <= _LONGEST]


def _nearer(ground: Ground, places: Places) -> bool | None:
    """Return whether A is nearer than B; None if it is not clear, or if the agent would touch one on its way."""
    one, two = places
    difference = ground.lengths[two] - ground.lengths[one]
    crow_flies = ground.straight(two) - ground.straight(one)
    # Nearer along the path is also nearer as the crow flies, so that both measures are balanced.
    if steps_apart(one, two) < _APART or abs(difference) < _DIFFERENCE or difference * crow_flies <= 0:
        return None
    return difference > 0 if ground.avoids(one, two) and ground.avoids(two, one) else None


def _balanced(rng: Random, ground: Ground, ones: list[Cell], twos: list[Cell]) -> list[Places]:
    """Draw the places of eight trials, in half of which the wanted object is the nearer one."""
    pairs = [Places(one, two) for one, two in product(ones, twos)]
    rng.shuffle(pairs)
    half = FAMILIARISATION // 2
    chosen: dict[bool, list[Places]] = {True: [], False: []}
    for places in pairs:
        nearer = _nearer(ground, places)
        if nearer is not None and len(chosen[nearer]) < half:
            chosen[nearer].append(places)
            if len(chosen[True]) == len(chosen[False]) == half:
                drawn = chosen[True] + chosen[False]
                rng.shuffle(drawn)
                return drawn
    raise NoLayout


def _trial(ground: Ground, agent: Look, cast: Cast, places: Places, goal: Cell) -> Trial:
    return stage(ground.blocked, ground.start, agent, cast.listed(*places), ground.walk(goal))


def _familiarisation(ground: Ground, cast: Cast, drawn: list[Places]) -> tuple[Trial, ...]:
    return tuple(_trial(ground, cast.agent, cast, places, places.wanted) for places in drawn)


def preference(rng: Random, cast: Cast, number: int, nearer: bool) -> Pair:
    """Draw a pair of the preference task; `nearer`: whether A is the nearer object in the test."""
    ground = _ground(rng)
    cells = _in_reach(ground)
    if not cells:
        raise NoLayout
    here, there = rng.choice(cells), rng.choice(cells)
    if steps_apart(here, there) < _REGIONS_APART:
        raise NoLayout
    ones, twos = ([cell for cell in cells if steps_apart(cell, middle) <= 1] for middle in (here, there))
    drawn = _balanced(rng, ground, ones, twos)
    trials = _familiarisation(ground, cast, drawn)
    # After the exchange, the object that was farther is the nearer one.
    repeated = rng.choice([places for places in drawn if _nearer(ground, places) is not nearer])
    test = repeated.swapped()
    tests = (_trial(ground, cast.agent, cast, test, goal) for goal in (test.wanted, test.other))
    expected, unexpected = (Stimulus((*trials, each)) for each in tests)
    return Pair("preference", number, expected, unexpected)


def _test_places(rng: Random, ground: Ground, cells: list[Cell], chosen_nearer: bool, chosen_is_wanted: bool) -> Places:
    pairs = [Places(one, two) for one, two in product(cells, cells) if one != two]
    for places in rng.sample(pairs, min(len(pairs), 40)):
        nearer = _nearer(ground, places)
        if nearer is not None and (nearer is chosen_nearer) is chosen_is_wanted:
            return places
    raise NoLayout


def multi_agent(rng: Random, cast: Cast, number: int, nearer: bool, same_goal: bool) -> Pair:
    """Draw a pair of the multi-agent task.

    Args:
        rng: the random stream.
        cast: the agents and objects.
        number: the number of the episode.
        nearer: whether the object chosen in the test is the nearer one.
        same_goal: pair type i (both members go to A) and not ii (both go to B).
    """
    ground = _ground(rng)
    cells = _in_reach(ground)
    trials = _familiarisation(ground, cast, _balanced(rng, ground, cells, cells))
    places = _test_places(rng, ground, cells, nearer, same_goal)
    goal = places.wanted if same_goal else places.other
    familiar, new = (_trial(ground, agent, cast, places, goal) for agent in (cast.agent, cast.newcomer))
    expected, unexpected = (familiar, new) if same_goal else (new, familiar)
    return Pair("multi_agent", number, Stimulus((*trials, expected)), Stimulus((*trials, unexpected)))


def inaccessible_goal(rng: Random, cast: Cast, number: int, nearer: bool) -> Pair:
    """Draw a pair of the inaccessible-goal task; `nearer`: whether B, chosen in both tests, is the nearer object."""
    # The enclosure adds up to eight walls to these.
    ground = _ground(rng, most=12)
    cells = _in_reach(ground)
    trials = _familiarisation(ground, cast, _balanced(rng, ground, cells, cells))
    places = _test_places(rng, ground, cells, nearer, chosen_is_wanted=False)
    around = set(ring(places.wanted))
    closed = Ground(ground.blocked | around, ground.start)
    if {ground.start, places.other} & around or not connected(closed.blocked | {places.wanted}):
        raise NoLayout
    if closed.path(places.other) != ground.path(places.other):
        raise NoLayout
    tests = (_trial(each, cast.agent, cast, places, places.other) for each in (closed, ground))
    expected, unexpected = (Stimulus((*trials, each)) for each in tests)
    return Pair("inaccessible_goal", number, expected, unexpected)
