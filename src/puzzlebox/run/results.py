"""The table of results: one row for each episode, the same for every agent and for people."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from puzzlebox.arena.schema import read
from puzzlebox.record.columns import Column
from puzzlebox.record.measures import events_json, goals_among, latency_among, seconds
from puzzlebox.record.rows import FILE, HUMAN
from puzzlebox.record.sheets import CsvSheet, ParquetSheet, Sheet
from puzzlebox.record.store import Episode, Store, StoreError
from puzzlebox.run.subjects import subject_of

RESULTS = (
    Column("run", "text", "the name of the run: its folder"),
    Column("task", "text", "the name of the task; of a template, with `@` and the number of the variation"),
    Column("task_hash", "text", "SHA-256 of the task as YAML; equal tasks have equal ones"),
    Column("variant", "text", "which form of the task: the testbed's variant, or the number of a variation"),
    Column("level", "text", "the testbed's level, or what the task's metadata say, or the folder it is in"),
    Column("arena", "whole", "which arena of the task the episode started in, counted from 1"),
    Column("agent", "text", "who played, as asked for; `human` for people"),
    Column("participant", "text", "the id of the person who played; empty for agents, and where none was given"),
    Column("episode", "whole", "which repetition, from 0; of people with an id, each one's own"),
    Column("seed", "whole", "what the chances of the episode were drawn from"),
    Column("rules", "text", "the name of the rules, or `own`"),
    Column("steps", "whole", "physics steps (of 0.02 s) it took"),
    Column("decisions", "whole", "actions that were taken"),
    Column("return", "number", "the sum of all rewards"),
    Column("passed", "truth", "whether it passed; empty where the episode was cut off or an error ended it"),
    Column("ended_by", "text", "`completed`, `health`, `time`, `error`; `limit`: longer than the run allows"),
    Column("goals_collected", "whole", "goals the animal collected, of any kind"),
    Column("events", "text", "what happened, as JSON: a list of events (`puzzlebox.arena.world.KINDS`)"),
    Column("seconds", "number", "how long it took, in seconds of the arena"),
    Column("latency", "number", "seconds from when the animal could first move to the event that decided the episode"),
    Column(
        "trajectory", "text", "what `puzzlebox replay` takes, beside the folder of the run; empty where none is kept"
    ),
    Column("trained_on", "truth", "whether the agent was trained on this task; empty where nobody knows"),
    Column(
        "error", "text", "what went wrong, where something did, with file and line where it was in the agent's code"
    ),
)
NAMES = tuple(column.name for column in RESULTS)
TABLE = "episodes"

Row = Mapping[str, Any]


def write_results(folder: Path, rows: Sequence[Row]) -> list[Path]:
    """Write the table as CSV, and as Parquet where pyarrow is installed; each file appears once it is complete."""
    sheets: list[tuple[Path, Sheet]] = []
    path = folder / f"{TABLE}.csv"
    sheets.append((path, CsvSheet(path, NAMES)))
    if find_spec("pyarrow") is not None:
        path = folder / f"{TABLE}.parquet"
        sheets.append((path, ParquetSheet(path, RESULTS)))
    # A run that is gone on with may have rows from before a column was there.
    cells = [[row.get(name) for name in NAMES] for row in map(_for_people, rows)]
    for _, sheet in sheets:
        sheet.write(cells)
        sheet.close()
    return [path for path, _ in sheets]


def _for_people(row: Row) -> Row:
    """A row as the tables have it: there arenas count from 1, where programs use their position."""
    return {**row, "arena": row["arena"] + 1}


def rows_of_recordings(
    store: Store, episodes: Sequence[Episode], run: str = "recordings", left_out: list[str] | None = None
) -> list[dict[str, Any]]:
    """Recorded episodes that are over, as rows of the same table, so that people and agents stand side by side.

    Args:
        store: where they are.
        episodes: which.
        run: what the table calls them.
        left_out: gets a sentence about each episode that is damaged, which is then left out. Default: it raises.
    """
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[str, int, str, str | None], int] = {}
    known: dict[tuple[str, str], dict[str, str]] = {}
    for each in episodes:
        if not each.finished:
            continue
        named = (each.task, each.task_hash)
        try:
            store.require_whole(each)
            happened = store.events(each.id)
            if named not in known:
                known[named] = _task_of(store, each)
        except StoreError as problem:
            if left_out is None:
                raise
            left_out.append(str(problem))
            continue
        who = each.agent or HUMAN
        place = (each.task_hash, each.arena, who, each.participant)
        seen[place] = seen.get(place, -1) + 1
        rows.append(
            {
                "run": run,
                "task": known[named]["task"],
                "task_hash": each.task_hash,
                "variant": known[named]["variant"],
                "level": known[named]["level"],
                "arena": each.arena,
                "agent": who,
                "participant": each.participant,
                "episode": seen[place],
                "seed": each.seed,
                "rules": each.rules_name,
                "steps": each.steps,
                "decisions": -(-each.steps // each.decision_period),
                "return": each.total,
                "passed": each.passed,
                "ended_by": each.ended_by,
                "goals_collected": goals_among(happened),
                "events": events_json(happened),
                "seconds": seconds(each.steps),
                "latency": latency_among(happened),
                "trajectory": each.id,
                "trained_on": None,
                "error": None,
            }
        )
    return rows


def _task_of(store: Store, episode: Episode) -> dict[str, str]:
    """Name, level and variant of what was played, as a run would say them of the same task."""
    name = episode.task.removeprefix(FILE) or episode.title
    task = read(store.task_text(episode.id)).task
    if task is None:  # a later version wrote it
        return {"task": name, "level": "", "variant": ""}
    subject = subject_of(name, task)
    return {"task": name, "level": subject.level, "variant": subject.variant}


def page() -> str:
    """The table as Markdown, for the documentation."""
    lines = ["| column | values | meaning |", "|---|---|---|"]
    lines += [f"| `{column.name}` | {column.kind} | {column.meaning} |" for column in RESULTS]
    return "\n".join(lines)
