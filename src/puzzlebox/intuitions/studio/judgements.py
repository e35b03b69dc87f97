"""Judgements of people: what was judged already, and the storing of an answer as an ordinary episode."""

import hashlib
import threading
from dataclasses import replace
from math import isfinite
from secrets import token_hex
from typing import Any

from puzzlebox.intuitions.apparatus import ANSWERS, WING
from puzzlebox.intuitions.studio.plan import Item, Plan
from puzzlebox.record import Start, Store, StoreError
from puzzlebox.record.entries import hash_of
from puzzlebox.record.recorder import Recorder
from puzzlebox.text import nearest
from puzzlebox.wings import wing_named
from puzzlebox.wings.gymnasium_wing import GymnasiumEvent, GymnasiumOutcome

# Seconds for which a write that fails is retried before the page is asked to send the answer again.
_RETRY_SECONDS = 5.0
# The longest time that an answer may report, in milliseconds: a day. How often films may have been shown again.
_LONGEST_MS, _MOST_REPLAYS = 86_400_000.0, 1000
# Characters of the token that a page has for the duration of its visit.
_VISIT = 16


class InvalidAnswer(ValueError):
    """A page sent an answer that it may not send; the text is one sentence."""


class Judgements:
    """Stores answers; an answer that was acknowledged is in the file, and one that is sent again is stored once.

    Args:
        store: the store of recordings.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        # Answers that were handed to the store and may not be in the file yet.
        self._recorded: set[str] = set()
        self._lock = threading.Lock()

    def describe(self, plan: Plan, participant: str | None) -> dict[str, Any]:
        """Return what a page needs to begin or to resume: how films are shown, and which places are done.

        The order of pairs and films follows from the participant or, without one, from `visit`, which is new each time.
        """
        visit = token_hex(_VISIT // 2)
        items = plan.items(participant or visit)
        return {
            "pairs": len(items),
            "done": sorted(self._done(items, participant)),
            "together": plan.together,
            "speed": plan.speed,
            "view": plan.view,
            "participant": participant,
            "visit": visit,
        }

    def store(self, plan: Plan, participant: str | None, answer: Any) -> dict[str, Any]:
        """Store an answer, and return once it is in the file.

        Args:
            plan: what is judged.
            participant: who judges; None if that is unknown.
            answer: what the page sent: `visit`, `place`, `answer` (one of `ANSWERS`), `time_ms` since the films began,
                `response_ms` since they ended, `replays`.

        Returns:
            The id of the episode.

        Raises:
            InvalidAnswer: the answer is not one of this plan.
            StoreError: it cannot be written at the moment; sent again later, it is stored once.
        """
        # The number of pairs is the same for all.
        checked = _checked(answer, len(plan.items()))
        items = plan.items(participant or checked["visit"])
        place = checked["place"]
        item = items[place]
        id = hashlib.sha256(f"{checked['visit']}/{participant}/{plan.name}/{plan.seed}/{place}".encode()).hexdigest()
        with self._lock:
            id = id[:12]
            if id not in self._recorded and not self._store.knows(id):
                earlier = self._done([item], participant)
                if earlier:  # judged on another page
                    return {"stored": earlier[0]}
                self._record(item, plan, participant, id, checked)
                self._recorded.add(id)
        self._store.flush(_RETRY_SECONDS)
        fault = self._store.fault(id)
        if fault is not None:
            raise fault
        with self._lock:
            self._recorded.discard(id)
        return {"stored": id}

    def _done(self, items: list[Item], participant: str | None) -> dict[int, str]:
        """Return the places of pairs that a participant has judged, each with the id of the episode."""
        if participant is None:
            return {}
        found: dict[tuple[str, int], str] = {}
        for task_hash in {hash_of(item.task.text) for item in items}:
            for each in self._store.episodes_of(participant, task_hash):
                if each.finished:
                    found[task_hash, each.arena] = each.id
        places = {place: (hash_of(item.task.text), item.number) for place, item in enumerate(items)}
        return {place: found[key] for place, key in places.items() if key in found}

    def _record(self, item: Item, plan: Plan, participant: str | None, id: str, answer: dict[str, Any]) -> None:
        wing = wing_named(WING)
        apparatus = wing.apparatus(wing.rules(None), {"size": 0}, 1)
        events = apparatus.begin(item.task, item.number, item.seed)
        name = f"{WING}/{item.task.name}"
        start = Start.of(item.task, name=name, arena=item.number, seed=item.seed, participant=participant)
        recorder = Recorder(self._store, replace(start, id=id), apparatus.session, events=events)
        outcome = apparatus.act({0: ANSWERS.index(answer["answer"])})
        shown = {"together": plan.together, "speed": plan.speed, "place": answer["place"]}
        times = {"response_ms": answer["response_ms"], "replays": answer["replays"]}
        judged = [
            GymnasiumEvent(event.kind, event.step, {**event.details, **times, **shown}) for event in outcome.events
        ]
        recorder.stepped(GymnasiumOutcome(tuple(outcome.rewards), tuple(judged)), time_ms=answer["time_ms"])


def _checked(answer: Any, pairs: int) -> dict[str, Any]:
    """Return an answer whose values are those that a page can send; raise InvalidAnswer if they are not."""
    if not isinstance(answer, dict):
        raise InvalidAnswer("an answer must be a JSON object")
    visit = answer.get("visit")
    if not isinstance(visit, str) or len(visit) != _VISIT or not visit.isalnum():
        raise InvalidAnswer(f"visit is {visit!r:.60}; it must be the one that the page was given")
    for name, most in (("place", pairs - 1), ("replays", _MOST_REPLAYS)):
        value = answer.get(name)
        if type(value) is not int or not 0 <= value <= most:
            raise InvalidAnswer(f"{name} is {value!r:.60}; it must be a whole number from 0 to {most}")
    for name in ("time_ms", "response_ms"):
        value = answer.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidAnswer(f"{name} is {value!r:.60}; it must be a number")
        if not isfinite(value) or not 0 <= value <= _LONGEST_MS:
            raise InvalidAnswer(f"{name} is {value!r:.60}; it must be from 0 to {_LONGEST_MS:.0f}")
    given = answer.get("answer")
    if given not in ANSWERS:
        hint = nearest(given, ANSWERS) if isinstance(given, str) else f"; it must be one of {', '.join(ANSWERS)}"
        raise InvalidAnswer(f"the answer is {given!r:.60}{hint}")
    return answer


__all__ = ["InvalidAnswer", "Judgements", "StoreError"]
