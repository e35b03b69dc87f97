"""Variations: one template, many tasks; counted, listed, sampled and drawn without ever being written out."""

from puzzlebox.variations.bundled import template_names
from puzzlebox.variations.problems import TemplateError
from puzzlebox.variations.template import Template, Variation, is_template

__all__ = ["Template", "TemplateError", "Variation", "is_template", "template_names"]
