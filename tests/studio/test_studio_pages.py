"""The pages of the studio in a real Chromium: participants' links, dropped files, gamepads and saved files."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from browser import PHONE, Studio, new_context, open_page, until
from test_studio_browser import GAMEPAD, LONG_WALK, Open, opened, page_value, playing, studio  # noqa: F401

NOT_VALID = "This link is not valid; ask the person who sent it."
SEVERAL = """
metadata: {title: "The very long name of a task somebody wrote for a study with children"}
arenas:
  - {time_limit: 500, size: [12, 12], items: [{name: Agent, at: [6, 0, 2], rotation: 0}]}
  - {time_limit: 500, size: [12, 12], items: [{name: Agent, at: [6, 0, 2], rotation: 0}]}
"""
TEMPLATE = """
metadata: {title: "A wall at ${x}"}
vary: {x: {range: [1, 11, 1]}}
arenas:
  - size: [12, 12]
    items: [{name: Agent, at: [6, 0, 2], rotation: 0}, {name: Wall, at: [$x, 0, 9], size: [1, 1, 1]}]
"""
# As the other tests' gamepad, with a button that is held.
PAD = GAMEPAD.replace("() => ({ pressed: false,", "(_, i) => ({ pressed: window.pad.down === i,")


# --- a participant's link


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio that others can reach, and the link of a participant."""
    arguments = ("play", "food/picnic", "--participant", "P07", "--host", "0.0.0.0")
    with Studio(tmp_path_factory.mktemp("sent"), *arguments).start() as served:
        yield served


def at_home(sent: Studio) -> str:
    """The participant's link, by the number of this machine instead of its name."""
    return re.sub(r"http://[^/]+", sent.address, sent.link)


def test_a_participants_link_shows_its_task_and_nothing_else(chromium: Any, sent: Studio) -> None:
    with open_page(chromium, at_home(sent), viewport=PHONE) as page:
        until(page, "window.puzzlebox?.episode && puzzlebox.drawCalls > 0", what="the episode begins")
        assert page.get_by_test_id("participant").inner_text().endswith("P07")
        page.keyboard.down("w")
        until(page, "puzzlebox.step > 3 && puzzlebox.unsaved < puzzlebox.step", what="it is played and stored")
        page.keyboard.up("w")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Resume").wait_for()
        assert page.get_by_role("link").count() == 0
        episode = page_value(page, "episode")
        page.reload()
        until(page, f"window.puzzlebox?.episode === '{episode}'", what="a reload goes on")
        query = page.url.split("?")[1]
        for address in ("/", "/watch", "/recordings", f"/recordings/{episode}", f"/recordings?{query}"):
            page.goto(sent.address + address)
            (sentence,) = page.locator("p").all_inner_texts()
            assert re.fullmatch(r"This (link opens one task and nothing else|studio asks for a token).*\.", sentence)
            assert page.get_by_role("link").count() == 0


@pytest.mark.parametrize(
    ("part", "other"), [("participant=P07", "participant=P08"), ("food%2Fpicnic", "foraging"), ("key=", "key=x")]
)
def test_an_edited_link_is_refused_with_a_sentence(chromium: Any, sent: Studio, part: str, other: str) -> None:
    assert part in sent.link
    with open_page(chromium, at_home(sent).replace(part, other), viewport=PHONE) as page:
        assert page.locator("p").all_inner_texts() == [NOT_VALID]


@pytest.mark.slow
def test_on_the_researchers_machine_a_link_opens_only_its_task(chromium: Any, tmp_path: Path) -> None:
    with (
        Studio(tmp_path, "play", "food/picnic", "--participant", "P07").start() as own,
        open_page(chromium, own.link, viewport=PHONE) as page,
    ):
        until(page, "window.puzzlebox?.episode && puzzlebox.drawCalls > 0", what="the episode begins")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Resume").wait_for()
        assert page.get_by_role("link").count() == 0
        # Without a new request to the server, as by a script of the page.
        page.evaluate("history.pushState(null, '', '/recordings' + location.search)")
        page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
        page.get_by_text("This link opens one task and nothing else.").wait_for()
        assert page.get_by_role("link").count() == 0


# --- play


@pytest.mark.slow
def test_a_gamepad_opens_the_menu_and_closes_it(opened: Open, studio: Studio) -> None:  # noqa: F811
    page = playing(opened, studio.upload(LONG_WALK), before=PAD)
    menu = page.get_by_role("dialog")
    for closing in (9, 1):
        press(page, 9)
        menu.wait_for()
        press(page, closing)
        menu.wait_for(state="detached")
    episode = page_value(page, "episode")
    page.evaluate("window.pad.axes = [0, -1, 0, 0]")
    start = page_value(page, "position")
    until(page, f"puzzlebox.position[2] > {start[2]} + 0.5", what="the animal walks again")
    assert page_value(page, "episode") == episode  # B closed the menu, and meant nothing else


def press(page: Any, button: int) -> None:
    """Press and release a button of the gamepad; the page reads it once a frame."""
    for held in (button, None):
        frames = page_value(page, "framesDrawn")
        page.evaluate("button => { window.pad.down = button; }", held)
        until(page, f"puzzlebox.framesDrawn > {frames} + 1")


@pytest.mark.parametrize(("width", "height"), [(360, 740), (390, 844), (740, 360), (667, 375)])
def test_on_a_phone_nothing_covers_anything_else(
    opened: Open,  # noqa: F811
    studio: Studio,  # noqa: F811
    width: int,
    height: int,
) -> None:
    """However long the title is, and with a line about the arena."""
    size = {"width": width, "height": height}
    task = studio.upload(SEVERAL)
    page = playing(opened, f"{task}&participant=P07", viewport=size, has_touch=True, is_mobile=True)
    boxes = page.evaluate(
        """() => [".where", ".vitals", ".state", ".tools button", "[data-testid=stick]"].flatMap((what) =>
          [...document.querySelectorAll(what)].map((each) => {
            const { left, top, right, bottom } = each.getBoundingClientRect();
            return { what, left, top, right, bottom };
          }))"""
    )
    assert len(boxes) == 9
    for place, box in enumerate(boxes):
        assert box["left"] >= 0 and box["top"] >= 0 and box["right"] <= width and box["bottom"] <= height, box
        for other in boxes[:place]:
            beside = box["left"] >= other["right"] or other["left"] >= box["right"]
            assert beside or box["top"] >= other["bottom"] or other["top"] >= box["bottom"], (box, other)


@pytest.mark.slow
def test_the_arena_of_an_address_counts_from_1(opened: Open, studio: Studio) -> None:  # noqa: F811
    page = opened(f"/play?task={studio.upload(SEVERAL)}&arena=2")
    page.get_by_text("Arena 2 of 2", exact=True).wait_for()
    page = opened(f"/play?task={studio.upload(SEVERAL)}&arena=3")
    page.get_by_role("alert").get_by_text("there is no arena 3; the task has arenas 1 to 2").wait_for()


# --- files


def drop(page: Any, name: str, data: bytes, kind: str = "", times: int = 1) -> Any:
    """Drop a file on the page whose content is `data`, repeated `times` times."""
    page.locator("article").first.wait_for()  # before that, dropped files are ignored
    page.evaluate(
        """([name, bytes, type, times]) => {
          const carried = new DataTransfer();
          carried.items.add(new File(Array(times).fill(new Uint8Array(bytes)), name, { type }));
          for (const type of ["dragenter", "dragover", "drop"])
            window.dispatchEvent(new DragEvent(type, { dataTransfer: carried, bubbles: true, cancelable: true }));
        }""",
        [name, list(data), kind, times],
    )
    return page.get_by_role("dialog")


def test_a_dropped_picture_is_called_a_picture(opened: Open) -> None:  # noqa: F811
    page = opened("/")
    dialog = drop(page, "photo.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    sentence = "this is a picture (PNG), not a task file; a task file is a text, in YAML"
    dialog.get_by_text(sentence).wait_for()
    assert "YAML:" not in dialog.inner_text() and dialog.get_by_role("link").count() == 0
    dialog = drop(page, "photo.jpg", bytes(1000), "image/jpeg", 2000)  # larger than any task file may be
    dialog.get_by_text("photo.jpg is a picture, not a task file; a task file is a text, in YAML.").wait_for()


def test_of_a_dropped_template_one_variation_is_played_and_another_can_be_drawn(opened: Open) -> None:  # noqa: F811
    page = opened("/")
    dialog = drop(page, "walls.yml", TEMPLATE.encode())
    dialog.get_by_text("This template is valid").wait_for()
    drawn = dialog.locator(".drawn")
    texts = {drawn.inner_text()}
    for _ in range(30):
        with page.expect_response("**/api/check"):
            dialog.get_by_role("button", name="Draw another").click()
        drawn.wait_for()
        texts.add(drawn.inner_text())
        if len(texts) > 2:
            break
    numbers = [re.fullmatch(r"Variation (\d+) of 11 was drawn: x = (\d+)", text) for text in texts]
    assert len(numbers) > 2 and all(match and match[1] == match[2] for match in numbers)
    number = dialog.get_by_role("heading").inner_text()
    dialog.get_by_role("link", name="Play").click()
    until(page, "window.puzzlebox?.episode", what="the episode begins")
    page.get_by_role("heading", name=number).wait_for()


# --- recordings


@pytest.mark.slow
def test_space_plays_after_the_slider_was_dragged_and_files_have_names(
    opened: Open,  # noqa: F811
    studio: Studio,  # noqa: F811
) -> None:
    page = playing(opened, "food/picnic&participant=P07")
    page.keyboard.down("w")
    until(page, "puzzlebox.step > 100 && puzzlebox.unsaved < puzzlebox.step - 60", what="some of it is stored")
    episode = page_value(page, "episode")
    page.close()
    page = opened(f"/recordings/{episode}")
    until(page, "window.puzzlebox?.shown === 0 && puzzlebox.drawCalls > 0", what="the recording is shown")
    slider = page.get_by_label("Moment of the episode")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    page.mouse.up()
    until(page, "puzzlebox.shown > 5")
    page.keyboard.press(" ")
    until(page, "puzzlebox.playing || puzzlebox.step === puzzlebox.length - 1", what="Space plays it")
    assert page.get_by_role("link", name="GIF").get_attribute("download") == f"food-picnic-P07-{episode}.gif"
    for link, ending in (("PNG", r"-step-\d+\.png"), ("CSV", r"-steps\.csv")):
        with page.expect_download() as saved:
            page.get_by_role("link", name=link).click()
        assert re.fullmatch(f"food-picnic-P07-{episode}{ending}", saved.value.suggested_filename)


# --- all places taken


@pytest.mark.slow
def test_a_page_that_finds_all_places_taken_is_admitted_later(chromium: Any, tmp_path: Path) -> None:
    with Studio(tmp_path, "play", "food/picnic", "--players", "1").start() as own, ExitStack() as visits:
        first = new_context(chromium, viewport=PHONE)
        page = first.new_page()
        page.goto(f"{own.address}/play?task=food/picnic")
        until(page, "window.puzzlebox?.waiting")
        other = visits.enter_context(open_page(chromium, f"{own.address}/play?task=food/picnic", viewport=PHONE))
        full = other.get_by_test_id("full")
        full.get_by_role("heading", name="The only place is taken; try again in a few minutes.").wait_for()
        assert "it tries again by itself" in full.inner_text()
        full.get_by_role("button", name="Try now").click()
        until(other, "puzzlebox.link === 'full'")
        first.close()
        # By itself, or by the button, whichever is quicker.
        while other.evaluate("puzzlebox.link") == "full":
            other.get_by_role("button", name="Try now").click(timeout=2000, no_wait_after=True)
            other.wait_for_timeout(200)
        until(other, "window.puzzlebox?.waiting")
