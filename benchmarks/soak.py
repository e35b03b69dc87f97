"""Let twenty participants play at once for ten minutes: memory, lateness, and steps lost, doubled or wrong.

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
from benchmarks.studio import _free_port, _pace, _work_seconds
from puzzlebox.record import Store

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "helpers"))
from scripted_page import ScriptedPage
from scripted_studio import TWO_SHORT_ARENAS, compare, start_studio

_PARTICIPANTS = 20
# Arenas of 20 seconds (in tenths), so that many episodes end and begin.
_TIME_LIMIT = 200
# Seconds after which all participants play, and memory is measured for the first time.
_WARM = 30.0


def _memory(process: int) -> float:
    """Return the memory of a process in megabytes; NaN where the system does not report it."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))
    except (OSError, StopIteration):
        return float("nan")


async def _soak(folder: Path, seconds: float) -> tuple[list[ScriptedPage], dict[str, Any]]:
    """Play for some seconds; return the pages and the measurements of the server."""
    task, port = folder / "two.yml", _free_port()
    task.write_text(TWO_SHORT_ARENAS.replace("time_limit: 60", f"time_limit: {_TIME_LIMIT}"))
    process = await start_studio(port, folder / "recordings.sqlite", task)
    names = [{"participant": f"P{number}"} if number % 2 else {} for number in range(_PARTICIPANTS)]
    pages = [ScriptedPage(port, number, task="file:two", **name) for number, name in enumerate(names)]
    plays = [asyncio.create_task(page.play()) for page in pages]
    await asyncio.sleep(min(_WARM, seconds / 4))
    memory_before, work_before, start = _memory(process.pid), _work_seconds(process.pid), time.monotonic()
    await asyncio.sleep(seconds - min(_WARM, seconds / 4))
    assert not any(each.done() for each in plays), [each for each in plays if each.done()]
    server_figures = {
        "before": memory_before,
        "after": _memory(process.pid),
        "share": (_work_seconds(process.pid) - work_before) / (time.monotonic() - start),
        "pace": await asyncio.to_thread(_pace, port),
    }
    process.send_signal(signal.SIGINT)
    await process.wait()
    for page, each in zip(pages, plays, strict=True):
        page.leaving = True
        each.cancel()
    await asyncio.gather(*plays, return_exceptions=True)
    return pages, server_figures


def run() -> list[Result]:
    """Play, and compare the logs of the pages with the recordings."""
    minutes = float(os.environ.get("PUZZLEBOX_SOAK_MINUTES", "10"))
    with TemporaryDirectory() as folder:
        pages, server_figures = asyncio.run(_soak(Path(folder), 60 * minutes))
        with Store(Path(folder) / "recordings.sqlite") as store:
            # Raises where a step is lost, doubled or wrong.
            figures = compare(store, pages)
    waits = sorted(1000 * each for page in pages for each in page.latencies)
    late, crowd = server_figures["pace"]["late_ms"], f"{_PARTICIPANTS} participants, {minutes:g} min"
    return [
        Result(f"{crowd}: episodes", figures["episodes"], ""),
        Result(f"{crowd}: steps stored", figures["steps"], ""),
        Result(f"{crowd}: steps lost, doubled or wrong", 0, "", "0"),
        Result(f"{crowd}: connections lost", figures["resumed"], "", "0"),
        Result(f"{crowd}: key to the message that shows it, median", waits[len(waits) // 2], "ms"),
        Result(f"{crowd}: key to the message that shows it, 99 of 100", waits[int(0.99 * len(waits))], "ms"),
        Result(f"{crowd}: how late a step is, 99 of 100", late["p99"], "ms", "under 20"),
        Result(f"{crowd}: times the clock gave up on time", server_figures["pace"]["stalls"], ""),
        Result(f"{crowd}: memory of the server after {_WARM:g} s", server_figures["before"], "MB"),
        Result(f"{crowd}: memory of the server at the end", server_figures["after"], "MB"),
        Result(f"{crowd}: share of one core the server works", server_figures["share"], ""),
    ]
