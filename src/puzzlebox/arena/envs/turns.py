"""What a group of environments returns when environments of a vector take turns."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from puzzlebox.arena.envs.settings import Observation


class Turn:
    """The results of a step of one group of a vector, one row for each of its environments.

    Attributes:
        rows: the indices of these environments in the vector, as a slice.
        observations: the parts of the observation.
        reward: the rewards.
        terminated: which episodes ended by themselves.
        truncated: which episodes were cut off.
        finals: the last observation and `info` of each episode after which the same step began the next one, by the
            index of the environment in the vector.
    """

    def __init__(
        self,
        rows: slice,
        observations: Observation,
        results: tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_]],
        finals: Mapping[int, tuple[Observation, dict[str, Any]]],
        infos: Callable[[], dict[str, Any]],
    ) -> None:
        self.rows = rows
        self.observations = observations
        self.reward, self.terminated, self.truncated = results
        self.finals = finals
        self._make_infos = infos
        self._infos: dict[str, Any] | None = None

    @property
    def infos(self) -> dict[str, Any]:
        """Return what `step` returns as infos, for these environments; read it before the group is sent again."""
        if self._infos is None:
            self._infos = _selected(self._make_infos(), self.rows)
        return self._infos


def _selected(infos: Mapping[str, Any], rows: slice) -> dict[str, Any]:
    """Return the entries of some environments."""
    return {
        name: _selected(values, rows) if isinstance(values, Mapping) else values[rows] for name, values in infos.items()
    }
