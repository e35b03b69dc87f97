"""Item 01, Edge-of-view catch: something lights up at the side."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from puzzlebox.infant.items.item import Event, Item, Outcome, Trial, Verb, at_most, balanced, enough
from puzzlebox.infant.items.oracles import Script
from puzzlebox.infant.items.session import Session
from puzzlebox.infant.scenes import catalogue
from puzzlebox.infant.scenes.log import Log
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.places import Seat, seat_scene
from puzzlebox.infant.scenes.predicates import first_look
from puzzlebox.infant.scenes.props import turned
from puzzlebox.infant.scenes.stage import Stage

_DEGREES, _DISTANCE, _DIM = 30.0, 0.40, 0.06
_SIDES = {"left": _DEGREES, "right": -_DEGREES}
_SECONDS, _SOON = 5.0, 2.0


class EdgeOfView(Item):
    """A chequered disc of 8 cm lights up 30 degrees to the left or right, 40 cm away, in a dim room.

    A block has 8 trials of 5 s and 4 blank ones, in which nothing lights up but a side counts all the same.
    """

    number, name, domain, months = 1, "Edge-of-view catch", "AT", (0.0, 1.0)
    paradigm = "Fantz 1963; Harris and MacFarlane 1974"
    senses = ("eyes",)
    sees = True
    emerging, mastery = (5, 8), (7, 8)
    watch = ("disc-left", "disc-right")

    def stage(self, child: Person) -> Stage:
        """Return a dim scene with both discs, which are hidden at first."""
        places = Seat.of(child.age_months)
        discs = [
            catalogue.disc(f"disc-{side}").with_(
                at=places.around(degrees, _DISTANCE), turn=turned(degrees), hidden=True, glows=True
            )
            for side, degrees in _SIDES.items()
        ]
        return seat_scene(discs, child=child, caregiver=False, speakers=False, lamp=_DIM)

    def block(self, rng: np.random.Generator, number: int) -> list[Trial]:
        """Return 8 trials and 4 blank ones, half of each on either side."""
        kinds = [("test", side) for side in balanced(rng, list(_SIDES), 8)]
        kinds += [("blank", side) for side in balanced(rng, list(_SIDES), 4)]
        trials = []
        for row in rng.permutation(len(kinds)).tolist():
            kind, side = kinds[row]
            events = (Event(0.0, Verb.SHOW, f"disc-{side}"),) if kind == "test" else ()
            trials.append(Trial(kind, _SECONDS, events, {"side": side}))
        return trials

    def outcome(self, facts: Mapping[str, Any], window: Log) -> dict[str, Any]:
        """Return whether and when the disc, or its empty place, is looked at."""
        seconds = first_look(window, f"disc-{facts['side']}", visible=facts["kind"] == "test")
        return {"looked": seconds is not None, "soon": seconds is not None and seconds <= _SOON}

    def decided(self, facts: Mapping[str, Any], window: Log) -> bool:
        """A look decides a trial."""
        return bool(self.outcome(facts, window)["looked"])

    def judge(self, outcomes: Sequence[Outcome]) -> int:
        """Score 1: looks on 5 of 8 and at most half of the blank windows; 2: within 2 s on 7 of 8."""
        if not (enough(outcomes, "test", "looked", self.emerging) and at_most(outcomes, "blank", "looked", (1, 2))):
            return 0
        return 2 if enough(outcomes, "test", "soon", self.mastery) else 1

    def oracle(self, session: Session) -> Any:
        """Look at the disc, or ahead if there is none."""
        script = Script(session, session.memory)
        shown = [name for name in self.watch if not session.stage[name].hidden]
        script.look(session.stage[shown[0]].position if shown else session.ahead)
        return script.action()
