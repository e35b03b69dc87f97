"""Degenerate hulls, on which a sanitizer once failed (`make sanitize`)."""

import numpy as np

from puzzlebox.scene.scene import Kind
from test_camera_kernel import look, scene_of


def test_a_hull_without_planes_shows_nothing() -> None:
    row = {"kind": Kind.HULL, "half": (1, 1, 1), "place": (20, 1, 23)}
    for _ in range(2):  # the second time, the extent comes from the cache
        ids = look(scene_of(row), (20, 1, 20))[2]
        assert not np.any(ids == 0)
    assert np.any(look(scene_of({**row, "kind": Kind.BOX}), (20, 1, 20))[2] == 0)
