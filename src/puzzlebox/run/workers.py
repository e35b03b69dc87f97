"""The workers that play the episodes of a run: this process, several, or a Ray cluster, with the same results."""

import os
import socket
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from multiprocessing import connection
from typing import Any

from puzzlebox.processes import exit_code, start_worker, stop_workers, without_main
from puzzlebox.run.player import Plan, Played, Player
from puzzlebox.run.schedule import Slot

BACKENDS = ("processes", "ray")
# Episodes sent to a worker in advance, so that it never waits for the next one.
_EPISODES_AHEAD = 2
# Seconds to wait for a connection to a Ray cluster.
_CONNECT_TIMEOUT_SECONDS = 5.0


def play_slots(plan: Plan, todo: Sequence[Slot], workers: int, backend: str) -> Iterator[Played]:
    """Play some episodes; yield each, in the order in which they finish."""
    if backend == "ray":
        return _by_ray(plan, todo, workers)
    if workers == 1 or len(todo) == 1:
        return map(Player(plan).play, todo)
    return _by_processes(plan, todo, min(workers, len(todo)))


def _work(link: connection.Connection, plan: Plan) -> None:
    """Play the slots that arrive on a connection and send back the results, until the connection is closed."""
    player = Player(plan, caught=BaseException)  # KeyboardInterrupt, too: in a worker only an agent can raise it
    while True:
        try:
            link.send(player.play(link.recv()))
        except (EOFError, ConnectionError):  # the parent has finished or died
            return


def _by_processes(plan: Plan, todo: Sequence[Slot], workers: int) -> Iterator[Played]:
    waiting = iter(todo)
    links: list[Any] = []
    processes: list[Any] = []
    try:
        with without_main():
            for _ in range(workers):
                ours, process = start_worker(_work, plan)
                links.append(ours)
                processes.append(process)
        pending = dict.fromkeys(links, 0)
        for _ in range(_EPISODES_AHEAD):
            for link in links:
                _send_next(link, waiting, pending)
        while any(pending.values()):
            ready: list[Any] = connection.wait([each for each in links if pending[each]])
            for link in ready:
                try:
                    result: Played = link.recv()
                except (EOFError, ConnectionError):
                    raise RuntimeError(_lost(processes[links.index(link)])) from None
                pending[link] -= 1
                _send_next(link, waiting, pending)
                yield result
    finally:
        stop_workers(links, processes)


def _send_next(link: Any, waiting: Iterator[Slot], pending: dict[Any, int]) -> None:
    """Send a worker the next episode, if one is left."""
    slot = next(waiting, None)
    if slot is not None:
        try:
            link.send(slot)
        except ConnectionError:
            pass  # the worker has died; reading its answer raises
        pending[link] += 1


def _lost(process: Any) -> str:
    return (
        f"a worker ended unexpectedly (exit code {exit_code(process)}); finished episodes are kept, "
        "and the same command resumes the run"
    )


def _by_ray(plan: Plan, todo: Sequence[Slot], workers: int) -> Iterator[Played]:
    """Play on the cluster that RAY_ADDRESS names, or on a local one with that many workers."""
    require_ray()
    import ray

    started = not ray.is_initialized()
    if started:
        where = {"address": "auto"} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers}
        ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False, **where)
    try:
        players = [ray.remote(num_cpus=1)(Player).remote(ray.put(plan)) for _ in range(min(workers, len(todo)))]
        waiting = iter(todo)
        pending: dict[Any, Any] = {}

        def send_next(player: Any) -> None:
            slot = next(waiting, None)
            if slot is not None:
                pending[player.play.remote(slot)] = player

        for _ in range(_EPISODES_AHEAD):
            for player in players:
                send_next(player)
        while pending:
            for done in ray.wait(list(pending))[0]:
                player = pending.pop(done)
                try:
                    result = ray.get(done)
                except ray.exceptions.RayError as problem:
                    first = str(problem).strip().splitlines()[0]
                    raise RuntimeError(f"a Ray worker failed: {first}; the same command resumes the run") from None
                send_next(player)
                yield result
    finally:
        if started:
            ray.shutdown()


def require_ray() -> None:
    """Refuse to start if Ray is not installed, or if no cluster answers at RAY_ADDRESS."""
    if find_spec("ray") is None:
        raise ModuleNotFoundError("--backend ray needs Ray; `pip install puzzlebox[scale]` brings it")
    address = os.environ.get("RAY_ADDRESS", "")
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():  # `auto` and similar words are resolved by Ray
        return
    try:
        # Ray itself would try for two minutes.
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_TIMEOUT_SECONDS).close()
    except (OSError, OverflowError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise ConnectionError(f"no Ray cluster answers at RAY_ADDRESS, {address}: {why}") from None
