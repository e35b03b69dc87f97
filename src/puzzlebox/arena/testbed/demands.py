"""What each task of the testbed demands, as a table beside its manifest: reading it off an arena takes a while."""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from puzzlebox.arena.testbed.table import read_table
from puzzlebox.batteries.testbed import archive_of, level_folders

DEMANDS = "demands.csv"
# What the names of these factors begin with.
PREFIX = "demand_"


def stored_demands(name: str, text: str) -> Mapping[str, float]:
    """Return the demands of a task as factors, such as `demand_detour`; none if the table is of another text.

    Args:
        name: the name of the task, such as `testbed/08-13-2`.
        text: its text.
    """
    archive = archive_of(name)
    if archive is None:
        return {}
    known, demands = read_demands(archive.parent).get(name, ("", {}))
    if known != sha256(text.encode()).hexdigest():
        return {}
    return {f"{PREFIX}{each}": value for each, value in demands.items()}


def demands_of_text(text: str) -> Mapping[str, float] | None:
    """Return the demands of the task of the testbed with this text, by the default rules; None if there is none."""
    return _by_hash().get(sha256(text.encode()).hexdigest())


@cache
def _by_hash() -> dict[str, dict[str, float]]:
    """Return the demands of all tasks by the hashes of their texts."""
    return {found: demands for folder in level_folders() for found, demands in read_demands(folder).values()}


@cache
def read_demands(folder: Path) -> dict[str, tuple[str, dict[str, float]]]:
    """Return the hash and the demands of each task of a level, by name; none if there is no table."""
    return {
        row["id"]: (row["task_hash"], {name: float(row[name]) for name in row if name not in ("id", "task_hash")})
        for row in read_table(folder / DEMANDS, ("id", "task_hash"))
    }
