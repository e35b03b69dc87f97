"""A written text stands for the same task, in both formats, and depends on the task alone."""

import pytest
from hypothesis import given, settings

from puzzlebox.arena.schema import ANIMALAI, PUZZLEBOX, Task, keys_unknown_to_animalai, load_task, read, write
from puzzlebox.arena.schema.diagnostics import errors
from strategies import tasks

FORMS = (PUZZLEBOX, ANIMALAI)


def test_writing_in_an_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="a task can be written as puzzlebox or animalai, not 'xml'"):
        write(load_task("foraging"), "xml")


def test_keys_unknown_to_the_original_are_listed() -> None:
    plain = load_task("arenas: [{time_limit: 3, items: [{name: Wall}]}]\n")
    assert keys_unknown_to_animalai(plain) == []
    ours = read("default_perspective: third\nmetadata: {title: x}\narenas: [{size: [9, 9]}, {theme: snow}]\n").task
    assert ours is not None
    assert keys_unknown_to_animalai(ours) == ["metadata", "defaultPerspective", "size", "theme"]


def test_our_form_is_one_line_a_thing() -> None:
    task = load_task("""\
metadata: {title: "no", note: [1, null, {deep: 'a: b'}]}
arenas:
- time_limit: 250
  items: [{name: Wall, at: [1, 0, random], rotation: 90.50, size: 1}, {name: GoodGoalMulti, size: [[1,1,1],[2,2,2]]}]
""")
    assert (
        write(task)
        == """\
metadata: {title: "no", note: [1, null, {deep: "a: b"}]}
arenas:
  - time_limit: 250
    items:
      - {name: Wall, at: [1, 0, random], rotation: 90.5, size: [1, 1, 1]}
      - {name: GoodGoalMulti, size: [1, 1, 1]}
      - {name: GoodGoalMulti, size: [2, 2, 2]}
"""
    )


def test_animalai_form_writes_an_operation_in_one_line() -> None:
    task = load_task("""\
arenas:
- items:
  - name: DataZone
    operations:
    - {do: toggle_object, items: [{name: Wall, at: [[1, 0, 1], [5, 0, 5]]}], forget: true}
    - {do: limited, times: 2, operation: {do: one_of, operations: [{do: nothing}, {do: end_episode}]}}
""")
    assert write(task, ANIMALAI).splitlines()[5:] == [
        "      name: DataZone",
        "      operations:",
        "      - !toggleObject {spawnable: !Item {name: Wall, positions: [!Vector3 {x: 1, y: 0, z: 1}, "
        "!Vector3 {x: 5, y: 0, z: 5}]}, spawnAndForget: true}",
        "      - !limitedInvocationsOperation {maxInvocations: 2, operation: "
        "!operationFromList {operations: [!noneOperation {}, !endEpisode {}]}}",
    ]


def test_animalai_form_groups_instances() -> None:
    task = load_task("""\
arenas:
- time_limit: 250
  items:
  - {name: Agent, at: [20, 0, 20]}
  - {name: GrowGoal, at: [[1, 0, 1], [2, 0, random]], initial_value: [1, 2]}
  - {name: Wall, rotation: 90}
""")
    assert (
        write(task, ANIMALAI)
        == """\
!ArenaConfig
arenas:
  0: !Arena
    timeLimit: 250
    items:
    - !Item
      name: Agent
      positions:
      - !Vector3 {x: 20, y: 0, z: 20}
    - !Item
      name: GrowGoal
      positions:
      - !Vector3 {x: 1, y: 0, z: 1}
      - !Vector3 {x: 2, y: 0, z: -1}
      initialValues: [1, 2]
    - !Item
      name: Wall
      rotations: [90]
"""
    )


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40)
@given(task=tasks())
def test_reading_what_was_written_gives_the_same_task(form: str, task: Task) -> None:
    text = write(task, form)
    reading = read(text)
    assert errors(reading.findings) == []
    assert reading.form == form
    assert reading.task == task
    assert write(reading.task, form) == text
