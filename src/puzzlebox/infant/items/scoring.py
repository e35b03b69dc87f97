"""Scores of items from their logs alone."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from puzzlebox.infant.items.item import Item, Outcome, Trial
from puzzlebox.infant.scenes.log import Log
from puzzlebox.infant.scenes.predicates import steps_of
from puzzlebox.seeds import rng_from

TRIAL, END = "trial ", "end"


@dataclass(frozen=True)
class Score:
    """The score of an administration.

    Attributes:
        points: 0, 1 or 2.
        outcomes: what came of each trial.
    """

    points: int
    outcomes: tuple[Outcome, ...]


def cue_of(trial: Trial) -> str:
    """Return what the log says at the start of a trial."""
    return TRIAL + json.dumps({"kind": trial.kind, "opens": trial.opens, **trial.facts}, sort_keys=True)


def facts_of(cues: list[str]) -> dict[str, Any] | None:
    """Return the facts of the trial that begins with these cues; None if none does."""
    for cue in cues:
        if cue.startswith(TRIAL):
            facts: dict[str, Any] = json.loads(cue.removeprefix(TRIAL))
            return facts
    return None


def windows(log: Log) -> list[tuple[dict[str, Any], Log]]:
    """Return the facts of each complete trial with the steps in which responses count.

    The entry with the start of a trial is the state before its first step; it is part of the window, so that changes
    are measured from it.
    """
    found, start, facts = [], -1, None
    for row, entry in enumerate(log.entries):
        begins = facts_of(entry.cues)
        if END in entry.cues and facts is not None:
            found.append((facts, log.window(start + steps_of(facts["opens"]), row + 1)))
            facts = None
        if begins is not None:
            facts, start = begins, row
    return found


def outcomes_of(item: Item, log: Log) -> tuple[Outcome, ...]:
    """Return what came of each complete trial of a log, also while others are still to be played."""
    return tuple(Outcome(facts["kind"], item.outcome(facts, window)) for facts, window in windows(log))


def score(item: Item, log: Log) -> Score:
    """Return the score of an administration from its log.

    Args:
        item: the item.
        log: all trials of as many blocks as it says. Default: as many as the chance guard asks for.

    Raises:
        ValueError: trials are missing in the log.
    """
    outcomes = outcomes_of(item, log)
    blocks = log.facts.get("blocks", item.blocks)
    # Every block has as many trials of each kind, whatever the rng.
    wanted = Counter(trial.kind for trial in item.block(rng_from(0), 0) for _ in range(blocks))
    there = Counter(each.kind for each in outcomes)
    if any(there[kind] < count for kind, count in wanted.items()):
        counts = " and ".join(f"{there[kind]} of {count} {kind} trials" for kind, count in sorted(wanted.items()))
        raise ValueError(f"the log of item {item.code} has no score: only {counts} are complete")
    return Score(item.judge(outcomes), outcomes)


def possible(item: Item, outcomes: Sequence[Outcome], left: Sequence[Trial]) -> tuple[int, int]:
    """Return the least and the greatest score that trials which are still to be played can lead to.

    What an item counts in its `test` trials is a success, and what it counts in all others a failure.

    Args:
        item: the item.
        outcomes: those of the trials that are complete.
        left: the other trials.
    """

    def all_of(success: bool) -> list[Outcome]:
        return [Outcome(each.kind, _same((each.kind == "test") is success)) for each in left]

    return item.judge([*outcomes, *all_of(False)]), item.judge([*outcomes, *all_of(True)])


def _same(value: bool) -> dict[str, bool]:
    return defaultdict(lambda: value)
