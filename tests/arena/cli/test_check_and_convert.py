"""`puzzlebox check`, `convert` and `things`: what goes to stdout, what to stderr, and the exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command import puzzlebox

GOOD = "arenas:\n- items:\n  - {name: Wall, rotation: 0}\n"
BAD = "arenas:\n- items:\n  - {name: Walll, rotation: 0}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.yml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(BAD)
    (tmp_path / "doubtful.yml").write_text(GOOD.replace("rotation: 0", "size: 99"))
    return tmp_path


# --- check


def test_check_accepts_a_good_file(folder: Path) -> None:
    done = puzzlebox("check", "good.yml", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "1 file, 0 errors, 0 warnings\n")
    header, _, row = (line.split() for line in done.stdout.splitlines() if line.strip())
    assert header == ["file", "form", "arenas", "things", "errors", "warnings"]
    assert row == ["good.yml", "puzzlebox", "1", "1", "0", "0"]


def test_check_shows_carets_under_the_mistake(folder: Path) -> None:
    done = puzzlebox("check", "bad.yaml", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.startswith(
        "bad.yaml:3:12: error: `Walll` is not a thing; did you mean `Wall`?\n"
        "    3 |   - {name: Walll, rotation: 0}\n"
        "      |            ^^^^^\n"
    )
    assert done.stderr == "1 file, 1 error, 0 warnings\n"


def test_check_checks_folders_and_strictly(folder: Path) -> None:
    done = puzzlebox("check", ".", cwd=folder)
    assert done.stderr == "3 files, 1 error, 1 warning\n"
    assert puzzlebox("check", "doubtful.yml", cwd=folder).returncode == 0
    assert puzzlebox("check", "--strict", "doubtful.yml", cwd=folder).returncode == 1


def test_check_writes_json_for_programs(folder: Path) -> None:
    done = puzzlebox("check", "--json", "bad.yaml", "good.yml", cwd=folder)
    assert done.returncode == 1
    bad, good = json.loads(done.stdout)
    assert bad == {
        "file": "bad.yaml",
        "form": "puzzlebox",
        "ok": False,
        "arenas": None,
        "things": None,
        "findings": [
            {
                "severity": "error",
                "code": "unknown-thing",
                "message": "`Walll` is not a thing; did you mean `Wall`?",
                "line": 3,
                "column": 12,
                "width": 5,
            }
        ],
    }
    assert (good["ok"], good["arenas"], good["things"], good["findings"]) == (True, 1, 1, [])


def test_check_goes_on_after_a_file_that_is_not_there(folder: Path) -> None:
    done = puzzlebox("check", "nope.yml", "good.yml", "x" * 300, cwd=folder)
    assert done.returncode == 1
    assert done.stdout.startswith("nope.yml: error: there is no file nope.yml\n")
    assert done.stderr == "3 files, 2 errors, 0 warnings\n"
    data = json.loads(puzzlebox("check", "--json", "nope.yml", "good.yml", cwd=folder).stdout)
    assert [entry["ok"] for entry in data] == [False, True]


def test_check_reports_an_empty_folder_among_others(folder: Path) -> None:
    (folder / "empty").mkdir()
    done = puzzlebox("check", "--json", "good.yml", "empty", cwd=folder)
    assert done.returncode == 1
    good, empty = json.loads(done.stdout)
    assert good["ok"] and not empty["ok"]
    assert empty["findings"][0]["message"] == "there are no task files (.yml or .yaml) in this folder"


def test_check_reports_a_file_that_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from puzzlebox.arena.cli.reading import read_or_say_why

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("puzzlebox.arena.schema.read_source", refuse)
    (finding,) = read_or_say_why("good.yml").findings
    assert finding.headline("good.yml") == "good.yml: error: it cannot be read: Permission denied"


def test_check_looks_into_folders_but_not_hidden_ones(folder: Path) -> None:
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "other.yml").write_text(BAD)
    (folder / "inner").mkdir()
    (folder / "inner" / "LOUD.YML").write_text(GOOD)
    assert puzzlebox("check", ".", cwd=folder).stderr == "4 files, 1 error, 1 warning\n"


def test_check_many_files_keeps_the_table_short(tmp_path: Path) -> None:
    for number in range(45):
        (tmp_path / f"{number:02}.yml").write_text(BAD if number == 7 else GOOD)
    done = puzzlebox("check", ".", cwd=tmp_path)
    assert done.stderr == "44 more files are not in the table\n45 files, 1 error, 0 warnings\n"
    (tmp_path / "07.yml").write_text(GOOD)
    assert puzzlebox("check", ".", cwd=tmp_path).stderr == "45 files, 0 errors, 0 warnings\n"


# --- convert


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["convert", "foragin", "--to", "animalai"],
            "foragin: error: there is no file foragin and no bundled task of that name; did you mean `foraging`?\n"
            "error: foragin was not converted\n",
        ),
        (["check", ""], "error: a file name is empty\n"),
        (["things", "Walll"], "error: `Walll` is not a thing; did you mean `Wall`?\n"),
        (
            ["convert", "good.yml", "--to", "animalai", "-o", "bad.yaml"],
            "error: bad.yaml is already there\nhint: name another file with -o, or add --force to replace it\n",
        ),
        (
            ["convert", "good.yml", "--to", "animalai", "-o", "no/where.yml"],
            "error: no/where.yml cannot be written: No such file or directory\n",
        ),
        (
            ["convert", "bad.yaml", "--to", "animalai"],
            "bad.yaml:3:12: error: `Walll` is not a thing; did you mean `Wall`?\nerror: bad.yaml was not converted\n",
        ),
        (
            ["convert", "empty", "--to", "animalai"],
            "empty: error: empty is a folder; name a task file in it\nerror: empty was not converted\n",
        ),
    ],
)
def test_check_and_convert_report_impossible_requests_in_one_sentence(
    arguments: list[str], message: str, folder: Path
) -> None:
    (folder / "empty").mkdir()
    done = puzzlebox(*arguments, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)
    assert (folder / "bad.yaml").read_text() == BAD


def test_convert_there_and_back_gives_the_same_task(folder: Path) -> None:
    converted = puzzlebox("convert", "good.yml", "--to", "animalai", "-o", "theirs.yml", cwd=folder)
    assert (converted.returncode, converted.stdout, converted.stderr) == (0, "", "wrote theirs.yml\n")
    back = puzzlebox("convert", "theirs.yml", "--to", "puzzlebox", cwd=folder)
    assert back.stdout == "arenas:\n  - items:\n      - {name: Wall, rotation: 0}\n"
    forced = puzzlebox("convert", "foraging", "--to", "animalai", "-o", "theirs.yml", "--force", cwd=folder)
    assert forced.stderr == ("note: Animal-AI itself refuses a file with `metadata`\nwrote theirs.yml\n")


def test_convert_refuses_a_task_too_large_for_the_other_form(tmp_path: Path) -> None:
    (tmp_path / "large.yml").write_text(
        "arenas: [{items: [{name: Wall, size: 1, rotation: 0, color: red, count: 5000}]}]\n"
    )
    done = puzzlebox("convert", "large.yml", "--to", "animalai", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error: large.yml was not converted: the task is too large for the animalai format: "
        "the text holds more than 100000 values, aliases counted as often as they are used\n"
    )


def test_a_converted_task_goes_to_stdout_by_the_name_of_a_dash(tmp_path: Path) -> None:
    done = puzzlebox("convert", "foraging", "--to", "animalai", "-o", "-", cwd=tmp_path)
    assert done.returncode == 0 and "wrote" not in done.stderr
    assert done.stdout.startswith("!ArenaConfig") and not (tmp_path / "-").exists()


def test_consoles_with_another_encoding(folder: Path) -> None:
    (folder / "arrow.yml").write_text('metadata: {title: "\u2192"}\n' + GOOD, encoding="utf-8")
    command = [sys.executable, "-m", "puzzlebox.cli", "convert", "arrow.yml", "--to", "puzzlebox"]
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, capture_output=True, cwd=folder, check=True, env=environment)
    assert done.stdout.decode("utf-8").startswith('metadata: {title: "\u2192"}')


# --- things


def test_things_are_listed_as_table_page_and_data() -> None:
    from puzzlebox.arena.things import CATALOGUE

    table = puzzlebox("things").stdout
    assert all(f" {name} " in table for name in CATALOGUE)
    page = puzzlebox("things", "Cardbox1").stdout
    assert page.startswith("LightBlock\n\n  A box that is easy to push.\n")
    assert "older names: Cardbox1, CardBox1" in page
    data = json.loads(puzzlebox("things", "--json").stdout)
    assert [thing["name"] for thing in data] == list(CATALOGUE)
