"""`puzzlebox vary`: count, list or write the tasks of a template."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlebox.cli.words import fail, note, print_table, table

if TYPE_CHECKING:
    from puzzlebox.arena.variations import Template


def vary(
    template: Annotated[
        str,
        typer.Argument(
            metavar="TEMPLATE", help="A template file, or the name of a bundled one. Default: list the bundled ones."
        ),
    ] = "",
    count: Annotated[bool, typer.Option("--count", help="Print how many variations there are.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="Print the manifest, as CSV.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Write the tasks into this folder.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Draw N different variations instead of taking all.")
    ] = None,
    head: Annotated[int | None, typer.Option(metavar="N", min=1, help="Take only the first N.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The seed of what is drawn.")] = None,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="Take only one of the template's splits, such as train.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at a task in which a thing cannot be placed.")] = False,
    unchecked: Annotated[bool, typer.Option("--unchecked", help="Write the tasks without checking them.")] = False,
) -> None:
    """Count, list, or write the variations of a template, in the Puzzlebox format or procgen-companion's.

    Try:

    - `puzzlebox vary basic-control --count`
    - `puzzlebox vary my_template.yml --list`
    - `puzzlebox vary object-permanence --sample 200 --seed 1 -o tasks`

    The same command resumes writing that was interrupted. `manifest.csv` in the folder has the values and labels of
    every file. Without --count, --list and -o, the count is printed with how it comes about.
    """
    if not template:
        _print_bundled()
        return
    loaded = _load(template, seed)
    if count and not (listing or output) and sample is None and split is None and head is None:
        typer.echo(str(loaded.count))
        return
    total, indices, request = _choose(loaded, sample, head, seed, split)
    if count:
        typer.echo(str(total))
    elif listing:
        _list(loaded, total, indices)
    elif output is not None:
        _write(loaded, output, total, indices, request, strict=strict, check=not unchecked)
    else:
        typer.echo(f"{total}\t{loaded.explanation}")
        if loaded.endless:
            note("some values are random, so --sample can draw more")


def _load(name: str, seed: int | None) -> "Template":
    """Load a template and check all its conditions; end the command if it has mistakes."""
    from puzzlebox.arena.schema import TaskError
    from puzzlebox.arena.testbed.training import open_template
    from puzzlebox.arena.variations import TemplateError

    try:
        loaded = open_template(name, seed=0 if seed is None else seed)
        loaded.check()
    except (TemplateError, TaskError) as problem:
        _fail_with(problem)
    except OSError as problem:
        whole = isinstance(problem, FileNotFoundError) or problem.strerror is None
        fail(str(problem) if whole else f"{name}: {problem.strerror}")
    return loaded


def _fail_with(problem: Any) -> None:
    note(str(problem))
    raise typer.Exit(1)


def _choose(
    template: "Template", sample: int | None, head: int | None, seed: int | None, split: str | None
) -> tuple[int, Iterable[int], dict[str, Any]]:
    """Return how many variations are wanted, their indices, and the request as the manifest keeps it."""
    design = template.design
    if sample is None and head is None and split is None:
        sample = design.sample
    seed = design.seed if seed is None else seed
    request = {"sample": sample, "head": head, "split": split, "sample_seed": seed}
    try:
        if split is not None:
            part = template.split(split)
            indices: Iterable[int] = part.indices(sample, seed)
            total = part.count if sample is None else sample
        elif sample is not None:
            if sample > template.count and not template.endless:
                fail(f"{sample} variations were asked for, but {template.name} has only {template.count}")
            total, indices = sample, template.sample_indices(sample, seed)
        else:
            total, indices = template.count, template.indices()
    except ValueError as problem:
        fail(str(problem))
    return (total, indices, request) if head is None else (min(head, total), _first(indices, head), request)


def _first(indices: Iterable[int], head: int) -> Iterator[int]:
    from itertools import islice

    return islice(indices, head)


def _refuse_too_many(total: int) -> None:
    from puzzlebox.arena.variations.folder import MOST_AT_ONCE

    if total > MOST_AT_ONCE:
        fail(
            f"{total:,} variations are too many at once; the most is {MOST_AT_ONCE:,}",
            "draw some with --sample N, or train on the template itself with puzzlebox.make",
        )


def _list(template: "Template", total: int, indices: Iterable[int]) -> None:
    import sys

    from puzzlebox.arena.variations import TemplateError
    from puzzlebox.arena.variations.folder import columns_of, row_of
    from puzzlebox.csv_cells import CellWriter

    _refuse_too_many(total)
    rows = CellWriter(sys.stdout)
    rows.writerow(columns_of(template))
    try:
        for number, index in enumerate(indices):
            rows.writerow(row_of(template.at(index), number, template))
    except TemplateError as problem:
        _fail_with(problem)
    except ValueError as problem:
        fail(str(problem))


def _write(
    template: "Template",
    folder: Path,
    total: int,
    indices: Iterable[int],
    request: dict[str, Any],
    *,
    strict: bool,
    check: bool,
) -> None:
    from rich.console import Console
    from rich.progress import Progress

    from puzzlebox.arena.variations import TemplateError
    from puzzlebox.arena.variations.folder import MANIFEST, write_folder

    _refuse_too_many(total)
    try:
        with Progress(console=Console(stderr=True), transient=True) as bar:
            line = bar.add_task("writing", total=total)
            report = write_folder(
                template,
                folder,
                indices,
                total,
                request,
                strict=strict,
                check=check,
                progress=lambda done: bar.update(line, completed=done),
            )
    except TemplateError as problem:
        _fail_with(problem)
    except ValueError as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{folder} cannot be written to: {problem.strerror}" if problem.strerror else str(problem))
    for message in report.messages:
        note(message)
    if report.doubtful:
        note(f"in {report.doubtful} of {report.written} tasks a thing cannot be placed; --strict stops at the first")
    before = f", {report.existing} were there" if report.existing else ""
    note(f"wrote {report.written} tasks to {folder}{before}; {MANIFEST} lists what each contains")


def _print_bundled() -> None:
    from puzzlebox.arena.variations import Template
    from puzzlebox.batteries import template_names

    listing = table("template", "variations", "title")
    for name in template_names():
        template = Template(name)
        listing.add_row(name, f"{template.count:,}", template.title)
    print_table(listing)
    note("`puzzlebox vary NAME --sample 20 -o FOLDER` writes some; puzzlebox.make(NAME) draws one each episode")
