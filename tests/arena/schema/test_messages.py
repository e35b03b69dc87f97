"""Every message about a task file, in full: in `sentences.txt`, or here where a text file cannot hold the case."""

import re
from pathlib import Path

import pytest

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import read
from puzzlebox.arena.schema.diagnostics import errors
from puzzlebox.arena.schema.lines import lines_of
from puzzlebox.arena.schema.messages import ERRORS, MESSAGES, WARNINGS
from puzzlebox.arena.schema.tree import MAX_BYTES
from puzzlebox.arena.things import CATALOGUE, names
from puzzlebox.arena.things.everyday import EVERYDAY, nearest_thing
from puzzlebox.text import nearest

# Each line ten times the one before: a million values from a few hundred characters.
BOMB = "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{name}: &{name} [{','.join(['*' + before] * 10)}]\n" for before, name in zip("abcdef", "bcdefg", strict=True)
)
CASES: dict[str, tuple[str | bytes, str]] = {
    "too-large": (
        "#" * (MAX_BYTES + 1),
        "1:1: error: the text has more than 1048576 bytes, the most a task file may have",
    ),
    "too-large bytes": (
        b"#" * (MAX_BYTES + 1),
        "1:1: error: the text has more than 1048576 bytes, the most a task file may have",
    ),
    "too-many-values": (
        "arenas:\n- items:\n  - {name: DataZone, rotation: ["
        + "0, " * 600
        + "], operations: ["
        + "{do: end_episode}, " * 100
        + "]}\n",
        "3:5: error: with what its instances share counted for each, the task holds more than 100000 values",
    ),
    "too-deep": ("arenas: " + "[" * 40, "1:40: error: lists and mappings are nested more than 32 deep here"),
    "too-many-nodes": (
        BOMB,
        "5:29: error: the text holds more than 100000 values, aliases counted as often as they are used",
    ),
    "too-many-items": (
        "arenas:\n- items:\n  - {name: Wall, rotation: [" + "0," * 10_001 + "]}\n",
        "3:5: error: the task holds more than 10000 things",
    ),
    "not-text": (b"arenas: \xff\n", "1:9: error: the file is not text in UTF-8 (byte 8); save it as UTF-8"),
    "binary": (
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        "error: this is a picture (PNG), not a task file; a task file is a text, in YAML",
    ),
    "binary photo": (
        b"\xff\xd8\xff\xe0\x00\x10JFIF",
        "error: this is a picture (JPEG), not a task file; a task file is a text, in YAML",
    ),
    "binary film": (
        b"\x00\x00\x00 ftypisom",
        "error: this is a film (MP4), not a task file; a task file is a text, in YAML",
    ),
    "binary letter": (
        b"PK\x03\x04\x14\x00",
        "error: this is a ZIP, Word or Excel file, not a task file; a task file is a text, in YAML",
    ),
    "binary recordings": (
        b"SQLite format 3\x00\x10",
        "error: this is a database (SQLite), not a task file; a task file is a text, in YAML",
    ),
    "binary of any kind": (
        b"\x7fELF\x02\x01\x00\xff",
        "error: this is a binary file, not a task file; a task file is a text, in YAML",
    ),
    "not-text two bytes a letter": (
        "arenas:".encode("utf-16"),
        "1:1: error: the file is not text in UTF-8 (byte 0); save it as UTF-8",
    ),
    "bad-character": ("arenas: \x07\n", "1:9: error: the character U+0007 is not allowed in YAML"),
    "bad-character surrogate": ("arenas:\n- \ud800\n", "2:3: error: the character U+D800 is not allowed in YAML"),
    "not-yaml tab": ("arenas:\n\t- {}\n", "2:1: error: this is not valid YAML: a tab; indent with spaces"),
    "not-a-task empty": ("", "1:1: error: a task file begins with `arenas:`, a list of arenas; found nothing"),
    "not-a-task only a mark": (
        "---",
        "1:4: error: a task file begins with `arenas:`, a list of arenas; found nothing",
    ),
    "more-errors": (
        "arenas:\n- items:\n" + "  - {name: Walll}\n" * 201,
        "203:12: error: more than 200 errors; the rest are not shown",
    ),
    "more-warnings": (
        "arenas:\n- items:\n" + "  - {name: Wall, at: [99, 0, 1]}\n" * 201,
        "203:22: warning: more than 200 warnings; the rest are not shown",
    ),
}
_CASE = re.compile(r"^=== (?P<form>\w+): (?P<name>.+)\n(?P<text>(?:.*\n)*?)(?P<messages>(?:--> .*\n)+)", re.MULTILINE)
CASES_FROM_FILE = {
    match["name"] + f" ({match['form']})": match
    for match in _CASE.finditer((Path(__file__).parent / "sentences.txt").read_text() + "\n")
}


def headlines(text: str | bytes) -> list[str]:
    return [finding.headline("task.yml").removeprefix("task.yml:").lstrip() for finding in read(text).findings]


@pytest.mark.parametrize("case", CASES_FROM_FILE)
def test_each_mistake_gives_exactly_the_expected_messages(case: str) -> None:
    match = CASES_FROM_FILE[case]
    reading = read(match["text"])
    assert headlines(match["text"]) == [line.removeprefix("--> ") for line in match["messages"].splitlines()]
    assert match["name"].split()[0] in {finding.code for finding in reading.findings}
    assert reading.form == match["form"]
    assert (reading.task is None) == bool(errors(reading.findings))


@pytest.mark.parametrize("case", CASES)
def test_each_extreme_file_gives_the_expected_last_message(case: str) -> None:
    text, expected = CASES[case]
    assert headlines(text)[-1] == expected
    assert read(text).findings[-1].code == case.split()[0]


def test_every_message_has_a_case() -> None:
    codes = {match["name"].split()[0] for match in CASES_FROM_FILE.values()} | {case.split()[0] for case in CASES}
    assert codes == set(MESSAGES)


def test_warnings_in_one_form_are_errors_in_the_other() -> None:
    assert {"short-list", "overlap", "skipped-thing", "arena-again", "old-boolean", "blackouts-cut"} <= set(WARNINGS)
    assert {"unknown-thing", "duplicate-arena", "ambiguous", "blackouts-order", "duplicate-key"} <= set(ERRORS)
    assert set(WARNINGS).isdisjoint(ERRORS)


def test_strict_turns_warnings_into_errors() -> None:
    text = "arenas:\n- items:\n  - {name: Wall, at: [99, 0, 1]}\n"
    assert read(text).task is not None
    reading = read(text, strict=True)
    assert reading.task is None
    assert [finding.severity for finding in reading.findings] == ["error"]


def test_carets_stand_under_the_mistake() -> None:
    text = "arenas:\n- items:\n  - {name: Walll}\n"
    (finding,) = read(text).findings
    assert finding.picture(lines_of(text)) == "    3 |   - {name: Walll}\n      |            ^^^^^"


def test_carets_in_a_very_long_line_stay_on_the_screen() -> None:
    text = "arenas: [{items: [" + "{name: Wall}, " * 100 + "{name: Walll}]}]\n"
    (finding,) = read(text).findings
    line, carets = finding.picture(lines_of(text)).splitlines()
    assert len(line) < 140
    start = carets.index("^")
    assert line[start : start + 5] == "Walll"


def test_only_things_are_listed_by_the_catalogue() -> None:
    """A message about an unknown column or option lists the known ones."""
    columns = [f"column_{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    assert nearest("xyzzy", columns) == f"; allowed: {', '.join(columns)}"
    assert nearest("column_", columns) == "; did you mean `column_z`?"
    many = [f"{number}" for number in range(1000, 3000)]
    assert nearest("xyzzy", many).endswith("1058, 1059 and 1,940 more")
    assert nearest("xyzzy", many, "puzzlebox tasks") == "; `puzzlebox tasks` lists them"
    assert nearest_thing("xyzzy", CATALOGUE) == "; `puzzlebox things` lists them"
    with pytest.raises(ValueError, match=r"no field 'xyzzy'; allowed: decision_period, .*ray_tags"):
        Rules.named({"xyzzy": 1})


def test_everyday_words_are_refused_with_the_name_of_a_thing() -> None:
    assert set(EVERYDAY.values()) <= set(CATALOGUE)
    assert not set(EVERYDAY) & {name.lower() for name in names()}
    assert nearest_thing("Foods", CATALOGUE) == "; did you mean `GoodGoal`?"
    assert read("arenas:\n- items:\n  - {name: food}\n").task is None
