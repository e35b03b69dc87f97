"""Train and score the models of the intuitions wing at full size, on a machine with a GPU, ten minutes at a time.

It needs Python, numpy, scipy and torch, and no installation: `PYTHONPATH=src python benchmarks/intuitions_training.py
JOB...`. Each job is resumable: run the same command again until it says that it has finished. Background films are
generated once and kept in `--data`. Jobs, in this order:

    data                      the 28,000 background films
    parts-0 parts-1 parts-2   our model, three seeds
    atc                       the state encoder that bc-mlp, bc-rnn and offline-rl need
    bc-mlp bc-rnn offline-rl  behaviour cloning and offline RL
    video                     the video model
    video-3d                  the same on films in three dimensions; it needs the native kernel (`make`)
    graph                     the graph model
    score-NAME                judge all pairs with the model of a job; score-planner: the inverse planner. Several
                              such jobs in one command generate the pairs once
    table                     one table of all scores with the same shapes; runs that differ in their seed are one model

`--out` gets one folder for each job. `--slim DIR` copies there what is worth keeping: run.json, log.jsonl and the
weights without the state of the optimiser. Published numbers of epochs are larger (atc 8,000, cloning up to
1,000, graph 32); `--set epochs=N` continues a run for longer if its error still falls.
"""

import argparse
import json
import re
import shutil
import sys
import time
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from puzzlebox.intuitions.catalogue import GROUPS, TASKS
from puzzlebox.intuitions.models.background import background
from puzzlebox.intuitions.models.judging import Source, generated, judge_pairs, make_all
from puzzlebox.intuitions.models.registry import INVERSE_PLANNER
from puzzlebox.intuitions.models.training import CHECKPOINT, LOG, RUN, Plan, train, write_aside
from puzzlebox.intuitions.scoring.judgements import read_judgements, write_judgements
from puzzlebox.intuitions.scoring.order import three_way_order
from puzzlebox.intuitions.scoring.pairs import Judgement
from puzzlebox.intuitions.scoring.summary import summarise
from puzzlebox.intuitions.scoring.tables import data as plain_data
from puzzlebox.intuitions.scoring.tables import markdown
from puzzlebox.processes import cores

_START = time.monotonic()
# Less time than this is not worth the preparation of films.
_LEAST_MINUTES = 0.5
RESULTS = Path(__file__).parent / "results"


class Job(NamedTuple):
    """A model to train: its name, seed, settings that differ from the defaults, and whether it needs the encoder."""

    model: str
    seed: int = 0
    settings: dict[str, Any] = {}  # noqa: RUF012
    encoder: bool = False


# Published: steps of 1e-4 and 11 epochs, with all eight trials. These learn the same in less time.
_VIDEO = {"batch": 64, "learning_rate": 5e-4, "gradient_clip": 1.0, "epochs": 40, "trials": 2}
JOBS = {
    **{f"parts-{seed}": Job("parts", seed) for seed in range(3)},
    "atc": Job("atc", settings={"epochs": 30, "learning_rate": 5e-4}),
    "bc-mlp": Job("bc-mlp", settings={"epochs": 150}, encoder=True),
    "bc-rnn": Job("bc-rnn", settings={"epochs": 60}, encoder=True),
    "offline-rl": Job("offline-rl", settings={"epochs": 200}, encoder=True),
    "video": Job("video", settings=_VIDEO),
    "video-3d": Job("video", settings={**_VIDEO, "view": "three-d"}),
    "graph": Job("graph", settings={"epochs": 32, "batch": 64}),
}


def _train(name: str, options: argparse.Namespace) -> bool:
    job = JOBS[name]
    encoder = str(options.out / "atc") if job.encoder else ""
    settings = {**job.settings, **dict(each.split("=", 1) for each in options.set)}
    plan = Plan(job.model, job.seed, options.scale, 0, settings, encoder)
    outcome = train(
        plan, options.out / name, _minutes_left(options), options.device, options.workers, options.data, note=_note
    )
    state = "finished" if outcome.finished else "unfinished"
    _note(f"{name}: {outcome.steps} steps, {outcome.epochs:.1f} epochs, {state}")
    if options.slim is not None:
        _slim(options.out / name, options.slim / name)
    return outcome.finished


def _minutes_left(options: argparse.Namespace) -> float | None:
    return None if options.minutes is None else max(0.0, options.minutes - (time.monotonic() - _START) / 60)


def _slim(run: Path, folder: Path) -> None:
    """Copy a run with nothing but the weights that judge: without its optimiser, and without what is averaged."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    for name in (RUN, LOG):
        if (run / name).exists():
            shutil.copy(run / name, folder / name)
    state = torch.load(run / CHECKPOINT, map_location="cpu", weights_only=True)
    weights = state["average"] or state["learner"]
    write_aside(folder / CHECKPOINT, {"learner": weights, "average": weights, "step": state["step"], "finished": True})


@lru_cache
def _pairs(episodes: int, seed: int, shapes: str, workers: int) -> list[Source]:
    tasks = [TASKS[task] for task in GROUPS["evaluation"]]
    return make_all(generated(tasks, episodes, seed, shapes), workers)


def _score(name: str, options: argparse.Namespace) -> None:
    run = INVERSE_PLANNER if name == "planner" else str(options.out / name)
    start, device = time.monotonic(), options.device or "cpu"
    pairs = _pairs(options.episodes, options.score_seed, options.shapes, options.workers)
    # Only one program uses a GPU, and no other process need see the pairs.
    judgements = judge_pairs(
        run,
        pairs,
        options.workers if device == "cpu" else 1,
        device,
        other_familiarisation=options.other_familiarisation,
    )
    folder = (options.slim or options.out) / f"score-{name}-{options.shapes}{'-other' * options.other_familiarisation}"
    folder.mkdir(parents=True, exist_ok=True)
    write_judgements(folder / "judgements.csv", [(name, 0, judgements)])
    results = {name: summarise([judgements])}
    (folder / "scores.json").write_text(json.dumps(plain_data(results), indent=1) + "\n", encoding="utf-8")
    text = markdown(results, options.shapes, {name: three_way_order(judgements)})
    (folder / "scores.txt").write_text(text, encoding="utf-8")
    for score in results[name]:
        value, low, high = (100 * each for each in score.over_episodes)
        kind = f" {score.kind}" if score.kind else ""
        print(f"{name}  {score.task}{kind}  {score.read_out}  {value:.1f} ({low:.1f} to {high:.1f})", flush=True)
    _note(f"{len(judgements)} pairs in {time.monotonic() - start:.0f} s")


def _table(options: argparse.Namespace) -> None:
    """Print the scores of all models that were scored with some shapes, and write them to `--out`."""
    end = f"-{options.shapes}{'-other' * options.other_familiarisation}"
    models: dict[str, list[list[Judgement]]] = {}
    for file in sorted((options.slim or options.out).glob(f"score-*{end}/judgements.csv")):
        name = re.sub(r"-\d+$", "", file.parent.name.removeprefix("score-").removesuffix(end))
        for runs in read_judgements(file).values():
            models.setdefault(name, []).extend(runs)
    if not models:
        sys.exit(f"there are no scores in {options.slim or options.out}; score a model first")
    results = {name: summarise(runs) for name, runs in models.items()}
    text = markdown(results, options.shapes, {name: three_way_order(runs[0]) for name, runs in models.items()})
    (options.slim or options.out).joinpath(f"table{end}.txt").write_text(text, encoding="utf-8")
    print(text)


def _note(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def main() -> None:
    """Do some jobs, one after the other, until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="+", metavar="JOB")
    parser.add_argument("--out", type=Path, default=RESULTS / "intuitions")
    parser.add_argument("--data", type=Path, default=RESULTS / "background")
    parser.add_argument("--slim", type=Path, help="a folder for what is worth keeping")
    parser.add_argument("--minutes", type=float, help="minutes for all jobs together; the same command resumes")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--score-seed", type=int, default=1)
    parser.add_argument("--shapes", choices=("familiar", "new"), default="familiar")
    parser.add_argument("--other-familiarisation", action="store_true")
    parser.add_argument("--device")
    parser.add_argument("--workers", type=int, default=cores())
    options = parser.parse_args()
    known = {*JOBS, "data", "table", *(f"score-{name}" for name in (*JOBS, "planner"))}
    for job in options.jobs:
        if job not in known:
            sys.exit(f"there is no job {job}; there are {', '.join(sorted(known))}")
    for job in options.jobs:
        if job == "data":
            background(options.scale, 0, options.data, options.workers)
        elif job == "table":
            _table(options)
        elif job.startswith("score-"):
            _score(job.removeprefix("score-"), options)
        elif (left := _minutes_left(options)) is None or left > _LEAST_MINUTES:
            _train(job, options)


if __name__ == "__main__":
    main()
