"""Task collections that come with Puzzlebox: YAML files by wing, found by name."""

from puzzlebox.batteries.index import bundled_names, bundled_path, template_names, template_path
from puzzlebox.batteries.testbed import battery_names, battery_text, training_names

__all__ = [
    "battery_names",
    "battery_text",
    "bundled_names",
    "bundled_path",
    "template_names",
    "template_path",
    "training_names",
]
