"""`pairs`: how long the recorded solutions of tests and of their matched controls are."""

from collections.abc import Iterable
from statistics import median

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.testbed.level import VARIANTS
from puzzlebox.arena.testbed.manifest import read_solutions
from puzzlebox.arena.testbed.pairs import partner_of
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.batteries.testbed import BATTERY


def lengths(levels: Iterable[int]) -> str:
    """Return the physics steps of tests over those of their controls, level by level and pair by pair."""
    lines = []
    for number in levels:
        level = read_level(number)
        solutions = read_solutions(level.folder)
        ratios: list[float] = []
        pairs: list[str] = []
        for control in (row for row, each in level.rows.items() if each.is_control):
            test = partner_of(level, control)
            if test is None:
                continue
            steps = []
            for variant in range(1, VARIANTS + 1):
                names = (f"{BATTERY}/{number:02d}-{row:02d}-{variant}" for row in (test, control))
                steps.append([len(solutions[name][0].actions) * Rules().decision_period for name in names])
            ratios += [one / other for one, other in steps]
            pairs.append(f"   {test:2} and {control:2}: {', '.join(f'{one}/{other}' for one, other in steps)}")
        lines.append(
            f"level {number:2}: {len(ratios)} pairs, ratio {median(ratios):.2f} in the median, "
            f"{min(ratios):.2f} to {max(ratios):.2f}"
        )
        lines += pairs
    return "\n".join(lines)
