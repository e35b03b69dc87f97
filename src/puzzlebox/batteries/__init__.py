"""Task collections that come with Puzzlebox: YAML files below `tasks/`, found by name."""

from puzzlebox.batteries.index import bundled_names, bundled_path

__all__ = ["bundled_names", "bundled_path"]
