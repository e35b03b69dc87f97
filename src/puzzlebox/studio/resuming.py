"""What every wing needs to resume an episode after the connection or the server was lost."""

import json
from collections.abc import Sequence
from typing import Any

from puzzlebox.record import Episode, Start

# The note shown with the new episode that replaces one which could not be resumed, and one of the reasons.
NOT_RESUMED = "the episode could not be resumed: {}; this is a new one"
DELETED = "it was deleted"


class CannotResume(Exception):
    """An episode cannot be resumed; the text is the reason."""


def unstored_actions(stored: Sequence[Any], step: int, page_actions: Sequence[Any]) -> tuple[Any, ...]:
    """Return the actions a page has seen that the server does not know.

    Args:
        stored: the actions the server knows, from the first step on.
        step: the last step that was reported to the page as stored.
        page_actions: the actions the page saw after it.

    Raises:
        CannotResume: the page and the server know different actions.
    """
    if step > len(stored):
        raise CannotResume(f"the page knows {step} steps as stored, but there are {len(stored)}")
    common = min(len(stored) - step, len(page_actions))
    if list(stored[step : step + common]) != list(page_actions[:common]):
        raise CannotResume("what the page has seen is not what was stored")
    return tuple(page_actions[common:])


def start_of(episode: Episode, text: str) -> Start:
    """Return the entry with which the recording of an episode began, by its summary and the text of its task."""
    return Start(
        id=episode.id,
        wing=episode.wing,
        task_text=text,
        task_hash=episode.task_hash,
        task=episode.task,
        title=episode.title,
        arena=episode.arena,
        seed=episode.seed or 0,
        rules=json.dumps(episode.rules_fields, sort_keys=True),
        player=episode.player,
        agent=None if episode.by_person else episode.agent,
        started=episode.started,
        decision_period=episode.decision_period or 1,
        step_seconds=episode.step_seconds or 0.0,
        participant=episode.participant,
    )
