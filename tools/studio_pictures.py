"""Take pictures of every page of the studio for the documentation: `make pictures` writes docs/images/studio-*.png.

`python tools/studio_pictures.py intuitions` takes those of the intuitions wing only, and `infant` those of the infant.

A scripted visitor plays and watches first, so that there are recordings to show; then each page is photographed at the
size of a desktop (1200 x 800) and of a phone (390 x 844). It has the requirements of the browser tests.
"""

import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

import browser  # noqa: E402
from browser import Studio, until  # noqa: E402

IMAGES = ROOT / "docs" / "images"
DESKTOP, PHONE = {"width": 1200, "height": 800}, {"width": 390, "height": 844}
SIZES: dict[str, dict[str, Any]] = {
    "": {"viewport": DESKTOP},
    "-phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
}
COLOURS = 200
# An episode of two minutes is watched to its end, on a computer that may be busy.
browser.TIMEOUT_SECONDS = 400.0
# The best quality, however long rendering takes.
BEST_QUALITY = "localStorage.setItem('puzzlebox.settings', JSON.stringify({ quality: 0 }))"
# The ball is to the right of the child, which turns until it sees it. The page itself counts the steps: keys that are
# pressed from here come late on a busy computer.
MEET_THE_BALL = """() => new Promise((done) => {
  const press = (type) => dispatchEvent(new KeyboardEvent(type, { code: "KeyD" }));
  const pause = () => [...document.querySelectorAll("button")].find((each) => each.textContent === "Pause").click();
  const look = () => {
    if (puzzlebox.step >= 12) press("keyup");
    if (puzzlebox.step < 28) return setTimeout(look, 5);
    pause();
    done();
  };
  press("keydown");
  look();
})"""
MISTAKES = """arenas:
  - time_limmit: 250
    items:
      - {name: Agent, at: [20, 0, 5], rotation: 0}
      - {name: Walll, at: [20, 0, 20], size: [10, 3, 1]}
"""


def main() -> None:
    """Write all pictures."""
    problem = browser.missing()
    if problem is not None:
        sys.exit(problem)
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory(prefix="puzzlebox-") as folder, sync_playwright() as driver:
        studio = Studio(Path(folder)).start()
        chromium = driver.chromium.launch(executable_path=browser.chromium(), args=browser.FLAGS)
        try:
            if not sys.argv[1:]:
                make_recordings(chromium, studio)
                for ending, settings in SIZES.items():
                    photograph(chromium, studio, ending, settings)
                photograph_home(chromium, studio, "-dark", {"viewport": DESKTOP, "color_scheme": "dark"})
            for ending, settings in SIZES.items():
                if sys.argv[1:] in ([], ["infant"]):
                    photograph_infant(chromium, studio, ending, settings)
                if sys.argv[1:] in ([], ["intuitions"]):
                    photograph_intuitions(chromium, studio, ending, settings)
        finally:
            chromium.close()
            studio.stop()


def make_recordings(chromium: Any, studio: Studio) -> None:
    """Make recordings of a participant who walks straight on and of an agent, each to its end."""
    page = new_page(chromium, {"viewport": {"width": 320, "height": 240}}, browser.LOW_QUALITY)
    for task, seed in (("foraging", 5), ("food/picnic", 3)):
        page.goto(f"{studio.address}/watch?task={task}&agent=random&seed={seed}")
        first = until(page, "window.puzzlebox?.step > 0 && puzzlebox.episode")
        page.get_by_label("Speed").select_option("8")
        until(page, f"puzzlebox.episode !== '{first}'")
    for task in ("examples/zone", "obstacles/the-window", "preferences/green-or-red", "examples/food"):
        page.goto(f"{studio.address}/play?task={task}&seed=3")
        until(page, "window.puzzlebox?.waiting")
        page.keyboard.down("w")
        until(page, "puzzlebox.finished || puzzlebox.step > 300")
        page.keyboard.up("w")
    page.context.close()


def photograph(chromium: Any, studio: Studio, ending: str, settings: dict[str, Any]) -> None:
    """Save pictures of every page at one size."""
    photograph_home(chromium, studio, ending, settings)
    page = new_page(chromium, settings, BEST_QUALITY)
    page.goto(studio.address)
    page.locator("article").first.wait_for()
    page.set_input_files(
        "input[type=file]", files=[{"name": "my_task.yml", "mimeType": "application/yaml", "buffer": MISTAKES.encode()}]
    )
    page.get_by_role("dialog").get_by_text("cannot be played").wait_for()
    save_picture(page, f"check{ending}")

    page.goto(f"{studio.address}/play?task=food/picnic&seed=3")
    until(page, "window.puzzlebox?.waiting && puzzlebox.framesDrawn > 4")
    if not ending:
        save_picture(page, "start")
    page.get_by_role("button", name="Start", exact=True).click()
    while page.evaluate("puzzlebox.view") != "third":
        page.keyboard.press("c")
    until(page, "puzzlebox.step > 0 && !puzzlebox.waiting")
    save_picture(page, f"play{ending}")
    if not ending:
        photograph_end(page, studio)

    page.goto(f"{studio.address}/watch?task=food/picnic&agent=random&seed=3")
    until(page, "window.puzzlebox?.step > 250 && puzzlebox.rays > 0")
    # Otherwise a busy computer shows a later moment each time; a click by Playwright would wait until the page is idle.
    page.evaluate("document.querySelector('.controls button').click()")
    save_picture(page, f"watch{ending}")

    page.goto(f"{studio.address}/recordings")
    page.locator("tbody tr").first.wait_for()
    save_picture(page, f"recordings{ending}")

    recording = next(each for each in studio.recordings() if each["task"] == "food/picnic" and each["finished"])
    page.goto(f"{studio.address}/recordings/{recording['id']}")
    until(page, "window.puzzlebox?.shown === 0 && puzzlebox.drawCalls > 0")
    page.get_by_label("Moment of the episode").fill(str(recording["steps"] * 4 // 5))
    until(page, "puzzlebox.shown === puzzlebox.step && puzzlebox.step > 0")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(1000)
    save_picture(page, f"recording{ending}", whole=True)
    page.context.close()


def photograph_intuitions(chromium: Any, studio: Studio, ending: str, settings: dict[str, Any]) -> None:
    """Save pictures of a pair of films that is watched, and of one that is judged."""
    page = new_page(chromium, settings, BEST_QUALITY)
    page.goto(f"{studio.address}/intuitions?task=instrumental_blocking_barrier&number=1")
    until(page, "window.puzzlebox?.surprise")
    page.keyboard.press("t")
    for _ in range(5):
        page.keyboard.press("Shift+ArrowRight")
    until(page, "[...document.querySelectorAll('.films canvas')].every((each) => each.dataset.shown === '8/50')")
    page.wait_for_timeout(1000)
    save_picture(page, f"intuitions{ending}", whole=True)

    page.goto(f"{studio.address}/intuitions/judge?task=intuitions/multi_agent;together=yes;speed=4&participant=P07")
    page.get_by_role("button", name="Start with practice").click()
    if not ending:
        until(page, "document.querySelector('.trials .last.now')")
        page.wait_for_timeout(500)
        save_picture(page, "judge")
    until(page, "puzzlebox.phase === 'question'")
    save_picture(page, f"judge-question{ending}")
    page.context.close()


def photograph_infant(chromium: Any, studio: Studio, ending: str, settings: dict[str, Any]) -> None:
    """Save a picture of a ball that a visitor has found by its sound, and of the list of infant tasks."""
    page = new_page(chromium, settings, BEST_QUALITY)
    page.goto(f"{studio.address}/infant/play?task=infant/kick-the-ball&seed=3")
    until(page, "window.puzzlebox?.waiting")
    page.evaluate(MEET_THE_BALL)
    page.wait_for_timeout(500)
    save_picture(page, f"infant{ending}")
    page.context.close()


def photograph_end(page: Any, studio: Studio) -> None:
    """Save a picture of the page after the last arena."""
    page.goto(f"{studio.address}/play?task=examples/food&seed=3")
    until(page, "window.puzzlebox?.waiting")
    page.keyboard.down("w")
    until(page, "puzzlebox.step > 20")
    page.keyboard.press("n")
    until(page, "puzzlebox.finished")
    page.keyboard.up("w")
    page.wait_for_timeout(2000)
    save_picture(page, "end")


def photograph_home(chromium: Any, studio: Studio, ending: str, settings: dict[str, Any]) -> None:
    """Save a picture of the home page."""
    page = new_page(chromium, settings, BEST_QUALITY)
    page.goto(studio.address)
    page.locator("article").first.wait_for()
    page.wait_for_load_state("networkidle")
    save_picture(page, f"home{ending}")
    page.context.close()


def new_page(chromium: Any, settings: dict[str, Any], script: str) -> Any:
    """Return a page of a new visitor, with a script that runs before the page's own."""
    page = chromium.new_context(**settings).new_page()
    page.add_init_script(script)
    return page


def save_picture(page: Any, name: str, whole: bool = False) -> None:
    """Save a picture with a palette of its own, at a third of the size."""
    image = Image.open(io.BytesIO(page.screenshot(full_page=whole, timeout=120_000))).convert("RGB")
    data = io.BytesIO()
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE).save(
        data, "PNG", optimize=True
    )
    (IMAGES / f"studio-{name}.png").write_bytes(data.getvalue())
    print(f"docs/images/studio-{name}.png", data.tell(), "bytes")


if __name__ == "__main__":
    main()
