"""Runs that are killed lose no episode and play none twice; a Ray cluster gives the same rows."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from episodes import rows_of
from puzzlebox.arena.world import World
from puzzlebox.run.journal import JOURNAL, trajectories, trajectory
from puzzlebox.run.runs import run
from puzzlebox.run.schedule import slots
from puzzlebox.run.tasks import find_tasks

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are watched through /proc")
TINY = "arenas: [{time_limit: 10, items: [{name: Agent}, {name: GoodGoal}, {name: Wall}]}]\n"
# So many for each kill that a run is not complete before the last one, also on a busy machine.
EPISODES_FOR_A_KILL = 40
# Imports once, then forks a run for each line it reads, before any engine exists, and prints the process id.
SERVER = """
import os, sys
from pathlib import Path
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks
import puzzlebox.arena.envs.arena
for line in sys.stdin:
    child = os.fork()
    if not child:
        run(find_tasks([sys.argv[1]]), ["random"], Path(sys.argv[2]), episodes=int(sys.argv[3]), workers=1)
        os._exit(0)
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(status, flush=True)
"""


@pytest.mark.parametrize("kills", [8, pytest.param(20, marks=pytest.mark.slow)])
def test_a_run_killed_at_random_moments_is_resumed_without_loss(kills: int, tmp_path: Path) -> None:
    episodes = EPISODES_FOR_A_KILL * kills
    task = tmp_path / "tiny.yml"
    task.write_text(TINY)
    subjects = find_tasks([str(task)])
    whole = run(subjects, ["random"], tmp_path / "whole" / "run", episodes=episodes, workers=1)
    out = tmp_path / "killed" / "run"
    journal = out / JOURNAL
    rng = random.Random(7)
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(task), str(out), str(episodes)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None and server.stdout is not None
    with server, server.stdin as orders, server.stdout as answers:
        ends, reached = [], []
        for _ in range(kills):
            start = journal.stat().st_size if journal.exists() else 0
            orders.write("go\n")
            orders.flush()
            child = int(answers.readline())
            # Killed at once or after a few episodes, always within an episode.
            more = rng.choice([0, 1, 1500, 4000])
            while more and _size(journal) < start + more and _alive(child):
                time.sleep(0.0005)
            time.sleep(rng.random() * 0.01)
            os.kill(child, signal.SIGKILL)
            ends.append(int(answers.readline()))
            reached.append(_size(journal))
    assert ends == [signal.SIGKILL] * kills
    assert reached[-1] > 0
    done = run(subjects, ["random"], out, episodes=episodes, workers=1)
    assert 0 < done.played < episodes
    assert rows_of(done.episodes) == rows_of(whole.episodes)
    assert (out / "episodes.csv").read_bytes() == (tmp_path / "whole" / "run" / "episodes.csv").read_bytes()
    lines = [json.loads(line)["row"]["repetition"] for line in journal.read_text().splitlines()]
    assert sorted(lines) == list(range(episodes))
    names = [name for name, _ in trajectories(out)]
    assert sorted(names) == sorted(slot.name for slot in slots(subjects, ["random"], episodes))
    for row in rows_of(done.episodes)[::40]:
        assert World.replay(trajectory(f"{out}/{row['trajectory']}")).animals[0].total == row["return"]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def test_workers_end_when_the_run_is_killed(tmp_path: Path) -> None:
    task, out = tmp_path / "tiny.yml", tmp_path / "run"
    task.write_text(TINY)
    program = (
        "import sys; from pathlib import Path\n"
        "from puzzlebox.run.runs import run\n"
        "from puzzlebox.run.tasks import find_tasks\n"
        "run(find_tasks([sys.argv[1]]), ['random'], Path(sys.argv[2]), episodes=100000, workers=2)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(task), str(out)])
    while _size(out / JOURNAL) < 2000:
        assert process.poll() is None
        time.sleep(0.01)
    workers = _children(process.pid)
    assert len(workers) >= 2
    # While it runs, no other command can write to the folder.
    with pytest.raises(BlockingIOError, match="another command is writing"):
        run(find_tasks([str(task)]), ["random"], out, episodes=100000)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 30
    while any(_alive(worker) for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what Ray itself warns of
def test_ray_gives_the_same_rows(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    task = tmp_path / "tiny.yml"
    task.write_text(TINY)
    subjects = find_tasks([str(task), "foraging"])
    here = run(subjects, ["random"], tmp_path / "here" / "run", episodes=3, workers=1)
    on_cluster = run(subjects, ["random"], tmp_path / "there" / "run", episodes=3, workers=2, backend="ray")
    assert rows_of(on_cluster.episodes) == rows_of(here.episodes)
    csvs = [(tmp_path / place / "run" / "episodes.csv").read_bytes() for place in ("here", "there")]
    assert csvs[0] == csvs[1]
