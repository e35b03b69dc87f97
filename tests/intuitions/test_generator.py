"""The generator: pure, balanced, and every constraint of every task holds in what it makes."""

import re
from collections import Counter
from hashlib import sha256
from itertools import combinations
from math import dist
from pathlib import Path
from random import Random

import numpy as np
import pytest

from conftest import ROOT
from puzzlebox.intuitions.audit.report import audit_pairs
from puzzlebox.intuitions.catalogue import GROUPS, TASKS, task_named, tasks_named
from puzzlebox.intuitions.episodes import make_pair
from puzzlebox.intuitions.episodes.casting import draw_cast
from puzzlebox.intuitions.episodes.compact import CompactSet
from puzzlebox.intuitions.episodes.generate import RECIPES, stratum, wanted_first
from puzzlebox.intuitions.files.writing import stimulus_json
from puzzlebox.intuitions.grid import STILL_AFTER, STILL_BEFORE, TRIALS


def text_of(task: str, number: int, seed: int, shapes: str = "familiar") -> list[str]:
    return [stimulus_json(stimulus) for _, stimulus in make_pair(task, number, seed, shapes).members()]


@pytest.mark.parametrize("task", TASKS)
def test_every_constraint_holds(task: str) -> None:
    report = audit_pairs(make_pair(task, number, 11) for number in range(4))
    broken = [row for row in report.constraints() if row["broken"]]
    assert broken == []
    assert len(report.constraints()) >= 8


@pytest.mark.parametrize("task", TASKS)
def test_an_episode_depends_on_task_number_and_seed_alone(task: str) -> None:
    later = text_of(task, 3, 5)
    make_pair(task, 8, 5)
    assert text_of(task, 3, 5) == later
    assert text_of(task, 4, 5) != later
    assert text_of(task, 3, 6) != later


@pytest.mark.parametrize("task", ["preference", "instrumental_blocking_barrier"])
def test_new_shapes_move_like_familiar_ones(task: str) -> None:
    familiar, new = make_pair(task, 2, 1), make_pair(task, 2, 1, "new")
    for one, two in zip(familiar.expected.trials, new.expected.trials, strict=True):
        assert np.array_equal(one.agent.corners, two.agent.corners)
        assert one.agent.shape != two.agent.shape
        assert "/test/" in two.agent.icon and "/train/" in one.agent.icon
        assert not {each.shape for each in one.objects} & {each.shape for each in two.objects}


@pytest.mark.parametrize("task", [task for task, recipe in RECIPES.items() if recipe.factors])
def test_levels_of_factors_are_balanced_in_every_block(task: str) -> None:
    levels = [tuple(stratum(task, number, 3).values()) for number in range(48)]
    counts = Counter(levels)
    assert len(counts) == 2 ** len(RECIPES[task].factors)
    assert len(set(counts.values())) == 1
    assert levels != [tuple(stratum(task, number, 4).values()) for number in range(48)]


def test_both_pair_types_occur_and_are_read_from_the_films() -> None:
    kinds = [make_pair("multi_agent", number, 2).kind for number in range(4)]
    assert sorted(kinds) == ["i", "i", "ii", "ii"]
    assert make_pair("preference", 0).kind == ""


def test_the_expected_test_of_the_time_control_is_a_frame_shorter_as_often_as_longer() -> None:
    differences = []
    for number in range(16):
        pair = make_pair("efficiency_time", number, 1)
        assert pair.unexpected is not None
        differences.append(pair.expected.test.frames - pair.unexpected.test.frames)
    assert sorted(differences) == [-1] * 8 + [1] * 8


@pytest.mark.parametrize("task", ["preference", "multi_agent", "inaccessible_goal", "background/preference"])
def test_the_order_of_objects_says_nothing_of_the_preferred_one(task: str) -> None:
    first = []
    for number in range(8):
        pair = make_pair(task, number, 1)
        orders = {tuple(each.identity for each in t.objects) for _, film in pair.members() for t in film.trials}
        assert len(orders) == 1
        trial = pair.expected.trials[0]
        first.append(trial.reached() is trial.objects[0])
    assert sum(first) == 4 and first not in ([True, False] * 4, [False, True] * 4)


@pytest.mark.parametrize("task", ["preference", "multi_agent", "inaccessible_goal", "background/preference"])
def test_each_combination_of_levels_has_both_orders_equally_often(task: str) -> None:
    drawn = Counter((*stratum(task, each, 3).values(), wanted_first(task, each, 3)) for each in range(40))
    assert len(drawn) == 2 ** (len(RECIPES[task].factors) + 1)
    assert len(set(drawn.values())) == 1


def test_a_trial_is_still_moves_and_is_still() -> None:
    trial = make_pair("preference", 0).expected.trials[0]
    assert trial.frames == 1 + STILL_BEFORE + trial.motion_frames + STILL_AFTER
    assert not trial.steps[:STILL_BEFORE].any() and trial.steps[STILL_BEFORE].any()
    assert not trial.steps[-STILL_AFTER:].any() and trial.steps[-STILL_AFTER - 1].any()


def test_the_key_is_carried_and_vanishes_with_its_lock() -> None:
    trial = make_pair("instrumental_no_barrier", 0).expected.trials[0]
    key, lock = trial.key, trial.lock
    assert key is not None and lock is not None
    opened = lock.until
    assert key.until == opened
    moved = np.flatnonzero(np.diff(key.corners[:opened], axis=0).any(axis=1))
    offset = key.corners[moved[0] : opened] - trial.agent.corners[moved[0] : opened]
    assert (offset == offset[0]).all()
    assert trial.barrier.cells(opened - 1) == trial.barrier.cells(0)
    assert trial.barrier.cells(trial.frames - 1) == frozenset()
    sizes = [len(trial.barrier.cells(frame)) for frame in range(opened, trial.frames)]
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) > 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("preferense", 0), "there is no task 'preferense'; did you mean `preference`?"),
        (("preference", -1), "the number of an episode is -1; it must be a whole number, 0 or more"),
        (("preference", True), "the number of an episode is True; it must be a whole number, 0 or more"),
        (("preference", 0, -3), "the seed is -3; it must be a whole number, 0 or more"),
        (("preference", 0, 0, "newer"), "there are no shapes 'newer'; allowed: familiar, new; did you mean `new`?"),
        (
            ("background/preference", 0, 0, "new"),
            "background/preference has familiar shapes only; new ones are for evaluation tasks",
        ),
    ],
)
def test_mistakes_get_one_sentence(arguments: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        make_pair(*arguments)  # type: ignore[arg-type]
    assert str(caught.value) == sentence


def test_no_two_colours_of_a_cast_are_alike() -> None:
    for number in range(40):
        cast = draw_cast(Random(number), "new" if number % 2 else "familiar")
        looks = (cast.agent, cast.newcomer, cast.wanted, cast.other)
        assert len({look.icon for look in looks}) == 4
        assert min(dist(one.color, two.color) for one, two in combinations(looks, 2)) >= 90


def test_groups_of_tasks() -> None:
    assert [task.name for task in tasks_named(["background", "preference"])] == ["preference", *GROUPS["background"]]
    assert len(GROUPS["evaluation"]) == 9 and len(GROUPS["background"]) == 4
    assert len({task.code for task in TASKS.values()}) == len(TASKS)
    with pytest.raises(ValueError, match="did you mean `evaluation`"):
        tasks_named(["evaluatio"])
    assert task_named("background/preference").folder == "preference"


# --- compact sets and arrays


@pytest.mark.parametrize("task", ["efficiency_path", "background/instrumental_action"])
def test_a_compact_set_gives_back_the_same_stimuli(task: str, tmp_path: Path) -> None:
    numbers = [4, 0, 2]
    made = CompactSet.generate(task, numbers, seed=7)
    made.save(tmp_path / "set.npz")
    read = CompactSet.load(tmp_path / "set.npz")
    assert len(read) == 3
    for place, number in enumerate(numbers):
        expected = make_pair(task, number, 7).expected
        assert made[place].same(expected) and read[place].same(expected)
    assert read[-1].same(made[2]) and len(read[:2]) == 2
    assert made.nbytes < 3 * 20_000
    with pytest.raises(IndexError, match="there is no stimulus 3; there are 3"):
        made[3]


def test_a_file_that_is_no_compact_set_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "set.npz").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(ValueError, match=r"set\.npz is not a compact set of stimuli"):
        CompactSet.load(tmp_path / "set.npz")


def test_states_are_aligned_with_the_frames() -> None:
    stimulus = make_pair("instrumental_no_barrier", 1).expected
    states = stimulus.states()
    assert len(states.trial) == stimulus.frames == len(states.agent) == len(states.barrier)
    assert states.walls.shape == (TRIALS, 10, 10) and states.walls[:, 0].all()
    start = 0
    for number, trial in enumerate(stimulus.trials):
        rows = slice(start, start + trial.frames)
        assert (states.trial[rows] == number).all()
        assert np.array_equal(states.agent[rows], trial.agent.centres)
        assert (states.objects[rows, 1] == -1).all()
        assert trial.lock is not None
        assert (states.lock[rows][trial.lock.until :] == -1).all()
        for frame in (0, trial.lock.until + 5, trial.frames - 1):
            filled = {(int(c), int(r)) for r, c in np.argwhere(states.barrier[rows][min(frame, trial.frames - 1)])}
            assert filled == trial.barrier.cells(min(frame, trial.frames - 1))
        start += trial.frames


def test_the_example_of_the_guide_runs_as_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "guides" / "intuitions.md").read_text(), re.DOTALL)
    exec(compile(code, "intuitions.md", "exec"), {})
    first, states, last = capsys.readouterr().out.splitlines()
    test = make_pair("preference", 7, 1).expected.test
    assert first == f"{test.frames} {test.agent.shape} {[each.shape for each in test.objects]}"
    assert states.endswith(", 2)") and last == "100 (64, 64, 3)"


def test_the_guide_explains_every_task_and_shows_its_sheet() -> None:
    text = (ROOT / "docs" / "guides" / "intuitions.md").read_text()
    pictures = {path.stem for path in (ROOT / "docs" / "images" / "intuitions").glob("*.png")}
    for task in TASKS.values():
        name = task.name.replace("/", "-")
        assert task.title in text
        assert [each for each in pictures if each.startswith(name) and f"intuitions/{each}.png" in text], name
    assert all(path.stat().st_size < 200_000 for path in (ROOT / "docs" / "images" / "intuitions").iterdir())


# The first eight digits of the SHA-256 of an episode's JSON files. If they change, the stimuli of a seed change, and
# the changelog says so.
_DIGESTS = {
    "preference": "b6e1c78f",
    "multi_agent": "79c06fa9",
    "inaccessible_goal": "0af4a436",
    "efficiency_path": "1482f54e",
    "efficiency_time": "a86c4e25",
    "efficiency_irrational": "3a5bdfd7",
    "instrumental_no_barrier": "8c8ddac9",
    "instrumental_inconsequential_barrier": "298d5f95",
    "instrumental_blocking_barrier": "e85f7b95",
    "background/single_object": "7f56f5c0",
    "background/preference": "0bcd9b79",
    "background/multi_agent": "ee082033",
    "background/instrumental_action": "fe42caa4",
}


@pytest.mark.parametrize("task", TASKS)
def test_the_stimuli_of_a_seed_stay_the_same(task: str) -> None:
    assert sha256("".join(text_of(task, 5, 1)).encode()).hexdigest()[:8] == _DIGESTS[task]
