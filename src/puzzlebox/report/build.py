"""`make_report`, which writes a report to a folder: the page, its figures, tidy tables, and the methods as text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from puzzlebox.csv_cells import CellWriter
from puzzlebox.record.columns import FACTOR
from puzzlebox.report import abilities, conditions, learners, methods
from puzzlebox.report import equivalence as equivalence_tests
from puzzlebox.report.capabilities import Progress, no_progress
from puzzlebox.report.comparison_tables import published_style_tables
from puzzlebox.report.contents import Contents, contents
from puzzlebox.report.episodes import ReportEpisode, Results
from puzzlebox.report.factors import factors_in, require_factors, with_factor_columns
from puzzlebox.report.figures import fonts, looks
from puzzlebox.report.page import page
from puzzlebox.report.r_script import write_r_files
from puzzlebox.report.sources import CannotRead, gather
from puzzlebox.report.tables import Table
from puzzlebox.report.units import Subject
from puzzlebox.stats.extras import import_extra
from puzzlebox.text import nearest

PAGE = "report.html"
# The list of the files that a report wrote beside its page, so that the next one in the same folder can delete them.
WRITTEN = ".report-files"
# Only files with such names are ever deleted, whatever the list contains.
_DELETABLE = re.compile(r"figures/\w+\.(png|pdf)|tables/\w+\.csv|model\.R")


@dataclass(frozen=True)
class Report:
    """A report that was written.

    Attributes:
        page: the path of the HTML file.
        files: the paths of all files, the page included.
        contents: its sections.
        results: the episodes it is about.
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
    subject: Subject = "auto",
    reference: str = "",
    seed: int = 0,
    by: Sequence[str] = (),
    people: str = "",
    watched: bool = False,
    title: str = "",
    command: str = "",
    equivalence: float = equivalence_tests.POINTS,
    layout: bool = False,
    progress: Progress = no_progress,
) -> Report:
    """Read episodes, analyse them and write a report.

    Args:
        places: folders of runs, tables, files of recordings, folders of exported recordings.
        folder: the folder of the report; only files that an earlier report wrote there are replaced.
        published: whether published results are shown as well.
        subject: what counts as one participant or training run.
        reference: the agent that the odds of the others are compared with. Default: the first of the report.
        seed: the seed of the bootstrap.
        by: factors whose values are compared for each agent.
        people: the name of participants in the report. Default: `human`.
        watched: whether recordings of agents that played in the studio are included.
        title: the heading. Default: the names of the runs.
        command: the command line, which the report shows.
        equivalence: percentage points up to which proportions passed count as equivalent.
        layout: whether capabilities are inferred from the demands of the tasks, which takes minutes.
        progress: a function called with a few words about each step of the work, how much of it is done, and how much
            there is (0: not known).
    """
    # Checked before anything is read, so that a missing package is reported at once.
    import_extra("matplotlib")
    import_extra("scipy")
    progress("reading", 0, 0)
    results = gather(places, people, watched)
    require_factors(by, results.rows, results.sources)
    if reference and reference not in results.agents:
        raise CannotRead(f"there is no agent {reference}, which --reference names{nearest(reference, results.agents)}")
    progress("comparing and drawing", 0, 0)
    with looks.style(results.names):
        results.remarks.extend(fonts.remarks(results.names))
        analysis = contents(
            results,
            published=published,
            subject=subject,
            reference=reference,
            seed=seed,
            by=by,
            equivalence=equivalence,
            layout=layout,
            progress=progress,
        )
        _clear(folder)
        figures, tables = folder / "figures", folder / "tables"
        for each in (figures, tables):
            each.mkdir(parents=True, exist_ok=True)
        files: list[Path] = []
        pictures: dict[str, bytes] = {}
        for index, drawing in enumerate(analysis.drawings):
            progress("writing figures", index, len(analysis.drawings))
            pictures[drawing.name], paths = looks.save(drawing, figures)
            files += paths
    for table in (*analysis.tables, *published_style_tables(analysis.comparisons)):
        if table.rows:
            files.append(_write(with_factor_columns(table, results.rows), tables))
    tasks = conditions.task_table(results)
    if tasks.rows:
        files.append(_write(with_factor_columns(tasks, results.rows), tables))
    files.append(_episodes(results, tables, conditions.time_limits(tasks)))
    files += write_r_files(analysis.model, folder)
    has_equivalence = any(table.name == "equivalence" for table in analysis.tables)
    measures = [equivalence_tests.methods_sentence(equivalence)] if has_equivalence else []
    measures += learners.methods_sentences(analysis.learners)
    paragraphs = methods.paragraphs(results, tasks, analysis.model, analysis.comparisons, seed, published, measures)
    paragraphs += abilities.methods(analysis.tables)
    commands = methods.commands(results, command)
    settings = methods.settings_rows(results)
    if settings:
        rows = [dict(zip(("run", "setting", "value"), each, strict=True)) for each in settings]
        files.append(_write(Table("settings", "", rows, ()), tables))
    text = folder / "methods.txt"
    text.write_text("\n\n".join([*paragraphs, "Commands:\n" + "\n".join(commands)]) + "\n", encoding="utf-8")
    files.append(text)
    heading = title or f"Report on {', '.join(source.name for source in results.sources)}"
    names = [path.relative_to(folder).as_posix() for path in files]
    (folder / WRITTEN).write_text("\n".join(names) + "\n", encoding="utf-8")
    target = folder / PAGE
    html = page(heading, analysis, pictures, paragraphs, commands, settings, names)
    target.write_text(html, encoding="utf-8")
    return Report(target, [target, *files], analysis, results)


def _clear(folder: Path) -> None:
    """Delete the figures and tables of an earlier report, which may have other names than those of this one."""
    try:
        names = (folder / WRITTEN).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        return
    for name in filter(_DELETABLE.fullmatch, names):
        (folder / name).unlink(missing_ok=True)


def _write(table: Table, folder: Path) -> Path:
    path = folder / f"{table.name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer, names = CellWriter(file), list(table.rows[0])
        writer.writerow(names)
        writer.writerows([row[name] for name in names] for row in table.rows)
    return path


def _episodes(results: Results, folder: Path, limits: Mapping[tuple[str, int], float]) -> Path:
    """Write the table of all episodes of the analysis."""
    path = folder / "episodes.csv"
    factors = factors_in(results.rows)
    names = {"total": "return", "goals": "goals_collected"}
    hidden = ("trajectory", "error", "whole_time", "named_only", "last_arena", "factors", "measures")
    kept = [each.name for each in fields(ReportEpisode) if each.name not in hidden]
    kept += [FACTOR + name for name in factors]
    if not results.rows:
        kept = ["run", "task", "agent", "total", "passed"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = CellWriter(file)
        writer.writerow([names.get(name, name) for name in kept])
        for row in results.rows:
            arena = row.arena + 1 if row.arena_known else None
            cells = vars(row) | {"arena": arena} | {FACTOR + name: row.factors.get(name) for name in factors}
            if row.whole_time:
                cells["latency"] = None
            if row.time_limit is None:
                cells["time_limit"] = limits.get((row.task_hash, row.arena))
            writer.writerow([cells[name] for name in kept])
    return path
