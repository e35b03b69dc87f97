"""The calibration of the statistics of pages: every design of benchmarks/calibration, 500 times."""

import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT))

from benchmarks.calibration import Calibration, Design, all_designs
from benchmarks.calibration.runner import cells

DESIGNS = all_designs()
REPETITIONS = 500


def test_values_outside_of_the_range_are_marked() -> None:
    design = Design("made-up", "made up", "type I", lambda rng: bool(rng.random() < 0.5))
    wrong = Calibration.of(design, [True] * 60 + [False] * 440)
    assert not wrong.right and "out of range" in cells(wrong)[3]
    right = Calibration.of(design, [True] * 44 + [False] * 456 + [None] * 2)
    assert right.right and cells(right) == (
        "made up",
        "type I",
        "at most .07",
        ".088",
        ".013",
        "502 (2 without an answer)",
    )


@pytest.mark.slow
def test_all_designs_need_numpy_and_scipy_only() -> None:
    # Calibration runs on machines that have nothing else.
    program = """
import importlib.abc, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in ("pydantic", "sapien", "yaml", "typer", "matplotlib", "gymnasium", "PIL"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from benchmarks.calibration import all_designs
from benchmarks.calibration import runner
for design in all_designs().values():
    if not design.name.startswith("power"):
        design.repetition(0)
print("done")
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr


def test_a_repetition_depends_on_its_number_only() -> None:
    design = DESIGNS["share-tasks-like-these"]
    seen = [design.repetition(number) for number in range(6)]
    assert seen == [design.repetition(number) for number in range(6)]


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_the_page_is_right_as_often_as_it_says(name: str) -> None:
    result = Calibration.of(DESIGNS[name], [DESIGNS[name].repetition(number) for number in range(REPETITIONS)])
    assert result.right, " ".join(cells(result))
    assert result.answers > 0.95 * REPETITIONS
