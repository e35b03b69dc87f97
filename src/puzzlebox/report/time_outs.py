"""Time-outs: episodes in which time ran out and nothing was collected or lost, so that all of them are equal outcomes.

The return alone does not tell. An animal that eats has more time, and if that runs out as well its return is -1 again;
one that steps into a death zone at once has a return of almost -1, too. So `ended_by` and the number of goals are used
where they are known: `time` means that time alone cost the last of the health, `health` that something else did. An
animal may have eaten much before its time ran out.
"""

from collections.abc import Sequence
from dataclasses import replace

from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.published_claims import TIMED_OUT
from puzzlebox.wings import ARENA

# Events by which an animal gains or loses reward.
_REWARDS = ("collected", "granted")


def timed_out(row: ReportEpisode) -> bool:
    """Return whether time ran out before the animal gained or lost anything else."""
    if row.goals or any(event.get("kind") in _REWARDS for event in row.events or ()):
        return False
    low, high = TIMED_OUT
    if row.ended_by == "time":
        # In an arena where time costs nothing the return is 0. Where goals are not counted, the return must tell.
        return row.total <= 0 and (row.goals is not None or row.total == 0 or low <= row.total <= high)
    if not low <= row.total <= high:
        return False
    # Runs of other versions call all time-outs `health`; hot zones leave no event but shorten the time.
    return row.ended_by == "health" or (not row.ended_by and not row.passed)


def nothing_happened(row: ReportEpisode) -> bool:
    """Return whether time ran out in an arena, so that the outcome equals that of all other time-outs there.

    In other wings, time may run out with any return: a pole may be balanced until the end.
    """
    return row.wing == ARENA and timed_out(row)


def tied(rows: Sequence[ReportEpisode]) -> list[ReportEpisode]:
    """Return episodes in which all time-outs in an arena have the lowest of their returns.

    Programs sum rewards differently, and equal outcomes must not rank differently because of that.
    """
    outs = {id(row) for row in rows if nothing_happened(row)}
    lowest: dict[tuple[str, int], float] = {}
    for row in rows:
        if id(row) in outs:
            place = row.task, row.arena
            lowest[place] = min(row.total, lowest.get(place, row.total))

    def with_return(row: ReportEpisode) -> ReportEpisode:
        total = lowest[row.task, row.arena] if id(row) in outs else row.total
        return row if row.total == total else replace(row, total=total)

    return [with_return(row) for row in rows]
