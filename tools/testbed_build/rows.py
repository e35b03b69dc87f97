"""The variants of rows: the first candidates that pass every check, and what became of the others."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain, islice
from time import monotonic

from puzzlebox.arena.schema import read
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.testbed.balance import Values, preferences, repeats
from puzzlebox.arena.testbed.held_out import held_out_rows, reserved_values
from puzzlebox.arena.testbed.level import VARIANTS, Level
from puzzlebox.arena.testbed.manifest import Entry, values_text
from puzzlebox.arena.testbed.pairs import matched_variation, partner_of
from puzzlebox.arena.testbed.placements import Placements
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.sets import candidates, footprint, layout_of, part_of
from puzzlebox.arena.testbed.solutions import Solution, solved_by
from puzzlebox.arena.testbed.tasks import id_of, with_metadata
from puzzlebox.arena.variations import Variation
from puzzlebox.batteries.testbed import BATTERY, HELD_OUT
from puzzlebox.record.entries import hash_of
from testbed_build.trial import AS_LONG, OTHER_WAY, Trial, solves, takes_as_long, try_task

# Raise it when the checks become stricter: all rows are then made again.
VERSION = 4
# The most candidates that are tried for a task of the held-out set, and for a variant with each value to balance.
MOST_TRIED, MOST_TRIED_PER_VALUE = 30, 30


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

    def add(self, entry: Entry, trial: Trial) -> None:
        """Add a task with its solutions."""
        self.entries.append(entry)
        self.texts[entry.id] = trial.task.text
        self.solutions += [Solution(entry.id, seed, each, trial.totals[seed]) for seed, each in trial.solutions.items()]


class Keys:
    """Hashes of all that the choice of the tasks of each row depends on, by which a build sees what has changed."""

    def __init__(self, level: Level) -> None:
        self.wanted = preferences(level)
        self.rows = {number: self._key(level, number) for number in level.rows}
        described = repr([(number, row.difficulty, self.rows[number]) for number, row in level.rows.items()])
        suffix = sha256(described.encode()).hexdigest()[:6]
        self.held_out = {number: f"{key}-{suffix}" for number, key in self.rows.items()}

    def _key(self, level: Level, number: int) -> str:
        row, partner = level.rows[number], partner_of(level, number)
        pair = sorted(each for each in (number, partner) if each is not None)
        fixed = [(level.rows[n].values, level.rows[n].condition, level.shortcut_of(level.rows[n])) for n in pair]
        template, use = level.templates[row.template].text, level.about.templates[row.template]
        parts = (VERSION, level.number, number, template, use, pair, fixed, [self.wanted[each] for each in pair])
        return sha256(repr(parts).encode()).hexdigest()[:12]


def entry_of(level: Level, key: str, number: int, name: str, variation: Variation, text: str) -> Entry:
    """Return the line of the manifest for a task."""
    row = level.rows[number]
    layout = layout_of(level.templates[row.template], variation, level.about.templates[row.template])
    values = values_text(variation.factors)
    return Entry(name, row.template, variation.number, values, hash_of(text), layout, key)


Known = dict[str, list[Solution]]


def make_rows(level_number: int, numbers: Iterable[int], taken: set[str], known: Known, search: int) -> Iterator[Made]:
    """Make the variants of rows of one template, one row after the other; no layout occurs in two pairs.

    A test and the control that is matched with it are made together; they may differ in light or looks alone.

    Args:
        level_number: the level.
        numbers: the rows; with each, its partner if it has one.
        taken: hashes of layouts that other rows have; those of the new variants are added.
        known: the solutions of other rows by the names of their tasks; those of the new variants are added.
        search: the work of the solver for each candidate, in simulated decisions.
    """
    level = read_level(level_number, partial=True)
    keys = Keys(level)
    for name in dict.fromkeys(level.rows[number].template for number in numbers):
        level.templates[name].check()
    done: set[int] = set()
    for number in numbers:
        partner = partner_of(level, number)
        pair = [number] if partner is None else sorted((number, partner), key=lambda each: level.rows[each].is_control)
        if not done.issuperset(pair):
            done.update(pair)
            made = _Unit(level, keys, pair, taken, known, search).make()
            for each in (each for row in made for each in row.solutions):
                known.setdefault(each.id, []).append(each)
            yield from made


class _Unit:
    """A row, or a test and its control, whose variants are made together.

    Args:
        level: the level.
        keys: the keys of its rows.
        pair: the number of the row; or those of a test and of the control that is matched with it.
        taken: hashes of layouts that are used already; new ones are added.
        known: the solutions of other rows.
        search: the work of the solver for each candidate, in simulated decisions.
    """

    def __init__(self, level: Level, keys: Keys, pair: list[int], taken: set[str], known: Known, search: int) -> None:
        self._level, self._keys, self._pair, self._search = level, keys, pair, search
        self._taken, self._known = taken, known
        self._names = {number: id_of(level.number, number, 0)[:-2] for number in pair}
        self._made = {number: Made(self._names[number], VARIANTS) for number in pair}
        self._sources: dict[str, Iterator[Variation]] = {}
        # Of the variants so far: layouts before turning and mirroring, where everything stands, and the tasks.
        self._plain: set[str] = set()
        self._tasks: list[Task] = []

    def make(self) -> list[Made]:
        """Make all variants, and return what became of each row."""
        begin = monotonic()
        chosen: list[Values] = []
        for wanted in self._keys.wanted[self._pair[0]]:
            for values in wanted:
                if not repeats(values, chosen) and self._find(values, len(chosen) + 1):
                    chosen.append(values)
                    break
            else:
                break
        for made in self._made.values():
            made.seconds = (monotonic() - begin) / len(self._pair)
        return [self._made[number] for number in sorted(self._pair)]

    def _find(self, values: Values, variant: int) -> bool:
        """Add the next variant with some values of the variables to balance; return whether one was found."""
        first = self._pair[0]
        source = self._sources.setdefault(
            repr(values), candidates(self._level, self._level.rows[first], self._names[first], values)
        )
        together = (tasks for tasks in map(self._together, source) if tasks is not None)
        return any(self._add(tasks, variant) for tasks in islice(together, MOST_TRIED_PER_VALUE))

    def _together(self, variation: Variation) -> dict[int, Variation] | None:
        """Return the variation of each row; None if that of the control is in another set."""
        tasks = {self._pair[0]: variation}
        for control in self._pair[1:]:
            row = self._level.rows[control]
            template, use = self._level.templates[row.template], self._level.about.templates[row.template]
            matched = matched_variation(template, variation, row)
            if matched is None or part_of(template, matched, use) != "test":
                return None
            tasks[control] = matched
        return tasks

    def _add(self, variations: dict[int, Variation], variant: int) -> bool:
        """Try a candidate of each row, and add them as tasks if all pass every check."""
        row, first = self._level.rows[self._pair[0]], variations[self._pair[0]]
        template, use = self._level.templates[row.template], self._level.about.templates[row.template]
        plain = {layout_of(template, first, use, oriented=False), footprint(first.task)} - {""}
        if plain & self._plain or Placements(self._tasks).has_near(first.task):
            self._made[self._pair[0]].problems["variant: it is nearly another one, or that one turned or mirrored"] += 1
            return False
        trials = []
        for number, variation in variations.items():
            key, name = self._keys.rows[number], f"{BATTERY}/{self._names[number]}-{variant}"
            trial = _try(self._made[number], self._level, number, variation, name, key, None, self._taken, self._search)
            if trial is None:
                return False
            trials.append((self._made[number], *trial))
        if self._level.number in OTHER_WAY and self._control_solves(trials[0][2], variant, [t[2] for t in trials[1:]]):
            trials[0][0].problems["shortcut: what solves its control solves it, too"] += 1
            return False
        if len(trials) > 1 and self._level.number in AS_LONG and not takes_as_long(trials[0][2], trials[1][2]):
            trials[0][0].problems["effort: its solution is much shorter or longer than that of its control"] += 1
            return False
        for made, entry, tried in trials:
            made.add(entry, tried)
            self._taken.add(entry.layout_hash)
        self._plain |= plain
        self._tasks.append(first.task)
        return True

    def _control_solves(self, test: Trial, variant: int, controls: list[Trial]) -> bool:
        """Return whether what solves the control of a test solves it, too; the control is made with it or before."""
        row = self._level.rows[self._pair[0]]
        if controls or row.control is None or self._level.rows[row.control].template != row.template:
            return any(solves(control, test) for control in controls)
        solutions = self._known.get(f"{BATTERY}/{id_of(self._level.number, row.control, variant)}", [])
        return any(solved_by(test.task, each.actions, each.seed) for each in solutions)


def make_held_out(level_number: int, battery: Iterable[str], search: int) -> Iterator[Made]:
    """Make the tasks of the held-out set of a level, each from the first of its rows that gives one.

    Args:
        level_number: the level.
        battery: the texts of all tasks of the battery; no task is made in which everything stands near its place in
            one of them.
        search: the work of the solver for each candidate, in simulated decisions.
    """
    level = read_level(level_number, partial=True)
    keys = Keys(level)
    known, taken = Placements(task for text in battery if (task := read(text).task) is not None), set[str]()
    for (kind, position), numbers in held_out_rows(level).items():
        name = f"{level.number:02d}-{kind}-{position}"
        made = Made(f"{HELD_OUT}/{name}", 1)
        begin = monotonic()
        for number in numbers:
            if made.entries or made.tried >= MOST_TRIED:
                break
            row, key = level.rows[number], keys.held_out[number]
            sources = (candidates(level, row, name, values, "held-out") for values in reserved_values(level, row))
            for variation in islice(chain.from_iterable(sources), MOST_TRIED // 3):
                if known.has_near(variation.task):
                    made.tried += 1
                    made.problems["layout: it is nearly that of a task of the battery"] += 1
                    continue
                trial = _try(made, level, number, variation, f"{HELD_OUT}/{name}", key, kind, taken, search)
                if trial is not None:
                    made.add(*trial)
                    taken.add(trial[0].layout_hash)
                    break
        made.seconds = monotonic() - begin
        yield made


def _try(
    made: Made,
    level: Level,
    number: int,
    variation: Variation,
    name: str,
    key: str,
    kind: int | None,
    taken: set[str],
    search: int,
) -> tuple[Entry, Trial] | None:
    """Try a candidate; return its entry and its trial, or None if it fails a check."""
    made.tried += 1
    task = with_metadata(variation.task, level, number, kind)
    entry = entry_of(level, key, number, name, variation, task.text)
    if entry.layout_hash in taken:
        made.problems["its layout belongs to another task"] += 1
        return None
    trial = try_task(task, level, number, search)
    if trial.problems:
        made.problems[trial.problems[0]] += 1
        return None
    return entry, trial
