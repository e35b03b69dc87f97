"""Episodes that repeat one another: an agent without chances of its own, on a task without any, does the same again."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from puzzlebox.report.played import Played, grouped
from puzzlebox.run.journal import trajectories
from puzzlebox.run.trajectories import TRAJECTORIES


def repetitions(rows: Iterable[Played]) -> list[list[Played]]:
    """For each agent and arena all of whose episodes are alike though their seeds differ, these episodes."""
    # People are different people, however alike they play.
    agents = (row for row in rows if not row.person)
    sets = grouped(agents, lambda row: (row.task, row.arena, row.agent, row.rules))
    alike = [own for own in sets.values() if len({row.seed for row in own}) > 1 and _same_outcome(own)]
    ways = _ways(row for own in alike for row in own)
    return [own for own in alike if _same_way(own, ways)]


def _same_outcome(rows: Sequence[Played]) -> bool:
    return rows[0].steps is not None and len({(row.steps, row.total) for row in rows}) == 1


def _same_way(rows: Sequence[Played], ways: dict[str, str]) -> bool:
    """Whether the same was done in each; where nobody knows, whether it must have been.

    Whoever runs out of time, or starves, has the same steps and return as anybody else who does; but to end an episode
    in the very same step again one must have done the same.
    """
    done = {ways.get(row.trajectory) for row in rows}
    if None in done:
        return all(row.ended_by == "completed" or (not row.ended_by and row.passed) for row in rows)
    return len(done) == 1


def _ways(rows: Iterable[Played]) -> dict[str, str]:
    """The actions of episodes whose runs kept them, by their trajectory."""
    found: dict[str, str] = {}
    for place, own in grouped(rows, lambda row: row.trajectory.partition("|")[0]).items():
        folder = Path(place)
        if not place or not (folder / TRAJECTORIES).exists():
            continue
        wanted = {row.trajectory.partition("|")[2].partition("#")[2]: row.trajectory for row in own}
        for name, record in trajectories(folder):
            if name in wanted:
                # What cannot be read is as good as what was not kept.
                with suppress(ValueError, KeyError, TypeError):
                    found[wanted[name]] = "".join(json.loads(record)["actions"])
    return found
