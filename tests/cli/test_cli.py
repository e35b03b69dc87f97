"""The command line as a user meets it: what goes to stdout, what to stderr, and the exit code."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from command import puzzlebox
from conftest import ROOT
from puzzlebox import wings
from puzzlebox.cli import doctor, main
from puzzlebox.cli.app import app
from puzzlebox.wings.gymnasium_wing import GymnasiumWing

VERBS = [command.callback.__name__ for command in app.registered_commands if command.callback]


class Tiny(GymnasiumWing):
    """A wing with two tasks, or one that is broken."""

    name = "tiny"
    broken = False

    def tasks(self) -> dict[str, dict[str, object]]:
        if self.broken:
            raise ValueError("tiny tasks with mistakes: one")
        return {"one": {}, "two": {}}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Tiny:
    wing = Tiny()
    monkeypatch.setitem(wings._WINGS, wing.name, wing)
    return wing


def test_ctrl_c_while_modules_are_imported_ends_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "puzzlebox.cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "puzzlebox.cli.app")
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


# --- help


def test_help_needs_nothing_heavy() -> None:
    """`--help` must be quick: neither the models nor arrays are imported for it, nor any wing itself."""
    code = (
        "import sys; sys.argv = ['puzzlebox', '--help']\n"
        "from puzzlebox.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('pydantic', 'numpy', 'yaml', 'sapien', 'gymnasium', 'torch', 'puzzlebox.arena.wing')\n"
        "print([module for module in heavy if module in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Check task files" in done.stdout


def test_help_groups_the_verbs() -> None:
    """Shared verbs come first, then those of wings; both kinds stand under one heading where they share it."""
    output = CliRunner(env={"COLUMNS": "100"}).invoke(app, ["--help"]).stdout
    lines = re.findall(r"^(?:╭─ (.+?) ─+╮|│ (\w+) .*│)$", output, flags=re.MULTILINE)
    headings: dict[str, list[str]] = {}
    for heading, verb in lines:
        if heading:
            verbs = headings.setdefault(heading, [])
        else:
            verbs.append(verb)
    del headings["Options"]
    assert headings == {
        "Play and run": ["play", "run", "train", "tasks"],
        "Recordings and results": ["replay", "transcript", "export", "dataset", "report", "power", "backup", "forget"],
        "Tasks of the arena": ["check", "convert", "show", "vary", "solve", "things"],
        "Other wings": ["infant", "intuitions"],
        "This installation": ["doctor", "bench"],
    }


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(verb: str) -> None:
    done = CliRunner().invoke(app, [verb, "--help"], prog_name="puzzlebox")
    assert done.exit_code == 0
    assert f"puzzlebox {verb}" in done.stdout


@pytest.mark.parametrize("verb", [[], *([verb] for verb in VERBS)])
def test_help_describes_the_values_of_options(verb: list[str]) -> None:
    """`<bool>`, `<int range>` and `<list[Path]>` are Python's words, not a reader's."""
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*verb, "--help"])
    assert done.exit_code == 0
    assert not re.findall(r"<[a-z][^>]*>", done.output)
    assert not re.findall(r"\b(INTEGER|FLOAT|BOOLEAN)\b", done.output)


@pytest.mark.parametrize("first", ["puzzlebox.arena.cli.check", "puzzlebox.cli.app", "puzzlebox.cli.words"])
def test_the_modules_can_be_imported_in_any_order(first: str) -> None:
    code = f"import {first}; from puzzlebox.cli.app import PROBLEMS, app; print(len(app.registered_commands), PROBLEMS)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == f"{len(VERBS)} []\n", done.stderr


# --- what all verbs refuse

CHOICES = {
    "show foraging -o x.png --view frist": "top, first, third, fixed; did you mean `first`?",
    "report out --subject rnu": "auto, participant, run, none; did you mean `run`?",
    "export --player Human": "human, agent; did you mean `human`?",
    "run foraging --agent random -o out --backend rya": "processes, ray; did you mean `ray`?",
    "convert foraging --to animal-ai": "puzzlebox, animalai; did you mean `animalai`?",
}


@pytest.mark.parametrize("command", CHOICES)
def test_a_word_that_is_no_choice_is_refused_with_the_nearest(command: str, tmp_path: Path) -> None:
    done = puzzlebox(*command.split(), cwd=tmp_path)
    message = " ".join(done.stderr.replace("│", " ").split())  # without the frame, in one line
    *_, option, word = command.split()
    assert done.returncode == 2 and not any(tmp_path.iterdir())
    assert f"Invalid value for '{option}': `{word}` is not one of {CHOICES[command]} ╰" in message


@pytest.mark.parametrize("command", ["run foraging --agent random", "report .", "export"])
def test_no_folder_is_written_where_a_file_is(command: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    done = puzzlebox(*command.split(), "-o", "notes.txt", cwd=tmp_path)
    assert done.returncode == 1 and (tmp_path / "notes.txt").read_text() == "mine"
    assert done.stderr == "error: notes.txt is already there and no folder\nhint: name another one with -o\n"


@pytest.mark.parametrize("command", ["run foraging --agent random -o", "report . --output", "replay last -o"])
def test_an_empty_name_of_what_is_written_is_refused(command: str, tmp_path: Path) -> None:
    done = puzzlebox(*command.split(), "", cwd=tmp_path)
    assert done.returncode == 2 and not any(tmp_path.iterdir())
    assert "it is empty; name a file or a folder" in done.stderr


# --- output


def test_version_is_printed() -> None:
    from puzzlebox import __version__

    assert puzzlebox("--version").stdout == f"puzzlebox {__version__}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_output_to_a_full_disk_is_an_error_in_one_sentence() -> None:
    command = f"{sys.executable} -m puzzlebox.cli things > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m puzzlebox.cli things --json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stderr == ""


# --- tasks, doctor and the greeting: all wings


def test_tasks_are_listed_as_table_and_data() -> None:
    from puzzlebox.arena.schema import load_task
    from puzzlebox.batteries import bundled_names

    lines = puzzlebox("tasks").stdout.splitlines()
    (row,) = [line.split() for line in lines if "Foraging under a tree" in line]
    assert row[:3] == ["foraging", "1", "arena"]
    data = json.loads(puzzlebox("tasks", "--json").stdout)
    of_arena = [task for task in data if "wing" not in task]
    assert [task["name"] for task in of_arena] == list(bundled_names())
    assert {"intuitions/preference", "intuitions/multi_agent-ii", "infant/grab-object"} <= {
        task["name"] for task in data
    }
    for each in of_arena:
        task = load_task(each["name"])
        metadata = json.loads(json.dumps(task.metadata.explicit_values()))
        assert each == {"name": each["name"], "arenas": len(task.arenas), **metadata}


def test_tasks_of_all_wings_are_listed(tiny: Tiny) -> None:
    done = CliRunner().invoke(app, ["tasks", "--json"])
    rows = [row for row in json.loads(done.stdout) if row.get("wing") == "tiny"]
    assert rows == [{"name": f"tiny/{name}", "wing": "tiny"} for name in ("one", "two")]
    listing = CliRunner().invoke(app, ["tasks"]).stdout
    assert re.search(r"^ tiny/one +1 start ", listing, flags=re.MULTILINE) and " foraging " in listing


def test_a_broken_wing_leaves_the_tasks_of_the_others(tiny: Tiny) -> None:
    tiny.broken = True
    done = CliRunner().invoke(app, ["tasks"])
    assert done.exit_code == 0 and " foraging " in done.stdout
    assert "warning: tiny tasks with mistakes: one\n" in done.stderr


def test_doctor_reports_that_everything_works() -> None:
    done = puzzlebox("doctor")
    assert (done.returncode, done.stderr) == (0, "everything the core needs is there\n")
    assert "vector instructions" in done.stdout
    assert re.search(r"wing arena +works +\d+ things, \d+ bundled tasks", done.stdout)


def test_doctor_says_how_to_mend_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    monkeypatch.setitem(sys.modules, "puzzlebox._native", None)
    monkeypatch.delattr("puzzlebox._native", raising=False)
    name, state, remark, broken = doctor._kernel()
    assert (name, state, broken) == ("native kernel", "missing", True)
    assert remark.endswith("build it with `pip install .` or `make test`")

    def refuse(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", refuse)
    rows = {name: (state, remark, broken) for name, state, remark, broken in doctor._packages()}
    assert rows["numpy"] == ("missing", "pip install numpy", True)
    assert rows["extra studio"] == ("missing", "pip install 'puzzlebox[studio]'", False)


def test_doctor_says_which_wing_is_broken(tiny: Tiny) -> None:
    assert doctor._wings()[-1] == ("wing tiny", "works", "2 bundled tasks", False)
    tiny.broken = True
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 1 and done.stderr == "error: wing tiny does not work\n"
    assert re.search(r"wing tiny +broken +tiny tasks with mistakes: one", done.stdout)


def test_a_bundled_task_with_a_mistake_breaks_the_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, *, strict: bool) -> None:
        if name == "foraging":
            raise ValueError("a mistake")

    monkeypatch.setattr("puzzlebox.arena.wing.load_task", refuse)
    with pytest.raises(ValueError, match=r"^bundled tasks with mistakes: foraging$"):
        wings.wing_named("arena").inventory()


def test_the_greeting_names_what_each_wing_holds(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**settings: object) -> None:
        raise typer.Exit(3)

    monkeypatch.setattr("puzzlebox.cli.play.open_studio", refuse)
    done = CliRunner().invoke(app, [])
    assert done.exit_code == 3
    assert re.search(
        r"^  arena: \d+ things, \d+ bundled tasks\n(  \w+: .*\n)*  tiny: 2 bundled tasks$", done.stderr, re.MULTILINE
    )
    tiny.broken = True
    assert "\n  warning: tiny tasks with mistakes: one\n" in CliRunner().invoke(app, []).stderr
