"""The audit of what members of a pair share: one damaged file each, and the constraint that finds it."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from puzzlebox.intuitions.audit.members import PATH, PLACES, differing
from puzzlebox.intuitions.audit.report import AuditReport, audit_folder
from puzzlebox.intuitions.catalogue import TASKS
from puzzlebox.intuitions.episodes import make_pair
from puzzlebox.intuitions.files.names import stem_of
from puzzlebox.intuitions.files.writing import stimulus_json

Film = list[list[dict[str, Any]]]
FAMILIAR, TEST = 0, 8


@cache
def original(task: str) -> dict[str, str]:
    """The JSON of each member of one episode."""
    return {member: stimulus_json(stimulus) for member, stimulus in make_pair(task, 1, 4).members()}


def audited(folder: Path, task: str, change: Callable[[Film], None] | None = None, member: str = "e") -> AuditReport:
    """The audit of a folder with one episode, one file of which is changed."""
    place = folder / task
    place.mkdir(parents=True)
    for each, text in original(task).items():
        if change is not None and each == member:
            film = json.loads(text)
            change(film)
            text = json.dumps(film)
        (place / f"{stem_of(1, TASKS[task].code, each)}.json").write_text(text)
    return audit_folder(folder)


def entities(film: Film, trial: int, name: str) -> Iterator[list[Any]]:
    """The entity of a name in each frame of a trial: [[x, y], half, icon, color]; the first of several."""
    for frame in film[trial]:
        found = frame[name]
        if found:
            yield found if name in ("agent", "home") else found[0]


def painted(name: str, trial: int = TEST) -> Callable[[Film], None]:
    """Another colour."""

    def change(film: Film) -> None:
        for entity in entities(film, trial, name):
            entity[3] = [1, 2, 3]

    return change


def moved(name: str, trial: int = TEST, frames: slice = slice(None)) -> Callable[[Film], None]:
    """Another place, two pixels to the right, in some frames."""

    def change(film: Film) -> None:
        for entity in list(entities(film, trial, name))[frames]:
            entity[0] = [entity[0][0] + 2, entity[0][1]]

    return change


def turned(film: Film) -> None:
    """Another orientation of the key in the test."""
    for entity in entities(film, TEST, "pin"):
        entity[2] = entity[2].replace("90", "0") if "90" in entity[2] else "./shapes/keys/triangle90.png"


def walled(trial: int = TEST) -> Callable[[Film], None]:
    """One more wall cell, the first free inner one from the bottom left that nothing stands in."""

    def change(film: Film) -> None:
        frame = film[trial][0]
        walls = [box[0] for box in frame["walls"]]
        things = [frame["agent"], *frame["objects"], *frame["pin"], *frame["key"]]
        taken = [[x // 20 * 20, y // 20 * 20] for (x, y), *_ in things]
        cells = [[20 * column, 20 * row] for row in range(1, 9) for column in range(1, 9)]
        cell = next(cell for cell in cells if cell not in walls and cell not in taken)
        for each in film[trial]:
            each["walls"] = [*each["walls"], [cell, [20, 20]]]

    return change


def without_wall_later(film: Film) -> None:
    """A wall that vanishes."""
    for frame in film[TEST][60:]:
        frame["walls"] = frame["walls"][:-1]


def another_object(film: Film) -> None:
    for frame in film[FAMILIAR]:
        frame["objects"] = [*frame["objects"], [[101, 101], 9, "./shapes/train/objects/medal.png", [9, 9, 9]]]


def the_old_agent(film: Film) -> None:
    """The look of the familiar agent for that of the test."""
    look = film[FAMILIAR][0]["agent"][2:]
    for entity in entities(film, TEST, "agent"):
        entity[2:] = look


def object_of_the_other_member(task: str) -> Callable[[Film], None]:
    """The object of the test where the expected member has it."""
    place = json.loads(original(task)["e"])[TEST][0]["objects"][0][0]

    def change(film: Film) -> None:
        for entity in entities(film, TEST, "objects"):
            entity[0] = place

    return change


SAME_OBJECTS = "the same objects in all trials, the test included"
MOVES = "nothing moves but the agent and its key"
CASES: list[tuple[str, str, Callable[[Film], None], str]] = [
    ("preference", "e", painted("agent"), "the test has the familiar agent"),
    ("efficiency_irrational", "u", painted("agent"), "the test has the familiar agent"),
    ("instrumental_no_barrier", "u", painted("agent"), "the test has the familiar agent"),
    ("background/single_object", "e", painted("agent"), "one agent in all trials"),
    ("multi_agent", "e", painted("agent"), "one test has the familiar agent, the other a new one"),
    ("multi_agent", "u", the_old_agent, "one test has the familiar agent, the other a new one"),
    ("preference", "u", painted("objects"), SAME_OBJECTS),
    ("efficiency_path", "e", painted("objects"), SAME_OBJECTS),
    ("instrumental_blocking_barrier", "e", painted("objects"), SAME_OBJECTS),
    ("background/preference", "e", painted("objects", 4), SAME_OBJECTS),
    ("preference", "e", another_object, "two objects in every trial"),
    ("efficiency_time", "e", another_object, "one object in every trial"),
    ("preference", "e", moved("objects", 3, slice(50, 60)), MOVES),
    ("preference", "e", moved("home", 3, slice(50, None)), MOVES),
    ("instrumental_no_barrier", "u", moved("pin", TEST, slice(4, None)), MOVES),
    ("efficiency_path", "u", without_wall_later, MOVES),
    ("preference", "e", walled(), "the test has the familiar walls"),
    ("instrumental_inconsequential_barrier", "u", walled(), "the test has the familiar walls"),
    ("background/multi_agent", "e", walled(), "the test has the familiar walls"),
    ("inaccessible_goal", "u", walled(), "u: the familiar walls; e: more of them"),
    ("efficiency_irrational", "e", walled(), "the test has the familiar walls of e, not those of u"),
    ("preference", "u", moved("objects"), "the tests differ in the path only"),
    ("efficiency_path", "u", walled(), "the tests differ in the path only"),
    ("instrumental_no_barrier", "u", moved("key"), "the tests differ in the path only"),
    ("instrumental_inconsequential_barrier", "e", moved("pin"), "the tests differ in the path only"),
    ("multi_agent", "e", moved("agent", TEST, slice(40, 45)), "the tests differ in the agent only"),
    ("inaccessible_goal", "e", moved("objects"), "the tests differ in the walls only"),
    ("efficiency_time", "u", walled(), "the tests differ in the path and the place of the object only"),
    ("efficiency_time", "u", object_of_the_other_member("efficiency_time"), "unexpected: the object is nearer"),
    ("instrumental_blocking_barrier", "u", moved("key"), "the tests differ in the barrier only"),
    ("efficiency_irrational", "u", moved("objects", 2), "the familiarisations differ in the walls only"),
    ("instrumental_no_barrier", "u", turned, "both tests have a key, which fits the lock"),
]


def broken(report: AuditReport) -> list[str]:
    return [row["constraint"] for row in report.constraints() if row["broken"]]


@pytest.mark.parametrize("task", sorted({task for task, *_ in CASES}))
def test_files_that_are_not_damaged_pass(tmp_path: Path, task: str) -> None:
    assert broken(audited(tmp_path, task)) == []


@pytest.mark.parametrize(("task", "member", "change", "constraint"), CASES)
def test_a_damaged_file_is_found(
    tmp_path: Path, task: str, member: str, change: Callable[[Film], None], constraint: str
) -> None:
    found = broken(audited(tmp_path, task, change, member))
    assert any(name.startswith(constraint) for name in found), found


def test_every_evaluation_task_says_what_may_differ() -> None:
    from puzzlebox.intuitions.audit.checks import checks_for
    from puzzlebox.intuitions.catalogue import GROUPS

    for task in GROUPS["evaluation"]:
        names = [check.name for check in checks_for(task)]
        assert any(name.startswith(("the tests differ in", "both tests are equal")) for name in names), task


def test_parts_that_differ_are_named() -> None:
    pair = make_pair("efficiency_time", 1, 4)
    assert pair.unexpected is not None
    assert differing(pair.expected.test, pair.unexpected.test) == {PATH, PLACES}
    assert differing(pair.expected.test, pair.expected.test) == set()


def test_what_early_published_files_are_known_to_break_is_said(tmp_path: Path) -> None:
    report = audited(tmp_path, "inaccessible_goal", moved("objects"))
    (rows,) = [rows for title, _, rows in report.tables() if title == "Constraints"]
    verdicts = {row[1]: row[3] for row in rows}
    said = "BROKEN in 1, first in 1; early published files of this task did not match the places of the objects"
    assert verdicts["both tests have the same objects at the same places"] == said
    assert verdicts["the tests differ in the walls only"] == said
