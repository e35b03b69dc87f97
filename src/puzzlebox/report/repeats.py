"""Detection of episodes that repeat one another, as those of a deterministic agent on a task without randomness do."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from puzzlebox.report.episodes import ReportEpisode, grouped
from puzzlebox.report.time_outs import timed_out
from puzzlebox.run.journal import trajectories
from puzzlebox.run.trajectories import TRAJECTORIES


def doubled_episodes(rows: Iterable[ReportEpisode]) -> list[list[ReportEpisode]]:
    """Return the episodes that were read more than once, such as those of a run and of its copy.

    The same agent may well play the same seed again, as in several training runs, but not with the same number and the
    same length and return. Without lengths, equal returns are no proof. Participants may have the same seed: links give
    it, and a task may be played again.
    """
    seeded = (row for row in rows if row.seed is not None and row.steps is not None and not _is_person(row))
    sets = grouped(
        seeded,
        lambda row: (
            *(row.task_hash or row.task, row.arena, row.agent, row.seed, row.repetition, row.rules),
            *(row.steps, row.total, row.passed, conditions_of(row)),
        ),
    )
    # By run, so that the one that counts does not depend on the order in which runs are read.
    return [sorted(own, key=lambda row: row.run) for own in sets.values() if len(own) > 1 and not _of_several_runs(own)]


def _of_several_runs(rows: Sequence[ReportEpisode]) -> bool:
    """Return whether these are time-outs of different runs, which are equal whatever the agent does."""
    return len({row.run for row in rows}) > 1 and all(map(timed_out, rows))


def _is_person(row: ReportEpisode) -> bool:
    return row.person or bool(row.participant)


def conditions_of(row: ReportEpisode) -> tuple[tuple[str, str], ...]:
    """Return the experimental factors of an episode with their values, to group episodes by."""
    return tuple(sorted((name, str(value)) for name, value in row.factors.items()))


def repeated_episodes(rows: Iterable[ReportEpisode]) -> list[list[ReportEpisode]]:
    """Return the episodes of each agent in an arena that are all identical although their seeds differ."""
    # Participants are independent of each other, even if their episodes are identical.
    agents = (row for row in rows if not _is_person(row))
    # Training runs that agree are as many units, and what an agent does the same in two conditions it does in both.
    sets = grouped(agents, lambda row: (row.task, row.arena, row.agent, row.rules, row.run, conditions_of(row)))
    alike = [own for own in sets.values() if len({row.seed for row in own}) > 1 and _same_outcome(own)]
    actions = _recorded_actions(row for own in alike for row in own)
    return [own for own in alike if _same_actions(own, actions)]


def _same_outcome(rows: Sequence[ReportEpisode]) -> bool:
    return rows[0].steps is not None and len({(row.steps, row.total) for row in rows}) == 1


def _same_actions(rows: Sequence[ReportEpisode], actions: dict[str, str]) -> bool:
    """Return whether the actions of all episodes are equal, or, if some are not recorded, whether they must be.

    Episodes that time out, or in which health runs out, have equal steps and returns whatever the actions were. An
    episode that is completed in exactly the same step again had the same actions.
    """
    sequences = {actions.get(row.trajectory) for row in rows}
    if None in sequences:
        return all(row.ended_by == "completed" or (not row.ended_by and row.passed) for row in rows)
    return len(sequences) == 1


def _recorded_actions(rows: Iterable[ReportEpisode]) -> dict[str, str]:
    """Return the actions of the episodes whose trajectories were kept, by the value of `trajectory`."""
    actions: dict[str, str] = {}
    for path, own in grouped(rows, lambda row: row.trajectory.partition("|")[0]).items():
        folder = Path(path)
        if not path or not (folder / TRAJECTORIES).exists():
            continue
        wanted = {row.trajectory.partition("|")[2].partition("#")[2]: row.trajectory for row in own}
        for name, record in trajectories(folder):
            if name in wanted:
                # An unreadable record counts as not kept.
                with suppress(ValueError, KeyError, TypeError):
                    actions[wanted[name]] = "".join(json.loads(record)["actions"])
    return actions
