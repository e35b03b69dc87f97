"""Starting and ending the studio from the command line."""

import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from programs import program
from puzzlebox.cli.app import app
from puzzlebox.record import Start, Store, StoreError
from puzzlebox.studio.app import make_app
from puzzlebox.studio.connections import WebSocket
from puzzlebox.studio.pages import StudioContext, load_pages
from puzzlebox.studio.safety import Policy
from puzzlebox.studio.server import PORT, CannotServe, make_server, open_listener, researcher_link
from puzzlebox.wings import ARENA
from studio_page import TIMEOUT_SECONDS, Page, ask, free_port, server
from worlds import AGENT, task_of


def test_a_port_that_is_taken_is_reported(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = ["play", "--no-browser", "--port", str(port), "--data", str(tmp_path / "r.sqlite")]
        done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert done.stderr == f"error: port {port} of 127.0.0.1 cannot be used: Address already in use\n"


def test_puzzlebox_alone_opens_the_studio(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "puzzlebox.cli", "--no-browser", "--port", str(port)]
    with program(
        [*command, "--data", str(tmp_path / "r.sqlite")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"http://127.0.0.1:{port}/\n"
        assert ask(port, "/")[0] == 200
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 0
    assert "puzzlebox check my_task.yml" in words
    assert "Traceback" not in words


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["forraging"], "there is no file forraging and no bundled task of that name; did you mean `foraging`?"),
        (["foraging", "--rules", "5.0"], "there are no rules named '5.0'; allowed: puzzlebox, 4.3, 3.1, 2019"),
        (["foraging", "--agent", "randm"], "there is no agent 'randm'; there are generalist, heuristic, "),
        (["foraging", "--host", "no.such.host.invalid"], "no.such.host.invalid is not an address of this machine"),
    ],
)
def test_play_reports_what_is_wrong(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    command = ["play", *arguments, "--no-browser", "--data", str(tmp_path / "r.sqlite")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: {sentence}"), done.stderr


def test_a_task_is_named_in_the_link(tmp_path: Path) -> None:
    task = tmp_path / "a & b.yml"
    task.write_text("arenas: [{items: [{name: Agent}]}]")
    port = free_port()
    with server(port, tmp_path / "r.sqlite", str(task), "--seed", "7", link="/play?task=file%3Aa+%26+b&seed=7"):
        names = [each["name"] for each in _json(port, "/api/tasks")["tasks"]]
        assert names[0] == "file:a & b"
        with Page(port, {"type": "start", "task": "file:a & b"}) as page:
            page.until_step(1)


def test_an_agent_of_ones_own_is_watched(tmp_path: Path) -> None:
    """An import path works on the command line, and then for the page."""
    port, agent = free_port(), "puzzlebox.arena.agents.random:RandomAgent"
    link = "/watch?task=examples%2Ffood&agent=puzzlebox.arena.agents.random%3ARandomAgent"
    with server(port, tmp_path / "r.sqlite", "examples/food", "--agent", agent, link=link):
        with Page(port, {"type": "start", "task": "examples/food", "agent": agent}) as page:
            page.until_step(5)
            assert page.episodes[0]["agent"] == agent


def _json(port: int, path: str) -> dict[str, list[dict[str, str]]]:
    import json

    loaded: dict[str, list[dict[str, str]]] = json.loads(ask(port, path)[2])
    return loaded


def test_the_next_free_port_is_taken() -> None:
    with open_listener("127.0.0.1", None) as first, open_listener("127.0.0.1", None) as second:
        assert PORT <= first.getsockname()[1] < second.getsockname()[1]
    with pytest.raises(CannotServe, match="is not an address of this machine"):
        open_listener("no.such.host.invalid", 1234)


def test_links_hold_the_address_and_the_token() -> None:
    with open_listener("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert researcher_link(listener, Policy.for_host("127.0.0.1"), "/play") == f"http://127.0.0.1:{port}/play"
        other = Policy.for_host("0.0.0.0")
        assert (
            researcher_link(listener, other, "/play?task=a")
            == f"http://127.0.0.1:{port}/play?task=a&token={other.token}"
        )
    address_of = load_pages()[ARENA].address_of
    assert address_of(None) == "/play"
    assert address_of("x", agent="random", seed=0) == "/watch?task=x&agent=random&seed=0"


def test_reachable_from_elsewhere_the_link_has_a_token(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "puzzlebox.cli", "play", "--no-browser", "--port", str(port), "--host", "0.0.0.0"]
    with program(
        [*command, "--data", str(tmp_path / "r.sqlite")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        assert link.startswith(f"http://{socket.gethostname()}:{port}/play?token=")
        assert ask(port, "/play")[0] == 403
        assert ask(port, "/play?" + link.split("?")[1])[0] == 303
        process.send_signal(signal.SIGINT)
        words = process.communicate(timeout=TIMEOUT_SECONDS)[1]
    # The warning is printed.
    assert words.startswith("WARNING: the connection is not encrypted.")
    assert "--certificate FILE --key FILE" in words and str(link.split("token=")[1]) not in words


def test_a_page_that_is_just_leaving_does_not_keep_the_studio_from_closing_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener, ready = open_listener("127.0.0.1", 0), threading.Event()
    store = Store(tmp_path / "r.sqlite")
    served = make_server(make_app(StudioContext(store), load_pages(), Policy.for_host("127.0.0.1"), ready.set))
    thread = threading.Thread(target=served.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    assert ready.wait(TIMEOUT_SECONDS)
    page = Page(listener.getsockname()[1], {"type": "start", "task": "examples/food"})
    page.until_step(2)
    shutdown = served.shutdown

    async def while_pages_leave(sockets: Any = None) -> None:
        for each in served.server_state.connections:
            assert isinstance(each, WebSocket)
            each.conn.send_close(1000)  # half of a farewell: the other half has not come yet
        await shutdown(sockets)

    monkeypatch.setattr(served, "shutdown", while_pages_leave)
    served.should_exit = True
    thread.join(TIMEOUT_SECONDS)
    assert not thread.is_alive()
    with pytest.raises(StoreError, match="closed"):
        store.begin(Start.of(task_of(AGENT)))
    assert store.episodes()[0].steps >= 2
