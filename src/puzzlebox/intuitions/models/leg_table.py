"""Legs of many films as tensors: where each began and ended, what the agent went to and what it could have gone to.

It holds what `legs` reads off the published fields. The learned model `parts` is trained on it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from puzzlebox.intuitions.episodes.stimulus import Stimulus, Track, Trial
from puzzlebox.intuitions.grid import CELL, CELLS, SIZE, TRIALS, Cell
from puzzlebox.intuitions.models.legs import Leg, legs_of, reached, travelled

# What an agent can go to: two objects, the key, the lock.
OBJECTS, KEY, LOCK, THINGS = 2, 2, 3, 4
# Half cells a side, and nodes a side: the corners of half cells inside the picture, every ten pixels.
HALVES, NODES = 2 * CELLS, 2 * CELLS - 1
SPACING = CELL // 2


class LegRow(NamedTuple):
    """One leg as numbers; see `LegTable`."""

    film: int
    trial: int
    agent: int
    looks: list[int]
    present: list[bool]
    places: list[tuple[int, int]]
    target: int
    start: Any
    end: Any
    length: float
    carrying: bool
    walls: Any
    barrier: Any
    visited: Any


@dataclass
class LegTable:
    """L legs of F films.

    Attributes:
        film: L, the number of the film; legs of a film lie together, in order.
        trial: L, 0 to 8.
        agent: L, the number of the agent's look within its film.
        looks: L x 4, numbers of the looks of the things within the film.
        present: L x 4, whether the agent could go to a thing of this name.
        places: L x 4 x 2, centres of the things in pixels.
        target: L, what the agent went to: 0 and 1 are objects, 2 the key, 3 the lock, -1 nothing.
        start: L x 2, the agent's centre at the beginning.
        end: L x 2, the agent's centre at the end.
        length: L, the length of its way in pixels.
        carrying: L, whether it carried the key.
        walls: L x 20 x 20 half cells, by row (upwards) and column.
        barrier: L x 20 x 20.
        visited: L x 19 x 19 nodes, whether the agent came by.
        task: F, one number for each film: where it came from.
        offset: F + 1, where the legs of each film begin.
    """

    film: Tensor
    trial: Tensor
    agent: Tensor
    looks: Tensor
    present: Tensor
    places: Tensor
    target: Tensor
    start: Tensor
    end: Tensor
    length: Tensor
    carrying: Tensor
    walls: Tensor
    barrier: Tensor
    visited: Tensor
    task: Tensor
    offset: Tensor

    def __len__(self) -> int:
        return len(self.task)

    @classmethod
    def of(cls, films: Iterable[Stimulus], tasks: Sequence[int] | None = None) -> "LegTable":
        """Return the legs of some films; `tasks`: a number for each."""
        return cls.join([rows_of(film) for film in films], tasks)

    @classmethod
    def join(cls, films: Sequence[list[LegRow]], tasks: Sequence[int] | None = None) -> "LegTable":
        """Return the table of the legs of some films (`rows_of`)."""
        rows = [row._replace(film=number) for number, film in enumerate(films) for row in film]
        columns = {name: [getattr(row, name) for row in rows] for name in LegRow._fields}
        kinds: dict[str, Any] = {
            **dict.fromkeys(("film", "trial", "agent", "looks", "target"), np.int64),
            **dict.fromkeys(("places", "start", "end", "length"), np.float32),
            **dict.fromkeys(("present", "carrying", "walls", "barrier", "visited"), bool),
        }
        tensors = {name: torch.from_numpy(np.array(columns[name], kind)) for name, kind in kinds.items()}
        task = torch.tensor(list(tasks) if tasks is not None else [0] * len(films))
        offset = torch.tensor(np.cumsum([0, *(len(film) for film in films)]))
        return cls(**tensors, task=task, offset=offset)

    def to(self, device: "str | torch.device") -> "LegTable":
        """Return the table on another device."""
        return LegTable(**{each.name: getattr(self, each.name).to(device) for each in fields(self)})

    @property
    def device(self) -> torch.device:
        """Return where the tensors are."""
        return self.film.device


def rows_of(film: Stimulus) -> list[LegRow]:
    """Return the legs of a film in which the agent moves; looks are numbered within the film."""
    numbers: dict[Any, int] = {}
    rows = []
    for number, trial in enumerate(film.trials[-TRIALS:]):
        rows += [_row(number, trial, leg, numbers) for leg in moving_legs(trial)]
    return rows


def moving_legs(trial: Trial) -> list[Leg]:
    """Return the legs of a trial in which the agent moves."""
    return [leg for leg in legs_of(trial) if travelled(leg, trial)[0][-1] > 0]


def things_of(trial: Trial, leg: Leg) -> list[Track | None]:
    """Return what the agent may go to on a leg, by the four names; None for what is not there."""
    objects = [*trial.objects[:OBJECTS], None, None][:OBJECTS]
    things = [*objects, None if leg.carrying else trial.key, trial.lock]
    return [thing if thing is not None and leg.first < thing.until else None for thing in things]


def halves_of(cells: frozenset[Cell]) -> Any:
    """Return cells as a map of half cells, by row (upwards) and column."""
    grid = np.zeros((CELLS, CELLS), bool)
    for column, row in cells:
        grid[row, column] = True
    return grid.repeat(2, 0).repeat(2, 1)


def _row(number: int, trial: Trial, leg: Leg, numbers: dict[Any, int]) -> LegRow:
    things = things_of(trial, leg)
    here = reached(trial, [thing for thing in things if thing is not None], leg.last)
    target = next((name for name, thing in enumerate(things) if thing is not None and thing is here), -1)
    places = trial.agent.centres[leg.first : leg.last + 1]
    visited = np.zeros((NODES, NODES), bool)
    nodes = np.clip(np.rint(places / SPACING).astype(int) - 1, 0, NODES - 1)
    visited[nodes[:, 1], nodes[:, 0]] = True
    walls = halves_of(leg.walls)
    walls[:2], walls[-2:], walls[:, :2], walls[:, -2:] = True, True, True, True
    return LegRow(
        0,
        number,
        numbers.setdefault(trial.agent.identity, len(numbers)),
        [-1 if thing is None else numbers.setdefault(thing.identity, len(numbers)) for thing in things],
        [thing is not None for thing in things],
        [(0, 0) if thing is None else tuple(thing.centres[leg.first].tolist()) for thing in things],
        target,
        places[0],
        places[-1],
        float(travelled(leg, trial)[0][-1]),
        leg.carrying,
        walls,
        halves_of(leg.blocked - leg.walls),
        visited,
    )


assert HALVES * SPACING == SIZE
