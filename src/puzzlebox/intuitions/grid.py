"""The world of the stimuli: a grid of 10 x 10 cells of 20 pixels, origin at the bottom left, y upwards."""

from collections.abc import Iterable
from functools import cache

# The side of a picture and of a cell in pixels, and the number of cells a side. The border ring is always wall.
SIZE, CELL, CELLS = 200, 20, 10
# Pictures a second.
FPS = 25
# Half the side of each entity's square, in pixels.
AGENT_HALF, OBJECT_HALF, KEY_HALF, HOME_HALF = 6, 9, 10, 6
# Still frames: displacements of zero before and after the motion. A trial of m moving frames has 1 + 30 + m + 83
# frames.
STILL_BEFORE, STILL_AFTER = 30, 83
# Pixels a frame along the faster axis.
SPEED = 2
# Trials of familiarisation, and of an episode with its test.
FAMILIARISATION, TRIALS = 8, 9
# The agent stops at the first frame in which its centre is at most this far from the centre of what it goes to.
TOUCH = 11
# The fewest and most wall cells inside the border.
FEWEST_WALLS, MOST_WALLS = 8, 16

Cell = tuple[int, int]
Point = tuple[int, int]

INNER: tuple[Cell, ...] = tuple((column, row) for row in range(1, CELLS - 1) for column in range(1, CELLS - 1))


def _border() -> tuple[Cell, ...]:
    """Return the border ring side by side; the corners are listed twice, as in the published files."""
    last = CELLS - 1
    along = range(CELLS)
    sides = ([(i, 0) for i in along], [(i, last) for i in along], [(0, i) for i in along], [(last, i) for i in along])
    return tuple(cell for side in sides for cell in side)


BORDER = _border()


def centre(cell: Cell) -> Point:
    """Return the centre of a cell in pixels."""
    return cell[0] * CELL + CELL // 2, cell[1] * CELL + CELL // 2


def corner(cell: Cell) -> Point:
    """Return the lower left corner of a cell in pixels."""
    return cell[0] * CELL, cell[1] * CELL


def inside(cell: Cell) -> bool:
    """Return whether a cell lies inside the border."""
    return 1 <= cell[0] <= CELLS - 2 and 1 <= cell[1] <= CELLS - 2


def steps_apart(one: Cell, other: Cell) -> int:
    """Return the distance of two cells in steps of a king on a chessboard."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


@cache
def ring(middle: Cell, radius: int = 1) -> tuple[Cell, ...]:
    """Return the inner cells exactly `radius` king's steps from a cell, in order around it."""
    around = range(-radius, radius + 1)
    bottom = [(middle[0] + i, middle[1] - radius) for i in around]
    right = [(middle[0] + radius, middle[1] + i) for i in around[1:]]
    top = [(middle[0] + i, middle[1] + radius) for i in reversed(around[:-1])]
    left = [(middle[0] - radius, middle[1] + i) for i in reversed(around[1:-1])]
    return tuple(cell for cell in (*bottom, *right, *top, *left) if inside(cell))


def connected(walls: Iterable[Cell]) -> bool:
    """Return whether every free inner cell can be reached from every other by steps along the axes."""
    free = _INNER_BITS & ~_bits(walls)
    return bool(free) and _flooded(free & -free, free) == free


def reachable(start: Cell, walls: Iterable[Cell]) -> set[Cell]:
    """Return the inner cells that can be reached from a cell by steps along the axes, itself included."""
    found = _flooded(_bits((start,)), _INNER_BITS & ~_bits(walls))
    return {start, *(cell for cell in INNER if found >> _bit(cell) & 1)}


# Sets of cells as bits of a number, so that a whole set moves by one cell with one shift. No cell of the border is ever
# free, so nothing moves from one row to the next.


def _bit(cell: Cell) -> int:
    return cell[1] * CELLS + cell[0]


def _bits(cells: Iterable[Cell]) -> int:
    """Return cells as bits; a cell outside the picture has none."""
    found = 0
    for column, row in cells:
        if 0 <= column < CELLS and 0 <= row < CELLS:
            found |= 1 << (row * CELLS + column)
    return found


_INNER_BITS = _bits(INNER)


def _flooded(found: int, free: int) -> int:
    """Return the cells that can be reached from some cells by steps through free ones, those included."""
    while True:
        more = found | (found << 1 | found >> 1 | found << CELLS | found >> CELLS) & free
        if more == found:
            return found
        found = more
