"""The columns of the tables of steps and events; those of episodes are the fields of `Episode`.

After the fields of `Episode` come the experimental factors of the tasks, each in a column `factor_NAME`, and the last
values of a wing's measures, each in a column `final_NAME`, if the wing wants them there.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from puzzlebox.columns import Column, Kind, markdown
from puzzlebox.record.episode import EPISODES, TABLE, Episode
from puzzlebox.wings import Wing

# What the names of the columns of factors begin with.
FACTOR = "factor_"
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


def tables(wings: Iterable[Wing], factors: Iterable[Column] = ()) -> dict[str, tuple[Column, ...]]:
    """Return the columns of the tables `episodes`, `steps` and `events` for episodes of these wings and factors."""
    wings = list(wings)
    return {TABLE: (*EPISODES, *factors, *final_columns(wings).values()), "steps": _steps(wings), "events": EVENTS}


def final_columns(wings: Iterable[Wing]) -> dict[str, Column]:
    """Return the columns of the last values of measures, by the names of the measures."""
    measures = {column.name: column for wing in wings if wing.final_measures for column in wing.measures}
    return {
        name: Column(f"final_{name}", column.kind, f"{column.meaning}, at the end of the episode", column.unit)
        for name, column in measures.items()
    }


def factor_columns(values: Iterable[Mapping[str, Any]]) -> dict[str, Column]:
    """Return the columns of factors, by their names; `values` are the factors of each episode.

    A column whose values are all numbers, or all truth values, has that kind, and any other one has texts.
    """
    kinds: dict[str, set[Kind]] = {}
    for factors in values:
        for name, value in factors.items():
            kinds.setdefault(name, set()).add(_kind(value))
    meaning = "the value of the factor {} of the task: drawn for the variation of a template, or of the metadata"
    return {
        name: Column(FACTOR + name, own.pop() if len(own) == 1 else "text", meaning.format(name))
        for name, own in kinds.items()
    }


def _kind(value: Any) -> Kind:
    return "truth" if isinstance(value, bool) else "number" if isinstance(value, int | float) else "text"


def episode_row(episode: Episode, finals: Iterable[str], factors: Mapping[str, Column] | None = None) -> list[Any]:
    """Return the cells of an episode's row.

    Args:
        episode: the episode.
        finals: the measures of `final_columns`.
        factors: the columns of `factor_columns`.
    """
    own = [_factor_cell(column, episode.factors.get(name)) for name, column in (factors or {}).items()]
    return [*episode.row(), *own, *(episode.measures.get(name) for name in finals)]


def _factor_cell(column: Column, value: Any) -> Any:
    if value is None:
        return None
    return str(value) if column.kind == "text" else float(value) if column.kind == "number" else value


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
