"""What a sense is: a name, a space and a read-out. Adding one means adding one class, here or in another package."""

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
    """How a sense is read while the native part plays whole decisions by itself (`World.cruise`)."""

    NEVER = "there is no cruise while this sense is asked for"
    JOINS = "the cruise fills it in; `Sense.join` says how"
    READS = "`Sense.read` is called after each decision; it may look at the animals and at nothing else of the world"


class Sense:
    """One sense of one animal. A subclass with a `name` can be asked for by it: `puzzlebox.make(task, compass=True)`.

    Options of its constructor are given in a dictionary: `puzzlebox.make(task, compass={"points": 8})`.

    Attributes:
        name: the key of its part of the observation, and the setting that asks for it.
        space: what it can say: a `gymnasium.spaces.Box`.
        picture: frames that are stacked lie along its last axis, the channels, instead of its first.
        cruising: how it is read on a cruise; vectors are faster where no sense says `NEVER`.
        scale: what its numbers are divided by before they become part of an observation; None: nothing.
    """

    name: ClassVar[str] = ""
    picture: ClassVar[bool] = False
    cruising: ClassVar[Cruising] = Cruising.NEVER
    space: spaces.Box
    scale: npt.NDArray[np.float32] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Make a class with a name known by it."""
        super().__init_subclass__(**kwargs)
        if not cls.name:
            return
        if not cls.name.isidentifier():
            raise TypeError(
                f"the sense {cls.__name__} has the name {cls.name!r}; it must be a word, as in compass=True"
            )
        other = SENSES.get(cls.name)
        # The same class again is a cell of a notebook that was run twice.
        if other is not None and (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise TypeError(f"there is a sense `{cls.name}` already, in {other.__module__}; give yours another name")
        SENSES[cls.name] = cls

    def read(self, world: World, animal_index: int, out: npt.NDArray[Any]) -> None:
        """Fill `out`, an array of the sense's space, with what an animal perceives now."""
        raise NotImplementedError(f"the sense {type(self).__name__} has no read")

    def join(self, cruise: Cruise, world: World, out: npt.NDArray[Any]) -> None:
        """Let a cruise fill `out` after each decision (only where `cruising` is `JOINS`)."""
        raise NotImplementedError(f"the sense {type(self).__name__} has no join")


def sense_named(name: str) -> type[Sense] | None:
    """The class of a sense, of Puzzlebox or of another package; None where nobody has it.

    Raises:
        ImportError: a package that says it has the sense cannot be loaded; the message names the package.
        TypeError: what the package has is no sense of that name.
    """
    entry = None if name in SENSES else entry_points.entries_in(entry_points.SENSES).get(name)
    if entry is not None:
        loaded = entry_points.load(entry)
        if SENSES.get(name) is not loaded:
            package = entry_points.package_of(entry)
            raise TypeError(f"{entry.value} of the package {package} is no Sense with the name `{name}`")
    return SENSES.get(name)


def sense_names() -> list[str]:
    """The names of all senses, of Puzzlebox and of other packages; nothing is imported."""
    return sorted({*SENSES, *entry_points.entries_in(entry_points.SENSES)})


def sense_of(name: str, options: Mapping[str, Any]) -> Sense:
    """A sense by its name, with options of its constructor.

    Raises:
        TypeError: it has no such option, or its space is no `Box`.
        ValueError: there is no such sense.
    """
    kind = sense_named(name)
    if kind is None:
        raise ValueError(f"there is no sense `{name}`{nearest(name, sense_names())}")
    takes = signature(kind).parameters.values()
    if not any(each.kind is Parameter.VAR_KEYWORD for each in takes):
        known = [each.name for each in takes]
        for option in options:
            if option not in known:
                hint = nearest(str(option), known) if known else "; it has none"
                raise TypeError(f"the sense `{name}` has no option `{option}`{hint}")
    sense = kind(**options)
    space = getattr(sense, "space", None)
    if not isinstance(space, spaces.Box) or not space.shape:
        raise TypeError(f"the space of the sense `{name}` is {space!r}; it must be a Box with an axis or more")
    return sense
