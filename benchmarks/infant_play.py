"""Measure playing infant tasks in the studio: from a key to the frame that shows it, steps a second, bytes a frame.

`python -m benchmarks.infant_play` prints a row for each task; `python -m benchmarks.infant_play 4 maze-nav` plays on
four pages at the same time. The server is the real one, in a process of its own; pages are connections of this process.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.studio import studio_server

_TASKS, _PRESSES = ("maze-nav", "disk-tower", "grab-object", "baby-run"), 60
# Offsets of a frame (docs/reference/studio-protocol.md): the step, and the number of the keys message that counted.
_STEP, _KEY, _PICTURES = slice(4, 8), slice(8, 12), slice(22, 24)


class Measured(NamedTuple):
    """What a page has seen: milliseconds from keys to frames, steps a second, bytes, and the share with pictures."""

    latencies: list[float]
    rate: float
    size: float
    painted: float


def _measure(port: int, task: str, seed: int) -> Measured:
    from websockets.sync.client import connect

    rng, latencies, sizes, painted = np.random.default_rng(seed), list[float](), list[int](), 0
    with ExitStack() as stack:
        address = f"127.0.0.1:{port}"
        origin: Any = f"http://{address}"
        page = stack.enter_context(connect(f"ws://{address}/ws/infant", origin=origin, compression=None, max_size=None))
        page.send(json.dumps({"type": "start", "task": f"infant/{task}", "seed": seed}))
        controls = len(json.loads(page.recv())["controls"])
        page.send(json.dumps({"type": "begin"}))
        start, first, step = 0.0, 0, 0
        for key in range(1, _PRESSES + 1):
            press = time.perf_counter() + float(rng.uniform(0, 1 / 15))
            sent = False
            while True:
                if not sent and time.perf_counter() >= press:
                    # Small movements, so that the episode does not end.
                    page.send(json.dumps({"type": "keys", "key": key, "values": [0.05 * (-1) ** key] * controls}))
                    sent, press = True, time.perf_counter()
                try:
                    data = page.recv(None if sent else max(0.0, press - time.perf_counter()))
                except TimeoutError:
                    continue
                if isinstance(data, str):
                    if json.loads(data)["type"] == "ended":
                        raise SystemExit(f"the episode of {task} ended too early to be measured")
                    continue
                step = int.from_bytes(data[_STEP], "little")
                if not start and step:
                    start, first = time.perf_counter(), step
                sizes.append(len(data))
                painted += data[_PICTURES] != b"\0\0"
                if sent and int.from_bytes(data[_KEY], "little") == key:
                    latencies.append(1000 * (time.perf_counter() - press))
                    break
        rate = (step - first) / (time.perf_counter() - start)
    return Measured(latencies, rate, sum(sizes) / len(sizes), painted / len(sizes))


def main() -> None:
    """Print a table."""
    words = sys.argv[1:]
    pages = int(words[0]) if words else 1
    print("| task | pages | from a key to its frame, median and 95 % | steps a second | kB a frame | with pictures |")
    print("|---|---|---|---|---|---|")
    with studio_server(pages) as (port, _):
        for task in words[1:] or _TASKS:
            with ThreadPoolExecutor(pages) as pool:
                found = list(pool.map(_measure, [port] * pages, [task] * pages, range(1, pages + 1)))
            late = sorted(each for page in found for each in page.latencies)
            times = f"{median(late):.0f} ms, {late[int(0.95 * len(late))]:.0f} ms"
            rate, size = min(page.rate for page in found), median(page.size for page in found) / 1000
            share = min(page.painted for page in found)
            print(f"| {task} | {pages} | {times} | {rate:.1f} | {size:.0f} | {100 * share:.0f} % |")


if __name__ == "__main__":
    main()
