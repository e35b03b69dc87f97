"""The curves of all runs in one picture, with the published ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.learning.published import curves
from benchmarks.learning.results import Result, read_results

FILE = "training-results.svg"
_COLOURS = ("#1b6ca8", "#d1702f", "#3f8f5f", "#8a5fa8")
_POINTS = 200
# Title, what is shown, and the curves by their labels.
_PANELS: Sequence[tuple[str, str, Mapping[str, str]]] = (
    ("Foraging", "return", {"foraging": "ours", "foraging-sb3": "stable-baselines3"}),
    (
        "Operant chamber",
        "return",
        {"operant": "ours", "operant-sb3": "stable-baselines3"},
    ),
    (
        "Operant chamber, curriculum",
        "return",
        {"operant-curriculum": "ours", "operant-curriculum-sb3": "stable-baselines3"},
    ),
    ("Lights out", "passed", {"memory-lights-out-lstm": "LSTM", "memory-lights-out-none": "no memory"}),
    ("Below the edge", "passed", {"memory-occlusion-lstm": "LSTM", "memory-occlusion-none": "no memory"}),
    (
        "Mazes",
        "passed",
        {
            "maze-curriculum": "curriculum",
            "maze-two-by-two": "two by two",
            "maze-curriculum-fast": "curriculum, our learner",
            "maze-two-by-two-fast": "two by two, our learner",
        },
    ),
    ("Our defaults", "return", {"foraging-ours": "foraging", "operant-ours": "operant chamber"}),
    (
        "Training space of the testbed",
        "passed",
        {"generalist-1": "first piece", "generalist-2": "second piece"},
    ),
)


def draw(out: Path, images: Path) -> Path:
    """Draw all panels for which there are results; return the file.

    Raises:
        ValueError: there are no results.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    results = [each for each in read_results(out).values() if each.get("curve", {}).get("step")]
    labels = {each["label"] for each in results}
    panels = [panel for panel in _PANELS if labels & set(panel[2])]
    if not panels:
        raise ValueError(f"{out} has no curves")
    plt.rcParams["svg.hashsalt"] = "learning"  # the same file from the same results
    plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "font.size": 9})
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.8 * columns, 2.9 * rows), squeeze=False)
    for axis, (title, what, named) in zip(axes.flat, panels, strict=False):
        _panel(axis, results, what, named)
        axis.set_title(title)
        axis.set_ylabel("mean return" if what == "return" else "share passed")
        axis.set_xlabel("decisions, millions")
        axis.legend(fontsize=7, frameon=False)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    figure.tight_layout()
    images.mkdir(parents=True, exist_ok=True)
    figure.savefig(images / FILE, metadata={"Date": None})
    plt.close(figure)
    return images / FILE


def _panel(axis: Any, results: Sequence[Result], what: str, named: Mapping[str, str]) -> None:
    """Draw the mean of the runs of each label with their range, and the published curve."""
    for (label, name), colour in zip(named.items(), _COLOURS, strict=False):
        runs = [_shifted(each) for each in results if each["label"] == label]
        if not runs:
            continue
        first, last = max(run["step"][0] for run in runs), min(run["step"][-1] for run in runs)
        grid = np.linspace(first, last, _POINTS)
        values = np.array([np.interp(grid, run["step"], np.array(run[what], float)) for run in runs])
        axis.plot(grid / 1e6, values.mean(axis=0), color=colour, label=f"{name} ({len(runs)})", linewidth=1.4)
        axis.fill_between(grid / 1e6, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.18, linewidth=0)
    steps, returns = curves().get(next(iter(named)), ([], [])) if what == "return" else ([], [])
    if steps:
        axis.plot(
            np.array(steps) / 1e6, returns, color="black", linestyle=(0, (3, 1.5)), linewidth=0.9, label="published"
        )
    if what == "passed":
        axis.set_ylim(-0.03, 1.03)


def _shifted(result: Result) -> dict[str, list[float]]:
    """Return the curve of a run, behind the decisions of the runs before, whose weights it started with."""
    own, before = result["curve"], result.get("steps_before", 0)
    return {**own, "step": [before + step for step in own["step"]]}
