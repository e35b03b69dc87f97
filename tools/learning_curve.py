"""Draw what `examples/train.py` learned: run it with `verbose=1`, give the log to this program."""

import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt


def main() -> None:
    """Read the log named first, write the picture named second."""
    if len(sys.argv) != 3:
        sys.exit("usage: python tools/learning_curve.py LOG PICTURE.svg")
    text = Path(sys.argv[1]).read_text()
    returns = [float(value) for value in re.findall(r"ep_rew_mean\s*\|\s*(\S+)", text)]
    steps = [int(value) for value in re.findall(r"total_timesteps\s*\|\s*(\d+)", text)]
    plt.rcParams["svg.hashsalt"] = "learning"  # the same file from the same log
    figure, axes = plt.subplots(figsize=(6, 2.6))
    axes.plot([step / 1000 for step in steps[-len(returns) :]], returns)
    axes.axhline(0.999, color="grey", linewidth=0.8, linestyle=":")
    axes.set_xlabel("thousand steps")
    axes.set_ylabel("mean return")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(sys.argv[2], metadata={"Date": None})


main()
