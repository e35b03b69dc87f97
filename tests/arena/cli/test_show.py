"""`puzzlebox show`: pictures of tasks, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from pictures import pixels_of
from puzzlebox.cli.app import app


def shown(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["show", *arguments])


VIEWS = {"top": [], "first": [], "third": [], "fixed": ["--from", "2,6,2", "--at", "20,0,20"]}


@pytest.mark.parametrize("view", VIEWS)
def test_show_writes_a_picture(view: str, tmp_path: Path) -> None:
    file = tmp_path / "task.png"
    for size, shape in (("96", (96, 96, 3)), ("150x100", (100, 150, 3))):  # an earlier picture is replaced
        result = shown("examples/food", "--view", view, *VIEWS[view], "--size", size, "-o", str(file))
        assert result.exit_code == 0, result.output
        image = pixels_of(file.read_bytes())
        assert image.shape == shape
        assert len(np.unique(image.reshape(-1, 3), axis=0)) > 50
        assert ((image[:, :, 1] > 200) & (image[:, :, 2] < 160)).any()  # the green food


def test_pictures_are_large_enough_for_people_unless_asked_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "task.png"
    assert shown("examples/food", "--view", "first", "-o", str(file)).exit_code == 0
    assert pixels_of(file.read_bytes()).shape == (800, 1200, 3)


def test_a_fixed_view_may_look_from_anywhere_at_the_middle(tmp_path: Path) -> None:
    one, other = tmp_path / "one.png", tmp_path / "other.png"
    fixed = ["examples/food", "--view", "fixed", "--size", "60x40", "--from", "-4,9,-2.5"]
    for file, at in ((one, []), (other, ["--at", "20,0,20"])):
        assert shown(*fixed, *at, "-o", str(file)).exit_code == 0
    assert one.read_bytes() == other.read_bytes()


def test_show_replaces_no_task(tmp_path: Path) -> None:
    file = tmp_path / "task.png"
    file.write_text("arenas: []")
    result = shown("examples/food", "-o", str(file))
    assert result.exit_code == 1 and "no picture" in result.output
    assert file.read_text() == "arenas: []"


@pytest.mark.parametrize("name", ["x.jpg", "picture", "task.yml"])
def test_the_name_of_a_picture_ends_in_png(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    result = shown("nothing", "-o", str(file))  # refused before the task is read
    assert result.exit_code == 1 and not file.exists()
    assert result.output == f"error: {file} is not a picture; its name must end in .png\n"


SIZES = "it is WIDTHxHEIGHT in pixels, or one number for a square, each from 4 to 4096, as in 1200x800"
PLACES = "it is three numbers of metres from -1000 to 1000, x,y,z with y upwards, as in 2,6,2"
MISTAKES = [
    (["nothing"], "nothing"),
    ([""], ": error: the name of the task is empty\n"),
    ([" "], " : error: the name of the task is empty\n"),
    (["examples/food", "--arena", "7"], "there is no arena 7 in examples/food; it has one arena\n"),
    (["examples/food", "--arena", "0"], "--arena is 0; arenas count from 1\n"),
    (["object-permanence", "--arena", "2", "--samples", "1"], "there is no arena 2 in object-permanence; it has"),
    (["examples/food", "--rules", "1999"], "1999"),
    *(
        (["examples/food", "--size", size], f"--size {size} is not a picture size; {SIZES}")
        for size in ("3", "4097", "100x", "x100", "100x100x100", "100x3", "-5", "1e3", "large", "100,100", "9" * 5000)
    ),
    *(
        (["examples/food", "--view", "fixed", "--from", place], f"--from {place} is not a place; {PLACES}")
        for place in ("1,2", "1,2,3,4", "here", "1,nan,3", "1,2,inf", "1;2;3", "0,1001,0")
    ),
    (["examples/food", "--view", "fixed", "--from", "1,2,3", "--at", "1"], f"--at 1 is not a place; {PLACES}"),
    (["examples/food", "--view", "fixed", "--from", "1,2,3", "--at", "1,2,3"], "another place to look at"),
    (["examples/food", "--view", "fixed"], "--view fixed needs the place it looks from, as in --from 2,6,2"),
    (["examples/food", "--from", "1,2,3"], "--from and --at are for --view fixed, not for --view top"),
    (["examples/food", "--view", "third", "--at", "1,2,3"], "for --view fixed, not for --view third"),
]


@pytest.mark.parametrize(("arguments", "words"), MISTAKES, ids=lambda part: " ".join(part)[:40])
def test_show_reports_mistakes_and_writes_nothing(arguments: list[str], words: str, tmp_path: Path) -> None:
    file = tmp_path / "task.png"
    result = shown(*arguments, "-o", str(file))
    assert result.exit_code == 1 and words in result.output
    assert len([line for line in result.output.splitlines() if "error:" in line]) <= 2
    assert not file.exists()
