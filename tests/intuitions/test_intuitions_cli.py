"""`puzzlebox intuitions`: generate, audit and show, as a person uses them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from command import puzzlebox


@pytest.fixture(scope="module")
def stimuli(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "stimuli"
    arguments = ("--task", "preference", "--episodes", "2", "--seed", "3", "--json-only", "--workers", "1")
    done = puzzlebox("intuitions", "generate", *arguments, "-o", str(folder))
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"wrote 2 episodes to {folder}; `puzzlebox intuitions audit {folder}` checks them\n"
    return folder


def test_generate_lists_the_tasks() -> None:
    done = puzzlebox("intuitions", "generate")
    assert done.returncode == 0
    assert "Does the agent want an object, or does it go to a place?" in done.stdout
    assert "background/instrumental_action" in done.stdout


def test_audit_prints_tables(stimuli: Path) -> None:
    done = puzzlebox("intuitions", "audit", str(stimuli), "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "BROKEN" not in done.stdout
    assert "the nearer object is chosen in 50.0 % of 18 trials" in done.stdout
    assert "same location" in done.stdout
    data = json.loads(puzzlebox("intuitions", "audit", str(stimuli), "--json", "--workers", "1").stdout)
    assert data["episodes"] == 2


def test_show_writes_a_sheet_of_a_generated_and_of_a_read_pair(stimuli: Path, tmp_path: Path) -> None:
    size = ("--size", "40")
    arguments = ("--number", "1", "--seed", "3", *size)
    one = puzzlebox("intuitions", "show", "preference", *arguments, "-o", "one.png", cwd=tmp_path)
    assert one.returncode == 0 and one.stderr == "wrote one.png: preference, episode 1\n"
    two = puzzlebox("intuitions", "show", str(stimuli), "--number", "1", *size, "-o", "two.png", cwd=tmp_path)
    assert two.returncode == 0
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


@pytest.mark.parametrize("name", ["pair.gif", "pair.mp4"])
def test_show_writes_films(name: str, tmp_path: Path) -> None:
    arguments = ("--test-only", "--size", "40", "--three-d", "-o", name)
    done = puzzlebox("intuitions", "show", "multi_agent", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "wrote " in done.stderr and ", pair type i" in done.stderr
    start = (tmp_path / name).read_bytes()[:8]
    assert start[:4] == b"GIF8" or start[4:] == b"ftyp"
    assert list(tmp_path.iterdir()) == [tmp_path / name]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("generate", "--task", "preferences", "-o", "x"),
            "there is no task 'preferences'; did you mean `preference`?",
        ),
        (("generate", "--task", "preference"), "there is no folder to write to"),
        (("generate", "--task", "preference", "-o", "x", "--json-only", "--three-d"), "--json-only writes no films"),
        (("generate", "--task", "background", "--shapes", "new", "-o", "x"), "has familiar shapes only"),
        (("audit", "nowhere"), "there is no folder nowhere"),
        (("show", "preference", "-o", "pair.txt"), "pair.txt is neither a picture nor a film; its name must end in"),
        (("show", "nothing"), "there is neither a task nor a folder 'nothing'"),
    ],
)
def test_mistakes_get_one_sentence(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    done = puzzlebox("intuitions", *arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ") and sentence in done.stderr
    assert done.stdout == ""


def test_damage_is_named_and_keep_going_checks_the_rest(stimuli: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "stimuli"
    shutil.copytree(stimuli, copy)
    (copy / "preference" / "000000lou.json").unlink()
    done = puzzlebox("intuitions", "audit", str(copy))
    assert done.returncode == 1 and "000000lou.json is missing" in done.stderr and "--keep-going" in done.stderr
    done = puzzlebox("intuitions", "audit", str(copy), "--keep-going", "--workers", "1")
    assert done.returncode == 1 and "Constraints" in done.stdout and "warning: " in done.stderr
    done = puzzlebox("intuitions", "show", str(copy), "--number", "0")
    assert "has no complete episode 0; there is only number 1" in done.stderr


def test_a_file_that_is_no_picture_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "pair.png").write_text("my notes")
    done = puzzlebox("intuitions", "show", "preference", cwd=tmp_path)
    assert done.returncode == 1 and "is already there and is neither a picture nor a film" in done.stderr


def test_help_of_the_wing_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['puzzlebox', 'intuitions', 'generate', '--help']\n"
        "from puzzlebox.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([module for module in ('numpy', 'av', 'puzzlebox.intuitions.episodes') if module in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
