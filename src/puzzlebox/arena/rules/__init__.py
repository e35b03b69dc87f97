"""What may differ between builds of the Animal-AI Environment, and the units of time.

`builds.py` is the table of what each build did, `rules.py` says what each rule means, `units.py` holds the units.
"""

from puzzlebox.arena.rules.rules import PRESETS, Rules, name_things
from puzzlebox.arena.rules.units import NOTICE_STEPS, PHYSICS_STEP, TIME_UNIT, steps_in

__all__ = ["NOTICE_STEPS", "PHYSICS_STEP", "PRESETS", "TIME_UNIT", "Rules", "name_things", "steps_in"]
