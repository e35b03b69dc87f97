"""The fixed scale of returns for each task of a report: 0 is chance, 1 the best return that the task allows."""

from collections.abc import Mapping, Sequence
from typing import Any

from puzzlebox.report.episodes import ReportEpisode, Results, Source
from puzzlebox.wings import Scale, find_scale, find_wing

# The scale of each arena, by the hash of its task and its index from 0.
Scales = Mapping[tuple[str, int], Scale]


def scales_of(results: Results) -> Scales:
    """Return the scale of each arena that has one.

    A scale that Puzzlebox knows for the hash of a task comes first, so that all reports have the same; then the one
    that a run has stored, then one computed from the task of a recording.
    """
    stored: dict[tuple[str, int], Scale] = {}
    for source in results.sources:
        stored |= _of_run(source.settings) if source.settings else _of_recordings(source, results.rows)
    places = {(row.task_hash, row.arena): row.wing for row in results.rows if row.task_hash}
    scales: dict[tuple[str, int], Scale] = {}
    for (task_hash, arena), wing in places.items():
        scale = find_scale(find_wing(wing), None, task_hash, arena) or stored.get((task_hash, arena))
        if scale is not None:
            scales[task_hash, arena] = scale
    return scales


def _of_run(settings: Mapping[str, Any]) -> dict[tuple[str, int], Scale]:
    scales = {}
    for task in settings.get("tasks", ()):
        for arena in task.get("arenas", ()):
            values = arena.get("scale")
            # A damaged file may hold anything.
            if isinstance(values, Mapping) and "hash" in task and _is_scale(values):
                scale = Scale(float(values["chance"]), float(values["best"]), str(values["source"]))
                scales[str(task["hash"]), arena.get("position", 0)] = scale
    return scales


def _is_scale(values: Mapping[str, Any]) -> bool:
    numbers = [values.get("chance"), values.get("best")]
    return (
        all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers)
        and "source" in values
        and values["best"] > values["chance"]
    )


def _of_recordings(source: Source, rows: Sequence[ReportEpisode]) -> dict[tuple[str, int], Scale]:
    if source.kind != "recordings":
        return {}
    from puzzlebox.record.store import Store

    store = Store(source.path)
    scales = {}
    done = set()
    for row in rows:
        place = (row.task_hash, row.arena)
        if row.trajectory.partition("|")[0] != str(source.path) or place in done:
            continue
        done.add(place)
        task = store.task(row)
        scale = None if task is None else find_scale(find_wing(row.wing), task, *place)
        if scale is not None:
            scales[place] = scale
    return scales
