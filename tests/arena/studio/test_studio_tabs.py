"""Two pages of one participant, of a participant whose recordings were deleted, and pages on which no episode began."""

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from puzzlebox.record.deletion import forget
from puzzlebox.studio.protocol import FrameFlag
from studio_page import Page, Studio, running, wait_for
from test_studio_lifecycle import SHORT, until_waiting

FORWARDS = 3
ELSEWHERE = "this task is open in another tab or window; go on there, or continue here"
DELETED = "the episode could not be resumed: it was deleted; this is a new one"


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    with running(tmp_path / "recordings.sqlite") as studio:
        yield studio


@pytest.fixture(autouse=True)
def no_traceback(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No test of this file may log an error."""
    yield
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def opened_twice(studio: Studio, first: dict[str, Any]) -> list[Page]:
    """Two pages opened at the same moment: the second sends its first message before the first is answered."""
    return [studio.page(dict(first), manual_start=True) for _ in range(2)]


def survivor(pages: list[Page]) -> Page:
    """Return the page that plays; the other one must have got the error that the task is open elsewhere."""
    for page in pages:
        page.until(lambda page: page.episodes)
    for page in pages:
        with suppress(ConnectionClosed):
            page.send({"type": "begin"})
    for page in pages:
        begun = page.episodes[0]["step"]
        page.until(lambda page, begun=begun: page.step >= begun + 3 or page.received("error"))  # type: ignore[misc]
    (loser,) = [page for page in pages if page.received("error")]
    assert loser.last("error") == {"type": "error", "message": ELSEWHERE, "elsewhere": True}
    return next(page for page in pages if page is not loser)


def test_two_tabs_opened_at_once_play_one_episode(studio: Studio) -> None:
    pages = opened_twice(studio, {"type": "start", "task": "examples/food", "participant": "P01"})
    page = survivor(pages)
    studio.store.flush()
    assert [each.id for each in studio.store.episodes()] == [page.episode]
    for each in pages:
        each.close()


@pytest.mark.parametrize("kind", ["start", "resume"])
def test_two_tabs_opened_at_once_after_a_restart_resume_one_episode(tmp_path: Path, kind: str) -> None:
    path, task = tmp_path / "r.sqlite", {"task": "examples/food", "participant": "P01"}
    with running(path) as studio, studio.page(**task) as page:
        page.until_step(10)
        page.until(lambda page: page.acknowledged.get(page.episode, 0) > 5)
    with running(path) as studio:
        pages = opened_twice(studio, (page.resume() if kind == "resume" else {"type": kind}) | task)
        assert survivor(pages).episode == page.episode
        studio.store.flush()
        assert studio.store.error is None and studio.store.count() == 1
        for each in pages:
            each.close()


# --- a participant whose recordings were deleted


def played(studio: Studio, task: str) -> Page:
    """Play as P01 until steps are stored, and return the page after it has disconnected."""
    with studio.page(task=task, participant="P01") as page:
        page.until(lambda page: page.acknowledged.get(page.episode, 0) > 3)
    wait_for(lambda: page.episode in studio.sessions._detached)
    return page


@pytest.mark.parametrize("kind", ["start", "resume"])
def test_a_deleted_episode_is_not_resumed(studio: Studio, kind: str) -> None:
    page = played(studio, "examples/food")
    forget(studio.store.path, "P01")
    first = page.resume() if kind == "resume" else {"type": "start"}
    with studio.page(first | {"task": "examples/food", "participant": "P01"}) as back:
        back.until(lambda back: back.acknowledged.get(back.episode, 0) > 3)
        assert back.episode != page.episode and back.episodes[0]["note"] == DELETED
    studio.store.flush()
    assert [each.id for each in studio.store.episodes()] == [back.episode]


@pytest.mark.parametrize("detached", [True, False])
@pytest.mark.parametrize("act", [{"type": "begin"}, {"type": "keys", "key": 1, "action": FORWARDS}, {"type": "next"}])
def test_an_episode_deleted_while_it_waits_is_replaced(studio: Studio, detached: bool, act: dict[str, Any]) -> None:
    task = studio.upload(SHORT.replace("time_limit: 5,", "time_limit: 500,"))
    page = played(studio, task)
    if not detached:
        studio.sessions._detached.clear()
        studio.store._last_steps.clear()
    with studio.page(task=task, participant="P01", manual_start=True) as back:
        assert until_waiting(back).episode == page.episode
        forget(studio.store.path, "P01")
        back.send(act)
        until_waiting(back.until(lambda back: len(back.episodes) == 2))
        assert back.episodes[1]["note"] == DELETED and back.episodes[1]["position"] == 0
        back.send({"type": "begin"})
        back.until(lambda back: back.acknowledged.get(back.episode, 0) > 3)
    studio.store.flush()
    assert studio.store.error is None
    assert [each.id for each in studio.store.episodes()] == [back.episode]


def test_a_page_that_leaves_a_forgotten_episode_leaves_quietly(studio: Studio) -> None:
    page = played(studio, "examples/food")
    studio.sessions._detached.clear()
    studio.store._last_steps.clear()
    with studio.page(task="examples/food", participant="P01", manual_start=True) as back:
        assert until_waiting(back).episode == page.episode
        forget(studio.store.path, "P01")
    wait_for(lambda: not studio.sessions._tabs)
    assert studio.store.count() == 0


# --- episodes that have not begun


def test_a_participant_cannot_skip_an_arena_that_has_not_begun(studio: Studio) -> None:
    with studio.page(task=studio.upload(SHORT), participant="P01", manual_start=True) as page:
        until_waiting(page)
        for _ in range(3):
            page.send({"type": "next"})
        page.send({"type": "pause", "on": True})
        page.until(lambda page: page.mirror.head["flags"] & FrameFlag.PAUSED)
        assert len(page.episodes) == 1 and not page.received("finished")
        page.send({"type": "pause", "on": False})
        page.send({"type": "begin"})
        page.until_step(1)
        page.send({"type": "next"})
        until_waiting(page.until(lambda page: len(page.episodes) == 2))
        assert page.episodes[1]["position"] == 1


def test_the_end_shows_whether_anything_was_recorded(studio: Studio) -> None:
    task = studio.upload(SHORT)
    with studio.page(task=task, manual_start=True) as page:
        until_waiting(page)
        for _ in range(3):
            page.send({"type": "next"})
        page.until(lambda page: page.received("finished"))
        assert page.last("finished")["recorded"] is False
    studio.store.flush()
    assert studio.store.count() == 0
    with studio.page(task=task, arena=3) as page:
        page.until_step(1)
        page.send({"type": "next"})
        page.until(lambda page: page.received("finished"))
        assert page.last("finished")["recorded"] is True
