"""`puzzlebox transcript`: show what a language model was sent and what it replied."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlebox.cli.words import fail, may_replace, note, print_table, table, write_output

if TYPE_CHECKING:
    from puzzlebox.agents.language import Transcript

_PAGES = (b"<!do",)


def transcript(
    run: Annotated[
        str,
        typer.Argument(metavar="RUN[#EPISODE]", help="The folder of a run; with # an episode, by its number or name."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write a page (.html) with the pictures the model saw."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the transcripts as JSON, pictures included.")] = False,
) -> None:
    """Show what a language model was sent in an episode, what it replied, and what became of it.

    Without an episode, all episodes of the run are listed, with their numbers.

    Try:

    - `puzzlebox transcript out`
    - `puzzlebox transcript out#3`
    - `puzzlebox transcript out#3 -o third.html`
    - `puzzlebox transcript out --json`
    """
    from puzzlebox.run.transcripts import missing_transcripts, transcript_of, transcripts

    try:
        if "#" in run:
            name, found = transcript_of(run)
            chosen = {name: found}
        else:
            chosen = transcripts(run)
            if not chosen:
                raise FileNotFoundError(f"{run} is not the folder of a run in which a language model played")
    except (OSError, ValueError) as problem:
        fail(str(problem))
    if output is not None:
        if "#" not in run:
            fail("a page shows one episode", f"name it by its number, as in {run}#1")
        if output.suffix.lower() != ".html":
            fail(f"{output} is not the name of a page; it must end in .html")
        if not may_replace(output, _PAGES):
            fail(f"{output} is already there and is no page", "name another file with -o")
        from puzzlebox.agents.language.reading import page

        write_output(output, "".join(page(name, each) for each in chosen[name]).encode())
    elif json:
        _print_json(chosen)
    elif "#" in run:
        from puzzlebox.agents.language.reading import text_lines

        for each in chosen[name]:
            for line in text_lines(name, each):
                typer.echo(line)
    else:
        _print_list(chosen)
        missing = missing_transcripts(Path(run), chosen)
        if missing:
            have = "1 episode has" if len(missing) == 1 else f"{len(missing)} episodes have"
            note(f"warning: {have} no readable transcript, the first is {missing[0]}")
        note(f"hint: `puzzlebox transcript {run}#1` shows the first one")


def _print_json(chosen: "dict[str, list[Transcript]]") -> None:
    from json import dumps

    for name, found in chosen.items():
        for body, each in enumerate(found):
            typer.echo(dumps({"name": name, "body": body, **each.as_dict()}))


def _print_list(chosen: "dict[str, list[Transcript]]") -> None:
    rows = table("number", "episode", "calls", "tokens", "cost", "asked again", "given up", "failed attempts", "error")
    for number, (name, found) in enumerate(chosen.items(), 1):
        for each in found:
            counts = each.counts()
            numbers = [counts[key] for key in ("calls", "tokens", "asked_again", "given_up", "failures")]
            calls, tokens, again, given_up, failures = (f"{value:,}" for value in numbers)
            money = f"{counts['money']:.4f}" if counts["money"] else "-"
            rows.add_row(str(number), name, calls, tokens, money, again, given_up, failures, each.error or "-")
    print_table(rows)
