"""Cross-validation of measurement layouts: do capabilities predict tasks that were not used to infer them?

The layout is compared with the simplest forecast, the mean proportion that the agent passed of the other tasks, by the
Brier score: the mean square of forecast minus outcome, 0 at best. Tasks that belong together stay in one fold.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import CannotCompute, Interval
from puzzlebox.stats.layout import Kind, fit_layout

Floats = NDArray[np.float64]
FOLDS = 10
# Draws and warm-up of each chain in a fold: enough for a mean.
_DRAWS, _WARM_UP = 120, 150


class Forecasts(NamedTuple):
    """Forecasts of all tasks, each from the other folds.

    Attributes:
        layout: the probabilities by the layout.
        mean: the mean proportion passed of the tasks in the other folds.
        layout_score: the Brier score of the layout on each task.
        mean_score: the Brier score of the mean on each task.
    """

    layout: Floats
    mean: Floats
    layout_score: Floats
    mean_score: Floats


def folds_of(groups: Sequence[Hashable], demands: Floats, count: int = FOLDS, seed: int = 0) -> NDArray[np.intp]:
    """Return the fold of each place, drawn at random with about equally many groups each.

    Places of one group stay together, and so do groups that share a place with exactly the same demands: otherwise an
    arena that occurs in two tasks would be predicted from itself.
    """
    parent = {group: group for group in groups}

    def root(group: Hashable) -> Hashable:
        while parent[group] != group:
            group = parent[group]
        return group

    first: dict[tuple[float, ...], Hashable] = {}
    for group, row in zip(groups, np.round(demands, 6), strict=True):
        same = first.setdefault(tuple(row), group)
        parent[root(group)] = root(same)
    roots = list(dict.fromkeys(map(root, groups)))
    order = np.random.default_rng(seed).permutation(len(roots))
    fold_of_root = {roots[which]: place % count for place, which in enumerate(order)}
    return np.array([fold_of_root[root(group)] for group in groups])


def cross_validate(
    demands: Floats,
    shares: Floats,
    weights: Floats,
    folds: NDArray[np.intp],
    *,
    kind: Kind = "product",
    seed: int = 0,
    done: Callable[[], None] = lambda: None,
) -> Forecasts:
    """Forecast each fold from the others.

    Args:
        demands: the demands of each place, one column for each dimension.
        shares: the share of episodes that the agent passed at each place.
        weights: how much each place counts.
        folds: the fold of each place.
        kind: how the dimensions combine.
        seed: the seed of the draws.
        done: a function called after each fold.
    """
    layout, mean = np.empty(len(shares)), np.empty(len(shares))
    for fold in np.unique(folds):
        held_out = folds == fold
        known = ~held_out
        mean[held_out] = np.average(shares[known], weights=weights[known])
        fit = fit_layout(
            demands[known], shares[known], weights[known], kind=kind, draws=_DRAWS, warm_up=_WARM_UP, seed=seed
        )
        layout[held_out] = [each.value for each in fit.predict(demands[held_out])]
        done()
    return Forecasts(layout, mean, brier(layout, shares), brier(mean, shares))


def brier(forecasts: Floats, shares: Floats) -> Floats:
    """Return the mean square of forecast minus outcome over the episodes of each place."""
    score: Floats = shares * (1 - forecasts) ** 2 + (1 - shares) * forecasts**2
    return score


def gain(forecasts: Forecasts, groups: Sequence[Hashable]) -> Interval:
    """Return by how much the layout's Brier score is below that of the mean, with a 95 % interval over groups."""
    return mean_over_groups(forecasts.mean_score - forecasts.layout_score, groups)


def mean_over_groups(values: Floats, groups: Sequence[Hashable]) -> Interval:
    """Return the mean of values, groups weighing equally, with the t interval over groups."""
    stats = import_extra("scipy.stats")
    members: dict[Hashable, list[float]] = {}
    for group, value in zip(groups, values, strict=True):
        members.setdefault(group, []).append(float(value))
    means = np.array([np.mean(each) for each in members.values()])
    if len(means) < 2:
        raise CannotCompute("there is only one task")
    half = float(stats.t.ppf(0.975, len(means) - 1) * means.std(ddof=1) / np.sqrt(len(means)))
    return Interval(float(means.mean()), float(means.mean()) - half, float(means.mean()) + half)
