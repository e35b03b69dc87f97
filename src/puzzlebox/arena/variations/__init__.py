"""Templates: one file that describes many tasks, which are counted, sampled and drawn without being written out."""

from puzzlebox.arena.variations.problems import TemplateError
from puzzlebox.arena.variations.template import Template, Variation, is_template

__all__ = ["Template", "TemplateError", "Variation", "is_template"]
