"""The observers that the page can show: the inverse planner, and runs of training named on the command line."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus
from puzzlebox.intuitions.models.judging import observer_named
from puzzlebox.intuitions.models.registry import INVERSE_PLANNER, MODELS
from puzzlebox.intuitions.scoring.observer import READ_OUTS, Numbers, Observer, Predicted, checked
from puzzlebox.intuitions.scoring.pairs import Judgement
from puzzlebox.text import nearest

_PLANNER = "explains the motion by what the agent wants and how efficient it is; not trained (from states)"


class Entry(NamedTuple):
    """An observer that can be chosen.

    Attributes:
        id: what addresses call it: `inverse-planner`, or the name of the run's folder.
        run: the folder of the run, or `inverse-planner`.
        name: the name of the model.
        about: what it is, in a few words.
    """

    id: str
    run: str
    name: str
    about: str


class Observers:
    """Observers by id; requests can name these and no other, so that no request makes the server read a folder."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self._add(INVERSE_PLANNER, INVERSE_PLANNER, "inverse planner", _PLANNER)
        # Models are shared, and torch runs one of them on all cores.
        self._lock = threading.Lock()

    def add_run(self, run: str) -> None:
        """Add a run of training.

        Raises:
            ValueError: there is no such run, or its files are damaged, or it has no surprise.
            ModuleNotFoundError: torch is not installed.
        """
        if run == INVERSE_PLANNER:
            return
        name = observer_named(run).name
        if name == "atc":
            raise ValueError(f"{run} is a state encoder, which predicts nothing and is never surprised")
        id, number = Path(run).resolve().name, 2
        while id in self.entries:
            id, number = f"{Path(run).resolve().name}-{number}", number + 1
        self._add(id, run, name, MODELS[name][1] if name in MODELS else "")

    def _add(self, id: str, run: str, name: str, about: str) -> None:
        self.entries[id] = Entry(id, run, name, about)

    def plain(self) -> list[dict[str, str]]:
        """Return the observers as the page lists them."""
        return [{"id": each.id, "name": each.name, "about": each.about} for each in self.entries.values()]

    def surprise(self, id: str, pair: Pair) -> dict[str, Any]:
        """Return what surprises an observer in each frame of both tests, as the page draws it, and its judgement.

        Raises:
            KeyError: there is no such observer; the message says which there are.
        """
        entry = self._entry(id)
        members: dict[str, Any] = {}
        read_outs: dict[str, dict[str, float]] = {}
        with self._lock:
            observer = observer_named(entry.run)
            for member, film in pair.members():
                found = checked(observer.surprise(film), film.test.frames, observer.name)
                read_outs[member] = {name: read(found.frames) for name, read in READ_OUTS.items()}
                members[member] = {
                    "frames": _plain(found.frames),
                    "parts": {name: _plain(values) for name, values in found.parts.items()},
                    "peak": _peak(found.frames),
                    **read_outs[member],
                }
            predicts = isinstance(observer, Predicted)
        scores: Mapping[str, float | None] = dict.fromkeys(READ_OUTS)
        if "u" in read_outs:
            judged = Judgement(pair.task, pair.kind, pair.number, read_outs["e"], read_outs["u"])
            scores = {name: judged.score(name) for name in READ_OUTS}
        return {"observer": entry.id, "name": entry.name, "members": members, "scores": scores, "predicts": predicts}

    def predictions(self, id: str, film: Stimulus) -> tuple[list[int], Numbers, Numbers]:
        """Return the frames of a test that an observer predicted, and the predicted and actual pictures.

        Raises:
            KeyError: there is no such observer.
            ValueError: it predicts no pictures.
        """
        entry = self._entry(id)
        with self._lock:
            observer: Observer = observer_named(entry.run)
            if not isinstance(observer, Predicted):
                raise ValueError(f"{entry.name} predicts no pictures")
            return observer.predicted(film)

    def _entry(self, id: str) -> Entry:
        if id not in self.entries:
            raise KeyError(f"there is no observer {id[:60]!r}{nearest(id, list(self.entries))}")
        return self.entries[id]


def _peak(values: Numbers) -> int:
    """Return the first frame whose surprise is the largest; a last digit that differs by rounding does not count."""
    highest = float(np.nanmax(values))
    return int(np.flatnonzero(np.nan_to_num(values, nan=-np.inf) >= highest - 1e-6 * max(abs(highest), 1e-6))[0])


def _plain(values: Numbers) -> list[float | None]:
    """Return numbers for JSON, with null where nothing was judged."""
    return [None if np.isnan(value) else float(value) for value in values]
