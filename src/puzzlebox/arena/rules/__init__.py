"""Rules that may differ between builds of the Animal-AI Environment, and the units of time.

`builds.py` is the table of the rules of each build, `rules.py` defines each rule, `units.py` holds the units.
"""

from puzzlebox.arena.rules.rules import PRESETS, Rules, set_thing_names
from puzzlebox.arena.rules.units import NOTICE_STEPS, PHYSICS_STEP, TIME_UNIT, steps_in

__all__ = ["NOTICE_STEPS", "PHYSICS_STEP", "PRESETS", "TIME_UNIT", "Rules", "set_thing_names", "steps_in"]
