"""`puzzlebox check`: report errors and warnings in task files."""

from collections.abc import Iterable
from dataclasses import dataclass
from os.path import isdir
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlebox.arena.cli.reading import expand_files, nothing_to_read, read_or_say_why
from puzzlebox.cli.words import headline, note, print_table, table

if TYPE_CHECKING:
    from puzzlebox.arena.schema import Reading

_MOST_ROWS = 40


@dataclass(frozen=True)
class _Checked:
    name: str
    reading: "Reading"

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.reading.findings)


def check(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE|DIR", help="Task files, folders of them, or names of bundled tasks."),
    ],
    strict: Annotated[bool, typer.Option("--strict", help="Count warnings as errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON, for programs.")] = False,
) -> None:
    """Check task files, in the Puzzlebox format or Animal-AI's, without running them.

    Each finding names its file, line and column, what is allowed, and the nearest match; carets mark the mistake. The
    exit code is 1 when there is an error.

    Try:

    - `puzzlebox check my_task.yml`
    - `puzzlebox check --strict tasks/`
    """
    checked = list(_check_all(expand_files(files), strict))
    if as_json:
        _print_json(checked)
    else:
        _print_report(checked)
    raise typer.Exit(1 if any(each.count("error") for each in checked) else 0)


def _check_all(names: list[str], strict: bool) -> Iterable[_Checked]:
    from rich.console import Console
    from rich.progress import track

    quiet = len(names) < 200
    for name in track(names, "checking", console=Console(stderr=True), transient=True, disable=quiet):
        if isdir(name):
            reason = "there are no task files (.yml or .yaml) in this folder"
            yield _Checked(name, nothing_to_read(reason))
        else:
            yield _Checked(name, _read(name, strict))


def _read(name: str, strict: bool) -> "Reading":
    """Read a task, or a template and some of the tasks it makes."""
    from puzzlebox.arena.variations import is_template

    if not name.strip() or not is_template(Path(name)):
        return read_or_say_why(name, strict=strict)
    from puzzlebox.arena.template_check import check_template

    return check_template(name, strict=strict)[0]


def _print_report(checked: list[_Checked]) -> None:
    from puzzlebox.arena.schema.lines import lines_of

    for each in checked:
        lines = lines_of(each.reading.text) if each.reading.findings else []
        for finding in each.reading.findings:
            headline(finding.headline(each.reading.source or each.name), finding.severity)
            picture = finding.picture(lines)
            if picture:
                typer.echo(picture)
    rows = checked
    if len(checked) > _MOST_ROWS:  # files with errors first
        rows = sorted(checked, key=lambda each: (-each.count("error"), -each.count("warning")))[:_MOST_ROWS]
        rows = [each for each in rows if each.reading.findings]
    if rows:
        summary = table("file", "form", "arenas", "things", "errors", "warnings")
        for each in rows:
            arenas = each.reading.task.arenas if each.reading.task else ()
            numbers = (len(arenas), sum(len(arena.items) for arena in arenas)) if arenas else ("-", "-")
            cells = (*numbers, each.count("error"), each.count("warning"))
            summary.add_row(each.name, each.reading.form, *map(str, cells))
        print_table(summary)
    if rows and len(rows) < len(checked):
        note(f"{len(checked) - len(rows)} more files are not in the table")
    errors, warnings = (sum(each.count(severity) for each in checked) for severity in ("error", "warning"))
    note(f"{_number(len(checked), 'file')}, {_number(errors, 'error')}, {_number(warnings, 'warning')}")


def _number(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _print_json(checked: list[_Checked]) -> None:
    import json

    files: list[dict[str, Any]] = [
        {
            "file": each.name,
            "form": each.reading.form,
            "ok": each.reading.task is not None,
            "arenas": len(each.reading.task.arenas) if each.reading.task else None,
            "things": sum(len(arena.items) for arena in each.reading.task.arenas) if each.reading.task else None,
            "findings": [finding.to_dict() | _other_file(each) for finding in each.reading.findings],
        }
        for each in checked
    ]
    typer.echo(json.dumps(files, indent=1))


def _other_file(checked: _Checked) -> dict[str, str]:
    """Return the file that the findings are in, if it is not the one that was checked."""
    return {} if checked.reading.source is None else {"file": checked.reading.source}
