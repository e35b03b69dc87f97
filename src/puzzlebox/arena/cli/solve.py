"""`puzzlebox solve`: search for actions that pass a task."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlebox.arena.cli.reading import check_arena, expand_files, read_or_say_why
from puzzlebox.cli.words import fail, may_replace, note, print_table, table

if TYPE_CHECKING:
    from puzzlebox.arena.schema import Task
    from puzzlebox.arena.solver import Plan

_COLUMNS = ("task", "solved", "return", "decisions", "seconds", "search_seconds", "steps")
# How a record begins; a file that begins otherwise is never replaced.
_SIGNATURE = b'{"fo'


@dataclass(frozen=True)
class _Result:
    """The result for one task.

    Attributes:
        name: the task.
        plan: the plan if one was found.
        search_seconds: how long the search took.
        used: the share of the effort that was used, 0 to 1.
    """

    name: str
    plan: "Plan | None"
    search_seconds: float
    used: float

    def cells(self) -> tuple[str, ...]:
        spent = f"{self.search_seconds:.1f}"
        if self.plan is None:
            return (self.name, "no", "", "", "", spent, "")
        plan = self.plan
        numbers = (f"{plan.total:.2f}", str(plan.decisions), f"{plan.seconds:.1f}", spent)
        return (self.name, "yes", *numbers, "; ".join(plan.steps))


def solve(
    tasks: Annotated[
        list[str],
        typer.Argument(metavar="TASK", help="Task files, folders of them, patterns, or names of bundled tasks."),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR",
            help="Where to write the episode: a JSON file, which `puzzlebox replay` shows and films; for several "
            "tasks a folder, with one file for each.",
        ),
    ] = None,
    arena: Annotated[int, typer.Option(help="Which arena of the task to start in, counted from 1.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The seed of everything random in the episode.")] = 0,
    rules: Annotated[str, typer.Option(metavar="RULES", help="The rules to play by.")] = "puzzlebox",
    seconds: Annotated[float, typer.Option(min=0.1, max=86_400, help="The most time for each task.")] = 120.0,
    no_push: Annotated[bool, typer.Option("--no-push", help="Find a plan that moves no movable thing.")] = False,
    no_press: Annotated[bool, typer.Option("--no-press", help="Find a plan that presses no button or mat.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the table as CSV, for programs.")] = False,
) -> None:
    """Search for actions that pass a task, and so show that it can be passed.

    The search knows the whole world: it drives, climbs, waits, pushes, presses and leaps in the real physics. A plan is
    printed only if its replay from the start passes. The exit code is 0 only if a plan was found for every task; where
    none was found there may still be one.

    Try:

    - `puzzlebox solve foraging`
    - `puzzlebox solve my_task.yml -o plan.json`, then `puzzlebox replay plan.json -o plan.mp4`
    - `puzzlebox solve my_task.yml --no-push`
    - `puzzlebox solve tasks/ --seconds 30 --csv > solved.csv`
    """
    names = expand_files(tasks, patterns=True)
    loaded = [(name, _load(name, arena)) for name in names]
    files = {} if output is None else _files(output, names)
    _check_rules(rules)
    results: list[_Result] = []
    interrupted, unwritten = False, False
    try:
        with _progress(len(names)) as report:
            for name, task in loaded:
                result = _solve_one(name, task, arena - 1, seed, rules, seconds, (not no_push, not no_press), report)
                results.append(result)
                if name in files and result.plan is not None:
                    unwritten = not _write(result.plan, files[name]) or unwritten
    except KeyboardInterrupt:
        interrupted = True
        note(f"interrupted after {len(results)} of {len(names)} tasks")
        if not results:
            raise typer.Exit(130) from None
    _print(results, _kind(no_push, no_press), as_csv=as_csv)
    raise typer.Exit(130 if interrupted else 1 if unwritten or not all(each.plan for each in results) else 0)


def _load(name: str, arena: int) -> "Task":
    from puzzlebox.arena.testbed.training import is_template

    if is_template(name):
        fail(
            f"{name} is a template, not a task",
            f"write some of its tasks with `puzzlebox vary {name} --sample 10 -o FOLDER`",
        )
    reading = read_or_say_why(name)
    if reading.task is None:
        for finding in reading.findings:
            note(finding.headline(name))
        fail(f"{name} was not solved, because it cannot be read")
    for finding in reading.findings:  # such as a wall that does not fit and is left out
        note(finding.headline(name))
    check_arena(arena, reading.task, name)
    return reading.task


def _check_rules(rules: str) -> None:
    from puzzlebox.arena.rules import Rules

    try:
        Rules.named(rules)
    except ValueError as problem:
        fail(str(problem))


def _files(output: str, names: list[str]) -> dict[str, Path]:
    """Return the file to write for each task, or end the command if one cannot be written or would be lost."""
    path = Path(output)
    if len(names) == 1:
        if path.suffix.lower() != ".json":
            fail(f"{path} is not a record; its name must end in .json")
        files = {names[0]: path}
    else:
        if path.exists() and not path.is_dir():
            fail(f"{path} is a file; name a folder for the plans of several tasks")
        files = {name: path / f"{Path(name).stem}.json" for name in names}
    owners: dict[Path, str] = {}
    for name, file in files.items():
        if file in owners:
            fail(f"the plans of {owners[file]} and {name} would both be {file}", "solve them in two calls")
        owners[file] = name
        if not may_replace(file, (_SIGNATURE,)):
            fail(f"{file} is already there and no record", "name another place with -o")
    _require_room(owners)
    return files


def _require_room(files: Iterable[Path]) -> None:
    """End the command before the search if a plan could not be written; folders are made only with the first plan."""
    for folder in {file.parent for file in files}:
        try:
            there = next(each for each in (folder, *folder.parents) if each.exists())
            with NamedTemporaryFile(dir=there, prefix=".", suffix=".part"):
                pass
        except OSError as problem:
            fail(f"{folder} cannot be written to: {problem.strerror}")


def _write(plan: "Plan", path: Path) -> bool:
    """Write a plan and return whether that worked; the results are printed in either case."""
    draft = path.with_name(f".{path.name}.part")  # a plan that is there stays until the new one is whole
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(plan.record.to_json() + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError as problem:
        with suppress(OSError):
            draft.unlink()
        note(f"error: {path} cannot be written: {problem.strerror}")
        return False
    note(f"wrote {path}")
    return True


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """Yield a function that shows the progress of the search: a task's name, the share of its effort, and words."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        tasks = bar.add_task("tasks", total=total, visible=total > 1)
        search = bar.add_task("", total=1.0)

        def report(name: str, share: float | None, words: str) -> None:
            if share is None:
                bar.advance(tasks)
            else:
                bar.update(search, completed=share, description=f"{Path(name).stem}: {words}")

        yield report


def _solve_one(
    name: str, task: "Task", arena: int, seed: int, rules: str, seconds: float, may: tuple[bool, bool], report: Any
) -> _Result:
    from time import monotonic

    from puzzlebox.arena.solver import solve as search

    used = 0.0

    def progress(share: float, words: str) -> None:
        nonlocal used
        used = share
        report(name, share, words)

    start = monotonic()
    try:
        plan = search(task, arena, seed, rules, seconds, *may, progress=progress)
    except (ModuleNotFoundError, ValueError) as problem:
        fail(str(problem))
    report(name, None, "")
    return _Result(name, plan, monotonic() - start, used)


def _kind(no_push: bool, no_press: bool) -> str:
    """Return what kind of plan was looked for."""
    limits = ["moves no movable thing"] * no_push + ["presses nothing"] * no_press
    return f"plan that {' and '.join(limits)}" if limits else "plan"


def _print(results: list[_Result], kind: str, *, as_csv: bool) -> None:
    if as_csv:
        import sys

        from puzzlebox.csv_cells import CellWriter

        rows = CellWriter(sys.stdout)
        rows.writerow(_COLUMNS)
        for each in results:
            rows.writerow(each.cells())
    elif len(results) == 1:
        _print_plan(results[0], kind)
        return
    else:
        listing = table(*(column.replace("_", " ") for column in _COLUMNS[:-1]))
        for each in results:
            listing.add_row(*each.cells()[:-1])
        print_table(listing)
    solved = sum(each.plan is not None for each in results)
    caution = "; where none was found there may still be one" if solved < len(results) else ""
    note(f"found a {kind} for {solved} of {len(results)} tasks{caution}")


def _print_plan(result: _Result, kind: str) -> None:
    plan = result.plan
    if plan is None:
        note(f"no {kind} was found for {result.name} in {result.search_seconds:.1f} s; there may still be one")
        if result.used >= 1.0:
            note("hint: its time was used up; give it more with --seconds")
        else:
            note("the search had nothing more to try")
        return
    for step in plan.steps:
        typer.echo(step)
    note(
        f"found a {kind} for {result.name}: return {plan.total:.2f} after {plan.decisions} decisions "
        f"({plan.seconds:.1f} s); the search took {result.search_seconds:.1f} s"
    )
