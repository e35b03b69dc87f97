"""Write `src/puzzlebox/learn/generalist/`, the trained agent of the package, from the newest checkpoint of a run.

.venv/bin/puzzlebox train "testbed-train/*" --curriculum learnability --steps 2e8 -o RUN
.venv/bin/python tools/generalist.py RUN

Weights are rounded to bf16, which halves their size; they are read as numbers of 32 bits again. The settings of the run
are in `history`; those that `--from generalist` starts with fit any machine. A run that was started
with `--from generalist` continues the history of the agent, and its decisions and episodes are added.
"""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from puzzlebox.learn.checkpoints import ABOUT, DONE, WEIGHTS, find_checkpoint, mark
from puzzlebox.learn.files import remove_folder, write_json, write_text
from puzzlebox.learn.generalist_agent import FOLDER
from puzzlebox.learn.origin import history_of
from puzzlebox.learn.recurrent import Settings

# What playing, and starting another run, need of `about.json`.
KEPT = ("learner", "wing", "senses", "observations", "actions", "tasks")
# Settings that fit the machine and the length of its own training; `--from generalist` starts with their defaults.
OF_THE_MACHINE = ("envs", "workers", "groups", "minibatches", "anneal_steps", "keep_episodes", "threads")


def rounded(stored: Any) -> Any:
    """Return what a file of weights holds, with all floating numbers as bf16."""
    if isinstance(stored, dict):
        return type(stored)((name, rounded(value)) for name, value in stored.items())
    return stored.bfloat16() if isinstance(stored, torch.Tensor) and stored.is_floating_point() else stored


def write(run: Path, folder: Path = FOLDER) -> dict[str, Any]:
    """Write the folder of the agent; return its `about.json`."""
    checkpoint = find_checkpoint(run)
    about, history = checkpoint.about, history_of(checkpoint)
    usual = asdict(Settings())
    weights = torch.load(checkpoint.folder / WEIGHTS, map_location="cpu", weights_only=True)
    slim = {
        "step": sum(each["steps"] for each in history),
        "episodes": sum(each["episodes"] for each in history),
        **{name: about[name] for name in KEPT},
        "settings": about["settings"] | {name: usual[name] for name in OF_THE_MACHINE},
        "history": history,
    }
    remove_folder(folder)
    folder.mkdir(parents=True)
    torch.save(rounded(weights), folder / WEIGHTS)
    write_json(folder / ABOUT, slim)
    write_text(folder / DONE, mark(folder, [WEIGHTS]))
    return slim


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="a run of training, or one of its checkpoints")
    chosen = parser.parse_args()
    agent = write(chosen.run)
    print(f"{FOLDER}: {agent['step']:,} decisions; runs: {len(agent['history'])}, tasks: {len(agent['tasks'])}")
