"""The same work in several processes: all results, the first exception, Ctrl-C, and a worker that dies."""

import os
import signal
from multiprocessing.connection import Connection

import pytest

from puzzlebox.intuitions.parallel import in_parallel
from puzzlebox.processes import start_worker, stop_workers, without_main


def test_every_item_has_its_result() -> None:
    items = ["a", "bb", "ccc", "dddd", "eeeee"]
    assert dict(in_parallel(len, items, 1)) == dict(in_parallel(len, items, 2)) == {each: len(each) for each in items}


def test_an_exception_of_a_worker_is_raised() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        list(in_parallel(int, ["1", "2", "x", "4"], 2))


def test_a_worker_that_dies_is_noticed() -> None:
    with pytest.raises(RuntimeError, match="a worker process ended unexpectedly, with exit code 3"):
        list(in_parallel(os._exit, [3, 3], 2))


def test_ctrl_c_while_a_worker_starts_is_left_to_this_process() -> None:
    with without_main():
        link, process = start_worker(_answer)
    try:
        os.kill(process.pid, signal.SIGINT)  # it has only just begun to import
        assert link.poll(30) and link.recv() == "here"
    finally:
        stop_workers([link], [process])
    assert process.exitcode == 0


def _answer(link: Connection) -> None:
    link.send("here")
