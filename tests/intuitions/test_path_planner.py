"""The planner: as short as an independent search in exact arithmetic, and never through a wall."""

import heapq
from fractions import Fraction
from math import hypot, inf
from random import Random

import numpy as np
import pytest

from puzzlebox.intuitions.episodes.layouts import NoLayout, draw_walls
from puzzlebox.intuitions.episodes.motion import distance_to_path, path_length, walk
from puzzlebox.intuitions.episodes.planner import HIGHEST, LOWEST, Planner
from puzzlebox.intuitions.grid import CELL, INNER, centre, connected, reachable, ring

Box = tuple[int, int, int, int]


def grown(walls: frozenset[tuple[int, int]]) -> list[Box]:
    return [(c * CELL - 6, r * CELL - 6, (c + 1) * CELL + 6, (r + 1) * CELL + 6) for c, r in walls]


def enters(start: tuple[int, int], end: tuple[int, int], box: Box) -> bool:
    """Whether a segment has a point inside an open box, in exact arithmetic."""
    low, high = Fraction(0), Fraction(1)
    for axis in (0, 1):
        step = end[axis] - start[axis]
        if step == 0:
            if not box[axis] < start[axis] < box[axis + 2]:
                return False
            continue
        one, two = sorted((Fraction(box[axis] - start[axis], step), Fraction(box[axis + 2] - start[axis], step)))
        low, high = max(low, one), min(high, two)
    return low < high


def shortest(walls: frozenset[tuple[int, int]], start: tuple[int, int], goal: tuple[int, int]) -> float:
    """The length of the shortest path by an exhaustive search over all corners of all cells."""
    boxes = grown(walls)
    corners = {(x, y) for x1, y1, x2, y2 in boxes for x in (x1, x2) for y in (y1, y2)}
    points = [start, goal, *(p for p in corners if all(LOWEST <= each <= HIGHEST for each in p))]
    best, queue = {start: 0.0}, [(0.0, start)]
    while queue:
        length, point = heapq.heappop(queue)
        if point == goal:
            return length
        if length > best[point]:
            continue
        for other in points:
            through = length + hypot(other[0] - point[0], other[1] - point[1])
            if through < best.get(other, inf) and not any(enters(point, other, box) for box in boxes):
                best[other] = through
                heapq.heappush(queue, (through, other))
    return inf


def walls_of(seed: int) -> frozenset[tuple[int, int]]:
    rng = Random(seed)
    while True:
        try:
            return draw_walls(rng)
        except NoLayout:
            continue


@pytest.mark.parametrize("seed", range(6))
def test_paths_are_as_short_as_an_exhaustive_search_finds(seed: int) -> None:
    walls = walls_of(seed)
    rng = Random(seed)
    free = [cell for cell in INNER if cell not in walls]
    start = centre(rng.choice(free))
    field = Planner(walls).field(start)
    for cell in rng.sample(free, 5):
        length, path = field.path(centre(cell))
        assert length == pytest.approx(shortest(walls, start, centre(cell)), abs=1e-6)
        assert path_length(np.array(path)) == pytest.approx(length, abs=1e-6)
        assert path[0] == start and path[-1] == centre(cell)


@pytest.mark.parametrize("seed", range(20, 40))
def test_an_agent_on_its_way_is_never_in_a_wall(seed: int) -> None:
    walls = walls_of(seed)
    planner, rng = Planner(walls), Random(seed)
    free = [cell for cell in INNER if cell not in walls]
    start, goal = rng.sample(free, 2)
    places = walk(planner.field(centre(start)).path(centre(goal))[1], centre(goal))
    assert planner.free(np.array(places)).all()
    steps = np.abs(np.diff(np.array([centre(start), *places]), axis=0)).max(axis=1)
    assert steps.max() <= 2
    assert hypot(places[-1][0] - centre(goal)[0], places[-1][1] - centre(goal)[1]) <= 11


def test_the_corridor_between_two_walls_is_wide_enough_and_a_diagonal_gap_is_not() -> None:
    corridor = frozenset({(4, row) for row in range(1, 9)} - {(4, 4)})
    assert Planner(corridor).field(centre((2, 4))).path(centre((7, 4)))[0] == 100.0
    diagonal = frozenset({(4, row) for row in range(1, 5)} | {(5, row) for row in range(5, 9)})
    assert Planner(diagonal).field(centre((2, 4))).path(centre((7, 4))) == (inf, [])
    assert (7, 4) not in reachable((2, 4), diagonal)


def test_a_path_along_a_wall_touches_it() -> None:
    walls = frozenset({(4, 4)})
    length, path = Planner(walls).field((70, 90)).path((110, 90))
    assert path == [(70, 90), (74, 106), (106, 106), (110, 90)] or path == [(70, 90), (74, 74), (106, 74), (110, 90)]
    assert length == pytest.approx(2 * hypot(4, 16) + 32)


def test_without_walls_the_path_is_straight() -> None:
    assert Planner(frozenset()).field((30, 30)).path((170, 110)) == (hypot(140, 80), [(30, 30), (170, 110)])


def test_the_faster_axis_moves_two_pixels_a_frame() -> None:
    assert walk([(0, 0), (5, 2)]) == [(2, 1), (4, 2), (5, 2)]
    assert walk([(0, 0)]) == []
    assert distance_to_path((3, 4), [(0, 0), (10, 0)]) == 4.0


def test_rings_are_in_order_and_within_the_border() -> None:
    assert ring((1, 1)) == ((2, 1), (2, 2), (1, 2))
    around = ring((4, 4), 2)
    assert len(around) == 16 == len(set(around))
    neighbours = zip(around, (*around[1:], around[0]), strict=True)
    assert all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in neighbours)


def test_an_enclosed_cell_is_noticed() -> None:
    assert connected(frozenset({(4, 4)}))
    assert not connected(ring((4, 4)))


def test_cells_in_reach_are_those_of_a_search_from_cell_to_cell() -> None:
    rng = Random(5)
    for _ in range(40):
        walls = set(rng.sample(INNER, rng.randint(5, 40)))
        start = rng.choice(INNER)
        found, edge = {start}, [start]
        while edge:
            column, row = edge.pop()
            for cell in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
                if cell in INNER and cell not in walls and cell not in found:
                    found.add(cell)
                    edge.append(cell)
        assert reachable(start, walls) == found
        assert connected(walls) is (reachable(next(c for c in INNER if c not in walls), walls) == set(INNER) - walls)
    assert not connected(INNER)
    assert reachable((-3, 4), ()) == {(-3, 4)}
    assert reachable((0, 4), ()) == {(0, 4), *INNER}
