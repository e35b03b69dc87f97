"""Runs that differ in the seed alone are one model in results; others are named by what differs."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from puzzlebox.intuitions.models import run_names as module
from puzzlebox.intuitions.models.run_names import run_names, view_of
from puzzlebox.intuitions.models.video import VideoSettings


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return three runs of `video`: two flat ones, and one in three dimensions; then the planner."""
    views = {str(tmp_path / name): view for name, view in (("a", "flat"), ("b", "flat"), ("c", "three-d"))}
    for seed, run in enumerate(views):
        Path(run).mkdir()
        (Path(run) / "run.json").write_text(json.dumps({"seed": seed, "scale": 1.0}))

    def observer(run: str) -> SimpleNamespace:
        if run not in views:
            return SimpleNamespace(name="inverse planner")
        return SimpleNamespace(name="video", settings=VideoSettings(view=views[run]))

    monkeypatch.setattr(module, "observer_named", observer)
    return [*views, "inverse-planner"]


def test_runs_of_other_seeds_are_one_model(runs: list[str]) -> None:
    assert run_names([runs[0], runs[1], runs[3]]) == ["video", "video", "inverse planner"]


def test_runs_of_other_settings_are_other_models(runs: list[str]) -> None:
    assert run_names(runs) == ["video, view=flat", "video, view=flat", "video, view=three-d", "inverse planner"]
    settings = Path(runs[1]) / "run.json"
    settings.write_text(json.dumps({"seed": 1, "scale": 0.03}))
    assert run_names(runs[:2]) == ["video, scale=1.0", "video, scale=0.03"]


def test_the_view_is_that_of_the_run(runs: list[str]) -> None:
    assert [view_of(run) for run in runs] == ["flat", "flat", "three-d", "flat"]
