"""Draw the validation errors of training runs of the intuitions wing: one picture for each model, one line a task.

python tools/intuitions_curves.py RUN... -o curves.png
"""

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def main() -> None:
    """Read `log.jsonl` of each run and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("-o", "--output", type=Path, default=Path("curves.png"))
    options = parser.parse_args()
    logs: dict[str, list[list[dict[str, Any]]]] = {}
    for run in options.runs:
        model = json.loads((run / "run.json").read_text(encoding="utf-8"))["model"]
        lines = (run / "log.jsonl").read_text(encoding="utf-8").splitlines()
        logs.setdefault(model, []).append([json.loads(line) for line in lines])
    columns = min(3, len(logs))
    rows = -(-len(logs) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4 * columns, 3 * rows), squeeze=False, layout="constrained")
    for axis in axes.flat[len(logs) :]:
        axis.axis("off")
    for axis, (model, runs) in zip(axes.flat, logs.items(), strict=False):
        for number, lines in enumerate(runs):
            for color, task in enumerate(lines[-1]["validation"]):
                points = [(line["epoch"], line["validation"].get(task)) for line in lines]
                points = [(epoch, error) for epoch, error in points if error is not None]
                label = task.replace("_", " ") if number == 0 else None
                axis.plot(*zip(*points, strict=True), color=f"C{color}", label=label, linewidth=1, marker=".")
        axis.set(
            title=model, xlabel="epochs", ylabel="validation error", yscale="log" if model != "parts" else "linear"
        )
        axis.legend(fontsize=7, frameon=False)
    figure.savefig(options.output, dpi=120)
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
