"""Judgements of models as ordinary episodes, for `puzzlebox report`: one pair is one episode, a read-out an agent."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from puzzlebox.intuitions.scoring.observer import READ_OUTS
from puzzlebox.intuitions.scoring.pairs import Judgement
from puzzlebox.record.entries import hash_of
from puzzlebox.record.episode import Episode
from puzzlebox.record.tables import write_table
from puzzlebox.wings import Found

# What a task that was judged is: its name, level, variant and text, by its name in the catalogue and pair type.
Described = dict[tuple[str, str], Found]


def write_episodes(
    folder: Path, observers: Iterable[tuple[str, str, Iterable[Judgement], Described]], seed: int | None
) -> list[Path]:
    """Write judgements as the table of episodes that `puzzlebox report` reads.

    Args:
        folder: where `episodes.csv` is written, and `episodes.parquet` if pyarrow is installed.
        observers: the name of each observer, that of its run, its judgements, and what each task is.
        seed: the seed of the set; None for pairs that were read from a folder.
    """
    return write_table(folder, [each for one in observers for each in episodes_of(*one, seed)])


def episodes_of(
    observer: str, run: str, judgements: Iterable[Judgement], tasks: Described, seed: int | None
) -> Iterator[Episode]:
    """Yield an episode for each judgement and read-out; a tie is neither passed nor failed, and its return is a half.

    They have no steps: equal judgements of two runs of training are no copies of each other.
    """
    for each in judgements:
        found = tasks[each.task, each.kind]
        for read_out in READ_OUTS:
            agent, score = f"{observer} ({read_out})", each.score(read_out)
            yield Episode(
                id=f"{found.name}/{each.number + 1}/{agent}/0",
                task=found.name,
                agent=agent,
                total=score,
                passed=None if score == 0.5 else score == 1.0,
                run=run,
                wing=found.task.wing,
                title=found.task.title,
                task_hash=hash_of(found.task.text),
                variant=found.variant,
                level=found.level,
                arena=each.number,
                arena_title=f"number {each.number}",
                seed=seed,
                ended_by="completed",
                factors=dict(found.factors),
            )
