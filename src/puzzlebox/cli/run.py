"""`puzzlebox run`: let agents play tasks, and write a table of results."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlebox.cli.words import choice, fail, note, print_table, refuse_file, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlebox.record.episode import Episode
    from puzzlebox.run.runs import Outcome

_MOST_LEVELS = 12


class Backend(Enum):
    """What the workers of a run are."""

    PROCESSES = "processes"
    RAY = "ray"


def run(
    tasks: Annotated[
        list[str],
        typer.Argument(
            metavar="TASK",
            help="Task files, folders, patterns, bundled tasks or batteries (`puzzlebox tasks`), templates.",
        ),
    ],
    agent: Annotated[
        list[str],
        typer.Option(
            metavar="NAME", help="An agent: its name, or an import path `module:Class`. May be given several times."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="RUN", help="The folder of the run.")],
    episodes: Annotated[int, typer.Option(min=1, help="How often each agent plays each arena.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Processes that play at the same time. Default: one per core.")
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="RULES", help="puzzlebox (the default), 4.3, 3.1 or 2019; fields changed as in `3.1(drag=1)`."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed that the seeds of all episodes are derived from.")] = 0,
    variations: Annotated[
        int,
        typer.Option(min=1, help="How many variations of each template; of a family of templates, this many in all."),
    ] = 10,
    backend: Annotated[
        Backend, choice(Backend, "`ray`: on the Ray cluster of RAY_ADDRESS, or a local one.")
    ] = Backend.PROCESSES,
    longest: Annotated[
        int, typer.Option(min=1, help="Physics steps after which an episode is stopped; for tasks without a limit.")
    ] = 50_000,
    trajectories: Annotated[bool, typer.Option(help="Keep every episode for `puzzlebox replay`.")] = True,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="LIMITS",
            help="What language models may spend in the whole run: calls, tokens, money, as in `calls=500,money=5`.",
        ),
    ] = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Move what is damaged in the folder into separate files, and play these episodes again.",
        ),
    ] = False,
) -> None:
    """Let agents play tasks, and write a table with a row for each episode.

    The same command resumes a run that was interrupted, and plays again what had failed; it may also ask for more
    episodes, agents or tasks. Neither the number of workers nor an
    interruption changes a result. The exit code is 1 if an episode failed. A run with a damaged file is refused and
    left as it is, unless --repair is given.

    Try:

    - `puzzlebox run foraging --agent random --agent heuristic --episodes 100 -o out`
    - `puzzlebox run tasks/ --agent navigator --rules 3.1 -o out`
    - `puzzlebox run operant --agent "random(prev_step_bias=0.5)" -o out`

    `puzzlebox report out` makes figures and statistics of it.
    """
    import sys

    from puzzlebox.agents.language.budget import Budget
    from puzzlebox.cli.recordings import progress
    from puzzlebox.run.runs import command_line
    from puzzlebox.run.runs import run as play
    from puzzlebox.run.tasks import find_tasks

    refuse_file(output)
    # The user's own agents are imported from the current folder, as with `python -m`.
    sys.path.insert(0, str(Path.cwd()))
    try:
        limits = None if budget is None else Budget.parse(budget)
        subjects = find_tasks(tasks, variations=variations, seed=seed)
        with progress("playing") as bar:
            outcome = play(
                subjects,
                agent,
                output,
                episodes=episodes,
                workers=workers,
                rules=rules,
                seed=seed,
                backend=backend.value,
                longest=longest,
                trajectories=trajectories,
                command=command_line([]),
                progress=bar,
                repair=repair,
                budget=limits,
            )
    except OSError as problem:
        fail(str(problem) if problem.strerror is None else f"{problem.filename or output}: {problem.strerror}")
    except (ValueError, ModuleNotFoundError, RuntimeError) as problem:
        fail(str(problem))
    except KeyboardInterrupt:
        note("interrupted; the same command resumes the run")
        raise typer.Exit(130) from None
    _print_outcome(outcome)


def _print_outcome(outcome: "Outcome") -> None:
    rows = outcome.episodes
    levels = list(dict.fromkeys(row.level for row in rows))
    agents = list(dict.fromkeys(row.agent or "" for row in rows))
    summary = table("agent", "level", "episodes", "passed", "mean return", "mean latency (s)")
    for agent in agents:
        played = [row for row in rows if row.agent == agent]
        if 1 < len(levels) <= _MOST_LEVELS:
            for level in levels:
                _add_row(summary, agent, level or "-", [row for row in played if row.level == level])
        _add_row(summary, agent, "all", played)
    print_table(summary)
    for line in outcome.aside:
        note(f"warning: {line}")
    if outcome.again:
        note(f"{_episodes(outcome.again)} had failed before and {'was' if outcome.again == 1 else 'were'} played again")
    failed = [row for row in rows if row.error]
    if failed:
        note(
            f"warning: {_episodes(len(failed))} failed, the first on {failed[0].task}: {failed[0].error}; "
            f"all reasons are in the column `error` of {outcome.folder / 'episodes.csv'}"
        )
    if outcome.spent is not None:
        note(f"language models: {outcome.spent}; `puzzlebox transcript {outcome.folder}` shows what they were asked")
    before = len(rows) - outcome.played
    earlier = f" ({before} of them earlier)" if before else ""
    note(f"{_episodes(len(rows))}{earlier}; wrote {outcome.folder / 'episodes.csv'}")
    if failed:
        raise typer.Exit(1)


def _episodes(count: int) -> str:
    return f"{count} episode{'' if count == 1 else 's'}"


def _add_row(summary: Any, agent: str, level: str, rows: "Sequence[Episode]") -> None:
    """Add a row about some episodes; those that failed are counted apart, and no mean includes them."""
    complete = [row for row in rows if not row.error]
    failed = len(rows) - len(complete)
    count = f"{len(complete)} ({failed} failed)" if failed else str(len(complete))
    if not complete:
        summary.add_row(agent, level, count, "-", "-", "-")
        return
    returns, latencies = [row.total for row in complete], [row.latency for row in complete]
    summary.add_row(agent, level, count, _passed(complete), _mean(returns), _mean(latencies))


def _passed(rows: "Sequence[Episode]") -> str:
    """Return the share of episodes that passed, and how many were neither passed nor failed, with the reason."""
    from puzzlebox.run.player import LIMIT

    verdicts = [row.passed for row in rows if row.passed is not None]
    stopped = sum(row.passed is None and row.ended_by == LIMIT for row in rows)
    others = len(rows) - len(verdicts) - stopped
    if others == len(rows):
        return "no verdict"
    share = f"{100 * sum(verdicts) / len(verdicts):.1f} %" if verdicts else "unknown"
    reasons = [f"{stopped} cut off"] if stopped else []
    reasons += [f"{others} without a verdict"] if others else []
    return f"{share} ({', '.join(reasons)})" if reasons else share


def _mean(values: "Sequence[float | None]") -> str:
    """Return the mean of the values that are not None, as text; "-" if there is none."""
    numbers = [value for value in values if value is not None]
    return f"{sum(numbers) / len(numbers):.3f}" if numbers else "-"
