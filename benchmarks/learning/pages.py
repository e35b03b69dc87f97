"""Markdown tables of the results, with the published numbers beside ours."""

from collections.abc import Iterable, Mapping, Sequence
from os.path import relpath
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.learning.jobs import JOBS
from benchmarks.learning.published import MAZES, PPO
from benchmarks.learning.results import Result, read_results

_TASKS = {"foraging": "foraging", "operant": "operant chamber", "operant-curriculum": "operant chamber, curriculum"}
_LEARNERS = {"": "ours, the paper's values", "-sb3": "stable-baselines3", "-ours": "ours, its defaults"}
_ALL = "all"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tables(out: Path) -> str:
    """Return all tables for which there are results."""
    results = read_results(out)
    parts = [
        ("PPO of 2024", _paper(results)),
        ("Mazes of 2019", _mazes(results)),
        ("Memory", _memory(results)),
        ("Testbed", _by_condition(results)),
        ("Held-out tasks", _by_level(results, "held-out")),
        ("Sample of the original's tasks", _by_level(results, "original")),
    ]
    return "\n\n".join(f"### {title}\n\n{text}" for title, text in parts if text)


def write_page(out: Path, page: Path, picture: Path) -> None:
    """Write the picture and all tables between the marks of a page.

    Raises:
        ValueError: the page has no marks.
    """
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} lacks the lines {BEGIN} and {END}")
    shown = f"![Curves of all runs]({Path(relpath(picture, page.parent)).as_posix()})"
    page.write_text(f"{before}{begin}\n\n{shown}\n\n{tables(out)}\n\n{end}{after}", encoding="utf-8")


def status_table(out: Path, states: Mapping[str, str]) -> str:
    """Return where runs stand: decisions, time, and the latest hundred episodes of training."""
    results, rows = read_results(out), []
    for name, state in states.items():
        result = results.get(name, {})
        curve = result.get("curve") or {"return": [], "passed": []}
        last = [curve[what][-1] if curve[what] else None for what in ("return", "passed")]
        latest = ["" if each is None else f"{each:.2f}" for each in last]
        tests = [f"{test}: {_percent(_passed(each))}" for test, each in result.get("tests", {}).items()]
        speed = result.get("decisions_per_second")
        rows.append(
            [
                *(name, state, f"{result.get('steps_done', 0):,} of {JOBS[name].steps:,}"),
                *(f"{result.get('seconds', 0):,.0f}", f"{speed:,.0f}" if speed else "", *latest, ", ".join(tests)),
            ]
        )
    heads = ["run", "state", "decisions", "seconds", "decisions/s", "return", "passed", "evaluation"]
    return table(heads, rows)


def _paper(results: Mapping[str, Result]) -> str:
    rows = []
    for task, title in _TASKS.items():
        for end, learner in _LEARNERS.items():
            runs = _labelled(results, f"{task}{end}")
            if not runs:
                continue
            tests = [next(iter(run["tests"].values())) for run in runs]
            mean, passed = PPO[task]
            rows.append(
                [
                    *(title, learner, _many([run["steps_done"] / 1e6 for run in runs], "{:.1f}")),
                    _many([run["seconds"] / 60 for run in runs], "{:.1f}"),
                    *(_many([float(np.mean(test["return"])) for test in tests], "{:.2f}"), f"{mean:.2f}"),
                    *(_many([100 * _passed(test) for test in tests], "{:.0f}"), f"{100 * passed:.0f}"),
                ]
            )
    heads = ["task", "learner", "decisions, millions", "minutes", "mean return", "published"]
    return table([*heads, "passed, %", "published, %"], rows) if rows else ""


def _mazes(results: Mapping[str, Result]) -> str:
    rows = []
    names = list(MAZES["maze-curriculum"])
    for label, published in MAZES.items():
        for end, learner in (("", "stable-baselines3"), ("-fast", "ours"), ("-ours", "ours, its defaults")):
            runs = _labelled(results, f"{label}{end}")
            if runs:
                cells = [_many([100 * _passed(run["tests"][name]) for run in runs], "{:.0f}") for name in names]
                stage = max((run["stages"][-1][1] for run in runs if run.get("stages")), default=0)
                trained = f"curriculum, furthest stage {stage}" if stage else "two-by-two alone"
                rows.append([trained, learner, *cells])
        if rows:
            rows.append(["", "published", *[f"{100 * published[name]:.0f}" for name in names]])
    return table(["trained on", "learner", *[f"{name}, %" for name in names]], rows) if rows else ""


def _memory(results: Mapping[str, Result]) -> str:
    rows = []
    for task in ("lights-out", "occlusion"):
        for memory, title in (("lstm", "LSTM"), ("none", "none")):
            runs = _labelled(results, f"memory-{task}-{memory}")
            if runs:
                passed = [100 * _passed(run["tests"][task]) for run in runs]
                end = [100 * run["curve"]["passed"][-1] for run in runs]
                rows.append([task, title, _many(passed, "{:.0f}"), _many(end, "{:.0f}")])
    return table(["task", "memory", "passed, %", "of the last 100 of training, %"], rows) if rows else ""


def _agents(results: Mapping[str, Result], test: str) -> dict[str, dict[str, list[Any]]]:
    """Return the episodes of a test by agent."""
    return {
        result["label"]: result["tests"][test]
        for result in results.values()
        if result["group"] == "E4" and test in result["tests"]
    }


def _by_level(results: Mapping[str, Result], test: str) -> str:
    """Return the shares that agents passed, a row for each level."""
    agents = _agents(results, test)
    if not agents:
        return ""
    rows = []
    for level in _levels(agents):
        cells = [_percent(_passed(each, _are_of(level, each))) for each in agents.values()]
        rows.append([level, *cells])
    return table(["level", *agents], rows)


def _by_condition(results: Mapping[str, Result]) -> str:
    """Return the shares of tests and of controls that agents passed, a row for each level."""
    agents = _agents(results, "testbed")
    if not agents:
        return ""
    controls = {name: _are_controls(each) for name, each in agents.items()}
    rows = []
    for level in _levels(agents):
        cells = []
        for name, each in agents.items():
            for wanted in (False, True):
                both = zip(_are_of(level, each), controls[name], strict=True)
                cells.append(_percent(_passed(each, [own and is_control is wanted for own, is_control in both])))
        rows.append([level, *cells])
    heads = [f"{name}: {what}" for name in agents for what in ("tests", "controls")]
    return table(["level", *heads], rows)


def _levels(agents: Mapping[str, Mapping[str, list[Any]]]) -> list[str]:
    """Return the levels of all episodes, and "all"."""
    return [*sorted({level for each in agents.values() for level in each["level"]}, key=int), _ALL]


def _are_of(level: str, episodes: Mapping[str, list[Any]]) -> list[bool]:
    """Return of each episode whether its task is of a level, or of any for "all"."""
    return [level in (own, _ALL) for own in episodes["level"]]


def _are_controls(episodes: Mapping[str, list[Any]]) -> list[bool]:
    """Return of each episode of the testbed whether its task is a control."""
    from puzzlebox.arena.testbed.reading import read_level

    levels = {level: read_level(int(level)) for level in set(episodes["level"])}
    return [
        levels[level].rows[int(task.split("-")[1])].is_control
        for task, level in zip(episodes["task"], episodes["level"], strict=True)
    ]


def _labelled(results: Mapping[str, Result], label: str) -> list[Result]:
    """Return the runs with a label whose evaluation is complete, by seed."""
    return [result for result in results.values() if result["label"] == label and result["finished"]]


def _passed(test: Mapping[str, list[Any]], which: Sequence[bool] | None = None) -> float:
    own = [
        bool(each) for each, wanted in zip(test["passed"], which or [True] * len(test["passed"]), strict=True) if wanted
    ]
    return sum(own) / len(own) if own else float("nan")


def _percent(share: float) -> str:
    return "" if share != share else f"{100 * share:.1f} %"


def _many(values: Sequence[float], form: str) -> str:
    """Return the mean of several runs, with each of them behind it."""
    mean = form.format(float(np.mean(values)))
    return mean if len(values) < 2 else f"{mean} ({', '.join(form.format(each) for each in values)})"
