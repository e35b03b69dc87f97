"""Test how well capabilities predict tasks that were not used: `python -m benchmarks.capabilities SAMPLE [FOLDER]`.

Three agents (random, heuristic, navigator) play the bundled tasks for one animal, and the 100 tasks of the testbed's
sample by the rules of build 3.1; then a report infers their capabilities and cross-validates them. Variations of the
bundled templates are forecast from all of these. Everything goes through what `puzzlebox run` and `puzzlebox report`
call; with one process it takes a quarter of an hour. SAMPLE is the folder of the sample; runs and report stay in
FOLDER, where a second call resumes them.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from puzzlebox.batteries import template_names
from puzzlebox.report import Report, gather, make_report, words
from puzzlebox.report.capabilities import battery_of
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks
from puzzlebox.stats.layout import fit_layout
from puzzlebox.stats.layout_validation import brier, mean_over_groups
from puzzlebox.wings import ARENA, wing_named

AGENTS = ("random", "heuristic", "navigator")
EPISODES = 3


def report_on(sample: Path, folder: Path, episodes: int = EPISODES) -> Report:
    """Play all tasks and write the report.

    Args:
        sample: the folder of the testbed's sample.
        folder: the folder of the runs and the report.
        episodes: how often each agent plays each arena; a deterministic one plays fixed arenas always alike.
    """
    names = [each.name for each in wing_named(ARENA).bundled()]
    bundled = [task for task in find_tasks(names) if task.task.bodies == 1]
    run(bundled, AGENTS, folder / "bundled", episodes=episodes, workers=1)
    run(find_tasks([str(sample)]), AGENTS, folder / "sample", episodes=episodes, workers=1, rules="3.1")
    return make_report([folder / "bundled", folder / "sample"], folder / "report", layout=True)


def prediction(report: Report) -> list[str]:
    """Return the sentences of the report about capabilities."""
    sections = [section for section in report.contents.sections if section.title == "Capabilities"]
    return [block for section in sections for block in section.blocks if isinstance(block, str)]


def fresh_tasks(folder: Path) -> str:
    """Forecast variations of the bundled templates from all tasks of the runs in a folder; return the gain in words."""
    wing = wing_named(ARENA)
    templates = [name for name in template_names() if "/" in name]
    run(find_tasks(templates, variations=4), AGENTS, folder / "fresh", workers=1)
    known = battery_of(gather([folder / "bundled", folder / "sample"]).rows, wing)
    fresh = battery_of(gather([folder / "fresh"]).rows, wing)
    column_of = {column.name: index for index, column in enumerate(fresh.dimensions)}
    demands = np.zeros((len(fresh.units), len(known.dimensions)))
    for index, column in enumerate(known.dimensions):
        if column.name in column_of:
            demands[:, index] = fresh.demands[:, column_of[column.name]]
    gains = []
    for agent in AGENTS:
        layout = fit_layout(known.demands, known.shares[agent], known.weights)
        forecasts = np.array([each.value for each in layout.predict(demands)])
        mean = np.full(len(forecasts), np.average(known.shares[agent], weights=known.weights))
        gains.append(brier(mean, fresh.shares[agent]) - brier(forecasts, fresh.shares[agent]))
    units = [unit.partition("@")[0] for unit in fresh.units]
    lines = [
        f"{agent} {words.interval(mean_over_groups(each, units), 3)}" for agent, each in zip(AGENTS, gains, strict=True)
    ]
    overall = words.interval(mean_over_groups(np.mean(gains, axis=0), units), 3)
    count = len(set(units))
    return f"Gain on {len(units)} variations of {count} templates: {', '.join(lines)}; all three {overall}."


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        here = Path(sys.argv[2] if len(sys.argv) > 2 else place)
        print("\n".join(prediction(report_on(Path(sys.argv[1]), here))))
        print(fresh_tasks(here))
