"""Separation: categories in which all or no episodes passed, so that their coefficients have no finite estimate.

Leaving out such a category changes no other estimate of a logistic model: as its own coefficient diverges, its rows
are predicted exactly and contribute nothing to the likelihood.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Separated(NamedTuple):
    """A category that was left out because of separation.

    Attributes:
        factor: the factor it is a category of.
        name: its name.
        rows: the number of its rows that were left when it was left out.
        passed: whether all of these rows passed; otherwise none did.
        all_rows: the number of all its rows.
        all_passes: the number of all its rows that passed.
        after: the factors whose categories were left out before and contained the other rows.
    """

    factor: str
    name: str
    rows: int
    passed: bool
    all_rows: int
    all_passes: int
    after: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return a clause that is true of all episodes, not only of those that were left."""
        share, odds = ("all", "infinite") if self.passed else ("none", "zero")
        who = f"{self.factor} {self.name}"
        if self.all_passes in (0, self.all_rows):
            return f"{who} passed {share} of its {self.all_rows} episodes, so its odds are {odds}"
        others = " and ".join(f"{factor}s" for factor in self.after)
        return (
            f"{who} passed {self.all_passes} of its {self.all_rows} episodes, but {share} of the {self.rows} among the "
            f"{others} that remain, so its odds are {odds} there"
        )


def without_separation(
    passed: Sequence[bool], factors: Mapping[str, Sequence[str]]
) -> tuple[NDArray[np.bool_], list[Separated]]:
    """Leave out categories in which all or no rows passed, until none is left.

    Args:
        passed: whether each row passed.
        factors: the category of each row, for each factor.

    Returns:
        A mask of the rows that are left, and the categories that were left out.
    """
    outcome = np.asarray(passed, bool)
    columns = {factor: np.asarray([str(name) for name in names], object) for factor, names in factors.items()}
    kept = np.ones(len(outcome), bool)
    separated: list[Separated] = []
    while True:
        before = len(separated)
        for factor, names in columns.items():
            for name in dict.fromkeys(names[kept].tolist()):
                rows = kept & (names == name)
                share = outcome[rows].mean()
                # The only category left of a factor does not count: the model has no contrast for it.
                if share in (0.0, 1.0) and len(set(names[kept].tolist())) > 1:
                    everything = names == name
                    overlapping = [
                        each for each in separated if np.any(everything & (columns[each.factor] == each.name))
                    ]
                    separated.append(
                        Separated(
                            factor,
                            name,
                            int(rows.sum()),
                            bool(share),
                            int(everything.sum()),
                            int(outcome[everything].sum()),
                            tuple(dict.fromkeys(each.factor for each in overlapping)),
                        )
                    )
                    kept &= ~rows
        if len(separated) == before:
            return kept, separated
