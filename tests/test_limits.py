"""Hostile text is refused before anything is built from it. How quickly is for `benchmarks/` to say."""

import pytest

from puzzlebox.schema import read
from puzzlebox.schema.tree import MAX_DEPTH, MAX_ITEMS, MAX_NODES


def codes(text: str) -> list[str]:
    return [finding.code for finding in read(text).findings]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[{a: "])
def test_deep_nesting_never_reaches_the_c_composer(opening: str) -> None:
    """400 kB of `[` end the process when PyYAML composes them."""
    assert codes(opening * (400_000 // len(opening))) == ["too-deep"]


def test_nesting_up_to_the_limit_is_read() -> None:
    def nested(depth: int) -> str:
        return "metadata: {deep: " + "[" * depth + "]" * depth + "}\narenas: [{}]\n"

    assert codes(nested(MAX_DEPTH - 2)) == []
    assert codes(nested(MAX_DEPTH - 1)) == ["too-deep"]


def test_aliases_count_as_often_as_they_are_used() -> None:
    def used(times: int) -> str:
        return "metadata:\n  ten: &ten [" + "1, " * 10 + "]\n  all: [" + "*ten, " * times + "]\narenas: [{}]\n"

    fits = (MAX_NODES - 30) // 11
    assert codes(used(fits)) == []
    assert codes(used(fits + 3)) == ["too-many-nodes"]


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
    "text",
    [
        "%TAG !a! b\n" * 50_000,
        "".join(f"%TAG !a{i}! b\n" for i in range(50_000)),
        "a: " * 300_000,
        "'" + "\\" * 500_000,
        "&a " * 100_000,
        "!!str " * 100_000,
        "# comment\n" * 90_000,
        "\n" * 1_000_000,
        "|\n" + " x\n" * 250_000,
        "arenas: [{" + "a: 1, " * 40_000 + "}]",
        "arenas: [{items: [" + "{name: Nothing at all}, " * 9_000 + "]}]",
        "!ArenaConfig\narenas: {" + "0: !Arena {}, " * 20_000 + "}",
    ],
    ids=lambda text: text[:24],
)
def test_large_nonsense_gives_findings_and_nothing_else(text: str) -> None:
    assert len(read(text).findings) <= 402
