"""The table and the pictures of all curves."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.infant_learning.baselines import FILE
from benchmarks.infant_learning.jobs import JOBS, Job
from benchmarks.infant_learning.learner import read_log

# Curves are means over this many control steps; the table has those of the last ones.
WINDOW = 25_000
_FIGURE_7, _TOOLKIT = "infant-learning-senses.svg", "infant-learning-tasks.svg"
_TITLES = {"7a": "KickTheBall by ear", "7b": "GrabObject with joints", "kick-the-ball": "KickTheBall"}
_TITLES |= {"grab-object": "GrabObject", "object-nav": "ObjectNav", "multi-agent-nav": "MultiAgentNav"}
_COLOURS = ("#1b6ca8", "#d1702f", "#5a5a5a", "#3f8f5f")
Log = list[dict[str, Any]]


def at_the_end(log: Log, what: str) -> float:
    """Return the mean of the episodes of the last 25,000 steps of a log: their `return`, `passed` or `length`."""
    last = [line for line in log if line["step"] > log[-1]["step"] - WINDOW]
    return float(np.average([line[what] for line in last], weights=[line["episodes"] for line in last]))


def at_the_start(log: Log, what: str) -> float:
    """Return the same of the first 25,000 steps."""
    first = [line for line in log if line["step"] <= max(WINDOW, log[0]["step"])]
    return float(np.average([line[what] for line in first], weights=[line["episodes"] for line in first]))


def smooth(log: Log, what: str) -> tuple[list[int], list[float]]:
    """Return steps, and the mean of the episodes of the 25,000 steps before each."""
    steps = [line["step"] for line in log]
    return steps, [at_the_end(log[: number + 1], what) for number in range(len(log))]


def baseline(out: Path, job: Job) -> dict[str, dict[str, float]]:
    """Return what random actions and the script reach in the task of a job; nothing if it was not measured."""
    file = out / f"baseline-{job.task}-{job.level}" / FILE
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def table(out: Path) -> str:
    """Return a Markdown table with a row for each run that has a log."""
    lines = [
        "| run | steps | seconds | return at the start | at the end | passed at the end | random: return, passed | "
        "script: return, passed |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, job in JOBS.items():
        log = read_log(out / name)
        if not log:
            continue
        known = baseline(out, job)
        both = [
            f"{known[who]['return']:.2f}, {100 * known[who]['passed']:.0f} %" if known else ""
            for who in ("random", "script")
        ]
        cells = [name, f"{log[-1]['step']:,}", f"{log[-1]['seconds']:,.0f}", f"{at_the_start(log, 'return'):.2f}"]
        cells += [f"{at_the_end(log, 'return'):.2f}", f"{100 * at_the_end(log, 'passed'):.0f} %", *both]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(out: Path, images: Path) -> list[Path]:
    """Draw the curves of figure 7 and those of the toolkit, and return the files; runs without a log are left out."""
    groups: dict[str, list[Job]] = {}
    for job in JOBS.values():
        if read_log(out / job.name):
            groups.setdefault(job.group, []).append(job)
    images.mkdir(parents=True, exist_ok=True)
    sevens, others = [name for name in groups if name.startswith("7")], [n for n in groups if not n.startswith("7")]
    files = []
    for file, names, columns in ((_FIGURE_7, sevens, 2), (_TOOLKIT, others, 4)):
        if names:
            _picture(out, images / file, [(name, groups[name]) for name in names], columns)
            files.append(images / file)
    return files


def _picture(out: Path, file: Path, groups: Sequence[tuple[str, list[Job]]], columns: int) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "infant-learning"  # the same file from the same logs
    plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "font.size": 9})
    figure, axes = plt.subplots(2, columns, figsize=(3.6 * columns, 5.6), squeeze=False, sharex="col")
    for (group, jobs), column in zip(groups, axes.T, strict=False):
        for axis, what in zip(column, ("return", "passed"), strict=True):
            _curves(out, axis, jobs, what)
        column[0].set_title(_TITLES[group])
        column[1].set_xlabel("steps of 1/15 s, in thousands")
        column[1].set_ylim(-0.03, 1.03)
    for column in axes.T[len(groups) :]:
        for axis in column:
            axis.set_visible(False)
    axes[0, 0].set_ylabel("mean return")
    axes[1, 0].set_ylabel("share of passed episodes")
    _legends(figure, axes[1, : len(groups)])
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)


def _legends(figure: Any, panels: Sequence[Any]) -> None:
    """Give each panel its legend, or all of them one below if their curves have the same names."""
    names = [panel.get_legend_handles_labels()[1] for panel in panels]
    if len(panels) > 1 and all(each == names[0] for each in names):
        figure.tight_layout(rect=(0, 0.08, 1, 1))
        figure.legend(*panels[0].get_legend_handles_labels(), fontsize=8, frameon=False, loc="lower center", ncols=8)
        return
    for panel in panels:
        panel.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(0.0, 0.95))
    figure.tight_layout()


def _curves(out: Path, axis: Any, jobs: Sequence[Job], what: str) -> None:
    """Draw the mean of the seeds of each label, with its range, and dashed lines for random actions and the script."""
    labels = list(dict.fromkeys(job.label for job in jobs))
    for label, colour in zip(labels, _COLOURS, strict=False):
        curves = [smooth(read_log(out / job.name), what) for job in jobs if job.label == label]
        grid = np.arange(WINDOW / 5, min(steps[-1] for steps, _ in curves) + 1, WINDOW / 5)
        values = np.array([np.interp(grid, steps, means) for steps, means in curves])
        axis.plot(grid / 1000, values.mean(axis=0), color=colour, label=label, linewidth=1.4)
        if len(curves) > 1:
            axis.fill_between(
                grid / 1000, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.18, linewidth=0
            )
    levels = list(dict.fromkeys(job.level for job in jobs))
    for level, ink in zip(levels, ("black", "#999999"), strict=False):
        known = baseline(out, next(job for job in jobs if job.level == level))
        for who, dashes in (("script", (5, 2)), ("random", (1, 1.5))):
            if known:
                label = who if len(levels) == 1 else f"{who}, {level}"
                axis.axhline(known[who][what], color=ink, linestyle=(0, dashes), linewidth=0.9, label=label)
