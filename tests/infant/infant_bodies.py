"""Bodies that several tests share; each test resets the one it uses."""

from functools import cache

from puzzlebox.infant.body.child import Child


@cache
def child_of(age: float = 18.0, control: str = "position") -> Child:
    """Return a body by age and control, built once."""
    return Child(age, control=control)
