"""Item 04, Hold what arrives: a rod is laid into a palm."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.body.poses import Pose
from puzzlebox.infant.items.item import Event, Item, Outcome, Trial, Verb, enough
from puzzlebox.infant.items.oracles import Script
from puzzlebox.infant.items.session import Session
from puzzlebox.infant.scenes import catalogue
from puzzlebox.infant.scenes.log import Log
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.places import SEATED, TABLE_HEIGHT, seat_scene
from puzzlebox.infant.scenes.predicates import steps_of
from puzzlebox.infant.scenes.stage import Stage

# Arms rest with open hands and palms up.
_OPEN = {
    **SEATED.angles,
    **{"upper_arm.flex": 8, "upper_arm.abduct": 26, "upper_arm.rotate": 8},
    **{"forearm.flex": 108, "forearm.pronate": -80},
    **{"thumb_base.oppose": -10, "thumb_base.close": -25, "thumb_middle.flex": 0, "thumb_tip.flex": 0},
    **{f"{finger}_{part}.flex": 18.0 for finger in ("index", "middle", "ring", "little") for part in ("base", "tip")},
}
_BEND, _SOON, _KEEP, _NEAR, _CLEAR = 20.0, 2.0, 5.0, 0.05, 0.005
_WAIT, _WAY, _PRESS = 2.0, 1.0, 1.0
_LET_GO = _WAIT + _WAY + _PRESS


class HoldWhatArrives(Item):
    """The caregiver lays a rod of 2 cm into a palm, presses it lightly for a second, and lets go.

    A block has 6 trials, hands alternating. A hand closes if its fingers bend by 20 degrees within 2 s of the first
    touch; a hand that opens and closes all the time, also in the 2 s before the touch, does not count.
    """

    number, name, domain, months = 4, "Hold what arrives", "EX", (0.0, 2.0)
    paradigm = "Twitchell 1965"
    senses = ("skin", "joints")
    emerging, mastery = (4, 6), (4, 6)
    guess = 0.0
    watch = ("rod",)

    def stage(self, child: Person) -> Stage:
        """Return the scene with a rod in front of the caregiver."""
        rod = catalogue.rod(length=0.10, radius=0.010).with_(at=(0.50, 0.0, 0.80), hidden=True)
        return seat_scene([rod], child=child, speakers=False, pose=Pose(0, _OPEN))

    def block(self, rng: np.random.Generator, number: int) -> list[Trial]:
        """Return 6 trials; the first hand is random."""
        sides = ["left", "right"] if rng.random() < 0.5 else ["right", "left"]
        trials = []
        for row in range(6):
            side = sides[row % 2]
            events = (Event(_WAIT, Verb.SHOW, "rod"), Event(_WAIT, Verb.LAY, "rod", side))
            trials.append(Trial("test", _LET_GO + _KEEP + 1.0, events, {"side": side}))
        return trials

    def outcome(self, facts: Mapping[str, Any], window: Log) -> dict[str, Any]:
        """Return whether the hand closes on the rod, and keeps it after it was let go."""
        hands = [entry.hands[facts["side"]] for entry in window.entries]
        touched = [row for row, hand in enumerate(hands) if "rod" in hand.touches and hand.felt]
        if not touched:
            return {"closed": False, "kept": False}
        first, soon = touched[0], steps_of(_SOON)
        bend = np.array([hand.flexion for hand in hands])
        restless = np.ptp(bend[max(0, first - soon) : first + 1]) >= _BEND
        closed = bend[first : first + soon + 1].max() - bend[first] >= _BEND
        return {"closed": bool(closed and not restless), "kept": self._kept(facts["side"], window)}

    def _kept(self, side: str, window: Log) -> bool:
        """Return whether the rod stays with the hand, above the table, for 5 s after the caregiver let go."""
        start = steps_of(_LET_GO + CONTROL_STEP)
        rows = window.entries[start : start + steps_of(_KEEP) + 1]
        if len(rows) <= steps_of(_KEEP):
            return False
        for entry in rows:
            hand, rod = entry.hands[side], entry.things["rod"]
            held = hand.holds == "rod" or "rod" in hand.touches
            if not held or rod.lowest < TABLE_HEIGHT + _CLEAR or np.linalg.norm(np.subtract(hand.palm, rod.at)) > _NEAR:
                return False
        return True

    def judge(self, outcomes: Sequence[Outcome]) -> int:
        """Score 1: the hand closes on 4 of 6; 2: the rod stays held for 5 s on 4 of 6, too."""
        if not enough(outcomes, "test", "closed", self.emerging):
            return 0
        return 2 if enough(outcomes, "test", "kept", self.mastery) else 1

    def oracle(self, session: Session) -> Any:
        """Close the hand that feels the rod, and keep it closed."""
        if session.trial is None:
            session.memory.clear()
        script = Script(session, session.memory)
        entry = session.log.entries[-1]
        for side, hand in entry.hands.items():
            # Only a rod that rests in the palm: fingers that close earlier would push it away.
            palm = hand.felt and "rod" in hand.touches and np.linalg.norm(entry.things["rod"].velocity) < 0.02
            if session.trial is not None and palm:
                session.memory["close"] = side
        if "close" in session.memory:
            script.close(session.memory["close"])
        return script.action()
