"""`puzzlebox intuitions train`: train a model on background films."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import fail, note, print_table, refuse_file, table
from puzzlebox.intuitions.cli.options import Workers, worker_count


def train(
    model: Annotated[str | None, typer.Option(metavar="MODEL", help="The model. Default: list the models.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="RUN", help="The folder of the run.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of weights and batches.")] = 0,
    scale: Annotated[
        float, typer.Option(min=0.0001, max=10, help="The share of the published 28,000 background episodes.")
    ] = 1.0,
    data_seed: Annotated[int, typer.Option(min=0, help="The seed of the background films.")] = 0,
    minutes: Annotated[
        float | None,
        typer.Option(min=0, help="Stop after this many minutes; the same command resumes. Default: never."),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting of the model, such as epochs=5.")
    ] = None,
    encoder: Annotated[
        Path | None, typer.Option(metavar="RUN", help="The run of the state encoder (atc), for bc-* and offline-rl.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where films are kept between runs. Default: in the run.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda. Default: a GPU if there is one.")] = None,
    workers: Workers = None,
) -> None:
    """Train a model on background films, which show expected actions only.

    Films are generated from the seed and drawn on the fly; nothing large is stored. Training can be stopped at any
    time, and the same command resumes it. `log.jsonl` in the run has a line for each validation.

    Try:

    - `puzzlebox intuitions train`
    - `puzzlebox intuitions train --model parts --scale 0.03 --set epochs=170 --set batch=128 -o runs/parts`
    - `puzzlebox intuitions train --model atc --minutes 10 -o runs/atc`
    - `puzzlebox intuitions train --model bc-mlp --encoder runs/atc --set epochs=50 -o runs/bc-mlp`

    `puzzlebox intuitions score runs/parts` scores the result.
    """
    from puzzlebox.intuitions.models.registry import MODELS

    if model is None:
        listing = table("model", "what it predicts")
        for name, (_, what) in MODELS.items():
            listing.add_row(name, what)
        print_table(listing)
        return
    if output is None:
        fail("there is no folder to write to", "name it with -o, as in -o runs/parts")
    refuse_file(output)
    given = {}
    for each in setting or []:
        name, separator, value = each.partition("=")
        if not separator:
            fail(f"--set {each} is not NAME=VALUE", "write it like --set epochs=5")
        given[name] = value
    from puzzlebox.cli.recordings import progress

    try:
        from puzzlebox.intuitions.models.registry import model_class

        model_class(model)
        from puzzlebox.intuitions.models.training import Plan
        from puzzlebox.intuitions.models.training import train as train_model

        plan = Plan(model, seed, scale, data_seed, given, str(encoder) if encoder is not None else "")
        with progress("training") as bar:
            outcome = train_model(plan, output, minutes, device, worker_count(workers), data, bar, note)
    except (ValueError, ModuleNotFoundError, RuntimeError) as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{problem.filename or output} cannot be written: {problem.strerror}")
    except KeyboardInterrupt:
        from puzzlebox.intuitions.models.training import CHECKPOINT

        if (output / CHECKPOINT).exists():
            note("interrupted; the same command resumes from the last checkpoint, at most two minutes old")
        else:
            note("interrupted before the first checkpoint, so nothing was saved; the same command starts anew")
        raise typer.Exit(130) from None
    from puzzlebox.text import counted

    if outcome.finished:
        note(f"finished after {counted(outcome.steps, 'step')}; `puzzlebox intuitions score {output}` scores it")
    else:
        note(
            f"stopped after {counted(outcome.steps, 'step')}, {outcome.epochs:.1f} epochs; the same command resumes it"
        )
