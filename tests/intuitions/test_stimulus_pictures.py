"""Pictures of stimuli: shapes that differ, small pictures that are averages, both painters, sheets."""

from itertools import combinations

import numpy as np
import pytest

from puzzlebox.intuitions.episodes import make_pair
from puzzlebox.intuitions.episodes.casting import AGENT_SHAPES, BARRIER_COLOR, OBJECT_SHAPES
from puzzlebox.intuitions.pictures.flat import FlatPainter, sprite
from puzzlebox.intuitions.pictures.painters import PAINTERS, painter_named
from puzzlebox.intuitions.pictures.shapes import AGENTS, OBJECTS, Polygon, is_drawn, mask_of, pieces_of
from puzzlebox.intuitions.pictures.sheets import contact_sheet, side_by_side, trial_picture


@pytest.mark.parametrize("shapes", [OBJECTS, AGENTS], ids=["objects", "agents"])
def test_no_two_shapes_are_alike(shapes: tuple[str, ...]) -> None:
    masks = {shape: mask_of(shape, 36) for shape in shapes}
    for one, two in combinations(shapes, 2):
        both, either = (masks[one] & masks[two]).sum(), (masks[one] | masks[two]).sum()
        assert both / either < 0.93, (one, two)


def test_there_are_eleven_familiar_objects_and_four_familiar_agents_and_others() -> None:
    assert len(OBJECT_SHAPES["familiar"]) == 11 and len(OBJECT_SHAPES["new"]) >= 8
    assert len(AGENT_SHAPES["familiar"]) == len(AGENT_SHAPES["new"]) == 4
    assert not set(OBJECT_SHAPES["familiar"]) & set(OBJECT_SHAPES["new"])


@pytest.mark.parametrize("shape", [*OBJECTS, *AGENTS, "square", "triangle0", "triangle_slot90"])
def test_a_shape_is_drawn_within_its_square_from_convex_pieces(shape: str) -> None:
    assert is_drawn(shape)
    assert 0.15 < mask_of(shape, 60).mean() <= 1.0
    for piece in pieces_of(shape):
        if isinstance(piece, Polygon):
            corners = np.array(piece.corners)
            assert np.abs(corners).max() <= 1.001
            steps = np.roll(corners, -1, axis=0) - corners
            turns = steps[:, 0] * np.roll(steps[:, 1], -1) - steps[:, 1] * np.roll(steps[:, 0], -1)
            assert (turns >= -1e-9).all(), "its corners are counterclockwise and convex"


def test_a_key_fits_its_slot() -> None:
    for degrees in (0, 90, 180, 270):
        key, slot = mask_of(f"triangle{degrees}", 80), mask_of(f"triangle_slot{degrees}", 80)
        assert (key ^ slot).mean() > 0.99
    assert (mask_of("triangle0", 80) & mask_of("triangle_slot180", 80)).any()


def test_an_unknown_icon_is_a_disc() -> None:
    assert not is_drawn("submarine")
    assert mask_of("submarine", 20)[10, 10] and not mask_of("submarine", 20)[0, 0]


def test_a_sprite_covers_as_much_as_its_shape_at_any_place() -> None:
    area = mask_of("heart", 144).mean() * 18 * 18
    for left, top in ((0.0, 0.0), (0.3, 0.7), (0.999, 0.5)):
        _, _, cover = sprite("heart", 9, left, top, 1.0)
        assert cover.sum() == pytest.approx(area, rel=1e-3)
        assert cover.max() <= 1.0 + 1e-6


@pytest.mark.parametrize("size", [64, 84, 100])
def test_a_small_picture_is_the_average_of_the_large_one(size: int) -> None:
    trial = make_pair("instrumental_no_barrier", 0).expected.trials[0]
    large = FlatPainter(200).frame(trial, 50).astype(float)
    small = FlatPainter(size).frame(trial, 50).astype(float)
    if size == 100:
        assert np.abs(large.reshape(100, 2, 100, 2, 3).mean(axis=(1, 3)) - small).mean() < 0.5
    assert np.abs(large.mean(axis=(0, 1)) - small.mean(axis=(0, 1))).max() < 1.0


def test_walls_are_black_and_places_are_those_of_the_data() -> None:
    trial = make_pair("instrumental_no_barrier", 0).expected.trials[0]
    image = FlatPainter().frame(trial, 0)
    assert (image[:20] == 0).all() and (image[:, -20:] == 0).all()
    for column, row in trial.barrier.cells():
        middle = image[200 - 20 * row - 10, 20 * column + 10]
        assert tuple(middle) == BARRIER_COLOR
    assert not (FlatPainter().frame(trial, trial.frames - 1) == BARRIER_COLOR).all(axis=2).any()
    x, y = trial.agent.centres[0].tolist()
    assert tuple(image[200 - y, x]) == trial.agent.color


def test_equal_frames_are_painted_once() -> None:
    trial = make_pair("preference", 0).expected.trials[0]
    runs = trial.runs()
    assert sum(count for _, count in runs) == trial.frames
    assert runs[0] == (0, 31) and runs[-1][1] == 84
    painter = FlatPainter(64)
    for start, count in runs[:3]:
        assert np.array_equal(painter.frame(trial, start), painter.frame(trial, start + count - 1))
        assert not np.array_equal(painter.frame(trial, start), painter.frame(trial, start + count))


def test_pictures_for_a_learner_are_the_frames_of_the_film() -> None:
    trial, painter = make_pair("preference", 0).expected.trials[0], FlatPainter(64)
    images = painter.pictures(trial, range(0, trial.frames, 10))
    assert images.shape == (-(-trial.frames // 10), 64, 64, 3)
    assert np.array_equal(images[4], FlatPainter(64).frame(trial, 40))


def test_a_carried_key_outside_the_picture_is_cut_off() -> None:
    from dataclasses import replace

    trial = make_pair("instrumental_no_barrier", 0).expected.trials[0]
    assert trial.key is not None
    for corner in ((-15, 190), (195, -15), (-40, 50)):
        corners = np.broadcast_to(np.array(corner, np.int16), (trial.frames, 2))
        assert FlatPainter().frame(replace(trial, key=replace(trial.key, corners=corners)), 0).shape == (200, 200, 3)


# --- three dimensions


@pytest.fixture(scope="module")
def solid() -> np.ndarray:
    trial = make_pair("instrumental_no_barrier", 0).expected.trials[0]
    painter = painter_named("three-d", 120)
    return np.stack([painter.frame(trial, frame) for frame in (0, 40, trial.frames - 1)])


def greenish(image: np.ndarray) -> int:
    red, green, blue = (image[..., channel].astype(int) for channel in range(3))
    return int(((green > red + 30) & (green > blue + 30)).sum())


def test_the_solid_picture_shows_motion_and_the_vanishing_barrier(solid: np.ndarray) -> None:
    first, later, last = solid
    assert (first != later).any(axis=2).sum() > 5
    assert greenish(first) > 100 and greenish(later) == greenish(first)
    assert greenish(last) == 0


def test_the_table_fills_the_solid_picture(solid: np.ndarray) -> None:
    dark = (solid[0].max(axis=2) < 90).any(axis=0)
    assert dark.mean() > 0.95


@pytest.mark.parametrize("name", PAINTERS)
def test_a_place_of_the_film_is_where_the_painter_shows_it(name: str) -> None:
    """The home lies flat on the floor at the start; a place in three dimensions is projected like what is painted."""
    painter = painter_named(name, 200)
    for number in range(3):
        trial = make_pair("preference", number).expected.trials[0]
        assert trial.home is not None
        image = painter.frame(trial, trial.frames - 1).astype(int)
        pink = (image[..., 0] > image[..., 1] + 60) & (image[..., 2] > image[..., 1] + 25)
        column, row = painter.point(*trial.home.centres[0].tolist())
        rows, columns = pink.nonzero()
        near = (abs(rows - row) < 12) & (abs(columns - column) < 12)
        assert near.sum() > 40
        assert abs(rows[near].mean() + 0.5 - row) < 1.5 and abs(columns[near].mean() + 0.5 - column) < 1.5


# --- for people


@pytest.mark.parametrize("name", PAINTERS)
def test_a_contact_sheet_shows_the_path_of_the_agent(name: str) -> None:
    painter, trial = painter_named(name, 100), make_pair("efficiency_path", 0).expected.test
    dots = (trial_picture(painter, trial) == (230, 30, 30)).all(axis=2)
    for x, y in trial.path[[0, 3, 6]].tolist():
        column, row = painter.point(x, y)
        assert dots[round(row) - 1, round(column) - 1]
    assert dots.sum() > len(trial.path) / 3


def test_a_contact_sheet_has_a_row_for_each_member_and_frames_the_tests() -> None:
    pair = make_pair("efficiency_path", 0)
    sheet = contact_sheet(pair, FlatPainter(50))
    assert sheet.shape == (2 * 56 + 6, 9 * 56 + 6, 3)
    assert tuple(sheet[7, -30]) == (46, 125, 50) and tuple(sheet[63, -30]) == (198, 40, 40)
    assert contact_sheet(make_pair("background/single_object", 0), FlatPainter(50)).shape[0] == 62


def test_the_shorter_film_waits_for_the_other() -> None:
    pair = make_pair("efficiency_path", 0)
    assert pair.unexpected is not None
    longest = max(pair.expected.test.frames, pair.unexpected.test.frames)
    images = list(side_by_side(pair, FlatPainter(50), every=10, test_only=True))
    assert len(images) == -(-longest // 10)
    assert images[0].shape == (50, 106, 3)


def test_an_unknown_painter_and_size_get_a_sentence() -> None:
    with pytest.raises(ValueError, match="there is no painter 'flet'; allowed: flat, three-d; did you mean `flat`"):
        painter_named("flet")
    for name in PAINTERS:
        with pytest.raises(ValueError, match="a picture of 4 pixels a side; it can have 8 to 2000"):
            painter_named(name, 4)
