"""A participant's link opens one task for one person, and nothing else; the rest is the researcher's."""

import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from starlette.routing import Route, WebSocketRoute
from typer.testing import CliRunner
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from puzzlebox.cli.app import app as cli
from puzzlebox.record import Store
from puzzlebox.studio.app import make_app
from puzzlebox.studio.links import KEY, Link, Links, LinksError
from puzzlebox.studio.page_socket import NOT_NOW
from puzzlebox.studio.pages import StudioContext, load_pages
from puzzlebox.studio.safety import Policy
from puzzlebox.studio.static import load_page_files
from studio_page import FOOD, TIMEOUT_SECONDS, Page, Studio, ask, free_port, running, wait_for
from test_studio_trouble import locked
from worlds import FORWARDS

# In a page a sentence begins with a capital letter.
NOT_VALID = "his link is not valid; ask the person who sent it"
NOTHING_ELSE = "his link opens one task and nothing else"
SECRET = b"s" * 32
LINKS = Links(SECRET)
MINE = Link("P07", "examples/food")


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio others can reach, with an episode of another participant in it."""
    policy = Policy.for_host("0.0.0.0", links=LINKS)
    with running(tmp_path_factory.mktemp("remote") / "recordings.sqlite", policy) as studio:
        yield studio


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with running(tmp_path_factory.mktemp("local") / "r.sqlite", Policy.for_host("127.0.0.1", links=LINKS)) as studio:
        yield studio


def researcher(studio: Studio) -> dict[str, str]:
    """Return the headers of the researcher's browser."""
    return {"Cookie": f"{studio.policy.cookie}={studio.policy.token}"}


def query_of(link: Link) -> str:
    return urlsplit(LINKS.address(link)).query


def participant(studio: Studio, link: Link = MINE, first: dict[str, Any] | None = None) -> Page:
    """A page opened by a participant's link, with any first message."""
    return Page(studio.port, first or {"type": "start"}, query=query_of(link))


def socket_status(studio: Studio, query: str, **headers: str) -> int:
    address = f"ws://127.0.0.1:{studio.port}/ws{'?' if query else ''}{query}"
    try:
        with connect(address, origin=f"http://127.0.0.1:{studio.port}", additional_headers=headers, compression=None):  # type: ignore[arg-type]
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


@pytest.fixture(scope="module")
def others(remote: Studio) -> str:
    """An episode of another participant, in the file."""
    with Page(remote.port, {"type": "start", "task": "food/picnic", "participant": "P99"}, researcher(remote)) as page:
        page.keys(FORWARDS)
        page.until(lambda page: page.acknowledged.get(page.episode, 0) > 2)
        return page.episode


# --- the link itself


@pytest.mark.parametrize(
    "link", [MINE, Link("P07", None), Link("a.b-c_1", "file:a & b é", 7), Link("P07", "upload:0", 2**63 - 1)]
)
def test_a_link_is_read_as_it_was_made(link: Link) -> None:
    address = LINKS.address(link)
    assert address.startswith("/play?") and LINKS.read(urlsplit(address).query) == link
    assert len(dict(parse_qsl(urlsplit(address).query))[KEY]) >= 32
    # Parameters that mail programs add are ignored.
    assert LINKS.read(urlsplit(address).query + "&utm_source=mail") == link


EDITS: dict[str, Any] = {
    "another id": lambda query: query | {"participant": "P08"},
    "the id in small letters": lambda query: query | {"participant": "p07"},
    "no id": lambda query: {name: value for name, value in query.items() if name != "participant"},
    "another task": lambda query: query | {"task": "food/picnic"},
    "no task": lambda query: {name: value for name, value in query.items() if name != "task"},
    "a seed": lambda query: query | {"seed": "7"},
    "another key": lambda query: query | {KEY: "x" * len(query[KEY])},
    "a shorter key": lambda query: query | {KEY: query[KEY][:-1]},
    "an empty key": lambda query: query | {KEY: ""},
    "a key of other letters": lambda query: query | {KEY: "é" + query[KEY][1:]},
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("where", ["remote", "local"])
def test_an_edited_link_is_refused_in_one_sentence(request: pytest.FixtureRequest, where: str, edit: str) -> None:
    studio: Studio = request.getfixturevalue(where)
    edited = urlencode(EDITS[edit](dict(parse_qsl(query_of(MINE)))))
    assert LINKS.read(edited) is None
    status, headers, body = studio.ask(f"/play?{edited}")
    assert status == 403 and NOT_VALID in body.decode() and "text/html" in headers["content-type"]
    assert socket_status(studio, edited) == 403


def test_a_link_with_a_repeated_field_is_refused() -> None:
    for again in ("participant=P08", "task=foraging", "participant=P07"):
        assert LINKS.read(f"{query_of(MINE)}&{again}") is None
        assert LINKS.read(f"{again}&{query_of(MINE)}") is None


def test_a_link_without_its_key_opens_nothing(remote: Studio) -> None:
    bare = "task=examples%2Ffood&participant=P07"
    status, _, body = remote.ask(f"/play?{bare}")
    assert status == 403 and NOT_VALID in body.decode()
    assert socket_status(remote, bare) == 403


def test_links_of_another_studio_are_refused() -> None:
    assert Links(b"t" * 32).read(query_of(MINE)) is None
    # The signature distinguishes a task named "1" from the seed 1.
    assert LINKS.address(Link("P07", "1", None)) != LINKS.address(Link("P07", None, 1))


def test_the_secret_is_kept_beside_the_recordings_for_its_owner_only(tmp_path: Path) -> None:
    store = tmp_path / "recordings.sqlite"
    assert Links.for_store(store, make=False) is None
    links = Links.for_store(store)
    assert links is not None
    (secret,) = tmp_path.iterdir()
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    again = Links.for_store(store, make=False)
    assert again is not None and again.read(urlsplit(links.address(MINE)).query) == MINE
    assert links.address(MINE) != LINKS.address(MINE)
    secret.write_text("short")
    with pytest.raises(LinksError, match=r"recordings\.sqlite\.key is damaged; delete it"):
        Links.for_store(store)


def test_recordings_are_for_their_owner_only(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with running(tmp_path / "recordings.sqlite") as studio, studio.page(task="examples/food") as page:
            page.until(lambda page: page.acknowledged)
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes.pop("recordings.sqlite") == 0o600
    assert set(modes.values()) <= {0o600}, modes


# --- what it opens


def address_of(route: Route | WebSocketRoute, episode: str) -> str:
    """Return an address of a route that is answered to a researcher."""
    values = {"id": episode, "name": "examples/food.png", "ending": "gif"}
    return re.sub(r"\{(\w+)(:\w+)?\}", lambda match: values[match[1]], route.path)


def routes(studio: Studio) -> list[Route | WebSocketRoute]:
    app = make_app(StudioContext(studio.store), load_pages(), studio.policy)
    return [route for route in app.routes if isinstance(route, Route | WebSocketRoute)]


@pytest.mark.parametrize("where", ["remote", "local"])
def test_every_address_but_the_task_is_closed_to_a_link(
    request: pytest.FixtureRequest, where: str, others: str
) -> None:
    """All routes of the application are tried, so that none is overlooked."""
    studio: Studio = request.getfixturevalue(where)
    query, tried = query_of(MINE), 0
    for route in routes(studio):
        address = address_of(route, others)
        if isinstance(route, WebSocketRoute) or address in {"/play", *(set(load_page_files()) - {"/"})}:
            continue
        tried += 1
        for method in route.methods or ("GET",):
            body = FOOD.encode() if method == "POST" else None
            status, _, answer = studio.ask(f"{address}?{query}", method=method, body=body)
            assert status == 403, (method, address)
            assert method == "HEAD" or NOTHING_ELSE in answer.decode(), (method, address)
    assert tried > 12


def test_without_link_or_token_only_the_files_of_the_page_are_answered(remote: Studio, others: str) -> None:
    """The files are those of the published program; nothing of the study is in them."""
    for route in routes(remote):
        address = address_of(route, others)
        if isinstance(route, WebSocketRoute):
            assert socket_status(remote, "") == 403
        elif address in set(load_page_files()) - {"/"}:
            assert remote.ask(address)[0] == 200
        else:
            assert remote.ask(address, method="GET" if "GET" in (route.methods or ()) else "POST")[0] == 403, address


def test_a_link_counts_also_for_a_browser_that_knows_the_token(remote: Studio, others: str) -> None:
    """On the researcher's computer a link opens the page that the participant will see."""
    for address in ("/", "/recordings", f"/api/recordings/{others}"):
        assert remote.ask(f"{address}?{query_of(MINE)}", headers=researcher(remote))[0] == 403
        assert remote.ask(address, headers=researcher(remote))[0] == 200


def test_the_page_opens_and_needs_no_cookie(remote: Studio) -> None:
    status, headers, body = remote.ask(LINKS.address(MINE))
    assert status == 200 and "set-cookie" not in headers and body == load_page_files()["/"].data


def test_participants_never_receive_the_token(remote: Studio) -> None:
    assert str(remote.policy.token) not in LINKS.address(MINE)
    token = urlencode({"token": remote.policy.token or ""})
    assert remote.ask(f"/?{token}")[0] == 303  # the researcher's own way in is as before


@pytest.mark.parametrize(
    "first",
    [
        {"type": "start"},
        {"type": "start", "task": "food/picnic"},
        {"type": "start", "task": "examples/food", "participant": "P99"},
        {"type": "start", "task": "examples/food", "agent": "random"},
        {"type": "start", "task": "food/picnic", "arena": 1, "seed": 5, "agent": "random", "participant": "P99"},
    ],
)
def test_whatever_the_page_asks_for_its_own_task_is_played(remote: Studio, first: dict[str, Any]) -> None:
    with participant(remote, first=first) as page:
        page.until(lambda page: page.episodes)
        (episode,) = page.episodes
    assert (episode["task"], episode["participant"], episode["agent"]) == ("examples/food", "P07", None)


def test_the_seed_of_a_link_is_played(remote: Studio) -> None:
    with participant(remote, Link("P07", "examples/food", 41), {"type": "start", "seed": 3}) as page:
        page.until(lambda page: page.episodes)
        assert page.episodes[0]["seed"] == 41


@pytest.mark.parametrize("waits", [True, False])
def test_a_participant_resumes_an_episode_of_their_own(remote: Studio, waits: bool) -> None:
    with participant(remote) as page:
        page.keys(FORWARDS)
        page.until(lambda page: page.acknowledged.get(page.episode, 0) > 2)
    wait_for(lambda: page.episode in remote.sessions._detached)
    if not waits:
        del remote.sessions._detached[page.episode]
    with participant(remote, first=page.resume()) as back:
        back.until_step(page.step)
        assert back.episode == page.episode
    # The link of another participant, or of another task, does not resume it.
    for link in (Link("P08", "examples/food"), Link("P07", "food/picnic")):
        with participant(remote, link, page.resume()) as other:
            other.until(lambda other: other.episodes)
            assert other.episode != page.episode
            assert (other.episodes[0]["participant"], other.episodes[0]["task"]) == (link.participant, link.task)


@pytest.mark.parametrize("episode", ["others", "watched", "nobody"])
def test_the_episode_of_another_participant_is_neither_resumed_nor_shown(
    remote: Studio, others: str, episode: str
) -> None:
    """Whether there is such an episode, and what it was, cannot be discovered either."""
    if episode == "watched":
        with Page(remote.port, {"type": "start", "task": "food/picnic", "agent": "random"}, researcher(remote)) as page:
            page.until(lambda page: page.acknowledged.get(page.episode, 0) > 2)
        episode = page.episode
    id = {"others": others, "nobody": "0123456789ab"}.get(episode, episode)
    first = {"type": "resume", "episode": id, "step": 3, "actions": [0], "task": "food/picnic", "participant": "P99"}
    # This participant has no episode that could be resumed instead.
    who = f"new-{episode}"
    with participant(remote, Link(who, "examples/food"), first) as page:
        page.until(lambda page: page.episodes)
        (shown,) = page.episodes
    assert (shown["task"], shown["participant"], shown["agent"]) == (
        "examples/food",
        who,
        None,
    )
    assert shown["note"] == "the episode could not be resumed: it does not belong to this link; this is a new one"
    assert shown["episode"] != id


def test_an_episode_that_never_began_is_replaced_without_a_note(remote: Studio) -> None:
    first = {"type": "resume", "episode": "0123456789ab", "step": 0, "actions": []}
    with participant(remote, Link("new-untouched", "examples/food"), first) as page:
        page.until(lambda page: page.episodes)
        assert page.episodes[0]["note"] is None


@pytest.mark.parametrize("episode", ["\ud800", "a b", "", None, 7])
def test_an_invalid_episode_id_is_refused_in_one_sentence(remote: Studio, episode: Any) -> None:
    with participant(remote, first={"type": "resume", "episode": episode, "step": 0, "actions": []}) as page:
        assert page.error() == "a page that resumes must name its episode"


def test_a_participant_is_not_disturbed_by_another_link(remote: Studio) -> None:
    with participant(remote, Link("P08", "foraging")) as page:
        page.keys(FORWARDS)
        page.until_step(3)
        with participant(remote, first=page.resume()) as other:
            other.until(lambda other: other.episodes)
            page.until_step(page.step + 5)


def test_a_missing_task_is_reported_without_naming_others(remote: Studio) -> None:
    with participant(remote, Link("P07", "file:gone")) as page:
        assert page.error() == "this task is not open at the moment; ask the person who sent the link"


# --- the command line


def started(tmp_path: Path, port: int, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "puzzlebox.cli", "play", *arguments, "--no-browser", "--port", str(port)]
    return subprocess.Popen(
        [*command, "--data", str(tmp_path / "r.sqlite")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_the_command_prints_a_link_for_each_participant(tmp_path: Path) -> None:
    """The links are the same after a restart; the researcher's own link goes to stderr, apart from those to be sent."""
    port, printed = free_port(), []
    for _ in range(2):
        with started(
            tmp_path, port, "examples/food", "--participant", "P07", "--participant", "P08", "--host", "0.0.0.0"
        ) as process:
            assert process.stdout is not None
            links = [process.stdout.readline().strip() for _ in range(2)]
            addresses = [link[link.index("/play") :] for link in links]
            assert ask(port, addresses[1])[0] == 200
            assert ask(port, "/api/recordings?" + addresses[1].split("?")[1])[0] == 403
            with Page(port, {"type": "start"}, query=addresses[1].split("?")[1]) as page:
                page.until(lambda page: page.episodes)
                assert page.episodes[0]["participant"] == "P08"
            process.send_signal(signal.SIGINT)
            rest, words = process.communicate(timeout=TIMEOUT_SECONDS)
        assert rest == ""
        assert "token=" not in "".join(links)
        (own,) = [line for line in words.splitlines() if "token=" in line]
        assert own.split()[-1].startswith("http://")
        printed.append(links)
    assert printed[0] == printed[1]
    assert [dict(parse_qsl(urlsplit(link).query))["participant"] for link in printed[0]] == ["P07", "P08"]


def test_the_command_refuses_an_id_given_twice(tmp_path: Path) -> None:
    arguments = ["play", "foraging", "--participant", "P07", "--participant", "P07", "--data", str(tmp_path / "r")]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 1
    assert done.stderr.startswith("error: --participant P07 is given twice")
    assert not (tmp_path / "r").exists()


def test_ids_are_in_no_file_before_anybody_plays(tmp_path: Path) -> None:
    """Links are checked by their signature: there is no list from which a participant would have to be deleted."""
    Store(tmp_path / "r.sqlite").close()
    links = Links.for_store(tmp_path / "r.sqlite")
    assert links is not None
    links.address(Link("Zaphod", "foraging"))
    assert not [path for path in tmp_path.iterdir() if b"Zaphod" in path.read_bytes()]


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Studio]:
    with running(tmp_path / "recordings.sqlite", Policy.for_host("0.0.0.0", links=LINKS)) as studio:
        yield studio


def test_a_participant_takes_their_own_place_where_all_are_taken(fresh: Studio) -> None:
    fresh.sessions.players = 1
    with participant(fresh) as first:
        first.until_step(3)
        with participant(fresh, Link("P08", "examples/food")) as other:
            assert other.error() == "the only place is taken; try again in a few minutes"
        with participant(fresh) as second:
            second.until(lambda page: page.frames)
            assert second.episode == first.episode
            assert first.error() and first.last("error")["elsewhere"] is True


def test_participants_are_asked_to_get_help_where_the_disk_fails(fresh: Studio) -> None:
    with participant(fresh) as playing:
        playing.until_step(3)
        with locked(fresh, noticed=False):
            playing.until(lambda page: page.received("recording"))
            assert playing.last("recording")["trouble"] == "please tell the person in charge"
            with participant(fresh, Link("P08", "examples/food")) as late:
                assert late.error() == NOT_NOW
