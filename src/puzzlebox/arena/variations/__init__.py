"""Variations: one template, many tasks; counted, listed, sampled and drawn without ever being written out."""

from puzzlebox.arena.variations.problems import TemplateError
from puzzlebox.arena.variations.template import Template, Variation, is_template

__all__ = ["Template", "TemplateError", "Variation", "is_template"]
