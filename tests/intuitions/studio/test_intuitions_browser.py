"""Watching and judging in a real Chromium: keys, curves, small screens, and a participant who is in the report."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from typer.testing import CliRunner

from browser import PHONE, Studio, open_page, until
from puzzlebox.cli.app import app as cli
from puzzlebox.intuitions.apparatus import shown_order
from puzzlebox.intuitions.studio.plan import Plan
from puzzlebox.record import Store
from puzzlebox.report import gather

PLAN = Plan(("preference",), pairs=1, together=True, speed=32)
WIDE = {"width": 1200, "height": 800}


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio with a link for one participant."""
    arguments = ("intuitions", "judge", "--task", "preference", "--pairs", "1", "--side-by-side", "--speed", "32")
    with Studio(tmp_path_factory.mktemp("intuitions"), *arguments, "--participant", "P07").start() as studio:
        yield studio


def shows(page: Any, trial: int, frame: int) -> None:
    until(
        page,
        f"[...document.querySelectorAll('.films canvas')].every((each) => each.dataset.shown === '{trial}/{frame}')",
        what=f"frame {frame} of trial {trial} is drawn in both films",
    )


@pytest.mark.slow
def test_a_pair_is_played_scrubbed_and_judged_by_an_observer(chromium: Any, studio: Studio) -> None:
    wrong: list[str] = []
    with open_page(chromium, f"{studio.address}/", viewport=WIDE) as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.get_by_role("link", name="Intuitions").click()
        until(page, "window.puzzlebox?.surprise", what="the surprise is there")
        shows(page, 0, 0)
        page.get_by_label("Task").select_option("efficiency_path")
        until(page, "location.search.includes('efficiency_path') && window.puzzlebox?.surprise")
        assert page.get_by_role("heading", level=2).first.inner_text().endswith("inverse planner")
        # Both films show the same moment, by keys, by buttons and by a click into a curve.
        page.keyboard.press("t")
        shows(page, 8, 0)
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("ArrowRight")
        shows(page, 8, 11)
        page.get_by_role("button", name="Jump to trial 3").click()
        shows(page, 2, 0)
        box = page.get_by_test_id("chart").first.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
        until(page, "puzzlebox.trial === 8 && Math.abs(puzzlebox.frame - (puzzlebox.trials[8] - 1) / 2) < 2")
        page.get_by_role("button", name=re.compile("^go to frame")).last.click()
        until(page, "puzzlebox.frame === puzzlebox.surprise.members.u.peak")
        # It plays to the end, and stops there.
        page.get_by_label("Speed").select_option("8")
        page.get_by_role("button", name="Play", exact=True).click()
        until(page, "puzzlebox.trial === 8 && puzzlebox.frame === puzzlebox.trials[8] - 1 && !puzzlebox.playing")
        assert page.locator(".verdict").all_inner_texts() == ["right", "right"]
        page.get_by_role("button", name="Next pair").click()
        until(page, "location.search.includes('number=1')")
    assert wrong == []


def test_a_link_with_a_wrong_value_says_what_is_allowed(chromium: Any, studio: Studio) -> None:
    with open_page(chromium, f"{studio.address}/intuitions?task=preferense&number=3", viewport=WIDE) as page:
        until(page, "window.puzzlebox?.surprise")
        said = page.get_by_test_id("mistakes")
        assert said.inner_text().startswith('There is no task "preferense"; allowed: preference, multi_agent,')
        assert page.get_by_label("Task").input_value() == "preference"
        page.get_by_role("button", name="Next pair").click()
        said.wait_for(state="detached")


def test_the_page_fits_a_phone(chromium: Any, studio: Studio) -> None:
    with open_page(chromium, f"{studio.address}/intuitions", viewport=PHONE) as page:
        until(page, "window.puzzlebox?.surprise")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def judge(page: Any, given: str) -> None:
    """Watch a pair to its end, and press the key of an answer."""
    page.get_by_role("button", name=re.compile("^(Start|Next pair|Continue)")).click()
    until(page, "puzzlebox.phase === 'question'", what="the films were shown")
    done = page.evaluate("puzzlebox.done")
    page.keyboard.press(given)
    until(page, f"puzzlebox.phase === 'ready' || puzzlebox.done > {done}", what="the answer is stored")


def test_a_participant_judges_and_the_report_has_it(chromium: Any, studio: Studio) -> None:
    (item,) = PLAN.items("P07")
    with open_page(chromium, studio.link, viewport=PHONE) as page:
        until(page, "window.puzzlebox?.phase === 'welcome'")
        assert page.get_by_test_id("participant").inner_text().endswith("P07")
        assert page.get_by_role("link").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        judge(page, "0")  # practice
        assert page.evaluate("puzzlebox.done") == 0 and Store(studio.store).count() == 0
        judge(page, str(1 + shown_order(item.seed).index("u")))
        page.get_by_test_id("finished").wait_for()
        assert "You can close this page now." in page.locator("main").inner_text()
        page.reload()
        page.get_by_test_id("finished").wait_for()
    (row,) = gather([studio.store]).rows
    assert (row.task, row.arena, row.participant) == ("intuitions/preference", item.number, "P07")
    assert (row.total, row.passed, row.person) == (1.0, True, True)
    with open_page(chromium, f"{studio.address}/recordings", viewport=WIDE) as page:
        page.locator("tbody a").last.click()
        assert (
            "Participant P07 called the unexpected film more surprising" in page.get_by_test_id("judged").inner_text()
        )


@pytest.mark.slow
def test_a_participant_who_leaves_comes_back_to_the_next_pair(chromium: Any, studio: Studio) -> None:
    plan = Plan(("preference",), pairs=2, speed=32)
    address = f"{studio.address}/intuitions/judge?{urlencode({'task': plan.name, 'seed': 1, 'participant': 'P08'})}"
    with open_page(chromium, address, viewport=PHONE) as page:
        until(page, "window.puzzlebox?.phase === 'welcome'")
        judge(page, "0")
        judge(page, "1")
        page.reload()
        until(page, "window.puzzlebox?.phase === 'welcome'")
        assert "Welcome back" in page.locator("h1").inner_text()
        judge(page, "0")
        page.get_by_test_id("finished").wait_for()
    assert sum(row.participant == "P08" for row in gather([studio.store]).rows) == 2


@pytest.mark.slow
def test_a_report_of_a_participant_and_a_model(chromium: Any, studio: Studio, tmp_path: Path) -> None:
    runner = CliRunner()
    words = ["intuitions", "score", "inverse-planner", "--episodes", "2", "-o", str(tmp_path / "scores")]
    assert runner.invoke(cli, words).exit_code == 0
    words = ["report", str(tmp_path / "scores"), str(studio.store), "-o", str(tmp_path / "report"), "--published"]
    done = runner.invoke(cli, words)
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "report" / "report.html").read_text()
    assert "human" in page and "inverse planner (maximum)" in page and "Video-RNN (published)" in page
