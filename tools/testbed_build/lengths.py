"""`pairs`: how long the recorded solutions of tests and of their matched controls are."""

from collections.abc import Iterable
from statistics import median

from puzzlebox.arena.testbed.lengths import pair_steps
from puzzlebox.arena.testbed.reading import read_level


def lengths(levels: Iterable[int]) -> str:
    """Return the physics steps of tests over those of their controls, level by level and pair by pair."""
    lines = []
    for number in levels:
        pairs = pair_steps(read_level(number))
        ratios = [one / other for steps in pairs.values() for one, other in steps]
        lines.append(
            f"level {number:2}: {len(ratios)} pairs, ratio {median(ratios):.2f} in the median, "
            f"{min(ratios):.2f} to {max(ratios):.2f}"
        )
        for (test, control), steps in pairs.items():
            lines.append(f"   {test:2} and {control:2}: {', '.join(f'{one}/{other}' for one, other in steps)}")
    return "\n".join(lines)
