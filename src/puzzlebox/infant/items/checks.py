"""Whether an item is written as it must be: one sentence for each mistake, instead of an error somewhere later."""

from collections.abc import Mapping, Sequence
from json import dumps
from math import isfinite
from typing import Any

from puzzlebox.infant.items.item import Event, Item, Mode, Outcome, Trial, Verb
from puzzlebox.infant.scenes.log import Log
from puzzlebox.infant.scenes.stage import Stage
from puzzlebox.text import closest, nearest

SENSES = ("eyes", "ears", "skin", "joints", "balance")
_NEEDED = ("number", "name", "senses", "emerging", "mastery")
# The verbs that need a caregiver, and those that act on a thing.
_CARE = (Verb.SAY, Verb.LOOK, Verb.POINT, Verb.PUT, Verb.GIVE, Verb.LAY)
_THINGS = (Verb.SHOW, Verb.HIDE, Verb.PLACE, Verb.GLOW, Verb.POINT, Verb.PUT, Verb.GIVE, Verb.LAY, Verb.LET_GO)


def check_item(item: Any) -> None:
    """Raise a ValueError unless an item has all that it must have, and its senses are known."""
    kind = type(item).__name__
    for name in _NEEDED:
        if not hasattr(item, name):
            raise ValueError(f"item {kind} has no `{name}`; an item has {', '.join(_NEEDED)}")
    if isinstance(item.senses, str):
        raise ValueError(f"item {item.code} has the senses {item.senses!r}; they must be a tuple of names")
    for sense in item.senses:
        if sense not in SENSES:
            raise ValueError(f"item {item.code} has the sense {sense!r}{nearest(str(sense), SENSES)}")


def check_mode(mode: Any, item: Item) -> Mode:
    """Return a way to move the child, by its name.

    Raises:
        ValueError: there is no such way, or the item does not allow it.
    """
    names = [each.value for each in Mode]
    value = mode.value if isinstance(mode, Mode) else mode
    if value not in names:
        raise ValueError(f"the mode is {mode!r}; it must be one of {', '.join(names)}{closest(str(mode), names)}")
    if Mode(value) not in item.modes:
        allowed = ", ".join(each.value for each in item.modes)
        raise ValueError(f"item {item.code} cannot be played with {value}; it can be with {allowed}")
    return Mode(value)


def check_watch(item: Item, stage: Stage) -> None:
    """Raise a ValueError if an item watches something that is not on its stage."""
    for name in item.watch:
        _known(f"item {item.code} watches", name, list(stage.things))


def check_block(item: Item, trials: Any, stage: Stage) -> list[Trial]:
    """Return the trials of a block.

    Raises:
        ValueError: there are none, or a trial or an event is not as it must be.
    """
    if not isinstance(trials, Sequence) or not trials:
        raise ValueError(f"a block of item {item.code} is {trials!r}; it must be a list of at least one Trial")
    for trial in trials:
        if not isinstance(trial, Trial):
            raise ValueError(f"a block of item {item.code} has {trial!r}; it must be a list of Trial")
        _check_trial(f"a trial {trial.kind!r} of item {item.code}", trial, stage)
    return list(trials)


def _check_trial(who: str, trial: Trial, stage: Stage) -> None:
    if not _number(trial.seconds) or trial.seconds <= 0:
        raise ValueError(f"{who} lasts {trial.seconds!r} seconds; it must be a number above 0")
    if not _number(trial.opens) or not 0 <= trial.opens < trial.seconds:
        raise ValueError(f"{who} opens at {trial.opens!r} s; it must be 0 to less than its {trial.seconds:g} s")
    try:
        dumps(dict(trial.facts))
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{who} has facts that a log cannot hold: {problem}; plain values can be held") from None
    before = 0.0
    for event in trial.events:
        if not isinstance(event, Event):
            raise ValueError(f"{who} has the event {event!r}; it must be an Event")
        if not isinstance(event.verb, Verb):
            verbs = [f"Verb.{each.name}" for each in Verb]
            raise ValueError(f"{who} has the verb {event.verb!r}; it must be one of {', '.join(verbs)}")
        if not _number(event.at) or not 0 <= event.at < trial.seconds:
            raise ValueError(
                f"{who} has an event {event.verb.value!r} at {event.at!r} s; it must be 0 to less than its "
                f"{trial.seconds:g} s"
            )
        if event.at < before:
            raise ValueError(f"{who} has an event at {event.at:g} s after one at {before:g} s; events are in order")
        before = event.at
        _check_target(who, event, stage)


def _check_target(who: str, event: Event, stage: Stage) -> None:
    doing = f"{who} has an event {event.verb.value!r} of"
    if event.verb in _CARE and "caregiver" not in stage.people:
        raise ValueError(f"{who} has an event {event.verb.value!r}, but there is no caregiver on its stage")
    if event.verb in _THINGS:
        _known(doing, event.thing, list(stage.things))
    elif event.verb is Verb.SOUND:
        _known(doing, event.thing, list(stage.sounds.placed))


def _known(doing: str, name: str, known: list[str]) -> None:
    if name not in known:
        raise ValueError(f"{doing} {name!r}; there are {', '.join(known) or 'none'}{closest(str(name), known)}")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


class Checked:
    """An item whose outcomes and scores are checked; for all else it is that item."""

    def __init__(self, item: Item) -> None:
        self._item = item

    def __getattr__(self, name: str) -> Any:
        return getattr(self._item, name)

    def outcome(self, facts: Mapping[str, Any], window: Log) -> dict[str, Any]:
        """Return what came of a trial.

        Raises:
            ValueError: the item returned no mapping, or asked for a thing that its log does not hold.
        """
        item = self._item
        try:
            found = item.outcome(facts, window)
        except KeyError as problem:
            held = list(window.entries[0].things) if window.entries else []
            name = problem.args[0] if problem.args else None
            if not isinstance(name, str) or name in held or name in facts:
                raise
            watched, facts_there = ", ".join(held) or "nothing", ", ".join(facts)
            raise ValueError(
                f"item {item.code} asks its log for {name!r}; `watch` has {watched}, and the facts are {facts_there}"
            ) from problem
        if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
            raise ValueError(
                f"the outcome of item {item.code} is {found!r}; it must be a dictionary of plain values by name"
            )
        return dict(found)

    def judge(self, outcomes: Sequence[Outcome]) -> int:
        """Return the score.

        Raises:
            ValueError: it is not 0, 1 or 2.
        """
        points = self._item.judge(outcomes)
        if isinstance(points, bool) or points not in (0, 1, 2):
            raise ValueError(f"item {self._item.code} was judged {points!r}; a score is 0, 1 or 2")
        return int(points)
