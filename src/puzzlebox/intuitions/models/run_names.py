"""Names of trained models in results: runs with the same settings are one model; other settings are in the name."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from puzzlebox.intuitions.models.judging import observer_named


def run_names(runs: Sequence[str]) -> list[str]:
    """Return the name of the model of each run, with every setting in which runs of this model differ.

    Two runs of `video` that differ in the seed alone are both `video`. If one has other pictures, they are
    `video, view=flat` and `video, view=three-d`.

    Args:
        runs: folders of runs, or `inverse-planner`.

    Raises:
        ValueError: a run cannot be read.
    """
    models = [observer_named(run) for run in runs]
    settings = [_settings(run, model) for run, model in zip(runs, models, strict=True)]
    names = []
    for model, own in zip(models, settings, strict=True):
        same = [each for other, each in zip(models, settings, strict=True) if other.name == model.name]
        differing = [key for key in own if any(each.get(key) != own[key] for each in same)]
        names.append(", ".join([model.name, *(f"{key}={own[key]}" for key in differing)]))
    return names


def view_of(run: str) -> str:
    """Return the view of the films that a run sees: `flat`, or `three-d`."""
    return str(getattr(getattr(observer_named(run), "settings", None), "view", "flat"))


def _settings(run: str, model: Any) -> dict[str, Any]:
    """Return the settings of a run, and the share of the background films that it has learned from."""
    if not hasattr(model, "settings"):
        return {}
    from puzzlebox.intuitions.models.training import RUN  # needs torch, which the inverse planner does not

    scale = json.loads((Path(run) / RUN).read_text(encoding="utf-8")).get("scale")
    return {**asdict(model.settings), "scale": scale}
