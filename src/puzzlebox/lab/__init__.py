"""The laboratory: what is recorded, and what is made of it."""

from puzzlebox.lab.store import End, Episode, Start, Step, Store, StoreError, default_store_path

__all__ = ["End", "Episode", "Start", "Step", "Store", "StoreError", "default_store_path"]
