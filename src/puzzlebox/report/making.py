"""A report written to a folder: the page, its figures, tidy tables, and the methods as text."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from puzzlebox.csv_cells import CellWriter
from puzzlebox.report import conditions, methods
from puzzlebox.report.contents import Contents, contents
from puzzlebox.report.figures import looks
from puzzlebox.report.model import Group
from puzzlebox.report.page import page
from puzzlebox.report.played import Results
from puzzlebox.report.reading import gather
from puzzlebox.report.tables import Table
from puzzlebox.stats.needed import needed

PAGE = "report.html"
# What a report has written beside its page, for the next one in the same folder.
WRITTEN = ".report-files"
# Whatever that file says, nothing else is ever taken away.
_OWN = re.compile(r"figures/\w+\.(png|pdf)|tables/\w+\.csv")


@dataclass(frozen=True)
class Report:
    """What was written.

    Attributes:
        page: the HTML file.
        files: everything, the page included.
        contents: what is in it.
        results: what it was made of.
    """

    page: Path
    files: list[Path]
    contents: Contents
    results: Results


def make_report(
    places: Sequence[Path],
    folder: Path,
    *,
    published: bool = False,
    group: Group = "auto",
    seed: int = 0,
    people: str = "",
    watched: bool = False,
    title: str = "",
    command: str = "",
    progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Read episodes, analyse them and write a report.

    Args:
        places: folders of runs, tables, files of recordings, folders of exported recordings.
        folder: where it goes; what an earlier report wrote there is replaced, nothing else.
        published: whether published results stand beside.
        group: what has a random intercept in the model of passing.
        seed: what the bootstrap is drawn from.
        people: what recordings of people are called.
        watched: whether agents somebody watched in the studio count.
        title: the heading; left out, the names of the runs.
        command: what was typed, to be told in the report.
        progress: is told what is being done.
    """
    # Before anything is read: who lacks a package should not wait for it.
    needed("matplotlib")
    needed("scipy")
    progress("reading")
    results = gather(places, people, watched)
    progress("comparing and drawing")
    with looks.style():
        made = contents(results, published=published, group=group, seed=seed)
        _clear(folder)
        figures, tables = folder / "figures", folder / "tables"
        for each in (figures, tables):
            each.mkdir(parents=True, exist_ok=True)
        files: list[Path] = []
        pictures: dict[str, bytes] = {}
        for drawing in made.drawings:
            progress(f"writing {drawing.name}")
            pictures[drawing.name], written = looks.save(drawing, figures)
            files += written
    for table in made.tables:
        if table.rows:
            files.append(_write(table, tables))
    tasks = conditions.task_table(results)
    if tasks.rows:
        files.append(_write(tasks, tables))
    files.append(_episodes(results, tables, conditions.time_limits(tasks)))
    told = methods.paragraphs(results, tasks, made.model, bool(made.comparisons.done), seed, published)
    repeat = methods.commands(results, command)
    settings = methods.settings_rows(results)
    if settings:
        rows = [dict(zip(("run", "setting", "value"), each, strict=True)) for each in settings]
        files.append(_write(Table("settings", "", rows, ()), tables))
    text = folder / "methods.txt"
    text.write_text("\n\n".join([*told, "To repeat it:\n" + "\n".join(repeat)]) + "\n", encoding="utf-8")
    files.append(text)
    heading = title or f"Report on {', '.join(source.name for source in results.sources)}"
    names = [path.relative_to(folder).as_posix() for path in files]
    (folder / WRITTEN).write_text("\n".join(names) + "\n", encoding="utf-8")
    target = folder / PAGE
    html = page(heading, made, pictures, told, repeat, settings, names)
    target.write_text(html, encoding="utf-8")
    return Report(target, [target, *files], made, results)


def _clear(folder: Path) -> None:
    """Take away the figures and tables of an earlier report: this one may have none of their names."""
    try:
        names = (folder / WRITTEN).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        return
    for name in filter(_OWN.fullmatch, names):
        (folder / name).unlink(missing_ok=True)


def _write(table: Table, folder: Path) -> Path:
    path = folder / f"{table.name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer, names = CellWriter(file), list(table.rows[0])
        writer.writerow(names)
        writer.writerows([row[name] for name in names] for row in table.rows)
    return path


def _episodes(results: Results, folder: Path, limits: Mapping[tuple[str, int], float]) -> Path:
    """Every episode that counts, people and agents in one table."""
    path = folder / "episodes.csv"
    rows = [
        vars(row)
        | {"arena": row.arena + 1, "latency": None if row.whole_time else row.latency}
        | ({"time_limit": limits.get((row.task_hash, row.arena))} if row.time_limit is None else {})
        for row in results.rows
    ]
    names = {"total": "return", "goals": "goals_collected"}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = CellWriter(file)
        header = list(rows[0]) if rows else ["run", "task", "agent", "total", "passed"]
        kept = [name for name in header if name not in ("trajectory", "error", "whole_time", "last_arena")]
        writer.writerow([names.get(name, name) for name in kept])
        writer.writerows([row[name] for name in kept] for row in rows)
    return path
