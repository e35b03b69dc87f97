"""How an attempt drives: the settings that differ between two attempts at the same task."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """The settings of one attempt.

    Attributes:
        clearance: metres that paths keep from death zones and from goals that must not be touched, beyond contact.
        caution: how much longer a path may be to keep away from rims and walls; 0 takes the shortest.
        fastest: the greatest speed in m/s.
        push: whether movable things count as out of the way, so that the animal drives into them.
        reckless: whether paths may lead through death zones, at a high cost.
        hot: how many times as long as its length a path through a hot zone counts.
        offset: metres to the right at which the animal aims beside the middle of a target.
        choice: which of the sequences of targets is tried, from 0, the best.
        pause: decisions that the animal waits before it starts.
        noise: the seed of the random turns with which it frees itself.
    """

    clearance: float = 0.25
    caution: float = 1.0
    fastest: float = 14.0
    push: bool = False
    reckless: bool = False
    hot: float = 6.0
    offset: float = 0.0
    choice: int = 0
    pause: int = 0
    noise: int = 0
