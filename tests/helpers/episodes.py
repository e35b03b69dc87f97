"""Conversions between episodes and rows of tables by column name."""

from collections.abc import Iterable
from typing import Any

from puzzlebox.record.episode import EPISODES, Episode

NAMES = tuple(column.name for column in EPISODES)


def row_of(episode: Episode) -> dict[str, Any]:
    """Return all columns of an episode; empty ones hold None."""
    return dict.fromkeys(NAMES) | episode.plain()


def rows_of(episodes: Iterable[Episode]) -> list[dict[str, Any]]:
    return [row_of(episode) for episode in episodes]


def episodes_of(rows: Iterable[dict[str, Any]]) -> list[Episode]:
    """Build episodes from rows."""
    present = [{name: value for name, value in row.items() if value not in (None, "")} for row in rows]
    return [Episode.of_plain({"episode": f"{row['task']}/{row['repetition']}"} | row) for row in present]
