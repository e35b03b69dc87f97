"""Recordings of episodes: the store, tables, films and backups."""

from puzzlebox.record.store import (
    Breaks,
    CannotWrite,
    End,
    Episode,
    EpisodeFault,
    PlayedElsewhere,
    Start,
    Step,
    Store,
    StoreError,
    default_store_path,
)

__all__ = [
    "Breaks",
    "CannotWrite",
    "End",
    "Episode",
    "EpisodeFault",
    "PlayedElsewhere",
    "Start",
    "Step",
    "Store",
    "StoreError",
    "default_store_path",
]
