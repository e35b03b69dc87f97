"""The events of an episode, one stream that logs, scoring and replays read, and the outcome of one decision."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Event:
    """One event of an episode.

    Attributes:
        kind: one of `KINDS`.
        step: its time in physics steps since the start of the episode.
        thing: the id of the thing concerned, as in `World.describe`.
        name: the name of that thing.
        animal: the index of the animal concerned, from 0.
        details: further values, by name; see `KINDS`.
    """

    kind: str
    step: int
    thing: int | None = None
    name: str | None = None
    animal: int | None = None
    details: dict[str, Any] = field(default_factory=dict)


class Outcome(NamedTuple):
    """The result of one decision: a reward for each agent, whether and how the episode ended, and the events."""

    rewards: tuple[float, ...]
    terminated: bool
    truncated: bool
    events: tuple[Event, ...]


KINDS = {
    "started": "an arena begins (`arena`: its id)",
    "unplaced": "a thing found no place (`at`, `against`)",
    "collected": "an animal touched a goal (`value`)",
    "entered": "an animal came into a zone (`zone_id`)",
    "left": "an animal went out of a zone (`zone_id`)",
    "pressed": "an animal pressed a button",
    "dispensed": "a tree or dispenser brought a goal (`dispenser`)",
    "appeared": "an operation brought a thing",
    "vanished": "an operation took a thing away",
    "granted": "an operation gave reward (`value`)",
    "froze": "an operation stopped an animal (`steps`)",
    "lights": "the light went on or off (`on`)",
    "finished": "an animal is done (`passed`; `cause`: completed, health, time, or other; `latency` in seconds)",
    "merged": "the next arena takes over (`arena`)",
    "notified": "the end is shown (`success`)",
    "ended": "the episode is over (`cause`)",
    "error": "the physics failed and the episode is over (`reason`)",
}
