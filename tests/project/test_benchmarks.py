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
    assert done.stderr.rstrip().endswith("soak")
