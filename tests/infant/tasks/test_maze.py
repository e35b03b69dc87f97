"""Mazes have a way between all cells, and ways are measured along corridors."""

from itertools import pairwise

import numpy as np
import pytest

from puzzlebox.infant.tasks.maze import Maze


@pytest.mark.parametrize("cells", (3, 4, 6))
def test_every_cell_can_be_reached_through_doors(cells: int) -> None:
    maze = Maze.draw(cells, 1.0, np.random.default_rng(cells))
    for x in range(cells):
        for y in range(cells):
            way = maze.way((0, 0), (x, y))
            assert way[0] == (0, 0)
            assert way[-1] == (x, y)
            for one, two in pairwise(way):
                assert (min(one, two), max(one, two)) in maze.doors
    assert len(maze.walls()) + len(maze.doors) == 2 * cells * (cells - 1)


def test_ways_are_longer_than_straight_lines_and_the_same_seed_gives_the_same_maze() -> None:
    maze = Maze.draw(4, 1.0, np.random.default_rng(1), loops=0.0)
    assert maze == Maze.draw(4, 1.0, np.random.default_rng(1), loops=0.0)
    assert maze != Maze.draw(4, 1.0, np.random.default_rng(2), loops=0.0)
    assert maze.cell_at(*maze.middle((2, 3))) == (2, 3)
    assert maze.distance(maze.middle((0, 0)), maze.middle((0, 0))) == 0.0
    one, two = maze.walls()[0]
    assert maze.distance(maze.middle(one), maze.middle(two)) >= 3.0
