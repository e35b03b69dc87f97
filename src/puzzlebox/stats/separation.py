"""Categories in which everything passed, or nothing: their odds are infinite, and no finite estimate exists.

Leaving such a category out changes no other estimate of a logistic model: as its own coefficient runs away, its rows
end up predicted exactly and weigh nothing.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Separated(NamedTuple):
    """A category that was left out.

    Attributes:
        factor: what it is a category of.
        name: what it is called.
        rows: how many of its rows were left when it was found.
        passed: whether all of those passed; otherwise none did.
        all_rows: how many it has altogether.
        all_passes: how many of those passed.
        after: the factors whose categories, left out before, took the other rows away.
    """

    factor: str
    name: str
    rows: int
    passed: bool
    all_rows: int
    all_passes: int
    after: tuple[str, ...] = ()

    def __str__(self) -> str:
        """In words, true of all episodes and not only of those that were left."""
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
    """Which rows are left once every category that passed all or nothing is taken out, again and again.

    Args:
        passed: whether each row passed.
        factors: the category of each row, for each factor.
    """
    outcome = np.asarray(passed, bool)
    columns = {factor: np.asarray([str(name) for name in names], object) for factor, names in factors.items()}
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
                    everything = names == name
                    gone = [each for each in found if np.any(everything & (columns[each.factor] == each.name))]
                    found.append(
                        Separated(
                            factor,
                            name,
                            int(rows.sum()),
                            bool(share),
                            int(everything.sum()),
                            int(outcome[everything].sum()),
                            tuple(dict.fromkeys(each.factor for each in gone)),
                        )
                    )
                    kept &= ~rows
        if len(found) == before:
            return kept, found
