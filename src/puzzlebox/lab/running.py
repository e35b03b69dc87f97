"""A run: agents meet tasks, every episode once, whatever happens on the way."""

import json
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from puzzlebox.envs.workers import cores
from puzzlebox.lab.asked import agent_of, rules_of
from puzzlebox.lab.crew import BACKENDS, played, require_ray
from puzzlebox.lab.journal import Journal
from puzzlebox.lab.player import Plan
from puzzlebox.lab.results import write_results
from puzzlebox.lab.rows import now
from puzzlebox.lab.schedule import Slot, slots
from puzzlebox.lab.subjects import Subject
from puzzlebox.schema.messages import nearest
from puzzlebox.things.rules import Rules

FORMAT = 1
SETTINGS = "run.json"
# Physics steps: ten times the longest task of the testbed. Only tasks without a time limit come near it.
LONGEST = 50_000

Progress = Callable[[int, int], object]


class RunError(ValueError):
    """A run that cannot be begun, or cannot go on, as it was asked for."""


@dataclass(frozen=True)
class Outcome:
    """What came of a run.

    Attributes:
        folder: where it is.
        rows: the rows of its table, in the order of the schedule.
        played: how many of them were played just now.
    """

    folder: Path
    rows: list[dict[str, Any]]
    played: int


def run(
    subjects: Sequence[Subject],
    agents: Sequence[str],
    folder: Path,
    *,
    episodes: int = 1,
    workers: int | None = None,
    rules: str | Rules = "puzzlebox",
    seed: int = 0,
    backend: str = "processes",
    longest: int = LONGEST,
    trajectories: bool = True,
    command: str = "",
    progress: Progress | None = None,
) -> Outcome:
    """Let agents play tasks and write down how it went; a run that broke off in the same folder is gone on with.

    Args:
        subjects: the tasks (`subjects_of` finds them).
        agents: names or import paths, with options as in `random(prev_step_bias=0.5)`.
        folder: where everything goes: `run.json`, `episodes.csv` (and Parquet), `trajectories.jsonl.gz`.
        episodes: how many times each agent plays each arena.
        workers: how many processes play at the same time; None: one for each core. They change no result.
        rules: what is played by: a preset, with single fields changed as in `3.1(decision_period=5)`, or a Rules.
        seed: what the seeds of all episodes are made from.
        backend: "processes", or "ray" for a Ray cluster.
        longest: physics steps after which an episode is stopped.
        trajectories: keep the episodes for replays.
        command: what was typed, to be kept.
        progress: is told how many episodes of how many are done.

    Raises:
        RunError: the folder holds another run, or what was asked for makes no sense.
    """
    if not subjects or not agents:
        raise RunError(f"there is no {'task' if agents else 'agent'} to run")
    if backend not in BACKENDS:
        raise RunError(f"there is no backend {backend!r}{nearest(backend, BACKENDS)}")
    for name, number in (("episodes", episodes), ("workers", workers or 1), ("longest", longest)):
        if number < 1:
            raise RunError(f"{name} is {number}; it must be 1 or more")
    if seed < 0:
        raise RunError(f"the seed is {seed}; it must be 0 or more")
    if backend == "ray":
        require_ray()
    agents = list(dict.fromkeys(agents))
    called, chosen = rules_of(rules)
    _refuse_several_animals(subjects)
    workers = workers or cores()
    settings = _settings(subjects, agents, episodes, chosen, seed, longest) | {"rules": called}
    about = {"workers": workers, "backend": backend, "trajectories": trajectories}
    folder.mkdir(parents=True, exist_ok=True)
    history = _history(folder, settings)
    started = now()
    _write_settings(folder, settings | about, history, {"command": command, "started": started})
    plan = Plan(folder.resolve().name, tuple(subjects), chosen, called, seed, longest, trajectories)
    schedule = list(slots(subjects, agents, episodes))
    journal = Journal(folder)
    try:
        rows = {_slot(row): row for row in journal.rows}
        if len(rows) != len(journal.rows):
            raise RunError(f"the journal in {folder} has an episode twice; it was changed by something else")
        todo = [slot for slot in schedule if slot not in rows]
        if progress is not None:
            progress(len(rows), len(schedule))
        for row, trajectory in played(plan, todo, workers, backend) if todo else ():
            journal.add(row, trajectory)
            rows[_slot(row)] = row
            if progress is not None:
                progress(len(rows), len(schedule))
    finally:
        journal.close()
    ordered = [rows[slot] for slot in schedule]
    write_results(folder, ordered)
    part = {"command": command, "started": started, "finished": now(), "played": len(todo)}
    _write_settings(folder, settings | about, history, part)
    return Outcome(folder, ordered, len(todo))


def _slot(row: dict[str, Any]) -> Slot:
    return Slot(row["task"], row["arena"], row["agent"], row["episode"])


def _refuse_several_animals(subjects: Iterable[Subject]) -> None:
    for subject in subjects:
        for arena in subject.task.arenas:
            count = len(arena.agents())
            if count > 1:
                raise RunError(f"{subject.name}: arena {arena.id} has {count} agents; a run has one animal in each")


def _settings(
    subjects: Sequence[Subject], agents: Sequence[str], episodes: int, rules: Rules, seed: int, longest: int
) -> dict[str, Any]:
    """Everything that decides what the results are."""
    made = {name: agent_of(name) for name in agents}
    return {
        "format": FORMAT,
        "puzzlebox": version("puzzlebox"),
        "rules_fields": rules.as_dict(),
        "seed": seed,
        "episodes": episodes,
        "longest": longest,
        "agents": [
            {"name": name, "class": f"{type(agent).__module__}:{type(agent).__name__}", "senses": dict(agent.senses)}
            for name, agent in made.items()
        ],
        "tasks": [
            {
                "name": subject.name,
                "hash": subject.hash,
                "title": subject.task.metadata.title,
                "level": subject.level,
                "variant": subject.variant,
                "arenas": [
                    {"position": start, "pass_mark": arena.pass_mark, "time_limit": arena.time_limit}
                    for start, arena in ((start, subject.task.arenas[start]) for start in subject.starts)
                ],
            }
            for subject in subjects
        ],
        "machine": _machine(),
    }


def _machine() -> dict[str, str]:
    about = {"python": platform.python_version(), "system": platform.platform(), "processor": platform.machine()}
    for package in ("numpy", "sapien", "gymnasium"):
        try:
            about[package] = version(package)
        except PackageNotFoundError:
            about[package] = "?"
    return about


def _history(folder: Path, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """The commands so far; refuses a folder whose run cannot become this one by playing more."""
    path = folder / SETTINGS
    if not path.exists():
        others = [each.name for each in folder.iterdir() if not each.name.startswith(".")]
        if others:
            raise RunError(f"{folder} is no run but holds {sorted(others)[0]}; name a new folder")
        return []
    try:
        old = json.loads(path.read_text(encoding="utf-8"))
        history: list[dict[str, Any]] = old["commands"]
        differs = _difference(old, settings)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RunError(f"{path} cannot be read as the settings of a run; name another folder") from None
    if differs:
        raise RunError(f"{folder} holds another run: {differs}; name another folder")
    return history


def _difference(old: dict[str, Any], new: dict[str, Any]) -> str:
    """Why what was played in a folder does not belong to a run; "" where it does. A run may grow."""
    if old["format"] != FORMAT:
        return f"its format is {old['format']}, and this version writes {FORMAT}"
    if old["rules_fields"] != json.loads(json.dumps(new["rules_fields"])):
        return f"its rules are {old['rules']}"
    for name, word in (("seed", "its seed is"), ("longest", "its longest episode is")):
        if old[name] != new[name]:
            return f"{word} {old[name]}"
    if old["episodes"] > new["episodes"]:
        return f"it has {old['episodes']} episodes"
    agents = {each["name"] for each in new["agents"]}
    for agent in old["agents"]:
        if agent["name"] not in agents:
            return f"{agent['name']} plays in it"
    tasks = {each["name"]: each["hash"] for each in new["tasks"]}
    for task in old["tasks"]:
        if task["name"] not in tasks:
            return f"it has the task {task['name']}"
        if task["hash"] != tasks[task["name"]]:
            return f"the task {task['name']} was another one then"
    return ""


def _write_settings(
    folder: Path, settings: dict[str, Any], history: list[dict[str, Any]], part: dict[str, Any]
) -> None:
    """All at once, so that no half of it is ever there."""
    data = {"run": folder.resolve().name, **settings, "commands": [*history, part]}
    draft = folder / f"{SETTINGS}.part"
    draft.write_text(json.dumps(data, indent=1, default=str) + "\n", encoding="utf-8")
    draft.replace(folder / SETTINGS)


def typed(arguments: Sequence[str]) -> str:
    """What was typed, as it can be typed again."""
    import shlex

    return shlex.join(["puzzlebox", *(arguments or sys.argv[1:])])
