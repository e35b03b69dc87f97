"""How long tests and their controls take: the physics steps of their recorded solutions."""

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.testbed.level import VARIANTS, Level
from puzzlebox.arena.testbed.manifest import read_solutions
from puzzlebox.arena.testbed.pairs import partner_of
from puzzlebox.batteries.testbed import BATTERY

# A test and its control, and the physics steps of both for each variant.
Pair = tuple[int, int]
Steps = list[tuple[int, int]]


def pair_steps(level: Level, *, matched: bool = True) -> dict[Pair, Steps]:
    """Return the physics steps of the solutions of each test and of its control.

    Args:
        level: the level.
        matched: whether to take only the tests that are matched with their controls, not all that have one.
    """
    solutions = read_solutions(level.folder)

    def steps(row: int, variant: int) -> int:
        found = solutions[f"{BATTERY}/{level.number:02d}-{row:02d}-{variant}"][0]
        return len(found.actions) * Rules().decision_period

    pairs: dict[Pair, Steps] = {}
    for test, row in level.rows.items():
        if row.control is not None and (not matched or partner_of(level, test) is not None):
            pairs[test, row.control] = [
                (steps(test, each), steps(row.control, each)) for each in range(1, VARIANTS + 1)
            ]
    return pairs
