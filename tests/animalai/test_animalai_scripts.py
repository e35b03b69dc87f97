"""Whole scripts as people wrote them for Animal-AI 3.x and 4.x run here, with changed imports and nothing else."""

import re
import sys
from pathlib import Path

import pytest

from test_animalai import FOOD

SCRIPTS = Path(__file__).with_name("scripts")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("random_agent", "2 episodes"),
        ("braitenberg", "found it"),
        ("train_sb3", r"(77,) Discrete(9)"),
        ("frame_by_frame", "(84, 84, 3) uint8 1"),
    ],
)
def test_a_script_runs_with_only_its_imports_changed(
    name: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = tmp_path / "food.yml"
    task.write_text(FOOD)
    theirs = (SCRIPTS / f"{name}.py").read_text()
    ours = re.sub(r"^from (animalai|mlagents_envs|gym_unity)\b", "from puzzlebox.animalai", theirs, flags=re.M)
    assert ours != theirs
    monkeypatch.setattr(sys, "argv", [f"{name}.py", str(task)])
    exec(compile(ours, f"{name}.py", "exec"), {"__name__": "__main__"})
    out = capsys.readouterr().out.splitlines()
    assert out[-1] == says
    if name == "braitenberg":
        assert [line.split(":")[0] for line in out[:-1]] == ["ARENA", "GOODGOAL", "DATAZONE"]
