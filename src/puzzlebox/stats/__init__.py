"""Statistics of episodes: one module for each method, written out so that it can be read and checked.

Functions take arrays of numbers and return named tuples; what cannot be computed raises `CannotCompute` with a reason.
"""

from puzzlebox.stats.brunner_munzel import BrunnerMunzel, brunner_munzel
from puzzlebox.stats.crossed import CrossedFit, fit_crossed
from puzzlebox.stats.effect_intervals import (
    concordance_interval,
    delta_interval,
    epsilon_squared_interval,
    paired_delta_interval,
)
from puzzlebox.stats.effects import cliffs_delta, epsilon_squared
from puzzlebox.stats.friedman import Friedman, friedman
from puzzlebox.stats.intervals import CannotCompute, Interval, wilson
from puzzlebox.stats.learners import interquartile_mean
from puzzlebox.stats.mcnemar import McNemar, mcnemar
from puzzlebox.stats.permutation import SignFlip, sign_flip
from puzzlebox.stats.proportions import (
    Outcomes,
    Proportion,
    difference_on_tasks_like_these,
    difference_on_these_tasks,
)
from puzzlebox.stats.ranks import Comparison, KruskalWallis, bonferroni, dunn, holm, kruskal_wallis
from puzzlebox.stats.signed_ranks import SignedRanks, signed_ranks

__all__ = [
    "BrunnerMunzel",
    "CannotCompute",
    "Comparison",
    "CrossedFit",
    "Friedman",
    "Interval",
    "KruskalWallis",
    "McNemar",
    "Outcomes",
    "Proportion",
    "SignFlip",
    "SignedRanks",
    "bonferroni",
    "brunner_munzel",
    "cliffs_delta",
    "concordance_interval",
    "delta_interval",
    "difference_on_tasks_like_these",
    "difference_on_these_tasks",
    "dunn",
    "epsilon_squared",
    "epsilon_squared_interval",
    "fit_crossed",
    "friedman",
    "holm",
    "interquartile_mean",
    "kruskal_wallis",
    "mcnemar",
    "paired_delta_interval",
    "sign_flip",
    "signed_ranks",
    "wilson",
]
