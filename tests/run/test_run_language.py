"""Runs of language models: transcripts kept with the episodes, budgets of the whole run, and secrets kept."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from chat_server import Answer, ChatServer, chat_server
from command import puzzlebox
from puzzlebox.agents.language import Budget, Ledger
from puzzlebox.agents.language.budget import SPENDING
from puzzlebox.arena.agents.language.replies import parse_action
from puzzlebox.arena.wing import WING
from puzzlebox.record import Store
from puzzlebox.run.journal import episodes_so_far, trajectory
from puzzlebox.run.play import play
from puzzlebox.run.runs import RunError, run
from puzzlebox.run.specs import agent_of
from puzzlebox.run.tasks import find_tasks
from puzzlebox.run.transcripts import TRANSCRIPTS, all_transcripts, transcript_of, transcripts
from worlds import parsed

TASK = "arenas: [{time_limit: 8, items: [{name: Agent, at: [20, 0, 5], rotation: 0}, {name: GoodGoal}]}]\n"
# An episode takes 8 x 5 physics steps, which are 14 decisions and 3 calls.
CALLS = 3


@pytest.fixture
def task(tmp_path: Path) -> str:
    path = tmp_path / "small.yml"
    path.write_text(TASK)
    return str(path)


def agent_at(server: ChatServer, more: str = "") -> str:
    return f"language(model='m', endpoint='{server.url}', camera=32, retries=0{more})"


def test_transcripts_are_kept_beside_the_trajectories(task: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with chat_server("FORWARD", "TURN_LEFT", "hm", "BACKWARD") as server:
        outcome = run(find_tasks([task]), [agent_at(server)], out, episodes=2, workers=1)
    assert outcome.spent is not None and outcome.spent.calls == len(server.requests)
    found = transcripts(out)
    assert list(found) == [each.id for each in outcome.episodes]
    sent = [messages for (each,) in found.values() for messages, _ in each.requests()]
    assert sent == [request["messages"] for request in server.requests]
    # The replies explain every action of the trajectory.
    for name, (each,) in found.items():
        expected = []
        for call in each.calls:
            if call["outcome"] != "asked again":
                reply = each.messages[call["reply"]]["content"]
                expected += [int(parse_action(reply))] * 5
        actions = [action for (action,) in trajectory(f"{out}#{name}").actions]
        assert actions == expected[: len(actions)]
    settings = json.loads((out / "run.json").read_text())
    assert settings["agents"][0]["options"]["frame_skip"] == 5 and "budget" not in settings


def test_resuming_keeps_transcripts_and_goes_on_after_what_a_kill_left(task: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with chat_server("FORWARD") as server:
        run(find_tasks([task]), [agent_at(server)], out, workers=1)
        first = (out / TRANSCRIPTS).read_bytes()
        with (out / TRANSCRIPTS).open("ab") as file:
            file.write(first[: len(first) // 2])  # the member that a kill interrupted
        run(find_tasks([task]), [agent_at(server)], out, episodes=3, workers=1)
    assert (out / TRANSCRIPTS).read_bytes().startswith(first)
    assert len(transcripts(out)) == 3 and all(len(each.calls) == CALLS for (each,) in transcripts(out).values())


def test_a_damaged_transcript_is_missed_and_the_others_are_read(task: str, tmp_path: Path) -> None:
    with chat_server("FORWARD") as server:
        outcome = run(find_tasks([task]), [agent_at(server), "random"], tmp_path / "out", episodes=3, workers=1)
    path = tmp_path / "out" / TRANSCRIPTS
    data = bytearray(path.read_bytes())
    data[100:120] = bytes(20)  # within the first member
    path.write_bytes(data)
    listed = puzzlebox("transcript", "out", cwd=tmp_path)
    first, second, third = (each.id for each in outcome.episodes[:3])
    assert list(transcripts(tmp_path / "out")) == [second, third]
    assert f"warning: 1 episode has no readable transcript, the first is {first}" in listed.stderr


def test_a_pipe_in_place_of_the_transcripts_is_refused(task: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    os.mkfifo(tmp_path / "out" / TRANSCRIPTS)
    with pytest.raises(ValueError, match="is not a file; move it away, or name another folder"):
        run(find_tasks([task]), ["language(model='m', endpoint='http://localhost:1')"], tmp_path / "out")


def test_a_spent_budget_ends_cleanly_and_a_larger_one_resumes(task: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    with chat_server("FORWARD") as server:
        command = ["run", task, "--agent", agent_at(server), "--agent", "random", "--episodes", "3", "-o", out]
        poor = puzzlebox(*command, "--workers", "1", "--budget", "calls=4")
        assert len(server.requests) == 4 and poor.returncode == 1
        assert "2 episodes failed" in poor.stderr and "the budget is spent: 4 of 4 calls" in poor.stderr
        assert "language models: 4 calls, 440 tokens" in poor.stderr
        rich = puzzlebox(*command, "--workers", "1", "--budget", "calls=100")
    assert rich.returncode == 0 and "failed," not in rich.stderr
    assert len(server.requests) == 4 + 2 * CALLS  # the interrupted episode starts again, the first one stays
    errors = [each.transcript.error for each in all_transcripts(Path(out))]
    assert ["budget is spent" in error for error in errors] == [False, True, False, False]
    assert [len(each.calls) for (each,) in transcripts(out).values()] == [CALLS] * 3


def test_workers_share_the_budget_of_the_run(task: str, tmp_path: Path) -> None:
    with chat_server("FORWARD") as server:
        agents = [agent_at(server), agent_at(server, ", memory=0")]
        outcome = run(find_tasks([task]), agents, tmp_path / "out", episodes=2, workers=2, budget=Budget(calls=7))
    assert len(server.requests) == 7 and outcome.spent is not None and outcome.spent.calls == 7
    assert 1 <= sum(bool(each.error) for each in outcome.episodes) <= 3
    assert json.loads((tmp_path / "out" / "run.json").read_text())["budget"] == {"calls": 7}


@pytest.mark.parametrize(
    ("agents", "budget", "backend", "why"),
    [
        (["random"], Budget(calls=5), "processes", "a budget limits language models, and none plays"),
        (["LANGUAGE"], Budget(money=5), "processes", "a budget of money needs prices"),
        (
            ["LANGUAGE"],
            Budget(calls=5),
            "ray",
            "a budget is kept in a file that workers of a Ray cluster may not reach",
        ),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused(
    agents: list[str], budget: Budget, backend: str, why: str, task: str, tmp_path: Path
) -> None:
    names = ["language(model='m', endpoint='http://localhost:1')" if name == "LANGUAGE" else name for name in agents]
    with pytest.raises(RunError, match=why):
        run(find_tasks([task]), names, tmp_path / "out", backend=backend, budget=budget)
    assert not (tmp_path / "out").exists()


def test_the_key_is_in_no_file(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with chat_server("FORWARD", "your key is sk-very-secret", Answer("sk-very-secret is wrong", 401)) as server:
        outcome = run(find_tasks([task]), [agent_at(server, ", key_variable='MY_KEY'")], tmp_path / "out", workers=1)
    assert server.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert "401 Unauthorized: (key) is wrong" in str(outcome.episodes[0].error)
    for path in (tmp_path / "out").iterdir():
        data = path.read_bytes()
        assert b"secret" not in (gzip.decompress(data) if path.suffix == ".gz" else data), path


def test_an_endpoint_that_fails_ends_one_episode_not_the_run(task: str, tmp_path: Path) -> None:
    with chat_server("FORWARD", Answer("oops", 500), "FORWARD") as server:
        outcome = run(find_tasks([task]), [agent_at(server)], tmp_path / "out", episodes=2, workers=1)
    first, second = outcome.episodes
    assert "gave no usable reply after the only attempt: 500 Internal Server Error: oops" in str(first.error)
    assert second.error is None
    assert "500 Internal Server Error" in transcripts(tmp_path / "out")[first.id][0].error


def test_the_command_lists_shows_and_pages_transcripts(task: str, tmp_path: Path) -> None:
    with chat_server("I see <a ball>. FORWARD", "hm", "TURN_LEFT", "NOOP") as server:
        run(find_tasks([task]), [agent_at(server)], tmp_path / "out", workers=1)
    listed = puzzlebox("transcript", "out", cwd=tmp_path)
    assert listed.returncode == 0 and "small/1/language" in listed.stdout and "hint: " in listed.stderr
    shown = puzzlebox("transcript", "out#1", cwd=tmp_path).stdout
    for part in (
        "You control an animal",
        "(picture)",
        "means: FORWARD",
        "(asked again)",
        "decision 5",
        "4 calls, 440 tok",
    ):
        assert part in shown, part
    written = puzzlebox("transcript", "out#1", "-o", "page.html", cwd=tmp_path)
    page = (tmp_path / "page.html").read_text()
    assert written.returncode == 0 and page.count("data:image/png;base64,") == 3
    assert "I see &lt;a ball&gt;. FORWARD" in page and "<script" not in page
    data = json.loads(puzzlebox("transcript", "out#1", "--json", cwd=tmp_path).stdout)
    assert data["calls"][1]["outcome"] == "asked again" and data["about"]["model"] == "m"
    assert puzzlebox("transcript", "out#1", "-o", "page.html", cwd=tmp_path).returncode == 0  # replaces a page


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["nowhere"], "nowhere is not the folder of a run in which a language model played"),
        (["out#2"], "has no transcript of the episode '2'; it has the episodes 1 to 1"),
        (["out#smal/1"], "has no transcript of the episode 'smal/1'"),
        (["out", "-o", "x.html"], "a page shows one episode"),
        (["out#1", "-o", "x.txt"], "x.txt is not the name of a page; it must end in .html"),
        (["out#1", "-o", "notes.html"], "notes.html is already there and is no page"),
    ],
)
def test_mistakes_of_the_command_are_sentences(arguments: list[str], why: str, tmp_path: Path, task: str) -> None:
    with chat_server("NOOP") as server:
        run(find_tasks([task]), [agent_at(server)], tmp_path / "out", workers=1)
    (tmp_path / "notes.html").write_text("my notes")
    done = puzzlebox("transcript", *arguments, cwd=tmp_path)
    assert done.returncode == 1 and why in done.stderr
    assert (tmp_path / "notes.html").read_text() == "my notes"


def test_an_episode_is_replayed_and_found_by_its_long_name(task: str, tmp_path: Path) -> None:
    with chat_server("FORWARD") as server:
        outcome = run(find_tasks([task]), [agent_at(server)], tmp_path / "out", workers=1)
    name = outcome.episodes[0].id
    assert transcript_of(f"{tmp_path / 'out'}#{name}")[0] == name
    shown = puzzlebox("replay", f"out#{name}", cwd=tmp_path)
    assert shown.returncode == 0 and "length    0.80 s (40 steps)" in shown.stdout
    painted = puzzlebox("replay", f"out#{name}", "-o", "end.png", cwd=tmp_path)
    assert painted.returncode == 0 and (tmp_path / "end.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.usefixtures("unpainted_figures")
def test_a_report_takes_agents_whose_names_hold_addresses(task: str, tmp_path: Path) -> None:
    with chat_server("FORWARD") as server:
        run(find_tasks([task]), [agent_at(server), "random"], tmp_path / "out", workers=1)
    assert puzzlebox("report", "out", "-o", "report", cwd=tmp_path).returncode == 0
    assert "language(model=" in (tmp_path / "report" / "tables" / "episodes.csv").read_text()


def test_the_studio_shows_a_recording_of_a_language_model(tmp_path: Path) -> None:
    with chat_server("FORWARD") as server, Store(tmp_path / "my.sqlite") as store:
        agent = agent_of(agent_at(server))
        record = play(parsed(TASK), agent, seed=1, store=store, agent_name=agent_at(server))
        (episode,) = store.episodes()
        messages = list(WING.messages(episode, store.record(episode.id)))
    assert store.record(episode.id) == record and len(messages) > len(record.actions)


def _finished(folder: Path) -> list[str]:
    return [each.id for each in episodes_so_far(folder)[0] if not each.error]


@pytest.mark.slow
def test_kills_lose_no_transcript_of_a_finished_episode(task: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    program = [sys.executable, "-m", "puzzlebox.cli", "run", task, "--episodes", "30", "--workers", "2", "-o", str(out)]
    with chat_server(Answer("FORWARD", delay_seconds=0.02)) as server:
        for kill in range(6):
            before = _finished(out)
            process = subprocess.Popen([*program, "--agent", agent_at(server)], start_new_session=True)
            while len(_finished(out)) == len(before) and process.poll() is None:
                time.sleep(0.01)
            time.sleep(0.02 * kill)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            found = transcripts(out)
            assert len(before) < len(_finished(out)) < 30, "the kill came while episodes were played"
            assert all(len(found[name][0].calls) == CALLS for name in _finished(out))
        done = subprocess.run([*program, "--agent", agent_at(server)], check=False)
    assert done.returncode == 0 and len(transcripts(out)) == 30
    assert Ledger(out / SPENDING).spent.calls >= 30 * CALLS


def test_each_animal_has_a_transcript_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "two.yml"
    path.write_text("arenas: [{time_limit: 4, items: [{name: Agent}, {name: Agent}, {name: GoodGoal}]}]\n")
    with chat_server("FORWARD") as server:
        outcome = run(find_tasks([str(path)]), [agent_at(server)], tmp_path / "out", workers=1)
    (both,) = transcripts(tmp_path / "out").values()
    assert outcome.episodes[0].error is None and len(both) == 2 and all(each.calls for each in both)
    assert both[0].messages[1] != both[1].messages[1]  # they stand in different places


def test_an_episode_that_fails_before_it_begins_has_no_transcript(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from puzzlebox.arena.apparatus import Alone

    begin, starts = Alone.begin, []

    def begin_once(self: Alone, *arguments: Any) -> Any:
        starts.append(arguments)
        if len(starts) > 1:
            raise ValueError("the apparatus is broken")
        return begin(self, *arguments)

    monkeypatch.setattr(Alone, "begin", begin_once)
    with chat_server("FORWARD") as server:
        outcome = run(find_tasks([task]), [agent_at(server)], tmp_path / "out", episodes=2, workers=1)
    assert "the apparatus is broken" in str(outcome.episodes[1].error)
    assert list(transcripts(tmp_path / "out")) == [outcome.episodes[0].id]
