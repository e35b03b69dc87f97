"""Draw how the validation errors of trained models fell, from the logs of their runs.

`python -m benchmarks.intuitions_curves RUN... -o curves.svg`: a panel for each run, a line for each background task,
and the published error as a dashed line of the same colour where there is one. A table of the last errors is printed,
with how much their mean fell in the last quarter of training.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from puzzlebox.intuitions.models.training import LOG, RUN
from puzzlebox.intuitions.scoring.published import BACKGROUND_ERRORS, REBUILT

_COLORS = {
    "single_object": "#0072b2",
    "preference": "#d55e00",
    "multi_agent": "#009e73",
    "instrumental_action": "#cc79a7",
}
_UNITS = {"video": "pixel MSE", "graph": "MSE of the next place", "parts": "bits", "atc": "nats"}


def _read(run: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    what = json.loads((run / RUN).read_text(encoding="utf-8"))
    return what, [json.loads(line) for line in (run / LOG).read_text(encoding="utf-8").splitlines()]


def _mean(line: dict[str, Any]) -> float:
    errors = [each for each in line["validation"].values() if each is not None]
    return sum(errors) / len(errors) if errors else float("nan")


def table(runs: list[Path]) -> str:
    """Return a table: epochs, minutes, the last error of each task, and how much the mean fell in the last quarter."""
    head = "| run | epochs | minutes | single object | preference | multi-agent | instrumental | last quarter |"
    rows = [head, "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for run in runs:
        _, lines = _read(run)
        last, before = lines[-1], lines[-1 - len(lines) // 4]
        errors = " | ".join(f"{last['validation'][task]:.2g}" for task in _COLORS)
        fall = 1 - _mean(last) / _mean(before)
        rows.append(
            f"| {run.name} | {last['epoch']:.0f} | {last['seconds'] / 60:.1f} | {errors} | {100 * fall:.1f} % |"
        )
    return "\n".join(rows)


def draw(runs: list[Path], path: Path) -> None:
    """Draw the curves of some runs."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    columns = min(4, len(runs))
    rows = -(-len(runs) // columns)
    figure, axes = pyplot.subplots(
        rows, columns, figsize=(3.1 * columns, 2.6 * rows), squeeze=False, layout="constrained"
    )
    for panel in axes.flat[len(runs) :]:
        panel.remove()
    for run, panel in zip(runs, axes.flat, strict=False):
        what, lines = _read(run)
        for number, (task, color) in enumerate(_COLORS.items()):
            points = [(each["epoch"], each["validation"].get(task)) for each in lines]
            panel.plot(*zip(*[each for each in points if each[1]], strict=True), color=color, linewidth=1.2)
            known = BACKGROUND_ERRORS.get(REBUILT.get(what["model"], ""))
            # Published errors are those of flat films.
            if known is not None and what["settings"].get("view", "flat") == "flat":
                panel.axhline(known[number], color=color, linewidth=0.8, linestyle="--", alpha=0.7)
        panel.set(yscale="log", title=run.name, xlabel="epochs", ylabel=_UNITS.get(what["model"], "action MSE"))
        panel.title.set_fontsize(10)
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(alpha=0.25, linewidth=0.5)
    handles = [pyplot.Line2D([], [], color=color) for color in _COLORS.values()]
    names = [task.replace("_action", "").replace("_", " ") for task in _COLORS]
    figure.legend(handles, names, loc="outside lower center", ncols=min(len(names), 2 * columns), frameon=False, fontsize=9)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Draw the curves and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    draw(options.runs, options.output)
    print(table(options.runs))


if __name__ == "__main__":
    main()
