"""The infant wing: a child's body in MuJoCo with its senses, and tasks. Its names are imported on first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puzzlebox.infant.body.child import Child
    from puzzlebox.infant.envs.make import make, make_parallel
    from puzzlebox.infant.envs.vector import make_vec
    from puzzlebox.infant.infant import Infant
    from puzzlebox.infant.remote.client import connect
    from puzzlebox.infant.senses.ears import EarsSettings
    from puzzlebox.infant.senses.skin import SkinSettings

__all__ = ["Child", "EarsSettings", "Infant", "SkinSettings", "connect", "make", "make_parallel", "make_vec"]

_PLACES = {
    "Child": "puzzlebox.infant.body.child",
    "EarsSettings": "puzzlebox.infant.senses.ears",
    "Infant": "puzzlebox.infant.infant",
    "SkinSettings": "puzzlebox.infant.senses.skin",
    "connect": "puzzlebox.infant.remote.client",
    "make": "puzzlebox.infant.envs.make",
    "make_parallel": "puzzlebox.infant.envs.make",
    "make_vec": "puzzlebox.infant.envs.vector",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
