"""The programs in examples/ do what they say, run as a user runs them: in a folder of one's own, from a terminal."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from conftest import ROOT

EXAMPLES = ROOT / "examples"
# What each says when it is done, and what it leaves in the folder.
ENDS = {
    "compare_agents.py": (
        r"random passed \d of 4\nheuristic passed 4 of 4\n$",
        ["out/episodes.csv", "report/report.html"],
    ),
    "look_through_its_eyes.py": (
        r"in sight: CylinderTunnel, Wall, surroundings\n(.*\n)*wrote seen.png\n$",
        ["seen.png"],
    ),
    "many_at_once.py": (r"camera: \(32, 64, 64, 3\).*\n[\d,]+ decisions a second; \d+ episodes ended\n$", []),
    "own_agent.py": (r"(seed \d: return \d\.\d+, passed: True\n){3}$", []),
    "record_and_replay.py": (r"same actions: True\n.*last bit: True\n(.*\n)*$", ["tables/steps.csv", "path.png"]),
    "search_ahead.py": (r"decisions; return 1\.\d+, passed: True\n$", []),
    "several_agents.py": (r"returns: {'agent_0': -0\.\d+, 'agent_1': 1\.\d+}\n$", []),
    "train.py": (r"mean return of the last 100 episodes: -?\d", ["food.zip"]),
    "vary_a_template.py": (r"54 variations: {'train': 43, 'test': 11}\n(.*\n)*seed 2 ", ["battery/00015.yml"]),
    "write_a_task.py": (r"return 0\.9\d+, passed: True\n$", ["corridor.yml"]),
}
# What takes long is made shorter: what stands there, and what instead.
SHORTER = {
    "compare_agents.py": {"VARIATIONS = 10": "VARIATIONS = 4"},
    "many_at_once.py": {"STEPS = 200": "STEPS = 20"},
    "train.py": {"=128, batch_size=256, n_epochs=4": "=4, batch_size=64, n_epochs=1", "learn(200_000)": "learn(64)"},
}


def test_there_are_ten_examples() -> None:
    assert sorted(path.name for path in EXAMPLES.glob("*.py")) == sorted(ENDS)
    assert len(ENDS) == 10


@pytest.mark.parametrize("name", ENDS)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    for long, short in SHORTER.get(name, {}).items():
        assert long in text
        text = text.replace(long, short)
    (tmp_path / name).write_text(text, encoding="utf-8")
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PUZZLEBOX_DATA": str(tmp_path / "data")}
    program = subprocess.run(
        [sys.executable, name], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert program.returncode == 0, program.stderr
    said, files = ENDS[name]
    assert re.search(said, program.stdout), program.stdout
    assert [file for file in files if not (tmp_path / file).is_file()] == []
