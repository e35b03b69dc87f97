"""Item 03, Which ear?: a rattle sounds from one side."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from puzzlebox.infant.items.item import Event, Item, Outcome, Trial, Verb, at_most, balanced, enough
from puzzlebox.infant.items.oracles import Script
from puzzlebox.infant.items.session import Session
from puzzlebox.infant.scenes.log import Log
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.places import SPEAKER_DEGREES, seat_scene
from puzzlebox.infant.scenes.predicates import head_turn
from puzzlebox.infant.scenes.stage import Stage
from puzzlebox.infant.sound.sources import Rattle

_TURN, _ERROR, _SECONDS, _LEVEL = 20.0, 25.0, 10.0, 0.3
_SIDES = {"left": 1.0, "right": -1.0}


class WhichEar(Item):
    """A rattle sounds for 10 s from a loudspeaker 80 degrees to the left or right, 50 cm away, in the dark.

    A block has 8 trials and 4 silent ones. The first turn of the head by 20 degrees counts: a head that wanders to both
    sides guesses. A head that also turns in silence does not turn to the sound.
    """

    number, name, domain, months = 3, "Which ear?", "AT", (0.0, 2.0)
    paradigm = "Muir and Field 1979"
    senses = ("ears", "joints")
    emerging, mastery = (5, 8), (7, 8)

    def stage(self, child: Person) -> Stage:
        """Return a dark scene with a silent rattle in both loudspeakers."""
        stage = seat_scene(child=child, caregiver=False, lamp=0.0)
        for number, side in enumerate(_SIDES):
            stage.attach_sound(f"{side} rattle", Rattle(0.0, seed=number), f"{side} speaker")
        return stage

    def block(self, rng: np.random.Generator, number: int) -> list[Trial]:
        """Return 8 trials, half on either side, and 4 silent ones."""
        kinds = [("test", side) for side in balanced(rng, list(_SIDES), 8)]
        kinds += [("silent", side) for side in balanced(rng, list(_SIDES), 4)]
        trials = []
        for row in rng.permutation(len(kinds)).tolist():
            kind, side = kinds[row]
            events = (Event(0.0, Verb.SOUND, f"{side} rattle", _LEVEL),) if kind == "test" else ()
            trials.append(Trial(kind, _SECONDS, events, {"side": side}))
        return trials

    def outcome(self, facts: Mapping[str, Any], window: Log) -> dict[str, Any]:
        """Return whether the first turn goes to the side, whether the head turns at all, and whether it ends there."""
        turned = head_turn(window) * _SIDES[facts["side"]]
        far = np.flatnonzero(np.abs(turned) >= _TURN)
        final = window.entries[-1].head[0] * _SIDES[facts["side"]]
        return {
            "turned": bool(len(far) and turned[far[0]] > 0),
            "moved": bool(len(far)),
            "facing": abs(final - SPEAKER_DEGREES) <= _ERROR,
        }

    def judge(self, outcomes: Sequence[Outcome]) -> int:
        """Return the score.

        1: the head turns to the sound on 5 of 8, and turns to any side on at most half of the silent trials. 2: to the
        sound on 7 of 8, faces it at the end on 5 of 8, and turns on at most a quarter of the silent trials.
        """
        if not (enough(outcomes, "test", "turned", self.emerging) and at_most(outcomes, "silent", "moved", (1, 2))):
            return 0
        mastered = enough(outcomes, "test", "turned", self.mastery) and enough(outcomes, "test", "facing", (5, 8))
        return 2 if mastered and at_most(outcomes, "silent", "moved", (1, 4)) else 1

    def oracle(self, session: Session) -> Any:
        """Turn to the loudspeaker that sounds, or ahead if none does."""
        script = Script(session, session.memory)
        levels = {side: session.stage.sounds.placed[f"{side} rattle"].source.level for side in _SIDES}
        loud = [side for side, level in levels.items() if level > 0]
        script.look(session.stage[f"{loud[0]} speaker"].position if loud else session.ahead)
        return script.action()
