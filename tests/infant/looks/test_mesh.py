"""The skin: a closed mesh that belongs to the tables, follows the bones, and grows."""

import mujoco
import numpy as np
import pytest

from infant_bodies import child_of
from puzzlebox.infant.body.bones import BONE_NAMES, BONES
from puzzlebox.infant.body.growth import Growth, measures_at
from puzzlebox.infant.looks.cut import cut
from puzzlebox.infant.looks.mesh import Skin, skin_of
from puzzlebox.infant.looks.remesh import coarsen, edges_of
from puzzlebox.infant.looks.sculpt import FILE, sculpt, table_digest
from puzzlebox.infant.looks.surface import surface_of


@pytest.fixture(scope="module")
def skin() -> Skin:
    return skin_of(Growth.at(18))


def volume(points: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = (points[triangles[:, i]].astype(np.float64) for i in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def test_the_file_was_made_from_the_current_tables() -> None:
    with np.load(FILE) as file:
        assert str(file["digest"]) == table_digest(), "`python -m puzzlebox.infant.looks.sculpt` makes it anew"


@pytest.mark.slow
def test_sculpting_again_gives_the_file() -> None:
    arrays = sculpt()
    with np.load(FILE) as file:
        for name in ("triangles", "bones", "cover", "colour"):
            assert np.array_equal(arrays[name], file[name]), name
        assert arrays["at"] == pytest.approx(file["at"], abs=1e-5)


def test_the_mesh_is_closed_and_of_moderate_size(skin: Skin) -> None:
    assert 3000 <= len(skin.triangles) <= 6500
    # Vertices on the edges of clothes are there once for each colour; by their place the mesh is closed.
    _, place = np.unique(skin.at, axis=0, return_inverse=True)
    corners = place.reshape(-1)[skin.triangles]
    pairs = np.concatenate((corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]))
    _, count = np.unique(np.sort(pairs, axis=1), axis=0, return_counts=True)
    assert (count == 2).mean() > 0.998
    assert (count % 2 == 0).all()


@pytest.mark.parametrize("age", [0, 1, 6, 18, 24])
def test_the_volume_is_that_of_a_body_of_its_mass(age: float) -> None:
    grown = skin_of(Growth.at(age))
    # Clothes and hair add a little to a body of about the density of water.
    density = measures_at(age).mass / (1000 * volume(grown.at, grown.triangles))
    assert 0.65 < density < 1.1


def test_weights_add_up_and_no_vertex_follows_distant_bones(skin: Skin) -> None:
    assert skin.weights.sum(axis=1) == pytest.approx(1, abs=1e-5)
    rows = {name: number for number, name in enumerate(BONE_NAMES)}
    linked = {(rows[b.name], rows[b.parent]) for b in BONES if b.parent}
    linked |= {(b, a) for a, b in linked} | {(a, a) for a in rows.values()}
    second = skin.bones[skin.weights[:, 1] > 0.05]
    assert len(second) > 500
    assert np.mean([(a, b) in linked for a, b in second[:, :2].tolist()]) > 0.97


def test_vertices_follow_their_bones(skin: Skin) -> None:
    child = child_of()
    child.reset(pose="sit")
    data, rows = child.data, child.built.bodies
    moved = skin.moved(data.xpos[rows], data.xmat[rows].reshape(-1, 3, 3))
    # Every vertex stays near the bone it follows most.
    away = np.linalg.norm(moved - data.xpos[rows][skin.bones[:, 0]], axis=1)
    before = np.linalg.norm(skin.at - skin.places[skin.bones[:, 0]], axis=1)
    assert np.abs(away - before).max() < 0.05
    assert moved[:, 2].min() > -0.03


def test_a_sphere_becomes_a_closed_surface_of_its_size_and_coarser() -> None:
    axis = np.arange(-12, 13) * 0.1
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij")
    grid = (np.sqrt(x * x + y * y + z * z) - 1).astype(np.float32)
    points, triangles = surface_of(grid, np.full(3, -1.2), 0.1)
    assert np.linalg.norm(points, axis=1) == pytest.approx(1, abs=0.02)
    assert volume(points, triangles) == pytest.approx(4 / 3 * np.pi, rel=0.03)
    few, coarse = coarsen(points, triangles, np.full(len(points), 0.3))
    assert len(coarse) < len(triangles) / 4
    assert len(few) - len(edges_of(coarse)) + len(coarse) == 2
    assert volume(few, coarse) == pytest.approx(4 / 3 * np.pi, rel=0.15)


def test_a_cut_leaves_no_triangle_on_both_sides() -> None:
    axis = np.linspace(0, 1, 8)
    points = np.array([(x, y, 0.0) for x in axis for y in axis])
    square = [(8 * i + j, 8 * (i + 1) + j, 8 * (i + 1) + j + 1, 8 * i + j + 1) for i in range(7) for j in range(7)]
    triangles = np.array([t for a, b, c, d in square for t in ((a, b, c), (a, c, d))])
    values = points[:, 0] + 0.37 * points[:, 1] - 0.61
    cut_points, cut_triangles, cut_values = cut(points, triangles, values)
    signs = np.sign(cut_values[cut_triangles])
    assert not ((signs > 0).any(axis=1) & (signs < 0).any(axis=1)).any()
    corners = cut_points[cut_triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] / 2
    assert area.sum() == pytest.approx(1, abs=0.02)
    assert area.min() > 0


def test_the_skin_is_outside_the_bones(skin: Skin) -> None:
    child = child_of()
    data = mujoco.MjData(child.model)
    data.qpos[:] = child.model.qpos0
    mujoco.mj_kinematics(child.model, data)
    rows = child.built.bodies
    moved = skin.moved(data.xpos[rows], data.xmat[rows].reshape(-1, 3, 3))
    assert moved[:, 2].max() == pytest.approx(0.815, abs=0.02)
    assert moved[:, 2].min() == pytest.approx(0.0, abs=0.01)
