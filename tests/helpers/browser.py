"""A studio in a server process, and a headless Chromium, for tests."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# WebGL runs on the processor, without a graphics card, and Chromium fetches nothing from the network.
FLAGS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# A small window, which is drawn many times a second even without a graphics card; and a phone.
WINDOW = {"width": 640, "height": 480}
PHONE = {"width": 390, "height": 844}
# The lowest picture quality, because it is the fastest.
LOW_QUALITY = "localStorage.setItem('puzzlebox.settings', JSON.stringify({ quality: 3 }))"
# A condition that is not true after this time has failed, even on a busy machine.
TIMEOUT_SECONDS = 60.0
_PAGE = Path(__file__).resolve().parents[2] / "src" / "puzzlebox" / "studio" / "static" / "index.html"


def chromium() -> str | None:
    """Return the path of Chromium (PUZZLEBOX_CHROMIUM, the system's or Playwright's), or None if there is none."""
    named = os.environ.get("PUZZLEBOX_CHROMIUM")
    if named:
        return named
    for program in PROGRAMS:
        path = shutil.which(program)
        if path:
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        own = driver.chromium.executable_path
    return own if Path(own).exists() else None


def missing() -> str | None:
    """Return one line about what browser tests lack on this machine, or None."""
    try:
        import playwright.sync_api  # noqa: F401
    except ModuleNotFoundError:
        return "no browser tests: playwright is not installed (pip install playwright)"
    if chromium() is None:
        return "no browser tests: no Chromium here (apt install chromium, or playwright install chromium)"
    if not _PAGE.exists():
        return "no browser tests: the page of the studio is not built (make lab)"
    return None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Studio:
    """A server process with its own recordings, which can be killed and started again at the same address.

    Attributes:
        link: the first link it printed.
        store: the file of its recordings.
        address: its address, without a path.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._folder, self._port, self._arguments = folder, free_port(), arguments
        self.link = ""
        self._process: subprocess.Popen[str] | None = None
        self.store = folder / "episodes.sqlite"
        self.address = f"http://127.0.0.1:{self._port}"

    def start(self) -> "Studio":
        command = [sys.executable, "-m", "puzzlebox.cli", *self._arguments, "--no-browser", "--port", str(self._port)]
        with (self._folder / "studio.log").open("a") as log:
            self._process = subprocess.Popen(
                [*command, "--store", str(self.store)], stdout=subprocess.PIPE, stderr=log, text=True, cwd=self._folder
            )
        assert self._process.stdout is not None
        self.link = self._process.stdout.readline().strip()
        if not self.link:
            raise AssertionError("the studio did not start:\n" + (self._folder / "studio.log").read_text())
        return self

    def __enter__(self) -> "Studio":
        return self

    def __exit__(self, *problem: object) -> None:
        self.stop()

    def kill(self) -> None:
        """Kill the process, as a power failure would."""
        self._end(lambda process: process.kill())

    def stop(self) -> None:
        self._end(lambda process: process.terminate())

    def _end(self, how: Callable[[subprocess.Popen[str]], None]) -> None:
        if self._process is None:
            return
        how(self._process)
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None

    def ask(self, path: str, body: str | None = None) -> Any:
        """Send a request; return its answer, read as JSON."""
        data = None if body is None else body.encode()
        with urllib.request.urlopen(urllib.request.Request(self.address + path, data), timeout=60) as answer:
            return json.load(answer)

    def upload(self, task: str) -> str:
        """Upload a task, and return the name under which it can be played."""
        checked = self.ask("/api/check", task)
        assert checked["ok"], checked["messages"]
        return str(checked["task"])

    def recordings(self) -> list[dict[str, Any]]:
        return list(self.ask("/api/recordings")["recordings"])


def new_context(chromium: Any, *scripts: str, **settings: Any) -> Any:
    """Return a browser context with a small window, low picture quality and a long timeout.

    Args:
        chromium: the browser.
        scripts: JavaScript that each page runs before its own code.
        settings: arguments of Playwright's `new_context`.
    """
    context = chromium.new_context(**{"viewport": WINDOW, "reduced_motion": "reduce", **settings})
    context.set_default_timeout(1000 * TIMEOUT_SECONDS)
    for script in filter(None, (LOW_QUALITY, *scripts)):
        context.add_init_script(script)
    return context


@contextmanager
def open_page(chromium: Any, address: str, *scripts: str, **settings: Any) -> Iterator[Any]:
    """Open the page at an address in a context of its own; see `new_context`."""
    context = new_context(chromium, *scripts, **settings)
    try:
        page = context.new_page()
        page.goto(address)
        yield page
    finally:
        context.close()


def until(page: Any, condition: str, *, what: str = "") -> Any:
    """Wait until a JavaScript expression is true in the page, and return its value.

    Playwright's own way of waiting evaluates text in the page, which the page's Content-Security-Policy forbids.
    """
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        value = page.evaluate(condition)
        if value:
            return value
        if time.monotonic() > deadline:
            state = page.evaluate("JSON.stringify(window.puzzlebox ?? null)")
            text = page.evaluate("document.body.innerText.slice(0, 600)")
            raise AssertionError(
                f"{what or condition} did not come true; window.puzzlebox is {state}, and the page shows {text!r}"
            )
        page.wait_for_timeout(30)
