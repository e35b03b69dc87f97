"""Many stimuli in little memory: only the moving frames of each trial, in bytes, and the scenery once.

A set as large as the published background set, 28,000 episodes, takes about 220 MB of memory and 20 MB on the disk so;
as JSON it would be 55 GB, as frames 80 GB. It is generated again from task, seed and number; a file is only a cache.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from puzzlebox.intuitions.catalogue import FAMILIAR
from puzzlebox.intuitions.episodes.generate import make_pair
from puzzlebox.intuitions.episodes.stimulus import Blocks, Stimulus, Track, Trial
from puzzlebox.intuitions.grid import TRIALS
from puzzlebox.intuitions.parallel import in_parallel

Numbers = NDArray[Any]
# Numbers of a trial in `CompactSet.trials`: frames, first and last moving displacement, and where its rows start.
_TRIAL = np.dtype(
    [("frames", "<i4"), ("first", "<i4"), ("last", "<i4"), ("moves", "<i8"), ("tracks", "<i8"), ("blocks", "<i8")]
)
# An entity: its role, look, corner at the start, frames until it vanishes, and the first frame in which it is carried.
_TRACK = np.dtype(
    [("role", "u1"), ("look", "<i4"), ("half", "u1"), ("corner", "<i2", 2), ("until", "<i4"), ("carried", "<i4")]
)
_BLOCK = np.dtype([("barrier", "?"), ("box", "<i2", 4), ("until", "<i4")])
_AGENT, _HOME, _OBJECT, _KEY, _LOCK = range(5)
_ROLES = {"agent": _AGENT, "home": _HOME, "key": _KEY, "lock": _LOCK}
_NEVER = -1


class CompactSet(Sequence[Stimulus]):
    """A sequence of stimuli, each made again when it is asked for.

    Only what the generator makes can be stored: the agent moves within one stretch of frames, and nothing else moves
    but a key that it carries.
    """

    def __init__(self, trials: Numbers, moves: Numbers, tracks: Numbers, blocks: Numbers, looks: Sequence[Any]) -> None:
        self._trials, self._moves, self._tracks, self._blocks = trials, moves, tracks, blocks
        self._looks = [(icon, (red, green, blue)) for icon, red, green, blue in looks]

    @classmethod
    def of(cls, stimuli: Iterable[Stimulus]) -> "CompactSet":
        """Return a set with copies of some stimuli.

        Raises:
            ValueError: a stimulus is not as the generator makes them.
        """
        return _Packer(stimuli).packed()

    @classmethod
    def generate(
        cls, task: str, numbers: Sequence[int], seed: int = 0, shapes: str = FAMILIAR, workers: int = 1
    ) -> "CompactSet":
        """Generate the expected stimuli of some episodes, in the order of their numbers."""
        work = partial(_expected, task, seed, shapes)
        found = dict(in_parallel(work, numbers, workers))
        return cls.of(found[number] for number in numbers)

    def __len__(self) -> int:
        return len(self._trials) // TRIALS

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no stimulus {index}; there are {len(self)}")
        first = index % len(self) * TRIALS
        return Stimulus(tuple(self._trial(row) for row in range(first, first + TRIALS)))

    def _rows(self, row: int, name: str, table: Numbers) -> Numbers:
        """Return the rows of a table that belong to a trial."""
        stop = self._trials[name][row + 1] if row + 1 < len(self._trials) else len(table)
        return table[self._trials[name][row] : stop]

    def _trial(self, row: int) -> Trial:
        frames, first, last = (int(self._trials[name][row]) for name in ("frames", "first", "last"))
        moves = self._rows(row, "moves", self._moves)
        tracks: dict[int, list[Track]] = {role: [] for role in range(5)}
        agent = np.empty((frames, 2), np.int16)
        for track in self._rows(row, "tracks", self._tracks):
            icon, color = self._looks[track["look"]]
            corner = track["corner"]
            if track["role"] == _AGENT:
                agent[: first + 1] = corner
                agent[first + 1 : last + 1] = corner + np.cumsum(moves, axis=0, dtype=np.int16)
                agent[last + 1 :] = agent[last]
                corners: Numbers = agent
            elif track["carried"] != _NEVER:
                corners = np.broadcast_to(corner, (frames, 2)).copy()
                before, until = int(track["carried"]) - 1, int(track["until"])
                corners[before:until] += agent[before:until] - agent[before]
                corners[until:] = corners[until - 1]
            else:
                corners = np.broadcast_to(corner, (frames, 2))
            tracks[int(track["role"])].append(Track(icon, int(track["half"]), color, corners, int(track["until"])))
        blocks = self._rows(row, "blocks", self._blocks)
        walls, barrier = (
            Blocks(rows["box"].astype(np.int16), np.where(rows["until"] < 0, frames, rows["until"]).astype(np.int32))
            for rows in (blocks[~blocks["barrier"]], blocks[blocks["barrier"]])
        )
        single = {name: next(iter(tracks[role]), None) for name, role in _ROLES.items()}
        found_agent = single.pop("agent")
        assert found_agent is not None
        return Trial(frames, walls, barrier, tuple(tracks[_OBJECT]), found_agent, **single)

    @property
    def nbytes(self) -> int:
        """Return the size of the set in memory, in bytes."""
        return sum(table.nbytes for table in (self._trials, self._moves, self._tracks, self._blocks))

    def save(self, path: Path) -> None:
        """Write the set to a file (`.npz`)."""
        looks = np.array([(icon, *color) for icon, color in self._looks], _LOOK)
        with path.open("wb") as file:
            np.savez_compressed(
                file, trials=self._trials, moves=self._moves, tracks=self._tracks, blocks=self._blocks, looks=looks
            )

    @classmethod
    def load(cls, path: Path) -> "CompactSet":
        """Read a set from a file that `save` wrote.

        Raises:
            ValueError: the file is not such a set.
        """
        try:
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                trials, moves, tracks, blocks, looks = (file[name] for name in _TABLES)
        except (OSError, KeyError, ValueError, EOFError, BadZipFile, AttributeError) as problem:
            raise ValueError(f"{path} is not a compact set of stimuli: {problem}") from None
        return cls(trials, moves, tracks, blocks, looks.tolist())


_TABLES = ("trials", "moves", "tracks", "blocks", "looks")
_LOOK = np.dtype([("icon", "U64"), ("red", "u1"), ("green", "u1"), ("blue", "u1")])


def _expected(task: str, seed: int, shapes: str, number: int) -> Stimulus:
    return make_pair(task, number, seed, shapes).expected


class _Packer:
    """Puts stimuli into the tables of a compact set."""

    def __init__(self, stimuli: Iterable[Stimulus]) -> None:
        self._looks: dict[tuple[str, tuple[int, int, int]], int] = {}
        self._trials: list[tuple[int, ...]] = []
        self._moves: list[Numbers] = []
        self._tracks: list[tuple[Any, ...]] = []
        self._blocks: list[tuple[Any, ...]] = []
        self._moved = 0
        for stimulus in stimuli:
            for trial in stimulus.trials:
                self._add(trial)

    def packed(self) -> CompactSet:
        moves = np.concatenate(self._moves) if self._moves else np.zeros((0, 2), np.int8)
        tables = (np.array(self._trials, _TRIAL), moves, np.array(self._tracks, _TRACK), np.array(self._blocks, _BLOCK))
        return CompactSet(*tables, [(icon, *color) for icon, color in self._looks])

    def _add(self, trial: Trial) -> None:
        first, last = trial.moving
        steps = trial.steps[first:last]
        if int(np.abs(steps).max(initial=0)) > 127:
            raise ValueError("an agent moves too fast to be stored in a compact set")
        self._trials.append((trial.frames, first, last, self._moved, len(self._tracks), len(self._blocks)))
        self._moves.append(steps.astype(np.int8))
        self._moved += len(steps)
        named = (("agent", trial.agent), ("home", trial.home), ("key", trial.key), ("lock", trial.lock))
        for role, track in (*((_ROLES[name], each) for name, each in named), *((_OBJECT, o) for o in trial.objects)):
            if track is not None:
                self._tracks.append(self._track(role, track, trial))
        for barrier, blocks in ((False, trial.walls), (True, trial.barrier)):
            # -1: as long as the trial, so that scenery does not depend on its length.
            until = np.where(blocks.until >= trial.frames, -1, blocks.until).tolist()
            rows = zip(blocks.boxes.tolist(), until, strict=True)
            self._blocks += [(barrier, tuple(box), end) for box, end in rows]

    def _track(self, role: int, track: Track, trial: Trial) -> tuple[Any, ...]:
        look = self._looks.setdefault(track.identity, len(self._looks))
        carried = _NEVER
        moves = np.flatnonzero(np.diff(track.corners[: track.until], axis=0).any(axis=1))
        if role != _AGENT and len(moves):
            carried = int(moves[0]) + 1
            offset = track.corners[carried - 1 : track.until] - trial.agent.corners[carried - 1 : track.until]
            if role != _KEY or (offset != offset[0]).any():
                raise ValueError("something moves by itself, which cannot be stored in a compact set")
        return role, look, track.half, tuple(track.corners[0].tolist()), track.until, carried
