"""Stimuli as data: what they are, the planner that moves the agent, and the generator of every task."""

from puzzlebox.intuitions.episodes.generate import make_pair
from puzzlebox.intuitions.episodes.stimulus import Blocks, Pair, Stimulus, Track, Trial

__all__ = ["Blocks", "Pair", "Stimulus", "Track", "Trial", "make_pair"]
