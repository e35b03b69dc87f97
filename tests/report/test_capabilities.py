"""Capabilities inferred on the bundled tasks and the sample of the testbed predict held-out tasks."""

import re
from pathlib import Path

import pytest
from benchmarks.capabilities import prediction, report_on

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unpainted_figures")]


def test_the_layout_predicts_held_out_tasks_better_than_the_mean(reference: Path, tmp_path: Path) -> None:
    text = " ".join(prediction(report_on(reference / "data" / "animal-ai" / "testbed-sample", tmp_path, episodes=1)))
    assert "predicts better than the mean" in text
    navigator = re.search(r"navigator [\d.]+ against [\d.]+, a gain of ([\d.−]+)", text)
    assert navigator is not None
    assert float(navigator[1].replace("−", "-")) > 0.02
