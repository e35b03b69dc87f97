"""The rules: one table holds the rules of each build, and the package imports no things."""

import subprocess
import sys

from puzzlebox.arena.rules import PRESETS, Rules
from puzzlebox.arena.rules.builds import BUILDS


def test_the_table_of_builds_is_all_that_makes_a_preset() -> None:
    assert list(PRESETS) == list(BUILDS)
    for name, changes in BUILDS.items():
        own = PRESETS[name].as_dict()
        assert own == Rules().as_dict() | changes


def _output_of(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


def test_the_rules_lie_below_the_things() -> None:
    program = "import sys, puzzlebox.arena.rules; print([name for name in sys.modules if 'arena.things' in name])"
    assert _output_of(program).strip() == "[]"


def test_a_mass_for_no_thing_is_refused_by_the_world_where_the_things_were_not_known_yet() -> None:
    program = """
from puzzlebox.arena.rules import Rules
rules = Rules(masses={"Walll": 1})
from puzzlebox import World, load_task
try:
    World(load_task("foraging"), rules=rules)
except ValueError as error:
    print(error)
"""
    assert _output_of(program).strip() == "the rules give a mass to Walll, which is not a thing; did you mean `Wall`?"
