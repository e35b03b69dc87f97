"""Editing one field leaves every other byte alone."""

import difflib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from conftest import each_reference_file
from puzzlebox.arena.schema import EditError, Item, read, remove, set_value
from puzzlebox.arena.schema.tree import MAPPING, SCALAR, SEQUENCE, Node, compose

TEXT = """\
# A first task.
arenas:
  - time_limit: 250   # tenths of a second
    items:
      # the animal
      - {name: Agent, at: [1, 0, 1]}  # in the corner
      - name: Wall    # a wall
        at: [3, 0, 3]
        size: &size [1, 1, 1]

      # another one
      - name: Wall
        size: *size
    blackouts:
    - 10
    - 20  # light again
"""


def changed(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the lines removed and the lines added; the rest is equal byte by byte."""
    marked = list(difflib.ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True)))
    removed = [line[2:].strip() for line in marked if line.startswith("- ")]
    return removed, [line[2:].strip() for line in marked if line.startswith("+ ")]


@pytest.mark.parametrize(
    ("path", "value", "removed", "added"),
    [
        (
            ("arenas", 0, "time_limit"),
            300,
            ["- time_limit: 250   # tenths of a second"],
            ["- time_limit: 300   # tenths of a second"],
        ),
        (
            ("arenas", 0, "items", 0, "at"),
            (2, 0, None),
            ["- {name: Agent, at: [1, 0, 1]}  # in the corner"],
            ["- {name: Agent, at: [2, 0, random]}  # in the corner"],
        ),
        (("arenas", 0, "items", 1, "at", 2), 7.5, ["at: [3, 0, 3]"], ["at: [3, 0, 7.5]"]),
        (("arenas", 0, "items", 2, "size"), 3, ["size: *size"], ["size: 3"]),
        (("arenas", 0, "items", 1, "rotation"), 90, [], ["rotation: 90"]),
        (
            ("arenas", 0, "items", 0, "skin"),
            "pig",
            ["- {name: Agent, at: [1, 0, 1]}  # in the corner"],
            ["- {name: Agent, at: [1, 0, 1], skin: pig}  # in the corner"],
        ),
        (
            ("arenas", 0, "blackouts"),
            [5, 6],
            ["blackouts:", "- 10", "- 20  # light again"],
            ["blackouts: [5, 6]  # light again"],
        ),
        (("arenas", 0, "blackouts", 2), 30, [], ["- 30"]),
        (("arenas", 0, "items", 3), Item(name="GoodGoal", size=(1, 1, 1)), [], ["- {name: GoodGoal, size: [1, 1, 1]}"]),
        (("metadata",), {"title": "no"}, [], ['metadata: {title: "no"}']),
    ],
)
def test_setting_a_field_changes_only_its_lines(
    path: tuple[str | int, ...], value: object, removed: list[str], added: list[str]
) -> None:
    assert changed(TEXT, set_value(TEXT, path, value)) == (removed, added)


@pytest.mark.parametrize(
    ("path", "removed", "added"),
    [
        (("arenas", 0, "time_limit"), ["- time_limit: 250   # tenths of a second", "items:"], ["- items:"]),
        (
            ("arenas", 0, "items", 0, "at"),
            ["- {name: Agent, at: [1, 0, 1]}  # in the corner"],
            ["- {name: Agent}  # in the corner"],
        ),
        (("arenas", 0, "items", 0), ["- {name: Agent, at: [1, 0, 1]}  # in the corner"], []),
        (("arenas", 0, "items", 2, "size"), ["size: *size"], []),
        (("arenas", 0, "blackouts", 0), ["- 10"], []),
        (("arenas", 0, "blackouts"), ["blackouts:", "- 10", "- 20  # light again"], []),
    ],
)
def test_removing_a_field_changes_only_its_lines(
    path: tuple[str | int, ...], removed: list[str], added: list[str]
) -> None:
    assert changed(TEXT, remove(TEXT, path)) == (removed, added)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (("arenas", 5, "time_limit"), "there is no arenas.5.time_limit in the file"),
        (("arenas", 0, "time_limit", "x"), "there is no arenas.0.time_limit.x in the file"),
        # Two walls share three numbers.
        (
            ("arenas", 0, "items", 1, "size"),
            "arenas.0.items.1.size is also used by the alias in line 13; replace that one first",
        ),
        (("arenas", 0, "items", 2, "size", 0), "arenas.0.items.2.size.0 is an alias; edit it at its anchor"),
    ],
)
def test_edits_of_missing_places_are_refused(path: tuple[str | int, ...], why: str) -> None:
    with pytest.raises(EditError, match=why):
        set_value(TEXT, path, 4)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), object(), b"bytes", {1: 2}], ids=lambda value: type(value).__name__
)
def test_values_that_cannot_be_written_are_refused(value: object) -> None:
    with pytest.raises(EditError, match="cannot be written into a task file"):
        set_value(TEXT, ("arenas", 0, "time_limit"), value)


def test_edits_with_an_empty_path_or_of_broken_text_are_refused() -> None:
    for edit in (lambda text, path: set_value(text, path, 1), remove):
        with pytest.raises(EditError, match="a path needs at least one part"):
            edit(TEXT, ())
        with pytest.raises(EditError, match="line 1, column 9: this is not valid YAML"):
            edit("arenas: ]", ("arenas",))


def test_keys_that_need_quotes_and_empty_metadata_are_edited() -> None:
    text = "metadata: {title: x}\narenas: [{}]\n"
    assert set_value(text, ("metadata", "12"), "no") == 'metadata: {title: x, "12": "no"}\narenas: [{}]\n'
    assert set_value(text, ("metadata", "a: b"), None) == 'metadata: {title: x, "a: b": null}\narenas: [{}]\n'


def test_an_item_is_written_in_the_form_of_the_file() -> None:
    wall = Item(name="Wall", at=(1, 0, None), color=(222, 0, 0))
    zone = Item.model_validate({"name": "DataZone", "zone_id": "a", "operations": [{"do": "end_episode", "reward": 2}]})
    text = "!ArenaConfig\narenas:\n  0: !Arena\n    items:\n    - !Item {name: Ramp}  # steep\n"
    added = set_value(text, ("arenas", 0, "items", 1), wall)
    line = "    - !Item {name: Wall, positions: [!Vector3 {x: 1, y: 0, z: -1}], colors: [!RGB {r: 222, g: 0, b: 0}]}\n"
    assert added == text + line
    replaced = set_value(text, ("arenas", 0, "items", 0), zone)
    line = "    - !Item {name: DataZone, triggerZoneID: [a], operations: [!endEpisode {reward: 2}]}  # steep\n"
    assert replaced == text.replace("    - !Item {name: Ramp}  # steep\n", line)
    for edited, item in ((added, wall), (replaced, zone)):
        reading = read(edited)
        assert reading.task is not None and reading.task.arenas[0].items[-1] == item


def test_a_new_arena_is_added_in_both_forms() -> None:
    theirs = "!ArenaConfig\narenas:\n  0: !Arena {t: 5}\n"
    assert set_value(theirs, ("arenas", 1), {"t": 6}) == theirs + "  1: {t: 6}\n"
    assert set_value("arenas: [{}]\n", ("arenas", 1), {"time_limit": 6}) == "arenas: [{}, {time_limit: 6}]\n"


def test_notes_in_a_list_over_several_lines_stay() -> None:
    text = "arenas: [{items: [\n  {name: Wall},  # a\n  {name: Ramp}   # b\n]}]\n"
    removed = remove(text, ("arenas", 0, "items", 1))
    assert "# a" in removed and "# b" in removed
    assert remove("blackouts: [1, 2, 3]\n", ("blackouts", 2)) == "blackouts: [1, 2]\n"


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        # a note beside a key whose block is replaced
        ("size: # w\n  - 1\n  - 2 # z\n", lambda t: set_value(t, ("size",), [1]), "size: # w\n  [1] # z\n"),
        # the only entry of a mapping with a note above it
        ("m:\n  # note\n  title: x\nb: 1\n", lambda t: remove(t, ("m", "title")), "m:\n  # note\n  {}\nb: 1\n"),
        # the first entry, which shares its line with a dash
        (
            "a:\n- time: 1 # gone\n  # the items\n  items: []\n",
            lambda t: remove(t, ("a", 0, "time")),
            "a:\n- # the items\n  items: []\n",
        ),
        # in brackets over several lines
        (
            "a: [\n  {name: A}, # gone\n  # about B\n  {name: B}]\n",
            lambda t: remove(t, ("a", 0)),
            "a: [\n  # about B\n  {name: B}]\n",
        ),
        # a dash and a comma inside notes
        (
            "i:\n- name: A\n-  # left - wall\n  name: B\n",
            lambda t: remove(t, ("i", 0)),
            "i:\n-  # left - wall\n  name: B\n",
        ),
        ("a: [1 # n1, x\n , 2 # n2\n ]", lambda t: remove(t, ("a", 1)), "a: [1 # n1, x\n  # n2\n ]"),
    ],
)
def test_notes_are_never_lost(before: str, edit: Callable[[str], str], after: str) -> None:
    assert edit(before) == after


@pytest.mark.parametrize("text", ["a: 1\rb: 2\r", "? a\n: 1\n? b\n: 2\n", "a: 1\u2028b: 2\n"])
def test_texts_whose_lines_cannot_be_edited_are_refused(text: str) -> None:
    with pytest.raises(EditError):
        remove(text, ("b",))


def test_numbers_of_other_libraries_are_numbers() -> None:
    assert set_value("a: 1\n", ("a",), np.float64(1.5)) == "a: 1.5\n"


def test_removing_the_only_entry_leaves_an_empty_list() -> None:
    text = "arenas:\n- items:\n  - {name: Wall}  # alone\n"
    assert remove(text, ("arenas", 0, "items", 0)) == "arenas:\n- items: []  # alone\n"
    with pytest.raises(EditError, match="arenas is all there is in the file"):
        remove(text, ("arenas",))
    with pytest.raises(EditError, match="the file is empty"):
        remove("", ("arenas",))


def test_tags_windows_line_ends_and_byte_order_mark_stay() -> None:
    text = "\ufeff!ArenaConfig\r\narenas:\r\n  0: !Arena\r\n    t: 250\r\n    items:\r\n    - !Item {name: Wall, positions: [!Vector3 {x: 1, y: 0, z: 1}]}\r\n"  # noqa: E501
    item = ("arenas", 0, "items", 0)
    edited = set_value(text, (*item, "positions", 0), {"x": 5, "y": 0, "z": 6})
    assert edited == text.replace("x: 1, y: 0, z: 1", "x: 5, y: 0, z: 6")
    added = set_value(text, ("arenas", 0, "pass_mark"), 1)
    assert added == text + "    pass_mark: 1\r\n"
    reading = read(added)
    assert reading.task is not None and reading.task.arenas[0].pass_mark == 1


def all_paths(node: Node, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Node]]:
    children: list[tuple[str | int, Node]] = []
    if node.kind == MAPPING:
        children = [(key.value, value) for key, value in node.value]
    elif node.kind == SEQUENCE:
        children = list(enumerate(node.value))
    entries = [((*path, part), child) for part, child in children]
    return entries + [entry for part, child in children for entry in all_paths(child, (*path, part))]


@pytest.mark.parametrize("file", each_reference_file(every=9))
def test_every_scalar_of_real_files_can_be_edited(file: Path) -> None:
    """Setting it and setting it back gives the same bytes; removing it takes nothing else."""
    text = file.read_bytes().decode()
    root = compose(text)
    assert root is not None
    for path, node in all_paths(root)[:120]:
        if node.kind == SCALAR and node.plain and node.value.isdigit():
            edited_text = set_value(text, path, 123)
            assert edited_text != text
            assert set_value(edited_text, path, int(node.value)) == text
        if len(path) > 1:
            shorter = remove(text, path)
            # At most the line of the entry is rewritten.
            assert len(set(shorter.splitlines()) - set(text.splitlines())) <= 1
