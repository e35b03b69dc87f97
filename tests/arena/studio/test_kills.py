"""A studio that is killed again and again while people play: every episode is resumed, and every stored action is true.

`PUZZLEBOX_KILLS` says how many kills the slow test makes (200 by default), `PUZZLEBOX_KILLS_SEED` at which moments.
"""

import asyncio
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from puzzlebox.arena.world import World
from puzzlebox.record import Store
from scripted_page import Log, ScriptedPage
from studio_page import FOOD_TWICE, TIMEOUT_SECONDS, free_port, run_async

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")

# Two arenas of six seconds each: kills also meet beginnings and ends.
TASK = FOOD_TWICE.replace("time_limit: 100", "time_limit: 60").replace("at: [20, 0, 18]", "at: [20, 0, 38]")


async def _start(port: int, data: Path, task: Path) -> asyncio.subprocess.Process:
    command = (sys.executable, "-m", "puzzlebox.cli", "play", str(task), "--no-browser", "--port", str(port))
    process = await asyncio.create_subprocess_exec(
        *command, "--data", str(data), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 2 * TIMEOUT_SECONDS), "the studio did not start"
    return process


async def _kill(process: asyncio.subprocess.Process) -> None:
    process.send_signal(signal.SIGKILL)
    await process.wait()


async def kills(folder: Path, count: int, seed: int, players: int = 6) -> tuple[list[ScriptedPage], int]:
    """Kill a studio `count` times while pages play; return the pages, and how many kills came soon after another."""
    task, data, port = folder / "two.yml", folder / "r.sqlite", free_port()
    task.write_text(TASK)
    moments, doubles = random.Random(seed), 0
    wanted = {"task": "file:two"}
    pages = [
        ScriptedPage(port, number, **wanted, **({"participant": f"P{number}"} if number % 2 else {}))
        for number in range(players)
    ]
    for page in pages[:4]:
        page.leaves = 0.02
    playing = [asyncio.create_task(page.play()) for page in pages]
    soon = False
    process = await _start(port, data, task)
    for _ in range(count):
        # Every second kill comes while the pages reconnect after the one before, or just after.
        await asyncio.sleep(moments.uniform(0.0, 0.6) if soon else moments.uniform(0.5, 5.0))
        doubles += soon
        await _kill(process)
        soon = not soon
        process = await _start(port, data, task)
    # All pages reconnect and continue.
    before = [page.frames for page in pages]
    end = time.monotonic() + TIMEOUT_SECONDS
    while any(page.frames < frames + 50 for page, frames in zip(pages, before, strict=True)):
        assert time.monotonic() < end, [(page.ledger.episode, page.errors[-3:]) for page in pages]
        assert not any(task.done() for task in playing), [task for task in playing if task.done()]
        await asyncio.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert await process.wait() == 0
    for page, task in zip(pages, playing, strict=True):
        page.leaving = True
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    return pages, doubles


def compare(store: Store, pages: Sequence[ScriptedPage]) -> Counter[str]:
    """Compare the logs of the pages with the store; return counts."""
    figures: Counter[str] = Counter()
    logs: dict[str, Log] = {}
    for page in pages:
        assert page.notes == [] and page.errors == [] and page.wrong_keys == []
        figures["resumed"] += page.resumed
        logs |= {episode: log for episode, log in page.logs.items() if log.actions or log.acknowledged >= 0}
    newest = {list(page.logs)[-1] for page in pages}
    for episode, log in logs.items():
        assert (log.contradicted, log.cut) == ([], []), (episode, log)
        stored, columns = store.episode(episode), store.steps(episode)
        # No step is lost or doubled, and each has the action that was taken.
        assert columns["step"] == list(range(len(columns["step"]))), episode
        actions = [int(text) for text in columns["actions"][1:]]
        assert len(actions) >= max(log.acknowledged, max(log.actions, default=0)), (episode, log.acknowledged)
        wrong = {step: action for step, action in log.actions.items() if actions[step - 1] != action}
        assert wrong == {}, (episode, wrong)
        world = World.replay(store.record(episode))
        assert world.animals[0].total == columns["total"][-1], episode
        # Every episode that is not being played has come to its end.
        assert stored.finished or episode in newest, (episode, stored)
        assert log.ended is None or stored.ended_by == log.ended
        kinds = [event["kind"] for event in store.events(episode)]
        assert (kinds.count("started"), kinds.count("ended")) == (1, int(world.over)), (episode, kinds)
        figures.update(episodes=1, steps=len(actions), seen=len(log.actions), acknowledged=max(0, log.acknowledged))
    # There is no other episode, unless one began when the studio was stopped at the end.
    assert set(logs) <= {episode.id for episode in store.episodes()} <= set(logs) | newest
    return figures


def test_nothing_acknowledged_is_lost_in_three_kills(tmp_path: Path) -> None:
    pages, _ = run_async(lambda: kills(tmp_path, 3, seed=1, players=4), 600.0)
    assert compare(Store(tmp_path / "r.sqlite"), pages)["resumed"] >= 4


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_in_two_hundred_kills(tmp_path: Path) -> None:
    count, seed = (
        int(os.environ.get(f"PUZZLEBOX_KILLS{name}", default)) for name, default in (("", 200), ("_SEED", 7))
    )
    pages, doubles = run_async(lambda: kills(tmp_path, count, seed), 7200.0)
    figures = compare(Store(tmp_path / "r.sqlite"), pages)
    print(f"\n{count} kills, {doubles} of them soon after another: {dict(figures)}")
    assert figures["resumed"] >= count
