"""The episodes that end in a step of a vector: who played what, and how it went."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.learn.sampler import Episode


class EpisodeCounter:
    """Sums rewards and counts decisions of each environment of a vector with `autoreset="same_step"`.

    Attributes:
        totals: the sum of rewards of the current episode of each environment.
        lengths: the number of its decisions.
    """

    def __init__(self, num_envs: int) -> None:
        self.totals, self.lengths = np.zeros(num_envs, np.float64), np.zeros(num_envs, np.int64)

    def count(
        self,
        rewards: NDArray[Any],
        terminated: NDArray[Any],
        truncated: NDArray[Any],
        infos: Mapping[str, Any],
    ) -> list[Episode]:
        """Count a step of all environments; return the episodes that ended in it, by environment."""
        self.totals += rewards
        self.lengths += 1
        ended = []
        for row in np.flatnonzero(terminated | truncated).tolist():
            task, passed = final_of(infos, "task", row), final_of(infos, "passed", row)
            ended.append(
                Episode(
                    row,
                    "" if task is None else str(task),
                    round(float(self.totals[row]), 6),
                    int(self.lengths[row]),
                    None if passed is None else bool(passed),
                    bool(terminated[row]),
                    bool(truncated[row]),
                )
            )
            self.totals[row], self.lengths[row] = 0.0, 0
        return ended

    def state(self) -> dict[str, Any]:
        """Return what has been counted of the current episodes."""
        return {"totals": self.totals.tolist(), "lengths": self.lengths.tolist()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Return to what `state` returned."""
        self.totals[:], self.lengths[:] = state["totals"], state["lengths"]


def final_of(infos: Mapping[str, Any], name: str, row: int) -> Any:
    """Return an entry of the last `info` of an environment's episode that ended in this step; None if unknown."""
    final = infos.get("final_info")
    if not isinstance(final, Mapping) or name not in final:
        return None
    mask = final.get(f"_{name}")
    return final[name][row] if mask is None or mask[row] else None
