"""The studio in a browser: a real server and Chromium, with keys, touch, gamepad, files and a killed server."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import browser
from browser import Studio, until
from puzzlebox.batteries import bundled_names
from puzzlebox.record import Store
from puzzlebox.record.export import export

FOOD_AHEAD = """
metadata: {title: Food ahead}
show_notification: true
arenas:
  - time_limit: 200
    size: [12, 12]
    items:
      - {name: Agent, at: [6, 0, 2], rotation: 0}
      - {name: GoodGoalMulti, at: [6, 0, 5], size: 1}
      - {name: GoodGoal, at: [6, 0, 10], size: 1}
"""
DARK_SOON = """
metadata: {title: Dark soon}
arenas:
  - {time_limit: 0, size: [12, 12], blackouts: [5], items: [{name: Agent, at: [6, 0, 2], rotation: 0}]}
"""
LONG_WALK = """
metadata: {title: Long walk}
arenas:
  - {time_limit: 0, size: [12, 100], items: [{name: Agent, at: [6, 0, 2], rotation: 0}]}
"""
WRONG = "arenas:\n  - items:\n      - {name: Walll, at: [20, 0, 20]}\n      - {name: <b>bold</b>}\n"

# Makes the page believe that its tab is hidden, or visible again.
HIDDEN = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""

Open = Callable[..., Any]


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with Studio(tmp_path_factory.mktemp("studio")).start() as studio:
        yield studio


@pytest.fixture
def opened(chromium: Any, studio: Studio) -> Iterator[Open]:
    """Open an address of the studio; afterwards nothing may have gone wrong in the page or left the machine."""
    contexts: list[Any] = []
    wrong: list[str] = []
    abroad: list[str] = []
    forgiven = [False]

    def open_page(path: str, *, before: str = "", forgiving: bool = False, **settings: Any) -> Any:
        context = browser.new_context(chromium, before, **settings)
        contexts.append(context)
        forgiven[0] = forgiving
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: abroad.append(request.url) if foreign(request.url) else None)
        page.goto(studio.address + path)
        return page

    def foreign(url: str) -> bool:
        return not url.startswith((studio.address, "blob:", "data:"))

    yield open_page
    for context in contexts:
        context.close()
    assert abroad == []
    assert forgiven[0] or wrong == []


def playing(opened: Open, task: str, **settings: Any) -> Any:
    page = opened(f"/play?task={task}", **settings)
    begin(page)
    until(page, "puzzlebox.drawCalls > 0", what="the arena is drawn")
    return page


def begin(page: Any) -> None:
    """Press Start as soon as it appears; a participant who has played before continues."""
    page.get_by_role("button", name=re.compile("^(Start|Continue)$")).click()
    until(page, "window.puzzlebox?.step > 0", what="the episode begins")


def page_value(page: Any, name: str) -> Any:
    """Return a value of `window.puzzlebox`."""
    return page.evaluate(f"puzzlebox.{name}")


# --- home


def test_home_shows_every_bundled_task_with_its_picture(opened: Open) -> None:
    page = opened("/")
    page.locator("article").first.wait_for()
    names = page.locator("article").evaluate_all("cards => cards.map(card => card.dataset.task)")
    assert sorted(names) == sorted(bundled_names())
    until(page, "document.querySelector('article img').naturalWidth > 100", what="the first picture")
    assert page.title() == "Tasks · Puzzlebox"


def test_tasks_are_found_by_words_level_and_tag(opened: Open, studio: Studio) -> None:
    tasks = studio.ask("/api/tasks")["tasks"]
    page = opened("/")
    page.locator("article").first.wait_for()
    page.get_by_label("Search tasks").fill("tunnel")
    until(page, f"document.querySelectorAll('article').length < {len(tasks)}")
    titles = page.locator("article h3").all_inner_texts()
    assert titles == [
        task["title"] for task in tasks if "tunnel" in json.dumps([*task["tags"], task["title"], task["description"]])
    ]
    page.get_by_role("button", name="show all").click()
    page.get_by_label("Level", exact=True).select_option("3")
    third = sum(task["level"] == 3 for task in tasks)
    until(page, f"document.querySelectorAll('article').length === {third}")
    until(page, "location.search === '?level=3'")
    page.get_by_label("Search tasks").fill("no such thing")
    assert "No task matches" in page.locator(".none").inner_text()


def test_the_testbed_is_chosen_beside_the_bundled_tasks(opened: Open) -> None:
    page = opened("/")
    page.get_by_label("Battery").select_option("testbed-held-out")
    until(page, "document.querySelectorAll('article[data-task^=\"testbed-held-out/01-\"]').length === 9")
    until(page, "location.search === '?battery=testbed-held-out&level=1'")
    card = page.locator("article").first
    assert "testbed-held-out/01-1-1 · test" in card.inner_text()
    card.get_by_role("link", name="Watch").click()
    until(page, "document.querySelector('select[name=task]')?.selectedOptions[0]?.label === 'testbed-held-out/01-1-1'")
    page.go_back()
    until(page, "document.querySelectorAll('article[data-task^=\"testbed-held-out/01-\"]').length === 9")


def test_a_card_is_reached_and_opened_with_the_keyboard(opened: Open) -> None:
    page = opened("/")
    page.locator("article").first.wait_for()
    page.get_by_label("Tag", exact=True).focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == page.locator("article h3").first.inner_text()
    page.keyboard.press("Enter")
    until(page, "location.pathname === '/play'")
    until(page, "window.puzzlebox?.waiting", what="the episode is shown")
    page.go_back()
    page.locator("article").first.wait_for()
    until(page, "!window.puzzlebox", what="nothing is played any more")


@pytest.mark.parametrize("width", [390, 1200])
def test_no_page_is_wider_than_its_window(opened: Open, width: int) -> None:
    page = opened("/", viewport={"width": width, "height": 800})
    for path in ("/", "/watch", "/recordings"):
        page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + path)
        page.locator("h1").wait_for(state="attached")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def drop(page: Any, name: str, text: str) -> None:
    page.locator("article").first.wait_for()  # before that, dropped files are ignored
    page.evaluate(
        """([name, text]) => {
          const carried = new DataTransfer();
          carried.items.add(new File([text], name, { type: "application/yaml" }));
          for (const type of ["dragenter", "dragover", "drop"])
            window.dispatchEvent(new DragEvent(type, { dataTransfer: carried, bubbles: true, cancelable: true }));
        }""",
        [name, text],
    )


def test_a_wrong_file_is_explained_at_its_line_and_shown_as_text(opened: Open) -> None:
    page = opened("/")
    drop(page, "mine.yml", WRONG)
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("cannot be played").wait_for()
    first, second = dialog.locator("li").all_inner_texts()
    assert "line 3, column 16" in first and "did you mean Wall?" in first and "{name: Walll" in first
    assert "<b>bold</b>" in second
    assert dialog.locator("b").count() == 0
    assert dialog.get_by_role("link", name="Play").count() == 0


def test_a_file_of_ones_own_is_checked_and_played(opened: Open) -> None:
    page = opened("/")
    drop(page, "mine.yml", FOOD_AHEAD)
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("This file is valid").wait_for()
    dialog.get_by_role("link", name="Play").click()
    until(page, "location.search.includes('upload')")
    begin(page)


# --- play


def test_keys_move_the_animal_and_food_changes_reward_and_health(opened: Open, studio: Studio) -> None:
    # The second goal stays out of the way, and time is ample: nothing ends this episode, however slow the machine.
    endless = FOOD_AHEAD.replace("[6, 0, 10]", "[1, 0, 1]").replace("time_limit: 200", "time_limit: 2000")
    page = playing(opened, studio.upload(endless))
    start, before, episode = page_value(page, "position"), page_value(page, "total"), page_value(page, "episode")
    page.keyboard.down("w")
    until(page, f"puzzlebox.position[2] > {start[2]} + 1", what="the animal walks")
    until(page, f"puzzlebox.total > {before} + 0.8", what="food is eaten")
    page.keyboard.up("w")
    # The recording shows also what happened between two looks at the page; a busy machine looks seldom.
    steps = studio.ask(f"/api/recordings/{episode}/steps")
    meal = steps["reward"].index(max(steps["reward"]))
    assert steps["health"][meal - 1] < steps["health"][0] == 100 and steps["health"][meal] > steps["health"][meal - 1]
    heading = page_value(page, "heading")
    page.keyboard.down("ArrowRight")
    until(page, f"Math.abs(puzzlebox.heading - {heading}) > 20", what="the animal turns")
    page.keyboard.up("ArrowRight")


@pytest.mark.slow
def test_the_end_of_an_episode_is_shown_and_the_next_one_waits(opened: Open, studio: Studio) -> None:
    page = playing(opened, studio.upload(FOOD_AHEAD + FOOD_AHEAD[FOOD_AHEAD.index("  - time_limit") :]))
    first = page_value(page, "episode")
    page.keyboard.down("w")
    notice = until(page, "document.querySelector('[data-testid=notice]')?.innerText", what="the end is shown")
    assert "Passed!" in notice
    reward = notice.split("Reward")[1].strip()
    # Screen readers announce what the page shows.
    assert page.locator(".spoken").inner_text() == f"Passed: reward {reward}"
    until(page, f"puzzlebox.episode !== {json.dumps(first)} && puzzlebox.waiting", what="the next episode")
    (recording,) = [each for each in studio.recordings() if each["id"] == first]
    assert recording["passed"] and recording["player"] == "human"
    assert f"{recording['return']:.3f}" == reward
    # The key is still held; only a new press begins the next one.
    page.get_by_text("Let go of all keys").wait_for()
    page.keyboard.up("w")
    page.get_by_text("Press an arrow key to start").wait_for()
    assert page_value(page, "step") == 0 and page_value(page, "waiting")
    page.keyboard.down("ArrowUp")
    until(page, "puzzlebox.step > 0", what="the next episode begins")
    page.keyboard.up("ArrowUp")


def rows_of(studio: Studio, folder: Path, task: str) -> list[dict[str, str]]:
    """The table of episodes, as `puzzlebox export` writes it."""
    with Store(studio.store) as store:
        export(store, [each for each in reversed(store.episodes()) if each.task == task], folder)
    with (folder / "episodes.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_a_participant_plays_leaves_resumes_and_finishes(opened: Open, studio: Studio, tmp_path: Path) -> None:
    """An episode that never begins is not recorded, and a page left open after the end records nothing more."""
    arena = "  - {{id: {}, time_limit: {}, size: [12, 12], items: [{{name: Agent, at: [6, 0, 2], rotation: 0}}]}}\n"
    task = studio.upload("metadata: {title: Two rooms}\narenas:\n" + arena.format(0, 5) + arena.format(1, 100))
    link = f"/play?task={task}&participant=P11"

    page = opened(link)
    until(page, "window.puzzlebox?.waiting && puzzlebox.framesDrawn > 5", what="the first arena waits")
    page.keyboard.press("c")
    assert page_value(page, "step") == 0
    assert rows_of(studio, tmp_path / "nothing", task) == []

    page.keyboard.press("ArrowRight")
    until(page, "puzzlebox.arena === 1 && puzzlebox.waiting", what="the second arena waits")
    page.keyboard.press("ArrowRight")
    until(page, "puzzlebox.step > 5 && puzzlebox.unsaved < puzzlebox.step", what="some of it is played")
    # The page is hidden.
    page.evaluate(HIDDEN, True)
    page.wait_for_timeout(300)
    page.evaluate(HIDDEN, False)
    episode, step = page_value(page, "episode"), page_value(page, "step")
    until(page, f"puzzlebox.step > {step}", what="it goes on")
    page.context.close()

    page = opened(link)
    page.get_by_role("button", name="Continue").wait_for()
    assert page_value(page, "episode") == episode and page_value(page, "step") >= step
    page.keyboard.press("ArrowLeft")
    page.get_by_role("heading", name="That was the last one. Thank you.").wait_for()
    page.get_by_text("You can close this page now.").wait_for()
    assert page.get_by_role("button").count() == page.get_by_role("link").count() == 0
    page.keyboard.press("ArrowUp")
    page.keyboard.press("n")

    page.reload()
    page.get_by_role("heading", name="That was the last one. Thank you.").wait_for()
    page.context.close()
    opened(link).get_by_role("heading", name="That was the last one. Thank you.").wait_for()
    rows = rows_of(studio, tmp_path / "all", task)
    assert [(row["arena"], row["ended_by"], row["passed"]) for row in rows] == [
        ("1", "time", "False"),
        ("2", "time", "False"),
    ]
    assert [row["participant"] for row in rows] == ["P11"] * 2
    assert float(rows[0]["hidden_ms"]) == 0
    assert 250 < float(rows[1]["hidden_ms"]) < float(rows[1]["duration_ms"])


@pytest.mark.slow
def test_without_a_participant_another_round_may_be_played(opened: Open, studio: Studio) -> None:
    task = studio.upload("arenas: [{time_limit: 5, items: [{name: Agent}]}]")
    page = playing(opened, task)
    first = page_value(page, "episode")
    page.get_by_role("button", name="Play again").wait_for()
    page.reload()
    page.get_by_role("button", name="Play again").click()
    until(page, f"puzzlebox.waiting && puzzlebox.episode !== '{first}'", what="another round waits")
    page.get_by_role("button", name="Start", exact=True).wait_for()
    assert len([each for each in studio.recordings() if each["task"] == task]) == 1


def test_the_page_shows_when_the_lights_go_out(opened: Open, studio: Studio) -> None:
    page = playing(opened, studio.upload(DARK_SOON))
    until(page, "puzzlebox.step > 30 && puzzlebox.lights === false", what="darkness")


def test_a_key_changes_the_view(opened: Open, studio: Studio) -> None:
    page = playing(opened, studio.upload(LONG_WALK))
    views = [page_value(page, "view")]
    for _ in range(3):
        page.keyboard.press("c")
        until(page, f"puzzlebox.view !== {json.dumps(views[-1])}", what="another view")
        views.append(page_value(page, "view"))
    assert set(views) == {"first", "third", "top"} and views[0] == views[3]


GAMEPAD = """
  window.pad = { axes: [0, 0, 0, 0], pressed: false };
  navigator.getGamepads = () => [{
    id: "A simulated pad", index: 0, connected: true, mapping: "standard", timestamp: performance.now(),
    axes: window.pad.axes, buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })),
  }];
  addEventListener("load", () => window.dispatchEvent(new Event("gamepadconnected")));
"""


def test_a_gamepad_moves_the_animal(opened: Open, studio: Studio) -> None:
    page = playing(opened, studio.upload(LONG_WALK), before=GAMEPAD)
    start = page_value(page, "position")
    page.evaluate("window.pad.axes = [0, -1, 0, 0]")
    until(page, f"puzzlebox.position[2] > {start[2]} + 1", what="the animal walks")


def test_a_finger_on_the_stick_moves_the_animal(opened: Open, studio: Studio) -> None:
    page = playing(
        opened, studio.upload(LONG_WALK), has_touch=True, is_mobile=True, viewport={"width": 390, "height": 700}
    )
    start = page_value(page, "position")
    stick = page.get_by_test_id("stick")
    box = stick.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - 60}]})
    until(page, f"puzzlebox.position[2] > {start[2]} + 1", what="the animal walks")
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.slow
def test_a_link_sets_the_participant(opened: Open, studio: Studio) -> None:
    """From the gallery to a task, over a reload, and into the list of recordings."""
    page = opened("/?participant=P07")
    page.get_by_label("Search tasks").fill("picnic")
    page.locator("article").get_by_role("link", name="Picnic").first.click()
    begin(page)
    assert page.url.endswith("/play?task=food%2Fpicnic&participant=P07")
    assert page.get_by_test_id("participant").inner_text().endswith("P07")
    episode = page_value(page, "episode")
    page.reload()
    until(page, "window.puzzlebox?.step > 0", what="the episode goes on")
    assert page_value(page, "episode") == episode
    page.keyboard.press("r")
    until(page, f"puzzlebox.episode !== '{episode}'")
    begin(page)
    mine = [each for each in studio.recordings() if each["task"] == "food/picnic"]
    assert [each["participant"] for each in mine] == ["P07", "P07"]
    page.goto(studio.address + f"/recordings/{episode}")
    page.get_by_text("played by participant P07").wait_for()
    page.goto(studio.address + "/recordings")
    page.get_by_role("columnheader", name="Participant").wait_for()
    page.get_by_role("cell", name="P07").nth(1).wait_for()


def test_a_link_with_a_bad_id_is_explained_and_records_nothing(opened: Open, studio: Studio) -> None:
    before = len(studio.recordings())
    for id in ("P%2007", ""):
        page = opened(f"/play?task=food/picnic&participant={id}")
        page.get_by_role("alert").get_by_text("is not a participant id; it may have 1 to 64 letters").wait_for()
    assert len(studio.recordings()) == before


# --- watch, and recordings


@pytest.mark.slow
def test_a_random_agent_is_watched_with_its_camera_and_rays(opened: Open, studio: Studio) -> None:
    page = opened(f"/watch?task={studio.upload(LONG_WALK)}&agent=random")
    until(page, "window.puzzlebox?.step > 30 && puzzlebox.rays > 0 && puzzlebox.camera > 0", what="the agent plays")
    start = page_value(page, "position")
    until(page, f"Math.hypot(puzzlebox.position[0] - {start[0]}, puzzlebox.position[2] - {start[2]}) > 0.3")
    pixels = "(() => { const c = document.querySelector('aside canvas'); const d = c.getContext('2d')"
    until(page, f"{pixels}.getImageData(0, 0, c.width, c.height).data; return new Set(d).size > 8; }})()")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").wait_for()
    page.get_by_text("Bird's eye").click()
    until(page, "puzzlebox.view === 'top'")


def test_a_recording_is_scrubbed_and_shows_what_was_stored(opened: Open, studio: Studio) -> None:
    page = playing(opened, studio.upload(FOOD_AHEAD))
    episode = page_value(page, "episode")
    page.keyboard.down("w")
    until(page, "puzzlebox.finished", what="the end")
    page.close()
    steps = studio.ask(f"/api/recordings/{episode}/steps")
    last = steps["step"][-1]

    page = opened(f"/recordings/{episode}")
    until(page, "window.puzzlebox?.shown === 0 && puzzlebox.drawCalls > 0", what="the recording is shown")
    assert page_value(page, "length") == last + 1

    def shows(step: int) -> None:
        row = steps["step"].index(step)
        until(page, f"puzzlebox.shown === {step}")
        near = (
            f"Math.hypot(puzzlebox.position[0] - {steps['x'][row]}, puzzlebox.position[2] - {steps['z'][row]}) < 1e-3"
        )
        until(page, near, what=f"the animal stands where it stood in step {step}")
        assert page_value(page, "total") == pytest.approx(steps["total"][row], abs=1e-4)
        assert page_value(page, "health") == pytest.approx(steps["health"][row], abs=1e-3)

    slider = page.get_by_label("Moment of the episode")
    for step in (last, last // 2, 10, last - 1):
        slider.fill(str(step))
        shows(step)
    page.get_by_role("button", name="One step forward").click()
    shows(last)
    page.get_by_role("button", name="One step back").click()
    shows(last - 1)
    page.get_by_label("Speed").select_option("-4")
    page.get_by_role("button", name="Play", exact=True).click()
    until(page, "puzzlebox.step === 0 && !puzzlebox.playing", what="it plays backwards to the start")
    shows(0)
    page.locator("aside button").filter(has_text="ate GoodGoalMulti").click()
    until(page, "puzzlebox.step > 0", what="a click on an event leads to it")
    until(page, "document.querySelectorAll('aside svg path.trail').length === 3")


@pytest.mark.slow
def test_a_recording_is_downloaded_as_table_and_picture(opened: Open, studio: Studio) -> None:
    page = playing(opened, studio.upload(LONG_WALK))
    until(page, "puzzlebox.step > 20 && puzzlebox.unsaved < puzzlebox.step - 10", what="some of it is stored")
    episode = page_value(page, "episode")
    page.close()
    page = opened(f"/recordings/{episode}")
    with page.expect_download() as table:
        page.get_by_role("link", name="CSV").click()
    lines = Path(table.value.path()).read_text().splitlines()
    assert lines[0].startswith("step,x,z,reward,health") and len(lines) > 10
    with page.expect_download() as picture:
        page.get_by_role("link", name="PNG").click()
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_recording_that_does_not_exist_is_reported(opened: Open) -> None:
    page = opened("/recordings/nobody", forgiving=True)
    assert "nobody" in page.get_by_role("alert").inner_text()


@pytest.mark.slow
def test_an_episode_is_resumed_after_the_server_is_killed(opened: Open, tmp_path: Path, chromium: Any) -> None:
    with (
        Studio(tmp_path).start() as studio,
        browser.open_page(chromium, f"{studio.address}/play?task={studio.upload(LONG_WALK)}") as page,
    ):
        until(page, "window.puzzlebox?.waiting", what="the episode waits")
        page.keyboard.down("w")
        until(page, "puzzlebox.position[2] > 5")
        episode, step, place = page_value(page, "episode"), page_value(page, "step"), page_value(page, "position")
        studio.kill()
        studio.start()
        until(page, f"puzzlebox.step > {step} + 25 && puzzlebox.position[2] > {place[2]} + 1", what="it goes on")
        page.keyboard.up("w")
        assert page_value(page, "episode") == episode
        (recording,) = studio.recordings()
        assert recording["id"] == episode
        steps = studio.ask(f"/api/recordings/{episode}/steps")
        assert steps["step"] == list(range(len(steps["step"])))
        # A walk without a leap, at most 1.6 m in three steps: nothing was lost, nothing was played twice.
        assert max(b - a for a, b in zip(steps["z"], steps["z"][1:], strict=False)) < 0.54
