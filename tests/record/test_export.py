"""Exports of recordings: the tidy tables, and the log of the original, compared row by row."""

import csv
import json
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from puzzlebox.agents import agent_named
from puzzlebox.animalai import log_rows, recorded_log
from puzzlebox.arena.schema import Task, load_task
from puzzlebox.arena.wing import WING
from puzzlebox.arena.world import ACTIONS, World
from puzzlebox.arena.world.moments import moments
from puzzlebox.cli.app import app as puzzlebox
from puzzlebox.cli.export import export as export_verb
from puzzlebox.csv_cells import unescape_cell
from puzzlebox.record import Start, Step, Store, columns, export
from puzzlebox.record.recorder import Recorder
from puzzlebox.record.writer import MEASURES
from puzzlebox.run.play import play
from test_original_runs import action_of, episodes
from worlds import AGENT, FINE, FORWARDS, GOAL, NOOP, TWO_AGENTS, multis, parsed, task_of

TABLES = columns.tables([WING])
ROOT = Path(__file__).resolve().parents[2]
app = typer.Typer()
app.command()(export_verb)


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def record(store: Store, task: Task, actions: list[int], view: str = "", **how: Any) -> World:
    """Record an episode in which all animals take the same actions; it stays open if it is not over."""
    start = Start.of(task, **how)
    world = World(task, arena=start.arena, seed=start.seed, rules=how.get("rules", "puzzlebox"))
    recording = Recorder(store, start, world, view=view)
    for action in actions:
        if not world.over:
            recording.stepped(world.step([action] * len(world.animals)), view)
    return world


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record a participant who finds the food, one who gives up, a task with two animals, and a random agent."""
    path = tmp_path_factory.mktemp("recordings") / "a.sqlite"
    task = task_of(AGENT, *multis(10, 15), time_limit=50)
    with Store(path) as store:
        record(store, task, [NOOP] * 3 + [FORWARDS] * 200, "third", name="ahead", seed=5, rules=FINE)
        record(store, task, [4] * 6, "first", name="ahead")
        record(store, task_of(*TWO_AGENTS, GOAL, time_limit=50), [FORWARDS] * 3, name='=two, "of" them\nat once')
        play(task, agent_named("random"), store=store, seed=1, name="ahead", agent_name="random")
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_export_writes_tidy_tables(recorded: Path, tmp_path: Path) -> None:
    result = run("--store", recorded, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert result.stdout.split() == [str(tmp_path / "out" / f"{name}.csv") for name in TABLES]
    assert "wrote 4 episodes" in result.stderr
    tables = {name: rows_of(tmp_path / "out" / f"{name}.csv") for name in TABLES}
    for name, table in tables.items():
        assert list(table[0]) == [column.name for column in TABLES[name]]
    with Store(recorded) as store:
        ids = [each.id for each in store.episodes()][::-1]
        assert [row["episode"] for row in tables["episodes"]] == ids
        for id, row in zip(ids, tables["episodes"], strict=True):
            steps = store.steps(id)
            mine = [each for each in tables["steps"] if each["episode"] == id]
            assert [int(each["step"]) for each in mine] == steps["step"]
            for name in ("x", "y", "z", "vx", "vy", "vz", "heading", "reward", "health"):
                assert [float(each[name]) for each in mine] == steps[name]  # to the last digit
            assert float(row["return"]) == float(mine[-1]["return"]) == steps["total"][-1]
            assert int(row["steps"]) == steps["step"][-1]
            happened = [each for each in tables["events"] if each["episode"] == id]
            assert ";".join(each["events"] for each in mine if each["events"]).split(";") == [
                e["kind"] for e in happened
            ]
            assert int(row["goals"]) == sum(each["kind"] == "collected" for each in happened)
    food, gave_up, two, agent = tables["episodes"]
    assert (food["player"], food["agent"], food["passed"], food["ended_by"]) == ("human", "human", "True", "completed")
    assert (food["goals"], food["seed"], food["decision_period"], food["rules"]) == ("2", "5", "1", "puzzlebox")
    assert json.loads(food["rules_fields"])["decision_period"] == 1
    assert float(food["seconds"]) == int(food["steps"]) * 0.02
    assert (gave_up["passed"], gave_up["ended_by"], gave_up["steps"]) == ("", "", "18")
    assert two["task"] == '\'=two, "of" them\nat once'  # no spreadsheet takes it for a formula
    assert (agent["player"], agent["agent"]) == ("agent", "random")
    first, then, *_ = (each for each in tables["steps"] if each["episode"] == food["episode"])
    assert (first["step"], first["action"], first["action_name"], first["view"]) == ("0", "", "", "third")
    assert (then["step"], then["action"], then["action_name"], then["light_on"]) == ("1", "0", "noop", "True")
    of_two = [each for each in tables["steps"] if each["episode"] == two["episode"]]
    assert {each["other_actions"] for each in of_two[1:]} == {"3"} and of_two[0]["other_actions"] == ""
    turning = [each for each in tables["steps"] if each["episode"] == gave_up["episode"]][1:]
    assert {(each["action"], each["action_name"]) for each in turning} == {("4", ACTIONS[4])}
    collected = next(each for each in tables["events"] if each["kind"] == "collected")
    assert collected["name"] == "GoodGoalMulti" and "value" in json.loads(collected["details"])


def test_parquet_has_the_same_values(recorded: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run("--store", recorded, "-o", tmp_path).exit_code == 0
    assert run("--store", recorded, "-o", tmp_path, "--parquet").exit_code == 0
    for name in TABLES:
        table = parquet.read_table(tmp_path / f"{name}.parquet").to_pylist()
        plain = rows_of(tmp_path / f"{name}.csv")
        assert len(table) == len(plain)
        for row, text in zip(table, plain, strict=True):
            texts = {key: unescape_cell(value) for key, value in text.items()}
            assert {key: "" if value is None else str(value) for key, value in row.items()} == texts


def test_export_writes_only_the_chosen_episodes(recorded: Path, tmp_path: Path) -> None:
    assert run("--store", recorded, "-o", tmp_path / "people", "--player", "human").exit_code == 0
    assert {row["player"] for row in rows_of(tmp_path / "people" / "episodes.csv")} == {"human"}
    with Store(recorded) as store:
        ids = [each.id for each in store.episodes()]
    assert run("--store", recorded, "-o", tmp_path / "two", "--episode", "last", "--episode", ids[2]).exit_code == 0
    assert [row["episode"] for row in rows_of(tmp_path / "two" / "steps.csv") if row["step"] == "0"] == [ids[2], ids[0]]
    wrong = run("--store", recorded, "-o", tmp_path / "no", "--episode", "xyz")
    assert wrong.exit_code == 1 and "error: there is no episode 'xyz'" in wrong.stderr and ids[0] in wrong.stderr
    wrong = run("--store", recorded, "-o", tmp_path / "no", "--episode", "last", "--player", "human")
    assert wrong.exit_code == 1 and "none of the episodes" in wrong.stderr and "participants" in wrong.stderr
    assert not (tmp_path / "no").exists()


def test_existing_tables_are_replaced_only_with_force(recorded: Path, tmp_path: Path) -> None:
    (tmp_path / "steps.csv").write_text("mine")
    refused = run("--store", recorded, "-o", tmp_path)
    assert refused.exit_code == 1 and "steps.csv is already there" in refused.stderr and "--force" in refused.stderr
    assert (tmp_path / "steps.csv").read_text() == "mine"
    assert run("--store", recorded, "-o", tmp_path, "--force").exit_code == 0
    assert len(rows_of(tmp_path / "steps.csv")) > 100
    assert not list(tmp_path.glob("*.part"))


def test_export_without_episodes_is_refused_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUZZLEBOX_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        result = run()
        assert result.exit_code == 1 and not result.stdout
        assert "there are no episodes yet" in result.stderr and "puzzlebox play" in result.stderr
        Store().close()  # a store with nothing in it says the same
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
    (tmp_path / "text").write_text("x" * 5000)
    wrong = run("--store", tmp_path / "text")
    assert wrong.exit_code == 1 and "is not a file of recordings" in wrong.stderr


def test_a_log_format_that_does_not_exist_is_refused_with_the_nearest(recorded: Path, tmp_path: Path) -> None:
    wrong = run("--store", recorded, "-o", tmp_path / "out", "--log", "animal-ai")
    assert wrong.exit_code == 1 and not (tmp_path / "out").exists()
    assert wrong.stderr == (
        "error: --log animal-ai is not a log format of arena; there is animalai; did you mean `animalai`?\n"
    )
    both = run("--store", recorded, "-o", tmp_path / "out", "--log", "animalai", "--parquet")
    assert both.exit_code == 1 and "which are never Parquet" in both.stderr and not (tmp_path / "out").exists()


def test_an_export_that_breaks_off_leaves_nothing(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export, "_event_row", broken)
    result = run("--store", recorded, "-o", tmp_path)
    assert result.exit_code == 1 and "cannot be written: No space left on device" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="the limit of a file's size is POSIX's")
def test_a_disk_that_is_full_only_when_the_last_bytes_are_written_leaves_nothing(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    store = Store(recorded)
    chosen = store.episodes()[:1]
    last = export._event_row

    def full(*arguments: Any) -> Any:  # the disk is full when the rows in memory are to be written
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
        return last(*arguments)

    monkeypatch.setattr(export, "_event_row", full)
    try:
        with pytest.raises(OSError, match="File too large"):
            export.export(store, chosen, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--store", "--data"])
def test_the_file_of_recordings_has_one_option_of_two_names_everywhere(
    recorded: Path, tmp_path: Path, option: str
) -> None:
    for verb in (["export", "-o", tmp_path / "out"], ["replay", "last"], ["backup", tmp_path / "copy.sqlite"]):
        done = CliRunner().invoke(puzzlebox, [*map(str, verb), option, str(recorded)])
        assert done.exit_code == 0, done.output
    done = CliRunner().invoke(puzzlebox, ["forget", "P99", option, str(recorded)])
    assert "there is no participant P99" in done.stderr


def test_export_of_many_steps_needs_no_more_memory(tmp_path: Path) -> None:
    with Store(tmp_path / "long.sqlite") as store:
        start = Start.of(task_of(AGENT))
        store.begin(start)
        one = Step(1, (3,), 0.0, 0.0, 0.0, dict(zip(MEASURES, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 100.0), strict=True)))
        for number in range(1, 30_001):
            store.step(start.id, replace(one, step=number))
        store.flush()
        chosen = store.episodes()
        tracemalloc.start()
        export.export(store, chosen, tmp_path / "out")
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    written = (tmp_path / "out" / "steps.csv").stat().st_size
    assert written > 2_000_000
    # All rows at once are some 25 MB.
    assert most < 12_000_000


# --- the original's log


@pytest.mark.parametrize("file", ["Template_observations.csv", "Template_datazones.csv"])
def test_the_log_is_the_originals_row_by_row(file: str, reference: Path, tmp_path: Path) -> None:
    folder = reference / "data" / "animal-ai" / "e2e"
    yaml = {"Template_observations.csv": "testUnmergedArenas.yml", "Template_datazones.csv": "testDatazone.yml"}[file]
    task = parsed((folder / yaml).read_text())
    runs = episodes(folder / file)
    with Store(tmp_path / "a.sqlite") as store:
        for number, rows in enumerate(runs):
            actions = [action_of(row) for row in rows[1:]]
            record(store, task, actions, name=yaml, arena=number % len(task.arenas), rules=FINE)
    result = run("--store", store.path, "-o", tmp_path, "--log", "animalai")
    assert result.exit_code == 0, result.output
    log = Path(result.stdout.split()[0])
    assert log.name == f"Observations_{yaml}_human_{store.find('last').task_hash[:8]}.csv"
    header = (folder / file).read_text().splitlines()[0]
    assert log.read_text().splitlines()[0] == header == ",".join(log_rows.COLUMNS)
    ours = recorded_log.read_log(log)
    theirs = [row for rows in runs for row in rows]
    assert len(ours) == len(theirs) == len(recorded_log.read_log(folder / file))
    for mine, their in zip(ours, theirs, strict=True):
        # At the start of a later episode the original's flag "grounded" still flickers from the one before.
        landing = their["Episode"] != "1" and int(their["Step"]) <= 7
        # Its first row also has the end of the episode before; ours is in the last row of the episode it belongs to.
        left_over = their["Episode"] != "1" and their["Step"] == "1"
        for column in log_rows.COLUMNS:
            if left_over and column in ("ActionForwardWithDescription", "CollectedRewardType"):
                continue
            if column == "CombinedRaycastData":
                assert rays(mine[column]) == rays(their[column])
            elif column.endswith(("Velocity", "Position")) or column in ("Health", "Reward"):
                off = abs(float(mine[column]) - float(their[column]))
                assert off < (0.06 if landing and column == "YVelocity" else 1e-3), (column, mine, their)
            else:
                assert mine[column] == their[column], (column, mine["Step"])


def rays(text: str) -> list[tuple[Any, str]]:
    return [(pytest.approx(float(d), abs=2e-6), tag) for d, tag in (each.split(":") for each in text.split(";"))]


def test_numbers_are_written_as_the_original_does() -> None:
    written = {
        20.0: "20",
        0.51: "0.51",
        -1.907349e-05: "-1.907349E-05",
        0.0005578995: "0.0005578995",
        98.39999389648438: "98.39999",
        0.10093943: "0.1009394",
        12345678.0: "1.234568E+07",
        0.0: "0",
    }
    assert {value: log_rows.number(value) for value in written} == written
    assert log_rows.number(-0.0) == "0"


def test_the_log_has_food_buttons_freezing_and_notifications(tmp_path: Path) -> None:
    yaml = """
show_notification: true
arenas:
  - id: 7
    time_limit: 60
    items:
      - {name: Agent, at: [20, 0, 5], rotation: 0, frozen_delay: 0.2}
      - {name: GoodGoalMulti, at: [20, 0, 7], size: 1}
      - {name: DataZone, at: [20, 0, 12], size: [10, 0, 2], zone_id: here,
         operations: [{do: grant_reward, reward: 0.25}]}
      - {name: SpawnerDispenserTall, at: [5, 0, 35], delay: 0, time_between_spawns: 0.5, spawn_count: 1}
      - {name: GoodGoal, at: [20, 0, 20], size: 1}
"""
    with Store(tmp_path / "a.sqlite") as store:
        world = record(store, parsed(yaml), [FORWARDS] * 200, "top", name="all of it")
    assert world.over and world.passed()
    assert run("--store", store.path, "-o", tmp_path, "--log", "animalai").exit_code == 0
    log = next(tmp_path.glob("Observations_all-of-it_human_*.csv"))
    rows = recorded_log.read_log(log)
    # One row per physics step, whatever the decision period, from before the first to after the last.
    assert [int(row["Step"]) for row in rows] == list(range(1, world.clock + 2))
    assert {row["arenaID"] for row in rows} == {"7"} and {row["ActiveCamera"] for row in rows} == {"2 (Bird's Eye)"}
    frozen = [row["WasAgentFrozen?"] for row in rows]
    assert frozen[:10] == ["Yes"] * 10 and "Yes" not in frozen[10:]
    collected = [row["CollectedRewardType"] for row in rows if row["CollectedRewardType"] != "None"]
    assert collected == ["GoodGoalMulti", "End Episode Operation", "GoodGoal"]
    shown = [row["WasNotificationShown?"] for row in rows]
    assert shown.count("Success") in (125, 126) and set(shown) == {"None", "Success"} and shown[-1] == "Success"
    dispensed = [row for row in rows if row["WasRewardDispensed?"] == "Yes"]
    assert len(dispensed) == 1 and dispensed[0]["CombinedSpawnerInfo"].startswith("SpawnerID:")
    assert "Position:(5.00, " in dispensed[0]["CombinedSpawnerInfo"]
    assert dispensed[0]["CombinedSpawnerInfo"].endswith(f"RewardType:{dispensed[0]['DispensedRewardType']}")
    assert all(row["CombinedSpawnerInfo"] == "N/A" for row in rows if row["WasRewardDispensed?"] == "No")
    messages = [row["DataZoneMessage"] for row in rows if row["DataZoneMessage"] != "None"]
    assert messages == ["Agent was in DataZone: here", "Agent left DataZone: here"]
    assert float(rows[-1]["Reward"]) == pytest.approx(world.animals[0].total, abs=1e-6)
    (index,) = rows_of(tmp_path / "Observations_index.csv")
    assert index["file"] == log.name and index["Episode"] == "1" and index["episode"] == store.find("last").id


def test_the_log_has_the_press_of_a_button() -> None:
    task = task_of(
        "name: Agent, at: [20, 0, 10], rotation: 0",
        "name: SpawnerButton, at: [20, 0, 15], rotation: 90, operations: [{do: grant_reward, reward: 0.1}]",
        time_limit=50,
    )
    world = World(task, rules=FINE)
    for _ in range(150):
        world.step([FORWARDS])
    pressed = [row[17] for _, row in log_rows.log(world.snapshot())]
    assert log_rows.COLUMNS[17] == "WasSpawnerButtonTriggered?"
    assert pressed.count("Yes") >= 1 and set(pressed) == {"Yes", "No"}


def test_replaying_step_by_step_is_the_same_episode() -> None:
    for task, seed in ((load_task("foraging"), 3), (task_of(AGENT, *multis(10, 15), time_limit=50), 0)):
        played = play(task, agent_named("random"), seed=seed)
        whole = World.replay(played)
        clocks = []
        for moment in moments(played):
            clocks.append(moment.world.clock)
        assert clocks == list(range(whole.clock + 1))
        assert moment.world.state() == whole.state() and moment.world.over
        assert moment.world.animals[0].total == whole.animals[0].total


def test_a_replay_with_another_return_is_reported(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        record(store, task_of(AGENT, GOAL, time_limit=50), [FORWARDS] * 5)
        store.flush()
        # As if it had been recorded by a version with other physics.
        chosen = [replace(store.find("last"), total=0.5)]
        messages: list[str] = []
        recorded_log.export(store, chosen, tmp_path, warn=messages.append)
        assert len(messages) == 1 and "returned 0.5 when recorded, and -0.0" in messages[0]
        recorded_log.export(store, store.episodes(), tmp_path, warn=messages.append)
        assert len(messages) == 1


def test_the_documentation_has_every_column() -> None:
    assert columns.page(WING) in (ROOT / "docs" / "reference" / "codebook.md").read_text(encoding="utf-8")
