"""Curricula: which tasks are drawn when, by name, by file, and in a run."""

from collections import Counter
from pathlib import Path

import pytest

from puzzlebox.learn.curricula import Learnability, Stage, Stages
from puzzlebox.learn.curriculum_names import find_course
from puzzlebox.learn.recurrent import Episode
from puzzlebox.learn.trainer import train
from training_helpers import lines, small_plan, train_until, trained


def _episode(task: str, passed: bool | None) -> Episode:
    return Episode(0, task, 0.0, 10, passed, True, False)


def test_operant_has_five_stages_of_400_000_decisions_each() -> None:
    course = find_course("operant", ())
    assert course.steps == 2_000_000
    curriculum = course.curriculum(course.steps)
    for stage in range(5):
        expected = [float(each == stage) for each in range(5)]
        assert curriculum.weights(400_000 * stage) == expected
        assert curriculum.weights(400_000 * (stage + 1) - 1) == expected
    assert curriculum.weights(5_000_000) == expected


def test_maze_2019_advances_at_85_percent_of_600_episodes() -> None:
    curriculum = find_course("maze-2019", ()).curriculum(10_000_000)
    first = "maze-curriculum/1"
    curriculum.observe([_episode(first, True)] * 599)
    assert curriculum.weights(1) == [1.0, 0.0, 0.0, 0.0], "599 episodes are too few"
    curriculum.observe([_episode(first, False)] * 91)
    assert curriculum.weights(2) == [1.0, 0.0, 0.0, 0.0], "509 of the last 600 are 84.8 %"
    curriculum.observe([_episode(first, True)] * 600)
    assert curriculum.weights(3) == [0.0, 1.0, 0.0, 0.0]
    curriculum.observe([_episode(first, True)] * 600)
    assert curriculum.weights(4) == [0.0, 1.0, 0.0, 0.0], "episodes of the stage before do not count"


def test_the_testbed_has_eleven_cumulative_stages() -> None:
    course = find_course("testbed", ())
    assert course.steps == 25_000_000 and len(course.stages or ()) == 11
    curriculum = course.curriculum(25_000_000)
    for level in range(10):
        assert sum(curriculum.weights(2_000_000 * level) or ()) == level + 1
    assert sum(curriculum.weights(24_999_999) or ()) == 10
    assert curriculum.status()["stage"] == 11


def test_the_testbed_takes_the_order_of_a_file_for_a_folder_of_tasks(tmp_path: Path) -> None:
    text = Path("src/puzzlebox/batteries/arena/tasks/examples/food.yml").read_text()
    for name in ("01-01-01", "01-02-01", "02-01-01", "02-01-02"):
        (tmp_path / f"{name}.yml").write_text(text)
    order = tmp_path / "order.csv"
    order.write_text("stage,n_arenas,arena_ids_in_order\n1,1,01-02\n2,3,01-01 02-01 01-02\n")
    course = find_course("testbed", (str(tmp_path),), order)
    curriculum = course.curriculum(900)
    assert course.tasks.names == ["01-01-01", "01-02-01", "02-01-01", "02-01-02"]
    assert curriculum.weights(0) == [0.0, 1.0, 0.0, 0.0]
    assert curriculum.weights(200) == curriculum.weights(899) == [1.0, 1.0, 1.0, 0.0]
    order.write_text("stage,n_arenas,arena_ids_in_order\n1,1,01-20\n")
    with pytest.raises(ValueError, match=r"stage 1: there is no task 01-20; .*did you mean `01-02`"):
        find_course("testbed", (str(tmp_path),), order)


def test_learnability_prefers_tasks_that_sometimes_succeed_and_keeps_a_floor() -> None:
    curriculum = Learnability(["easy", "half", "hard", "new"], floor=0.2, window=10)
    curriculum.observe([_episode("easy", True)] * 10 + [_episode("hard", False)] * 10)
    curriculum.observe([_episode("half", each % 2 == 0) for each in range(10)])
    curriculum.observe([_episode("new", None)] * 5)
    easy, half, hard, new = curriculum.weights(0) or ()
    assert easy == hard == pytest.approx(0.05) and half == new == pytest.approx(0.45)
    again = Learnability(["easy", "half", "hard", "new"], floor=0.2, window=10)
    again.restore(curriculum.state())
    assert again.weights(0) == curriculum.weights(0)


def test_a_file_of_stages_is_a_curriculum(tmp_path: Path) -> None:
    file = tmp_path / "mine.yml"
    file.write_text("stages:\n- {tasks: [examples/food], share: 1}\n- {tasks: [examples/wall], share: 3}\n")
    curriculum = find_course(str(file), ()).curriculum(400)
    assert curriculum.weights(99) == [1.0, 0.0] and curriculum.weights(100) == [0.0, 1.0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("stages: []", "it needs `stages`, a list"),
        ("stages: [{tasks: [foraging]}]", "stage 1: it needs either `share`, or `success` and `episodes`"),
        ("stages: [{tasks: [foraging], share: 0}]", "stage 1: share is 0; it must be a number above 0"),
        ("stages: [{tasks: [foraging], shares: 1}]", "there is no key 'shares'"),
        ("stages: [{tasks: [foraging], success: 85, episodes: 10}]", "success is 85; it must be from 0 to 1"),
        ("stages: [{tasks: [3], share: 1}]", "stage 1: it needs `tasks`, a list of names"),
        ("stages: [{tasks: [], share: 1}]", "stage 1: it needs `tasks`, a list of names"),
        ("stages: [{tasks: [foraging], share: .inf}]", "stage 1: share is inf; it must be a number above 0"),
        ("stages: [{tasks: [foraging], success: 0.8, episodes: 2.5}]", "episodes is 2.5; it must be a whole number"),
        ("stages: [{tasks: [foraging], share: 1}]\nsteps: many", "steps is 'many'; it must be a number, 1 or more"),
        ("stages: [{tasks: [foraging], share: 1}]\nstep: 5", "there is no key 'step'"),
        ("stages: [", "is not YAML"),
    ],
)
def test_a_wrong_file_of_stages_is_refused_in_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "mine.yml"
    file.write_text(text)
    with pytest.raises(ValueError) as problem:
        find_course(str(file), ())
    assert sentence in str(problem.value) and "\n" not in str(problem.value)


def test_stages_continue_where_they_were() -> None:
    stages = [Stage(("a",), None, 0.5, 4), Stage(("b",), None, 0.5, 4)]
    first, second = Stages(["a", "b"], stages), Stages(["a", "b"], stages)
    first.observe([_episode("a", True)] * 3)
    second.restore(first.state())
    for each in (first, second):
        each.observe([_episode("a", False)])
        assert each.weights(7) == [0.0, 1.0] and each.status()["stage_began"] == 7


@pytest.mark.parametrize("learner", ["ppo", "recurrent"])
def test_a_run_plays_the_tasks_of_its_stage_and_counts_them(tmp_path: Path, learner: str) -> None:
    file = tmp_path / "mine.yml"
    file.write_text("stages:\n- {tasks: [examples/food], share: 1}\n- {tasks: [examples/wall], share: 1}\n")
    own = () if learner == "ppo" else ("envs=2", "workers=1", "rollout=32", "memory_size=16", "minibatches=2")
    plan = small_plan(*own, "checkpoint_every=64", tasks=(), curriculum=str(file), steps=512, learner=learner)
    outcome = trained(plan, tmp_path / "whole")
    episodes = lines(tmp_path / "whole" / "episodes.jsonl")
    early = Counter(each["task"] for each in episodes if each["step"] <= 256)
    late = Counter(each["task"] for each in episodes if each["step"] > 384)
    assert set(early) == {"examples/food"} and set(late) == {"examples/wall"}
    assert outcome.coverage == dict(Counter(each["task"] for each in episodes))
    assert lines(tmp_path / "whole" / "log.jsonl")[-1]["stage"] == 2
    # A run that is interrupted in its second stage continues there.
    train_until(plan, tmp_path / "parts", 320)
    train(plan, tmp_path / "parts", resume=True)
    assert (tmp_path / "parts" / "episodes.jsonl").read_bytes() == (tmp_path / "whole" / "episodes.jsonl").read_bytes()
