"""Runs: agents play every episode of a schedule once, and an interrupted run can be resumed."""

import csv
import json
import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from puzzlebox.agents.language.budget import SPENDING, Budget, Ledger, Spent
from puzzlebox.agents.origin import fingerprint
from puzzlebox.processes import cores
from puzzlebox.record.entries import now
from puzzlebox.record.episode import TABLE, Episode
from puzzlebox.record.tables import write_table
from puzzlebox.run.journal import JOURNAL, Journal, set_aside
from puzzlebox.run.plain_files import require_files
from puzzlebox.run.player import Plan
from puzzlebox.run.schedule import Slot, slots
from puzzlebox.run.specs import agent_code_of, agent_of, agent_options_of, rules_of
from puzzlebox.run.tasks import RunTask
from puzzlebox.run.trajectories import TRAJECTORIES
from puzzlebox.run.transcripts import TRANSCRIPTS
from puzzlebox.run.workers import BACKENDS, play_slots, require_ray
from puzzlebox.text import nearest
from puzzlebox.wings import ARENA, Wing, find_scale, wing_named
from puzzlebox.wings.protocols import Ruling

FORMAT = 1
SETTINGS = "run.json"
# Steps: ten times the longest task of the testbed. Only tasks without a time limit can take as many.
LONGEST = 50_000
# Limits of repetitions and of all episodes of a run. Rows are kept in memory until the table is written, about 2 kB
# each.
MOST_EPISODES = 1_000_000
MOST_RUN_EPISODES = 5_000_000
_REMEDY = "put it back, or name another folder, or add --repair, which writes it again from this command"

Progress = Callable[[int, int], object]


class RunError(ValueError):
    """A run cannot be started or resumed with these settings; the message says why."""


class SettingsLost(RunError):
    """The settings of a run are damaged or missing; a repair can write them again."""


@dataclass(frozen=True)
class Outcome:
    """The result of a run.

    Attributes:
        folder: the folder of the run.
        episodes: its episodes, in the order of the schedule.
        played: the number of episodes that this call played; the others were played before.
        again: the number of these episodes that had failed before.
        aside: one sentence for each file that a repair moved damaged parts to, or one about lines of the journal that
            are missing.
        spent: what language models have spent in the whole run; None if there are none.
    """

    folder: Path
    episodes: list[Episode]
    played: int
    again: int
    aside: tuple[str, ...] = ()
    spent: Spent | None = None


def run(
    tasks: Sequence[RunTask],
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
    budget: Budget | None = None,
) -> Outcome:
    """Let agents play tasks and write the results into a folder, or resume the run that is in this folder.

    Episodes that failed there are played again.

    Args:
        tasks: the tasks, from `find_tasks`.
        agents: names or import paths of agents, with options as in `random(prev_step_bias=0.5)`.
        folder: the folder of `run.json`, `episodes.csv` (and Parquet), `journal.jsonl`, `trajectories.jsonl.gz`.
        episodes: how many times each agent plays each arena, at most 1,000,000; a run has at most 5,000,000 episodes.
        workers: the number of processes that play at the same time; it changes no result. Default: one for each core.
        rules: a preset, also with single fields changed as in `3.1(decision_period=5)`, or rules of the wing.
            Default: the wing's default rules.
        seed: the seed of the run, from which those of the episodes are derived.
        backend: "processes", or "ray" for a Ray cluster.
        longest: the number of steps after which an episode is stopped.
        trajectories: keep the trajectories, for `puzzlebox replay`.
        command: the command line, which is kept in `run.json`.
        progress: a function called with the number of episodes done and that of all.
        repair: if files of the run are damaged, move what cannot be read into separate files and play these
            episodes again. Default: refuse a damaged run.
        budget: what language models may spend in the whole run, earlier parts included. Once it is spent, their
            episodes fail, and the same call with a larger budget plays them again. Default: no limit.

    Raises:
        RunError: the folder holds another run, or an argument is not valid.
        ValueError: files of the run are damaged, and `repair` is not set; nothing is changed.
    """
    if not tasks or not agents:
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
        if budget is not None:
            raise RunError(
                "a budget is kept in a file that workers of a Ray cluster may not reach; leave out one of them"
            )
        require_ray()
    agents = list(dict.fromkeys(agents))
    total = episodes * len(agents) * sum(len(each.starts) for each in tasks)
    if total > MOST_RUN_EPISODES:
        raise RunError(
            f"the run would have {total:,} episodes; a run has at most {MOST_RUN_EPISODES:,}: ask for fewer, "
            "or split it"
        )
    wing = wing_named(tasks[0].task.wing)
    run_rules = rules_of(wing, rules)
    _require_pettingzoo(tasks)
    workers = workers or cores()
    settings = _settings(wing, tasks, agents, episodes, run_rules, seed, longest)
    _check_budget(agents, budget)
    about: dict[str, Any] = {"workers": workers, "backend": backend, "trajectories": trajectories}
    if budget is not None:
        about["budget"] = budget.as_dict()
    folder.mkdir(parents=True, exist_ok=True)
    files = (SETTINGS, JOURNAL, TRAJECTORIES, TRANSCRIPTS, SPENDING, f"{TABLE}.csv")
    require_files(*(folder / name for name in files))
    earlier, lost = None, None
    try:
        earlier = _earlier_settings(folder, repair)
    except SettingsLost as problem:
        lost = problem
    started = now()
    plan = Plan(folder.resolve().name, wing.name, tuple(tasks), run_rules, seed, longest, trajectories)
    if backend != "ray":
        plan = replace(plan, folder=folder.resolve(), budget=budget)
    schedule = list(slots(tasks, agents, episodes))
    if earlier is not None and not (folder / JOURNAL).exists():
        _history(folder, earlier, settings, ())  # refuses another run before a journal is created
    journal = Journal(folder)  # locks the folder against other processes
    # A folder that was renamed or copied keeps the name of its run, so that all rows have the same one.
    name = next((each.run for each in journal.episodes.values() if each.run), plan.run)
    plan = replace(plan, run=name)
    try:
        history: list[dict[str, Any]] = []
        if lost is None:
            try:
                history = _history(folder, earlier, settings, journal.episodes.values())
            except SettingsLost as problem:
                lost = problem
        if lost is not None:
            if not repair:
                raise lost
            _require_same_run(folder, plan, journal.episodes)
        aside = _set_table_aside(folder) if journal.missing and earlier is not None else []
        repaired = journal.begin(set(schedule), repair)
        aside += repaired
        if lost is not None:
            aside.append(_set_settings_aside(folder / SETTINGS))
        results = journal.episodes
        _write_settings(folder, name, settings | about, history, {"command": command, "started": started})
        failed = {slot for slot, each in results.items() if each.error}
        todo = [slot for slot in schedule if slot not in results or slot in failed]
        if not repaired and not journal.missing and any(slot not in results for slot in todo):
            known = {*journal.unlisted, *_names_in_table(folder)}
            aside += _missing_lines(folder, [slot.name for slot in todo if slot not in results and slot.name in known])
        done = len(schedule) - len(todo)
        if progress is not None:
            progress(done, len(schedule))
        for played in play_slots(plan, todo, workers, backend) if todo else ():
            journal.add(*played)
            results[_slot(played.episode)] = played.episode
            done += 1
            if progress is not None:
                progress(done, len(schedule))
    finally:
        journal.close()
    ordered = [results[slot] for slot in schedule]
    write_table(folder, ordered)
    part = {"command": command, "started": started, "finished": now(), "played": len(todo)}
    _write_settings(folder, name, settings | about, history, part)
    spending = folder / SPENDING
    spent = Ledger(spending).spent if spending.exists() else None
    return Outcome(folder, ordered, len(todo), len(failed), tuple(aside), spent)


def _slot(episode: Episode) -> Slot:
    return Slot(episode.task, episode.arena, episode.agent or "", episode.repetition)


def _require_pettingzoo(tasks: Iterable[RunTask]) -> None:
    """Refuse tasks with several animals before anything is written, if PettingZoo is not installed."""
    several = [each.name for each in tasks if each.task.bodies > 1]
    if several and find_spec("pettingzoo") is None:
        raise ModuleNotFoundError(
            f"{several[0]} has several animals, which needs PettingZoo; `pip install puzzlebox[multi]` brings it"
        )


def _check_budget(agents: Sequence[str], budget: Budget | None) -> None:
    """Refuse a budget that no agent or not every agent can keep, before anything is played."""
    if budget is None:
        return
    spenders = [(name, agent) for name in agents if hasattr(agent := agent_of(name), "use_ledger")]
    if not spenders:
        raise RunError(f"a budget limits language models, and none plays: the agents are {', '.join(agents)}")
    for name, agent in spenders:
        try:
            agent.use_ledger(Ledger(None, budget))
        except ValueError as problem:
            raise RunError(f"{name}: {problem}") from None


def _settings(
    wing: Wing,
    tasks: Sequence[RunTask],
    agents: Sequence[str],
    episodes: int,
    rules: Ruling,
    seed: int,
    longest: int,
) -> dict[str, Any]:
    """Return everything that determines the results, as plain values."""
    instances = {name: agent_of(name) for name in agents}
    for name, agent in instances.items():
        own = getattr(agent, "wing", wing.name)
        if own != wing.name:
            raise RunError(f"the agent {name} plays tasks of {own} only; {tasks[0].name} is a task of {wing.name}")
    return {
        "format": FORMAT,
        "puzzlebox": version("puzzlebox"),
        "wing": wing.name,
        # The arena belongs to Puzzlebox, whose version is compared.
        "wing_code": None if wing.name == ARENA else fingerprint(type(wing)),
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
            for name, agent in instances.items()
        ],
        "tasks": [
            {
                "name": each.name,
                "hash": each.hash,
                "title": each.task.title,
                "level": each.level,
                "variant": each.variant,
                "arenas": [each.task.conditions(start) | _scale(wing, each, start) for start in each.starts],
            }
            for each in tasks
        ],
        "machine": _machine(),
        "rules": rules.name,
    }


def _scale(wing: Wing, task: RunTask, start: int) -> dict[str, Any]:
    """Return the fixed scale of returns for the conditions of a start; empty if there is none."""
    scale = find_scale(wing, task.task, task.hash, start)
    return {} if scale is None else {"scale": scale._asdict()}


def _machine() -> dict[str, str]:
    about = {"python": platform.python_version(), "system": platform.platform(), "processor": platform.machine()}
    for package in ("numpy", "sapien", "gymnasium"):
        try:
            about[package] = version(package)
        except PackageNotFoundError:
            about[package] = "?"
    return about


def _earlier_settings(folder: Path, repair: bool) -> dict[str, Any] | None:
    """Read the settings of the run in a folder; None if there is no run yet. Refuse a folder with other files."""
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
        if "learner" in settings:
            raise RunError(f"{folder} is a run of `puzzlebox train`; name a new folder")
        if not journal.exists() and not repair:  # a run creates its journal before its settings
            raise RunError(
                f"{journal} is missing; put it back, or name another folder, or add --repair, which plays all episodes "
                "again"
            )
        return settings
    if (folder / JOURNAL).exists() and (folder / JOURNAL).stat().st_size:
        raise SettingsLost(f"{path} is missing; {_REMEDY}")
    # A run that was killed right after its start leaves these files empty.
    files = (folder / JOURNAL, folder / TRAJECTORIES)
    empty = {each.name for each in files if each.exists() and not each.stat().st_size}
    others = [each.name for each in folder.iterdir() if not each.name.startswith(".") and each.name not in empty]
    if others:
        raise RunError(f"{folder} is not a run, but holds {sorted(others)[0]}; name a new folder")
    return None


def _set_table_aside(folder: Path) -> list[str]:
    """Rename the table of a run whose journal is missing; return sentences that say what was done."""
    messages = [f"{folder / JOURNAL} was missing: all episodes are played again"]
    table = folder / f"{TABLE}.csv"
    if table.exists():  # no other file has these rows
        messages.append(f"{table} set aside in {set_aside(table, table.read_bytes()).name}")
    return messages


def _names_in_table(folder: Path) -> set[str]:
    """Return the names of the episodes in the table of a run; none if it cannot be read."""
    csv.field_size_limit(2**31 - 1)  # a cell may hold the events of a long episode
    try:
        with (folder / f"{TABLE}.csv").open(newline="", encoding="utf-8", errors="replace") as file:
            return {row.get("episode") or "" for row in csv.DictReader(file)}
    except (OSError, csv.Error):
        return set()


def _missing_lines(folder: Path, names: Sequence[str]) -> list[str]:
    """Return a sentence about episodes that were played before, but are not in the journal; none if there are none."""
    if not names:
        return []
    if len(names) == 1:
        return [f"{folder / JOURNAL} lacks the line of {names[0]}, which was played before; it is played again"]
    return [
        f"{folder / JOURNAL} lacks the lines of {len(names)} episodes that were played before, the first of them "
        f"{names[0]}; they are played again"
    ]


def _set_settings_aside(path: Path) -> str:
    """Copy damaged settings, if there are any, into a separate file; return a sentence that says so."""
    if not path.exists():
        return f"{path} was missing and is written from this command"
    copy = set_aside(path, path.read_bytes())
    return f"{path} set aside in {copy.name} and written again from this command"


def _unreadable(folder: Path) -> SettingsLost:
    return SettingsLost(f"{folder / SETTINGS} cannot be read as the settings of a run; {_REMEDY}")


def _require_same_run(folder: Path, plan: Plan, episodes: Mapping[Slot, Episode]) -> None:
    """Refuse a folder without settings unless its episodes are those that a plan would play."""
    hashes = {each.name: each.hash for each in plan.tasks}
    for slot, each in episodes.items():
        same = each.task_hash == hashes.get(slot.task) and each.rules == plan.rules.name
        if not same or each.seed != slot.seed(plan.seed):
            raise RunError(f"{folder} holds another run: this command does not play {slot.name} as it was played there")
    if not episodes:
        raise RunError(f"{folder} has neither settings nor episodes that can be read; name another folder")


def _history(
    folder: Path, old: dict[str, Any] | None, settings: dict[str, Any], episodes: Iterable[Episode]
) -> list[dict[str, Any]]:
    """Return the commands so far; refuse a folder whose run cannot become this one by playing more episodes."""
    if old is None:
        return []
    try:
        history: list[dict[str, Any]] = [dict(each) for each in old["commands"]]
        difference = _difference(old, settings, {each.agent or "" for each in episodes if not each.error})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _unreadable(folder) from None
    if difference:
        raise RunError(f"{folder} holds another run: {difference}; name another folder")
    return history


def _difference(old: dict[str, Any], new: dict[str, Any], with_results: set[str]) -> str:
    """Return why the episodes in a folder do not belong to a run; "" if they do. A run may grow.

    Args:
        old: the settings of the episodes in the folder.
        new: the settings of the run.
        with_results: the agents that have results. The code of an agent that has only failed may change.
    """
    if old["format"] != FORMAT:
        return f"its format is {old['format']}, and this version writes {FORMAT}"
    if old["puzzlebox"] != new["puzzlebox"]:
        return f"Puzzlebox {old['puzzlebox']} played it, and this is {new['puzzlebox']}"
    if old.get("wing_code", new["wing_code"]) != new["wing_code"]:
        return f"the module of the wing {new['wing']} has changed since"
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
        # Runs of earlier versions have no `code`.
        if name in with_results and agent.get("code", codes[name]) != codes[name]:
            return f"the agent {name} has changed since: its weights, or a module that holds its code"
    tasks = {each["name"]: each["hash"] for each in new["tasks"]}
    for task in old["tasks"]:
        if task["name"] not in tasks:
            return f"it has the task {task['name']}"
        if task["hash"] != tasks[task["name"]]:
            return f"the task {task['name']} has changed since"
    return ""


def _write_settings(
    folder: Path, name: str, settings: dict[str, Any], history: list[dict[str, Any]], part: dict[str, Any]
) -> None:
    """Write `run.json` under a temporary name and rename it, so that it is never incomplete."""
    data = {"run": name, **settings, "commands": [*history, part]}
    draft = folder / f".{SETTINGS}.part"
    with draft.open("w", encoding="utf-8") as file:
        file.write(json.dumps(data, indent=1, default=str) + "\n")
        file.flush()
        os.fsync(file.fileno())  # otherwise a power cut can leave an empty file under the new name
    draft.replace(folder / SETTINGS)


def command_line(arguments: Sequence[str]) -> str:
    """Return the command line of this process, quoted for a shell; `arguments` replace those of the process."""
    import shlex

    return shlex.join(["puzzlebox", *(arguments or sys.argv[1:])])
