"""Measure the play page in a real browser: bytes before its first picture, and script time per picture.

Without a graphics card the processor renders WebGL, and a call may wait for earlier pictures. So the picture is small,
and a pixel is read back after each one, which empties the queue: the rest is the page's own work.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Result
from puzzlebox.arena.envs.speed import arena
from puzzlebox.arena.schema import write

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "helpers"))

_THINGS, _PICTURES = 150, 120
_SIZE = {"width": 240, "height": 160}
_VIEWS = {"first": "first person", "third": "third person", "top": "from above"}
_FETCHED_BYTES = """() => [performance.getEntriesByType("navigation")[0], ...performance.getEntriesByType("resource")]
  .reduce((sum, each) => sum + each.transferSize, 0)"""
_SCRIPT_TIMES = """(pictures) => new Promise((done) => {
  const gl = document.querySelector("canvas").getContext("webgl2"), pixel = new Uint8Array(4), times = [];
  let drawn = puzzlebox.framesDrawn;
  const look = () => {
    if (puzzlebox.framesDrawn !== drawn) { drawn = puzzlebox.framesDrawn; times.push(puzzlebox.scriptMilliseconds); }
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    if (times.length < pictures) requestAnimationFrame(look);
    else done(times.sort((a, b) => a - b));
  };
  requestAnimationFrame(look);
})"""


def run() -> list[Result]:
    """Measure bytes, draw calls and script time with many things, at full quality."""
    from playwright.sync_api import sync_playwright

    from browser import FLAGS, Studio, chromium, missing, until

    problem = missing()
    if problem:
        sys.exit(problem)
    results = []
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        studio = Studio(Path(folder)).start()
        try:
            task = studio.upload(write(arena(_THINGS)))
            browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
            page = browser.new_page(viewport=_SIZE)
            page.add_init_script(
                f"localStorage.setItem('puzzlebox.settings', {json.dumps(json.dumps({'quality': 0}))})"
            )
            page.goto(f"{studio.address}/play?task={task}&seed=1")
            until(page, "window.puzzlebox?.framesDrawn > 2")
            results.append(
                Result("page: fetched before the first picture", page.evaluate(_FETCHED_BYTES) / 1e3, "kB", "under 300")
            )
            page.get_by_role("button", name="Start", exact=True).click()
            for view, words in _VIEWS.items():
                while page.evaluate("puzzlebox.view") != view:
                    page.keyboard.press("c")
                    page.wait_for_timeout(300)
                times = page.evaluate(_SCRIPT_TIMES, _PICTURES)
                draws = page.evaluate("puzzlebox.drawCalls")
                what = f"page, {_THINGS} things, {words}"
                results.append(Result(f"{what}: script a picture, median", times[len(times) // 2], "ms", "under 4"))
                results.append(Result(f"{what}: script a picture, 90 of 100", times[9 * len(times) // 10], "ms"))
                results.append(Result(f"{what}: draw calls", draws, "", "under 150"))
            browser.close()
        finally:
            studio.stop()
    return results
