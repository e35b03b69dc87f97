"""The conditions of the episodes: class, options and senses of each agent; time limit and pass mark of each task."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, Results, Source
from puzzlebox.report.tables import Table

TASKS = "task_settings"


def agent_sentences(sources: Sequence[Source]) -> list[str]:
    """Describe each agent of some runs in a sentence or two: its class, all its options, its senses."""
    sentences = (_agent_sentence(agent) for source in sources for agent in _agents(source))
    return [line for line in dict.fromkeys(sentences) if line]


def agent_rows(source: Source) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each setting of the agents of a run."""
    for agent in _agents(source):
        for name, value in agent.items():
            if name != "name":
                for key, each in value.items() if isinstance(value, Mapping) else [("", value)]:
                    yield ".".join(part for part in ("agents", str(agent["name"]), name, key) if part), str(each)


def _agents(source: Source) -> Iterator[Mapping[str, Any]]:
    for agent in source.settings.get("agents", ()):
        if isinstance(agent, Mapping) and "name" in agent:
            yield agent


def _agent_sentence(agent: Mapping[str, Any]) -> str:
    lines = []
    if "class" in agent:
        # Runs of earlier versions have no options.
        options = agent.get("options")
        brackets = f"({', '.join(f'{name}={value!r}' for name, value in options.items())})" if options else ""
        lines.append(f"The agent “{agent['name']}” was {agent['class']}{brackets}.")
    senses = _sense_phrases(agent.get("senses", {}))
    if senses:
        lines.append(f"{'It' if lines else 'The agent “' + str(agent['name']) + '”'} perceived {words.listed(senses)}.")
    return " ".join(lines)


def _sense_phrases(senses: Mapping[str, Any]) -> list[str]:
    phrases = []
    size, rays = senses.get("camera"), senses.get("rays")
    if size:
        kinds = [name for name in ("grayscale", "depth", "segments") if senses.get(name)]
        phrases.append(f"pictures of {size} × {size} pixels{f' ({words.listed(kinds)})' if kinds else ''}")
    if rays:
        fan = f" over {senses['ray_degrees']:g}°" if "ray_degrees" in senses else ""
        phrases.append(f"{words.count(rays, 'ray')}{fan}")
    if senses.get("vitals"):
        phrases.append("its health, velocity and position")
    return phrases


def task_table(results: Results) -> Table:
    """Tabulate hash, time limit and pass mark of each arena of each task."""
    names = {row.task_hash: row.task for row in results.rows}
    used = {(row.task_hash, row.task) for row in results.rows}
    lines = []
    for source in results.sources:
        for line in _of_run(source) if source.settings else _of_recordings(source, results.rows):
            # The name of the report, if sources have different names for the same task.
            own = (line["task_hash"], line["task"])
            task = line["task"] if own in used else names.get(line["task_hash"], line["task"])
            lines.append({"run": source.name, **line, "task": task})
    return Table(TASKS, "", lines, ())


def _of_run(source: Source) -> Iterator[dict[str, Any]]:
    for task in source.settings.get("tasks", ()):
        for arena in task.get("arenas", ()):
            if not task.keys() >= {"name", "hash"} or not arena.keys() >= {"position", "time_limit", "pass_mark"}:
                continue
            yield _line(task["name"], arena["position"], task["hash"], arena["time_limit"], arena["pass_mark"])


def _of_recordings(source: Source, rows: Sequence[ReportEpisode]) -> Iterator[dict[str, Any]]:
    """Yield the conditions of recorded episodes, from the tasks in the store."""
    if source.kind != "recordings":
        return
    from puzzlebox.record.store import Store

    store = Store(source.path)
    done = set()
    for row in rows:
        path = row.trajectory.partition("|")[0]
        if path != str(source.path) or (row.task_hash, row.arena) in done:
            continue
        done.add((row.task_hash, row.arena))
        task = store.task(row)
        if task is not None and row.arena in task.starts:
            conditions = task.conditions(row.arena)
            if conditions.keys() >= {"time_limit", "pass_mark"}:
                yield _line(row.task, row.arena, row.task_hash, conditions["time_limit"], conditions["pass_mark"])


def _line(task: str, arena: int, task_hash: str, time_limit: int, pass_mark: float) -> dict[str, Any]:
    return {"task": task, "arena": arena + 1, "task_hash": task_hash, "time_limit": time_limit, "pass_mark": pass_mark}


def time_limits(table: Table) -> dict[tuple[str, int], float]:
    """Return the time limit of each arena, by the hash of its task and its index from 0."""
    return {(line["task_hash"], line["arena"] - 1): line["time_limit"] for line in table.rows}


def task_sentence(table: Table) -> str:
    """Describe time limits and pass marks in a sentence; "" if they are unknown."""
    if not table.rows:
        return ""
    limits = [line["time_limit"] / 10 for line in table.rows if line["time_limit"]]
    endless = len(table.rows) - len(limits)
    parts = [f"Time limits, which food extends, were {_span(limits)} s"] if limits else []
    if endless:
        parts.append(f"{words.count(endless, 'arena')} had no time limit")
    parts.append(f"pass marks were {_span([line['pass_mark'] for line in table.rows])}")
    text = ", ".join(parts)
    return f"{text[0].upper()}{text[1:]} (see table {TASKS} for each task and its SHA-256)."


def _span(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
