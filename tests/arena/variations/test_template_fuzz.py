"""Damaged templates are refused with one sentence or work; see `template_fuzz.py`.

`make slow` uses 100,000 templates from four seeds, `make test` some. PUZZLEBOX_FUZZ_TEMPLATES asks for another
number from each seed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).with_name("template_fuzz.py")
TEMPLATES = int(os.environ.get("PUZZLEBOX_FUZZ_TEMPLATES", "25000"))


def fuzzed(seed: int, count: int) -> dict[str, Any]:
    """Return the report of a process with limited memory about `count` templates."""
    words = [sys.executable, str(SCRIPT), "--seed", str(seed), "--count", str(count)]
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **threads}, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_some_templates() -> None:
    report = fuzzed(1, 150)
    assert report["failures"] == {}
    assert report["templates"] == 150 and 15 < report["sound"] < 135, report


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101, 102, 103, 104])
def test_a_hundred_thousand_random_templates_are_used_or_refused(seed: int) -> None:
    report = fuzzed(seed, TEMPLATES)
    failures = report.pop("failures")
    print(f"\n{report}")
    assert failures == {}
    assert report["templates"] == TEMPLATES
