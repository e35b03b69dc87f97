"""Hostile text is refused before anything is built from it. `benchmarks/` measures how quickly."""

import pytest

from puzzlebox.arena.schema import Arena, Item, Task, read, write
from puzzlebox.arena.schema.tree import MAX_DEPTH, MAX_ITEMS, MAX_NODES


def codes(text: str) -> list[str]:
    return [finding.code for finding in read(text).findings]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[{a: "])
def test_deep_nesting_never_reaches_the_c_composer(opening: str) -> None:
    """400 kB of `[` crash the process when PyYAML composes them."""
    assert codes(opening * (400_000 // len(opening))) == ["too-deep"]


def test_nesting_up_to_the_limit_is_read() -> None:
    def nested(depth: int) -> str:
        return "metadata: {deep: " + "[" * depth + "]" * depth + "}\narenas: [{items: [{name: Wall}]}]\n"

    assert codes(nested(MAX_DEPTH - 2)) == []
    assert codes(nested(MAX_DEPTH - 1)) == ["too-deep"]


def test_aliases_count_as_often_as_they_are_used() -> None:
    def used(times: int) -> str:
        return (
            "metadata:\n  ten: &ten ["
            + "1, " * 10
            + "]\n  all: ["
            + "*ten, " * times
            + "]\narenas: [{items: [{name: Wall}]}]\n"
        )

    fits = (MAX_NODES - 40) // 11
    assert codes(used(fits)) == []
    assert codes(used(fits + 3)) == ["too-many-nodes"]


def test_levels_behind_aliases_count() -> None:
    """Thirty lines of 24 levels, each around the one before, are 720 levels once aliases are followed."""
    lines = "".join(f"  x{i}: &x{i} {'[' * 24}{f'*x{i - 1}' if i else 1}{']' * 24}\n" for i in range(30))
    for arenas in ("arenas: [{items: [{name: Wall}]}]\n", "arenas: {0: {items: [{name: Wall}]}}\n"):
        assert codes("metadata:\n" + lines + arenas) == ["too-deep"]


def test_values_that_instances_share_count_for_each_instance() -> None:
    def buttons(number: int) -> str:
        shared = "operations: [" + "{do: grant_reward, reward: 1}, " * 20 + "]"
        return f"arenas: [{{items: [{{name: SpawnerButton, {shared}, move_duration: [{'0, ' * number}]}}]}}]\n"

    assert codes(buttons(500)) == []
    assert codes(buttons(5_000)) == ["too-many-values"]
    theirs = buttons(5_000).replace("[{items", "{0: !Arena {items").replace("]}]\n", "]}}\n")
    theirs = theirs.replace("{do: grant_reward, reward: 1}", "!grantReward {reward: 1}")
    assert codes(theirs.replace("move_duration", "moveDurations")) == ["too-many-values"]


@pytest.mark.parametrize(
    "text",
    [
        "metadata: {a: &a " + "1" * 400_000 + "x, b: [" + "*a," * 5_000 + "]}\narenas: [{items: [{name: Agent}]}]",
        "metadata: {a: &a " + "9" * 400_000 + ", b: [" + "*a," * 5_000 + "]}\narenas: [{items: [{name: Agent}]}]",
        "metadata: {a: &a 01"
        + "/10" * 100_000
        + "}\narenas: [{items: [{name: SignBoard, symbol: ["
        + "*a," * 900
        + "]}]}]",
        "metadata: {a: &a " + "k" * 400_000 + "}\narenas: [" + "{*a : 1}, " * 190 + "]",
    ],
    ids=lambda text: text[:30],
)
def test_a_long_word_used_often_is_checked_once(text: str) -> None:
    """Each of these took minutes while every use was matched or compared in full."""
    assert len(codes(text)) <= 402


def test_texts_that_instances_share_count_for_their_length() -> None:
    zone = "{name: DataZone, zone_id: " + "x" * 100_000 + ", count: 50}"
    assert codes("arenas: [{items: [" + zone + "]}]\n") == ["too-many-values"]


def test_every_accepted_task_can_be_written_and_read_again() -> None:
    text = "arenas: [{items: [{name: Wall, size: 1, rotation: 0, color: red, count: 9000}]}]\n"
    assert codes(text) == ["too-many-values"]
    fewer = read(text.replace("9000", "4000")).task
    assert fewer is not None
    for form in ("puzzlebox", "animalai"):
        assert read(write(fewer, form)).task == fewer


def test_a_task_too_large_for_a_form_says_so() -> None:
    item = Item(name="Wall", at=(1, 2, 3), size=(1, 1, 1), rotation=5, color=(1, 2, 3))
    task = Task(arenas=(Arena(items=(item,) * 9_000),))
    with pytest.raises(ValueError, match="the task is too large for the puzzlebox format: the text holds more"):
        write(task)


def test_a_task_too_deep_for_a_form_says_so() -> None:
    """Animal-AI's format needs fewer levels for an operation that brings a button that has an operation that ..."""
    item: dict[str, object] = {"name": "SpawnerButton"}
    for _ in range(8):
        item = {"name": "SpawnerButton", "operations": [{"do": "toggle_object", "items": [item]}]}
    task = Task(arenas=(Arena(items=(Item.model_validate(item),)),))
    with pytest.raises(
        ValueError, match="the task is too large for the puzzlebox format: lists and mappings are nested"
    ):
        write(task)


def test_an_alias_in_its_own_anchor_is_refused() -> None:
    assert codes("arenas: &a [*a]\n") == ["bad-alias"]


def test_instances_are_counted_before_they_are_made() -> None:
    def walls(number: int) -> str:
        return "arenas: [{items: [{name: Wall, rotation: [" + "0, " * number + "]}]}]\n"

    assert codes(walls(MAX_ITEMS)) == []
    assert codes(walls(MAX_ITEMS + 1)) == ["too-many-items"]
    theirs = (
        walls(MAX_ITEMS + 1)
        .replace("rotation", "rotations")
        .replace("arenas: [", "arenas: {0: ")
        .replace("]}]\n", "]}}\n")
    )
    assert codes(theirs) == ["too-many-items"]


def test_items_of_all_arenas_and_operations_count_together() -> None:
    half = "{name: Wall, rotation: [" + "0, " * (MAX_ITEMS // 2) + "]}"
    zone = "{name: DataZone, operations: [{do: toggle_object, items: [" + half + "]}]}"
    assert codes("arenas: [{items: [" + half + "]}, {items: [" + half + "]}]\n") == []
    assert codes("arenas: [{items: [" + half + "]}, {items: [" + half + ", {name: Wall}]}]\n") == ["too-many-items"]
    assert codes("arenas: [{items: [" + half + "]}, {items: [" + zone + "]}]\n") == ["too-many-items"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("%TAG !a! b\n" * 50_000, "too-many-directives"),
        ("".join(f"%TAG !a{i}! b\r" for i in range(50_000)), "too-many-directives"),
        ("".join(f"%TAG !a{i}! b\u2028" for i in range(50_000)), "too-many-directives"),
        ("a: " * 300_000, "not-yaml"),
        ("'" + "\\" * 500_000, "not-yaml"),
        ("&a " * 100_000, "not-yaml"),
        ("!!str " * 100_000, "not-yaml"),
        ("# comment\n" * 90_000, "not-a-task"),
        ("\n" * 1_000_000, "not-a-task"),
        ("|\n" + " x\n" * 250_000, "not-a-task"),
        ("arenas: [{" + "a: 1, " * 40_000 + "}]", "more-errors"),
        ("arenas: [{items: [" + "{name: Nothing at all}, " * 9_000 + "]}]", "more-errors"),
        ("!ArenaConfig\narenas: {" + "0: !Arena {}, " * 20_000 + "}", "more-warnings"),
        ("!ArenaConfig\narenas: {" + "".join(f"-{i}: !Arena {{}}, " for i in range(1, 20_000)) + "}", "more-warnings"),
        ("arenas: [{pass_mark: " + "9" * 900_000 + "}]", "wrong-value"),
        ("arenas: [{pass_mark: " + "9" * 400 + "}]", "wrong-value"),
        ("arenas: [{items: [{name: Wall, at: [" + "9" * 400 + ", 0, 1]}]}]", "wrong-value"),
        ("arenas: [{items: [{name: Wall, rotation: -" + "9" * 400 + "}]}]", "wrong-value"),
        ("!ArenaConfig\narenas: {0: !Arena {passMark: " + "9" * 400 + "}}", "wrong-value"),
        ("arenas: [{time_limit: " + "9" * 400 + "}]", "wrong-value"),
    ],
    ids=lambda text: text[:24],
)
def test_large_nonsense_is_refused_in_few_words(text: str, code: str) -> None:
    found_codes = codes(text)
    assert code in found_codes
    assert len(found_codes) <= 402
