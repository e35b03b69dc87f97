"""`puzzlebox intuitions score`: how often the unexpected film of a pair surprises a model more."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlebox.cli.words import choice, fail, note, refuse_file
from puzzlebox.intuitions.cli.options import Shapes, Workers, worker_count

if TYPE_CHECKING:
    from puzzlebox.intuitions.models.judging import Source
    from puzzlebox.intuitions.scoring.tables import Errors


def score(
    context: typer.Context,
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN... [DATA]",
            help="Runs of training, or `inverse-planner`; runs that differ in the seed alone are one model. Last, "
            "if wanted, a folder of pairs, ours or published. Default: generate pairs.",
        ),
    ],
    task: Annotated[
        list[str] | None, typer.Option(metavar="TASK", help="Tasks to generate, or to read of DATA. Default: all.")
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, max=1_000_000, help="Pairs of each task to generate.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the pairs to generate.")] = 1,
    shapes: Annotated[
        Shapes, choice(Shapes, "Shapes of the pairs to generate, and of published scores.")
    ] = Shapes.FAMILIAR,
    other_familiarisation: Annotated[
        bool,
        typer.Option("--other-familiarisation", help="A check: each pair gets the familiarisation of another."),
    ] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Score the rest if some episodes are damaged or incomplete.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Write judgements, scores, the table, and episodes for `puzzlebox report` there.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON, for programs.")] = False,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    workers: Workers = None,
) -> None:
    """Score models: a pair is right if its unexpected film surprises more, by the largest and by the mean surprise.

    The table stands beside the published scores. Exit code 1: something could not be read.

    Try:

    - `puzzlebox intuitions score inverse-planner --episodes 20`
    - `puzzlebox intuitions score runs/parts-0 runs/parts-1 runs/parts-2 --episodes 1000 -o scores`
    - `puzzlebox intuitions score runs/video published/evaluation --keep-going`
    """
    import json

    from puzzlebox.cli.recordings import progress
    from puzzlebox.intuitions.apparatus import described
    from puzzlebox.intuitions.files.folder import has_rest, nearly_named
    from puzzlebox.intuitions.files.reading import StimulusError
    from puzzlebox.intuitions.models.judging import judge_pairs
    from puzzlebox.intuitions.models.registry import check_device
    from puzzlebox.intuitions.models.run_names import run_names, view_of
    from puzzlebox.intuitions.scoring.episodes import write_episodes
    from puzzlebox.intuitions.scoring.judgements import write_judgements
    from puzzlebox.intuitions.scoring.order import three_way_order
    from puzzlebox.intuitions.scoring.summary import summarise
    from puzzlebox.intuitions.scoring.tables import data as plain_data
    from puzzlebox.intuitions.scoring.tables import markdown

    if output is not None:
        refuse_file(output)
    data = _folder_of_pairs(runs[-1]) if len(runs) > 1 else None
    if data is not None:
        runs = runs[:-1]
        for option in ("episodes", "seed"):
            source = context.get_parameter_source(option)
            if source is not None and source.name != "DEFAULT":
                fail(f"--{option} is for pairs to generate, but {data} has pairs already", f"leave --{option} out")
    resolved = [Path(run).resolve() for run in runs]
    twice = next((run for run, place in zip(runs, resolved, strict=True) if resolved.count(place) > 1), None)
    if twice is not None:
        fail(f"{twice} is named twice; each run can be scored once")
    problems: list[str] = []
    judged: dict[str, list[Any]] = {}
    places: dict[tuple[str, int], str] = {}
    try:
        check_device(device)
        names = run_names(runs)
        for run, name in zip(runs, names, strict=True):
            problems.clear()
            kept = problems if keep_going else None
            pairs = _pairs(data, task, episodes, seed, shapes.value, kept)
            with progress(f"scoring {name}") as bar:
                found = judge_pairs(run, pairs, worker_count(workers), device, other_familiarisation, kept, bar)
            judged.setdefault(name, []).append(found)
            places[name, len(judged[name]) - 1] = run
            if not found:
                break
        results = {name: summarise(found) for name, found in judged.items() if all(found)}
    except (ValueError, ModuleNotFoundError, RuntimeError) as problem:
        damaged = isinstance(problem, StimulusError) and data is not None and not keep_going
        fail(str(problem), "--keep-going scores the rest" if damaged and data is not None and has_rest(data) else "")
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    left_out = [] if data is None else nearly_named(data)
    if len(results) < len(judged):
        for sentence in (*left_out, *problems):
            note(f"warning: {sentence}")
        of_tasks = f" of {' or '.join(task)}" if task else ""
        fail(f"there is no pair to score{of_tasks}" if data is None else f"{data} has no pair{of_tasks} to score")
    orders = {name: three_way_order(found[0]) for name, found in judged.items()}
    measured_on = {} if data is None else {"measured_on": f"the films in {data}"}
    text = markdown(results, _published_set(runs, shapes.value), orders, _errors(runs, names), **measured_on)
    if output is not None:
        try:
            output.mkdir(parents=True, exist_ok=True)
            rows = [(name, run, found) for name, all_runs in judged.items() for run, found in enumerate(all_runs)]
            write_judgements(output / "judgements.csv", rows)
            factors = {"familiarisation": "of another pair"} if other_familiarisation else {}
            folder = "" if data is None else data.resolve().name
            views = {run: described(seed, shapes.value, folder, factors, view_of(run)) for run in places.values()}
            named = [(name, place := places[name, run], found, views[place]) for name, run, found in rows]
            write_episodes(output, named, seed if data is None else None)
            (output / "scores.json").write_text(json.dumps(plain_data(results), indent=1) + "\n", encoding="utf-8")
            (output / "scores.txt").write_text(text, encoding="utf-8")
        except OSError as problem:
            fail(f"{problem.filename or output} cannot be written: {problem.strerror}")
        note(
            f"wrote judgements.csv, episodes.csv, scores.json and scores.txt to {output}; "
            f"`puzzlebox report {output}` compares them"
        )
    typer.echo(json.dumps(plain_data(results), indent=1) if as_json else text, nl=False)
    for sentence in (*left_out, *problems):
        note(f"warning: {sentence}")
    if problems:
        raise typer.Exit(1)


def _published_set(runs: list[str], shapes: str) -> str:
    """Return which published scores stand beside: those in three dimensions if that is what all runs see."""
    from puzzlebox.intuitions.models.run_names import view_of
    from puzzlebox.intuitions.scoring.published import THREE_D

    return THREE_D if {view_of(run) for run in runs} == {"three-d"} else shapes


def _errors(runs: list[str], names: list[str]) -> "dict[str, Errors]":
    """Return the validation errors of each trained model, averaged over its runs."""
    from statistics import fmean

    from puzzlebox.intuitions.models.judging import observer_named
    from puzzlebox.intuitions.models.registry import INVERSE_PLANNER
    from puzzlebox.intuitions.models.training import validation_errors
    from puzzlebox.intuitions.scoring.tables import Errors

    found: dict[str, Errors] = {}
    for name in dict.fromkeys(names):
        trained = [run for run, of in zip(runs, names, strict=True) if of == name and run != INVERSE_PLANNER]
        logs = [errors for run in trained if (errors := validation_errors(Path(run)))]
        if logs:
            known = {task: [error for each in logs if (error := each.get(task)) is not None] for task in logs[0]}
            means = {task: fmean(numbers) if numbers else None for task, numbers in known.items()}
            found[name] = Errors(getattr(observer_named(trained[0]), "error_unit", ""), means)
    return found


def _folder_of_pairs(name: str) -> Path | None:
    """Return the folder of pairs that a name is; None if it is a run of training or no folder."""
    folder = Path(name)
    return folder if folder.is_dir() and not (folder / "run.json").exists() else None


def _pairs(
    data: Path | None, task: list[str] | None, episodes: int, seed: int, shapes: str, problems: list[str] | None
) -> "list[Source]":
    """Return the pairs to judge."""
    from puzzlebox.intuitions.catalogue import EVALUATION, tasks_named
    from puzzlebox.intuitions.models.judging import generated, stored

    if data is not None:
        return stored(data, problems, tasks_named(task) if task else None)
    return generated(tasks_named(task or [EVALUATION]), episodes, seed, shapes)
