"""Item 19, Reach and find it: a bright block within reach."""

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
from puzzlebox.infant.scenes.predicates import REACH_NEAR, palms, path_ratio, steps_of, touch, touch_by_any
from puzzlebox.infant.scenes.stage import Stage

_SIZE, _SECONDS, _SOON = 0.05, 20.0, 8.0
# Directions to the left from the shoulder in degrees, and distances relative to the arm: two on either side.
_PLACES = ((-14.0, 0.82), (6.0, 0.90), (-6.0, 0.90), (14.0, 0.82))


def places_for(age_months: float) -> list[tuple[float, float, float]]:
    """Return the four places of the block on the table, 60 to 90 % of the arm's length from a shoulder."""
    seat = Seat.of(age_months)
    height = seat.table + _SIZE / 2
    out = []
    for number, (degrees, share) in enumerate(_PLACES):
        shoulder = seat.shoulders[0 if number % 2 == 0 else 1]
        level = np.sqrt(max((share * seat.arm) ** 2 - (shoulder[2] - height) ** 2, 0.0))
        angle = np.radians(degrees)
        x = max(float(shoulder[0] + level * np.cos(angle)), seat.near + 0.06)
        out.append((x, float(shoulder[1] + level * np.sin(angle)), height))
    return out


class ReachAndFind(Item):
    """A bright block of 5 cm lies on the table, 60 to 90 % of the arm's length away.

    A block of trials has 8 of 20 s, two at each of four places, and 2 blank ones without a thing on the table, in which
    a hand that comes within 8 cm of any of the places counts as a reach.
    """

    number, name, domain, months = 19, "Reach and find it", "EX", (4.0, 5.0)
    paradigm = "von Hofsten 1982; Thelen and others 1993"
    senses = ("eyes", "joints", "skin")
    emerging, mastery = (4, 8), (7, 8)
    guess = 0.0
    # Hands that wander find the block about every second time; blank trials show it, but two are too few.
    least_blocks = 4
    watch = ("block",)

    def stage(self, child: Person) -> Stage:
        """Return the scene with a block that is hidden at first."""
        block = catalogue.block(size=_SIZE, colour=catalogue.RED).on(0.30, 0.0, TABLE_HEIGHT).with_(hidden=True)
        return seat_scene([block], child=child, caregiver=False, speakers=False, pose=WAITING)

    def block(self, rng: np.random.Generator, number: int) -> list[Trial]:
        """Return 8 trials and 2 blank ones."""
        kinds = [("test", place) for place in balanced(rng, range(4), 8)]
        kinds += [("blank", place) for place in balanced(rng, range(4), 2)]
        trials = []
        for row in rng.permutation(len(kinds)).tolist():
            kind, place = kinds[row]
            events: tuple[Event, ...] = ()
            if kind == "test":
                events = (Event(0.0, Verb.PLACE, "block", self.place(place)), Event(0.0, Verb.SHOW, "block"))
            trials.append(Trial(kind, _SECONDS, events, {"place": place}))
        return trials

    @classmethod
    def for_age(cls, age_months: float) -> "ReachAndFind":
        """Return the item with things within reach at some age."""
        return cls(age_months)

    def __init__(self, age_months: float = 18.0) -> None:
        self.places = places_for(age_months)

    def place(self, number: int) -> tuple[float, float, float]:
        """Return one of the four places."""
        return self.places[number]

    def outcome(self, facts: Mapping[str, Any], window: Log) -> dict[str, Any]:
        """Return whether and how the block is touched, or a place is reached for in vain."""
        if facts["kind"] == "blank":
            away = [np.linalg.norm(palms(window, side) - place, axis=1) for side in SIDES for place in self.places]
            # A hand that rests near a place has not reached for it.
            return {"reached": any(bool(((each < REACH_NEAR) & (each <= 0.5 * each[0])).any()) for each in away)}
        rows = np.flatnonzero(touch_by_any(window, "block"))
        if not len(rows):
            return {"touched": False, "soon": False, "straight": False}
        first = int(rows[0])
        side = next(each for each in SIDES if touch(window, each, "block")[first])
        soon = first <= steps_of(_SOON)
        moving = window.window(self._start(window, side), first + 1)
        return {"touched": True, "soon": soon, "straight": path_ratio(moving, side) <= 2.0}

    def _start(self, window: Log, side: str) -> int:
        """Return the row in which a hand begins to move: the last in which it is within 1 cm of its first place."""
        places = palms(window, side)
        still = np.linalg.norm(places - places[0], axis=1) < 0.01
        moved = np.flatnonzero(~still)
        return int(moved[0]) - 1 if len(moved) else 0

    def decided(self, facts: Mapping[str, Any], window: Log) -> bool:
        """A touch decides a trial."""
        return facts["kind"] == "test" and bool(touch_by_any(window.window(-1), "block").any())

    def judge(self, outcomes: Sequence[Outcome]) -> int:
        """Score 1: touched on 4 of 8, and at most half of the blank trials with a reach; 2: soon and straight."""
        if not (enough(outcomes, "test", "touched", self.emerging) and at_most(outcomes, "blank", "reached", (1, 2))):
            return 0
        mastered = enough(outcomes, "test", "soon", self.mastery) and enough(outcomes, "test", "straight", (5, 8))
        return 2 if mastered else 1

    def oracle(self, session: Session) -> Any:
        """Reach for the block with the hand on its side."""
        block = session.stage["block"]
        if session.trial is None or block.hidden:
            session.memory.clear()
            return Script(session, session.memory).action()
        script = Script(session, session.memory)
        place = block.position
        script.look(place)
        script.reach(place + np.array((0.0, 0.0, 0.02)), "left" if place[1] > 0 else "right")
        return script.action()
