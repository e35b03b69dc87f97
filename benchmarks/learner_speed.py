"""Speed of the recurrent learner on one machine, setting by setting: `python benchmarks/learner_speed.py`.

It needs torch and what the arena needs, and no installation: `PYTHONPATH=src python benchmarks/learner_speed.py`. Every
setting runs in a process of its own, so that one that fails or takes too long costs a line of the table and no more.

    python benchmarks/learner_speed.py                       # the whole plan, about three minutes
    python benchmarks/learner_speed.py --only impala         # lines of the plan with that word
    python benchmarks/learner_speed.py --run envs=2048 network=impala workers=16    # one setting

Any field of `puzzlebox.learn.recurrent.Settings` can be set, and `task`, `camera`, `device`, `seconds`, `wide` (whether
the first convolution of "nature" takes four pixels as one; default 1) and `alone` (environments alone, without a
learner). `profile=1` prints what the GPU spent its time on.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent
_COLUMNS = ("decisions/s", "environment", "policy", "learning", "ms/policy step", "ms/update", "GPU GB", "start s")
# Settings that all lines share; each line changes some.
_BASE = {"envs": 1024, "rollout": 32, "minibatches": 4, "network": "nature", "memory": "lstm"}
_SMALL = {"envs": 64, "rollout": 32, "minibatches": 4}


def plan(cores: int, gpu: bool) -> list[tuple[str, dict[str, Any]]]:
    """Return the lines of the table: what is different, and the settings."""
    workers = max(1, cores - 1)
    if not gpu:
        return [
            ("environments alone", {**_SMALL, "alone": 1}),
            ("nature, lstm", {**_SMALL}),
            ("nature, none", {**_SMALL, "memory": "none"}),
            ("nature, lstm, fp32", {**_SMALL, "precision": "fp32"}),
            ("nature, lstm, 2 groups", {**_SMALL, "groups": 2}),
        ]
    base = {**_BASE, "workers": workers}
    impala = {**base, "network": "impala"}
    return [
        ("environments alone", {**base, "alone": 1}),
        ("nature", base),
        ("impala", impala),
        (f"nature, {cores} workers", {**base, "workers": cores}),
        ("nature, 2048 envs", {**base, "envs": 2048}),
        ("impala, 2048 envs", {**impala, "envs": 2048, "minibatches": 8}),
        ("nature, 3 groups", {**base, "groups": 3, "envs": 1536}),
        ("nature, pixels one by one", {**base, "wide": 0}),
        ("nature, 2 minibatches", {**base, "minibatches": 2}),
        ("nature, rollout 64", {**base, "rollout": 64}),
        ("nature, 1 group", {**base, "groups": 1, "workers": cores}),
        ("nature, no graphs", {**base, "graphs": False}),
        ("nature, compiled", {**base, "compile": True}),
        ("impala, compiled", {**impala, "compile": True}),
    ]


def measure(options: dict[str, Any]) -> dict[str, Any]:
    """Measure one setting in this process."""
    began = time.perf_counter()
    import torch

    import puzzlebox
    from puzzlebox.learn import networks
    from puzzlebox.learn.recurrent import RecurrentPPO, Settings

    options = dict(options)
    device = str(options.pop("device", "cuda" if torch.cuda.is_available() else "cpu"))
    seconds = float(options.pop("seconds", 5))
    camera = int(options.pop("camera", 64))
    task = options.pop("task", None) or _arenas()
    networks.Picture.wide = bool(options.pop("wide", True))
    alone, profile = options.pop("alone", False), options.pop("profile", False)
    settings = Settings(**options)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True

    def vector(count: int) -> Any:
        return puzzlebox.make_vec(task, count, camera=camera, **settings.vector(device))

    if alone:
        return _alone(vector(settings.envs), seconds, began)
    learner = RecurrentPPO(vector, settings, 1, device)
    for _ in range(2):
        learner.update()
    started = time.perf_counter()
    clock = learner._sampler.clock
    clock.environment = clock.policy = clock.learning = clock.total = 0.0
    updates = 0
    while time.perf_counter() - started < seconds or updates < 2:
        learner.update()
        updates += 1
    taken = time.perf_counter() - started
    groups = learner._sampler.turns.groups
    shares = learner.shares()
    result = {
        "decisions/s": round(updates * settings.envs * settings.rollout / taken),
        **{name: f"{shares[name]:.0%}" for name in ("environment", "policy", "learning")},
        "ms/policy step": round(1e3 * clock.policy / (updates * settings.rollout * groups), 2),
        "ms/update": round(1e3 * clock.learning / updates, 1),
        "GPU GB": round(torch.cuda.max_memory_allocated() / 1e9, 1) if device != "cpu" else "",
        "start s": round(started - began, 1),
        "page-locked": learner._sampler.page_locked if device != "cpu" else None,
    }
    if profile:
        _profile(learner)
    learner.close()
    return result


def _arenas() -> list[Any]:
    """Return the arena of 20 things with several time limits, so that episodes do not all end at once."""
    from puzzlebox.arena.envs.speed import arena
    from puzzlebox.arena.schema import load_task, write

    text = write(arena())
    assert "time_limit: 250" in text
    return [load_task(text.replace("time_limit: 250", f"time_limit: {limit}")) for limit in range(190, 312, 8)]


def _alone(envs: Any, seconds: float, began: float) -> dict[str, Any]:
    """Measure environments with random actions, sent and received in turn."""
    import numpy as np

    rng = np.random.default_rng(0)
    envs.reset(seed=1)
    rows = [envs.rows(group) for group in range(envs.groups)]
    actions = [rng.integers(9, size=part.stop - part.start) for part in rows]
    for group in range(envs.groups):
        envs.send(actions[group], group)
    started, steps = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        for group in range(envs.groups):
            envs.receive(group, copy=False)
            envs.send(rng.permutation(actions[group]), group)
            steps += len(actions[group])
    taken = time.perf_counter() - started
    for group in range(envs.groups):
        envs.receive(group)
    envs.close()
    return {"decisions/s": round(steps / taken), "environment": "100%", "start s": round(started - began, 1)}


def _profile(learner: Any) -> None:
    """Print what the GPU spent its time on in two updates."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as recorded:
        learner.update()
        learner.update()
    print(recorded.key_averages().table(sort_by="cuda_time_total", row_limit=25), file=sys.stderr)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return {"True": True, "False": False, "None": None}.get(text, text)


def _line(name: str, result: dict[str, Any]) -> str:
    cells = [f"{result.get(column, '')}" for column in _COLUMNS]
    extra = " (observations not page-locked)" if result.get("page-locked") is False else ""
    return f"| {name}{extra} | " + " | ".join(cells) + " |"


def _run_apart(options: dict[str, Any], limit: float) -> dict[str, Any] | str:
    """Measure one setting in another process; return what went wrong as a text."""
    words = [f"{name}={json.dumps(value)}" for name, value in options.items()]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(Path(__file__).resolve()), "--run", *words]
    try:
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"stopped after {limit:.0f} s"
    sys.stderr.write(done.stderr if options.get("profile") else "")
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("{"):
            return dict(json.loads(line))
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1][:300]


def main() -> None:
    """Measure the plan, or one setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs="*", metavar="NAME=VALUE", help="measure one setting in this process")
    parser.add_argument("--only", nargs="*", default=[], help="only lines of the plan with one of these words")
    parser.add_argument("--seconds", type=float, default=5, help="how long each setting is measured")
    parser.add_argument("--limit", type=float, default=90, help="seconds after which a setting is given up")
    parser.add_argument("--all", nargs="*", default=[], metavar="NAME=VALUE", help="settings of all lines")
    arguments = parser.parse_args()
    if arguments.run is not None:
        options = {name: _value(value) for name, value in (word.split("=", 1) for word in arguments.run)}
        print(json.dumps(measure(options)))
        return
    import torch

    cores = len(os.sched_getaffinity(0))
    gpu = torch.cuda.is_available()
    where = torch.cuda.get_device_name() if gpu else "no GPU"
    print(f"{cores} cores, {where}, torch {torch.__version__}, Python {sys.version.split()[0]}\n")
    print("| setting | " + " | ".join(_COLUMNS) + " |\n|" + "---|" * (len(_COLUMNS) + 1), flush=True)
    common = {name: _value(value) for name, value in (word.split("=", 1) for word in arguments.all)}
    for name, options in plan(cores, gpu):
        if arguments.only and not any(word in name for word in arguments.only):
            continue
        limit = arguments.limit * (2 if options.get("compile") else 1)
        result = _run_apart({**options, "seconds": arguments.seconds, **common}, limit)
        print(f"| {name} | {result} |" if isinstance(result, str) else _line(name, result), flush=True)


if __name__ == "__main__":
    main()
