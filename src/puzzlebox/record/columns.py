"""The columns of the tables of steps and events; those of episodes are the fields of `Episode`."""

from collections.abc import Iterable

from puzzlebox.columns import Column, markdown
from puzzlebox.record.episode import EPISODES, TABLE
from puzzlebox.wings import Wing

# What every wing's steps have, before and after what only some measure.
_BEFORE = (
    Column("episode", "text", "the id of the episode"),
    Column("step", "whole", "steps since its start; 0 is the moment before the first action"),
    Column("seconds", "number", "the same in time of the simulation", "s"),
    Column("time_ms", "number", "time since its start when the action was taken", "ms"),
)
_WORDS = (
    Column("action_name", "text", "the same in words, where actions have names"),
    Column("other_actions", "text", "what further agents did, joined by `;`"),
)
_AFTER = (
    Column("reward", "number", "what this step brought"),
    Column("return", "number", "the sum of rewards so far"),
    Column("view", "text", "the camera played with: `first`, `third`, `top`; empty where nobody looked"),
)
_LAST = (Column("events", "text", "the kinds of what happened, joined by `;` (details: the table of events)"),)
EVENTS = (
    Column("episode", "text", "the id of the episode"),
    Column("step", "whole", "when it happened, in steps"),
    Column("kind", "text", "what happened (of the arena, see `puzzlebox.arena.world.KINDS`)"),
    Column("thing", "whole", "the number of the thing it happened to"),
    Column("name", "text", "the name of that thing"),
    Column("animal", "whole", "the agent it happened to, from 0"),
    Column("details", "text", "what else is to be said, as JSON; `arena` in it is the arena's id as in the file"),
)


def tables(wings: Iterable[Wing]) -> dict[str, tuple[Column, ...]]:
    """The columns of the tables of episodes of these wings, by the names of the tables."""
    return {TABLE: EPISODES, "steps": _steps(list(wings)), "events": EVENTS}


def _steps(wings: list[Wing]) -> tuple[Column, ...]:
    whole = all(wing.action_kind == "whole" for wing in wings)
    what = "what the (first) agent did to get here" + ("" if whole else ": a number, or a JSON list of numbers")
    measures = {column.name: column for wing in wings for column in wing.measures}
    flags = {flag.column.name: flag.column for wing in wings for flag in wing.flags}
    action = Column("action", "whole" if whole else "text", what)
    return (*_BEFORE, action, *_WORDS, *measures.values(), *_AFTER, *flags.values(), *_LAST)


def page(wing: Wing) -> str:
    """The tables of a wing's episodes as Markdown, for the documentation."""
    made = tables([wing])
    return "\n\n".join(f"### `{name}`\n\n{markdown(columns)}" for name, columns in made.items()) + "\n"
