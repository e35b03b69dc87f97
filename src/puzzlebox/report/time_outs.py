"""Time-outs: episodes in which time ran out and nothing was collected or lost, so that all of them are equal outcomes.

The return alone does not tell. An animal that eats has more time, and if that runs out as well its return is -1 again;
one that steps into a death zone at once has a return of almost -1, too. `ended_by` is therefore used where it is known:
`time` means that nothing but time cost anything, `health` that something else did.
"""

from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.published_claims import TIMED_OUT

# Events by which an animal gains or loses reward.
_REWARDS = ("collected", "granted")


def timed_out(row: ReportEpisode) -> bool:
    """Return whether time ran out before the animal gained or lost anything else."""
    if row.ended_by == "time":
        return True
    low, high = TIMED_OUT
    if not low <= row.total <= high:
        return False
    if row.ended_by == "health":
        # Runs of other versions call all time-outs so; hot zones leave no event but shorten the time.
        return not row.goals and not any(event.get("kind") in _REWARDS for event in row.events or ())
    return not row.ended_by and not row.passed
