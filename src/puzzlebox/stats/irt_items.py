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
        alone = [_difficulty(passes[each], trials[each], ability[each], slope) for each in groups]
        together = _difficulty(passes[rows], trials[rows], ability[rows], slope)
        statistic = max(2 * (alone[0].log_likelihood + alone[1].log_likelihood - together.log_likelihood), 0.0)
        error = float(np.hypot(alone[0].error, alone[1].error))
        # Shrunk by the weak prior.
        share = _DIFFERENCE_PRIOR**2 / (_DIFFERENCE_PRIOR**2 + error**2)
        value = share * (alone[1].value - alone[0].value)
        p = float(stats.chi2.sf(statistic, 1))
        found.append(Difference(item, value, float(np.sqrt(share)) * error, statistic, p, p))
    adjusted = holm([each.p for each in found]) if found else []
    return [each._replace(p_holm=float(p)) for each, p in zip(found, adjusted, strict=True)]


class _Difficulty(NamedTuple):
    value: float
    error: float
    log_likelihood: float


def _difficulty(passes: Floats, trials: Floats, ability: Floats, slope: float) -> _Difficulty:
    """Return the difficulty of one task for some players: the most likely one, within 8 logits of their abilities."""
    low, high = float(ability.min()) - 8.0, float(ability.max()) + 8.0
    value = float(np.clip(np.average(ability, weights=trials), low, high))
    for _ in range(60):
        chance = 0.5 * (1 + np.tanh(0.5 * slope * (ability - value)))
        information = max(float((slope**2 * trials * chance * (1 - chance)).sum()), 1e-6)
        step = float((slope * (trials * chance - passes)).sum()) / information
        value = float(np.clip(value + np.clip(step, -1.0, 1.0), low, high))
        if abs(step) < 1e-9 or value in (low, high):
            break
    logits = slope * (ability - value)
    log_likelihood = float((passes * logits - trials * np.logaddexp(0.0, logits)).sum())
    return _Difficulty(value, float(1 / np.sqrt(information)), log_likelihood)
