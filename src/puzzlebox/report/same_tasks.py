"""Tasks of tables that say little about them: their hash and level, and the arena, as other sources have them.

A table of another program often has nothing but the name of a task. It is then the task of the same name in the other
sources, if there is only one, and the arena is unknown if that task has several.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, Source

Parts = list[tuple[list[ReportEpisode], Source]]
# Names of tasks at most that a note lists.
_MOST_LISTED = 12


def with_hashes(parts: Sequence[tuple[list[ReportEpisode], Source]], remarks: list[str]) -> Parts:
    """Return episodes of which those without a hash have that of the only task with the same name.

    Without such a task, they have the level of the same name in other tables, if there is only one.
    """
    every = [row for rows, _ in parts for row in rows]
    hashes = _values((row.task, row.task_hash) for row in every)
    levels = _values((row.task, row.level) for row in every if not row.task_hash)
    of_hash = {(row.task, row.task_hash): row for row in sorted(every, key=lambda row: bool(row.level))}
    taken: dict[str, None] = {}

    def completed(row: ReportEpisode) -> ReportEpisode:
        if row.task_hash:
            return row
        found = hashes.get(row.task, set())
        if len(found) == 1:
            taken[row.task] = None
            same = of_hash[row.task, next(iter(found))]
            level, variant = same.level or row.level, same.variant or row.variant
            return replace(row, task_hash=same.task_hash, level=level, variant=variant, named_only=True)
        own = levels.get(row.task, set())
        return replace(row, level=next(iter(own))) if not found and len(own) == 1 and not row.level else row

    done = [([completed(row) for row in rows], source) for rows, source in parts]
    if taken:
        count = words.count(len(taken), "task of a table has", "tasks of tables have")
        same = "is taken for the task" if len(taken) == 1 else "are taken for the tasks"
        listed = words.listed(sorted(taken), _MOST_LISTED)
        remarks.append(f"{count} no hash and {same} of the same name in other sources: {listed}.")
    return done


def _values(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Return the values of each name, without empty ones."""
    found: dict[str, set[str]] = {}
    for name, value in set(pairs):
        if value:
            found.setdefault(name, set()).add(value)
    return found


def settle_arenas(rows: list[ReportEpisode], remarks: list[str]) -> list[ReportEpisode]:
    """Return episodes with the first arena instead of an unknown one, unless others played further arenas."""
    further = {row.task for row in rows if row.arena_known and row.arena > 0}
    affected = [row for row in rows if not row.arena_known and row.task in further]
    if affected:
        tasks = sorted({row.task for row in affected})
        one, many = "episode of a table is", "episodes of tables are"
        which = "this task, which has several" if len(tasks) == 1 else "these tasks, which have several"
        remarks.append(
            f"{words.count(len(affected), one, many)} without a number in the column `arena` on {which}: "
            f"{words.listed(tasks, _MOST_LISTED)}. In which arena they were played is unknown, so they are compared "
            "by task only, and are not in tables of arenas, abilities, or control and test."
        )
    return [row if row.arena_known or row.task in further else replace(row, arena=0) for row in rows]
