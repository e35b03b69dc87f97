"""Statistics of episodes: one module for each method, written out so that it can be read and checked.

Functions take arrays of numbers and return named tuples; what cannot be computed raises `CannotCompute` with a reason.
"""

from puzzlebox.stats.crossed import CrossedFit, fit_crossed
from puzzlebox.stats.effects import cliffs_delta, epsilon_squared
from puzzlebox.stats.intervals import CannotCompute, Interval, wilson
from puzzlebox.stats.learners import interquartile_mean
from puzzlebox.stats.permutation import SignFlip, sign_flip
from puzzlebox.stats.proportions import (
    Outcomes,
    Proportion,
    difference_on_tasks_like_these,
    difference_on_these_tasks,
)
from puzzlebox.stats.ranks import Comparison, KruskalWallis, bonferroni, dunn, holm, kruskal_wallis

__all__ = [
    "CannotCompute",
    "Comparison",
    "CrossedFit",
    "Interval",
    "KruskalWallis",
    "Outcomes",
    "Proportion",
    "SignFlip",
    "bonferroni",
    "cliffs_delta",
    "difference_on_tasks_like_these",
    "difference_on_these_tasks",
    "dunn",
    "epsilon_squared",
    "fit_crossed",
    "holm",
    "interquartile_mean",
    "kruskal_wallis",
    "sign_flip",
    "wilson",
]
