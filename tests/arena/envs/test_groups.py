"""Groups of a vector that are sent and received in turn, and weights of tasks."""

import os
import pickle
import signal
from collections import Counter
from typing import Any

import numpy as np
import pytest

import puzzlebox
from puzzlebox.arena.envs.schedule import Pool
from puzzlebox.arena.envs.sources import tasks_of
from puzzlebox.arena.envs.vector import ArenaVectorEnv
from test_envs import FORAGING, THREE
from test_vector import FULL, LIGHT, OTHER, VARIED, actions, equal

# Both sorts of ends: food at once, and time limits of few decisions.
TASKS = [THREE, OTHER, VARIED]


def same(a: Any, b: Any) -> bool:
    """Return whether two infos are equal, arrays byte for byte."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if a.dtype == object:
        return len(a) == len(b) and all(np.array_equal(one, two) for one, two in zip(a, b, strict=True))
    return bool(a.tobytes() == b.tobytes())


@pytest.mark.parametrize(
    ("groups", "count", "autoreset"),
    [
        (1, 1, "same_step"),
        (2, 1, "same_step"),
        *(pytest.param(*each, "next_step", marks=pytest.mark.slow) for each in ((1, 2), (2, 2), (3, 2))),
    ],
)
def test_turns_are_the_same_bytes_as_steps(groups: int, count: int, autoreset: str) -> None:
    settings: dict[str, Any] = {"autoreset": autoreset, **FULL}
    plain = puzzlebox.make_vec(TASKS, 7, workers=0, **settings)
    envs = puzzlebox.make_vec(TASKS, 7, workers=count, groups=groups, **settings)
    assert equal(plain.reset(seed=3)[0], envs.reset(seed=3)[0])
    ends = 0
    rows = actions(7, 60)
    for group in range(groups):
        envs.send(rows[0][envs.rows(group)], group)
    for now, later in zip(rows, [*rows[1:], None], strict=True):
        observations, *results, infos = plain.step(now)
        ends += int((results[1] | results[2]).sum())
        for group in range(groups):
            part = envs.rows(group)
            turn = envs.receive(group)
            assert equal(turn.observations, {name: values[part] for name, values in observations.items()})
            for own, whole in zip((turn.reward, turn.terminated, turn.truncated), results, strict=True):
                assert own.tobytes() == whole[part].tobytes()
            ended = np.flatnonzero(infos["_final_obs"][part]) + part.start if "final_obs" in infos else []
            assert sorted(turn.finals) == list(ended)
            for row, (last, info) in turn.finals.items():
                assert last["camera"].tobytes() == infos["final_obs"][row]["camera"].tobytes()
                assert info["task"] == infos["final_info"]["task"][row]
            # An entry that only another group has is missing here or empty.
            assert same(
                {name: turn.infos[name] for name in ("task", "passed", "_passed", "health", "events")},
                {name: infos[name][part] for name in ("task", "passed", "_passed", "health", "events")},
            )
            if later is not None:
                envs.send(later[part], group)
    assert ends > 10
    assert equal(plain.step(rows[0])[0], envs.step(rows[0])[0])
    plain.close(), envs.close()


def test_views_change_with_the_next_step_of_their_group_only() -> None:
    envs = puzzlebox.make_vec(FORAGING, 4, workers=1, groups=2, **LIGHT)
    envs.reset(seed=0)
    for group in (0, 1):
        envs.send(np.full(2, 3), group)
    first, second = envs.receive(0, copy=False), envs.receive(1, copy=False)
    before = first.observations["rays"].copy(), second.observations["rays"].copy()
    assert first.observations["rays"].base is not None
    envs.send(np.full(2, 1), 0)
    envs.receive(0)
    assert not np.array_equal(first.observations["rays"], before[0])
    assert np.array_equal(second.observations["rays"], before[1])
    envs.close()


def test_turns_out_of_turn_are_refused() -> None:
    envs = puzzlebox.make_vec(FORAGING, 4, workers=1, groups=2, **LIGHT)
    envs.reset(seed=0)
    with pytest.raises(RuntimeError, match=r"group 1 was not sent; call send\(actions, 1\) first"):
        envs.receive(1)
    with pytest.raises(ValueError, match="group is 2; it must be a whole number from 0 to 1"):
        envs.send(np.zeros(2, np.int64), 2)
    with pytest.raises(
        ValueError, match=r"actions have shape \(4,\) and type int64; give one whole number for each of 2"
    ):
        envs.send(np.zeros(4, np.int64), 0)
    with pytest.raises(ValueError, match=r"9 is not an action \(environment 3\)"):
        envs.send(np.array([0, 9]), 1)
    envs.send(np.zeros(2, np.int64), 0)
    for call in (
        lambda: envs.send(np.zeros(2, np.int64), 0),
        lambda: envs.step(np.zeros(4, np.int64)),
        envs.snapshot,
        lambda: envs.set_task_weights([1.0]),
    ):
        with pytest.raises(RuntimeError, match=r"group 0 was sent and not received; call receive\(0\) first"):
            call()
    # A reset starts over, whatever was under way.
    fresh = puzzlebox.make_vec(FORAGING, 4, workers=0, **LIGHT)
    assert equal(envs.reset(seed=5)[0], fresh.reset(seed=5)[0])
    assert equal(envs.step(np.full(4, 3))[0], fresh.step(np.full(4, 3))[0])
    envs.close()
    with pytest.raises(ValueError, match="groups is 5; with 4 environments it must be at most 4"):
        puzzlebox.make_vec(FORAGING, 4, groups=5, **LIGHT)


def test_a_lost_worker_of_several_groups_is_named() -> None:
    envs = puzzlebox.make_vec(FORAGING, 8, workers=2, groups=2, **LIGHT)
    envs.reset(seed=0)
    os.kill(envs._workers._processes[1].pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match=r"environments 2 to 3 and 6 to 7 ended unexpectedly \(exit code -9\)"):
        for _ in range(3):
            envs.step(np.zeros(8, np.int64))


# --- weights


def play(envs: ArenaVectorEnv, steps: int) -> list[Any]:
    """Return the tasks that were played and the rewards, step by step."""
    told = []
    for row in actions(envs.num_envs, steps):
        _, rewards, *_, infos = envs.step(row)
        variations = infos.get("variation", [None] * envs.num_envs)
        told.append((tuple(infos["task"]), rewards.tobytes(), tuple(map(str, variations))))
    return told


def weighted(weights: Any, workers: int = 0, groups: int = 1) -> ArenaVectorEnv:
    envs = puzzlebox.make_vec(TASKS, 4, workers=workers, groups=groups, autoreset="same_step", **LIGHT)
    envs.set_task_weights(weights)
    envs.reset(seed=2)
    return envs


def test_weights_decide_how_often_tasks_are_played() -> None:
    envs = weighted([0.0, 3.0, 1.0])
    names = envs.task_names
    counted: Counter[str] = Counter()
    for row in actions(4, 600):
        *_, infos = envs.step(row)
        final = infos.get("final_info")
        counted.update(final["task"][row] for row in np.flatnonzero(infos["_final_info"])) if final else None
    assert counted[names[0]] == 0
    assert sum(counted.values()) > 80
    assert 2 < counted[names[1]] / counted[names[2]] < 4.5


def test_weights_give_the_same_episodes_with_any_workers() -> None:
    one, two = weighted([1, 2, 1]), weighted([1, 2, 1], workers=2, groups=2)
    first = play(one, 80)
    assert first == play(two, 80)
    assert len({name for names, *_ in first for name in names}) == 3
    two.close()


def test_snapshots_hold_weights_and_what_was_drawn() -> None:
    envs = weighted([1, 2, 1])
    play(envs, 30)
    stored = pickle.loads(pickle.dumps(envs.snapshot()))
    expected = play(envs, 40)
    other = puzzlebox.make_vec(TASKS, 4, workers=0, autoreset="same_step", **LIGHT)
    other.restore(stored)
    assert play(other, 40) == expected
    # Weights that are set again after restoring continue the same schedules.
    envs.set_task_weights([2, 1, 1]), other.set_task_weights([2, 1, 1])
    assert play(envs, 40) == play(other, 40)


def test_without_weights_the_tasks_are_in_order_again() -> None:
    plain = puzzlebox.make_vec(TASKS, 4, workers=0, autoreset="same_step", **LIGHT)
    envs = weighted([0, 0, 1])
    envs.set_task_weights(None)
    plain.reset(seed=2), envs.reset(seed=2)
    assert play(plain, 40) == play(envs, 40)


def test_wrong_weights_are_refused() -> None:
    envs = puzzlebox.make_vec(TASKS, 2, workers=0, **LIGHT)
    for wrong, message in (
        ([1, 2], "there are 3 tasks and 2 weights; give one for each task"),
        (["a", 1, 1], r"the task weights are \['a', 1, 1\]; give one number for each task"),
        (3, "the task weights are 3; give one number for each task"),
        ([1, -1, 0], r"the weight of .* is -1.0; it must be a finite number, 0 or more"),
        ([1, float("nan"), 0], "is nan; it must be a finite number, 0 or more"),
        ([0, 0, 0], "all task weights are 0; at least one must be above 0"),
    ):
        with pytest.raises(ValueError, match=message):
            envs.set_task_weights(wrong)
    envs.set_task_weights([1, 1, 1])
    with pytest.raises(ValueError, match="task weights are set, so that it is open which task is next"):
        envs.reset(options={"arena": 9})


def test_the_last_task_with_a_weight_is_drawn_at_the_edge() -> None:
    pool = Pool.of(tasks_of([FORAGING, THREE, OTHER]), [0.1, 0.2, 0.0])

    class Edge:
        def random(self) -> float:
            return 1.0  # what rounding can make of the largest draw

    assert pool.draw(Edge()) == 1  # type: ignore[arg-type]
