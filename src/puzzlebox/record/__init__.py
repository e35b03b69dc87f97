"""Recordings of episodes: the store, tables, films and backups."""

from puzzlebox.record.database import StoreError, default_store_path
from puzzlebox.record.entries import Breaks, End, Start, Step
from puzzlebox.record.episode import Episode
from puzzlebox.record.store import PlayedElsewhere, Store
from puzzlebox.record.writer import CannotWrite, EpisodeFault

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
