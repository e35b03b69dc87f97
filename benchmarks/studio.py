"""The studio as players feel it: from a key to the message that shows it, and twenty players on two cores.

`python -m benchmarks.studio 100` measures with another number of players, and prints it.
The server is the one people start, in a process of its own; all players are this process.
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

_PRESSES, _PLAYERS, _SECONDS = 120, 20, 20.0
_START = json.dumps({"type": "start", "task": "foraging", "seed": 1})
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
def _server(players: int = _PLAYERS) -> Iterator[tuple[int, int]]:
    """A studio of its own; its port and its process."""
    port = _free_port()
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "puzzlebox.cli", "play", "--no-browser", "--port", str(port)]
        with subprocess.Popen(
            [*command, "--players", str(players), "--data", str(Path(folder) / "recordings.sqlite")],
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


def _connected(port: int, open_: ExitStack) -> Any:
    from websockets.sync.client import connect

    page = open_.enter_context(
        connect(f"ws://127.0.0.1:{port}/ws", origin=f"http://127.0.0.1:{port}", compression=None)  # type: ignore[arg-type]
    )
    page.send(_START)
    return page


def _latencies(port: int) -> list[float]:
    """Milliseconds from a key to the frame in which it counted, at moments that have nothing to do with the clock."""
    chances, found = np.random.default_rng(0), []
    with ExitStack() as open_:
        page = _connected(port, open_)
        end = time.perf_counter() + 1.0
        while time.perf_counter() < end:
            page.recv()
        for key in range(1, _PRESSES + 1):
            wait = time.perf_counter() + 0.03 + float(chances.uniform(0, 0.02))
            while time.perf_counter() < wait:
                try:
                    page.recv(max(0.0, wait - time.perf_counter()))
                except TimeoutError:
                    break
            pressed = time.perf_counter()
            page.send(json.dumps({"type": "keys", "key": key, "action": key % 9}))
            while True:
                data = page.recv()
                if isinstance(data, bytes) and data[0] == _FRAME and int.from_bytes(data[_KEY], "little") == key:
                    break
            found.append(1000 * (time.perf_counter() - pressed))
    return found


async def _play(port: int, number: int, seconds: float) -> tuple[float, float]:
    """A player who changes keys five times a second; bytes per second, and frames per second."""
    from websockets.asyncio.client import connect

    chances, size, frames, key = np.random.default_rng(number), 0, 0, 0
    address = f"127.0.0.1:{port}"
    async with connect(f"ws://{address}/ws", origin=f"http://{address}", compression=None) as page:  # type: ignore[arg-type]
        await page.send(_START)
        start = change = time.perf_counter()
        while (now := time.perf_counter()) - start < seconds:
            if now >= change:
                change, key = change + 0.2, key + 1
                await page.send(json.dumps({"type": "keys", "key": key, "action": int(chances.integers(9))}))
            data = await page.recv()
            size += len(data)
            frames += isinstance(data, bytes) and data[0] == _FRAME
        return size / seconds, frames / seconds


async def _crowd(port: int, players: int) -> list[tuple[float, float]]:
    return await asyncio.gather(*(_play(port, number, _SECONDS) for number in range(players)))


@contextmanager
def _empty_clock() -> Iterator[Callable[[], dict[str, float]]]:
    """A process that only keeps time meanwhile: how late it is, no server on this machine can beat."""
    command = [sys.executable, "-c", _EMPTY_CLOCK, str(_SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield lambda: json.loads(process.communicate()[0])


def _worked(process: int) -> float:
    """Seconds a process has worked so far; not a number where the system does not tell."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
    except OSError:
        return float("nan")
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def run(players: int = _PLAYERS) -> list[Result]:
    """Both."""
    with _server() as (port, _):
        alone = sorted(_latencies(port))
    with _server(players) as (port, process), _empty_clock() as empty:
        before = _worked(process)
        sizes, rates = zip(*asyncio.run(_crowd(port, players)), strict=True)
        share = (_worked(process) - before) / _SECONDS
        pace, floor = _pace(port), empty()
    late = pace["late_ms"]
    everybody = f"{players} players"
    return [
        Result("key to the message that shows it, median", alone[len(alone) // 2], "ms", "under 35"),
        Result("key to the message that shows it, 95 of 100", alone[int(0.95 * len(alone))], "ms"),
        Result(f"{everybody}: how late a step is, median", late["p50"], "ms", "", floor["p50"], _PEER),
        Result(f"{everybody}: how late a step is, 99 of 100", late["p99"], "ms", "under 20", floor["p99"], _PEER),
        Result(f"{everybody}: how late a step is, at most", late["most"], "ms", "", floor["most"], _PEER),
        Result(f"{everybody}: times the clock gave up on time", float(pace["stalls"]), ""),
        Result(f"{everybody}: frames a second each", median(rates), "/s", "50"),
        Result(f"{everybody}: bytes a second each", median(sizes), "B/s"),
        Result(f"{everybody}: share of one core the server works", share, ""),
    ]


if __name__ == "__main__":
    for each in run(int(sys.argv[1]) if len(sys.argv) > 1 else _PLAYERS):
        print(f"{each.what}: {each.measured:.4g} {each.unit}")
