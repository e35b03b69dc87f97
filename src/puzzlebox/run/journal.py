"""The journal of a run: files that are only appended to, so that an interrupted run can be resumed.

For each episode, one gzip member with its Record is appended to `trajectories.jsonl.gz`, then one line to
`journal.jsonl`, which also holds the length of the other file. If the process is killed, an incomplete end of a file is
removed when the run is resumed. A power cut may also lose trajectories that the journal already lists, but only
those that were not on the disk yet; each line states how many bytes were. Anything else that cannot be read is damage:
a damaged run is refused, or repaired on request. An episode that failed may have several lines; the last one counts.

Transcripts of language models are appended to `transcripts.jsonl.gz`, and are on the disk before the line of their
episode is written. They cannot be played again for nothing, so that no resumption and no repair removes one.
"""

import os
import time
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any
from zlib import crc32

from puzzlebox.file_lock import lock_file
from puzzlebox.record.episode import Episode
from puzzlebox.run.journal_lines import Line, encode_line, last_episodes, read_lines
from puzzlebox.run.plain_files import require_files
from puzzlebox.run.schedule import Slot
from puzzlebox.run.trajectories import TRAJECTORIES, Member, members
from puzzlebox.run.transcripts import TRANSCRIPTS
from puzzlebox.text import nearest
from puzzlebox.wings.records import read_record

JOURNAL = "journal.jsonl"
REPAIR = "add --repair, which moves what is damaged into a separate file and plays these episodes again"
# Seconds between two calls of fsync, after which everything written so far is on the disk.
_SYNC_INTERVAL_SECONDS = 1.0


class Journal:
    """The episodes of a run, in the order they were played.

    Opening a journal reads and locks it; `begin` prepares it for `add`.

    Attributes:
        missing: whether the folder had no journal before.
        lines: the undamaged lines whose trajectories can be read.

    Raises:
        BlockingIOError: another process is writing to the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._path, self._trajectories_path = folder / JOURNAL, folder / TRAJECTORIES
        existed = self._path.exists()
        self._file: IO[bytes] = self._path.open("ab")
        self._trajectories: IO[bytes] | None = None
        try:
            if not lock_file(self._file) or not _same_file(self._file, self._path):
                raise BlockingIOError(f"another command is writing to {folder} just now")
            self.missing = not existed and not self._path.stat().st_size
            self._contents = read_lines(self._path)
            self._members = [each._replace(record="") for each in members(self._trajectories_path)]
        except BaseException:
            self._file.close()
            raise
        lost = _without_trajectory(self._contents.good, self._members)
        self._cut_off = _power_cut(self._contents.good, lost, self._members[-1].end if self._members else 0)
        self._lost = [] if self._cut_off else lost
        excluded = {line.number for line in (*lost, *self._cut_off)}
        self.lines = [line for line in self._contents.good if line.number not in excluded]
        # Bytes of the file of trajectories, and how many of them are on the disk: unknown until the first sync.
        self._size = 0
        self._on_disk = 0
        self._next_sync = 0.0

    @property
    def episodes(self) -> dict[Slot, Episode]:
        """The last result of each episode."""
        return last_episodes(self.lines)

    @property
    def unlisted(self) -> list[str]:
        """The names of episodes that have a trajectory, but no line, although lines of later episodes are there.

        A kill leaves a trajectory without a line only at the end, so these lines were deleted.
        """
        listed = {line.slot.name for line in self._contents.good}
        end = max((line.trajectories for line in self._contents.good), default=0)
        return [each.name for each in self._members if each.end <= end and each.name not in listed]

    def begin(self, schedule: Collection[Slot], repair: bool = False) -> list[str]:
        """Remove what a kill or a power cut left incomplete, so that episodes can be added.

        Args:
            schedule: the episodes of the run; a line about any other episode counts as damaged.
            repair: move damaged parts into separate files. Default: refuse a damaged journal.

        Returns:
            One sentence for each file that damaged parts were moved to.

        Raises:
            ValueError: a part is damaged, and `repair` is not set; nothing is changed.
        """
        others = [line for line in self._contents.good if line.slot not in schedule]
        foreign = [line.as_damaged(f"this run has no episode {line.slot.name}") for line in others]
        damaged = sorted([*self._contents.damaged, *foreign], key=lambda line: line.number)
        problem = self._problem(damaged)
        if problem and not repair:
            raise ValueError(problem)
        aside = []
        if problem:
            numbers = {line.number for line in foreign}
            self.lines = [line for line in self.lines if line.number not in numbers]
            lost = [line for line in (*self._lost, *self._cut_off) if line.number not in numbers]
            aside = self._repair(damaged, lost)
        else:
            cut = sum(len(line.raw) + 1 for line in self._cut_off) - (bool(self._cut_off) and not self._contents.ended)
            _cut(self._file, self._contents.whole - cut)
            if not self._contents.ended and not self._cut_off:
                self._file.write(b"\n")
        self._trajectories = self._trajectories_path.open("ab")
        self._size = max((each.end for each in self._kept()), default=0)
        _cut(self._trajectories, self._size)
        return aside

    def add(self, episode: Episode, trajectory: bytes, transcripts: bytes = b"") -> None:
        """Append an episode.

        Args:
            episode: the episode.
            trajectory: what `pack_record` returned, or empty.
            transcripts: what `pack_transcripts` returned, or empty.
        """
        assert self._trajectories is not None, "begin first"
        if transcripts:
            with self._path.with_name(TRANSCRIPTS).open("ab") as file:
                file.write(transcripts)
                _sync(file)
        if trajectory:
            self._trajectories.write(trajectory)
            self._trajectories.flush()
            self._size += len(trajectory)
        due = time.monotonic() >= self._next_sync
        if due:
            _sync(self._trajectories)
            self._on_disk = self._size
        checksum = crc32(trajectory) if trajectory else None
        self._file.write(encode_line(episode, self._size, self._on_disk, checksum))
        # Passed to the system at once: a killed process loses nothing, a power cut at most the last second.
        self._file.flush()
        if due:
            _sync(self._file)
            self._next_sync = time.monotonic() + _SYNC_INTERVAL_SECONDS

    def close(self) -> None:
        """Write everything to the disk, the trajectories before the lines about them, and close the files."""
        if self._trajectories is not None:
            _sync(self._trajectories)
            self._trajectories.close()
            _sync(self._file)
        self._file.close()

    def _problem(self, damaged: list[Line]) -> str:
        """Describe the damage in one sentence; "" if there is none."""
        if damaged:
            first, total = damaged[0], len(self._contents.good) + len(self._contents.damaged)
            numbers = {line.number for line in damaged}
            lost = sum(line.number not in numbers for line in (*self._lost, *self._cut_off))
            without = f", and {lost} {'has' if lost == 1 else 'have'} no readable trajectory" if lost else ""
            are = "line is" if total == 1 else "lines are"
            more = f" ({len(damaged)} of {total} {are} damaged{without})" if len(damaged) > 1 or lost else ""
            return f"{self._path}, line {first.number}: {first.why}{more}; put back a copy of the file, or {REPAIR}"
        if self._lost:
            return f"{self._describe_loss()}; put it back, or name another folder, or {REPAIR}"
        if self.missing and self._trajectories_path.exists() and self._trajectories_path.stat().st_size:
            return f"{self._path} is missing, but {self._trajectories_path.name} is there; put it back, or {REPAIR}"
        # The first line is on the disk before a second trajectory is written.
        if not self._contents.good and len(self._members) > 1:
            return (
                f"{self._path} has no whole line, but {TRAJECTORIES} has {len(self._members)} episodes; "
                f"put back a copy of the file, or {REPAIR}"
            )
        return ""

    def _describe_loss(self) -> str:
        if not self._trajectories_path.exists():
            return f"{self._trajectories_path} is missing"
        expected = max(line.trajectories for line in self._contents.good)
        size = self._trajectories_path.stat().st_size
        if size < expected:
            return f"{self._trajectories_path} lacks {expected - size:,} of its {expected:,} bytes"
        count = len(self._lost)
        episodes = f"{count} episodes, the first of them" if count > 1 else "the episode"
        first = self._lost[0].slot.name
        return f"{self._trajectories_path} is damaged: it has no readable trajectory of {episodes} {first}"

    def _kept(self) -> list[Member]:
        """Return the members that belong to `lines`, in the order of the file."""
        left = Counter(_key(line) for line in self.lines if line.episode.trajectory)
        kept = []
        for each in reversed(self._members):
            key = (each.name, each.crc32) if left[each.name, each.crc32] else (each.name, None)
            if left[key]:
                left[key] -= 1
                kept.append(each)
        return kept[::-1]

    def _repair(self, damaged: list[Line], lost: list[Line]) -> list[str]:
        """Move damaged lines and trajectories into separate files, and rewrite both files.

        An interruption between two steps leaves a run that is refused and can be repaired, or one without damage.
        """
        messages = []
        removed = sorted([*damaged, *lost], key=lambda line: line.number)
        if removed:
            copy = set_aside(self._path, b"".join(line.raw + b"\n" for line in removed))
            kinds = [_count_lines(len(damaged), "damaged ")] if damaged else []
            kinds += [f"{_count_lines(len(lost))} without a readable trajectory"] if lost else []
            messages.append(f"{' and '.join(kinds)} of {self._path} set aside in {copy.name}")
        kept = self._kept()
        rest = self._bytes_outside(kept)
        if rest:
            copy = set_aside(self._trajectories_path, rest)
            messages.append(f"{len(rest):,} bytes of {self._trajectories_path} set aside in {copy.name}")
            kept = self._compact(kept)
        ends: dict[str, list[int]] = {}
        for each in kept:
            ends.setdefault(each.name, []).append(each.end)
        draft = self._path.with_name(f".{JOURNAL}.part")
        new, size = draft.open("wb"), 0
        for line in self.lines:
            if line.episode.trajectory:
                size = max(size, ends[line.slot.name].pop(0))
            new.write(encode_line(line.episode, size, size, line.trajectory_crc32))
        _sync(new)
        lock_file(new)
        draft.replace(self._path)
        self._file.close()
        self._file = new
        self._members = kept
        return messages

    def _bytes_outside(self, kept: list[Member]) -> bytes:
        """Return the bytes of the file of trajectories that belong to none of these members."""
        if not self._trajectories_path.exists():
            return b""
        data, parts, offset = self._trajectories_path.read_bytes(), [], 0
        for each in kept:
            parts.append(data[offset : each.start])
            offset = max(offset, each.end)
        return b"".join([*parts, data[offset:]])

    def _compact(self, kept: list[Member]) -> list[Member]:
        """Rewrite the file of trajectories with only these members; return them with their new offsets."""
        draft = self._trajectories_path.with_name(f".{TRAJECTORIES}.part")
        shift, offset = {}, 0
        with self._trajectories_path.open("rb") as old, draft.open("wb") as new:
            for start, end in dict.fromkeys((each.start, each.end) for each in kept):
                old.seek(start)
                new.write(old.read(end - start))
                shift[start] = offset - start
                offset += end - start
            _sync(new)
        draft.replace(self._trajectories_path)
        return [each._replace(start=each.start + shift[each.start], end=each.end + shift[each.start]) for each in kept]


def episodes_so_far(folder: Path) -> tuple[list[Episode], list[Line]]:
    """Return the last result of each episode that a run has played, and the damaged lines of its journal."""
    path = folder / JOURNAL
    if not path.exists():
        return [], []
    lines = read_lines(path)
    return list(last_episodes(lines.good).values()), lines.damaged


def set_aside(path: Path, data: bytes) -> Path:
    """Write bytes of a damaged file into a new file beside it: `NAME.damaged-1`, or the next free number.

    Returns:
        The path of the new file.
    """
    number = 1
    while True:
        copy = path.with_name(f"{path.name}.damaged-{number}")
        try:
            with copy.open("xb") as file:
                file.write(data)
                _sync(file)
            return copy
        except FileExistsError:
            number += 1


def _without_trajectory(lines: list[Line], readable: list[Member]) -> list[Line]:
    """Return the lines whose own trajectory cannot be read; if an episode has several lines, the last ones."""
    left: dict[str, list[int]] = {}
    for each in readable:
        left.setdefault(each.name, []).append(each.crc32)
    lost = []
    for line in lines:
        if line.episode.trajectory:
            name, checksum = _key(line)
            own = left.get(name, [])
            if checksum in own:
                own.remove(checksum)
            elif own and checksum is None:  # a line of an earlier version
                own.pop(0)
            else:
                lost.append(line)
    return lost


def _key(line: Line) -> tuple[str, int | None]:
    """Return the name and the checksum of the trajectory of a line."""
    return line.slot.name, line.trajectory_crc32


def _power_cut(lines: list[Line], lost: list[Line], end: int) -> list[Line]:
    """Return the last lines, if a power cut explains all losses: their trajectories were not on the disk yet.

    Args:
        lines: all lines.
        lost: the lines without a trajectory.
        end: the offset at which the last readable trajectory ends.
    """
    if not lost:
        return []
    start = len(lines)
    while start and lines[start - 1].on_disk <= end < lines[start - 1].trajectories:
        start -= 1
    tail = lines[start:]
    return tail if tail and tail[0].number <= lost[0].number else []


def _count_lines(count: int, adjective: str = "") -> str:
    return f"{count} {adjective}line{'' if count == 1 else 's'}"


def _sync(file: IO[bytes]) -> None:
    """Wait until everything written to a file is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def _cut(file: IO[bytes], length: int) -> None:
    """Truncate a file that is longer, and move to its end."""
    if file.seek(0, os.SEEK_END) > length:
        file.truncate(length)
        file.seek(0, os.SEEK_END)


def _same_file(file: IO[bytes], path: Path) -> bool:
    """Return whether an open file is still the one at its path: a repair puts a new file there."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def trajectories(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the record, as JSON, of each episode whose trajectory a run has kept so far."""
    checksums: dict[str, int | None] = {}
    if (folder / JOURNAL).is_file():
        checksums = dict(map(_key, read_lines(folder / JOURNAL).good))
    # An episode that failed and was played again has two members; the last one counts.
    last = {
        each.name: number
        for number, each in enumerate(members(folder / TRAJECTORIES))
        if checksums.get(each.name) in (None, each.crc32)
    }
    for number, each in enumerate(members(folder / TRAJECTORIES)):
        if last.get(each.name) == number:
            yield each.name, each.record


def trajectory(reference: str) -> Any:
    """Return the record of an episode of a run.

    Args:
        reference: the folder of the run, `#`, and the name of the episode (`TASK/ARENA/AGENT/REPETITION`), as in
            `out#foraging/1/random/3`; or with the file, as in the table: `out/trajectories.jsonl.gz#...`.

    Raises:
        FileNotFoundError: there is no such run.
        ValueError: the run has no such episode, or its trajectory is damaged.
    """
    path, _, name = reference.partition("#")
    folder = Path(path.removesuffix(TRAJECTORIES) or ".")
    require_files(folder / TRAJECTORIES)
    if not (folder / TRAJECTORIES).exists():
        raise FileNotFoundError(f"{folder} is not the folder of a run that kept its trajectories")
    names = []
    for each, text in trajectories(folder):
        if each == name:
            return read_record(text)
        names.append(each)
    episodes, _ = episodes_so_far(folder)
    if any(each.trajectory == f"{TRAJECTORIES}#{name}" for each in episodes):
        raise ValueError(
            f"{folder / TRAJECTORIES} is damaged: it has no readable trajectory of the episode {name}; "
            "the command of the run with --repair plays it again"
        )
    raise ValueError(f"the run in {folder} has no episode {name!r}{nearest(name, names)}")
