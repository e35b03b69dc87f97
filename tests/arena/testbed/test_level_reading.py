"""Mistakes in `level.yml` are sentences with file, line and remedy."""

from pathlib import Path

import pytest

from puzzlebox.arena.testbed.level import TASKS, Level
from puzzlebox.arena.testbed.reading import LevelError, read_level

TEMPLATE = """
vary:
  away: {named: {near: 6, far: 20}}
  wall, view: [[Wall, hidden], [WallTransparent, visible]]
  size: [1, 2, 3]
  colour: [red, blue]
let: {twice: 2 * size}
arenas:
  - time_limit: 250
    pass_mark: 0.1
    items:
      - {name: Agent, at: [20, 0, 3], rotation: 0}
      - {name: $wall, at: [5, 0, 5], rotation: 0, size: [1, 1, 1]}
      - {name: GoodGoal, at: [20, 0, $away + 3], size: $size}
"""
ROW = (
    "{template: pens, title: t, values: {view: hidden}, tests: s, paradigm: p, reference: r, difficulty: 1, tags: [a]}"
)
HEAD = (
    "level: 8\ntitle: Memory\nsummary: It hides.\ntemplates:\n  pens: {looks: [colour], reserved: {size: 3}}\ntasks:\n"
)


def level(folder: Path, rows: dict[int, str], head: str = HEAD, *, partial: bool = True) -> Level:
    place = folder / "08"
    place.mkdir(exist_ok=True)
    (place / "pens.yml").write_text(TEMPLATE)
    (place / "level.yml").write_text(head + "".join(f"  {number}: {row}\n" for number, row in rows.items()))
    return read_level(folder=place, partial=partial)


def test_a_level_is_read_with_its_templates_and_rows(tmp_path: Path) -> None:
    read = level(tmp_path, {number: ROW for number in range(1, TASKS + 1)}, partial=False)
    assert (read.number, len(read.rows), read.about.title) == (8, TASKS, "Memory")
    assert read.templates["pens"].count == 24
    assert read.shortcut_of(read.rows[1]) == "fails"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "template: pens",
            "template: pen",
            "task 1: there is no template `pen` under `templates`; did you mean `pens`?",
        ),
        (
            "view: hidden",
            "view: hiden",
            "task 1: `view` is never hiden; allowed: hidden, visible; did you mean `hidden`?",
        ),
        ("view: hidden", "veiw: hidden", "task 1: the template pens has no variable `veiw`"),
        ("view: hidden", "away: 7", "task 1: `away` is never 7; allowed: near, far in the template pens"),
        ("view: hidden", "size: 3", "task 1: `size: 3` is reserved for the held-out set; take another value"),
        ("difficulty: 1", "difficulty: 9", "task 1: `difficulty` is `9`"),
        ("difficulty: 1", "dificulty: 1", "task 1: `dificulty` is not a key here; did you mean `difficulty`?"),
        ("paradigm: p, ", "", "task 1: `paradigm` is missing"),
        ("tests: s", "tests: s, control: 2", "task 1: its control, task 2, is missing"),
        ("tests: s", "tests: s, tests: u", "tasks: 1: `tests` is given twice, first in line 7"),
        ("tests: s", "tests: s, control: 1", "task 1: its control, task 1, has not `condition: control`"),
    ],
)
def test_each_mistake_has_its_line_and_a_remedy(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in ROW
    with pytest.raises(LevelError) as error:
        level(tmp_path, {1: ROW.replace(old, new)})
    assert f"{tmp_path}/08/level.yml:7:" in str(error.value)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("level: 8", "level: 7", "`level` is 7, but the folder is 08"),
        ("  pens:", "  pen:", "template pen: there is no file pen.yml beside level.yml; did you mean `pens`?"),
        ("looks: [colour]", "looks: [color]", "template pens: it has no variable `color`"),
        ("looks: [colour]", "balance: [sise]", "template pens: it has no variable `sise`"),
        ("size: 3", "size: 4", "template pens: `size` is never 4; allowed: 1, 2, 3"),
        ("title: Memory", "titel: Memory", "`titel` is not a key here; "),
        ("summary: It hides.", "summary: [", "not valid YAML"),
    ],
)
def test_mistakes_outside_the_rows_are_found(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(LevelError) as error:
        level(tmp_path, {1: ROW}, HEAD.replace(old, new))
    assert sentence in str(error.value)


def test_a_finished_level_has_thirty_tasks_and_lists_its_templates(tmp_path: Path) -> None:
    with pytest.raises(LevelError, match=r"the level has 1 of 30 tasks; missing: 2, 3, 4"):
        level(tmp_path, {1: ROW}, partial=False)
    (tmp_path / "08" / "spare.yml").write_text(TEMPLATE)
    with pytest.raises(LevelError, match=r"spare.yml is not listed under `templates`"):
        level(tmp_path, {number: ROW for number in range(1, TASKS + 1)}, partial=False)


def test_a_level_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="there is no level 77 of the testbed"):
        read_level(77)


def test_a_level_has_thirty_tasks_and_no_more(tmp_path: Path) -> None:
    with pytest.raises(
        LevelError, match=rf"level\.yml:8:3: error: `{TASKS + 1}` is no number of a task.*tasks 1 to {TASKS}"
    ):
        level(tmp_path, {1: ROW, TASKS + 1: ROW})
