"""The columns of the tables of steps and events; those of episodes are the fields of `Episode`."""

from collections.abc import Iterable

from puzzlebox.columns import Column, markdown
from puzzlebox.record.episode import EPISODES, TABLE
from puzzlebox.wings import Wing

# The columns of all wings, in the order of the table. The action and the measures of a wing stand between them.
_FIRST = (
    Column("episode", "text", "the id of the episode"),
    Column("step", "whole", "steps since the start of the episode; 0 is the moment before the first action"),
    Column("seconds", "number", "simulated time since the start of the episode", "s"),
    Column("time_ms", "number", "real time from the start of the episode to this action", "ms"),
)
_ACTION_WORDS = (
    Column("action_name", "text", "the name of the action; empty in wings whose actions have no names"),
    Column("other_actions", "text", "the actions of further animals, joined by `;`"),
)
_REWARDS = (
    Column("reward", "number", "the reward of this step"),
    Column("return", "number", "the sum of rewards so far"),
    Column("view", "text", "the camera the participant played with: `first`, `third`, `top`; empty for agents"),
)
_LAST = (
    Column("events", "text", "the kinds of the events of this step, joined by `;` (details: the table of events)"),
)
EVENTS = (
    Column("episode", "text", "the id of the episode"),
    Column("step", "whole", "the step at which the event happened"),
    Column("kind", "text", "the kind of event (those of the arena: `puzzlebox.arena.world.KINDS`)"),
    Column("thing", "whole", "the number of the thing the event concerns"),
    Column("name", "text", "the name of that thing"),
    Column("animal", "whole", "the number of the animal the event concerns, from 0"),
    Column("details", "text", "further values, as JSON; `arena` in it is the arena's id in the task file"),
)


def tables(wings: Iterable[Wing]) -> dict[str, tuple[Column, ...]]:
    """Return the columns of the tables `episodes`, `steps` and `events` for episodes of these wings."""
    return {TABLE: EPISODES, "steps": _steps(list(wings)), "events": EVENTS}


def _steps(wings: list[Wing]) -> tuple[Column, ...]:
    whole = all(wing.action_kind == "whole" for wing in wings)
    meaning = "the action of the (first) animal in this step" + (
        "" if whole else ": a number, or a JSON list of numbers"
    )
    measures = {column.name: column for wing in wings for column in wing.measures}
    flags = {flag.column.name: flag.column for wing in wings for flag in wing.flags}
    action = Column("action", "whole" if whole else "text", meaning)
    return (*_FIRST, action, *_ACTION_WORDS, *measures.values(), *_REWARDS, *flags.values(), *_LAST)


def page(wing: Wing) -> str:
    """Describe the tables of a wing's episodes in Markdown, for the documentation."""
    parts = (f"### `{name}`\n\n{markdown(columns)}" for name, columns in tables([wing]).items())
    return "\n\n".join(parts) + "\n"
