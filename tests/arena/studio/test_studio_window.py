"""Gymnasium's render mode `human`: a page that is shown what a program does."""

import json
from typing import Any

import pytest
from websockets.sync.client import connect

import puzzlebox
from puzzlebox.arena.studio import window
from puzzlebox.arena.studio.window import Window

TASK = """
metadata: {title: Looked at}
arenas:
  - time_limit: 100
    items: [{name: Agent, at: [20, 0, 10], rotation: 0}, {name: GoodGoal, at: [20, 0, 13], size: 1}]
"""


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    opened: list[str] = []
    monkeypatch.setattr(window.webbrowser, "open", opened.append)
    monkeypatch.setattr(window, "_FIRST_PAGE_SECONDS", 5.0)
    return opened


def messages_until(socket: Any, kind: str) -> list[Any]:
    """Return the messages the page receives, up to the first text of a type."""
    messages: list[Any] = []
    while True:
        message = socket.recv(timeout=20)
        messages.append(json.loads(message) if isinstance(message, str) else message)
        if isinstance(messages[-1], dict) and messages[-1]["type"] == kind:
            return messages


def test_the_page_of_a_window_shows_every_episode(monkeypatch: pytest.MonkeyPatch, no_browser: list[str]) -> None:
    env = puzzlebox.make(TASK, camera=None, render_mode="human")
    shown = Window(browser=False)
    env._window = shown
    origin = shown.link.removesuffix("/play")
    with connect(origin.replace("http", "ws") + "/ws", origin=origin) as socket:  # type: ignore[arg-type]
        socket.send(json.dumps({"type": "start"}))
        shown._page_connected.wait(20)
        env.reset(seed=0)
        about = messages_until(socket, "episode")[-1]
        assert (about["title"], about["agent"], about["seed"]) == ("Looked at", "your program", 0)
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(3)
            over = terminated or truncated
        assert "collected" in [event.kind for event in info["events"]]
        assert env.render() is None
        env.reset(seed=1)
        messages = messages_until(socket, "episode")
        assert messages[-1]["seed"] == 1
        kinds = [message[0] for message in messages if isinstance(message, bytes)]
        assert kinds[0] == 1 and set(kinds[1:]) >= {2}
    env.close()
    assert env._window is None


def test_a_window_opens_its_page_in_the_browser(no_browser: list[str]) -> None:
    shown = Window()
    try:
        assert shown._serving.is_set()
        for _ in range(100):
            if no_browser:
                break
            window.time.sleep(0.05)
        assert no_browser == [shown.link]
    finally:
        shown.close()


def test_the_address_of_a_window_is_printed_before_a_page_connects(
    no_browser: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = Window()
    try:
        assert f"open {shown.link} in a browser" in capsys.readouterr().err
    finally:
        shown.close()


def test_a_window_refuses_pages_of_other_sites(no_browser: list[str]) -> None:
    shown = Window(browser=False)
    try:
        with pytest.raises(Exception, match=r"403|reject"):
            connect(shown.link.replace("http", "ws").replace("/play", "/ws"), origin="http://elsewhere.example")
    finally:
        shown.close()


def test_without_the_extra_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError("No module named 'uvicorn'", name="uvicorn")

    monkeypatch.setattr("puzzlebox.arena.envs.arena.import_module", missing)
    env = puzzlebox.make(TASK, camera=None, render_mode="human")
    with pytest.raises(ModuleNotFoundError, match=r"needs uvicorn; `pip install puzzlebox\[studio\]` brings it"):
        env.reset()
