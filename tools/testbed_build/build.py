"""`build`: make the variants of all rows that changed, keep the others, and write the data of each level."""

import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from puzzlebox.arena.testbed.held_out import KINDS, OF_A_KIND
from puzzlebox.arena.testbed.level import TASKS, VARIANTS, Level
from puzzlebox.arena.testbed.manifest import Entry, read_manifest, read_solutions, write_level
from puzzlebox.arena.testbed.pairs import partner_of
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.solutions import Solution, replay
from puzzlebox.arena.testbed.tasks import with_metadata
from puzzlebox.batteries.testbed import BATTERY, HELD_OUT, battery_names, battery_text
from puzzlebox.record.entries import hash_of
from testbed_build.rows import Keys, Made, make_held_out, make_rows


class Data:
    """What a level has been built into so far."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.keys = Keys(level)
        self.entries: dict[str, Entry] = {}
        self.solutions: dict[str, list[Solution]] = {}
        self.texts: dict[str, str] = {}

    def keep(self, entry: Entry, solutions: list[Solution]) -> bool:
        """Keep a task that was built before, unless its row has changed or its solutions fail now."""
        number, kind = self.place_of(entry)
        if number is None or not solutions:
            return False
        variation = self.level.templates[entry.template].at(entry.number)
        task = with_metadata(variation.task, self.level, number, kind)
        if any(replay(task, each.actions, each.seed).passed() is not True for each in solutions):
            return False
        self.entries[entry.id] = replace(entry, task_hash=hash_of(task.text))
        self.solutions[entry.id] = solutions
        self.texts[entry.id] = task.text
        return True

    def place_of(self, entry: Entry) -> tuple[int | None, int | None]:
        """Return the row of a task that was built before (None if it has changed), and its kind if it is held out."""
        own = entry.id.startswith(f"{BATTERY}/")
        keys = self.keys.rows if own else self.keys.held_out
        number = next((number for number, key in keys.items() if key == entry.made_from), None)
        return number, None if own else int(entry.id.split("-")[-2])

    def add(self, made: Made) -> None:
        """Add what a row was made into."""
        for entry in made.entries:
            self.entries[entry.id] = entry
            self.solutions[entry.id] = [each for each in made.solutions if each.id == entry.id]
        self.texts |= made.texts

    def drop(self, names: Iterable[str]) -> None:
        """Drop tasks."""
        for name in names:
            self.entries.pop(name, None)
            self.solutions.pop(name, None)
            self.texts.pop(name, None)

    def write(self) -> None:
        """Write the files of the level."""
        solutions = [each for some in self.solutions.values() for each in some]
        write_level(self.level.folder, self.entries.values(), solutions, self.texts)


# What is made, by which function, from which arguments.
Job = tuple[Data, Callable[..., Iterator[Made]], tuple[Any, ...]]


def build(levels: list[int], task: int | None, workers: int, search: int, fresh: bool) -> bool:
    """Build levels, or one task of a level; return whether everything is complete.

    Args:
        levels: the levels.
        task: the only row to build, with the one that is matched with it; None: all rows.
        workers: how many processes work at the same time.
        search: the work of the solver for each candidate, in simulated decisions.
        fresh: make all rows again, changed or not.
    """
    failed: list[str] = []
    jobs: list[Job] = []
    short: list[Data] = []
    for number in levels:
        level = read_level(number, partial=True)
        if len(level.rows) < TASKS:
            _say(f"level {number:02d} has {len(level.rows)} of {TASKS} tasks so far")
        data = _kept(level, task, fresh)
        rows = [row for row in _asked(level, task) if not _is_whole(data, level, row)]
        if task is not None:
            if task not in level.rows:
                raise SystemExit(f"level {number:02d} has no task {task}; allowed: 1 to {TASKS}")
            _refuse_loss(data, level, task)
        _say(f"level {number:02d}: {len(level.rows) - len(rows)} tasks are kept, {len(rows)} are to be made")
        for template in dict.fromkeys(level.rows[row].template for row in rows):
            own = [row for row in rows if level.rows[row].template == template]
            taken = {each.layout_hash for each in data.entries.values()}
            known = {name: list(each) for name, each in data.solutions.items()}
            jobs.append((data, make_rows, (number, own, taken, known, search)))
        missing = sum(name.startswith(HELD_OUT) for name in data.entries) < KINDS * OF_A_KIND
        if task is None and missing:
            short.append(data)
        elif not rows:
            data.write()

    def do(jobs: list[Job]) -> None:
        for data, made in _run(jobs, workers):
            data.add(made)
            data.write()
            complete = len(made.entries) == made.wanted
            _say(_line(made, complete))
            if not complete:
                failed.append(_line(made, complete))

    do(jobs)
    # No held-out task is nearly a task of the battery, all levels of which have to be there before.
    texts = [text for name in battery_names() if (text := battery_text(name)) is not None] if short else []
    do([(data, make_held_out, (data.level.number, texts, search)) for data in short])
    if failed:
        _say(f"\n{len(failed)} rows are not complete:")
        for line in failed:
            _say(line)
    return not failed


def _kept(level: Level, task: int | None, fresh: bool) -> Data:
    """Return what an earlier build made and nothing has changed about."""
    data = Data(level)
    solutions = read_solutions(level.folder)
    for entry in read_manifest(level.folder).values():
        row, kind = data.place_of(entry)
        # With one row alone, held-out tasks are not made again.
        if not fresh or row not in _asked(level, task) or (kind is not None and task is not None):
            data.keep(entry, solutions.get(entry.id, []))
    for row in _asked(level, task):
        pair = [each for each in (row, partner_of(level, row)) if each is not None]
        if not all(_is_whole(data, level, each) for each in pair):
            for each in pair:
                data.drop(_names(level, each))
    return data


def _refuse_loss(data: Data, level: Level, task: int) -> None:
    """Refuse to build one row if others would be lost, since they depend on what has changed about it."""
    asked = {name for row in _asked(level, task) for name in _names(level, row)}
    lost = sorted(set(read_manifest(level.folder)) - set(data.entries) - asked)
    if lost:
        rows = sorted({int(name.split("-")[1]) for name in lost if name.startswith(f"{BATTERY}/")})
        what = [f"rows {', '.join(map(str, rows))}"] * bool(rows)
        what += ["the held-out tasks"] * any(name.startswith(HELD_OUT) for name in lost)
        raise SystemExit(
            f"level {level.number:02d} has changed in more than row {task}: {' and '.join(what)} must be made again, "
            "too; build the level without --task"
        )


def _asked(level: Level, task: int | None) -> list[int]:
    """Return the rows to build: all of them; or one, and the row that is matched with it."""
    return [row for row in level.rows if task in (None, row, partner_of(level, row))]


def _names(level: Level, row: int) -> list[str]:
    return [f"{BATTERY}/{level.number:02d}-{row:02d}-{variant}" for variant in range(1, VARIANTS + 1)]


def _is_whole(data: Data, level: Level, row: int) -> bool:
    return all(name in data.entries for name in _names(level, row))


def _work(make: Callable[..., Iterator[Made]], arguments: tuple[Any, ...]) -> list[Made]:
    return list(make(*arguments))


def _run(jobs: list[Job], workers: int) -> Iterator[tuple[Data, Made]]:
    """Yield what was made, in the order in which it is ready."""
    if workers == 1:
        for data, make, arguments in jobs:
            for made in make(*arguments):
                yield data, made
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_find, initargs=(sys.path[0],)) as pool:
        futures = {pool.submit(_work, make, arguments): data for data, make, arguments in jobs}
        for future in as_completed(futures):
            for made in future.result():
                yield futures[future], made


def _find(folder: str) -> None:
    sys.path.insert(0, folder)


def _line(made: Made, complete: bool) -> str:
    words = [f"{made.name}: {len(made.entries)} of {made.wanted}, {made.tried} tried, {made.seconds:.0f} s"]
    if not complete and not made.tried:
        words.append("no combination of the row is in its set")
    words += [f"{count} x {problem}" for problem, count in made.problems.most_common(None if not complete else 2)]
    return ("" if complete else "FAILED ") + "; ".join(words)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def status(folders: Iterable[Path]) -> str:
    """Return which rows have how many variants, level by level."""
    lines = []
    for folder in folders:
        level = read_level(int(folder.name), partial=True)
        data, keys = read_manifest(folder), Keys(level).rows
        counts = {
            row: sum(name in data and data[name].made_from == keys[row] for name in _names(level, row))
            for row in level.rows
        }
        whole = sum(count == VARIANTS for count in counts.values())
        held_out = sum(name.startswith(HELD_OUT) for name in data)
        lines.append(
            f"{folder.name} {level.about.title}: {whole} of {TASKS} tasks complete, {sum(counts.values())} of "
            f"{TASKS * VARIANTS} variants, {held_out} of {KINDS * OF_A_KIND} held out, {len(level.templates)} templates"
        )
        short = [f"{row} ({count})" for row, count in counts.items() if count < VARIANTS]
        if short:
            lines.append(f"   not complete: {', '.join(short)}")
        if len(level.rows) < TASKS:
            lines.append(f"   written: {len(level.rows)} rows")
    return "\n".join(lines)
