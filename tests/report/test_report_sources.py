"""The sources of a report: names of tasks, incomplete runs, participants, recordings and tables."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from made_up_runs import made_up_rows, write_run
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.world import World
from puzzlebox.record.entries import Start
from puzzlebox.record.export import export
from puzzlebox.record.recorder import Recorder
from puzzlebox.record.store import Store
from puzzlebox.report import CannotRead, Results, gather
from puzzlebox.report.comparisons import Comparisons, compare
from puzzlebox.report.conditions import task_table
from puzzlebox.report.contents import _headline, contents
from puzzlebox.report.data_warnings import data_warnings
from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.methods import _procedure, paragraphs
from puzzlebox.report.model import fit_model
from puzzlebox.report.shares import Shares
from puzzlebox.report.tables import by_arena, by_task, several_arenas
from puzzlebox.report.units import Units
from puzzlebox.run.journal import JOURNAL
from puzzlebox.run.journal_lines import checksum
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks
from puzzlebox.run.trajectories import TRAJECTORIES
from worlds import FORWARDS

# Without randomness; an agent that moves ahead passes after some twenty steps.
AHEAD = """
metadata: {level: 3}
arenas:
  - time_limit: 40
    items: [{name: Agent, at: [20, 0, 10], rotation: 0}, {name: GoodGoal, at: [20, 0, 12], size: 1}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tasks = tmp_path / "tasks" / "mine"
    tasks.mkdir(parents=True)
    (tasks / "ahead.yml").write_text(AHEAD)
    return tasks


class Ahead:
    """An agent that moves ahead or stands still."""

    senses = {"camera": None}

    def __init__(self, action: int = FORWARDS) -> None:
        self.action = action

    def begin(self, seed: int) -> None:
        """Ignore the seed: the agent is deterministic."""

    def act(self, observation: Any, info: Any) -> int:
        return self.action


AGENT = "test_report_sources:Ahead"


def play(source: Path, out: Path, agents: Sequence[str] = (AGENT,), episodes: int = 3, **how: Any) -> Path:
    run(find_tasks([str(source)]), agents, out, episodes=episodes, workers=1, **how)
    return out


def recorded(path: Path, task: str | Path, name: str) -> Path:
    """Record a participant's episode under the name that the studio gives a task."""
    read = load_task(task)
    with Store(path) as store:
        world = World(read, seed=1)
        recording = Recorder(store, Start.of(read, name=name, seed=1), world)
        while not world.over:
            recording.stepped(world.step([FORWARDS]))
    return path


def all_sentences(results: Results) -> str:
    return "\n".join(data_warnings(results, compare(results.rows)))


def names(results: Results) -> set[tuple[str, str]]:
    return {(row.task, row.level) for row in results.rows}


# --- one name a task


def test_participants_and_agents_play_the_same_bundled_task(tmp_path: Path) -> None:
    people = recorded(tmp_path / "people.sqlite", "examples/food", "examples/food")
    results = gather([play(Path("examples/food"), tmp_path / "out", ["heuristic"]), people])
    assert names(results) == {("examples/food", "1")}
    assert results.remarks == []


def test_a_file_has_one_name_in_the_studio_and_in_a_run(folder: Path, tmp_path: Path) -> None:
    file = folder / "ahead.yml"
    people = recorded(tmp_path / "people.sqlite", file, "file:ahead")
    results = gather([play(file, tmp_path / "out"), people])
    assert names(results) == {("ahead", "3")}
    assert not [line for line in results.remarks if "hash" in line]


@pytest.mark.parametrize("name", ["file:other", "upload:0123", "file:ahead"])
def test_other_names_of_a_task_are_found_by_its_hash_and_reported(folder: Path, tmp_path: Path, name: str) -> None:
    """A run of a folder names tasks by their path in it, which the studio does not know."""
    people = recorded(tmp_path / "people.sqlite", folder / "ahead.yml", name)
    results = gather([people, play(folder.parent, tmp_path / "out")])
    assert names(results) == {("mine/ahead", "3")}
    called = name.removeprefix("file:")
    assert (
        f"1 task has another name in another source (the hash is the same): {called} is mine/ahead." in results.remarks
    )


def test_equal_files_of_one_run_stay_two_tasks(folder: Path, tmp_path: Path) -> None:
    (folder / "copy.yml").write_text(AHEAD)
    assert len(gather([play(folder, tmp_path / "out")]).tasks) == 2


def both_ways(*places: Path) -> Results:
    """Return the names of tasks from some sources, which must not depend on their order."""
    results, reversed_ = gather(places), gather(places[::-1])
    assert by_task(results.rows).rows == by_task(reversed_.rows).rows
    assert sorted(results.remarks) == sorted(reversed_.remarks)
    return results


def test_equal_files_of_one_run_remain_separate_tasks_with_other_sources(folder: Path, tmp_path: Path) -> None:
    (folder / "copy.yml").write_text(AHEAD)
    whole, one = play(folder, tmp_path / "whole"), play(folder / "copy.yml", tmp_path / "one")
    assert names(both_ways(whole, one)) == {("ahead", "3"), ("copy", "3")}
    # A different name becomes that of the same file in another folder.
    deeper = play(folder.parent, tmp_path / "deeper")
    assert names(both_ways(deeper, one)) == {("mine/ahead", "3"), ("mine/copy", "3")}
    assert len([row for row in gather([one, deeper]).rows if row.task == "mine/copy"]) == 6


def test_a_level_of_any_source_is_used(folder: Path, tmp_path: Path) -> None:
    (folder / "ahead.yml").write_text(AHEAD.replace("metadata: {level: 3}", ""))
    one, whole = play(folder / "ahead.yml", tmp_path / "one"), play(folder.parent, tmp_path / "whole")
    assert names(gather([one])) == {("ahead", "")}
    assert names(both_ways(one, whole)) == {("mine/ahead", "mine")}


# --- incomplete runs


def test_a_run_that_was_extended_and_killed_counts_as_far_as_it_came(folder: Path, tmp_path: Path) -> None:
    out = play(folder, tmp_path / "out", episodes=2)
    stale = (out / "episodes.csv").read_bytes()
    play(folder, out, episodes=8, command="puzzlebox run mine --episodes 8 -o out")
    whole = gather([out])
    assert len(whole.rows) == 8
    assert "plays the rest" not in all_sentences(whole)
    (out / "episodes.csv").write_bytes(stale)
    lines = (out / JOURNAL).read_bytes().splitlines(keepends=True)
    # As workers write it: episodes in another order, one that failed and was played again, the last line incomplete.
    failed = json.loads(lines[4])
    failed["row"]["error"] = "MemoryError"
    failed["crc32"] = checksum(failed["row"])
    (out / JOURNAL).write_bytes(b"".join([json.dumps(failed).encode() + b"\n", *lines[4::-1], lines[5][:-9]]))
    results = gather([out])
    assert [row.repetition for row in results.rows] == [0, 1, 2, 3, 4]
    assert results.broken == []
    assert f"{out / 'episodes.csv'} has 2 rows and the journal 5; the journal was read." in results.remarks
    command = f"puzzlebox run mine --episodes 8 -o {out}"
    assert f"out is incomplete: it has 5 of 8 episodes; `{command}` plays the rest." in all_sentences(results)
    (out / "episodes.csv").unlink()
    assert len(gather([out]).rows) == 5


def test_a_table_that_is_cut_off_lacks_rows_and_counts_no_half_one(folder: Path, tmp_path: Path) -> None:
    out = play(folder, tmp_path / "out", episodes=4)
    (out / JOURNAL).unlink()
    assert len(gather([out]).rows) == 4
    table = out / "episodes.csv"
    table.write_bytes(table.read_bytes()[:-150])
    results = gather([out])
    assert [row.repetition for row in results.rows] == [0, 1, 2]
    assert f"{table} ends in the middle of a row; that row is excluded." in results.remarks
    assert "out is incomplete: it has 3 of 4 episodes; the same command, given again, plays the rest." in all_sentences(
        results
    )
    plain = tmp_path / "plain.csv"
    plain.write_text("task,agent,return\nfood,a,1\nfood,a,2")  # not every table ends in a newline
    assert len(gather([plain]).rows) == 2


# --- repetitions, participants and arenas


def test_repeated_episodes_are_reported_as_one_observation(folder: Path, tmp_path: Path) -> None:
    (folder / "behind.yml").write_text(AHEAD.replace("12]", "2]"))
    agents = [AGENT, f"{AGENT}(action=0)", "random"]
    out = play(folder, tmp_path / "out", agents, episodes=4)
    results = gather([out])
    (line,) = [each for each in all_sentences(results).splitlines() if "although their seeds differ" in each]
    # Random times out each time, too, but with different actions.
    assert line.startswith("Ahead (8 episodes, effective n = 2) and Ahead(action=0) (8 episodes, effective n = 2): ")
    (out / TRAJECTORIES).unlink()
    assert "\nAhead (8 episodes, effective n = 5): episodes" in f"\n{all_sentences(results)}"
    assert "although their seeds differ" not in all_sentences(
        gather([play(folder, tmp_path / "once", agents, episodes=1)])
    )


def test_participants_are_recognised_under_any_name(folder: Path, tmp_path: Path) -> None:
    """Identical episodes of participants without an id are not repetitions."""
    for _ in range(2):
        people = recorded(tmp_path / "people.sqlite", folder / "ahead.yml", "ahead")
    results = gather([people, play(folder, tmp_path / "out", episodes=1)], people="adults")
    assert results.agents == ["Ahead", "adults"]
    assert "adults" not in all_sentences(results) and "duplicates" not in all_sentences(results)
    methods_text = _procedure(results, task_table(results))
    assert "Participants (“adults”) played 1 task 2 times." in methods_text
    assert "The agent “Ahead” played" in methods_text


@pytest.mark.parametrize(
    ("table", "who"),
    [
        ("task,agent,return,participant\nfood,girls,1,P1\nfood,random,1,\n", {"girls"}),
        ("task,player,agent,return\nfood,human,,1\nfood,agent,random,1\n", {"human"}),  # as `export` writes it
        ("task,player,return\nfood,human,1\nfood,random,1\n", {"human"}),
        ("task,agent,return,person\nfood,adults,1,True\nfood,random,1,False\n", {"adults"}),  # as a report does
    ],
)
def test_a_table_identifies_participants(tmp_path: Path, table: str, who: set[str]) -> None:
    (tmp_path / "table.csv").write_text(table)
    results = gather([tmp_path / "table.csv"])
    assert {row.agent for row in results.rows if row.person} == who
    assert results.agents == ["random", *who]


def in_arenas(rows: list[dict[str, Any]], agent: str, arenas: Sequence[int]) -> list[dict[str, Any]]:
    own = [row for row in rows if row["agent"] == agent]
    return [row | {"arena": arenas[number % len(arenas)]} for number, row in enumerate(own)]


def test_arenas_are_separate_rows(tmp_path: Path) -> None:
    rows = made_up_rows(["control", "plain"], {"a": 0.0, "b": 1.0}, episodes=12)
    control, plain = rows[:24], rows[24:]
    same = gather([write_run(tmp_path / "same", [*in_arenas(control, "a", (0, 1)), *in_arenas(control, "b", (0, 1))])])
    assert "arenas" not in all_sentences(same)
    torn = [*in_arenas(control, "a", (0, 1)), *in_arenas(control, "b", (0,)), *plain]
    results = gather([write_run(tmp_path / "torn", torn)])
    assert "Agents did not play the same arenas (of 3: a 3, b 2; all of them: 2)" in all_sentences(results)
    assert "control: the test of returns compares agents that played different arenas of the task" in all_sentences(
        results
    )
    lines = by_arena(results.rows).rows
    assert [(line["task"], line["arena"], line["agent"], line["episodes"]) for line in lines] == [
        *(("control", 1, "a", 6), ("control", 1, "b", 12), ("control", 2, "a", 6)),
    ]
    assert "arenas of a task weigh equally" in by_task(results.rows).caption
    alone = gather([write_run(tmp_path / "alone", plain)])
    assert several_arenas(alone.rows) == []
    assert "arenas of a task" not in by_task(alone.rows).caption


def test_the_headline_names_its_tasks(tmp_path: Path) -> None:
    tasks = [f"task {number}" for number in range(6)]
    rows = made_up_rows(tasks, {"random": 0.0, "learner": 1.0}, episodes=5, trained_on={"learner": tasks[:4]})
    results = gather([write_run(tmp_path / "out", rows)])
    held_out = [row for row in results.rows if row.task in tasks[4:]]
    first, second, third, _ = _headline(results, held_out, Shares.of(held_out))
    assert first.startswith("60 episodes, 6 tasks")
    assert (
        second == "This report is about the 2 tasks that no agent was trained on; the other 4 have their own section."
    )
    assert " % on held-out tasks (mean over 2 tasks; " in third and " of 10 episodes); " in third
    assert third.endswith("; a statement about tasks like these needs 5 tasks.")
    assert "held-out" not in " ".join(_headline(results, results.rows, Shares.of(results.rows)))


# --- agents that were watched, exported folders, latencies


TWO_ARENAS = """
show_notification: true
arenas:
  - time_limit: 200
    items: [{name: Agent, at: [20, 0, 10], rotation: 0, frozen_delay: 1}, {name: GoodGoal, at: [20, 0, 12], size: 1}]
  - time_limit: 200
    items: [{name: Agent, at: [20, 0, 10], rotation: 0}, {name: GoodGoal, at: [20, 0, 18], size: 1}]
"""


@pytest.fixture
def two_arenas(tmp_path: Path) -> Path:
    (tmp_path / "two.yml").write_text(TWO_ARENAS)
    return tmp_path / "two.yml"


def in_the_studio(path: Path, task: Path, who: Sequence[dict[str, Any]]) -> Path:
    """Record each of them in both arenas of a task, and one recording more that is not over."""
    read = load_task(task)
    with Store(path) as store:
        for arena in (0, 1):
            for each in who:
                world = World(read, seed=1, arena=arena)
                recording = Recorder(store, Start.of(read, name="file:two", arena=arena, seed=1, **each), world)
                while not world.over:
                    recording.stepped(world.step([FORWARDS]))
        world = World(read, seed=1)
        Recorder(store, Start.of(read, name="file:two", seed=1, **who[0]), world).stepped(world.step([FORWARDS]))
    return path


WATCHED = [{"participant": "P1"}, {"participant": "P2"}, {"player": "agent", "agent": "random"}]


def test_recordings_of_agents_are_included_only_with_watched(tmp_path: Path, two_arenas: Path) -> None:
    store = in_the_studio(tmp_path / "people.sqlite", two_arenas, WATCHED)
    results = gather([store])
    assert {row.participant for row in results.rows} == {"P1", "P2"} and len(results.rows) == 4
    assert f"2 recordings of agents are excluded ({store}); add --watched to include them." in (results.remarks)
    everybody = gather([store], watched=True)
    assert everybody.agents == ["random", "human"] and len(everybody.rows) == 6
    assert not any("agents are excluded" in remark for remark in everybody.remarks)
    alone = in_the_studio(tmp_path / "agents.sqlite", two_arenas, WATCHED[2:])
    with pytest.raises(CannotRead, match=r"there are no episodes in .*; 3 recordings of agents are excluded"):
        gather([alone])


def test_unfinished_recordings_are_counted_for_included_players(tmp_path: Path, two_arenas: Path) -> None:
    """The recording that is not over is that of an agent."""
    store = in_the_studio(tmp_path / "both.sqlite", two_arenas, WATCHED[::-1])
    results = gather([store])
    assert [remark.partition(" (")[0] for remark in results.remarks] == ["3 recordings of agents are excluded"]
    (remark,) = gather([store], watched=True).remarks
    assert remark.startswith("1 recording is not over and is excluded (")


def test_methods_hold_no_hints_and_no_paths_which_stand_on_the_page(tmp_path: Path, two_arenas: Path) -> None:
    store = in_the_studio(tmp_path / "people.sqlite", two_arenas, WATCHED)
    results = gather([store])
    model = fit_model(Units.of(results.rows))
    text = " ".join(paragraphs(results, task_table(results), model, Comparisons([]), 0, False))
    assert "1 recording is not over and is excluded. 2 recordings of agents are excluded." in text
    assert str(tmp_path) not in text and "--watched" not in text
    (notes,) = [section for section in contents(results).sections if section.title == "Notes"]
    assert notes.blocks == results.remarks and "add --watched" in str(notes.blocks)


def test_a_report_on_an_exported_folder_names_the_source_of_paths(tmp_path: Path, two_arenas: Path) -> None:
    store = in_the_studio(tmp_path / "people.sqlite", two_arenas, WATCHED[:1])
    with Store(store) as opened:
        export(opened, opened.episodes(), tmp_path / "data", "csv")
    (section,) = [each for each in contents(gather([tmp_path / "data"])).sections if each.title == "Paths"]
    assert section.blocks == [
        "There are no paths: tables hold no trajectories; "
        "the file of recordings or the folder of the run they come from does."
    ]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_an_exported_folder_reports_as_its_recordings_do(tmp_path: Path, two_arenas: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    store = in_the_studio(tmp_path / "people.sqlite", two_arenas, WATCHED)
    with Store(store) as opened:
        export(opened, opened.episodes()[::-1], tmp_path / "data", form)
    for watched in (False, True):
        direct, exported = (gather([place], "adults", watched) for place in (store, tmp_path / "data"))
        assert exported.agents == direct.agents
        assert [_kept(row) for row in exported.rows] == [_kept(row) for row in direct.rows]
        assert [remark.partition(" (")[0] for remark in exported.remarks] == [
            remark.partition(" (")[0] for remark in direct.remarks
        ]
        table = gather([tmp_path / "data" / f"episodes.{form}"], "adults", watched)
        assert [_kept(row) for row in table.rows] == [_kept(row) for row in direct.rows]


def _kept(row: ReportEpisode) -> dict[str, Any]:
    """Return an episode without the values that an export changes."""
    # Events have a table of their own, and only the table has durations.
    apart = ("run", "trajectory", "last_arena", "events", "duration_ms", "idle_ms")
    return {name: value for name, value in vars(row).items() if name not in apart}


def test_tables_count_arenas_from_one_and_are_read_back_so(tmp_path: Path, two_arenas: Path) -> None:
    out = play(two_arenas, tmp_path / "out", episodes=1)
    with (out / "episodes.csv").open(newline="") as file:
        assert [row["arena"] for row in csv.DictReader(file)] == ["1", "2"]
    (out / JOURNAL).unlink()
    (out / TRAJECTORIES).unlink()
    results = gather([out])
    assert [row.arena for row in results.rows] == [0, 1] and not results.sources[0].missing
    assert [row["arena"] for row in by_arena(results.rows).rows] == [1, 2]
    assert [row["arena"] for row in task_table(results).rows] == [1, 2]
    # Tables of other programs count from 0.
    (tmp_path / "table.csv").write_text("task,agent,return,arena\nfood,a,1,0\nfood,a,1,1\n")
    assert [row.arena for row in gather([tmp_path / "table.csv"]).rows] == [0, 1]


def test_arenas_that_merge_are_one_row_which_names_them_all(tmp_path: Path, two_arenas: Path) -> None:
    text = two_arenas.read_text()
    three = tmp_path / "three.yml"
    items = "{name: Agent, at: [20, 0, 10], rotation: 0}"
    text = text.replace(f"    items: [{items},", f"    merge_next_arena: true\n    items: [{items},")
    three.write_text(f"{text}  - time_limit: 20\n    items: [{items}]\n")
    assert [arena.merge_next_arena for arena in load_task(three).arenas] == [False, True, False]
    people = in_the_studio(tmp_path / "people.sqlite", three, WATCHED[:1])
    for place in (play(three, tmp_path / "out", episodes=1), people):
        table = by_arena(gather([place]).rows)
        assert [table.columns[0][1](row) for row in table.rows] == [
            f"{table.rows[0]['task']}, arena 1",
            f"{table.rows[0]['task']}, arenas 2 to 3",
        ]
        assert [(row["arena"], row["last_arena"]) for row in table.rows] == [(1, 1), (2, 3)]
        assert "arenas that merge are one episode" in table.caption


def test_reports_show_the_latency_and_where_it_is_the_whole_time(tmp_path: Path, two_arenas: Path) -> None:
    store = in_the_studio(tmp_path / "people.sqlite", two_arenas, WATCHED[:1])
    results = gather([store])
    first, second = results.rows
    # The first arena has a delay of 1 s, and both show the result for 2.5 s.
    for row, waited in ((first, 3.5), (second, 2.5)):
        assert row.steps is not None and row.latency == pytest.approx(row.steps * 0.02 - waited, abs=0.07)
    assert by_task(results.rows).rows[0]["latency_median"] == pytest.approx((first.latency + second.latency) / 2)
    assert "latencies" not in all_sentences(results)
    (tmp_path / "old.csv").write_text("task,agent,return,steps\nfood,a,1,100\nfood,a,1,\n")
    old = gather([tmp_path / "old.csv"])
    assert [row.latency for row in old.rows] == [2.0, None]
    assert "1 episode comes from a table without latencies; the length of the episode is used instead" in all_sentences(
        old
    )


def test_episodes_that_were_cut_off_neither_pass_nor_fail(tmp_path: Path) -> None:
    """A task without food and time limit is stopped and neither passed nor failed."""
    (tmp_path / "empty.yml").write_text("arenas: [{items: [{name: Agent}]}]")
    out = play(tmp_path / "empty.yml", tmp_path / "out", episodes=2, longest=30)
    results = gather([out])
    assert [row.passed for row in results.rows] == [None, None]
    assert "2 episodes were stopped at the limit of the run; they were neither passed nor failed." in (results.remarks)
    (line,) = by_task(results.rows).rows
    assert line["episodes"] == 2 and line["decided"] == 0 and line["pass_rate"] is None
    assert "neither passed nor failed" in _procedure(results, task_table(results))
