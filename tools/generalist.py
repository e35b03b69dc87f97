"""Write `src/puzzlebox/learn/generalist/`, the trained agent of the package, from the newest checkpoint of a run.

.venv/bin/puzzlebox train "testbed-train/*" --curriculum learnability --steps 2e8 -o RUN
.venv/bin/python tools/generalist.py RUN

Weights are rounded to bf16, which halves their size; they are read as numbers of 32 bits again. A run that was started
with `--from generalist` continues the history of the agent, and its decisions and episodes are added.
"""

import argparse
from pathlib import Path
from typing import Any

import torch

from puzzlebox.learn.checkpoints import ABOUT, DONE, WEIGHTS, find_checkpoint, sha256_of
from puzzlebox.learn.files import remove_folder, write_json, write_text
from puzzlebox.learn.generalist_agent import FOLDER
from puzzlebox.learn.origin import history_of

# What playing, and starting another run, need of `about.json`.
KEPT = ("learner", "settings", "wing", "senses", "observations", "actions", "tasks")


def rounded(stored: Any) -> Any:
    """Return what a file of weights holds, with all floating numbers as bf16."""
    if isinstance(stored, dict):
        return type(stored)((name, rounded(value)) for name, value in stored.items())
    return stored.bfloat16() if isinstance(stored, torch.Tensor) and stored.is_floating_point() else stored


def write(run: Path, folder: Path = FOLDER) -> dict[str, Any]:
    """Write the folder of the agent; return its `about.json`."""
    checkpoint = find_checkpoint(run)
    about, history = checkpoint.about, history_of(checkpoint)
    weights = torch.load(checkpoint.folder / WEIGHTS, map_location="cpu", weights_only=True)
    slim = {
        "step": sum(each["steps"] for each in history),
        "episodes": sum(each["episodes"] for each in history),
        **{name: about[name] for name in KEPT},
        "history": history,
    }
    remove_folder(folder)
    folder.mkdir(parents=True)
    torch.save(rounded(weights), folder / WEIGHTS)
    write_json(folder / ABOUT, slim)
    write_text(folder / DONE, f"{sha256_of(folder / WEIGHTS)}\n")
    return slim


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="a run of training, or one of its checkpoints")
    chosen = parser.parse_args()
    agent = write(chosen.run)
    print(f"{FOLDER}: {agent['step']:,} decisions; runs: {len(agent['history'])}, tasks: {len(agent['tasks'])}")
