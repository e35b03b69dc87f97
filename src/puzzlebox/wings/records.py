"""Records as JSON: all that is needed to replay an episode, in the same form for every wing."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from puzzlebox.wings import ARENA, wing_named
from puzzlebox.wings.actions import actions_text

FORMAT = 1


def record_json(
    wing: str, text: str, start: int, seed: int, rules: Mapping[str, Any], actions: Iterable[Sequence[Any]]
) -> str:
    """Return the record of an episode as one line of JSON.

    Args:
        wing: the name of its wing.
        text: the text of its task.
        start: the index of the start, from 0: in the arena wing, of the arena.
        seed: its seed.
        rules: the fields of its rules.
        actions: the actions of all bodies for each decision.
    """
    about = {"format": FORMAT, **({} if wing == ARENA else {"wing": wing}), "task": text, "rules": rules}
    own = {"arena": start, "seed": seed, "actions": [actions_text(each) for each in actions]}
    return json.dumps(about | own, separators=(",", ":"))


def read_record(text: str) -> Any:
    """Parse a text of `record_json` into the record class of its wing.

    Raises:
        ValueError: the text is not a record, or a damaged one; the message says why.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    wing = data.get("wing", ARENA) if isinstance(data, dict) else ARENA
    return wing_named(str(wing)).read_record(text)
