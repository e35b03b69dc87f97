"""Item 25, Lights out, still there: a toy is seen, then it is dark."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from puzzlebox.infant.items.item import Event, Item, Outcome, Trial, Verb, at_most, balanced, enough
from puzzlebox.infant.items.oracles import Script
from puzzlebox.infant.items.session import Session
from puzzlebox.infant.scenes import catalogue
from puzzlebox.infant.scenes.log import SIDES, Log
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.places import TABLE_HEIGHT, WAITING, Seat, seat_scene
from puzzlebox.infant.scenes.predicates import palms, touch_by_any
from puzzlebox.infant.scenes.stage import Stage

_SHOWN, _DARK, _ZONE = 3.0, 10.0, 0.12
_SIDES = {"left": 1.0, "right": -1.0}


class LightsOut(Item):
    """A toy lies left or right within reach for 3 s, then the light goes out; a hand may reach for 10 s.

    A block has 8 trials and 4 without a toy. The side whose zone of 12 cm a hand enters first counts.
    """

    number, name, domain, months = 25, "Lights out, still there", "OP", (5.0, 7.0)
    paradigm = "Hood and Willatts 1986"
    senses = ("eyes", "joints", "skin")
    emerging, mastery = (5, 8), (7, 8)
    watch = ("toy",)

    @classmethod
    def for_age(cls, age_months: float) -> "LightsOut":
        """Return the item with things within reach at some age."""
        return cls(age_months)

    def __init__(self, age_months: float = 18.0) -> None:
        seat = Seat.of(age_months)
        height = seat.table + 0.025
        self.places: dict[str, tuple[float, float, float]] = {}
        for side, shoulder in zip(_SIDES, seat.shoulders, strict=True):
            # As far from the shoulder as an almost straight arm reaches, a little outwards.
            level = float(np.sqrt((0.97 * seat.arm) ** 2 - (shoulder[2] - height) ** 2))
            angle = np.radians(18.0) * _SIDES[side]
            self.places[side] = (shoulder[0] + level * np.cos(angle), shoulder[1] + level * np.sin(angle), height)

    def stage(self, child: Person) -> Stage:
        """Return the scene with a toy that is hidden at first."""
        toy = catalogue.block("toy", 0.05, catalogue.ORANGE).on(0.30, 0.0, TABLE_HEIGHT)
        return seat_scene([toy.with_(hidden=True)], child=child, caregiver=False, speakers=False, pose=WAITING)

    def block(self, rng: np.random.Generator, number: int) -> list[Trial]:
        """Return 8 trials, half on either side, and 4 without a toy."""
        kinds = [("test", side) for side in balanced(rng, list(_SIDES), 8)]
        kinds += [("none", side) for side in balanced(rng, list(_SIDES), 4)]
        trials = []
        for row in rng.permutation(len(kinds)).tolist():
            kind, side = kinds[row]
            events: tuple[Event, ...] = ()
            if kind == "test":
                events = (Event(0.0, Verb.PLACE, "toy", self.places[side]), Event(0.0, Verb.SHOW, "toy"))
            events += (Event(_SHOWN, Verb.LAMP, value=0.0),)
            trials.append(Trial(kind, _SHOWN + _DARK, events, {"side": side}, opens=_SHOWN))
        return trials

    def outcome(self, facts: Mapping[str, Any], window: Log) -> dict[str, Any]:
        """Return which zone a hand enters first, and whether it touches the toy."""
        entered = {}
        for side, place in self.places.items():
            away = np.min([np.linalg.norm(palms(window, hand) - place, axis=1) for hand in SIDES], axis=0)
            # A hand that is in the zone when the lights go out has not reached for it in the dark.
            rows = np.flatnonzero((away[1:] < _ZONE) & (away[:-1] >= _ZONE))
            if len(rows):
                entered[side] = int(rows[0]) + 1
        first = min(entered, key=lambda side: entered[side]) if entered else ""
        touch = touch_by_any(window, "toy")
        return {
            "right side": first == facts["side"] and len(set(entered.values())) == len(entered),
            "touched": facts["kind"] == "test" and bool(touch.any() and not touch[0]),
            "reached": bool(entered),
        }

    def decided(self, facts: Mapping[str, Any], window: Log) -> bool:
        """A touch in the dark decides a trial."""
        return facts["kind"] == "test" and bool(touch_by_any(window.window(-1), "toy").any())

    def judge(self, outcomes: Sequence[Outcome]) -> int:
        """Score 1: the right side on 5 of 8; 2: on 7 of 8, touched on 5, reaches on 1 of 4 without a toy at most."""
        if not enough(outcomes, "test", "right side", self.emerging):
            return 0
        mastered = enough(outcomes, "test", "right side", self.mastery) and enough(outcomes, "test", "touched", (5, 8))
        return 2 if mastered and at_most(outcomes, "none", "reached", (1, 4)) else 1

    def oracle(self, session: Session) -> Any:
        """Look at the toy while it can be seen, and reach for it in the dark, also if a finger has pushed it away."""
        trial, toy = session.trial, session.stage["toy"]
        if trial is None or toy.hidden:
            session.memory.clear()
            return Script(session, session.memory).action()
        script = Script(session, session.memory)
        place = toy.position
        if session.seconds > _SHOWN + 0.2:
            script.reach(place + np.array((0.0, 0.0, 0.01)), trial.facts["side"])
        else:
            script.look(place)
        return script.action()
