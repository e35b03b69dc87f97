"""Bodies that several tests share; each test resets the one it uses."""

from functools import cache

import pytest

pytest.importorskip("mujoco")


@pytest.fixture(scope="session")
def child_of():
    """Return bodies by age and control, built once."""
    from puzzlebox.infant.body.child import Child

    return cache(lambda age=18.0, control="position": Child(age, control=control))
