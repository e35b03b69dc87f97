"""Runs of training in the studio: which are listed, what their curves say, and that their agents can be watched."""

import json
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from puzzlebox.agents import agent_names
from puzzlebox.studio.pages import load_pages
from puzzlebox.studio.training import TrainingApi
from studio_page import run_async

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from training_helpers import small_plan, trained

    home = tmp_path_factory.mktemp("runs")
    trained(small_plan(steps=128, evaluate=("examples/wall",), evaluate_every=64), home / "study" / "first")
    (home / "played").mkdir()
    (home / "played" / "run.json").write_text(json.dumps({"agents": []}))
    (home / "broken").mkdir()
    (home / "broken" / "run.json").write_text("{")
    return home


class Client:
    """Asks the application in this process."""

    def __init__(self, app: Starlette) -> None:
        self._transport = httpx.ASGITransport(app)

    def get(self, address: str) -> httpx.Response:
        async def ask() -> httpx.Response:
            async with httpx.AsyncClient(transport=self._transport, base_url="http://studio") as client:
                return await client.get(address)

        return run_async(ask)


@pytest.fixture(scope="module")
def client(folder: Path) -> Client:
    return Client(Starlette(routes=TrainingApi(folder, load_pages()).routes()))


def test_runs_of_training_are_listed_and_no_others(client: Client) -> None:
    (run,) = client.get("/api/training").json()["runs"]
    assert run["name"] == "study/first" and run["learner"] == "ppo" and run["tasks"] == ["examples/food"]
    assert run["step"] == run["steps"] == run["checkpoint"] == 128 and not run["training"]


def test_a_run_that_is_being_trained_is_marked(client: Client, folder: Path) -> None:
    from puzzlebox.file_lock import lock_file

    with (folder / "study" / "first" / ".lock").open("a") as file:
        assert lock_file(file)
        (run,) = client.get("/api/training").json()["runs"]
        assert run["training"]


def test_the_curves_of_a_run_are_those_of_its_log(client: Client, folder: Path) -> None:
    answer = client.get("/api/training/study/first").json()
    log = [json.loads(line) for line in (folder / "study" / "first" / "log.jsonl").read_text().splitlines()]
    assert answer["curves"]["step"] == [64, 128]
    assert answer["curves"]["mean_return"] == [each["mean_return"] for each in log]
    assert answer["evaluation"]["step"] == [64, 128] and answer["coverage"]["tasks_played"] == 1
    assert client.get("/api/training/study/second").status_code == 404
    assert client.get("/api/training/../first").status_code == 404


def test_the_agent_of_a_run_can_be_watched(client: Client) -> None:
    from puzzlebox.arena.studio.watched_agent import find_agent

    (run,) = client.get("/api/training").json()["runs"]
    assert run["watch"] == "/watch?task=examples%2Fwall&agent=study%2Ffirst%2Flatest"
    assert "study/first/latest" in agent_names("arena") and "study/first/latest" not in agent_names("infant")
    agent = find_agent("study/first/latest")
    assert agent.senses == {"camera": None, "rays": 3}


def test_an_agent_that_was_trained_on_a_file_is_shown_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from puzzlebox.batteries.index import bundled_path
    from training_helpers import small_plan, trained

    path = bundled_path("examples/food")
    assert path is not None
    (tmp_path / "own.yml").write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    trained(small_plan(steps=64, tasks=("own.yml",)), tmp_path / "first")
    client = Client(Starlette(routes=TrainingApi(tmp_path, load_pages()).routes()))
    (run,) = client.get("/api/training").json()["runs"]
    assert run["watch"] == "/watch?task=file%3Aown&agent=first%2Flatest"


def test_a_folder_that_the_command_line_names_plays_an_infant_task() -> None:
    pytest.importorskip("mujoco")
    pages = load_pages()["infant"]
    address = pages.address_of("infant/grab-object", agent="out/latest")
    assert address == "/infant/play?task=infant%2Fgrab-object&agent=out%2Flatest"
    with pytest.raises(ValueError, match="does not play infant tasks"):
        pages.address_of("infant/grab-object", agent="navigator")
