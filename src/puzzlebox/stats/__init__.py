"""Statistics of episodes: one module for each method, written out so that it can be read and checked.

Functions take arrays of numbers and return named tuples; what cannot be computed raises `CannotCompute` with a reason.
"""

from puzzlebox.stats.brunner_munzel import BrunnerMunzel, brunner_munzel
from puzzlebox.stats.effect_intervals import (
    concordance_interval,
    delta_interval,
    epsilon_squared_interval,
    paired_delta_interval,
)
from puzzlebox.stats.effects import cliffs_delta, difference_of_rates, epsilon_squared
from puzzlebox.stats.friedman import Friedman, friedman
from puzzlebox.stats.intervals import CannotCompute, Interval, wilson
from puzzlebox.stats.mcnemar import McNemar, mcnemar
from puzzlebox.stats.means import interquartile_mean, interquartile_mean_interval
from puzzlebox.stats.mixed import NODES, Fit, Term, fit_mixed_logistic
from puzzlebox.stats.ranks import Comparison, KruskalWallis, bonferroni, dunn, holm, kruskal_wallis
from puzzlebox.stats.separation import Separated, without_separation
from puzzlebox.stats.signed_ranks import SignedRanks, signed_ranks

__all__ = [
    "NODES",
    "BrunnerMunzel",
    "CannotCompute",
    "Comparison",
    "Fit",
    "Friedman",
    "Interval",
    "KruskalWallis",
    "McNemar",
    "Separated",
    "SignedRanks",
    "Term",
    "bonferroni",
    "brunner_munzel",
    "cliffs_delta",
    "concordance_interval",
    "delta_interval",
    "difference_of_rates",
    "dunn",
    "epsilon_squared",
    "epsilon_squared_interval",
    "fit_mixed_logistic",
    "friedman",
    "holm",
    "interquartile_mean",
    "interquartile_mean_interval",
    "kruskal_wallis",
    "mcnemar",
    "paired_delta_interval",
    "signed_ranks",
    "wilson",
    "without_separation",
]
