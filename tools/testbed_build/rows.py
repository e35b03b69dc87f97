"""The variants of rows: the first candidates that pass every check, and what became of the others."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain, islice
from time import monotonic

from puzzlebox.arena.testbed.held_out import held_out_rows, reserved_values
from puzzlebox.arena.testbed.level import VARIANTS, Level
from puzzlebox.arena.testbed.manifest import Entry, values_text
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.sets import candidates, layout_of
from puzzlebox.arena.testbed.solutions import Solution
from puzzlebox.arena.testbed.tasks import id_of, with_metadata
from puzzlebox.arena.variations import Variation
from puzzlebox.batteries.testbed import BATTERY, HELD_OUT
from puzzlebox.record.entries import hash_of
from testbed_build.trial import try_task

# Raise it when the checks become stricter: all rows are then made again.
VERSION = 2
# The most candidates of a row that are tried.
MOST_TRIED = 30


@dataclass
class Made:
    """What became of a row, or of a task of the held-out set.

    Attributes:
        name: the row, such as 08-13.
        wanted: how many tasks it should have.
        entries: its tasks.
        solutions: their solutions.
        texts: their texts, by name.
        tried: how many candidates were tried.
        problems: the problems of candidates, each with how often it occurred.
        seconds: how long it took.
    """

    name: str
    wanted: int
    entries: list[Entry] = field(default_factory=list)
    solutions: list[Solution] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    tried: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def key_of(level: Level, number: int) -> str:
    """Return a hash of all that the choice of variants of a row depends on."""
    row = level.rows[number]
    template = level.templates[row.template].text
    use = level.about.templates[row.template]
    parts = (VERSION, level.number, number, template, use, row.values, row.condition, level.shortcut_of(row))
    return sha256(repr(parts).encode()).hexdigest()[:12]


def held_out_key(level: Level, number: int) -> str:
    """Return a hash of all that a task of the held-out set, made from a row, depends on."""
    rows = [(each, row.difficulty, key_of(level, each)) for each, row in level.rows.items()]
    return f"{key_of(level, number)}-{sha256(repr(rows).encode()).hexdigest()[:6]}"


def entry_of(level: Level, number: int, name: str, variation: Variation, text: str) -> Entry:
    """Return the line of the manifest for a task."""
    row = level.rows[number]
    layout = layout_of(level.templates[row.template], variation, level.about.templates[row.template])
    values = values_text(variation.factors)
    key = key_of(level, number) if name.startswith(f"{BATTERY}/") else held_out_key(level, number)
    return Entry(name, row.template, variation.number, values, hash_of(text), layout, key)


def make_rows(level_number: int, numbers: Iterable[int], taken: set[str], search: float) -> Iterator[Made]:
    """Make the variants of rows of one template, one row after the other; no layout occurs twice.

    Args:
        level_number: the level.
        numbers: the rows.
        taken: hashes of layouts that other rows have; those of the new variants are added.
        search: seconds that the solver may search for each candidate.
    """
    level = read_level(level_number, partial=True)
    for name in dict.fromkeys(level.rows[number].template for number in numbers):
        level.templates[name].check()
    for number in numbers:
        row_name = id_of(level.number, number, 0)[:-2]
        made = Made(row_name, VARIANTS)
        begin = monotonic()
        for variation in islice(candidates(level, level.rows[number], row_name), MOST_TRIED):
            name = f"{BATTERY}/{row_name}-{len(made.entries) + 1}"
            _add(made, level, number, variation, name, None, taken, search)
            if len(made.entries) == VARIANTS:
                break
        made.seconds = monotonic() - begin
        yield made


def make_held_out(level_number: int, taken: set[str], search: float) -> Iterator[Made]:
    """Make the tasks of the held-out set of a level, each from the first of its rows that gives one."""
    level = read_level(level_number, partial=True)
    for (kind, position), numbers in held_out_rows(level).items():
        name = f"{level.number:02d}-{kind}-{position}"
        made = Made(f"{HELD_OUT}/{name}", 1)
        begin = monotonic()
        for number in numbers:
            if made.entries or made.tried >= MOST_TRIED:
                break
            row = level.rows[number]
            sources = (candidates(level, row, name, values) for values in reserved_values(level, row))
            for variation in islice(chain.from_iterable(sources), MOST_TRIED // 3):
                _add(made, level, number, variation, f"{HELD_OUT}/{name}", kind, taken, search)
                if made.entries:
                    break
        made.seconds = monotonic() - begin
        yield made


def _add(
    made: Made,
    level: Level,
    number: int,
    variation: Variation,
    name: str,
    kind: int | None,
    taken: set[str],
    search: float,
) -> None:
    """Try a candidate, and add it as a task if it passes every check."""
    made.tried += 1
    task = with_metadata(variation.task, level, number, kind)
    entry = entry_of(level, number, name, variation, task.text)
    if entry.layout_hash in taken:
        made.problems["its layout belongs to another task"] += 1
        return
    trial = try_task(task, level, number, search=search)
    if trial.problems:
        made.problems[trial.problems[0]] += 1
        return
    taken.add(entry.layout_hash)
    made.entries.append(entry)
    made.texts[name] = task.text
    made.solutions += [Solution(name, seed, actions, trial.totals[seed]) for seed, actions in trial.solutions.items()]
