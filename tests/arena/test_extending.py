"""A package of somebody else's brings a thing, a sense and an agent; docs/guides/extending.md is that package."""

import json
import os
import re
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
    *command: str, installed: Path = OUTSIDE, folder: Path = OUTSIDE, given: str = ""
) -> subprocess.CompletedProcess[str]:
    """A process that finds a package as if it were installed."""
    env = {**os.environ, "PYTHONPATH": str(installed), "COLUMNS": "160"}
    return subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True, input=given)


def puzzlebox(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return call("-m", "puzzlebox.cli", *words, folder=folder)


# --- the page


def test_the_page_shows_the_package() -> None:
    *parts, _ = blocks("python")
    assert parts == [(PACKAGE / f"{name}.py").read_text() for name in ("things", "senses", "agents")]
    assert blocks("yaml") == [TASK.read_text()]


def test_the_page_shows_its_entry_points() -> None:
    installed = ConfigParser()
    installed.optionxform = str  # type: ignore[assignment, method-assign]
    installed.read(OUTSIDE / "bellfounder-1.0.dist-info" / "entry_points.txt")
    (text,) = blocks("toml")
    shown = tomllib.loads(text)["project"]["entry-points"]
    assert shown == {name: dict(installed[name]) for name in installed.sections()}


def test_the_commands_of_the_page_run_as_pasted(tmp_path: Path) -> None:
    """In a folder with a copy of the task, where the run is written."""
    (tmp_path / TASK.name).write_text(TASK.read_text())
    things, check, run = (line.replace('"', "").split()[1:] for line in blocks("console")[0].splitlines())
    page = puzzlebox(*things, folder=tmp_path).stdout
    assert re.search(r"pitch +the pitch of its sound in hertz, 20 to 20000 +440 +pitch", page), page
    checked = puzzlebox(*check, folder=tmp_path)
    assert (checked.returncode, "0 errors, 0 warnings" in checked.stderr) == (0, True), checked.stderr
    done = puzzlebox(*run, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    episodes = (tmp_path / "results" / "episodes.csv").read_text().splitlines()
    assert len(episodes) == 3


# --- what the package brings, in one process that plays all of this


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
DONE: dict[str, tuple[str, list[str]]] = {
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
def said() -> dict[str, list[str]]:
    done = call("-c", PROGRAM, given=json.dumps({name: code for name, (code, _) in DONE.items()}))
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("name", DONE)
def test_what_the_package_brings(name: str, said: dict[str, list[str]]) -> None:
    assert said[name] == DONE[name][1]


# --- a package that is broken


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A package whose module cannot be imported."""
    (tmp_path / "cracked.py").write_text('raise RuntimeError("no bronze\\nleft")\n')
    about = tmp_path / "cracked-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: cracked\nVersion: 1.0\n")
    entries = "\n".join(f"[puzzlebox.{group}]\nlost = cracked:Lost\n" for group in ("things", "senses", "agents"))
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
    done = call("-c", code, installed=broken)
    sentence = "lost of the package cracked cannot be loaded: RuntimeError: no bronze left"
    assert done.stdout.splitlines() == ["True [\"the agent 'cracked:Lost' cannot be imp\"]", sentence]
    assert done.stderr == f"cracked:1: PackageWarning: {sentence}; Puzzlebox works without it\n"


def test_importing_puzzlebox_imports_no_package(broken: Path) -> None:
    code = "import sys, puzzlebox\nprint({'numpy', 'gymnasium', 'pydantic', 'cracked'} & set(sys.modules))"
    done = call("-W", "error", "-c", code, installed=broken)
    assert (done.stdout, done.stderr) == ("set()\n", "")


def test_a_package_may_be_imported_before_puzzlebox() -> None:
    """Its module then is in the middle of its import when Puzzlebox finds its entry point."""
    code = "import bellfounder.things\nfrom puzzlebox.arena.things import CATALOGUE\nprint('Bell' in CATALOGUE)"
    done = call("-W", "error", "-c", code)
    assert (done.stdout, done.stderr) == ("True\n", "")
