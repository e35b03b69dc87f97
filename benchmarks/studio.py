"""Measure the studio: from a key to the message that shows it, and twenty participants on two cores.

`python -m benchmarks.studio 100` measures with another number of participants. The server is the real one, in a process
of its own; this process plays all participants.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.measure import Result

_PRESSES, _PARTICIPANTS, _SECONDS = 120, 20, 20.0
_START = json.dumps({"type": "start", "task": "foraging", "seed": 1})
# An episode that is shown waits for its participant to begin.
_BEGIN = json.dumps({"type": "begin"})
_PEER = "an empty clock meanwhile"
_EMPTY_CLOCK = """
import asyncio, json, sys, time
async def main():
    late, due = [], time.monotonic()
    for _ in range(int(float(sys.argv[1]) * 50)):
        due += 0.02
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        late.append(1000 * (time.monotonic() - due))
        due = max(due, time.monotonic() - 0.06)
    late.sort()
    print(json.dumps({"p50": late[len(late) // 2], "p99": late[int(0.99 * len(late))], "most": late[-1]}))
asyncio.run(main())
"""
# Offsets of a frame (docs/reference/studio-protocol.md): its kind, and the number of the keys message that counted.
_FRAME, _KEY = 2, slice(8, 12)


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def studio_server(participants: int = _PARTICIPANTS) -> Iterator[tuple[int, int]]:
    """Start a studio; yield its port and its process."""
    port = _free_port()
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "puzzlebox.cli", "play", "--no-browser", "--port", str(port)]
        with subprocess.Popen(
            [*command, "--players", str(participants), "--data", str(Path(folder) / "recordings.sqlite")],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                yield port, process.pid
            finally:
                process.terminate()


def _pace(port: int) -> dict[str, Any]:
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/api/pace")
    answer: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def _connect(port: int, stack: ExitStack) -> Any:
    from websockets.sync.client import connect

    page = stack.enter_context(
        connect(f"ws://127.0.0.1:{port}/ws", origin=f"http://127.0.0.1:{port}", compression=None)  # type: ignore[arg-type]
    )
    page.send(_START)
    while not _is_frame(page.recv()):
        pass
    page.send(_BEGIN)
    return page


def _is_frame(message: str | bytes) -> bool:
    return isinstance(message, bytes) and message[0] == _FRAME


def _latencies(port: int) -> list[float]:
    """Return milliseconds from a key to the frame in which it counted, at random moments."""
    rng, latencies = np.random.default_rng(0), []
    with ExitStack() as stack:
        page = _connect(port, stack)
        end = time.perf_counter() + 1.0
        while time.perf_counter() < end:
            page.recv()
        for key in range(1, _PRESSES + 1):
            wait = time.perf_counter() + 0.03 + float(rng.uniform(0, 0.02))
            while time.perf_counter() < wait:
                try:
                    page.recv(max(0.0, wait - time.perf_counter()))
                except TimeoutError:
                    break
            press_time = time.perf_counter()
            page.send(json.dumps({"type": "keys", "key": key, "action": key % 9}))
            while True:
                data = page.recv()
                if _is_frame(data) and int.from_bytes(data[_KEY], "little") == key:
                    break
            latencies.append(1000 * (time.perf_counter() - press_time))
    return latencies


async def _play(port: int, number: int, seconds: float) -> tuple[float, float]:
    """Play with five changes of keys a second; return bytes per second, and frames per second."""
    from websockets.asyncio.client import connect

    rng, size, frames, key = np.random.default_rng(number), 0, 0, 0
    address = f"127.0.0.1:{port}"
    async with connect(f"ws://{address}/ws", origin=f"http://{address}", compression=None) as page:  # type: ignore[arg-type]
        await page.send(_START)
        while not _is_frame(await page.recv()):
            pass
        await page.send(_BEGIN)
        start = change = time.perf_counter()
        while (now := time.perf_counter()) - start < seconds:
            if now >= change:
                change, key = change + 0.2, key + 1
                await page.send(json.dumps({"type": "keys", "key": key, "action": int(rng.integers(9))}))
            data = await page.recv()
            size += len(data)
            frames += _is_frame(data)
        return size / seconds, frames / seconds


async def _crowd(port: int, participants: int) -> list[tuple[float, float]]:
    return await asyncio.gather(*(_play(port, number, _SECONDS) for number in range(participants)))


@contextmanager
def _empty_clock() -> Iterator[Callable[[], dict[str, float]]]:
    """Run a process that only keeps time; no server on this machine can be less late than it is."""
    command = [sys.executable, "-c", _EMPTY_CLOCK, str(_SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield lambda: json.loads(process.communicate()[0])


def _work_seconds(process: int) -> float:
    """Return the CPU seconds of a process so far; NaN where the system does not report them."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
    except OSError:
        return float("nan")
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def run(participants: int = _PARTICIPANTS) -> list[Result]:
    """Measure latencies with one participant, then lateness and load with many."""
    with studio_server() as (port, _):
        latencies = sorted(_latencies(port))
    with studio_server(participants) as (port, process), _empty_clock() as read_clock:
        work_before = _work_seconds(process)
        sizes, rates = zip(*asyncio.run(_crowd(port, participants)), strict=True)
        share = (_work_seconds(process) - work_before) / _SECONDS
        pace, floor = _pace(port), read_clock()
    late = pace["late_ms"]
    crowd = f"{participants} participants"
    return [
        Result("key to the message that shows it, median", latencies[len(latencies) // 2], "ms", "under 35"),
        Result("key to the message that shows it, 95 of 100", latencies[int(0.95 * len(latencies))], "ms"),
        Result(f"{crowd}: how late a step is, median", late["p50"], "ms", "", floor["p50"], _PEER),
        Result(f"{crowd}: how late a step is, 99 of 100", late["p99"], "ms", "under 20", floor["p99"], _PEER),
        Result(f"{crowd}: how late a step is, at most", late["most"], "ms", "", floor["most"], _PEER),
        Result(f"{crowd}: times the clock gave up on time", float(pace["stalls"]), ""),
        Result(f"{crowd}: frames a second each", median(rates), "/s", "50"),
        Result(f"{crowd}: bytes a second each", median(sizes), "B/s"),
        Result(f"{crowd}: share of one core the server works", share, ""),
    ]


if __name__ == "__main__":
    for each in run(int(sys.argv[1]) if len(sys.argv) > 1 else _PARTICIPANTS):
        print(f"{each.what}: {each.measured:.4g} {each.unit}")
