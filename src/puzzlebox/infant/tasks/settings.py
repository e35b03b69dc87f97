"""The settings that all tasks of the toolkit share: the age of the child, its senses, how it is controlled, delays."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from puzzlebox.infant.body.growth import REFERENCE_MONTHS, check_age
from puzzlebox.infant.control.delay import Delay
from puzzlebox.text import closest

# All senses by the names of their parts of an observation.
SENSES = ("eyes", "fovea", "ears", "skin", "touch", "joints", "balance", "target", "colour")
PRIMITIVES, JOINTS = "primitives", "joints"
HRTF, PLAIN, SILENT = "hrtf", "plain", "silent"
WAVE, SPECTRUM = "wave", "spectrum"
AGE, PERFECT = "age", "perfect"
WHOLE, HANDS = "whole", "hands"
# The regions of the taxels of hands.
HAND_REGIONS = ("hand", "fingertips")


def _plain(value: Any) -> Any:
    """Return a number or truth value of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else value


def check_truth(name: str, value: Any) -> bool:
    """Return a truth value, also one of NumPy, as a bool.

    Raises:
        ValueError: it is something else, such as a text.
    """
    truth = _plain(value)
    if not isinstance(truth, bool):
        raise ValueError(f"{name} is {value!r}; it must be True or False")
    return truth


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of every task.

    Attributes:
        age_months: the age of the child, from the youngest age of the task to 24.
        senses: the parts of an observation. Default: those of the task.
        primitives: the primitives of an action, for tasks with this control; "all" for all six. Default: those of the
            task.
        discrete: whether an action is one of three choices, forwards, left and right, for tasks with primitives.
        joints: the joints of an action, by name or group, for tasks with this control. Default: those of the task.
        pixels: pixels along each side of the picture of an eye.
        fovea_pixels: pixels along each side of a foveal patch, for the sense `fovea`.
        sight: "age" for eyes as usual at the age, "perfect" for eyes without limits.
        hearing: "hrtf" for ears that hear directions, "plain" for loudness alone, "silent" for silence.
        sound: "wave" for 2 x 2,940 samples, "spectrum" for 2 x 250 logarithms of the spectrum up to 3.75 kHz.
        taxels: how many places on the whole skin feel, for the sense `skin`.
        skin_part: "whole" for the whole skin, "hands" for the hands alone.
        sense_delay: control steps of 1/15 s by which observations are late.
        muscle_delay: control steps by which actions are late.
        max_steps: control steps after which an episode is truncated. Default: that of the task.
    """

    # What the defaults of a task are; tasks override them.
    default_senses: ClassVar[tuple[str, ...]] = ("eyes",)
    default_max_steps: ClassVar[int] = 300

    age_months: float = REFERENCE_MONTHS
    senses: Sequence[str] | None = None
    primitives: Sequence[str] | str | None = None
    discrete: bool = False
    joints: Sequence[str] | str | None = None
    pixels: int = 84
    fovea_pixels: int = 42
    sight: str = AGE
    hearing: str = HRTF
    sound: str = WAVE
    taxels: int = 9888
    skin_part: str = WHOLE
    sense_delay: int = 0
    muscle_delay: int = 0
    max_steps: int | None = None

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        for each in fields(self):
            object.__setattr__(self, each.name, _plain(getattr(self, each.name)))
            if each.type is bool or (each.type == bool | None and getattr(self, each.name) is not None):
                check_truth(each.name, getattr(self, each.name))
        check_age(self.age_months)
        if isinstance(self.senses, str):
            object.__setattr__(self, "senses", (self.senses,))
        for setting in ("senses", "primitives", "joints"):
            self._names(setting)
        for name in self.senses or ():
            self.one_of("senses", SENSES, name)
        if self.senses is not None and not self.senses:
            raise ValueError(f"senses are {self.senses!r}; at least one is needed, of {', '.join(SENSES)}")
        for name in ("pixels", "fovea_pixels"):
            self.whole(name, 4, 512)
        self.one_of("sight", (AGE, PERFECT))
        self.one_of("hearing", (HRTF, PLAIN, SILENT))
        self.one_of("sound", (WAVE, SPECTRUM))
        self.one_of("skin_part", (WHOLE, HANDS))
        for delay in (self.sense_delay, self.muscle_delay):
            Delay(delay)
        if self.max_steps is not None:
            self.whole("max_steps", 1, 1_000_000)
        self.whole("taxels", 1, 100_000)

    def _names(self, setting: str) -> None:
        """Raise a ValueError unless a setting is a name, a collection of names, or None."""
        value = getattr(self, setting)
        if value is None or isinstance(value, str):
            return
        if not isinstance(value, Collection) or not all(isinstance(each, str) for each in value):
            raise ValueError(f"{setting} is {value!r}; it must be a name or a list of names")

    def one_of(self, name: str, allowed: Sequence[Any], value: Any = None) -> None:
        """Raise a ValueError unless a setting is one of some values."""
        value = getattr(self, name) if value is None else value
        if value not in allowed:
            names = [str(each) for each in allowed]
            raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(names)}{closest(str(value), names)}")

    def whole(self, name: str, least: int, most: int) -> None:
        """Raise a ValueError unless a setting is a whole number within bounds."""
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"{name} is {value!r}; it must be a whole number from {least:,} to {most:,}")

    def number(self, name: str, least: float, most: float) -> None:
        """Raise a ValueError unless a setting is a number within bounds."""
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise ValueError(f"{name} is {value!r}; it must be a number from {least:g} to {most:g}")

    @property
    def chosen_senses(self) -> tuple[str, ...]:
        """The senses, those of the task if none were chosen."""
        return self.default_senses if self.senses is None else tuple(self.senses)

    @property
    def limit(self) -> int:
        """The most control steps of an episode."""
        return self.default_max_steps if self.max_steps is None else self.max_steps

    @classmethod
    def of(cls, **settings: Any) -> Self:
        """Return settings from keywords.

        Raises:
            ValueError: there is no such setting, or a value is not allowed.
        """
        known = [each.name for each in fields(cls)]
        for name in settings:
            if name not in known:
                raise ValueError(f"there is no setting {name!r}; there are {', '.join(known)}{closest(name, known)}")
        return cls(**settings)

    def plain(self) -> Mapping[str, Any]:
        """Return the settings that differ from the defaults, as plain values."""
        out = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if value != each.default:
                out[each.name] = list(value) if isinstance(value, tuple) else value
        return out
