"""Runs of agents on tasks: finding tasks, the schedule, the files of a run, and resuming."""

import csv
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from conftest import reference_files
from episodes import NAMES, rows_of
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.wing import WING
from puzzlebox.arena.world import World
from puzzlebox.record.episode import EPISODES
from puzzlebox.record.tables import recorded_episodes, write_table
from puzzlebox.run.journal import JOURNAL, trajectories, trajectory
from puzzlebox.run.runs import RunError, run
from puzzlebox.run.schedule import Slot, slots
from puzzlebox.run.specs import agent_of, rules_of
from puzzlebox.run.tasks import RunTask, find_tasks
from puzzlebox.run.trajectories import TRAJECTORIES

TINY = """
arenas:
  - {time_limit: 12, pass_mark: 0.5, items: [{name: Agent}, {name: GoodGoal}, {name: Wall}]}
  - {time_limit: 12, merge_next_arena: true, items: [{name: Agent}, {name: GoodGoal}]}
  - {time_limit: 12, items: [{name: Agent}, {name: GoodGoal}]}
"""
TEMPLATE = "vary: {x: [10, 20, 30]}\narenas: [{time_limit: 4, items: [{name: Agent, at: [$x, 0, 5]}]}]\n"
HEURISTIC = "puzzlebox.arena.agents.heuristic:HeuristicAgent(rays=3)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tasks = tmp_path / "tasks"
    (tasks / "deeper").mkdir(parents=True)
    (tasks / "one.yml").write_text(TINY)
    (tasks / "deeper" / "03-07-02.yaml").write_text(TINY.replace("12", "10"))
    (tasks / "deeper" / "notes.txt").write_text("no task")
    return tasks


def table(folder: Path) -> list[dict[str, str]]:
    with (folder / "episodes.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# --- the tasks of a run


def test_tasks_are_found_by_folder_file_pattern_and_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = lambda *sources: [each.name for each in find_tasks(sources)]  # noqa: E731
    assert names(str(folder)) == ["deeper/03-07-02", "one"]
    assert names(str(folder / "one.yml")) == ["one"]
    assert names(f"{folder}/**/*.y*ml") == ["deeper/03-07-02", "one"]
    assert names("operant", "foraging", "operant") == ["operant", "foraging"]
    assert names("operant-curriculum") == [f"operant-curriculum/{stage}" for stage in range(1, 6)]
    assert names("operant-curriculum/[12]") == ["operant-curriculum/1", "operant-curriculum/2"]


def test_tasks_have_levels_and_variants(folder: Path) -> None:
    testbed, one = find_tasks([str(folder)])
    assert (testbed.level, testbed.variant) == ("3", "02")
    assert (one.level, one.variant) == ("", "")
    assert find_tasks(["avoidance/zigzag"])[0].level == "4"
    assert find_tasks(["operant-curriculum/1"])[0].level == "operant-curriculum"


def test_templates_are_sampled(tmp_path: Path) -> None:
    path = tmp_path / "start.yml"
    path.write_text(TEMPLATE)
    few = find_tasks([str(path)], variations=2, seed=1)
    assert len(few) == 2
    assert all(each.name == f"start@{each.variant}" and each.level == "start" for each in few)
    everything = find_tasks([str(path)], variations=10)
    assert sorted(each.variant for each in everything) == ["0", "1", "2"]
    assert len({each.hash for each in everything}) == 3


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("foragin", "did you mean `foraging`"),
        ("operant-curriculm", "did you mean `operant-curriculum"),
        ("nothing/here*.yml", "no bundled task and no file fits nothing/here"),
        ("none.yml", "there is no file none.yml"),
        ("", "the name of a task is empty"),
    ],
)
def test_missing_sources_are_refused(source: str, sentence: str) -> None:
    with pytest.raises(FileNotFoundError, match=sentence):
        find_tasks([source])


def test_a_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no task files"):
        find_tasks([str(tmp_path)])


def test_two_tasks_of_one_name_are_refused(folder: Path) -> None:
    (folder / "deeper" / "one.yml").write_text(TINY.replace("12", "11"))
    with pytest.raises(ValueError, match="two tasks are called one"):
        find_tasks([str(folder / "one.yml"), str(folder / "deeper" / "one.yml")])


def test_the_originals_files_are_all_understood() -> None:
    files = [path for path in reference_files() if "testbed" in str(path)]
    if not files:
        pytest.skip("no reference data")
    subjects = find_tasks([str(files[0].parent)])
    assert len(subjects) == len(files)
    assert {subject.level for subject in subjects} == {str(level) for level in range(1, 11)}


# --- the schedule


def test_every_task_arena_agent_and_repetition_once(folder: Path) -> None:
    subjects = find_tasks([str(folder)])
    # The second arena merges into the third.
    assert subjects[0].starts == (0, 1)
    schedule = list(slots(subjects, ["random", HEURISTIC], 3))
    assert len(schedule) == len(set(schedule)) == 2 * 2 * 2 * 3


def test_agents_share_seeds_and_tasks_do_not() -> None:
    seeds = {Slot(f"task {n}", a, "random", e).seed(0) for n in range(20) for a in range(3) for e in range(20)}
    assert len(seeds) == 20 * 3 * 20
    assert Slot("t", 0, "random", 4).seed(7) == Slot("t", 0, "heuristic", 4).seed(7)
    assert Slot("t", 0, "random", 4).seed(7) != Slot("t", 0, "random", 4).seed(8)


# --- a run


def test_a_run_writes_its_settings_its_table_and_its_trajectories(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    outcome = run(
        find_tasks([str(folder)]), ["random", HEURISTIC], out, episodes=2, workers=1, rules="3.1", seed=3, command="x"
    )
    assert outcome.played == len(outcome.episodes) == 16
    rows = table(out)
    assert tuple(rows[0]) == NAMES
    assert [row["agent"] for row in rows[:4]] == ["random", "random", HEURISTIC, HEURISTIC]
    assert {row["rules"] for row in rows} == {"3.1"}
    for row in rows:
        assert int(row["steps"]) <= 3 * int(row["decisions"]) < int(row["steps"]) + 3
        assert float(row["seconds"]) == pytest.approx(0.02 * int(row["steps"]))
        assert row["ended_by"] in ("time", "completed", "health")
        assert json.loads(row["events"])[-1]["kind"] == "ended"
        assert row["error"] == row["trained_on"] == ""
    settings = json.loads((out / "run.json").read_text())
    assert (settings["seed"], settings["episodes"], settings["rules"]) == (3, 2, "3.1")
    assert settings["commands"][0]["command"] == "x"
    assert [task["name"] for task in settings["tasks"]] == ["deeper/03-07-02", "one"]
    assert settings["agents"][1]["senses"]["rays"] == 3


def test_a_trajectory_replays_to_the_same_end(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    outcome = run(find_tasks([str(folder)]), ["random"], out, workers=1)
    for row in rows_of(outcome.episodes):
        world = World.replay(trajectory(f"{out}/{row['trajectory']}"))
        assert (world.clock, world.animals[0].total, world.passed()) == (row["steps"], row["return"], row["passed"])
    assert trajectory(f"{out}#one/2/random/0").arena == 1
    with pytest.raises(ValueError, match=r"has no episode 'one/1/random/1'; .*did you mean `one/1/random/0`"):
        trajectory(f"{out}#one/1/random/1")
    with pytest.raises(FileNotFoundError, match="not the folder of a run"):
        trajectory(f"{folder}#one/1/random/0")


def test_workers_change_no_byte(folder: Path, tmp_path: Path) -> None:
    texts = []
    for workers in (1, 2):
        out = tmp_path / str(workers) / "run"
        run(find_tasks([str(folder)]), ["random"], out, episodes=3, workers=workers)
        texts.append((out / "episodes.csv").read_bytes())
    assert texts[0] == texts[1]


def test_parquet_has_the_same_values(folder: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "run"
    outcome = run(find_tasks([str(folder)]), ["random"], out, workers=1)
    read = parquet.read_table(out / "episodes.parquet")
    assert read.column_names == list(NAMES)
    assert read.column("return").to_pylist() == [row["return"] for row in rows_of(outcome.episodes)]
    assert read.column("passed").to_pylist() == [row["passed"] for row in rows_of(outcome.episodes)]


def test_a_run_may_grow_but_not_change(folder: Path, tmp_path: Path) -> None:
    out, subjects = tmp_path / "run", find_tasks([str(folder)])
    first = run(subjects, ["random"], out, episodes=1, workers=1)
    again = run(subjects, ["random"], out, episodes=1, workers=1)
    assert (again.played, rows_of(again.episodes)) == (0, rows_of(first.episodes))
    more = run(subjects, ["random", HEURISTIC], out, episodes=2, workers=1)
    assert (more.played, len(more.episodes)) == (12, 16)
    assert [row for row in rows_of(more.episodes) if row["agent"] == "random" and row["repetition"] == 0] == rows_of(
        first.episodes
    )
    assert len(json.loads((out / "run.json").read_text())["commands"]) == 3
    for changes, sentence in (
        ({"rules": "4.3"}, "its rules are puzzlebox"),
        ({"seed": 1}, "its seed is 0"),
        ({"episodes": 1}, "it has 2 episodes"),
        ({"agents": ["random"]}, "plays in it"),
        ({"tasks": subjects[:1]}, "it has the task one"),
        ({"tasks": [subjects[0], RunTask("one", load_task("foraging"))]}, "the task one has changed since"),
    ):
        settings: dict[str, Any] = {"tasks": subjects, "agents": ["random", HEURISTIC], "episodes": 2, **changes}
        with pytest.raises(RunError, match=sentence):
            run(settings.pop("tasks"), settings.pop("agents"), out, workers=1, **settings)


def test_a_run_that_was_renamed_keeps_its_name(folder: Path, tmp_path: Path) -> None:
    first = run(find_tasks([str(folder)]), ["random"], tmp_path / "first", episodes=1, workers=1)
    first.folder.rename(tmp_path / "second")
    run(find_tasks([str(folder)]), ["random"], tmp_path / "second", episodes=2, workers=1)
    assert {row["run"] for row in table(tmp_path / "second")} == {"first"}
    assert json.loads((tmp_path / "second" / "run.json").read_text())["run"] == "first"


def test_a_folder_that_is_no_run_is_left_alone(folder: Path) -> None:
    with pytest.raises(RunError, match="is not a run, but holds deeper"):
        run(find_tasks(["operant"]), ["random"], folder)
    assert sorted(path.name for path in folder.iterdir()) == ["deeper", "one.yml"]


class Clumsy:
    """Fails in its third decision."""

    senses = {"camera": None, "vitals": True}
    trained_on = frozenset({"nothing"})

    def begin(self, seed: int) -> None:
        self.count = 0

    def act(self, observation: Any, info: Any) -> int:
        self.count += 1
        if self.count > 2:
            raise KeyError("lost")
        return 3


LOST = Clumsy.act.__code__.co_firstlineno + 3


def test_an_agent_that_fails_costs_its_own_episodes_only(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    outcome = run(find_tasks([str(folder)]), ["test_run:Clumsy", "random"], out, workers=1)
    clumsy = [row for row in rows_of(outcome.episodes) if row["agent"] != "random"]
    assert {(row["error"], row["ended_by"], row["passed"], row["decisions"]) for row in clumsy} == {
        (f"KeyError: 'lost' ({__file__}:{LOST})", "error", None, 2)
    }
    assert {row["trained_on"] for row in clumsy} == {False}
    assert all(row["error"] is None for row in rows_of(outcome.episodes) if row["agent"] == "random")


def test_an_episode_without_a_time_limit_is_stopped(tmp_path: Path) -> None:
    task = load_task("arenas: [{time_limit: 0, items: [{name: Agent}]}]")
    (row,) = rows_of(run([RunTask("endless", task)], ["random"], tmp_path / "run", longest=30, workers=1).episodes)
    assert (row["ended_by"], row["steps"], row["passed"]) == ("limit", 30, None)


def test_several_animals_are_played_by_one_agent_each(tmp_path: Path) -> None:
    pytest.importorskip("pettingzoo")
    goals = "{name: GoodGoalMulti, at: [[10, 0, 30], [30, 0, 30]]}"
    items = f"[{{name: Agent, at: [10, 0, 10]}}, {{name: Agent, at: [30, 0, 10]}}, {goals}]"
    alone = "{time_limit: 60, items: [{name: Agent}]}"
    task = load_task(f"arenas: [{{time_limit: 60, episode_end: all, items: {items}}}, {alone}]")
    rows = []
    for workers in (1, 2):
        out = tmp_path / str(workers) / "run"
        rows.append(rows_of(run([RunTask("two", task)], ["random"], out, episodes=2, workers=workers).episodes))
    assert rows[0] == rows[1] and not any(row["error"] for row in rows[0])
    record = trajectory(f"{out}#two/1/random/1")
    first, second = zip(*record.actions, strict=True)
    # Agents have different seeds, and the row is about the first animal.
    assert first != second
    world = World.replay(record)
    assert (world.animals[0].total, world.clock) == (rows[0][1]["return"], rows[0][1]["steps"])


def test_a_notification_after_all_animals_are_done_is_played_to_its_end(tmp_path: Path) -> None:
    pytest.importorskip("pettingzoo")
    items = "[{name: Agent, at: [10, 0, 10]}, {name: Agent, at: [30, 0, 10]}]"
    task = load_task(f"show_notification: true\narenas: [{{time_limit: 5, items: {items}}}]")
    (row,) = rows_of(run([RunTask("two", task)], ["random"], tmp_path / "run", workers=1).episodes)
    assert (row["error"], row["ended_by"], row["passed"]) == (None, "time", False)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("randm", "did you mean `random`"),
        ("random(max_step_length=3", "is not an agent with options"),
        ("random(3)", "is not an agent with options"),
        ("random(max_step_length=open('x'))", "is not an agent with options"),
        ("random(speed=3)", "has no option 'speed'"),
        ("random(prev_step_bias=nan)", "prev_step_bias is nan; it must be from 0 to 1"),
        ("random(action_biases=[0, 0, 0, 0, 0, 0, 0, 0, -inf])", "action_biases are .*-inf.; they must be nine finite"),
    ],
)
def test_invalid_agents_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        agent_of(text)


def test_agents_take_options() -> None:
    assert agent_of(HEURISTIC).senses["rays"] == 3
    agent_of("random(step_length_distribution='uniform(1, 3)', action_biases=[0, 0, 0, 9, 0, 0, 0, 0, 0])")


def test_single_fields_of_rules_can_be_changed(folder: Path, tmp_path: Path) -> None:
    assert rules_of(WING, "3.1") == WING.rules(Rules.named("3.1"))
    changed = rules_of(WING, "3.1(drag=1.0)")
    assert (changed.name, changed.fields) == ("3.1(drag=1.0)", Rules.named("3.1", drag=1.0).as_dict())
    with pytest.raises(ValueError, match="did you mean `drag`"):
        rules_of(WING, "3.1(drg=1.0)")
    with pytest.raises(ValueError, match="not a preset of rules with fields"):
        rules_of(WING, "3.1(1.0)")
    for value in ("nan", "inf", "-inf"):
        with pytest.raises(ValueError, match=f"drag is {value}; it must be a number from 0 to 40"):
            rules_of(WING, f"3.1(drag={value})")
    (row, *_) = rows_of(
        run(find_tasks([str(folder)]), ["random"], tmp_path / "run", rules="3.1(drag=1.0)", workers=1).episodes
    )
    assert row["rules"] == "3.1(drag=1.0)"


# --- resuming


def _shortened(path: Path, length: int) -> None:
    with path.open("r+b") as file:
        file.truncate(length)


def test_whatever_a_kill_cuts_off_is_played_again(folder: Path, tmp_path: Path) -> None:
    """Both files are truncated at twenty places each, within lines and gzip members."""
    out, subjects = tmp_path / "run", find_tasks([str(folder / "one.yml")])
    whole = rows_of(run(subjects, ["random"], out, episodes=6, workers=1).episodes)
    lines, members = (out / JOURNAL).stat().st_size, (out / TRAJECTORIES).stat().st_size
    first = (out / JOURNAL).read_text().splitlines()[0]
    for number in range(20):
        # The trajectories are written first: they are never shorter than the journal says.
        left = lines * (7 * number % 20) // 20 + number
        _shortened(out / JOURNAL, left)
        if left <= len(first):  # the first line is on the disk before there is a second trajectory
            _shortened(out / TRAJECTORIES, json.loads(first)["trajectories"])
        again = run(subjects, ["random"], out, episodes=6, workers=1)
        assert rows_of(again.episodes) == whole
        assert 0 < again.played <= 12
        assert len((out / JOURNAL).read_text().splitlines()) == 12
        assert (out / TRAJECTORIES).stat().st_size == members
        kept = [name for name, _ in trajectories(out)]
        assert len(kept) == len(set(kept)) == 12


@pytest.mark.parametrize("earlier", [False, True], ids=["", "of an earlier version"])
@pytest.mark.parametrize(
    ("name", "rest", "sentence"),
    [
        (TRAJECTORIES, None, "is missing"),
        (TRAJECTORIES, 9, r"lacks [\d,]+ of its [\d,]+ bytes"),
        (JOURNAL, None, "is missing"),
    ],
)
def test_a_run_with_a_missing_or_cut_file_is_refused_and_left_alone(
    name: str, rest: int | None, sentence: str, earlier: bool, folder: Path, tmp_path: Path
) -> None:
    out, subjects = tmp_path / "run", find_tasks([str(folder / "one.yml")])
    run(subjects, ["random"], out, workers=1)
    if earlier:
        (out / JOURNAL).write_text(re.sub(r'"on_disk":\d+,', "", (out / JOURNAL).read_text()))
    lost = (out / name).read_bytes()
    (out / name).unlink()
    if rest:
        (out / name).write_bytes(lost[:rest])
    before = {each.name: each.read_bytes() for each in out.iterdir()}
    with pytest.raises(
        ValueError, match=f"{re.escape(str(out / name))} {sentence}; put it back, or name another folder"
    ):
        run(subjects, ["random"], out, episodes=2, workers=1)
    assert {each.name: each.read_bytes() for each in out.iterdir()} == before
    (out / name).write_bytes(lost)
    assert run(subjects, ["random"], out, episodes=2, workers=1).played == 2


def test_episodes_lost_in_a_power_cut_are_played_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first trajectory is on the disk for certain; a part of the fourth happens to be there as well."""
    monkeypatch.setattr("puzzlebox.run.journal._SYNC_INTERVAL_SECONDS", 3600)
    out, subjects = tmp_path / "run", find_tasks([str(folder / "one.yml")])
    whole = rows_of(run(subjects, ["random"], out, episodes=3, workers=1).episodes)
    entries = [json.loads(line) for line in (out / JOURNAL).read_text().splitlines()]
    assert [entry["on_disk"] for entry in entries] == [entries[0]["trajectories"]] * 6
    _shortened(out / TRAJECTORIES, entries[3]["trajectories"] - 1)
    again = run(subjects, ["random"], out, episodes=3, workers=1)
    assert (again.played, rows_of(again.episodes)) == (3, whole)
    assert len(list(trajectories(out))) == 6


def test_a_run_without_trajectories_is_resumed_without_their_file(folder: Path, tmp_path: Path) -> None:
    out, subjects = tmp_path / "run", find_tasks([str(folder / "one.yml")])
    run(subjects, ["random"], out, workers=1, trajectories=False)
    (out / TRAJECTORIES).unlink()
    assert run(subjects, ["random"], out, episodes=2, workers=1, trajectories=False).played == 2


def test_a_run_is_read_while_it_is_written(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(find_tasks([str(folder / "one.yml")]), ["random"], out, episodes=2, workers=1)
    size = (out / TRAJECTORIES).stat().st_size
    _shortened(out / TRAJECTORIES, size - 40)
    assert len(list(trajectories(out))) == 3
    with pytest.raises(EOFError), gzip.open(out / TRAJECTORIES) as file:
        file.read()


# --- participants in the same table


def test_recordings_become_rows_of_the_same_table(tmp_path: Path) -> None:
    from puzzlebox.agents import agent_named
    from puzzlebox.record.store import Store
    from puzzlebox.run.play import play

    task = load_task(TINY)
    with Store(tmp_path / "recordings.sqlite") as store:
        for seed in (1, 2):
            play(task, agent_named("random"), seed=seed, store=store, name="one", agent_name="random")
        store.flush()
        episodes = recorded_episodes(store, store.episodes()[::-1])
    rows = rows_of(episodes)
    assert [tuple(row) for row in rows] == [NAMES, NAMES]
    assert [(row["repetition"], row["agent"], row["seed"]) for row in rows] == [(0, "random", 1), (1, "random", 2)]
    write_table(tmp_path, episodes)
    assert len(table(tmp_path)) == 2


def test_every_column_is_explained() -> None:
    assert all(column.meaning for column in EPISODES)


# --- the command


def command(*arguments: str) -> Any:
    from puzzlebox.cli.run import run as verb

    app = typer.Typer()
    app.command()(verb)
    return CliRunner().invoke(app, list(arguments))


def test_the_command_runs_episodes_and_prints_a_summary(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = (str(folder), "--agent", "random", "--episodes", "2", "--workers", "1", "-o", str(out))
    result = command(*arguments)
    assert result.exit_code == 0, result.output
    assert "8 episodes" in result.stderr
    assert "random" in result.stdout
    assert "(8 of them earlier)" in command(*arguments).stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("foragin", "--agent", "random"), "did you mean `foraging`"),
        (("foraging", "--agent", "randm"), "did you mean `random`"),
        (("foraging", "--agent", "random", "--rules", "5"), "there are no rules named '5'"),
    ],
)
def test_the_command_refuses_invalid_arguments(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    result = command(*arguments, "-o", str(tmp_path / "out"))
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert result.stderr.count("\n") <= 2
    assert not (tmp_path / "out").exists()
