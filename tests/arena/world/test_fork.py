"""Exact copies in processes of their own: what happens in them happens in the original, byte for byte."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from select import select

import gymnasium as gym
import numpy as np
import pytest

from conftest import ROOT
from puzzlebox import Fork, load_task, make, make_vec
from puzzlebox.arena.world import Outcome, World
from puzzlebox.arena.world.fork import _children
from worlds import FORWARDS, NOOP, run, world_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

# Things that roll, are pushed, grow, fall from trees and out of dispensers; several animals; lights that go out;
# operations; arenas that merge.
TASKS = (
    "causes/the-stick",
    "causes/which-button",
    "food/runaway-apple",
    "food/snack-machine",
    "foraging",
    "generalisation/company",
    "models/flicker",
    "numbers/fading-first",
)


def random_actions(count: int, animals: int, seed: int) -> list[tuple[int, ...]]:
    """Return random actions, mostly forwards, each held for a while."""
    drawn = np.random.default_rng(seed).choice((0, 1, 2, 3, 3, 3, 4, 5, 6), (count // 5, animals))
    return [tuple(map(int, each)) for each in np.repeat(drawn, 5, axis=0)]


def play(world: World, actions: list[tuple[int, ...]]) -> list[tuple[Outcome, bytes]]:
    """Return outcomes and states until the episode is over."""
    results = []
    for each in actions:
        if not world.over:
            results.append((world.step(each), world.state()))
    return results


def give_up(world: World) -> None:
    os._exit(3)


def own_pid(world: World) -> int:
    return os.getpid()


@pytest.fixture
def fork() -> Iterator[Fork]:
    with Fork(world_of("name: Agent, at: [20, 0, 5], rotation: 0", time_limit=50)) as fork:
        yield fork


@pytest.mark.parametrize("name", TASKS)
def test_a_fork_continues_byte_for_byte(name: str) -> None:
    task = load_task(name)
    world = World(task, seed=3)
    before, after = (random_actions(count, len(world.animals), seed) for count, seed in ((45, 0), (120, 1)))
    play(world, before)
    assert not world.over
    record = world.snapshot()
    with Fork(world) as fork:
        first = play(world, after[:60])
        assert fork.call(play, after[:60]) == first
        with fork.fork() as twin:
            second = play(world, after[60:])
            for each in (fork, twin):
                assert each.call(play, after[60:]) == second
                assert each.call("describe") == world.describe()
    assert play(World.replay(record), after) == first + second


def test_forks_are_independent_and_leave_the_original_alone() -> None:
    world = world_of("name: Agent, at: [20, 0, 5], rotation: 0", time_limit=50)
    run(world, [FORWARDS] * 5)
    here = world.state()
    with Fork(world) as ahead, Fork(world) as still:
        ahead.step([FORWARDS])
        still.step([NOOP])
        assert len({here, ahead.call("state"), still.call("state")}) == 3
    assert world.state() == here


def test_a_fork_of_an_environment_observes_the_same() -> None:
    env = make("food/runaway-apple", camera=16, rays=3)
    env.reset(seed=4)
    for action in (3, 3, 4, 3):
        env.step(action)
    with Fork(env) as fork:
        for action in (3, 5, 0, 3, 3):
            observation, *rest = env.step(action)
            same, *others = fork.step(action)
            assert {name: each.tobytes() for name, each in same.items()} == {
                name: each.tobytes() for name, each in observation.items()
            }
            assert others == rest


def test_an_exception_in_a_fork_is_raised_in_the_caller_and_the_fork_stays(fork: Fork) -> None:
    with pytest.raises(ValueError, match="action"):
        fork.step([9])
    with pytest.raises(AttributeError, match="no attribute 'fly'"):
        fork.call("fly")
    with pytest.raises((AttributeError, pickle.PicklingError)):
        fork.call(lambda world: world.clock)
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):
        fork.call("cruise")  # what it returns cannot be pickled
    assert fork.step([FORWARDS]).rewards == (-0.012,)


def test_a_fork_is_used_no_more_once_it_is_closed_or_has_ended(fork: Fork) -> None:
    with fork.fork() as twin:
        with pytest.raises(RuntimeError, match="the process of the fork has ended"):
            twin.call(give_up)
        with pytest.raises(RuntimeError, match="the fork is closed"):
            twin.step([NOOP])
    fork.close()
    fork.close()
    for use in (lambda: fork.step([NOOP]), fork.fork):
        with pytest.raises(RuntimeError, match="the fork is closed"):
            use()


def test_a_fork_is_neither_copied_nor_pickled(fork: Fork) -> None:
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="a Fork is a process"):
            attempt(fork)


def test_without_fork_the_error_names_the_alternative(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(RuntimeError, match="use snapshot and restore"):
        Fork(world_of("name: Agent"))


def test_only_worlds_and_environments_are_forked() -> None:
    vector = make_vec("examples/food", 2, workers=1, camera=None)
    for subject in (None, 3, vector, World):
        with pytest.raises(TypeError, match=r"only a World or an environment of puzzlebox.make or gym.make"):
            Fork(subject)
    vector.close()
    with Fork(gym.make("puzzlebox/Arena-v1", task="examples/food", camera=None)) as fork:
        fork.call("reset")


def test_closed_forks_leave_no_zombies() -> None:
    world = world_of("name: Agent", time_limit=50)
    forks = [Fork(world) for _ in range(5)]
    pids = [each.call(own_pid) for each in forks]
    deadline = time.monotonic() + 20
    for fork in forks:
        fork.close()
        # On a busy machine a process may need longer to end than a call waits for it.
        while fork._process in _children and time.monotonic() < deadline:
            fork.close()
    for pid in pids:
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def test_closed_and_forgotten_forks_end() -> None:
    world = world_of("name: Agent", time_limit=50)
    reading, writing = os.pipe()  # all forks hold the writing end, so reading ends when the last fork has ended
    forks = [Fork(world), Fork(world)]
    forks += [each.fork() for each in forks]
    os.close(writing)
    pids = [each.call(own_pid) for each in forks]
    assert len({os.getpid(), *pids}) == 5
    forks[0].close()
    assert forks[2].call(own_pid) == pids[2]  # it outlives the fork it was copied from
    assert not select([reading], [], [], 0)[0]
    del forks
    assert select([reading], [], [], 60)[0]
    assert os.read(reading, 1) == b""
    os.close(reading)


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", "sys.exit()"])
def test_forks_end_with_the_process_that_made_them(end: str) -> None:
    code = (
        "import os, sys\n"
        "from puzzlebox import Fork, World, load_task\n"
        "world = World(load_task('examples/food'))\n"
        "forks = [Fork(world), Fork(world)]; forks.append(forks[0].fork())\n"
        "print(len(forks), flush=True)\n" + end
    )
    # All of them hold the writing end of the same pipe, so this returns when the last has ended.
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert out.stdout == "3\n", out.stderr


def test_an_interrupt_of_the_whole_group_leaves_forks_alone(fork: Fork) -> None:
    os.kill(fork.call(own_pid), signal.SIGINT)
    assert fork.step([FORWARDS]).rewards == (-0.012,)
