"""Resuming an episode after the server was stopped: from what is stored, and what the page has seen beyond it."""

import json
from collections.abc import Sequence

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.studio.play import Prepared, gone_on
from puzzlebox.arena.studio.schedule import SessionSchedule
from puzzlebox.arena.world import Record
from puzzlebox.record import Breaks, Episode, Start, Store

# No page has seen more that is not stored than this; ten seconds would be a very slow disk.
MOST_UNSTORED = 3000
# Why an episode ended that was begun anew.
RESTART = "restart"
# What a player is told who gets a new episode instead, and one of the reasons.
GONE = "the episode could not be resumed: {}; this is a new one"
DELETED = "it was deleted"


class CannotResume(Exception):
    """An episode cannot be resumed; its text is one sentence that says why."""


def later_actions(done: Sequence[int], step: int, seen: Sequence[int]) -> tuple[int, ...]:
    """What a page saw beyond what is known here.

    Args:
        done: the actions known here, from the first step on.
        step: the last one the page was told is stored.
        seen: the actions the page saw after it.

    Raises:
        CannotResume: the two do not fit together.
    """
    if step > len(done):
        raise CannotResume(f"the page knows {step} steps as stored, but there are {len(done)}")
    both = min(len(done) - step, len(seen))
    if list(done[step : step + both]) != list(seen[:both]):
        raise CannotResume("what the page has seen is not what was stored")
    return tuple(seen[both:])


def recovered(store: Store, id: str, step: int, seen: Sequence[int]) -> tuple[Prepared, Episode, Record]:
    """An episode where it was when the connection broke.

    It is this program's from now on, and no other's.

    Raises:
        CannotResume: it cannot be resumed, and why.
        PlayedElsewhere: another server plays it.
    """
    store.claim(id)
    try:
        return _rebuilt(store, id, step, seen)
    except BaseException:
        store.release(id)
        raise


def _rebuilt(store: Store, id: str, step: int, seen: Sequence[int]) -> tuple[Prepared, Episode, Record]:
    try:
        episode = store.episode(id)
    except KeyError:
        raise CannotResume("the episode had not been stored yet") from None
    if episode.finished:
        raise CannotResume("the episode is over")
    if store.fault(id) is not None:
        raise CannotResume("it cannot be recorded any further")
    if episode.player != "human" or episode.decision_period != 1:
        raise CannotResume("only what a participant plays can be resumed")
    try:
        record, text = store.record(id), store.task_text(id)
    except KeyError:
        raise CannotResume(DELETED) from None
    later = later_actions([actions[0] for actions in record.actions], step, seen)
    times = store.steps(id)["time_ms"]
    start = _start_of(episode, text)
    breaks = Breaks(episode.hidden_ms or 0.0, episode.paused_ms or 0.0)
    return gone_on(start, record, times[-1] if times else None, later, breaks), episode, record


def progress(store: Store, schedule: SessionSchedule) -> tuple[set[int], Episode | None]:
    """How far a participant has come in a task, by what is stored.

    Episodes of the same participant, task and rules count, and of the same seed where the schedule has one.

    Returns:
        The positions of the arenas that were played to an end or left for the next one, and the participant's newest
        episode if it is not over.
    """
    if schedule.participant is None:
        return set(), None
    played = [
        episode
        for episode in store.episodes_of(schedule.participant, schedule.task_hash)
        if Rules.named(episode.rules_fields) == schedule.rules and schedule.seed in (None, episode.seed)
    ]
    done = {episode.arena for episode in played if episode.finished and episode.ended_by != RESTART}
    return done, played[-1] if played and not played[-1].finished else None


def _start_of(episode: Episode, text: str) -> Start:
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
