"""Infant tasks in a real Chromium: keys, gamepad, touch, sound, a second tab and a killed server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from browser import PHONE, Studio, open_page, until
from puzzlebox.record import Store
from puzzlebox.wings import wing_named

WIDE = {"width": 1200, "height": 800}
GAMEPAD = """
  window.pad = { axes: [0, 0, 0, 0] };
  navigator.getGamepads = () => [{ axes: window.pad.axes, buttons: [] }];
"""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    arguments = ("play", "infant/object-nav", "--participant", "P07")
    with Studio(tmp_path_factory.mktemp("infant"), *arguments).start() as studio:
        yield studio


@contextmanager
def opened(chromium: Any, studio: Studio, path: str, *scripts: str, **settings: Any) -> Iterator[Any]:
    """Open an address; nothing may go wrong in the page."""
    wrong: list[str] = []
    with open_page(chromium, "about:blank", *scripts, **{"viewport": WIDE, **settings}) as page:
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(path if path.startswith("http") else studio.address + path)
        yield page
    assert wrong == []


def play_until(page: Any, step: int) -> None:
    until(page, f"puzzlebox.step >= {step} || puzzlebox.ended", what=f"step {step}")


def test_a_task_is_found_on_the_start_page_and_played_with_keys(chromium: Any, studio: Studio) -> None:
    with opened(chromium, studio, "/") as page:
        page.get_by_role("link", name="Intercept a ball that sounds", exact=True).click()
        until(page, "window.puzzlebox?.waiting", what="the child waits")
        assert "/infant/play?task=infant%2Fkick-the-ball" in page.url
        page.wait_for_timeout(300)
        assert page.evaluate("puzzlebox.step") == 0, "no time passes before the first key"
        page.keyboard.down("w")
        play_until(page, 5)
        assert page.evaluate("puzzlebox.soundOn")
        until(page, "[...document.querySelectorAll('meter')].some((each) => Number(each.dataset.level) > 0)")
        until(page, "[...document.querySelectorAll('figure canvas')].every((each) => Number(each.dataset.step) > 0)")
        page.keyboard.press("m")
        until(page, "!puzzlebox.soundOn")
        episode = page.evaluate("puzzlebox.episode")
        until(page, "puzzlebox.ended", what="the ball or the child leaves the field")
        page.keyboard.up("w")
        assert "reward" in page.get_by_test_id("ended").inner_text()
        total = page.evaluate("puzzlebox.ended.return")
        page.get_by_role("button", name="Next episode").click()
        until(page, f"puzzlebox.waiting && puzzlebox.episode !== '{episode}'", what="the next episode waits")
    store = Store(studio.store)
    assert store.episode(episode).finished
    *_, (session, _) = wing_named("infant").replay(store.record(episode))
    assert session.total == store.episode(episode).total == total
    assert (1.0, 0.0) in [actions[0] for actions in store.record(episode).actions]


def test_space_after_a_click_acts_and_does_not_press_the_button_again(chromium: Any, studio: Studio) -> None:
    with opened(chromium, studio, "/infant/play?task=infant/kicks-squeaky-ball&seed=1") as page:
        until(page, "window.puzzlebox?.waiting")
        page.get_by_role("button", name="Start").click()
        page.get_by_role("button", name="Sound on").click()
        page.get_by_role("button", name="Whole room").click()
        play_until(page, 3)
        page.keyboard.press("Space", delay=300)
        assert page.get_by_role("button", name="Near").is_visible(), "the button was pressed once"
        page.get_by_role("button", name="turn left").click()
        play_until(page, page.evaluate("puzzlebox.step") + 2)  # the turn of the click is over
        page.keyboard.press("Space", delay=300)
        episode = page.evaluate("puzzlebox.episode")
        until(page, "puzzlebox.unsaved === 0 || puzzlebox.ended")
    taken = [actions[0] for actions in Store(studio.store).record(episode).actions]
    acts = [step for step, action in enumerate(taken) if action[-1] == 1.0]
    assert acts, "Space acts"
    assert sum(action[1] == 1.0 for action in taken[acts[-1] :]) == 0, "Space does not hold the button"


@pytest.mark.parametrize(
    ("query", "sentences"),
    [
        ("task=infant/kick-teh-ball", ("There is no infant task 'kick-teh-ball'", "did you mean `kick-the-ball`?")),
        ("seed=two", ("Seed is 'two'; it must be a whole number from 0 to 9223372036854775807.",)),
        ("seed=-1&agent=random", ("Seed is '-1'; it must be a whole number",)),
        ("task=baby-run&agent=ranom", ("There is no agent 'ranom' for infant tasks", "did you mean `random`?")),
        ("", ("No task was named; there are baby-run, ",)),
        ("agent=random", ("No task was named; there are baby-run, ",)),
        ("sed=2", ("The address has a parameter “sed”; allowed: task, seed, agent, participant, shown.",)),
        ("shown=e1&seed=2", ("A recording is shown, which has its own seed; leave out `seed` or `shown`.",)),
    ],
)
def test_each_mistake_in_an_address_gets_one_sentence(
    chromium: Any, studio: Studio, query: str, sentences: tuple[str, ...]
) -> None:
    with opened(chromium, studio, f"/infant/play?{query}") as page:
        text = page.get_by_test_id("refused").inner_text()
        assert all(sentence in text for sentence in sentences), text


@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 640), (844, 390), (1200, 800)])
def test_the_start_card_does_not_hide_the_scene(chromium: Any, studio: Studio, width: int, height: int) -> None:
    screen = {"viewport": {"width": width, "height": height}, "has_touch": width < 1000, "is_mobile": width < 1000}
    with opened(chromium, studio, "/infant/play?task=infant/multi-agent-nav&seed=3", **screen) as page:
        until(page, "window.puzzlebox?.waiting")
        card, scene = page.get_by_test_id("start").bounding_box(), page.locator("canvas").first.bounding_box()
        beside = card["x"] >= scene["x"] + scene["width"] or card["y"] >= scene["y"] + scene["height"]
        assert beside, (card, scene)
        start = page.get_by_role("button", name="Start").bounding_box()
        assert start["y"] + start["height"] <= height, "the button can be pressed without scrolling"
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_laptop_the_card_hides_no_sense_and_all_keys_are_on_the_screen(chromium: Any, studio: Studio) -> None:
    screen = {"viewport": {"width": 1280, "height": 800}}
    with opened(chromium, studio, "/infant/play?task=infant/disk-tower&seed=3", **screen) as page:
        until(page, "window.puzzlebox?.waiting")
        card = page.get_by_test_id("start").bounding_box()
        for picture in page.locator("figure canvas").all():
            box = picture.bounding_box()
            beside = box["x"] >= card["x"] + card["width"] or card["x"] >= box["x"] + box["width"]
            assert beside or box["y"] + box["height"] <= card["y"] or box["y"] >= card["y"] + card["height"]
        for key in page.locator(".keys button").all():
            box = key.bounding_box()
            assert box["y"] + box["height"] <= 800 and box["y"] >= card["y"] + card["height"]
        assert "Press a key" in page.get_by_test_id("start").inner_text()


def test_a_phone_says_nothing_of_keys(chromium: Any, studio: Studio) -> None:
    screen = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    with opened(chromium, studio, "/infant/play?task=infant/kick-the-ball&seed=3", **screen) as page:
        until(page, "window.puzzlebox?.waiting")
        assert "Touch a button to start" in page.locator("main").inner_text()
        assert "ress a key" not in page.locator("main").inner_text()


@pytest.mark.slow
def test_an_episode_goes_on_after_the_server_was_killed(chromium: Any, studio: Studio) -> None:
    with opened(chromium, studio, "/infant/play?task=infant/maze-nav&seed=3") as page:
        until(page, "window.puzzlebox?.waiting")
        page.keyboard.down("w")
        play_until(page, 20)
        episode, seen = page.evaluate("[puzzlebox.episode, puzzlebox.step]")
        studio.kill()
        until(page, "puzzlebox.link === 'lost'", what="the page notices")
        page.keyboard.up("w")
        studio.start()
        until(page, "puzzlebox.link === 'open' && puzzlebox.waiting", what="the page is connected again")
        assert page.evaluate("puzzlebox.episode") == episode
        assert page.evaluate("puzzlebox.step") >= seen, "nothing that was seen is lost"
        page.keyboard.down("ArrowLeft")
        play_until(page, seen + 20)
        page.keyboard.up("ArrowLeft")
        until(page, "puzzlebox.unsaved === 0")
        page.get_by_role("button", name="Pause").click()
        until(page, "puzzlebox.unsaved === 0")
    store = Store(studio.store)
    steps = store.steps(episode)["step"]
    assert steps == list(range(len(steps))) and len(steps) > seen


@pytest.mark.slow
def test_a_participants_link_plays_in_one_tab_at_a_time(chromium: Any, studio: Studio) -> None:
    with opened(chromium, studio, studio.link) as page:
        until(page, "window.puzzlebox?.waiting")
        assert page.get_by_role("link").count() == 0, "a participant's page has no links to others"
        page.keyboard.down("w")
        play_until(page, 5)
        page.keyboard.up("w")
        episode = page.evaluate("puzzlebox.episode")
        with opened(chromium, studio, studio.link) as other:
            until(other, f"window.puzzlebox?.episode === '{episode}'", what="the second tab goes on with the episode")
            assert "open in another tab" in page.get_by_test_id("elsewhere").inner_text()
            page.get_by_role("button", name="Continue here").click()
            until(page, "puzzlebox.link === 'open'")
            other.get_by_test_id("elsewhere").wait_for()
    assert Store(studio.store).episode(episode).participant == "P07"


@pytest.mark.slow
def test_gamepad_and_finger_move_the_child(chromium: Any, studio: Studio) -> None:
    with opened(chromium, studio, "/infant/play?task=infant/maze-nav&seed=3", GAMEPAD) as page:
        until(page, "window.puzzlebox?.waiting")
        page.evaluate("window.pad.axes = [0, -0.5, 0, 0]")
        play_until(page, 5)
        episode = page.evaluate("puzzlebox.episode")
    assert (0.5, 0.0) in [actions[0] for actions in Store(studio.store).record(episode).actions]
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": "dark"}
    with opened(chromium, studio, "/infant/play?task=infant/grab-object&seed=3", **phone) as page:
        until(page, "window.puzzlebox?.waiting")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.get_by_role("button", name="Start").tap()
        page.get_by_role("button", name="hands up").scroll_into_view_if_needed()
        box = page.get_by_role("button", name="hands up").bounding_box()
        finger = page.context.new_cdp_session(page)
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [place]})
        play_until(page, 10)
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.slow
def test_a_watched_agent_is_recorded_and_its_recording_is_shown(chromium: Any, studio: Studio) -> None:
    with opened(chromium, studio, "/infant/play?task=infant/kicks-squeaky-ball&seed=1") as page:
        until(page, "window.puzzlebox?.waiting")
        page.get_by_label("Played by").select_option("infant-script")
        until(page, "window.puzzlebox?.ended?.passed", what="the script passes")
        total = page.evaluate("puzzlebox.ended.return")
        page.goto(f"{studio.address}/recordings")
        page.get_by_role("link", name="Find and kick a ball by a short sound").first.click()
        until(page, "window.puzzlebox?.ended", what="the recording ends")
        assert page.evaluate("puzzlebox.ended.return") == total
        id = page.evaluate("puzzlebox.episode")
        with page.expect_download() as download:
            page.get_by_role("link", name="PNG").click()
        assert download.value.suggested_filename == f"infant-kicks-squeaky-ball-infant-script-{id}.png"
        page.goto(f"{studio.address}/recordings/{id}")
        page.wait_for_url(f"**/infant/play?*shown={id}")
