"""The play page when things go wrong: a server that is killed twice in a row, and a disk that cannot be written."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import browser
from browser import Studio, open_page, until
from puzzlebox.arena.world import World
from puzzlebox.record import Store
from puzzlebox.record.writer import RECENT_SECONDS
from test_forget import played
from test_studio_browser import LONG_WALK, page_value
from worlds import AGENT, GOAL, task_of

REASON = "another program keeps the recordings locked; end that program"


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    with Studio(tmp_path).start() as studio:
        yield studio


@contextmanager
def locked(studio: Studio) -> Iterator[None]:
    """Another program writes to the recordings, and does not finish."""
    other = sqlite3.connect(studio.store, isolation_level=None, timeout=browser.TIMEOUT_SECONDS)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


# Collects, in the page, the actions that frames and actions messages carry, by step.
NOTES = """
window.notes = {};
const Original = window.WebSocket;
window.WebSocket = class extends Original {
  constructor(address) {
    super(address);
    this.addEventListener("message", ({ data }) => {
      if (typeof data === "string") return;
      const view = new DataView(data);
      const note = (step, action) => step && (window.notes[step] ??= new Set()).add(action);
      if (view.getUint8(0) === 2) note(view.getUint32(4, true), view.getUint8(12));
      if (view.getUint8(0) !== 6) return;
      const [first, count] = [view.getUint32(4, true), view.getUint16(8, true)];
      for (let i = 0; i < count; i++) note(first + i, view.getUint8(12 + i));
    });
  }
};
"""


@pytest.mark.slow
def test_a_page_resumes_after_kills_in_quick_succession(studio: Studio, chromium: Any) -> None:
    task = studio.upload(LONG_WALK)
    with open_page(chromium, f"{studio.address}/play?task={task}", NOTES) as page:
        until(page, "window.puzzlebox?.waiting", what="the episode waits")
        page.keyboard.down("w")
        until(page, "puzzlebox.step > 20")
        episode = page_value(page, "episode")
        for soon in (False, True, False, True):
            step = page_value(page, "step")
            if not soon:
                until(page, f"puzzlebox.step > {step} + 15", what="it goes on")
            studio.kill()
            studio.start()
            if soon:
                until(page, "puzzlebox.link === 'open'", what="the page is back")
        until(page, f"puzzlebox.step > {step} + 25", what="it goes on after all of them")
        page.keyboard.up("w")
        page.keyboard.press("Escape")  # time stands still
        until(page, "puzzlebox.unsaved === 0", what="all of it is stored")
        assert page_value(page, "episode") == episode
        notes = page.evaluate("Object.entries(notes).map(([step, actions]) => [Number(step), [...actions]])")
    studio.stop()
    with Store(studio.store) as store:
        (recording,) = store.episodes()
        assert recording.id == episode
        columns = store.steps(episode)
        assert columns["step"] == list(range(len(columns["step"])))
        assert {step: actions for step, actions in notes} == {
            step: [int(columns["actions"][step])] for step in range(1, len(columns["step"]))
        }
        world = World.replay(store.record(episode))
        assert world.position_of(world.animals[0])[2] == columns["z"][-1]


@pytest.mark.slow
def test_the_reason_why_nothing_can_be_recorded_is_shown_before_and_during_an_episode(
    studio: Studio, chromium: Any
) -> None:
    address = f"{studio.address}/play?task={studio.upload(LONG_WALK)}"
    with open_page(chromium, address) as page:
        until(page, "window.puzzlebox?.waiting", what="the episode waits")
        with locked(studio):
            time.sleep(RECENT_SECONDS)  # what was written a moment ago would still count as proof that writing succeeds
            # A page that opens now cannot begin; the page that plays shows the reason, too.
            with open_page(chromium, address) as other:
                other.get_by_test_id("later").wait_for()
                words = other.get_by_test_id("later").inner_text()
                assert f"Nothing can be recorded at the moment: {REASON}." in words
                assert "This page continues by itself as soon as this is solved" in words
                page.get_by_text("Nothing can be recorded at the moment").wait_for()
                assert page.get_by_role("button", name="Start", exact=True).is_disabled()
                page.keyboard.press("ArrowUp")
                assert page_value(page, "step") == 0
        page.get_by_text("No time passes until then.").wait_for()
        page.keyboard.down("ArrowUp")
        until(page, "puzzlebox.step > 10")
        with locked(studio):
            page.get_by_test_id("unsaved").filter(has_text=REASON).wait_for()
            unsaved = page_value(page, "unsaved")
            assert unsaved > 0
            step = page_value(page, "step")
        until(page, f"puzzlebox.step > {step} && puzzlebox.unsaved < 25", what="it is saved")
        page.get_by_test_id("unsaved").wait_for(state="detached")
    assert len(studio.recordings()) == 1


def test_the_list_of_recordings_names_those_that_cannot_be_read(studio: Studio, chromium: Any) -> None:
    with Store(studio.store) as store:
        broken, whole = (played(store, task_of(AGENT, GOAL, time_limit=20), seed=seed) for seed in (1, 2))
    with closing(sqlite3.connect(studio.store)) as connection, connection:
        connection.execute("UPDATE episodes SET rules = '{' WHERE id = ?", (broken,))
    with open_page(chromium, f"{studio.address}/recordings") as page:
        page.get_by_role("alert").get_by_text(f"episode {broken}").wait_for()
        rows = page.locator("tbody a")
        assert rows.count() == 1 and rows.get_attribute("href") == f"/recordings/{whole}"
        assert page.get_by_role("button", name="Show more").count() == 0
