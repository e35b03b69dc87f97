"""Draw the learning curves of `examples/train.py`: run it with `verbose=1` for each seed, and name the logs here."""

import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt


def main() -> None:
    """Read the logs named first, write the picture named last."""
    if len(sys.argv) < 3:
        sys.exit("usage: python tools/learning_curve.py LOG... PICTURE.svg")
    *logs, picture = sys.argv[1:]
    plt.rcParams["svg.hashsalt"] = "learning"  # the same file from the same logs
    figure, axes = plt.subplots(figsize=(6, 2.6))
    for number, log in enumerate(logs, 1):
        text = Path(log).read_text()
        returns = [float(value) for value in re.findall(r"ep_rew_mean\s*\|\s*(\S+)", text)]
        steps = [int(value) for value in re.findall(r"total_timesteps\s*\|\s*(\d+)", text)]
        axes.plot([step / 1000 for step in steps[-len(returns) :]], returns, label=f"seed {number}")
    axes.axhline(0.999, color="grey", linewidth=0.8, linestyle=":")
    axes.set_xlabel("thousand steps")
    axes.set_ylabel("mean return")
    axes.spines[["top", "right"]].set_visible(False)
    if len(logs) > 1:
        axes.legend(frameon=False, loc="lower right", fontsize=8)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})


main()
