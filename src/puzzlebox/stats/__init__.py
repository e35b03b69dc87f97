"""Statistics of episodes: one module for each method, written out so that it can be read and checked.

Functions take arrays of numbers and return named tuples; what cannot be computed raises `CannotCompute` with a reason.
"""

from puzzlebox.stats.effects import cliffs_delta, difference_of_rates, epsilon_squared
from puzzlebox.stats.intervals import CannotCompute, Interval, wilson
from puzzlebox.stats.learners import interquartile_mean
from puzzlebox.stats.mixed import NODES, Fit, Term, fit_mixed_logistic
from puzzlebox.stats.ranks import Comparison, KruskalWallis, bonferroni, dunn, holm, kruskal_wallis
from puzzlebox.stats.separation import Separated, without_separation

__all__ = [
    "NODES",
    "CannotCompute",
    "Comparison",
    "Fit",
    "Interval",
    "KruskalWallis",
    "Separated",
    "Term",
    "bonferroni",
    "cliffs_delta",
    "difference_of_rates",
    "dunn",
    "epsilon_squared",
    "fit_mixed_logistic",
    "holm",
    "interquartile_mean",
    "kruskal_wallis",
    "wilson",
    "without_separation",
]
