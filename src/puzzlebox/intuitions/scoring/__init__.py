"""Scoring: which film of a pair surprises an observer more, with intervals, beside published models and infants."""

from puzzlebox.intuitions.scoring.observer import READ_OUTS, Observer, Surprise
from puzzlebox.intuitions.scoring.pairs import Judgement, judge, levels_of, with_other_familiarisation
from puzzlebox.intuitions.scoring.summary import Score, summarise

__all__ = [
    "READ_OUTS",
    "Judgement",
    "Observer",
    "Score",
    "Surprise",
    "judge",
    "levels_of",
    "summarise",
    "with_other_familiarisation",
]
