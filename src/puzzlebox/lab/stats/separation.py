"""Categories in which everything passed, or nothing: their odds are infinite, and no finite estimate exists.

Leaving such a category out changes no other estimate of a logistic model: as its own coefficient runs away, its rows
end up predicted exactly and weigh nothing.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Separated(NamedTuple):
    """A category that was left out: of which factor, its name, how many rows, and whether all of them passed."""

    factor: str
    name: str
    rows: int
    passed: bool

    def __str__(self) -> str:
        """In words."""
        what = "passed all" if self.passed else "passed none"
        where = f"{self.factor} {self.name}"
        return f"{where} {what} of its {self.rows} episodes, so its odds are {'infinite' if self.passed else 'zero'}"


def without_separation(
    passed: Sequence[bool], factors: Mapping[str, Sequence[str]]
) -> tuple[NDArray[np.bool_], list[Separated]]:
    """Which rows are left once every category that passed all or nothing is taken out, again and again.

    Args:
        passed: whether each row passed.
        factors: the category of each row, for each factor.
    """
    outcome = np.asarray(passed, bool)
    columns = {factor: np.asarray(names, object) for factor, names in factors.items()}
    kept = np.ones(len(outcome), bool)
    found: list[Separated] = []
    while True:
        before = len(found)
        for factor, names in columns.items():
            for name in dict.fromkeys(names[kept].tolist()):
                rows = kept & (names == name)
                share = outcome[rows].mean()
                # The last category of all is no separation: the model has no contrast to lose.
                if share in (0.0, 1.0) and len(set(names[kept].tolist())) > 1:
                    found.append(Separated(factor, str(name), int(rows.sum()), bool(share)))
                    kept &= ~rows
        if len(found) == before:
            return kept, found
