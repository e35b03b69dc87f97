"""The JSON Schema that editors use accepts the same tasks as the models."""

import json

import pytest
import yaml
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from puzzlebox.arena.schema import Task, read, write
from puzzlebox.arena.schema.json_schema import SCHEMA_FILE, schema_text, task_schema
from puzzlebox.arena.things import CATALOGUE
from puzzlebox.batteries import bundled_names, bundled_path
from strategies import tasks

VALIDATOR = Draft202012Validator(task_schema())


def complaints(text: str) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(text))]


def test_the_shipped_file_is_current() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "run `make generated`"
    Draft202012Validator.check_schema(json.loads(schema_text()))


@pytest.mark.parametrize("name", bundled_names())
def test_bundled_tasks_fit_the_schema(name: str) -> None:
    path = bundled_path(name)
    assert path is not None
    assert complaints(path.read_text()) == []


@settings(max_examples=40)
@given(task=tasks())
def test_the_schema_accepts_whatever_the_models_accept(task: Task) -> None:
    assert complaints(write(task)) == []


@pytest.mark.parametrize(
    "item",
    [
        "{name: Wall, at: [[1, 0, 1], [2, 0, random]], rotation: [0, random], size: 2, color: [red, [1, 2, 3]]}",
        "{name: Agent, skin: random}",
        "{name: SignBoard, symbol: [tick, 01/10, 4x4]}",
        "{name: SpawnerButton, reward_names: [GoodGoal, nothing]}",
        "{name: SpawnerButton, reward_weights: []}",
        "{name: Wall, count: 3}",
    ],
)
def test_the_schema_accepts_spellings_that_only_files_have(item: str) -> None:
    text = f"arenas: [{{items: [{item}]}}]"
    assert read(text).task is not None
    assert complaints(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "arenas: []",
        "arenas: [{time_limt: 3}]",
        "arenas: [{time_limit: -3}]",
        "arenas: [{theme: jungle}]",
        "arenas: [{items: [{at: [1, 0, 1]}]}]",
        "arenas: [{items: [{name: Walll}]}]",
        "arenas: [{items: [{name: Wall, skin: pig}]}]",
        "arenas: [{items: [{name: Wall, at: [1, 0]}]}]",
        "arenas: [{items: [{name: Wall, color: [1, 2, 300]}]}]",
        "arenas: [{items: [{name: DataZone, operations: [{do: give}]}]}]",
        "default_perspective: fourth\narenas: [{}]",
        "arenas: [{items: [{name: Wall, at: [random, random]}]}]",
        "arenas: [{items: [{name: GoodGoal, size: [1, 2]}]}]",
        "arenas: [{theme: {floor: null}}]",
        "arenas: [{items: [{name: Wall, count: 0}]}]",
        "arenas: [{items: [{name: DataZone, operations: [{do: one_of, operations: [{do: nothing}], weights: [0]}]}]}]",
    ],
)
def test_the_schema_refuses_whatever_the_models_refuse(text: str) -> None:
    assert read(text).task is None
    assert complaints(text) != []


def test_editors_find_a_description_for_every_thing_and_key() -> None:
    item = task_schema()["$defs"]["Item"]
    assert item["properties"]["name"]["enum"] == list(CATALOGUE)
    assert all(entry["description"] for entry in item["properties"].values())
    pages = {rule["if"]["properties"]["name"]["const"]: rule["then"]["properties"] for rule in item["allOf"]}
    assert pages["SpawnerTree"]["delay"]["description"] == "seconds before the first goal"
    assert set(pages) == set(CATALOGUE)
