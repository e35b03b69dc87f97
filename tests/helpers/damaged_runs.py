"""A small run, and ways to damage its journal."""

import json
from collections.abc import Callable
from pathlib import Path

from puzzlebox.arena.schema import load_task
from puzzlebox.run.journal import JOURNAL
from puzzlebox.run.journal_lines import checksum
from puzzlebox.run.runs import Outcome, run
from puzzlebox.run.tasks import RunTask

TASK = load_task("arenas: [{time_limit: 4, items: [{name: Agent}, {name: GoodGoal}]}]")
EPISODES = 12


def play(folder: Path, episodes: int = EPISODES, repair: bool = False) -> Outcome:
    return run([RunTask("t", TASK)], ["random"], folder, episodes=episodes, workers=1, repair=repair)


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def change_line(number: int, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Damage: replace one line of the journal, counted from 1."""

    def damage(folder: Path) -> None:
        lines = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
        lines[number - 1] = change(lines[number - 1])
        (folder / JOURNAL).write_bytes(b"".join(lines))

    return damage


def change_row(**changes: object) -> Callable[[bytes], bytes]:
    """Damage: change values of a row, remove those that are `...`, and update its checksum."""

    def changed(line: bytes) -> bytes:
        entry = json.loads(line)
        entry["row"] = {name: value for name, value in (entry["row"] | changes).items() if value is not ...}
        entry["crc32"] = checksum(entry["row"])
        return json.dumps(entry).encode() + b"\n"

    return changed
