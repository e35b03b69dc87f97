"""Single tasks under a model of item response theory: how well they fit, and whether they treat two groups alike."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.irt import Cells, Fit, Floats
from puzzlebox.stats.ranks import holm

# The rule for misfit (Linacre 2002): a mean square above 1.5, and a standardised one above 2.
WORST_MEAN_SQUARE, WORST_STANDARDISED = 1.5, 2.0
# Fewest players of a task for statements about its fit.
FEWEST_PLAYERS = 5
# Standard deviation of the prior of a difference of difficulties, so that it is finite where one group all passed.
_DIFFERENCE_PRIOR = 3.0


class ItemFit(NamedTuple):
    """How well one task fits the model.

    Attributes:
        item: the index of the task.
        players: how many played it.
        infit: the mean square of residuals, weighted by information: 1 is expected, more is erratic.
        outfit: the mean square of standardised residuals, which surprises of the ablest and the least able dominate.
        standardised: the infit as a standard normal value.
        misfits: whether the task misfits by the rule.
    """

    item: int
    players: int
    infit: float
    outfit: float
    standardised: float
    misfits: bool


class Difference(NamedTuple):
    """How a task differs in difficulty between two groups, beyond the difference of their abilities.

    Attributes:
        item: the index of the task.
        value: the difficulty for the second group minus that for the first, in logits, with a weak prior.
        error: its standard error.
        statistic: twice the logarithm of the likelihood ratio, chi-squared with one degree of freedom.
        p: the p value.
        p_holm: the p value adjusted for all tasks tested.
    """

    item: int
    value: float
    error: float
    statistic: float
    p: float
    p_holm: float


def item_fit(cells: Cells, fit: Fit) -> list[ItemFit]:
    """Return the fit of each task."""
    items = int(cells.items.max()) + 1
    chance = fit.probability(cells.players, cells.items)
    # Episodes of one player count as the model weighs them.
    trials = cells.trials / (1 + (cells.trials - 1) * fit.correlations[cells.players])
    residual = cells.passes / cells.trials - chance
    information = np.maximum(chance * (1 - chance), 1e-9)
    variance = information / trials
    total = np.bincount(cells.items, trials**2 * variance, items)
    infit = np.bincount(cells.items, trials**2 * residual**2, items) / np.maximum(total, 1e-12)
    players = np.bincount(cells.items, minlength=items)
    outfit = np.bincount(cells.items, residual**2 / variance, items) / np.maximum(players, 1)
    # Wright and Masters (1982): the variance of the infit from the fourth moments of the cells, then the cube root.
    fourth = information * (1 - 3 * information) / trials**3 + 3 * (1 - 1 / trials) * variance**2
    spread = np.sqrt(np.bincount(cells.items, trials**4 * (fourth - variance**2), items).clip(1e-12)) / total.clip(1e-9)
    standardised = (np.cbrt(infit) - 1) * 3 / spread + spread / 3
    return [
        ItemFit(
            item,
            int(players[item]),
            float(infit[item]),
            float(outfit[item]),
            float(standardised[item]),
            bool(
                players[item] >= FEWEST_PLAYERS
                and infit[item] > WORST_MEAN_SQUARE
                and standardised[item] > WORST_STANDARDISED
            ),
        )
        for item in range(items)
        if players[item]
    ]


def differences(cells: Cells, fit: Fit, second: NDArray[np.bool_]) -> list[Difference]:
    """Test for each task whether it is equally difficult for two groups of players of equal ability.

    Abilities and discriminations stay at their estimates. The likelihood ratio compares one difficulty for all with one
    for each group; p values are adjusted by Holm's method.

    Args:
        cells: who passed what.
        fit: the model.
        second: for each player whether it belongs to the second group.
    """
    stats = import_extra("scipy.stats")
    trials = cells.trials / (1 + (cells.trials - 1) * fit.correlations[cells.players])
    passes = trials * cells.passes / cells.trials
    member = second[cells.players]
    found = []
    order = np.argsort(cells.items, kind="stable")
    bounds = np.searchsorted(cells.items[order], np.arange(int(cells.items.max()) + 2))
    for item in range(len(bounds) - 1):
        rows = order[bounds[item] : bounds[item + 1]]
        groups = [rows[~member[rows]], rows[member[rows]]]
        if min(map(len, groups)) == 0:
            continue
        slope = float(fit.discriminations[item])
        ability = fit.abilities[cells.players]
        alone = [_most_likely(passes[each], trials[each], ability[each], slope) for each in groups]
        together = _most_likely(passes[rows], trials[rows], ability[rows], slope)
        statistic = max(2 * (sum(alone) - together), 0.0)
        value, error = _difference(passes[rows], trials[rows], ability[rows], slope, member[rows], fit.spread)
        p = float(stats.chi2.sf(statistic, 1))
        found.append(Difference(item, value, error, statistic, p, p))
    adjusted = holm([each.p for each in found]) if found else []
    return [each._replace(p_holm=float(p)) for each, p in zip(found, adjusted, strict=True)]


def _most_likely(passes: Floats, trials: Floats, ability: Floats, slope: float) -> float:
    """Return the log-likelihood of one task for some players at its most likely difficulty."""
    # Beyond 20 logits of all abilities the likelihood changes no more.
    low, high = float(ability.min()) - 20.0, float(ability.max()) + 20.0
    value = float(np.average(ability, weights=trials))
    for _ in range(60):
        chance = 0.5 * (1 + np.tanh(0.5 * slope * (ability - value)))
        information = max(float((slope**2 * trials * chance * (1 - chance)).sum()), 1e-9)
        step = float((slope * (trials * chance - passes)).sum()) / information
        value = float(np.clip(value + np.clip(step, -1.0, 1.0), low, high))
        if abs(step) < 1e-9 or value in (low, high):
            break
    logits = slope * (ability - value)
    return float((passes * logits - trials * np.logaddexp(0.0, logits)).sum())


def _difference(
    passes: Floats, trials: Floats, ability: Floats, slope: float, member: NDArray[np.bool_], spread: float
) -> tuple[float, float]:
    """Return by how much a task is harder for the second group, with its standard error; both have normal priors."""
    design = np.column_stack((np.ones(len(passes)), member.astype(float)))
    priors = np.array((spread**-2, _DIFFERENCE_PRIOR**-2))
    found = np.zeros(2)  # the difficulty for the first group, and the difference
    for _ in range(100):
        chance = 0.5 * (1 + np.tanh(0.5 * slope * (ability - design @ found)))
        gradient = design.T @ (slope * (trials * chance - passes)) - priors * found
        curvature = (design * (slope**2 * trials * chance * (1 - chance))[:, None]).T @ design + np.diag(priors)
        step = np.linalg.solve(curvature, gradient)
        found = found + np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-9:
            break
    return float(found[1]), float(np.sqrt(np.linalg.inv(curvature)[1, 1]))
