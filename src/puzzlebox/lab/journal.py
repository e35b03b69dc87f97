"""What a run has done so far: two files that only grow, so that a run that is killed goes on where it was.

`trajectories.jsonl.gz` gets one member for each episode, a Record; then `journal.jsonl` gets one line, which says how
long the other file is. What a kill cuts off in the middle is cut away by whoever goes on: the journal at its last whole
line, the trajectories at the length that line names. A power cut may also take trajectories the journal tells of, but
only those that were not on the disk yet, so each line says how much was: a file with less of it lost it otherwise, and
is refused. An episode that failed may be there again: the last time counts.
"""

import gzip
import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from puzzlebox.schema.messages import nearest
from puzzlebox.world import Record

JOURNAL = "journal.jsonl"
TRAJECTORIES = "trajectories.jsonl.gz"
# Seconds between two moments at which everything is on the disk for certain.
_BREATH = 1.0
_DECODER = json.JSONDecoder()


class Journal:
    """The episodes of a run, as they come.

    Attributes:
        rows: what was there when it was opened.

    Raises:
        BlockingIOError: somebody else is writing there.
        ValueError: trajectories are gone that were on the disk for certain.
    """

    def __init__(self, folder: Path) -> None:
        self.rows: list[dict[str, Any]] = []
        path, other = folder / JOURNAL, folder / TRAJECTORIES
        self._lines = path.open("ab")
        try:
            if not _locked(self._lines):
                raise BlockingIOError(f"another command is writing to {folder} just now")
            entries = list(_entries(path))
            there = _require_trajectories(other, entries[-1][0] if entries else {})
        except Exception:
            self._lines.close()
            raise
        self._trajectories = other.open("ab")
        good = kept = 0
        for entry, length in entries:
            # After a power cut the other file may be the shorter one.
            if entry["trajectories"] > there:
                break
            good += length
            kept = entry["trajectories"]
            self.rows.append(entry["row"])
        _cut(self._lines, good)
        _cut(self._trajectories, kept)
        self._reached = kept
        self._on_disk = 0  # until the first is added, which is synced at once
        self._next_sync = 0.0

    def add(self, row: dict[str, Any], trajectory: bytes) -> None:
        """One more episode; `trajectory` is what `packed` made, or nothing."""
        if trajectory:
            self._trajectories.write(trajectory)
            self._trajectories.flush()
            self._reached += len(trajectory)
        due = time.monotonic() >= self._next_sync
        if due:
            _sync(self._trajectories)
            self._on_disk = self._reached
        entry = {"trajectories": self._reached, "on_disk": self._on_disk, "row": row}
        self._lines.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")
        # In the hands of the system at once: a killed process loses nothing of it, a power cut the last second.
        self._lines.flush()
        if due:
            _sync(self._lines)
            self._next_sync = time.monotonic() + _BREATH

    def close(self) -> None:
        """Done for now: everything is on the disk, first what the journal tells of."""
        _sync(self._trajectories)
        _sync(self._lines)
        self._trajectories.close()
        self._lines.close()


def rows_so_far(folder: Path) -> list[dict[str, Any]]:
    """The rows of all episodes a run has played, each once; none where there is no journal."""
    path = folder / JOURNAL
    rows = [entry["row"] for entry, _ in _entries(path)] if path.exists() else []
    return list({(row["task"], row["arena"], row["agent"], row["episode"]): row for row in rows}.values())


def _entries(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """What each line says and how many bytes it has, up to the first that is not whole."""
    with path.open("rb") as lines:
        for line in lines:
            entry = _entry(line)
            if entry is None:
                return
            yield entry, len(line)


def _entry(line: bytes) -> dict[str, Any] | None:
    """What a line says; None where it is not whole."""
    try:
        entry: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return entry if line.endswith(b"\n") else None


def _require_trajectories(path: Path, last: Mapping[str, int]) -> int:
    """How long the file of them is; refuses one that lost more than a power cut could have taken.

    Args:
        path: the file.
        last: the last entry of the journal. Those of earlier versions do not say what was on the disk.
    """
    told, there = last.get("trajectories", 0), path.stat().st_size if path.exists() else 0
    if there < last.get("on_disk", told):
        what = f"lacks {told - there:,} of its {told:,} bytes" if path.exists() else "is missing"
        raise ValueError(f"{path} {what}; put it back, or name another folder")
    return there


def _sync(file: IO[bytes]) -> None:
    """Have it on the disk."""
    file.flush()
    os.fsync(file.fileno())


def _cut(file: IO[bytes], length: int) -> None:
    """Take away what is not known to be whole."""
    if file.tell() > length:
        file.truncate(length)
        file.seek(0, os.SEEK_END)


def _locked(file: IO[bytes]) -> bool:
    """Keep others from writing while this process lives; where the system knows no such locks, nobody is kept."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def packed(name: str, record: str) -> bytes:
    """A record, as `Record.to_json` wrote it, with its name in the run: one line, one member of a gzip file."""
    line = f'{{"name":{json.dumps(name)},{record[1:]}\n'
    # No time in it, so that the same episode is the same bytes.
    return gzip.compress(line.encode(), 6, mtime=0)


def trajectories(folder: Path) -> Iterator[tuple[str, str]]:
    """The name and the record, as JSON, of each episode a run has kept; of a run that goes on, so far."""
    # An episode that failed and was played again is there twice: the last time counts.
    last = {name: number for number, (name, _) in enumerate(_members(folder))}
    for number, (name, record) in enumerate(_members(folder)):
        if last.get(name) == number:
            yield name, record


def _members(folder: Path) -> Iterator[tuple[str, str]]:
    try:
        with gzip.open(folder / TRAJECTORIES, "rt", encoding="utf-8") as lines:
            for line in lines:
                name, end = _DECODER.raw_decode(line, len('{"name":'))
                yield name, "{" + line[end + 1 :]
    except (EOFError, gzip.BadGzipFile):  # a run that was cut off, or is writing just now
        return


def trajectory(reference: str) -> Record:
    """The record of an episode of a run.

    Args:
        reference: the folder of the run, `#`, and the name of the episode (`TASK/ARENA/AGENT/EPISODE`), as in
            `out#foraging/1/random/3`; or, with the file, as the results have it: `out/trajectories.jsonl.gz#...`.

    Raises:
        FileNotFoundError: there is no such run.
        ValueError: the run has no such episode.
    """
    place, _, name = reference.partition("#")
    folder = Path(place.removesuffix(TRAJECTORIES) or ".")
    if not (folder / TRAJECTORIES).exists():
        raise FileNotFoundError(f"{folder} is not the folder of a run that kept its trajectories")
    names = []
    for found, text in trajectories(folder):
        if found == name:
            return Record.from_json(text)
        names.append(found)
    raise ValueError(f"the run in {folder} has no episode {name!r}{nearest(name, names)}")
