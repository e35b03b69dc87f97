"""What episodes were played under: what each agent was and perceived, and what each task asked for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from puzzlebox.report import words
from puzzlebox.report.played import Played, Results, Source
from puzzlebox.report.tables import Table

TASKS = "task_settings"


def agents_told(sources: Sequence[Source]) -> list[str]:
    """A sentence or two about each agent of some runs: its class, all its options, its senses."""
    told = (_agent_told(agent) for source in sources for agent in _agents(source))
    return [line for line in dict.fromkeys(told) if line]


def agent_rows(source: Source) -> Iterator[tuple[str, str]]:
    """Name and value of everything a run says of its agents."""
    for agent in _agents(source):
        for name, value in agent.items():
            if name != "name":
                for key, each in value.items() if isinstance(value, Mapping) else [("", value)]:
                    yield ".".join(part for part in ("agents", str(agent["name"]), name, key) if part), str(each)


def _agents(source: Source) -> Iterator[Mapping[str, Any]]:
    for agent in source.settings.get("agents", ()):
        if isinstance(agent, Mapping) and "name" in agent:
            yield agent


def _agent_told(agent: Mapping[str, Any]) -> str:
    lines = []
    if "class" in agent:
        # Runs of earlier versions did not write options down.
        options = agent.get("options")
        brackets = f"({', '.join(f'{name}={value!r}' for name, value in options.items())})" if options else ""
        lines.append(f"The agent “{agent['name']}” was {agent['class']}{brackets}.")
    senses = _perceived(agent.get("senses", {}))
    if senses:
        lines.append(f"{'It' if lines else 'The agent “' + str(agent['name']) + '”'} perceived {words.listed(senses)}.")
    return " ".join(lines)


def _perceived(senses: Mapping[str, Any]) -> list[str]:
    found = []
    size, rays = senses.get("camera"), senses.get("rays")
    if size:
        kinds = [name for name in ("grayscale", "depth", "segments") if senses.get(name)]
        found.append(f"pictures of {size} × {size} pixels{f' ({words.listed(kinds)})' if kinds else ''}")
    if rays:
        fan = f" over {senses['ray_degrees']:g}°" if "ray_degrees" in senses else ""
        found.append(f"{words.count(rays, 'ray')}{fan}")
    if senses.get("vitals"):
        found.append("its health, velocity and position")
    return found


def task_table(results: Results) -> Table:
    """Each arena of each task: its hash, time limit and pass mark."""
    names = {row.task_hash: row.task for row in results.rows}
    known = {(row.task_hash, row.task) for row in results.rows}
    lines = []
    for source in results.sources:
        for line in _of_run(source) if source.settings else _of_recordings(source, results.rows):
            # As the report calls it, where another file has another name for the same task.
            own = (line["task_hash"], line["task"])
            task = line["task"] if own in known else names.get(line["task_hash"], line["task"])
            lines.append({"run": source.name, **line, "task": task})
    return Table(TASKS, "", lines, ())


def _of_run(source: Source) -> Iterator[dict[str, Any]]:
    for task in source.settings.get("tasks", ()):
        for arena in task.get("arenas", ()):
            if not task.keys() >= {"name", "hash"} or not arena.keys() >= {"position", "time_limit", "pass_mark"}:
                continue
            yield _line(task["name"], arena["position"], task["hash"], arena["time_limit"], arena["pass_mark"])


def _of_recordings(source: Source, rows: Sequence[Played]) -> Iterator[dict[str, Any]]:
    """The store has the text of each task that was played."""
    if source.kind != "recordings":
        return
    from puzzlebox.record.store import Store

    store = Store(source.path)
    seen = set()
    for row in rows:
        place = row.trajectory.partition("|")[0]
        if place != str(source.path) or (row.task_hash, row.arena) in seen:
            continue
        seen.add((row.task_hash, row.arena))
        task = store.task(row)
        if task is not None and row.arena in task.starts:
            asked = task.conditions(row.arena)
            if asked.keys() >= {"time_limit", "pass_mark"}:
                yield _line(row.task, row.arena, row.task_hash, asked["time_limit"], asked["pass_mark"])


def _line(task: str, arena: int, task_hash: str, time_limit: int, pass_mark: float) -> dict[str, Any]:
    return {"task": task, "arena": arena + 1, "task_hash": task_hash, "time_limit": time_limit, "pass_mark": pass_mark}


def time_limits(table: Table) -> dict[tuple[str, int], float]:
    """The time limit of each arena, by the hash of its task and its position."""
    return {(line["task_hash"], line["arena"] - 1): line["time_limit"] for line in table.rows}


def tasks_told(table: Table) -> str:
    """Time limits and pass marks in a sentence; "" where nobody knows them."""
    if not table.rows:
        return ""
    limits = [line["time_limit"] / 10 for line in table.rows if line["time_limit"]]
    endless = len(table.rows) - len(limits)
    told = [f"Time limits, which food prolongs, were {_span(limits)} s"] if limits else []
    if endless:
        told.append(f"{words.count(endless, 'arena')} had no time limit")
    told.append(f"pass marks were {_span([line['pass_mark'] for line in table.rows])}")
    text = ", ".join(told)
    return f"{text[0].upper()}{text[1:]} (of each task, with its SHA-256: table {TASKS})."


def _span(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
