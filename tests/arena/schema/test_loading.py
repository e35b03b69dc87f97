"""Loading a task from a Task, a path, a bundled name or a text."""

import copy
import pickle
from pathlib import Path

import pytest

import puzzlebox
from puzzlebox import Task, TaskError, TaskWarning, load_task
from puzzlebox.arena.schema import Arena, Item, Metadata
from puzzlebox.batteries import bundled_names, bundled_path

TEXT = "arenas:\n- items:\n  - {name: Wall, rotation: 0}\n"


def test_a_path_a_text_and_a_task_give_the_same(tmp_path: Path) -> None:
    file = tmp_path / "task.yml"
    file.write_text(TEXT)
    assert load_task(file) == load_task(str(file)) == load_task(TEXT) == load_task(TEXT.encode())
    task = load_task(TEXT)
    assert load_task(task) is task
    assert load_task(task, strict=True) == task


def test_a_file_whose_name_looks_like_yaml_is_loaded_as_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "[b].yaml").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    assert load_task("[b].yaml") == load_task(TEXT)


def test_a_task_made_in_python_can_be_held_to_the_same_rules() -> None:
    wall = Item(name="Wall", at=(99, 0, 1))
    task = Task(arenas=(Arena(items=(wall,)),))
    assert load_task(task) is task
    with pytest.raises(TaskError, match=r"\[99, 0, 1\] is outside the arena"):
        load_task(task, strict=True)


def test_mistakes_in_python_name_the_nearest_match() -> None:
    with pytest.raises(ValueError, match=r"Wal is not a thing; did you mean `Wall`\?"):
        Item(name="Wal")
    with pytest.raises(ValueError, match=r"a colour is three numbers .*; did you mean `red`\?"):
        Item(name="Wall", color="redd")
    with pytest.raises(ValueError, match="metadata hold texts, numbers"):
        Metadata.model_validate({"when": object()})


@pytest.mark.parametrize("name", bundled_names())
def test_bundled_tasks_load_without_a_warning(name: str) -> None:
    task = load_task(name, strict=True)
    assert task.metadata.title and task.metadata.description and task.metadata.tags


def test_the_published_tasks_and_five_examples_are_bundled() -> None:
    curriculum = [name for name in bundled_names() if name.startswith("operant-curriculum/")]
    assert [len(load_task(name).arenas) for name in curriculum] == [1, 2, 3, 4, 5]
    assert load_task("operant").arenas[0].items == load_task("operant-curriculum/5").arenas[4].items
    assert {"foraging", "operant"} <= set(bundled_names())
    assert len([name for name in bundled_names() if name.startswith("examples/")]) == 5
    assert bundled_path("nowhere") is None


def test_bundled_experiments_have_the_published_values(reference: Path) -> None:
    """The arenas of docs/original/experiments.md#foraging and docs/original/experiments.md#operant-chamber."""
    (foraging,) = load_task("foraging").arenas
    agent, tree = foraging.items
    assert (foraging.pass_mark, foraging.time_limit) == (15, 500)
    assert agent.at == (None, 0, 5)
    assert (tree.name, tree.at, tree.spawn_count, tree.final_value) == ("SpawnerTree", (20, 0, 20), 10, 2)
    starts = [arena.items[0].at for arena in load_task("operant-curriculum/5").arenas]
    assert starts == [(36, 0, 20), (30, 0, 20), (20, 0, 20), (20, 0, None), None]
    button = load_task("operant").arenas[0].items[-1]
    assert (button.at, button.reward_at, button.move_duration) == ((38.5, 0, 18.8), (39, 3, 22), 0.1)


def test_a_mistake_is_raised_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "task.yml"
    file.write_text(TEXT.replace("Wall", "Walll").replace("rotation: 0", "rotation: x"))
    with pytest.raises(TaskError) as caught:
        load_task(file)
    assert str(caught.value) == (
        f"{file}:3:12: error: `Walll` is not a thing; did you mean `Wall`?\n"
        f"{file}:3:29: error: `rotation` expects a number of degrees, 0 or more, or `random`; got `x`"
    )
    assert len(caught.value.findings) == 2
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_doubtful_values_are_python_warnings() -> None:
    doubtful = "arenas:\n- items:\n  - {name: Wall, at: [99, 0, 1]}\n"
    message = "<text>:3:22: warning: [99, 0, 1] is outside the arena, 40 x 40 m; it will be moved to the edge, where"
    with pytest.warns(TaskWarning) as caught:
        load_task(doubtful)
    assert str(caught[0].message).startswith(message)
    with pytest.warns(TaskWarning, match=r"\(and 1 more; `puzzlebox check` shows them\)"):
        load_task(doubtful + "  - {name: Wall, at: [1, 0, 99]}\n")
    with pytest.raises(TaskError):
        load_task(doubtful, strict=True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("foragin", "there is no file foragin and no bundled task of that name; did you mean `foraging`?"),
        (".", ". is a folder; name a task file in it"),
        ("", "the name of the task is empty"),
        ("nowhere/task.yml", "there is no file nowhere/task.yml"),
    ],
)
def test_an_unknown_task_is_refused_with_the_nearest(name: str, message: str) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        load_task(name)
    assert str(caught.value) == message


def test_a_misspelt_file_is_refused_with_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cfg.yaml").touch()
    (tmp_path / "notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    for name, end in (
        ("cfg.yml", "; did you mean `cfg.yaml`?"),
        (f"{tmp_path}/cgf.yml", f"; did you mean `{tmp_path}/cfg.yaml`?"),
        ("cfg", " and no bundled task of that name; did you mean `cfg.yaml`?"),
        ("foraging.yaml", "; did you mean `foraging`?"),
        ("notes.yml", ""),
        ("a\0b/cfg.yml", ""),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            load_task(name)
        assert str(caught.value) == f"there is no file {name}{end}"


def test_tasks_survive_pickle_and_deepcopy() -> None:
    task = load_task("foraging")
    assert pickle.loads(pickle.dumps(task)) == task
    assert copy.deepcopy(task) == task


def test_the_public_face_is_short() -> None:
    assert dir(puzzlebox) == sorted(puzzlebox.__all__)
    assert puzzlebox.Task is Task
    with pytest.raises(AttributeError, match="module 'puzzlebox' has no attribute 'nothing'"):
        _ = puzzlebox.nothing


def test_a_link_that_leads_to_no_file_is_reported_as_a_link(tmp_path: Path) -> None:
    loop = tmp_path / "loop.yml"
    loop.symlink_to(loop)
    with pytest.raises(FileNotFoundError) as caught:
        load_task(loop)
    assert str(caught.value) == f"{loop} is a link that leads to no file"
