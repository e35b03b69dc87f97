"""GrabObject: bring both hands to a thing on a table and lift it."""

from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.task import Outcome
from puzzlebox.infant.tasks.two_hands import TwoHandsTask

# The reward when both hands touch the thing for the first time, for each metre it is lifted, and at the end; ours.
_TOUCH, _LIFT, _DONE = 0.5, 10.0, 1.0
# How high the thing must be held with both hands, in metres, and for how many control steps.
_HIGH, _LONG = 0.06, 5


class GrabObject(TwoHandsTask):
    """A child in a high chair grips a block of 9 cm between both hands and lifts it."""

    reward = (
        "the decrease of the distances of both palms (m), 0.5 at the first touch with both hands, 10 for each metre "
        "of height, 1 at the end (the last three are ours)"
    )
    end = "when both hands hold it 6 cm above the table for 5 steps; then it is passed"
    youngest = 5.0
    why_youngest = "the arms of younger children are too small to grip and lift the block"

    def reason(self, play: Play) -> str:
        """Return what was missing."""
        if not self.memory["both"]:
            return "both hands have not touched the block at the same time"
        return f"both hands have not held the block {100 * _HIGH:.0f} cm above the table for {_LONG} steps"

    def step(self, play: Play) -> Outcome:
        """Pay for nearness, touch and height."""
        memory, both, height = self.memory, self.both_touch(play), max(0.0, self.height(play))
        reward = self.approach(play)
        if both and not memory["both"]:
            reward += _TOUCH
            memory["both"] = 1
            play.emit("touched", hands=2)
        # What falls or is thrown is not lifted.
        held = height if both else 0.0
        reward += _LIFT * (held - memory["height"])
        memory["height"] = held
        memory["lifted"] = memory["lifted"] + 1 if both and height >= _HIGH else 0
        over = memory["lifted"] >= _LONG
        if over:
            play.emit("lifted", height=height)
        return Outcome([reward + (_DONE if over else 0.0)], over, True if over else None)
