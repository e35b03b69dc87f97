"""The fixed scale of returns: the best return of a task, and the table of the random agent on bundled tasks."""

import pytest

from puzzlebox.arena.scale import best_return, idle_return, scale
from puzzlebox.arena.schema import load_task, read
from puzzlebox.arena.things import SHRINK
from puzzlebox.arena.wing import WING
from puzzlebox.batteries import bundled_names
from puzzlebox.record.entries import hash_of

_TASK = "arenas:\n- time_limit: 250\n  items:\n"


def task(*items: str, before: str = _TASK):
    found = read(before + "".join(f"  - {item}\n" for item in items)).task
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("items", "best"),
    [
        (["{name: GoodGoal, size: [2, 2, 2]}"], 2 * SHRINK),
        # Only one goal that ends the episode can be had, but all others before it.
        (["{name: GoodGoal, size: [2, 2, 2]}", "{name: GoodGoal, size: [3, 3, 3]}"], 3 * SHRINK),
        (
            ["{name: GoodGoal, size: [2, 2, 2]}", "{name: GoodGoalMulti, size: [1, 1, 1]}"] * 2,
            (2 + 1 + 1) * SHRINK,
        ),
        (["{name: BadGoal, size: [2, 2, 2]}", "{name: GoodGoalMulti, size: [1, 1, 1]}"], SHRINK),
        (["{name: GoodGoal}"], 2.75),  # random from 0.5 to 5: the mean
        (["{name: DecayGoal, initial_value: 3, final_value: 1}"], 3),
        (["{name: RipenGoal, initial_value: 1, final_value: 4}"], 4),
        (["{name: SpawnerTree, spawn_count: 3, final_value: 2}"], 6),
        (["{name: SpawnerTree}"], None),  # it gives food without end
        (["{name: Wall}"], 0),
    ],
)
def test_best_return(items: list[str], best: float | None) -> None:
    assert best_return(task(*items), 0) == (None if best is None else pytest.approx(best))


@pytest.mark.parametrize(
    ("operation", "best"),
    [
        ("{do: grant_reward, reward: 1}", None),
        ("{do: grant_reward, reward: -1}", 0),
        ("{do: limited, times: 3, operation: {do: grant_reward, reward: 2}}", 6),
        ("{do: end_episode, reward: 2}", 2),
        ("{do: toggle_object, items: [{name: GoodGoal, size: [2, 2, 2]}]}", 2 * SHRINK),
        ("{do: toggle_object, items: [{name: GoodGoalMulti, size: [2, 2, 2]}]}", None),
        ("{do: freeze_agent, steps: 5}", 0),
        ("{do: one_of, operations: [{do: nothing}, {do: end_episode, reward: 1}]}", 1),
    ],
)
def test_best_return_of_a_button(operation: str, best: float | None) -> None:
    found = best_return(task(f"{{name: SpawnerButton, operations: [{operation}]}}"), 0)
    assert found == (None if best is None else pytest.approx(best))


def test_merged_arenas_pay_together() -> None:
    goal = "  items:\n  - {name: GoodGoal, size: [1, 1, 1]}\n"
    both = read(f"arenas:\n- id: 0\n  time_limit: 250\n  merge_next_arena: true\n{goal}- id: 1\n{goal}").task
    assert both is not None
    assert best_return(both, 0) == pytest.approx(2 * SHRINK)
    assert idle_return(both, 0) == -1


def test_an_unknown_task_is_scaled_from_doing_nothing() -> None:
    own = task("{name: GoodGoal, size: [2, 2, 2]}")
    assert scale(own, hash_of(own.text), 0) == (-1, pytest.approx(2 * SHRINK), "idle")
    assert scale(None, "unknown", 0) is None
    assert WING.scale(task("{name: SpawnerTree}"), "unknown", 0) is None


def test_the_table_knows_all_bundled_tasks() -> None:
    """`tools/scales.py` has to be run again when a bundled task changes; two animals are never played by one agent."""
    for name in bundled_names():
        bundled = load_task(name)
        for start in bundled.starts:
            found, best = scale(None, hash_of(bundled.text), start), best_return(bundled, start)
            if best is None or bundled.bodies > 1:
                assert found is None, name
            else:
                assert found is not None and found.source == "random", name
                assert found.best == pytest.approx(best, rel=1e-4)
                assert found.chance < found.best
