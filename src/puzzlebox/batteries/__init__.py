"""Task collections that come with Puzzlebox: YAML files by wing, found by name."""

from puzzlebox.batteries.index import bundled_names, bundled_path, template_names, template_path
from puzzlebox.batteries.testbed import testbed_names, testbed_text, training_names

__all__ = [
    "bundled_names",
    "bundled_path",
    "template_names",
    "template_path",
    "testbed_names",
    "testbed_text",
    "training_names",
]
