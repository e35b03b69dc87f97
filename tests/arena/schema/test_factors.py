"""The experimental factors of arenas: metadata, titles, tags, templates, and folders of variations."""

from pathlib import Path

import pytest

from puzzlebox.arena.schema import load_task, read
from puzzlebox.arena.schema.factors import factors_of, with_factors
from puzzlebox.arena.variations import Template
from puzzlebox.arena.variations.folder import values_in_manifest, write_folder
from puzzlebox.arena.wing import WING

TEMPLATE = """
metadata: {title: A wall}
vary:
  side: [left, right]
  delay: [0, 5]
  size: [[1, 1, 1]]
labels: {word: $side}
arenas:
  - metadata: {condition: "${side}"}
    items: [{name: Agent, frozen_delay: $delay}, {name: Wall, size: $size}]
"""


@pytest.mark.parametrize(
    ("metadata", "arena", "factors"),
    [
        ("{author: Ada, year: 1898}", "{}", {"author": "Ada", "year": 1898}),
        ("{factors: {side: left}, list: [1, 2]}", "{side: right}", {"side": "right"}),
        ("{tags: [control, box]}", "{}", {"condition": "control"}),
        ("{tags: [control, test]}", "{}", {}),
        ("{}", "{title: The test}", {"condition": "test"}),
        ("{}", "{title: Contest}", {}),
        ("{view: test}", "{tags: [control]}", {"view": "test"}),
    ],
)
def test_factors_of_one_arena(metadata: str, arena: str, factors: dict[str, object]) -> None:
    task = read(f"metadata: {metadata}\narenas: [{{metadata: {arena}}}]").task
    assert task is not None
    assert factors_of(task, 0) == factors


def test_arenas_beside_a_control_are_tests() -> None:
    task = load_task("generalisation/purple-apples")
    assert [factors_of(task, start) for start in task.starts] == [
        {"condition": "control"},
        {"condition": "test"},
        {"condition": "test"},
    ]
    assert task.conditions(1)["title"] == "Purple"
    assert "factors" not in load_task("numbers/more-or-fewer").conditions(0)


def test_values_of_a_template_are_factors(tmp_path: Path) -> None:
    path = tmp_path / "wall.yml"
    path.write_text(TEMPLATE)
    found = list(WING.load("wall", str(path), variations=4, seed=0))
    assert {(each.factors["side"], each.factors["delay"]) for each in found} == {
        (side, delay) for side in ("left", "right") for delay in (0, 5)
    }
    assert found[0].factors["size"] == "[1, 1, 1]"
    assert found[0].task.conditions(0)["factors"] == {"condition": found[0].factors["side"]}


def test_files_of_variations_have_the_values_of_their_manifest(tmp_path: Path) -> None:
    template = Template(TEMPLATE)
    write_folder(template, tmp_path / "tasks", range(4), 4, {})
    (first, *_) = sorted((tmp_path / "tasks").glob("*.yaml"))
    (found,) = WING.load("tasks/0", str(first), variations=1, seed=0)
    assert found.factors == {"side": "left", "delay": 0, "size": "[1, 1, 1]", "word": "left"}
    assert values_in_manifest(tmp_path / "other.yml") == {}


def test_factors_survive_in_the_text_of_a_task() -> None:
    task = with_factors(load_task("foraging"), {"side": "left", "delay": 5})
    again = read(task.text).task
    assert again is not None
    assert factors_of(again, 0) == {"side": "left", "delay": 5}
    assert with_factors(task, {}) is task
