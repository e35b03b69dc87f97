"""The audit: it finds each broken constraint, says what a shortcut solves, and reads damaged folders."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from puzzlebox.intuitions.audit.measures import can_reach
from puzzlebox.intuitions.audit.report import audit_folder, audit_generated, audit_pair, audit_pairs
from puzzlebox.intuitions.audit.shortcuts import BARRIER_SHORTCUTS, SHORTCUTS, score
from puzzlebox.intuitions.catalogue import GROUPS, TASKS
from puzzlebox.intuitions.episodes import Pair, Stimulus, Trial, make_pair
from puzzlebox.intuitions.files.reading import StimulusError
from puzzlebox.intuitions.files.sets import NO_FILMS, Options, write_set
from puzzlebox.intuitions.files.writing import stimulus_json


def with_test(pair: Pair, **members: Trial) -> Pair:
    """A pair with other tests."""
    changed = {name: Stimulus((*getattr(pair, name).familiarisation, trial)) for name, trial in members.items()}
    return replace(pair, **changed)


def swapped(pair: Pair) -> Pair:
    assert pair.unexpected is not None
    return replace(pair, expected=pair.unexpected, unexpected=pair.expected)


def both_expected(pair: Pair) -> Pair:
    return replace(pair, unexpected=pair.expected)


def jumping(pair: Pair) -> Pair:
    trial = pair.expected.test
    corners = trial.agent.corners.copy()
    corners[40] += 30
    return with_test(pair, expected=replace(trial, agent=replace(trial.agent, corners=corners)))


def waiting(pair: Pair) -> Pair:
    trial = pair.expected.test
    corners = np.concatenate((trial.agent.corners[:1], trial.agent.corners[:-1]))
    return with_test(pair, expected=replace(trial, agent=replace(trial.agent, corners=corners)))


def other_key(pair: Pair) -> Pair:
    trials = list(pair.expected.trials)
    key = trials[0].key
    assert key is not None
    number = int(key.shape.removeprefix("triangle"))
    trials[0] = replace(trials[0], key=replace(key, icon=f"./shapes/keys/triangle{(number + 90) % 360}.png"))
    return replace(pair, expected=Stimulus(tuple(trials)))


CASES: list[tuple[str, Callable[[Pair], Pair], str]] = [
    ("preference", swapped, "expected: to A; unexpected: to B"),
    ("preference", both_expected, "expected: to A; unexpected: to B"),
    ("preference", jumping, "at most 2 pixels a frame"),
    ("preference", waiting, "30 still frames before"),
    ("multi_agent", both_expected, "type i: both to A"),
    ("inaccessible_goal", swapped, "expected: A enclosed"),
    ("efficiency_path", swapped, "efficient before the test"),
    ("efficiency_path", both_expected, "unexpected: a familiar path, repeated exactly"),
    ("efficiency_time", swapped, "efficient before the test"),
    ("efficiency_irrational", swapped, "the same paths before: around nothing (e)"),
    ("instrumental_no_barrier", swapped, "expected: to the goal"),
    ("instrumental_no_barrier", other_key, "before the test: key, lock, barrier gone, goal"),
    ("instrumental_blocking_barrier", swapped, "one path to the key"),
]


@pytest.mark.parametrize(("task", "change", "constraint"), CASES)
def test_a_broken_constraint_is_found(task: str, change: Callable[[Pair], Pair], constraint: str) -> None:
    pair = make_pair(task, 1, 4)
    assert all(audit_pair(pair).checks.values())
    broken = [name for name, holds in audit_pair(change(pair)).checks.items() if not holds]
    assert any(name.startswith(constraint) for name in broken), broken


def test_an_agent_in_a_wall_is_found() -> None:
    pair = make_pair("efficiency_path", 0, 4)
    trial = pair.expected.trials[0]
    # Its way around the wall, with a wall put across it.
    x, y = (trial.path[len(trial.path) // 2] // 20 * 20).tolist()
    boxes = np.concatenate((trial.walls.boxes, [[x, y, 20, 20]]))
    walls = replace(trial.walls, boxes=boxes, until=np.append(trial.walls.until, trial.frames))
    changed = replace(pair, expected=Stimulus((replace(trial, walls=walls), *pair.expected.trials[1:])))
    assert not audit_pair(changed).checks["the agent is never in a wall or barrier"]


def test_an_unbalanced_choice_is_found() -> None:
    from puzzlebox.intuitions.audit.measures import chose_nearer

    pairs = [make_pair("multi_agent", number) for number in range(3)]
    near = [trial for pair in pairs for trial in pair.expected.familiarisation if chose_nearer(trial)]
    made = [replace(pair, expected=Stimulus((*near[:8], near[8]))) for pair in pairs]
    (row,) = [row for row in audit_pairs(made).constraints() if "nearer object" in row["constraint"]]
    assert row["broken"] == 1 and "100.0 % of 27 trials" in row["constraint"]
    fair = audit_pairs(pairs).constraints()
    assert [row["broken"] for row in fair if "nearer object" in row["constraint"]] == [0]


def test_shortcuts_score_as_the_design_says() -> None:
    expected = {
        ("preference", "same location"): 0.0,
        ("multi_agent", "nearest object"): 0.5,
        ("inaccessible_goal", "same location"): 0.5,
        ("efficiency_path", "same location"): 0.5,
        ("efficiency_irrational", "nearest object"): 0.5,
        ("instrumental_no_barrier", "nearest object"): 1.0,
        ("instrumental_inconsequential_barrier", "nearest object"): 1.0,
        ("instrumental_blocking_barrier", "nearest object"): 0.5,
        ("efficiency_path", "shorter test"): 1.0,
        ("multi_agent", "shorter test"): 0.5,
        ("multi_agent", "object listed first"): 0.5,
        ("instrumental_no_barrier", "object listed first"): 1.0,
        ("preference", "familiar layout"): 0.5,
        ("multi_agent", "familiar layout"): 0.5,
        ("inaccessible_goal", "familiar layout"): 0.0,
        ("efficiency_path", "familiar layout"): 0.5,
        ("efficiency_irrational", "familiar layout"): 1.0,
        ("instrumental_inconsequential_barrier", "familiar layout"): 0.5,
    }
    for (task, name), share in expected.items():
        assert score(make_pair(task, 0), SHORTCUTS[name]) == share, (task, name)
    pairs = [make_pair("preference", number) for number in range(4)]
    assert sum(score(pair, SHORTCUTS["nearest object"]) for pair in pairs) == 2.0
    assert sum(score(pair, SHORTCUTS["object listed first"]) for pair in pairs) == 2.0
    pairs = [make_pair("efficiency_time", number) for number in range(8)]
    assert sum(score(pair, SHORTCUTS["shorter test"]) for pair in pairs) == 4.0
    assert sum(score(pair, SHORTCUTS["familiar layout"]) for pair in pairs) == 4.0


def test_nothing_but_what_it_encloses_tells_the_barriers_of_a_blocking_pair_apart() -> None:
    """16 pairs have each combination of levels once; before, the farther barrier was the unexpected one in 76 %."""
    pairs = [make_pair("instrumental_blocking_barrier", number, 1) for number in range(16)]
    for name, model in BARRIER_SHORTCUTS.items():
        assert sum(score(pair, model) for pair in pairs) == 8.0, name
    for pair in pairs:
        assert pair.unexpected is not None
        tests = pair.expected.test, pair.unexpected.test
        goal = tests[0].objects[0]
        assert [can_reach(test, goal) for test in tests] == [False, True]
        cells = [test.barrier.cells() for test in tests]
        assert len(cells[0]) == len(cells[1])
        nearest = [min(abs(np.array(list(each)) * 20 + 10 - goal.centres[0]).sum(axis=1)) for each in cells]
        assert nearest == [20, 20]
        assert {score(pair, SHORTCUTS[name]) for name in ("nearest object", "same location", "shorter test")} == {0.5}


def test_the_audit_scores_barriers_where_the_members_differ_in_them() -> None:
    report = audit_pairs([make_pair(task, 0) for task in GROUPS["evaluation"]])
    scored = {row["task"] for row in report.shortcuts() if row["shortcut"] in BARRIER_SHORTCUTS}
    assert scored == {"instrumental_blocking_barrier"}


def test_the_report_says_why_a_shortcut_succeeds() -> None:
    turned = [swapped(make_pair("preference", number)) for number in range(8)]
    report = audit_pairs([make_pair("instrumental_no_barrier", 0), *turned])
    why = {(row["task"], row["shortcut"]): row["why"] for row in report.shortcuts()}
    assert why["instrumental_no_barrier", "nearest object"].startswith("in the design: with one object")
    assert why["preference", "same location"].startswith("NOT in the design")
    path = audit_pairs([make_pair("efficiency_path", 0)]).shortcuts()
    assert [row["why"][:13] for row in path if row["shortcut"] == "shorter test"] == ["in the design"]
    titles = [title for title, _, _ in report.tables()]
    assert titles == ["Constraints", "Measures", "Shortcuts (chance is 50 %)"]
    assert report.broken >= 1 and report.data()["episodes"] == 9


def test_few_pairs_are_no_evidence_against_a_design() -> None:
    """Three pairs have an interval of 44 to 100 %, which includes chance."""
    for count, verdict in ((3, "too few pairs to tell: the interval of 3 pairs is 44 to 100 %"), (6, "NOT in the d")):
        turned = audit_pairs([swapped(make_pair("preference", number)) for number in range(count)])
        rows = {row["shortcut"]: row for row in turned.shortcuts()}
        assert rows["same location"]["share"] == 1.0
        assert rows["same location"]["why"].startswith(verdict)
        low, high = rows["same location"]["interval"]
        assert low < 0.7 and high == 1.0


def test_a_damaged_folder_is_refused_or_audited_in_part(tmp_path: Path) -> None:
    write_set(tmp_path, [TASKS["multi_agent"]], 4, Options(films=NO_FILMS))
    whole = audit_folder(tmp_path)
    assert len(whole.episodes) == 4 and not whole.broken and not whole.problems
    (tmp_path / "multi_agent" / "000002mae.json").write_text("[[")
    (tmp_path / "multi_agent" / "000001mau.json").unlink()
    with pytest.raises(StimulusError, match=r"000001mau\.json is missing"):
        audit_folder(tmp_path)
    part = audit_folder(tmp_path, keep_going=True)
    assert [episode.number for episode in part.episodes] == [0, 3]
    assert len(part.problems) == 2


def test_files_as_others_write_them_are_audited_like_ours(tmp_path: Path) -> None:
    """On one line, with entities in one list more, other letters in the names, and no settings."""
    folder = tmp_path / "evaluation" / "instrumental_no_barrier"
    folder.mkdir(parents=True)
    for number in range(1):
        for member, stimulus in make_pair("instrumental_no_barrier", number, 1).members():
            text = stimulus_json(stimulus, nested=True).replace("\n", "").replace(",", ", ")
            (folder / f"00000{number}xy{member}.json").write_text(text)
    (folder / "index_cache.json").write_text("{}")
    theirs = audit_folder(tmp_path)
    ours = audit_pairs(make_pair("instrumental_no_barrier", number, 1) for number in range(1))
    assert theirs.data() == ours.data()


# --- the whole of it; minutes


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_thousand_episodes_of_a_task_pass_the_audit(task: str) -> None:
    """About a minute each on two cores; as files they would fill the disk."""
    report = audit_generated(task, 1000, seed=1, workers=2)
    assert len(report.episodes) == 1000
    assert [row for row in report.constraints() if row["broken"]] == []
    assert [row for row in report.shortcuts() if row["why"].startswith("NOT")] == []
    assert bool(report.shortcuts()) is (task in GROUPS["evaluation"])


@pytest.mark.slow
def test_new_shapes_pass_the_audit_as_well() -> None:
    for task in GROUPS["evaluation"]:
        assert not audit_generated(task, 20, seed=3, shapes="new").broken


@pytest.mark.slow
def test_one_and_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    tasks = list(TASKS.values())
    for workers in (1, 2):
        write_set(tmp_path / str(workers), tasks, 2, Options(seed=2), workers=workers)
    one, two = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*.*")}
        for root in (tmp_path / "1", tmp_path / "2")
    )
    assert len(one) == 2 * (9 * 4 + 4 * 2) + 13
    assert one == two
