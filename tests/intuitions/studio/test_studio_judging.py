"""Judging in the studio: plans, answers that are stored once and for good, links, and what is refused."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from typer.testing import CliRunner

from puzzlebox.cli.app import app as cli
from puzzlebox.intuitions.apparatus import shown_order
from puzzlebox.intuitions.studio.judgements import InvalidAnswer, Judgements
from puzzlebox.intuitions.studio.pages import IntuitionsPages
from puzzlebox.intuitions.studio.plan import Plan
from puzzlebox.record import Store, StoreError
from puzzlebox.studio.links import Link, Links
from puzzlebox.studio.protocol import split_messages
from puzzlebox.studio.safety import Policy
from studio_page import Studio, running

LINKS = Links(b"s" * 32)
JUDGING = "/api/intuitions/judging"
PLAN = Plan(("preference", "multi_agent"), pairs=2)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    path = tmp_path_factory.mktemp("judging") / "people.sqlite"
    with running(path, Policy.for_host("127.0.0.1", links=LINKS), intuitions=IntuitionsPages()) as studio:
        yield studio


def query(participant: str | None = None, plan: Plan = PLAN, **more: Any) -> str:
    fields = {"task": plan.name, "seed": plan.seed, **({} if participant is None else {"participant": participant})}
    return urlencode(fields | more)


def answer(studio: Studio, place: int, visit: str, address: str, given: str = "first", **more: Any) -> tuple[int, Any]:
    body = {"visit": visit, "place": place, "answer": given, "time_ms": 9000, "response_ms": 800, "replays": 0} | more
    status, _, data = studio.ask(f"{JUDGING}?{address}", method="POST", body=json.dumps(body).encode())
    return status, json.loads(data)


# --- plans


@pytest.mark.parametrize(
    "plan",
    [
        Plan(),
        PLAN,
        Plan(("preference",), 7, 4, "new", "three-d", together=True, speed=1.5),
        Plan(("multi_agent-ii", "efficiency_path"), speed=8),
    ],
)
def test_the_text_of_a_plan_gives_the_plan_again(plan: Plan) -> None:
    assert Plan.parse(plan.text, plan.seed) == plan
    assert plan.name == f"intuitions/{plan.text}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("preferense", "there is no task 'preferense' to judge; did you mean `preference`"),
        ("background/preference", "there is no task 'background/preference' to judge"),
        ("*;pairs=0", "0 pairs of each task are asked for; it must be 1 to 100"),
        ("*;pairs=many", "pairs is 'many'; it must be a number"),
        ("*;view=side", "the view is 'side'"),
        ("*;together=perhaps", "together is 'perhaps'; it must be yes or no"),
        ("*;speed=nan", "the speed is nan; it must be from 0.25 to 32"),
        ("*;seed=3", "'seed=3' is not a setting of a judging"),
        ("*;pairs=1;pairs=2", "'pairs=2' is not a setting"),
        ("", "there is no task '' to judge"),
    ],
)
def test_what_cannot_be_judged_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Plan.parse(text)


def test_each_judge_has_an_order_of_their_own_and_pair_types_are_balanced() -> None:
    plan = Plan(pairs=4)
    one, other = plan.items("P01"), plan.items("P02")
    assert one == plan.items("P01") and one != other
    key = lambda item: (item.task.name, item.number)  # noqa: E731
    assert sorted(map(key, one)) == sorted(map(key, other)) and len(one) == 9 * 4
    counts = Counter(item.task.name for item in one)
    assert (counts["multi_agent-i"], counts["multi_agent-ii"], counts["preference"]) == (2, 2, 4)
    assert {item.task.pair(item.number).kind for item in one if item.task.name == "multi_agent-i"} == {"i"}
    shown = Counter(shown_order(item.seed) for judge in range(20) for item in plan.items(f"P{judge}"))
    assert 0.4 < shown["eu"] / shown.total() < 0.6
    practice = plan.practice("P01")
    assert key(practice) not in set(map(key, one)) or practice.task not in [item.task for item in one]


# --- storing


def test_an_answer_is_an_ordinary_episode(studio: Studio, tmp_path: Path) -> None:
    about = studio.json(f"{JUDGING}?{query('P01')}")
    assert (about["pairs"], about["done"], about["participant"]) == (4, [], "P01")
    items = PLAN.items("P01")
    for place, item in enumerate(items):
        right = ("first", "second")[shown_order(item.seed).index("u")]
        given = "cannot tell" if place == 3 else right
        status, stored = answer(studio, place, about["visit"], query("P01"), given)
        # What was acknowledged is in the file.
        assert status == 200 and Store(studio.store.path).episode(stored["stored"]).finished
    assert studio.json(f"{JUDGING}?{query('P01')}")["done"] == [0, 1, 2, 3]
    episodes = [each for each in studio.store.episodes() if each.participant == "P01"][::-1]
    assert [(each.total, each.passed) for each in episodes] == [(1.0, True)] * 3 + [(0.5, None)]
    assert [(each.task, each.arena, each.seed) for each in episodes] == [
        (f"intuitions/{item.task.name}", item.number, item.seed) for item in items
    ]
    (event,) = studio.store.events(episodes[0].id)
    assert event["kind"] == "judged" and event["details"]["response_ms"] == 800 and event["details"]["place"] == 0
    listed = studio.json("/api/recordings?limit=1")["recordings"][0]
    assert listed["page"]["address"].startswith("/intuitions?task=") and listed["page"]["part"].startswith("pair ")
    # Tables, and deletion of a participant, work as for any other recording.
    copy = tmp_path / "copy.sqlite"
    words = ["backup", str(copy), "--store", str(studio.store.path)]
    assert CliRunner().invoke(cli, words).exit_code == 0
    done = CliRunner().invoke(cli, ["export", "--store", str(copy), "-o", str(tmp_path / "tables")])
    assert done.exit_code == 0 and "P01" in (tmp_path / "tables" / "episodes.csv").read_text()
    assert "cannot tell" in (tmp_path / "tables" / "steps.csv").read_text()
    done = CliRunner().invoke(cli, ["forget", "P01", "--store", str(copy), "--yes"])
    assert done.exit_code == 0, done.output
    assert not [each for each in Store(copy).episodes() if each.participant == "P01"]


def test_an_answer_that_is_sent_again_is_stored_once(studio: Studio) -> None:
    about = studio.json(f"{JUDGING}?{query('P02')}")
    first = answer(studio, 0, about["visit"], query("P02"))
    assert first[0] == 200 and answer(studio, 0, about["visit"], query("P02"), "second") == first
    # Another page of the same participant judges no pair twice either.
    other = studio.json(f"{JUDGING}?{query('P02')}")
    assert other["visit"] != about["visit"] and other["done"] == [0]
    assert answer(studio, 0, other["visit"], query("P02"), "second") == first
    assert sum(each.participant == "P02" for each in studio.store.episodes()) == 1


def test_without_an_id_every_visit_is_a_judge_of_its_own(studio: Studio) -> None:
    before = studio.store.count()
    visits = [studio.json(f"{JUDGING}?{query()}")["visit"] for _ in range(2)]
    ids = {answer(studio, 1, visit, query())[1]["stored"] for visit in visits}
    assert len(ids) == 2 and studio.store.count() == before + 2
    assert answer(studio, 1, visits[0], query())[1]["stored"] in ids and studio.store.count() == before + 2


def test_nothing_is_acknowledged_while_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(tmp_path / "r.sqlite") as store:
        judgements = Judgements(store)
        visit = judgements.describe(PLAN, "P09")["visit"]
        given = {"visit": visit, "place": 0, "answer": "first", "time_ms": 1, "response_ms": 1, "replays": 0}
        flush = store.flush

        def fail(*_: Any) -> None:
            raise StoreError("the disk is full")

        monkeypatch.setattr(store, "flush", fail)
        for _ in range(2):
            with pytest.raises(StoreError, match="the disk is full"):
                judgements.store(PLAN, "P09", given)
        monkeypatch.setattr(store, "flush", flush)
        stored = judgements.store(PLAN, "P09", given)
        assert [each.id for each in store.episodes()] == [stored["stored"]]


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ({"place": 4}, "place is 4; it must be a whole number from 0 to 3"),
        ({"place": -1}, "place is -1"),
        ({"place": True}, "place is True"),
        ({"place": "0"}, "place is '0'"),
        ({"answer": "third"}, "the answer is 'third'"),
        ({"answer": 1}, "the answer is 1; it must be one of first, second, cannot tell"),
        ({"visit": "x"}, "visit is 'x'; it must be the one that the page was given"),
        ({"visit": None}, "visit is None"),
        ({"time_ms": float("inf")}, "time_ms is inf"),
        ({"response_ms": -1}, "response_ms is -1"),
        ({"response_ms": "soon"}, "response_ms is 'soon'; it must be a number"),
        ({"replays": 10**9}, "replays is 1000000000"),
    ],
)
def test_a_wrong_answer_is_refused_and_nothing_is_stored(tmp_path: Path, part: dict[str, Any], sentence: str) -> None:
    with Store(tmp_path / "r.sqlite") as store:
        given = {"visit": "0" * 16, "place": 0, "answer": "first", "time_ms": 1, "response_ms": 1, "replays": 0}
        with pytest.raises(InvalidAnswer, match=sentence.replace("(", r"\(")):
            Judgements(store).store(PLAN, "P01", given | part)
        with pytest.raises(InvalidAnswer, match="must be a JSON object"):
            Judgements(store).store(PLAN, "P01", [given])
        assert store.count() == 0


def test_damaged_requests_get_a_sentence(studio: Studio) -> None:
    for body, status, sentence in ((b"{", 400, "not JSON"), (b"[" * 5000, 413, "at most"), (b"[]", 400, "JSON object")):
        found, _, data = studio.ask(f"{JUDGING}?{query('P03')}", method="POST", body=body)
        assert found == status and sentence in json.loads(data)["message"]
    for address, sentence in (
        (query("P 3"), "not a participant id"),
        (query(task="intuitions/nothing"), "there is no task 'nothing'"),
        (query(seed="x"), "seed is 'x'"),
    ):
        status, _, data = studio.ask(f"{JUDGING}?{address}")
        assert status == 400 and sentence in json.loads(data)["message"]


# --- films and links


def test_films_are_shown_in_the_order_of_the_judge_and_without_labels(studio: Studio) -> None:
    item = PLAN.items("P05")[2]
    blocks = {film: studio.ask(f"{JUDGING}/film?{query('P05', place=2, film=film, trial=8)}") for film in (0, 1)}
    pair = item.task.pair(item.number)
    films = dict(pair.members())
    for film, member in enumerate(shown_order(item.seed)):
        status, headers, data = blocks[film]
        header, *pictures = split_messages(data)
        about = json.loads(header)
        assert status == 200 and headers["content-type"] == "application/octet-stream"
        assert about["lengths"] == [trial.frames for trial in films[member].trials]
        assert set(about) == {"frames", "starts", "lengths"} and len(pictures) == len(about["starts"])
        assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    assert studio.ask(f"{JUDGING}/film?{query('P05', place='practice', trial=0)}")[0] == 200
    for wrong in ({"place": 4}, {"trial": 9}, {"film": 2}):
        assert studio.ask(f"{JUDGING}/film?{query('P05', **wrong)}")[0] == 400
    assert studio.ask(f"{JUDGING}/film?{query('P05', place=0)}", method="HEAD")[2] == b""


def test_a_participants_link_opens_the_judging_and_nothing_else(studio: Studio) -> None:
    own = urlsplit(LINKS.address(Link("P06", PLAN.name, 1))).query
    visit = studio.json(f"{JUDGING}?{own}")["visit"]
    assert answer(studio, 0, visit, own)[0] == 200
    assert studio.ask(f"/intuitions/judge?{own}")[0] == 200
    # The link decides who judges what, whatever else the address says.
    for address in ("/intuitions", "/play", "/api/intuitions", "/api/intuitions/surprise", "/recordings", "/api/tasks"):
        assert studio.ask(f"{address}?{own}")[0] == 403, address
    assert answer(studio, 1, visit, own.replace("P06", "P01"))[0] == 403
    # A link to a task of the arena opens no judging.
    arena = urlsplit(LINKS.address(Link("P06", "examples/food"))).query
    assert studio.ask(f"{JUDGING}?{arena}")[0] == 403 and studio.ask(f"/play?{arena}")[0] == 200


def test_the_command_refuses_what_cannot_be_judged() -> None:
    done = CliRunner().invoke(cli, ["intuitions", "judge", "--task", "preferense"])
    assert done.exit_code == 1 and "did you mean `preference`" in done.stderr
    done = CliRunner().invoke(cli, ["intuitions", "judge", "--participant", "P 1"])
    assert done.exit_code == 1 and "is not a participant id" in done.stderr
    assert replace(PLAN, tasks=("*",)).name == "intuitions/*"
