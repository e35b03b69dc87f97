"""Twenty people play at once for ten minutes: memory, punctuality, and whether any step is lost, doubled or wrong.

`python -m benchmarks soak`; `PUZZLEBOX_SOAK_MINUTES` sets the duration. The pages are programs that keep unstored steps
as the real page does and log every message; at the end their logs are compared with the recordings.
"""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measure import Result
from benchmarks.studio import _free_port, _pace, _worked

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "helpers"))

_PLAYERS = 20
# Arenas of 20 seconds, so that many episodes end and begin.
_SECONDS_AN_ARENA = 200
# Seconds after which everybody plays, and memory is looked at for the first time.
_WARM = 30.0


def _memory(process: int) -> float:
    """Megabytes a process holds; not a number where the system does not tell."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))
    except (OSError, StopIteration):
        return float("nan")


async def _soak(folder: Path, seconds: float) -> tuple[list[Any], dict[str, Any]]:
    """Play for some seconds; return the pages and the measurements of the server."""
    from scripted_page import ScriptedPage
    from test_kills import TASK, _start

    task, port = folder / "two.yml", _free_port()
    task.write_text(TASK.replace("time_limit: 60", f"time_limit: {_SECONDS_AN_ARENA}"))
    process = await _start(port, folder / "recordings.sqlite", task)
    names = [{"participant": f"P{number}"} if number % 2 else {} for number in range(_PLAYERS)]
    pages = [ScriptedPage(port, number, task="file:two", **name) for number, name in enumerate(names)]
    playing = [asyncio.create_task(page.play()) for page in pages]
    await asyncio.sleep(min(_WARM, seconds / 4))
    before, worked, began = _memory(process.pid), _worked(process.pid), time.monotonic()
    await asyncio.sleep(seconds - min(_WARM, seconds / 4))
    assert not any(each.done() for each in playing), [each for each in playing if each.done()]
    measured = {
        "before": before,
        "after": _memory(process.pid),
        "share": (_worked(process.pid) - worked) / (time.monotonic() - began),
        "pace": await asyncio.to_thread(_pace, port),
    }
    process.send_signal(signal.SIGINT)
    await process.wait()
    for page, each in zip(pages, playing, strict=True):
        page.leaving = True
        each.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    return pages, measured


def run() -> list[Result]:
    """Play, and compare."""
    from puzzlebox.record import Store
    from test_kills import compare

    minutes = float(os.environ.get("PUZZLEBOX_SOAK_MINUTES", "10"))
    with TemporaryDirectory() as folder:
        pages, measured = asyncio.run(_soak(Path(folder), 60 * minutes))
        with Store(Path(folder) / "recordings.sqlite") as store:
            # It raises where a step is lost, doubled or not the one that was done.
            figures = compare(store, pages)
    waits = sorted(1000 * each for page in pages for each in page.latencies)
    late, everybody = measured["pace"]["late_ms"], f"{_PLAYERS} players, {minutes:g} min"
    return [
        Result(f"{everybody}: episodes", figures["episodes"], ""),
        Result(f"{everybody}: steps stored", figures["steps"], ""),
        Result(f"{everybody}: steps lost, doubled or wrong", 0, "", "0"),
        Result(f"{everybody}: connections lost", figures["resumed"], "", "0"),
        Result(f"{everybody}: key to the message that shows it, median", waits[len(waits) // 2], "ms"),
        Result(f"{everybody}: key to the message that shows it, 99 of 100", waits[int(0.99 * len(waits))], "ms"),
        Result(f"{everybody}: how late a step is, 99 of 100", late["p99"], "ms", "under 20"),
        Result(f"{everybody}: times the clock gave up on time", measured["pace"]["stalls"], ""),
        Result(f"{everybody}: memory of the server after {_WARM:g} s", measured["before"], "MB"),
        Result(f"{everybody}: memory of the server at the end", measured["after"], "MB"),
        Result(f"{everybody}: share of one core the server works", measured["share"], ""),
    ]
