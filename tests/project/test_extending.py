"""Another package brings a thing, a sense, an agent, a verb and a wing; docs/guides/extending.md is that package."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest

from conftest import ROOT

OUTSIDE = ROOT / "tests" / "outside"
PACKAGE = OUTSIDE / "bellfounder"
TASK = OUTSIDE / "bell.yml"
PAGE = ROOT / "docs" / "guides" / "extending.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


def call(
    *command: str, installed: Path = OUTSIDE, folder: Path = OUTSIDE, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a process that finds a package as if it were installed."""
    env = {**os.environ, "PYTHONPATH": str(installed), "COLUMNS": "160"}
    return subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True, input=stdin)


def puzzlebox(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return call("-m", "puzzlebox.cli", *words, folder=folder)


# --- the page


def test_the_page_shows_the_package() -> None:
    *parts, _ = blocks("python")
    assert parts == [(PACKAGE / f"{name}.py").read_text() for name in ("things", "senses", "agents", "cli", "wing")]
    assert blocks("yaml") == [TASK.read_text()]


def test_the_page_shows_its_entry_points() -> None:
    installed = ConfigParser()
    installed.optionxform = str  # type: ignore[assignment, method-assign]
    installed.read(OUTSIDE / "bellfounder-1.0.dist-info" / "entry_points.txt")
    (text,) = blocks("toml")
    entry_points = tomllib.loads(text)["project"]["entry-points"]
    assert entry_points == {name: dict(installed[name]) for name in installed.sections()}


@pytest.mark.slow
def test_the_commands_of_the_page_run_as_pasted(tmp_path: Path) -> None:
    """They run in a folder with a copy of the task."""
    (tmp_path / TASK.name).write_text(TASK.read_text())
    commands = [shlex.split(line)[1:] for line in blocks("console")[0].splitlines()]
    things, check, run, pitches, walk, replay, film = commands
    page = puzzlebox(*things, folder=tmp_path).stdout
    assert re.search(r"pitch +the pitch of its sound in hertz, 20 to 20000 +440 +pitch", page), page
    check_process = puzzlebox(*check, folder=tmp_path)
    assert (check_process.returncode, "0 errors, 0 warnings" in check_process.stderr) == (0, True), check_process.stderr
    process = puzzlebox(*run, folder=tmp_path)
    assert process.returncode == 0, process.stderr
    episodes = (tmp_path / "results" / "episodes.csv").read_text().splitlines()
    assert len(episodes) == 3
    assert puzzlebox(*pitches, folder=tmp_path).stdout == "880\n"
    walked = puzzlebox(*walk, folder=tmp_path)
    assert walked.returncode == 0, walked.stderr
    assert re.search(r"listener +all +10 +100\.0 %", walked.stdout), walked.stdout
    replayed = puzzlebox(*replay, folder=tmp_path)
    assert replayed.returncode == 0 and re.search(r"return +0\.\d+, passed\n.* arrived \(x ", replayed.stdout)
    filmed = puzzlebox(*film, folder=tmp_path)
    assert (filmed.returncode, filmed.stderr) == (0, "wrote walk.gif\n")
    assert (tmp_path / "walk.gif").read_bytes().startswith(b"GIF8")


def test_the_verb_and_the_wing_are_listed(tmp_path: Path) -> None:
    page = puzzlebox("--help", folder=tmp_path)
    assert (page.returncode, page.stderr) == (0, "")
    assert re.search(r"╭─ Bells ─+╮\n│ pitches +Print the pitch of every bell in a task, in hertz\. +│\n╰", page.stdout)
    line = r"^ dark-corridor/long +1 start +2 +A long corridor +hearing, memory"
    assert re.search(line, puzzlebox("tasks", folder=tmp_path).stdout, re.MULTILINE)
    assert re.search(r"wing dark-corridor +works +2 bundled tasks", puzzlebox("doctor", folder=tmp_path).stdout)


def test_a_verb_of_a_package_fails_like_any_other(tmp_path: Path) -> None:
    done = puzzlebox("pitches", "no.yml", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "error: there is no file no.yml\n")


# --- what the package adds, in one process that plays all of this


ITEM = "{name: Bell, at: [20, 0, 15], size: 2, rotation: 0%s}"
SCENE = f"arenas: [{{items: [{{name: Agent, at: [20, 0, 10], rotation: 0}}, {ITEM}]}}]"
PROGRAM = """
import contextlib, io, json, sys, warnings
def main():
    said = {}
    for name, code in json.load(sys.stdin).items():
        out = io.StringIO()
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, {"__name__": "page"})
        said[name] = out.getvalue().splitlines()
    print(json.dumps(said))
main()
"""
CASES: dict[str, tuple[str, list[str]]] = {
    "its own parameter reaches the thing: as given, kept within its limits, or its default": (
        f"""
import puzzlebox
for pitch in (", pitch: 880", ", pitch: 1e9", ""):
    env = puzzlebox.make({SCENE!r} % pitch, camera=None, decision_period=1)
    env.reset(seed=0)
    print(round(max(env.step(3)[1] for _ in range(80)), 4))
""",
        ["0.0088", "0.2", "0.0044"],
    ),
    "both formats write and read it": (
        f"""
from puzzlebox.arena.schema import load_task, write
task = load_task({SCENE!r} % ", pitch: 880")
old = write(task, "animalai")
print([line.strip() for line in old.splitlines() if "pitch" in line], load_task(old) == task == load_task(write(task)))
""",
        ["['pitch: [880]'] True"],
    ),
    "a list has one value for each instance": (
        """
import puzzlebox
task = puzzlebox.load_task("arenas: [{items: [{name: Bell, at: [[5, 0, 5], [9, 0, 9]], pitch: [100, 200]}]}]")
print([item.pitch for item in task.arenas[0].items])
""",
        ["[100.0, 200.0]"],
    ),
    "the JSON Schema knows it": (
        """
from jsonschema import Draft202012Validator
from puzzlebox.arena.schema.json_schema import task_schema
validator = Draft202012Validator(task_schema())
for item in ({"pitch": 3}, {"pitch": "high"}, {"skin": "pig"}, {"name": "Wall", "pitch": 3}):
    print(validator.is_valid({"arenas": [{"items": [{"name": "Bell", **item}]}]}))
""",
        ["True", "False", "False", "False"],
    ),
    "what is wrong with it gets a sentence": (
        """
from puzzlebox.arena.schema import read
for item in ("{name: Bell, pich: 3}", "{name: Bell, pitch: high}", "{name: Wall, pitch: 3}", "{name: Bell, pitch: 1}"):
    print(read(f"arenas: [{{items: [{item}]}}]").findings[0].message)
""",
        [
            "`pich` is not a key of Bell; allowed: name, at, rotation, size, pitch, count; did you mean `pitch`?",
            "`pitch` expects a number; got `high`",
            "Wall does not take `pitch`; it takes at, rotation, size, color",
            "Bell takes `pitch` from 20 to 20000; 1 becomes 20",
        ],
    ),
    "its tag has a column and moves no other": (
        f"""
import numpy as np, puzzlebox
from puzzlebox.arena.senses.rays import TAGS
for rules in ("puzzlebox", "4.3"):
    env = puzzlebox.make({SCENE!r} % "", camera=None, rays=3, ray_degrees=180, rules=rules)
    seen, info = env.reset(seed=0)
    ahead, right, _ = seen["rays"].reshape(3, -1)
    count = len(info["ray_tags"])
    print(count, info["ray_tags"][:18] == TAGS[:count], np.flatnonzero(ahead[:-1]), np.flatnonzero(right[:-1]))
""",
        ["19 True [18] [0]", "12 True [] [0]"],
    ),
    "its sense says in a vector what it says alone": (
        f"""
import numpy as np, puzzlebox
task, chosen = {SCENE!r} % "", dict(camera=None, rays=1, compass=True, frame_stack=2)
envs = puzzlebox.make_vec(task, 3, workers=2, **chosen)
alone = [puzzlebox.make(task, **chosen) for _ in range(3)]
envs.reset(seed=5)
for index, env in enumerate(alone):
    env.reset(seed=5 + index)
rng = np.random.default_rng(0)
for _ in range(100):
    actions = rng.integers(0, 3, 3)
    together = envs.step(actions)[0]
    for index, env in enumerate(alone):
        own = env.step(actions[index])[0]
        assert all(np.array_equal(part, together[name][index]) for name, part in own.items())
print(together["compass"].shape, together["compass"].sum())
envs.close()
""",
        ["(3, 8) 6.0"],
    ),
    "wrong words about its sense get a sentence": (
        """
import puzzlebox
for asked in ({"compas": True}, {"compass": {"point": 3}}, {"compass": 3}):
    try:
        puzzlebox.make("foraging", **asked)
    except (TypeError, ValueError) as problem:
        print(problem)
""",
        [
            "got an unexpected keyword argument 'compas': there is no setting `compas`; did you mean `compass`?",
            "the sense `compass` has no option `point`; did you mean `points`?",
            "compass is 3; it must be True, or a dictionary of the options of that sense",
        ],
    ),
    "an environment is made again from its spec": (
        """
import gymnasium as gym, puzzlebox
env = puzzlebox.make("foraging", camera=None, compass={"points": 5})
again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
print(again.observation_space["compass"].shape)
""",
        ["(5,)"],
    ),
    "a class that is defined after tasks were read works, too": (
        """
import puzzlebox
from puzzlebox.arena.schema import write
from puzzlebox.arena.things import CATALOGUE, Kind, Takes
before = puzzlebox.load_task("arenas: [{items: [{name: Wall}]}]")
class Gong(CATALOGUE["Wall"]):
    "A gong."
    parameters = {"weight": Takes(1.0, "kilograms", kind=Kind.NUMBER)}
after = puzzlebox.load_task("arenas: [{items: [{name: Gong, weight: 3}]}]")
print(after.arenas[0].items[0], write(before).splitlines()[-1].strip())
""",
        ["name='Gong' weight=3.0 - {name: Wall}"],
    ),
    "the python of the page runs as pasted": (
        f"import os\nos.chdir({str(OUTSIDE)!r})\n" + blocks("python")[-1],
        ["bell [1. 0. 0. 0. 0. 0. 0. 0.]"],
    ),
}


@pytest.fixture(scope="module")
def outputs() -> dict[str, list[str]]:
    process = call("-c", PROGRAM, stdin=json.dumps({name: code for name, (code, _) in CASES.items()}))
    assert process.returncode == 0, process.stderr
    return dict(json.loads(process.stdout))


@pytest.mark.parametrize("name", CASES)
def test_everything_the_package_of_the_page_adds_can_be_used(name: str, outputs: dict[str, list[str]]) -> None:
    assert outputs[name] == CASES[name][1]


# --- a package that is broken


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Return the folder of a package whose module cannot be imported."""
    (tmp_path / "cracked.py").write_text('raise RuntimeError("no bronze\\nleft")\n')
    about = tmp_path / "cracked-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: cracked\nVersion: 1.0\n")
    groups = ("things", "senses", "agents", "verbs", "wings")
    entries = "\n".join(f"[puzzlebox.{group}]\nlost = cracked:Lost\n" for group in groups)
    (about / "entry_points.txt").write_text(entries)
    return tmp_path


def test_a_broken_package_gets_one_sentence_and_breaks_nothing(broken: Path) -> None:
    code = """
import puzzlebox
from puzzlebox.agents import agent_names
from puzzlebox.arena.studio.watched_agent import list_agents
puzzlebox.make("foraging", camera=None).reset(seed=0)
print("lost" in agent_names(), [each["description"][:38] for each in list_agents() if each["name"] == "lost"])
try:
    puzzlebox.make("foraging", lost=True)
except ImportError as problem:
    print(problem)
"""
    process = call("-c", code, installed=broken)
    sentence = "lost of the package cracked cannot be loaded: RuntimeError: no bronze left"
    assert process.stdout.splitlines() == ["True [\"the agent 'cracked:Lost' cannot be imp\"]", sentence]
    assert process.stderr == f"cracked:1: PackageWarning: {sentence}; Puzzlebox works without it\n"


def test_the_commands_work_beside_a_broken_package(broken: Path) -> None:
    lost = "lost of the package cracked cannot be loaded: RuntimeError: no bronze left; Puzzlebox works without it"
    page = call("-m", "puzzlebox.cli", "--help", installed=broken, folder=broken)
    assert (page.returncode, page.stderr) == (0, f"warning: {lost}\n")
    assert "│ run " in page.stdout
    listing = call("-m", "puzzlebox.cli", "tasks", installed=broken, folder=broken)
    assert listing.returncode == 0 and " foraging " in listing.stdout
    assert "warning: the wing 'lost' cannot be imported from cracked:Lost: no bronze left\n" in listing.stderr


ODD = """
import typer

def run(): "Run."
def chord(notes: int | str): "Play."
def peal(): "Ring all bells."
def toll(times: int = 1):
    "Ring one bell."
    print("dong " * times)

organ = typer.Typer(name="organ", help="Pipes.")
@organ.command()
def pull(): print("pulled")
@organ.command()
def push(): print("pushed")

VERBS = {"Bells": [run, chord, "peal", toll], "Pipes": [organ]}
LIST = [peal]
"""


def test_verbs_that_cannot_be_used_are_left_out_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(ODD)
    about = tmp_path / "odd-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[puzzlebox.verbs]\nodd = odd:VERBS\nother = odd:LIST\n")

    def odd(*words: str) -> subprocess.CompletedProcess[str]:
        return call("-m", "puzzlebox.cli", *words, installed=tmp_path, folder=tmp_path)

    page = odd("--help")
    assert page.returncode == 0, page.stderr
    clash, unsupported, text, listed = page.stderr.splitlines()
    end = "; Puzzlebox works without it"
    assert clash == f"warning: `run` of the package odd cannot be used: another verb has that name{end}"
    assert unsupported.startswith("warning: `chord` of the package odd cannot be used: ") and "nion" in unsupported
    assert text == f"warning: `peal` of the package odd cannot be used: it is neither a function nor a typer.Typer{end}"
    assert listed == f"warning: odd:LIST of the package odd is not a mapping from headings to verbs{end}"
    assert re.search(r"╭─ Bells ─+╮\n│ toll +Ring one bell\. +│\n╰", page.stdout)
    assert re.search(r"╭─ Pipes ─+╮\n│ organ +Pipes\. +│\n╰", page.stdout)
    assert "Let agents play tasks" in page.stdout  # our own `run`
    assert odd("toll", "--times", "2").stdout == "dong dong \n"
    assert odd("organ", "push").stdout == "pushed\n"
    wrong = odd("toll", "--times", "many")
    assert wrong.returncode == 2 and "many is not a whole number" in wrong.stderr


def test_importing_puzzlebox_imports_no_package(broken: Path) -> None:
    code = "import sys, puzzlebox\nprint({'numpy', 'gymnasium', 'pydantic', 'cracked'} & set(sys.modules))"
    process = call("-W", "error", "-c", code, installed=broken)
    assert (process.stdout, process.stderr) == ("set()\n", "")


def test_a_package_may_be_imported_before_puzzlebox() -> None:
    """Its module is still being imported when Puzzlebox finds its entry point."""
    code = "import bellfounder.things\nfrom puzzlebox.arena.things import CATALOGUE\nprint('Bell' in CATALOGUE)"
    process = call("-W", "error", "-c", code)
    assert (process.stdout, process.stderr) == ("True\n", "")
