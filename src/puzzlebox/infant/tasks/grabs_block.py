"""GrabsBlock: grip a large block with both hands and lift it; scored 0, 1 or 2 like an item of a test."""

from typing import ClassVar

from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.task import Outcome
from puzzlebox.infant.tasks.two_hands import TwoHandsTask

# How high the block must be held, in metres, and for how many control steps each score is counted: ours.
_HIGH, _LONG = 0.03, 8


class GrabsBlock(TwoHandsTask):
    """A child in a high chair grips a block of 14 cm, too large for one hand."""

    size: ClassVar[float] = 0.14
    mass: ClassVar[float] = 0.25
    ahead: ClassVar[float] = 0.22
    reward = "the score: 1 when both hands have touched it for 8 steps, 1 more when they have lifted it for 8 steps"
    end = "at the score of 2; passed then (heights and times are ours)"
    youngest = 6.0
    why_youngest = "the arms of younger children are too small to grip and lift the block"

    def reason(self, play: Play) -> str:
        """Return what was missing."""
        if self.memory["both"] < _LONG:
            return f"both hands have not touched the block for {_LONG} steps"
        return f"both hands have not lifted the block by {100 * _HIGH:.0f} cm for {_LONG} steps"

    def step(self, play: Play) -> Outcome:
        """Count the steps of touch and of lifting."""
        memory, both = self.memory, self.both_touch(play)
        before = (memory["both"] >= _LONG) + (memory["lifted"] >= _LONG)
        if memory["both"] < _LONG:
            memory["both"] = memory["both"] + 1 if both else 0
        if memory["lifted"] < _LONG:
            memory["lifted"] = memory["lifted"] + 1 if both and self.height(play) >= _HIGH else 0
        score = (memory["both"] >= _LONG) + (memory["lifted"] >= _LONG)
        if score > before:
            play.emit("scored", score=score)
        over = score == 2
        return Outcome([float(score - before)], over, True if over else None)
