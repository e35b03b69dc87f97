"""Resumes an episode after the server was stopped, from the stored steps and the later ones that the page has seen."""

from collections.abc import Sequence

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.studio.play import Prepared, rebuild_episode
from puzzlebox.arena.studio.schedule import SessionSchedule
from puzzlebox.arena.world import Record
from puzzlebox.record import Breaks, Episode, Store
from puzzlebox.studio.resuming import DELETED, CannotResume, start_of, unstored_actions

# Steps that a page keeps until they are stored; at 50 steps a second this is a minute.
MAX_UNSTORED = 3000
# The `ended_by` of an episode that the participant restarted.
RESTART = "restart"


def recover_episode(store: Store, id: str, step: int, page_actions: Sequence[int]) -> tuple[Prepared, Episode, Record]:
    """Claim an unfinished episode for this server, and rebuild it as it was when the connection broke.

    Args:
        store: where the episode is stored.
        id: the id of the episode.
        step: the last step that was reported to the page as stored.
        page_actions: the actions the page saw after it.

    Returns:
        The episode ready to be played, its entry in the store, and the record of its stored steps.

    Raises:
        CannotResume: the episode cannot be resumed.
        PlayedElsewhere: another server plays the episode.
    """
    store.claim(id)
    try:
        return _rebuild(store, id, step, page_actions)
    except BaseException:
        store.release(id)
        raise


def _rebuild(store: Store, id: str, step: int, page_actions: Sequence[int]) -> tuple[Prepared, Episode, Record]:
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
        record, text, times = store.record(id), store.task_text(id), store.steps(id)["time_ms"]
    except KeyError:
        raise CannotResume(DELETED) from None
    unstored = unstored_actions([actions[0] for actions in record.actions], step, page_actions)
    start = start_of(episode, text)
    breaks = Breaks(episode.hidden_ms or 0.0, episode.paused_ms or 0.0)
    return rebuild_episode(start, record, times[-1] if times else None, unstored, breaks), episode, record


def progress(store: Store, schedule: SessionSchedule) -> tuple[set[int], Episode | None]:
    """Return how far a participant has come in a task, according to the store.

    Episodes of the same participant, task and rules count, and of the same seed if the schedule has one.

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
