"""Interquartile means with bootstrap intervals: robust to a few wild episodes, steadier than medians.

After Agarwal et al. (2021): resample runs within each task, for tasks are chosen and runs are drawn.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.stats.intervals import CannotCompute, Interval

Array = NDArray[np.float64]
RESAMPLES = 2000
# Numbers held at once while resampling: some tens of megabytes.
_AT_ONCE = 2_000_000


def interquartile_mean(values: ArrayLike) -> float:
    """The mean of the middle half: a quarter of the values (rounded down) is cut at each end."""
    array = np.sort(np.asarray(values, float).ravel())
    if not len(array):
        raise CannotCompute("there are no values")
    return float(_middle(array[None])[0])


def interquartile_mean_interval(
    strata: Sequence[ArrayLike], seed: int = 0, resamples: int = RESAMPLES, level: float = 0.95
) -> Interval:
    """The interquartile mean over all strata with a stratified percentile bootstrap.

    Args:
        strata: the values of each task; each is resampled within itself.
        seed: what the resampling is drawn from.
        resamples: how often.
        level: how sure the interval is.
    """
    arrays = [np.asarray(values, float).ravel() for values in strata]
    arrays = [values for values in arrays if len(values)]
    if not arrays:
        raise CannotCompute("there are no values")
    if all(len(values) < 2 for values in arrays):
        raise CannotCompute("each task was played once, so there is nothing to resample")
    pooled = np.concatenate(arrays)
    starts = np.cumsum([0, *(len(values) for values in arrays[:-1])])
    sizes = np.repeat([len(values) for values in arrays], [len(values) for values in arrays])
    offsets = np.repeat(starts, [len(values) for values in arrays])
    chance = np.random.default_rng(seed)
    means: list[Array] = []
    batch = max(1, _AT_ONCE // len(pooled))
    for done in range(0, resamples, batch):
        draws = chance.random((min(batch, resamples - done), len(pooled)))
        chosen = pooled[offsets + (draws * sizes).astype(np.int64)]
        chosen.sort(axis=1)
        means.append(_middle(chosen))
    low, high = np.quantile(np.concatenate(means), ((1 - level) / 2, (1 + level) / 2))
    return Interval(interquartile_mean(pooled), float(low), float(high))


def _middle(rows: Array) -> Array:
    """The mean of the middle half of each sorted row."""
    cut = rows.shape[1] // 4
    return np.asarray(rows[:, cut : rows.shape[1] - cut].mean(axis=1), float)
