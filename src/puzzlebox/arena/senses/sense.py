"""The base class of senses: a name, a space and a read-out. A new sense is one class, here or in another package."""

from collections.abc import Mapping
from enum import Enum
from inspect import Parameter, signature
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from puzzlebox import entry_points
from puzzlebox._native import Cruise
from puzzlebox.arena.world import World
from puzzlebox.text import nearest

SENSES: dict[str, type["Sense"]] = {}


class Cruising(Enum):
    """How a sense is read while the native loop plays whole decisions (`World.cruise`)."""

    NEVER = "there is no cruise while this sense is in use"
    JOINS = "the cruise fills it in; `Sense.join` defines how"
    READS = "`Sense.read` is called after each decision; it may read the animals and nothing else of the world"


class Sense:
    """One sense of one animal. A subclass with a `name` becomes a setting: `puzzlebox.make(task, compass=True)`.

    Options of its constructor are passed as a dictionary: `puzzlebox.make(task, compass={"points": 8})`.

    Attributes:
        name: the key of its part of the observation, and the setting that turns it on.
        space: the range of its values, a `gymnasium.spaces.Box`.
        picture: whether stacked frames lie along its last axis, the channels, instead of its first.
        cruising: how it is read on a cruise; vectors are faster if no sense has `NEVER`.
        scale: the divisor of its numbers in an observation; None: they are not scaled.
    """

    name: ClassVar[str] = ""
    picture: ClassVar[bool] = False
    cruising: ClassVar[Cruising] = Cruising.NEVER
    space: spaces.Box
    scale: npt.NDArray[np.float32] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Register a class that has a name."""
        super().__init_subclass__(**kwargs)
        if not cls.name:
            return
        if not cls.name.isidentifier():
            raise TypeError(
                f"the sense {cls.__name__} has the name {cls.name!r}; it must be a word, as in compass=True"
            )
        other = SENSES.get(cls.name)
        # The same class again comes from a notebook cell that was run twice.
        if other is not None and (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(f"there is a sense `{cls.name}` already, in {other.__module__}; give yours another name")
        SENSES[cls.name] = cls

    def read(self, world: World, animal_index: int, out: npt.NDArray[Any]) -> None:
        """Fill `out`, an array of the sense's space, with what an animal perceives now."""
        raise NotImplementedError(f"the sense {type(self).__name__} has no read")

    def join(self, cruise: Cruise, world: World, out: npt.NDArray[Any]) -> None:
        """Make a cruise fill `out` after each decision (only where `cruising` is `JOINS`)."""
        raise NotImplementedError(f"the sense {type(self).__name__} has no join")


def sense_named(name: str) -> type[Sense] | None:
    """Return the class of a sense of Puzzlebox or of another package; None if there is no such sense.

    Raises:
        ImportError: a package that declares the sense cannot be loaded; the message names the package.
        TypeError: what the package declares is not a sense of that name.
    """
    entry = None if name in SENSES else entry_points.entries_in(entry_points.SENSES).get(name)
    if entry is not None:
        loaded = entry_points.load(entry)
        if SENSES.get(name) is not loaded:
            package = entry_points.package_of(entry)
            raise TypeError(f"{entry.value} of the package {package} is not a Sense with the name `{name}`")
    return SENSES.get(name)


def sense_names() -> list[str]:
    """Return the names of all senses, of Puzzlebox and of other packages, without importing them."""
    return sorted({*SENSES, *entry_points.entries_in(entry_points.SENSES)})


def make_sense(name: str, options: Mapping[str, Any]) -> Sense:
    """Create a sense by its name, with options of its constructor.

    Raises:
        TypeError: the sense has no such option, or its space is not a `Box`.
        ValueError: there is no such sense.
    """
    kind = sense_named(name)
    if kind is None:
        raise ValueError(f"there is no sense `{name}`{nearest(name, sense_names())}")
    parameters = signature(kind).parameters.values()
    if not any(each.kind is Parameter.VAR_KEYWORD for each in parameters):
        names = [each.name for each in parameters]
        for option in options:
            if option not in names:
                hint = nearest(str(option), names) if names else "; it has none"
                raise TypeError(f"the sense `{name}` has no option `{option}`{hint}")
    sense = kind(**options)
    space = getattr(sense, "space", None)
    if not isinstance(space, spaces.Box) or not space.shape:
        raise TypeError(f"the space of the sense `{name}` is {space!r}; it must be a Box with an axis or more")
    return sense
