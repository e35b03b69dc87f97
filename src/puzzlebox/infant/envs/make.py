"""The functions that make environments of infant tasks."""

from typing import Any

from puzzlebox.infant.envs.env import InfantEnv


def make(task: str, *, render_mode: str | None = None, script: bool = False, **settings: Any) -> InfantEnv:
    """Make a Gymnasium environment of a task.

    Args:
        task: the name of a task: `grab-object`, `GrabObject` or `puzzlebox/Infant-GrabObject-v1`.
        render_mode: None or "rgb_array", a picture from outside.
        script: whether `info["script"]` has the next action of the script that solves the task.
        settings: those of the task; see the guide of the infant wing.

    Raises:
        ValueError: there is no such task or setting, or a value is not allowed.
    """
    return InfantEnv(task, render_mode=render_mode, script=script, **settings)


def make_parallel(task: str, *, render_mode: str | None = None, **settings: Any) -> Any:
    """Make a PettingZoo environment of a task, for several agents; the arguments are those of `make`."""
    from puzzlebox.infant.envs.parallel import InfantParallelEnv

    return InfantParallelEnv(task, render_mode=render_mode, **settings)
