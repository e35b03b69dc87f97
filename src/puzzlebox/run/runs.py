"""A run: agents meet tasks, every episode once, whatever happens on the way."""

import json
import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from puzzlebox.processes import cores
from puzzlebox.record.entries import now
from puzzlebox.record.episode import TABLE, Episode
from puzzlebox.record.tables import write_table
from puzzlebox.run.journal import JOURNAL, Journal, set_aside
from puzzlebox.run.plain_files import require_files
from puzzlebox.run.player import Plan
from puzzlebox.run.schedule import Slot, slots
from puzzlebox.run.specs import agent_code_of, agent_of, agent_options_of, rules_of
from puzzlebox.run.subjects import Subject
from puzzlebox.run.trajectories import TRAJECTORIES
from puzzlebox.run.workers import BACKENDS, played, require_ray
from puzzlebox.text import nearest
from puzzlebox.wings import Wing, wing_named
from puzzlebox.wings.protocols import Ruling

FORMAT = 1
SETTINGS = "run.json"
# Physics steps: ten times the longest task of the testbed. Only tasks without a time limit come near it.
LONGEST = 50_000
# Rows are kept in memory until the table is written, about 2 kB each.
MOST_EPISODES = 1_000_000
MOST_TOGETHER = 5_000_000
_INSTEAD = "put it back, or name another folder, or add --repair, which writes it anew from this command"

Progress = Callable[[int, int], object]


class RunError(ValueError):
    """A run that cannot be begun, or cannot go on, as it was asked for."""


class SettingsLost(RunError):
    """The settings of a run are damaged or missing; a repair can write them anew."""


@dataclass(frozen=True)
class Outcome:
    """What came of a run.

    Attributes:
        folder: where it is.
        episodes: its episodes, in the order of the schedule.
        played: how many of them were played just now.
        again: how many of those had failed before.
        aside: what a repair has set aside, in sentences.
    """

    folder: Path
    episodes: list[Episode]
    played: int
    again: int
    aside: tuple[str, ...] = ()


def run(
    subjects: Sequence[Subject],
    agents: Sequence[str],
    folder: Path,
    *,
    episodes: int = 1,
    workers: int | None = None,
    rules: Any = None,
    seed: int = 0,
    backend: str = "processes",
    longest: int = LONGEST,
    trajectories: bool = True,
    command: str = "",
    progress: Progress | None = None,
    repair: bool = False,
) -> Outcome:
    """Let agents play tasks and write down how it went; a run that broke off in the same folder is gone on with.

    What has failed there is played again.

    Args:
        subjects: the tasks (`subjects_of` finds them).
        agents: names or import paths, with options as in `random(prev_step_bias=0.5)`.
        folder: where everything goes: `run.json`, `episodes.csv` (and Parquet), `trajectories.jsonl.gz`.
        episodes: how many times each agent plays each arena, at most 1,000,000; the whole run may have 5,000,000.
        workers: how many processes play at the same time; None: one for each core. They change no result.
        rules: what is played by: a preset, with single fields changed as in `3.1(decision_period=5)`, or a Rules.
            Default: the rules of the wing.
        seed: what the seeds of all episodes are made from.
        backend: "processes", or "ray" for a Ray cluster.
        longest: physics steps after which an episode is stopped.
        trajectories: keep the episodes for replays.
        command: what was typed, to be kept.
        progress: is told how many episodes of how many are done.
        repair: where the files of the run are damaged, set what cannot be read aside in files of their own and play
            these episodes again. Default: refuse a damaged run.

    Raises:
        RunError: the folder holds another run, or what was asked for makes no sense.
        ValueError: the files of the run are damaged, and `repair` is not set; nothing is changed.
    """
    if not subjects or not agents:
        raise RunError(f"there is no {'task' if agents else 'agent'} to run")
    if backend not in BACKENDS:
        raise RunError(f"there is no backend {backend!r}{nearest(backend, BACKENDS)}")
    for name, number in (("episodes", episodes), ("workers", workers or 1), ("longest", longest)):
        if number < 1:
            raise RunError(f"{name} is {number}; it must be 1 or more")
    if episodes > MOST_EPISODES:
        raise RunError(f"episodes is {episodes:,}; it must be from 1 to {MOST_EPISODES:,}")
    if seed < 0:
        raise RunError(f"the seed is {seed}; it must be 0 or more")
    if backend == "ray":
        require_ray()
    agents = list(dict.fromkeys(agents))
    together = episodes * len(agents) * sum(len(subject.starts) for subject in subjects)
    if together > MOST_TOGETHER:
        raise RunError(
            f"the run would have {together:,} episodes; a run has at most {MOST_TOGETHER:,}: ask for fewer, or split it"
        )
    wing = wing_named(subjects[0].task.wing)
    chosen = rules_of(wing, rules)
    _require_company(subjects)
    workers = workers or cores()
    settings = _settings(wing, subjects, agents, episodes, chosen, seed, longest)
    about = {"workers": workers, "backend": backend, "trajectories": trajectories}
    folder.mkdir(parents=True, exist_ok=True)
    require_files(*(folder / name for name in (SETTINGS, JOURNAL, TRAJECTORIES, f"{TABLE}.csv")))
    before, lost = None, None
    try:
        before = _settings_of(folder, repair)
    except SettingsLost as problem:
        lost = problem
    started = now()
    plan = Plan(folder.resolve().name, wing.name, tuple(subjects), chosen, seed, longest, trajectories)
    schedule = list(slots(subjects, agents, episodes))
    if before is not None and not (folder / JOURNAL).exists():
        _history(folder, before, settings, ())  # refuses another run before a journal is made
    journal = Journal(folder)  # from here on nobody else writes to the folder
    try:
        history: list[dict[str, Any]] = []
        if lost is None:
            try:
                history = _history(folder, before, settings, journal.episodes.values())
            except SettingsLost as problem:
                lost = problem
        if lost is not None:
            if not repair:
                raise lost
            _require_own(folder, plan, journal.episodes)
        aside = _without_journal(folder) if journal.missing and before is not None else []
        aside += journal.begin(set(schedule), repair)
        if lost is not None:
            aside.append(_anew(folder / SETTINGS))
        done_before = journal.episodes
        _write_settings(folder, settings | about, history, {"command": command, "started": started})
        failed = {slot for slot, each in done_before.items() if each.error}
        todo = [slot for slot in schedule if slot not in done_before or slot in failed]
        done = len(schedule) - len(todo)
        if progress is not None:
            progress(done, len(schedule))
        for episode, trajectory in played(plan, todo, workers, backend) if todo else ():
            journal.add(episode, trajectory)
            done_before[_slot(episode)] = episode
            done += 1
            if progress is not None:
                progress(done, len(schedule))
    finally:
        journal.close()
    ordered = [done_before[slot] for slot in schedule]
    write_table(folder, ordered)
    part = {"command": command, "started": started, "finished": now(), "played": len(todo)}
    _write_settings(folder, settings | about, history, part)
    return Outcome(folder, ordered, len(todo), len(failed), tuple(aside))


def _slot(episode: Episode) -> Slot:
    return Slot(episode.task, episode.arena, episode.agent or "", episode.repetition)


def _require_company(subjects: Iterable[Subject]) -> None:
    """Say what is missing before anything is begun."""
    several = [subject.name for subject in subjects if subject.task.bodies > 1]
    if several and find_spec("pettingzoo") is None:
        raise ModuleNotFoundError(
            f"{several[0]} has several animals, which needs PettingZoo; `pip install puzzlebox[multi]` brings it"
        )


def _settings(
    wing: Wing,
    subjects: Sequence[Subject],
    agents: Sequence[str],
    episodes: int,
    rules: Ruling,
    seed: int,
    longest: int,
) -> dict[str, Any]:
    """Everything that decides what the results are."""
    made = {name: agent_of(name) for name in agents}
    return {
        "format": FORMAT,
        "puzzlebox": version("puzzlebox"),
        "wing": wing.name,
        "rules_fields": dict(rules.fields),
        "seed": seed,
        "episodes": episodes,
        "longest": longest,
        "agents": [
            {
                "name": name,
                "class": f"{type(agent).__module__}:{type(agent).__name__}",
                "code": agent_code_of(name, agent),
                "options": agent_options_of(name),
                "senses": wing.senses(agent.senses),
            }
            for name, agent in made.items()
        ],
        "tasks": [
            {
                "name": subject.name,
                "hash": subject.hash,
                "title": subject.task.title,
                "level": subject.level,
                "variant": subject.variant,
                "arenas": [subject.task.conditions(start) for start in subject.starts],
            }
            for subject in subjects
        ],
        "machine": _machine(),
        "rules": rules.name,
    }


def _machine() -> dict[str, str]:
    about = {"python": platform.python_version(), "system": platform.platform(), "processor": platform.machine()}
    for package in ("numpy", "sapien", "gymnasium"):
        try:
            about[package] = version(package)
        except PackageNotFoundError:
            about[package] = "?"
    return about


def _settings_of(folder: Path, repair: bool) -> dict[str, Any] | None:
    """What the run in a folder was told; None where there is none yet. Refuses a folder of something else."""
    path, journal = folder / SETTINGS, folder / JOURNAL
    if path.exists():
        try:
            settings = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError):
            settings = None
        if not isinstance(settings, dict):
            if not journal.exists():
                raise RunError(f"{journal} is missing, and {path.name} cannot be read; name another folder")
            raise _unreadable(folder)
        if not journal.exists() and not repair:  # every run has one before it has settings
            raise RunError(
                f"{journal} is missing; put it back, or name another folder, or add --repair, which plays all episodes "
                "again"
            )
        return settings
    if (folder / JOURNAL).exists() and (folder / JOURNAL).stat().st_size:
        raise SettingsLost(f"{path} is missing; {_INSTEAD}")
    # Empty, these are what a run leaves that was killed at its very beginning.
    files = (folder / JOURNAL, folder / TRAJECTORIES)
    begun = {each.name for each in files if each.exists() and not each.stat().st_size}
    others = [each.name for each in folder.iterdir() if not each.name.startswith(".") and each.name not in begun]
    if others:
        raise RunError(f"{folder} is no run but holds {sorted(others)[0]}; name a new folder")
    return None


def _without_journal(folder: Path) -> list[str]:
    """Set aside the table of a run whose journal is missing; what was done, in sentences."""
    told = [f"{folder / JOURNAL} was missing: all episodes are played again"]
    table = folder / f"{TABLE}.csv"
    if table.exists():  # nothing else has these rows
        told.append(f"{table} set aside in {set_aside(table, table.read_bytes()).name}")
    return told


def _anew(path: Path) -> str:
    """Set damaged settings aside, where there are any; a sentence that says so."""
    if not path.exists():
        return f"{path} was missing and is written anew from this command"
    place = set_aside(path, path.read_bytes())
    return f"{path} set aside in {place.name} and written anew from this command"


def _unreadable(folder: Path) -> SettingsLost:
    return SettingsLost(f"{folder / SETTINGS} cannot be read as the settings of a run; {_INSTEAD}")


def _require_own(folder: Path, plan: Plan, episodes: Mapping[Slot, Episode]) -> None:
    """Refuse a folder without settings unless its episodes are those that a plan would play."""
    hashes = {subject.name: subject.hash for subject in plan.subjects}
    for slot, each in episodes.items():
        own = each.task_hash == hashes.get(slot.task) and each.rules == plan.rules.name
        if not own or each.seed != slot.seed(plan.seed):
            raise RunError(f"{folder} holds another run: this command does not play {slot.name} as it was played there")
    if not episodes:
        raise RunError(f"{folder} has neither settings nor episodes that can be read; name another folder")


def _history(
    folder: Path, old: dict[str, Any] | None, settings: dict[str, Any], episodes: Iterable[Episode]
) -> list[dict[str, Any]]:
    """The commands so far; refuses a folder whose run cannot become this one by playing more."""
    if old is None:
        return []
    try:
        history: list[dict[str, Any]] = [dict(each) for each in old["commands"]]
        differs = _difference(old, settings, {each.agent or "" for each in episodes if not each.error})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _unreadable(folder) from None
    if differs:
        raise RunError(f"{folder} holds another run: {differs}; name another folder")
    return history


def _difference(old: dict[str, Any], new: dict[str, Any], proven: set[str]) -> str:
    """Why what was played in a folder does not belong to a run; "" where it does. A run may grow.

    Args:
        old: the settings of what was played.
        new: those of the run.
        proven: the agents of whom there are results. One that has only failed may be mended: nothing of it is kept.
    """
    if old["format"] != FORMAT:
        return f"its format is {old['format']}, and this version writes {FORMAT}"
    if old["puzzlebox"] != new["puzzlebox"]:
        return f"Puzzlebox {old['puzzlebox']} played it, and this is {new['puzzlebox']}"
    if old["rules_fields"] != json.loads(json.dumps(new["rules_fields"])):
        return f"its rules are {old['rules']}"
    for name, word in (("seed", "its seed is"), ("longest", "its longest episode is")):
        if old[name] != new[name]:
            return f"{word} {old[name]}"
    if old["episodes"] > new["episodes"]:
        return f"it has {old['episodes']} episodes"
    codes = {each["name"]: each["code"] for each in new["agents"]}
    for agent in old["agents"]:
        name = agent["name"]
        if name not in codes:
            return f"{name} plays in it"
        # Runs of earlier versions did not write it down.
        if name in proven and agent.get("code", codes[name]) != codes[name]:
            return f"a module that holds code of the agent {name} was another one then"
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
    draft = folder / f".{SETTINGS}.part"
    with draft.open("w", encoding="utf-8") as file:
        file.write(json.dumps(data, indent=1, default=str) + "\n")
        file.flush()
        os.fsync(file.fileno())  # or a power cut leaves an empty file under the new name
    draft.replace(folder / SETTINGS)


def typed(arguments: Sequence[str]) -> str:
    """What was typed, as it can be typed again."""
    import shlex

    return shlex.join(["puzzlebox", *(arguments or sys.argv[1:])])
