"""What is kept of a run: one small file of JSON with its settings, its curve and the episodes of its evaluation."""

import json
from collections import defaultdict, deque
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np

from benchmarks.learning.jobs import JOBS, SMOKE, Job
from benchmarks.learning.testing import is_tested, read_part
from benchmarks.learning.training import RESULTS, RUN, is_trained, trained_so_far

# Points of a curve, each the mean of the latest episodes, as in the paper's figures.
_POINTS, _WINDOW = 100, 100
_SETTINGS = ("learner", "preset", "settings", "environment", "curiosity", "sources", "curriculum", "seed", "steps")
Result = dict[str, Any]
Curve = dict[str, list[float | None]]


def is_finished(job: Job, out: Path) -> bool:
    """Return whether a run is trained and evaluated."""
    return is_trained(job, out) and all(is_tested(job, out, part) for part in range(job.parts))


def write_result(job: Job, out: Path) -> Path | None:
    """Write what is known of a run; return the file, or None if nothing is known."""
    from puzzlebox.learn.files import write_text

    run = out / job.name / RUN
    steps, seconds = (0, 0.0) if job.agent else trained_so_far(job, out)
    parts = [read_part(job, out, part) for part in range(job.parts)]
    if not steps and not any(parts):
        return None
    tests: dict[str, dict[str, list[Any]]] = {}
    lines = sorted((line for part in parts for line in part if "test" in line), key=lambda line: line["number"])
    for line in lines:
        test = tests.setdefault(line["test"], {name: [] for name in ("task", "level", "return", "passed", "length")})
        for name, values in test.items():
            values.append(round(line[name], 6) if name == "return" else line[name])
    result: Result = {
        **{"job": job.name, "group": job.group, "label": job.label, "agent": job.agent},
        **{"trained": is_trained(job, out), "finished": is_finished(job, out)},
        **{"steps_done": steps, "seconds": round(seconds, 1)},
        "decisions_per_second": round(steps / seconds, 1) if seconds else None,
        "tests": tests,
    }
    if steps:
        result |= _of_run(run)
    file = out / RESULTS / f"{job.name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, _text(result))
    return file


def _text(result: Result) -> str:
    """Return a result as JSON with a line for each of its entries, and for each test."""
    entries = {name: json.dumps(value) for name, value in result.items() if name != "tests"}
    tests = [f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in result["tests"].items()]
    entries["tests"] = "{\n" + ",\n".join(tests) + "\n }" if tests else "{}"
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {value}" for name, value in entries.items()) + "\n}\n"


def _of_run(run: Path) -> Result:
    """Return settings, curve and stages of a run of training."""
    from puzzlebox.learn.logs import EPISODES, LOG, read_lines
    from puzzlebox.learn.run_folder import read_run

    about = read_run(run)
    stages: list[list[int]] = []
    for line in read_lines(run / LOG):
        stage = line.get("stage")
        if stage is not None and (not stages or stages[-1][1] != stage):
            stages.append([line["step"], stage])
    return {
        "settings": {name: about[name] for name in _SETTINGS},
        "versions": about["commands"][-1]["versions"],
        "devices": sorted({each["device"] for each in about["commands"]}),
        "curve": curve(read_lines(run / EPISODES), by_task=about["curriculum"] == "learnability"),
        # The decisions of the runs before, whose weights it started with.
        "steps_before": about["origin"]["step"] if about.get("origin") else 0,
        "stages": stages,
    }


def curve(episodes: list[dict[str, Any]], *, by_task: bool = False) -> Curve:
    """Return at most a hundred points: steps, and mean return and share passed of the hundred episodes before each.

    The share is None where no episode has a verdict.

    Args:
        episodes: the lines of the episode log.
        by_task: average over tasks instead, of each of which the hundred episodes before count. Where a curriculum
            prefers tasks that are passed half the time, other means hardly change.
    """
    if not episodes:
        return {"step": [], "return": [], "passed": []}
    if by_task:
        return _curve_by_task(episodes)
    steps = np.array([each["step"] for each in episodes])
    values = {
        "return": np.array([each["return"] for each in episodes], float),
        "passed": np.array([np.nan if each["passed"] is None else float(each["passed"]) for each in episodes]),
    }
    ends = np.unique(np.linspace(0, len(episodes) - 1, _POINTS).astype(int))
    points: Curve = {"step": steps[ends].tolist()}
    for name, each in values.items():
        windows = [each[max(0, end - _WINDOW + 1) : end + 1] for end in ends]
        points[name] = [None if np.isnan(own).all() else round(float(np.nanmean(own)), 4) for own in windows]
    return points


def _curve_by_task(episodes: list[dict[str, Any]]) -> Curve:
    latest: dict[str, deque[tuple[float, float]]] = defaultdict(lambda: deque(maxlen=_WINDOW))
    points: Curve = {"step": [], "return": [], "passed": []}
    ends = set(np.linspace(0, len(episodes) - 1, _POINTS).astype(int).tolist())
    for number, each in enumerate(episodes):
        latest[each["task"]].append((each["return"], float(each["passed"] or 0)))
        if number in ends:
            total, passed = np.mean([np.mean(own, axis=0) for own in latest.values()], axis=0).tolist()
            points["step"].append(each["step"])
            points["return"].append(round(total, 4))
            points["passed"].append(round(passed, 4))
    return points


def keep(out: Path, home: Path) -> list[str]:
    """Copy the results of finished runs, but for `smoke`, into another folder; return their names."""
    kept = [name for name, result in read_results(out).items() if result["finished"] and JOBS[name].group != SMOKE]
    (home / RESULTS).mkdir(parents=True, exist_ok=True)
    for name in kept:
        copyfile(out / RESULTS / f"{name}.json", home / RESULTS / f"{name}.json")
    return kept


def read_results(out: Path) -> dict[str, Result]:
    """Return the results in a folder by the name of the run, in the order of the table of runs."""
    found = {}
    for name in JOBS:
        file = out / RESULTS / f"{name}.json"
        if file.exists():
            found[name] = json.loads(file.read_text(encoding="utf-8"))
    return found
