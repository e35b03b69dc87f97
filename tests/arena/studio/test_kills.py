"""A studio that is killed again and again while people play: every episode is resumed, and every stored action is true.

`PUZZLEBOX_KILLS` says how many kills the slow test makes (200 by default), `PUZZLEBOX_KILLS_SEED` at which moments.
"""

import asyncio
import os
import random
import signal
import time
from pathlib import Path

import pytest

from puzzlebox.record import Store
from scripted_page import ScriptedPage
from scripted_studio import TWO_SHORT_ARENAS, compare, start_studio
from studio_page import TIMEOUT_SECONDS, free_port, run_async

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")


async def _kill(process: asyncio.subprocess.Process) -> None:
    process.send_signal(signal.SIGKILL)
    await process.wait()


async def kills(folder: Path, count: int, seed: int, players: int = 6) -> tuple[list[ScriptedPage], int]:
    """Kill a studio `count` times while pages play; return the pages, and how many kills came soon after another."""
    task, data, port = folder / "two.yml", folder / "r.sqlite", free_port()
    task.write_text(TWO_SHORT_ARENAS)
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
    process = await start_studio(port, data, task)
    for _ in range(count):
        # Every second kill comes while the pages reconnect after the one before, or just after.
        await asyncio.sleep(moments.uniform(0.0, 0.6) if soon else moments.uniform(0.5, 5.0))
        doubles += soon
        await _kill(process)
        soon = not soon
        process = await start_studio(port, data, task)
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


def test_nothing_acknowledged_is_lost_in_two_kills(tmp_path: Path) -> None:
    pages, doubles = run_async(lambda: kills(tmp_path, 2, seed=1, players=2), 600.0)
    assert doubles == 1
    assert compare(Store(tmp_path / "r.sqlite"), pages)["resumed"] >= 2


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_in_two_hundred_kills(tmp_path: Path) -> None:
    count, seed = (
        int(os.environ.get(f"PUZZLEBOX_KILLS{name}", default)) for name, default in (("", 200), ("_SEED", 7))
    )
    pages, doubles = run_async(lambda: kills(tmp_path, count, seed), 7200.0)
    figures = compare(Store(tmp_path / "r.sqlite"), pages)
    print(f"\n{count} kills, {doubles} of them soon after another: {dict(figures)}")
    assert figures["resumed"] >= count
