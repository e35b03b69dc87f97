"""The task of a variation is made from its data, and is the one that its text gives."""

from typing import Any

import pytest

from puzzlebox.arena.schema import read
from puzzlebox.arena.schema.data_form import task_of_data
from puzzlebox.arena.schema.draft import PUZZLEBOX
from puzzlebox.arena.variations import Template, TemplateError
from puzzlebox.arena.variations.parts import Data
from puzzlebox.arena.variations.text import text_of
from puzzlebox.batteries import template_names


def task(*items: dict[str, Any], **others: Any) -> Data:
    return Data({"metadata": others, "arenas": [Data({"time_limit": 250.0, "pass_mark": -0.0, "items": list(items)})]})


GOOD = [
    task({"name": "Agent", "at": [20, 0.0, 3.5], "rotation": 1e-7}),
    task({"name": "Wall", "at": [[1, 0, 2], [3.25, 0, 4]], "size": [1, 1.5, 2], "color": "red"}),
    task({"name": "Wall", "count": 3, "color": ["red", [1, 2, 3]]}, {"name": "GoodGoal", "at": "random"}),
    task(
        {"name": "SpawnerButton", "operations": [{"do": "toggle_object", "items": [{"name": "GoodGoal", "count": 2}]}]}
    ),
    task(title="yes", other=5.0, more=[1e20, 0.1, -3, True, None, "5", "null", "a: b, [c]", " x ", "", "#", "0x1"]),
    task(title="two\nlines\n", description="Größe → 'x' \"y\"", nested={"a": {"metadata": None}, "b": []}),
]
BAD = [
    task({"name": "Nothing"}),
    task({"name": "GoodGoal", "at": None}),
    task({"name": "GoodGoal", "count": 0}),
    task({"name": "GoodGoal", "count": 9_000}, {"name": "GoodGoal", "count": 9_000}),
    task({"name": "GoodGoal", "size": float("inf")}),
    task({"name": "Agent", "color": "red"}),
    Data({"arenas": []}),
    Data({"arenas": [Data({"items": Data({"name": "GoodGoal"})})]}),
]


@pytest.mark.parametrize("data", GOOD)
def test_data_give_the_task_of_their_text(data: Data) -> None:
    direct, expected = task_of_data(data), read(text_of(data, PUZZLEBOX)).task
    assert direct is not None and expected is not None
    assert (
        direct == expected and direct.model_dump_json() == expected.model_dump_json() and direct.text == expected.text
    )


@pytest.mark.parametrize("data", BAD)
def test_data_with_a_mistake_are_left_to_the_reader_of_texts(data: Data) -> None:
    assert task_of_data(data) is None and read(text_of(data, PUZZLEBOX)).task is None


def test_unusual_data_are_left_to_the_reader_of_texts() -> None:
    for data in (task(title="a\tb"), task(many=[0] * 6_000), task(long="x" * 60_000)):
        assert task_of_data(data) is None and read(text_of(data, PUZZLEBOX)).task is not None


def test_a_mistake_in_a_variation_still_names_its_line_and_its_values() -> None:
    template = Template("vary: {n: [1, 2]}\narenas: [{items: [{name: GoodGoal, at: [1, 0, $'x' if n == 2 else 3]}]}]")
    assert template[0].task.arenas[0].items[0].at == (1, 0, 3)
    with pytest.raises(TemplateError, match=r"line 3 of the task: .*\(with n = 2\)"):
        _ = template[1].task


@pytest.mark.parametrize("name", template_names())
def test_every_bundled_template_gives_the_tasks_of_its_texts(name: str) -> None:
    for variation in Template(name).sample(2, seed=4):
        direct, expected = variation.task, read(variation.text).task
        assert expected is not None and direct.model_dump_json() == expected.model_dump_json()
