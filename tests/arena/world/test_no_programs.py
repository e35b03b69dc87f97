"""Importing Puzzlebox, making an environment and stepping it starts no program."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

_ALONE = """
import sys
started = []
names = ("os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "subprocess.Popen")
sys.addaudithook(lambda event, args: started.append((event, args)) if event in names else None)
import puzzlebox
env = puzzlebox.make("foraging")
env.reset(seed=0)
for _ in range(20):
    env.step(3)
env.close()
print(started)
"""

_BOTH = """
from puzzlebox.arena.world import engine
import sapien
from sapien import physx
assert engine.sapien.Pose is sapien.Pose and engine.physx.PhysxCpuSystem is physx.PhysxCpuSystem
from puzzlebox import World, load_task
print(World(load_task("foraging")).step([3]).rewards)
"""


def _run(program: str, folder: Path) -> str:
    """Return what a fresh interpreter prints with a program of ours in the place of the driver's tool."""
    for name in ("nvidia-smi", "vulkaninfo", "lspci"):
        tool = folder / name
        tool.write_text(f"#!/bin/sh\necho {name} >> {folder}/called\nexit 0\n")
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    around = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=around, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_an_episode_starts_no_program(tmp_path: Path) -> None:
    assert _run(_ALONE, tmp_path) == "[]"
    assert not (tmp_path / "called").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_sapien_can_be_imported_beside_puzzlebox(tmp_path: Path) -> None:
    assert _run(_BOTH, tmp_path).startswith("(")
    assert _run("import sapien\n" + _BOTH, tmp_path).startswith("(")
