"""What a run has done so far: two files that only grow, so that a run that is killed can be resumed.

`trajectories.jsonl.gz` gets one member for each episode, a Record; then `journal.jsonl` gets one line, which says how
long the other file is. What a kill cuts off at the end of a file is cut away when the run is resumed. A power cut may
also take trajectories the journal tells of, but only those that were not on the disk yet, and each line says how much
was. Everything else that cannot be read is damage: a damaged run is refused, or repaired where that is asked for. An
episode that failed may be there again: the last time counts.
"""

import os
import time
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any

from puzzlebox.record.episode import Episode
from puzzlebox.run.journal_lines import Line, last_episodes, read_lines, written
from puzzlebox.run.plain_files import require_files
from puzzlebox.run.schedule import Slot
from puzzlebox.run.trajectories import TRAJECTORIES, Member, members
from puzzlebox.text import nearest
from puzzlebox.wings.records import read_record

JOURNAL = "journal.jsonl"
REPAIR = "add --repair, which sets what is damaged aside in a file of its own and plays these episodes again"
# Seconds between two moments at which everything is on the disk for certain.
_BREATH = 1.0


class Journal:
    """The episodes of a run, as they come. Opening it reads and locks it; `begin` makes it ready for more.

    Attributes:
        missing: whether there was no journal yet.
        lines: the lines that can be trusted and whose trajectories are there.

    Raises:
        BlockingIOError: somebody else is writing there.
    """

    def __init__(self, folder: Path) -> None:
        self._path, self._other = folder / JOURNAL, folder / TRAJECTORIES
        there = self._path.exists()
        self._file: IO[bytes] = self._path.open("ab")
        self._trajectories: IO[bytes] | None = None
        try:
            if not _locked(self._file) or not _same_file(self._file, self._path):
                raise BlockingIOError(f"another command is writing to {folder} just now")
            self.missing = not there and not self._path.stat().st_size
            self._read = read_lines(self._path)
            self._members = [each._replace(record="") for each in members(self._other)]
        except BaseException:
            self._file.close()
            raise
        lost = _without_trajectory(self._read.good, self._members)
        self._cut_off = _power_cut(self._read.good, lost, self._members[-1].end if self._members else 0)
        self._lost = [] if self._cut_off else lost
        gone = {line.number for line in (*lost, *self._cut_off)}
        self.lines = [line for line in self._read.good if line.number not in gone]
        self._reached = 0
        self._on_disk = 0  # until the first is added, which is synced at once
        self._next_sync = 0.0

    @property
    def episodes(self) -> dict[Slot, Episode]:
        """Each episode, as it went the last time."""
        return last_episodes(self.lines)

    def begin(self, schedule: Collection[Slot], repair: bool = False) -> list[str]:
        """Cut off what a kill or a power cut left unfinished, so that episodes can be added.

        Args:
            schedule: the episodes of the run; a line about any other is damaged.
            repair: set what is damaged aside, instead of refusing it.

        Returns:
            What was set aside, in sentences.

        Raises:
            ValueError: something is damaged; nothing is changed.
        """
        strangers = [line for line in self._read.good if line.slot not in schedule]
        foreign = [line.blamed(f"this run has no episode {line.slot.name}") for line in strangers]
        damaged = sorted([*self._read.damaged, *foreign], key=lambda line: line.number)
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
            cut = sum(len(line.raw) + 1 for line in self._cut_off) - (bool(self._cut_off) and not self._read.ended)
            _cut(self._file, self._read.whole - cut)
            if not self._read.ended and not self._cut_off:
                self._file.write(b"\n")
        self._trajectories = self._other.open("ab")
        self._reached = max((each.end for each in self._kept()), default=0)
        _cut(self._trajectories, self._reached)
        return aside

    def add(self, episode: Episode, trajectory: bytes) -> None:
        """One more episode; `trajectory` is what `packed` made, or nothing."""
        assert self._trajectories is not None, "begin first"
        if trajectory:
            self._trajectories.write(trajectory)
            self._trajectories.flush()
            self._reached += len(trajectory)
        due = time.monotonic() >= self._next_sync
        if due:
            _sync(self._trajectories)
            self._on_disk = self._reached
        self._file.write(written(episode, self._reached, self._on_disk))
        # In the hands of the system at once: a killed process loses nothing of it, a power cut the last second.
        self._file.flush()
        if due:
            _sync(self._file)
            self._next_sync = time.monotonic() + _BREATH

    def close(self) -> None:
        """Done for now: everything is on the disk, first what the journal tells of."""
        if self._trajectories is not None:
            _sync(self._trajectories)
            self._trajectories.close()
            _sync(self._file)
        self._file.close()

    def _problem(self, damaged: list[Line]) -> str:
        """What is damaged, in one sentence; "" where nothing is."""
        if damaged:
            first, total = damaged[0], len(self._read.good) + len(self._read.damaged)
            numbers = {line.number for line in damaged}
            lost = sum(line.number not in numbers for line in (*self._lost, *self._cut_off))
            apart = f", and {lost} {'has' if lost == 1 else 'have'} no readable trajectory" if lost else ""
            are = "line is" if total == 1 else "lines are"
            more = f" ({len(damaged)} of {total} {are} damaged{apart})" if len(damaged) > 1 or lost else ""
            return f"{self._path}, line {first.number}: {first.why}{more}; put back a copy of the file, or {REPAIR}"
        if self._lost:
            return f"{self._what_is_lost()}; put it back, or name another folder, or {REPAIR}"
        if self.missing and self._other.exists() and self._other.stat().st_size:
            return f"{self._path} is missing, but {self._other.name} is there; put it back, or {REPAIR}"
        # The first line is on the disk before a second episode is kept.
        if not self._read.good and len(self._members) > 1:
            return (
                f"{self._path} has no whole line, but {self._other.name} has {len(self._members)} episodes; "
                f"put back a copy of the file, or {REPAIR}"
            )
        return ""

    def _what_is_lost(self) -> str:
        if not self._other.exists():
            return f"{self._other} is missing"
        told, there = max(line.trajectories for line in self._read.good), self._other.stat().st_size
        if there < told:
            return f"{self._other} lacks {told - there:,} of its {told:,} bytes"
        count = len(self._lost)
        episodes = f"{count} episodes, the first of them" if count > 1 else "the episode"
        return f"{self._other} is damaged: it has no readable trajectory of {episodes} {self._lost[0].slot.name}"

    def _kept(self) -> list[Member]:
        """The members that lines tell of, in their order."""
        left = Counter(line.slot.name for line in self.lines if line.episode.trajectory)
        kept = []
        for each in reversed(self._members):
            if left[each.name]:
                left[each.name] -= 1
                kept.append(each)
        return kept[::-1]

    def _repair(self, damaged: list[Line], lost: list[Line]) -> list[str]:
        """Set damaged lines and trajectories aside and write both files anew.

        Each step leaves a run that is still refused, and can be repaired, or one that is whole.
        """
        told = []
        gone = sorted([*damaged, *lost], key=lambda line: line.number)
        if gone:
            place = set_aside(self._path, b"".join(line.raw + b"\n" for line in gone))
            kinds = [_lines(len(damaged), "damaged ")] if damaged else []
            kinds += [f"{_lines(len(lost))} without a readable trajectory"] if lost else []
            told.append(f"{' and '.join(kinds)} of {self._path} set aside in {place.name}")
        kept = self._kept()
        rest = self._without(kept)
        if rest:
            place = set_aside(self._other, rest)
            told.append(f"{len(rest):,} bytes of {self._other} set aside in {place.name}")
            kept = self._move_together(kept)
        ends: dict[str, list[int]] = {}
        for each in kept:
            ends.setdefault(each.name, []).append(each.end)
        draft = self._path.with_name(f".{JOURNAL}.part")
        new, reached = draft.open("wb"), 0
        for line in self.lines:
            if line.episode.trajectory:
                reached = max(reached, ends[line.slot.name].pop(0))
            new.write(written(line.episode, reached, reached))
        _sync(new)
        _locked(new)
        draft.replace(self._path)
        self._file.close()
        self._file = new
        self._members = kept
        return told

    def _without(self, kept: list[Member]) -> bytes:
        """The bytes of the file of trajectories that belong to none of these."""
        if not self._other.exists():
            return b""
        data, parts, place = self._other.read_bytes(), [], 0
        for each in kept:
            parts.append(data[place : each.start])
            place = max(place, each.end)
        return b"".join([*parts, data[place:]])

    def _move_together(self, kept: list[Member]) -> list[Member]:
        """Write the file of trajectories anew with these members only; where they are then."""
        draft = self._other.with_name(f".{TRAJECTORIES}.part")
        shift, place = {}, 0
        with self._other.open("rb") as old, draft.open("wb") as new:
            for start, end in dict.fromkeys((each.start, each.end) for each in kept):
                old.seek(start)
                new.write(old.read(end - start))
                shift[start] = place - start
                place += end - start
            _sync(new)
        draft.replace(self._other)
        by = [shift[each.start] for each in kept]
        return [each._replace(start=each.start + way, end=each.end + way) for each, way in zip(kept, by, strict=True)]


def episodes_so_far(folder: Path) -> tuple[list[Episode], list[Line]]:
    """All episodes a run has played, each once, and the lines that are damaged; none without a journal."""
    path = folder / JOURNAL
    if not path.exists():
        return [], []
    read = read_lines(path)
    return list(last_episodes(read.good).values()), read.damaged


def set_aside(path: Path, data: bytes) -> Path:
    """Keep bytes of a damaged file in a new file beside it, `NAME.damaged-1` or the next number that is free."""
    number = 1
    while True:
        place = path.with_name(f"{path.name}.damaged-{number}")
        try:
            with place.open("xb") as file:
                file.write(data)
                _sync(file)
            return place
        except FileExistsError:
            number += 1


def _without_trajectory(lines: list[Line], there: list[Member]) -> list[Line]:
    """The lines whose trajectory cannot be read; of an episode that was played again, the last ones."""
    left = Counter(each.name for each in there)
    lost = []
    for line in lines:
        name = line.slot.name
        if line.episode.trajectory:
            left[name] -= 1
            if left[name] < 0:
                lost.append(line)
    return lost


def _power_cut(lines: list[Line], lost: list[Line], reached: int) -> list[Line]:
    """The last lines, if a power cut explains all that is lost: they tell of bytes that were not on the disk yet.

    Args:
        lines: all lines.
        lost: those without a trajectory.
        reached: where the last trajectory ends that can be read.
    """
    if not lost:
        return []
    begin = len(lines)
    while begin and lines[begin - 1].on_disk <= reached < lines[begin - 1].trajectories:
        begin -= 1
    tail = lines[begin:]
    return tail if tail and tail[0].number <= lost[0].number else []


def _lines(count: int, what: str = "") -> str:
    return f"{count} {what}line{'' if count == 1 else 's'}"


def _sync(file: IO[bytes]) -> None:
    """Have it on the disk."""
    file.flush()
    os.fsync(file.fileno())


def _cut(file: IO[bytes], length: int) -> None:
    """Take away what is not known to be whole."""
    if file.seek(0, os.SEEK_END) > length:
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


def _same_file(file: IO[bytes], path: Path) -> bool:
    """Whether a file still has its name: a repair gives the name to a new one."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def trajectories(folder: Path) -> Iterator[tuple[str, str]]:
    """The name and the record, as JSON, of each episode a run has kept; of a run that goes on, so far."""
    # An episode that failed and was played again is there twice: the last time counts.
    last = {each.name: number for number, each in enumerate(members(folder / TRAJECTORIES))}
    for number, each in enumerate(members(folder / TRAJECTORIES)):
        if last.get(each.name) == number:
            yield each.name, each.record


def trajectory(reference: str) -> Any:
    """The record of an episode of a run.

    Args:
        reference: the folder of the run, `#`, and the name of the episode (`TASK/ARENA/AGENT/EPISODE`), as in
            `out#foraging/1/random/3`; or, with the file, as the results have it: `out/trajectories.jsonl.gz#...`.

    Raises:
        FileNotFoundError: there is no such run.
        ValueError: the run has no such episode, or its trajectory is damaged.
    """
    place, _, name = reference.partition("#")
    folder = Path(place.removesuffix(TRAJECTORIES) or ".")
    require_files(folder / TRAJECTORIES)
    if not (folder / TRAJECTORIES).exists():
        raise FileNotFoundError(f"{folder} is not the folder of a run that kept its trajectories")
    names = []
    for found, text in trajectories(folder):
        if found == name:
            return read_record(text)
        names.append(found)
    episodes, _ = episodes_so_far(folder)
    if any(each.trajectory == f"{TRAJECTORIES}#{name}" for each in episodes):
        raise ValueError(
            f"{folder / TRAJECTORIES} is damaged: it has no readable trajectory of the episode {name}; "
            "the run's own command with --repair plays it again"
        )
    raise ValueError(f"the run in {folder} has no episode {name!r}{nearest(name, names)}")
