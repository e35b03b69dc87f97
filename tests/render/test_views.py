"""Pictures for people: the four views of a Scene, and the painter's own demonstration."""

import re
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import ROOT
from pictures import pixels_of
from puzzlebox.arena.senses.camera import Camera
from puzzlebox.arena.senses.rays import Rays
from puzzlebox.arena.senses.vitals import Vitals
from puzzlebox.arena.world import World
from puzzlebox.render import FLOOR, Painter, View
from puzzlebox.render.__main__ import main, make_scene, paint_sheet
from puzzlebox.scene.scene import Scene
from staging import item, staged, the

Image = Any


def seen(scene: Scene, view: View, width: int = 120, height: int = 80, through: bool = False) -> Image:
    """Which row of the scene each pixel shows."""
    image, ids = np.zeros((height, width, 1), np.uint8), np.zeros((height, width), np.int32)
    looking = (view.eye, view.heading, view.pitch, view.fov_degrees)
    Painter(scene).paint(image, *looking, ids=ids, skip_thing=view.skip_thing, through=through)
    return ids


def wall(x: float, z: float, size: list[float], y: float = 0.0, **keys: Any) -> str:
    return item("Wall", x, z, y, size=size, color=[90, 90, 200], **keys)


# --- views


def test_first_is_what_the_camera_of_the_animal_sees() -> None:
    world = staged(item("Agent", 20, 5, rotation=34), item("GoodGoal", 24, 12, size=[1, 1, 1]))
    painter, view = Painter(world.scene()), View.first(world.scene())
    square = Camera(80).look(world)
    assert np.array_equal(painter.picture(view, 80, 80, samples=1), square)
    wide = painter.picture(view, 120, 80, samples=1)
    assert (np.abs(wide[:, 20:100].astype(int) - square) <= 1).mean() > 0.999


def test_views_are_those_of_the_animal_asked_for() -> None:
    shown = staged(item("Agent", 10, 5), item("Agent", 30, 25, rotation=90)).scene()
    assert View.first(shown, 1).eye[0] == pytest.approx(30) and View.first(shown, 1).heading == 90
    assert View.third(shown, 1).eye == pytest.approx((30 - 2.79, 0.5 + 1.12, 25), abs=0.02)
    assert View.third(shown, 0).eye == pytest.approx((10, 0.5 + 1.12, 5 - 2.79), abs=0.02)


@pytest.mark.parametrize(
    ("size", "shape"), list(product([(40, 40), (20, 60), (60, 20), (5, 5)], [(90, 90), (120, 80), (60, 150)])), ids=str
)
def test_the_whole_arena_is_seen_from_above_as_large_as_fits(size: tuple[int, int], shape: tuple[int, int]) -> None:
    world = staged(item("Agent", 2, 4), size=list(size))
    ids = seen(world.scene(), View.top(world.scene(), shape[0] / shape[1]), *shape)
    rows, columns = np.nonzero(ids == FLOOR)
    across, along = np.ptp(columns) + 1, np.ptp(rows) + 1
    assert across / along == pytest.approx(size[0] / size[1], rel=0.1)
    assert across < shape[0] and along < shape[1]
    # One metre on each side is left, whichever way it is tighter.
    filled = max(across / shape[0] * (size[0] + 2) / size[0], along / shape[1] * (size[1] + 2) / size[1])
    assert filled == pytest.approx(1, abs=0.05)
    animal_row, animal_column = (part.mean() for part in np.nonzero(ids == world.scene().animals[0]))
    # Small x is on the left, small z at the bottom.
    assert animal_column < shape[0] / 2 and (animal_row > shape[1] / 2 or size[1] < 8)


@pytest.mark.parametrize("eye", [(2, 6, 2), (38, 3, 2), (-5, 9, 50), (20, 30, 25.0)], ids=str)
def test_a_fixed_view_has_what_it_looks_at_in_its_middle(eye: tuple[float, float, float]) -> None:
    world = staged(item("Agent", 2, 20), item("GoodGoal", 20, 25, size=[1, 1, 1]))
    shown, goal = world.scene(), world.position_of(the(world, "GoodGoal"))
    ids = seen(shown, View.fixed(eye, goal), 240, 160)
    rows, columns = np.nonzero(ids == shown.owners.tolist().index(the(world, "GoodGoal").id))
    assert rows.mean() == pytest.approx(79.5, abs=1) and columns.mean() == pytest.approx(119.5, abs=1)


@pytest.mark.parametrize("at", [(1.0, 2.0, 3.0), (float("nan"), 0.0, 0.0)])
def test_a_fixed_view_needs_two_places(at: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="another place to look at"):
        View.fixed((1.0, 2.0, 3.0), at)


WORLD = staged(item("Agent", 20, 5))
SCENE, ABOVE = WORLD.scene(), View.top(WORLD.scene())
ONE_ANIMAL = "there is 1 animal, numbered from 0"
REFUSED: list[tuple[Any, str]] = [
    (lambda: View.first(SCENE, 1), f"there is no animal 1; {ONE_ANIMAL}"),
    (lambda: View.third(SCENE, 5), f"there is no animal 5; {ONE_ANIMAL}"),
    (lambda: Camera(16).look(WORLD, 3), f"there is no animal 3; {ONE_ANIMAL}"),
    (lambda: Rays().cast(WORLD, 3), f"there is no animal 3; {ONE_ANIMAL}"),
    (lambda: Rays().hits(WORLD, 3), f"there is no animal 3; {ONE_ANIMAL}"),
    (lambda: Vitals().feel(WORLD, "pig"), f"there is no animal 'pig'; {ONE_ANIMAL}"),
    (
        lambda: View.first(staged(item("Agent", 20, 5), item("Agent", 20, 9)).scene(), 2),
        "there is no animal 2; there are 2 animals, numbered from 0",
    ),
    (lambda: View.fixed((1, 2), at=(4, 5, 6)), "eye is (1, 2); it must be three numbers, x, y and z in metres"),
    (lambda: View.fixed("123", at=(4, 5, 6)), "eye is '123'; it must be three numbers, x, y and z in metres"),
    (lambda: View.fixed((4, 5, 6), at=None), "at is None; it must be three numbers, x, y and z in metres"),
    (lambda: View((1, 2, 3), "north"), "heading is 'north'; it must be a number of degrees"),
    (lambda: View.top(SCENE, aspect=0), "aspect is 0; it must be a positive number, width over height"),
    (lambda: View.top(SCENE, "3:2"), "aspect is '3:2'; it must be a positive number, width over height"),
    (lambda: View.whole(WORLD), "scene is a World; it must be a Scene, as `world.scene()` gives"),
    (lambda: Painter(WORLD), "scene is a World; it must be a Scene, as `world.scene()` gives"),
    (lambda: Painter(SCENE).picture("top", 9, 9), "view is a str; it must be a View, as `View.first(scene)` gives"),
]
SIDES = "it must be a whole number from 1 to 8192 pixels if samples is 2"
REFUSED += [
    (lambda size=size: Painter(SCENE).picture(ABOVE, *size), f"{words}; {SIDES}")
    for size, words in (
        ((10.5, 10), "width is 10.5"),
        ((10, -1), "height is -1"),
        ((10**6, 10**6), "width is 1000000"),
        ((10, True), "height is True"),
    )
]
REFUSED += [
    (
        lambda samples=samples: Painter(SCENE).picture(ABOVE, 10, 10, samples=samples),
        f"samples is {samples!r}; it must be a whole number from 1 to 16",
    )
    for samples in ("a", 0, 1.5, 17)
]


@pytest.mark.parametrize(("asked", "words"), REFUSED, ids=lambda part: part if isinstance(part, str) else "")
def test_invalid_arguments_of_painting_are_refused(asked: Callable[[], object], words: str) -> None:
    with pytest.raises(TypeError if words.startswith(("scene", "view")) else ValueError) as refusal:
        asked()
    assert str(refusal.value) == words


# --- the third person, where something is in the way

AGENT = item("Agent", 20, 10, skin="pig")
CROWDED = {
    "a wall at arm's length": [AGENT, wall(20, 8, [6, 3, 1])],
    "a wall far back": [AGENT, wall(20, 7.5, [6, 3, 0.2])],
    "a wall it touches": [AGENT, wall(20, 9, [6, 3, 1])],
    "the fence": [item("Agent", 20, 0.6)],
    "a corner": [item("Agent", 0.6, 39.4, rotation=135)],
    "a pillar": [item("Agent", 20, 10, rotation=30), wall(19.3, 8.8, [0.5, 4, 0.5])],
    "a passage": [AGENT, wall(19, 10, [0.5, 1.5, 6]), wall(21, 10, [0.5, 1.5, 6]), wall(20, 10, [3, 0.3, 6], 1.5)],
    "a niche": [
        *(AGENT, wall(20, 9, [3, 1.5, 0.5]), wall(18.9, 10.5, [0.5, 1.5, 2]), wall(21.1, 10.5, [0.5, 1.5, 2])),
        wall(20, 10, [5, 0.3, 3], 1.5),
    ],
    "a block": [AGENT, item("HeavyBlock", 20, 8, size=[2, 3, 1])],
}


def share_of_the_animal(world: World, view: View) -> float:
    """How much of it is seen of what would be seen if it were alone before that eye."""
    shown = world.scene()
    row = shown.animals[0]
    with_others = (seen(shown, view, through=True) == row).sum()
    shown.poses["flags"] = 1
    shown.poses["flags"][row] = 0
    alone = (seen(shown, view) == row).sum()
    shown.poses["flags"] = 0
    return float(with_others / max(alone, 1))


@pytest.mark.parametrize("items", CROWDED.values(), ids=CROWDED)
def test_the_animal_is_never_hidden_from_behind(items: list[str]) -> None:
    world = staged(*items)
    view = View.third(world.scene())
    assert share_of_the_animal(world, view) > 0.75
    # From outside its body, ears and all.
    assert np.linalg.norm(np.subtract(view.eye, View.first(world.scene()).eye)) >= 1.2 - 1e-6
    assert (seen(world.scene(), view) == world.scene().animals[0]).mean() > 0.02
    assert all(0 < at < 40 for at in (view.eye[0], view.eye[2]))


def test_the_eye_comes_nearer_along_its_arm() -> None:
    free = View.third(staged(AGENT).scene())
    near = View.third(staged(AGENT, wall(20, 8, [6, 3, 1])).scene())
    assert (near.heading, near.pitch) == (free.heading, free.pitch) == (0, pytest.approx(-10))
    # 0.2 m before the face of the wall, at 8.5, measured along the arm.
    assert near.eye[2] == pytest.approx(8.5 + 0.2, abs=0.05)
    middle = View.first(staged(AGENT).scene()).eye[1]
    slope = (free.eye[1] - middle) / (10 - free.eye[2])
    assert near.eye[1] - middle == pytest.approx(slope * (10 - near.eye[2]), abs=0.01)


@pytest.mark.parametrize("name", ["WallTransparent", "DataZone"])
def test_transparent_things_do_not_block_the_camera_behind_the_animal(name: str) -> None:
    veiled = staged(AGENT, item(name, 20, 8.5, size=[6, 3, 1])).scene()
    assert View.third(veiled) == View.third(staged(AGENT).scene())


def test_the_page_on_pictures_works_as_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "guides" / "pictures.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(code, "pictures.md", "exec"), {})
    assert capsys.readouterr().out == "(160, 240, 3)\n"


# --- `python -m puzzlebox.render`


def test_the_painter_shows_itself_with_four_cameras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "scene.png"
    monkeypatch.setattr(sys, "argv", ["render", str(file)])
    main()
    image = pixels_of(file.read_bytes())
    assert image.shape == (800, 1200, 3) and np.array_equal(image, paint_sheet())
    top, fixed = image[400:, :600], image[400:, 600:]
    painter, there = Painter(make_scene()), make_scene()
    assert np.array_equal(image[:400, :600], painter.picture(View.first(there), 600, 400))
    assert np.array_equal(image[:400, 600:], painter.picture(View.third(there), 600, 400))
    assert np.array_equal(top, painter.picture(View.top(there, 1.5), 600, 400)) and not np.array_equal(top, fixed)


@pytest.mark.parametrize("name", ["x.jpg", "picture", "task.yml"])
def test_the_demonstration_writes_only_png_files(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / name
    monkeypatch.setattr(sys, "argv", ["render", str(file)])
    with pytest.raises(SystemExit):
        main()
    assert not file.exists()


def test_from_higher_up_a_thing_in_the_air_is_drawn_nearer_to_what_is_below_it() -> None:
    world = staged(item("Agent", 20, 20), item("GoodGoal", 34, 20, 8))
    scene = world.scene()
    row = scene.owners.tolist().index(the(world, "GoodGoal").id)

    def columns(higher: float) -> tuple[float, float]:
        """Return how far to the right the goal is in a picture of 420 pixels, and where the floor begins."""
        ids = seen(scene, View.top(scene, higher=higher), 420, 420)
        return float(np.nonzero(ids == row)[1].mean()), float(np.nonzero(ids == FLOOR)[1].min())

    near, far = columns(1.0), columns(16.0)
    assert far[0] == pytest.approx(350, abs=4) and near[0] > far[0] + 25  # ten pixels a metre, one metre of margin
    assert far[1] == near[1]
