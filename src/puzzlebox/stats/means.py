"""Interquartile means with bootstrap intervals: robust to outliers, with less variance than medians.

After Agarwal et al. (2021): episodes are resampled within each task, because tasks are fixed and episodes are random.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.stats.intervals import CannotCompute, Interval

# Numbers of this size or more are divided before they are added.
_LARGE = 1e150
Array = NDArray[np.float64]
RESAMPLES = 2000
# Numbers held in memory at a time while resampling: some tens of megabytes.
_BATCH_NUMBERS = 2_000_000


def interquartile_mean(values: ArrayLike) -> float:
    """Return the mean of the middle half: a quarter of the values (rounded down) is omitted at each end."""
    array = np.sort(np.asarray(values, float).ravel())
    if not len(array):
        raise CannotCompute("there are no values")
    return float(_middle(array[None])[0])


def interquartile_mean_interval(
    strata: Sequence[ArrayLike], seed: int = 0, resamples: int = RESAMPLES, level: float = 0.95
) -> Interval:
    """Return the interquartile mean over all strata with an interval from a stratified percentile bootstrap.

    Args:
        strata: the values of each task, which are resampled within the task.
        seed: the seed of the bootstrap.
        resamples: the number of resamples.
        level: the confidence level of the interval.
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
    rng = np.random.default_rng(seed)
    means: list[Array] = []
    batch = max(1, _BATCH_NUMBERS // len(pooled))
    for done in range(0, resamples, batch):
        draws = rng.random((min(batch, resamples - done), len(pooled)))
        samples = pooled[offsets + (draws * sizes).astype(np.int64)]
        samples.sort(axis=1)
        means.append(_middle(samples))
    low, high = np.quantile(np.concatenate(means), ((1 - level) / 2, (1 + level) / 2))
    return Interval(interquartile_mean(pooled), float(low), float(high))


def _middle(rows: Array) -> Array:
    """Return the mean of the middle half of each sorted row."""
    cut = rows.shape[1] // 4
    middle = rows[:, cut : rows.shape[1] - cut]
    # The sum of the largest numbers would be infinite.
    largest = max(abs(float(middle[:, 0].min())), abs(float(middle[:, -1].max())))
    scale = largest if largest >= _LARGE else 1.0
    return np.asarray((middle / scale).mean(axis=1) * scale if scale > 1.0 else middle.mean(axis=1), float)
