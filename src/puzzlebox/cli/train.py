"""`puzzlebox train`: train an agent on tasks, with everything in one folder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlebox.cli.words import choice, fail, note, print_table, refuse_file, table

if TYPE_CHECKING:
    from puzzlebox.learn.trainer import Outcome, Plan, Progress

_MOST_TASKS = 12


class LearnerName(Enum):
    """Who learns."""

    RECURRENT = "recurrent"
    PPO = "ppo"
    DQN = "dqn"
    SAC = "sac"
    DREAMER = "dreamer"


def train(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TASK]... [KEY=VALUE]...",
            help="Task files, folders, patterns, bundled tasks, batteries or templates of one wing, "
            "and settings such as `learning_rate=1e-4` or `camera=36`.",
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="RUN", help="The folder of the run.")] = None,
    learner: Annotated[
        LearnerName | None,
        choice(LearnerName, "Who learns. Default: that of the preset, or `recurrent`, our recurrent PPO."),
    ] = None,
    steps: Annotated[
        float | None, typer.Option(metavar="N", help="Decisions in all, as in `1e6`. Default: those of the curriculum.")
    ] = None,
    preset: Annotated[str | None, typer.Option(metavar="NAME", help="Named settings: ppo-2024, maze-2019, ...")] = None,
    origin: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="RUN",
            help="Start with the weights, learner, senses and settings of another run or of `generalist`.",
        ),
    ] = None,
    curriculum: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="operant, maze-2019, testbed, learnability, or a YAML file of stages."),
    ] = None,
    order: Annotated[
        Path | None, typer.Option(metavar="FILE", help="For `--curriculum testbed`: a CSV file of stages.")
    ] = None,
    evaluate: Annotated[
        list[str] | None, typer.Option(metavar="TASK", help="Tasks that are played for evaluation. Several times.")
    ] = None,
    evaluate_every: Annotated[
        float, typer.Option(metavar="N", help="Decisions between two evaluations. Default: at the end only.")
    ] = 0,
    seed: Annotated[int | None, typer.Option(min=0, help="The seed of everything random. Default: 0.")] = None,
    device: Annotated[
        str | None, typer.Option(help="`cpu`, `cuda` or `cuda:N`. Default: a GPU if there is one.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(metavar="N", help="Stop after this many minutes; --resume continues.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume the run in the folder; what is not given is as it was.")
    ] = False,
) -> None:
    """Train an agent on tasks; what it has learned is an agent, RUN/latest.

    The folder holds all settings, every episode, the curves, and checkpoints from which --resume goes on, also after a
    crash. On a CPU a resumed run equals one that was not interrupted.

    Try:

    - `puzzlebox train foraging --steps 1e6 -o out`
    - `puzzlebox train --curriculum operant --preset ppo-2024 -o out`
    - `puzzlebox train "testbed-train/*" --curriculum learnability --steps 1e7 --evaluate testbed-held-out -o out`
    - `puzzlebox train food/picnic --from out --steps 1e5 -o further`
    - `puzzlebox train -o out --resume`

    Then: `puzzlebox run foraging --agent out/latest -o results`, or `puzzlebox play foraging --agent out/latest`.
    """
    import re

    from puzzlebox.run.runs import command_line

    if output is None:
        fail("no folder was named", "name the folder of the run with -o")
    refuse_file(output)
    if minutes is not None and minutes <= 0:
        fail(f"--minutes is {minutes:g}; it must be above 0")
    words = tasks or []
    changes = [each for each in words if re.match(r"[A-Za-z_][\w.]*=", each)]
    sources = [each for each in words if each not in changes]
    try:
        _require_torch()
        from puzzlebox.learn.trainer import train as train_agent

        chosen: dict[str, Any] = {
            **{"sources": sources, "changes": changes, "learner": learner.value if learner else None},
            **{"steps": steps, "preset": preset, "origin": origin, "curriculum": curriculum, "order": order},
            **{"evaluate": evaluate or [], "evaluate_every": evaluate_every, "seed": seed},
        }
        if resume and origin is not None:
            raise ValueError("a run that is resumed has weights of its own; leave --from out, or --resume")
        plan = _plan_again(output, **chosen) if resume else _plan(**chosen)
        place = _device(device)
        if resume:
            note(f"the run {_where_it_resumes(output)}")
        with _progress() as show:
            outcome = train_agent(
                plan,
                output,
                resume=resume,
                minutes=minutes,
                device=place,
                command=command_line([]),
                progress=show,
                note=note,
            )
    except OSError as problem:
        fail(str(problem) if problem.strerror is None else f"{problem.filename or output}: {problem.strerror}")
    except (ValueError, ModuleNotFoundError) as problem:
        fail(str(problem))
    except (MemoryError, RuntimeError) as problem:
        if not isinstance(problem, MemoryError) and not re.search("allocate memory|out of memory", str(problem)):
            raise
        fail("there is not enough memory for these settings; take fewer envs, a shorter rollout or smaller pictures")
    except KeyboardInterrupt:
        if (output / "run.json").exists():
            note(f"interrupted; `puzzlebox train -o {output} --resume` {_where_it_resumes(output)}")
        else:
            note("interrupted before training began; nothing was written")
        raise typer.Exit(130) from None
    _print_outcome(outcome, output)


def _where_it_resumes(run: Path) -> str:
    from puzzlebox.learn.checkpoints import resumable

    checkpoint = resumable(run)
    return (
        "begins again: it has no checkpoint yet" if checkpoint is None else f"goes on at {checkpoint.step:,} decisions"
    )


def _require_torch() -> None:
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError:
        raise ModuleNotFoundError("training needs torch; pip install 'puzzlebox[learn]' brings it") from None


def _plan(
    sources: list[str],
    changes: list[str],
    learner: str | None,
    steps: float | None,
    preset: str | None,
    origin: str | None,
    curriculum: str | None,
    order: Path | None,
    evaluate: list[str],
    evaluate_every: float,
    seed: int | None,
) -> "Plan":
    from puzzlebox.learn.curriculum_names import find_course
    from puzzlebox.learn.origin import find_origin
    from puzzlebox.learn.settings import resolve
    from puzzlebox.learn.trainer import Plan
    from puzzlebox.run.tasks import find_tasks
    from puzzlebox.wings import find_training

    seed = seed or 0
    if not sources and curriculum is None:
        raise ValueError("there is nothing to train on; name tasks, or a curriculum that has its own")
    if preset and origin is not None:
        raise ValueError("--from brings settings, and so does --preset; leave one of them out")
    course = find_course(curriculum, sources, order)
    start = None if origin is None else find_origin(origin)
    if start is None:
        resolved = resolve(learner, preset, changes, find_training(course.tasks.wing).training_settings())
    else:
        resolved = start.resolve(course.tasks.wing, changes, learner)
    whole = steps if steps is not None else course.steps
    if whole is None:
        raise ValueError("the number of decisions is missing; name it, as in --steps 1e6")
    if not 1 <= whole <= 1e15:
        raise ValueError(f"--steps is {whole:g}; it must be from 1 to 1e15")
    evaluated = tuple(find_tasks(evaluate, seed=seed)) if evaluate else ()
    if evaluated and evaluated[0].task.wing != course.tasks.wing.name:
        raise ValueError(f"{evaluated[0].name} is a task of another wing than those it is trained on")
    if evaluate_every and not evaluated:
        raise ValueError("--evaluate-every needs --evaluate TASK")
    return Plan(course, resolved, int(whole), seed, evaluated, tuple(evaluate), int(evaluate_every), start)


def _plan_again(output: Path, **chosen: Any) -> "Plan":
    """Return the plan of a run that is resumed: what the command does not name is as it was."""
    from puzzlebox.learn.run_folder import read_run

    before = read_run(output)
    bundled = before["curriculum"] not in ("", "testbed", "learnability")
    if not chosen["sources"] and not bundled:
        chosen["sources"] = before["sources"]
    for name in ("learner", "preset", "curriculum"):
        chosen[name] = chosen[name] or before[name] or None
    for name in ("steps", "seed"):
        chosen[name] = before[name] if chosen[name] is None else chosen[name]
    chosen["evaluate"] = chosen["evaluate"] or before["evaluation_sources"]
    chosen["evaluate_every"] = chosen["evaluate_every"] or before["evaluate_every"]
    try:
        plan = _plan(**chosen)
    except FileNotFoundError as problem:
        # Sources are stored as they were written, and may be relative to the folder in which training began.
        home = before["commands"][0].get("folder") if before["commands"] else None
        where = f"{home}, where it began" if home else "the folder in which it began"
        raise FileNotFoundError(f"{problem}; resume the run in {where}, or name its tasks in the command") from None
    return _with_settings_of(plan, before, chosen["changes"])


def _with_settings_of(plan: "Plan", before: dict[str, Any], changes: list[str]) -> "Plan":
    """Return a plan with the settings and the stages of an earlier run; the folder refuses those that changed."""
    from dataclasses import replace

    from puzzlebox.learn.settings import GROUPS, Resolved, change
    from puzzlebox.wings import find_training

    stages = before["stages"]
    course = replace(plan.course, stages=None if stages is None else tuple(stages))
    own = Resolved(plan.resolved.learner, plan.resolved.preset, **{name: before[name] for name in GROUPS})
    known = find_training(course.tasks.wing).training_settings()
    return replace(plan, course=course, resolved=change(own, changes, known))


def _device(name: str | None) -> str:
    import torch

    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        kind = torch.device(name)
    except RuntimeError:
        raise ValueError(f"there is no device {name!r}; allowed: cpu, cuda, cuda:N") from None
    if kind.type not in ("cpu", "cuda"):
        raise ValueError(f"there is no device {name!r}; allowed: cpu, cuda, cuda:N")
    if kind.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"the device is {name}, but torch finds no GPU here; allowed: cpu")
    return name


@contextmanager
def _progress() -> "Iterator[Callable[[Progress], None]]":
    """Show how far training is: a bar in a terminal, otherwise a line every ten seconds."""
    from time import monotonic

    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (TextColumn("training"), BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"))
    with Bar(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        said = monotonic()

        def show(where: "Progress") -> None:
            nonlocal said
            bar.update(task, completed=where.step, total=where.steps, description=_sentence(where))
            if not console.is_terminal and monotonic() - said >= 10:
                said = monotonic()
                note(f"{where.step:,} of {where.steps:,} decisions; {_sentence(where)}")

        yield show


def _sentence(where: "Progress") -> str:
    parts = [f"{where.episodes:,} episodes"]
    if where.stage:
        parts.insert(0, f"stage {where.stage}")
    if where.passed is not None:
        parts.append(f"passed {100 * where.passed:.0f} %")
    if where.mean_return is not None:
        parts.append(f"return {where.mean_return:.2f}")
    return ", ".join([*parts, f"{where.speed:,.0f} decisions/s"])


def _print_outcome(outcome: "Outcome", output: Path) -> None:
    where = outcome.progress
    summary = table("decisions", "episodes", "passed", "mean return", "decisions/s")
    passed = "no verdict" if where.passed is None else f"{100 * where.passed:.1f} %"
    mean = "-" if where.mean_return is None else f"{where.mean_return:.3f}"
    summary.add_row(f"{where.step:,}", f"{where.episodes:,}", passed, mean, f"{where.speed:,.0f}")
    print_table(summary)
    if not where.speed:
        note("the run had all its decisions before; a larger --steps makes it longer")
    if where.episodes:
        note("passed and mean return are those of the latest 100 episodes of training")
    else:
        note("no episode has ended yet: train for more --steps, or with fewer environments (the setting envs)")
    counts = outcome.coverage
    if len(counts) > 1:
        none = [name for name, count in counts.items() if not count]
        missing = f"; not played: {', '.join(none[:_MOST_TASKS])}" if none else ""
        note(f"episodes of a task: {min(counts.values()):,} to {max(counts.values()):,}{missing}")
    known = {name: share for name, share in outcome.shares.items() if share >= 0.001 and name != "other"}
    if known:
        note("time: " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in outcome.shares.items()))
    if not outcome.finished:
        note(f"the time is over; `puzzlebox train -o {output} --resume` goes on")
    note(f"wrote {output / 'latest'}; `puzzlebox run TASK --agent {output / 'latest'} -o RESULTS` lets it play")
