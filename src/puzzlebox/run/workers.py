"""Who plays the episodes of a run: this process, several processes, or a Ray cluster. All give the same rows."""

import os
import socket
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from multiprocessing import connection
from typing import Any

from puzzlebox.processes import exit_code, start_worker, stop_workers, without_main
from puzzlebox.record.episode import Episode
from puzzlebox.run.player import Plan, Player
from puzzlebox.run.schedule import Slot

BACKENDS = ("processes", "ray")
# Episodes a worker has in hand, so that it never waits for the next.
_AHEAD = 2
# Seconds for which a Ray cluster may be silent.
_SECONDS_TO_ANSWER = 5.0

Result = tuple[Episode, bytes]


def played(plan: Plan, todo: Sequence[Slot], workers: int, backend: str) -> Iterator[Result]:
    """The results of some episodes, in the order they come."""
    if backend == "ray":
        return _by_ray(plan, todo, workers)
    if workers == 1 or len(todo) == 1:
        return map(Player(plan).play, todo)
    return _by_processes(plan, todo, min(workers, len(todo)))


def _work(link: connection.Connection, plan: Plan) -> None:
    """Play what is asked for until nobody asks any more."""
    player = Player(plan, forgiven=BaseException)  # so that here an interruption is an agent's doing, too
    while True:
        try:
            link.send(player.play(link.recv()))
        except (EOFError, ConnectionError):  # the parent is done, or gone
            return


def _by_processes(plan: Plan, todo: Sequence[Slot], workers: int) -> Iterator[Result]:
    waiting = iter(todo)
    links: list[Any] = []
    processes: list[Any] = []
    try:
        with without_main():
            for _ in range(workers):
                ours, process = start_worker(_work, plan)
                links.append(ours)
                processes.append(process)
        owing = dict.fromkeys(links, 0)
        for _ in range(_AHEAD):
            for link in links:
                _give(link, waiting, owing)
        while any(owing.values()):
            ready: list[Any] = connection.wait([each for each in links if owing[each]])
            for link in ready:
                try:
                    result: Result = link.recv()
                except (EOFError, ConnectionError):
                    raise RuntimeError(_lost(processes[links.index(link)])) from None
                owing[link] -= 1
                _give(link, waiting, owing)
                yield result
    finally:
        stop_workers(links, processes)


def _give(link: Any, waiting: Iterator[Slot], owing: dict[Any, int]) -> None:
    """The next episode for a worker, if there is one left."""
    slot = next(waiting, None)
    if slot is not None:
        try:
            link.send(slot)
        except ConnectionError:
            pass  # it is gone, which is noticed where its answer is waited for
        owing[link] += 1


def _lost(process: Any) -> str:
    return (
        f"a worker ended unexpectedly (exit code {exit_code(process)}); what was played is kept, "
        "and the same command goes on from there"
    )


def _by_ray(plan: Plan, todo: Sequence[Slot], workers: int) -> Iterator[Result]:
    """On the cluster RAY_ADDRESS names, or a local one of so many workers."""
    require_ray()
    import ray

    started = not ray.is_initialized()
    if started:
        where = {"address": "auto"} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers}
        ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False, **where)
    try:
        # One CPU each, wherever in the cluster there is one.
        crew = [ray.remote(num_cpus=1)(Player).remote(ray.put(plan)) for _ in range(min(workers, len(todo)))]
        waiting = iter(todo)
        owing: dict[Any, Any] = {}

        def give(player: Any) -> None:
            slot = next(waiting, None)
            if slot is not None:
                owing[player.play.remote(slot)] = player

        for _ in range(_AHEAD):
            for player in crew:
                give(player)
        while owing:
            for done in ray.wait(list(owing))[0]:
                player = owing.pop(done)
                try:
                    result = ray.get(done)
                except ray.exceptions.RayError as problem:
                    first = str(problem).strip().splitlines()[0]
                    raise RuntimeError(f"a Ray worker failed: {first}; the same command goes on from there") from None
                give(player)
                yield result
    finally:
        if started:
            ray.shutdown()


def require_ray() -> None:
    """Say what is missing before anything is begun."""
    if find_spec("ray") is None:
        raise ModuleNotFoundError("--backend ray needs Ray; `pip install puzzlebox[scale]` brings it")
    address = os.environ.get("RAY_ADDRESS", "")
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():  # `auto` and the like are for Ray to find
        return
    try:
        # Ray itself would try for two minutes.
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS_TO_ANSWER).close()
    except (OSError, OverflowError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise ConnectionError(f"no Ray cluster answers at RAY_ADDRESS, {address}: {why}") from None
