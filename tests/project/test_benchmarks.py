"""The benchmarks: all can be imported, and a name that none has gets a sentence."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_an_unknown_benchmark_is_answered_with_the_names_of_all() -> None:
    command = [sys.executable, "-m", "benchmarks", "spee"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("there is no benchmark spee; there are envs, step, ")
    assert done.stderr.rstrip().endswith("soak, calibration")


def test_an_unknown_design_of_the_calibration_is_answered_with_the_nearest() -> None:
    command = [sys.executable, "-m", "benchmarks", "calibration", "null-agent-05"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("did you mean `null-agents-0.5`?")


def test_the_calibration_needs_numpy_and_scipy_only() -> None:
    program = (
        "import sys; from benchmarks.calibration import all_designs; "
        "assert all(each.repetition(0) is not None for each in [all_designs()['null-agents-0.5']]); "
        "print([name for name in ('sapien', 'matplotlib', 'pandas', 'torch', 'gymnasium') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
