"""The settings of an environment: each with its default, its limits and its meaning, in one place.

The signature and the docstring of `puzzlebox.make`, the error for unknown settings and the table in
docs/guides/environments.md follow from the fields of `Settings`.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from textwrap import fill
from typing import Any, TypeVar

import numpy as np
from gymnasium import spaces

from puzzlebox.arena.envs.frames import Observation as Observation
from puzzlebox.arena.rules import PRESETS, Rules
from puzzlebox.arena.senses.rays import MOST_DEGREES, MOST_RAYS, Rays
from puzzlebox.arena.senses.sense import sense_named, sense_names
from puzzlebox.arena.world.actions import ACTIONS
from puzzlebox.render.eye import LARGEST, SMALLEST
from puzzlebox.seeds import check_seed
from puzzlebox.text import nearest

MOST_FRAMES = 64
_BRANCH = (0, 1, 2)
# The settings that are not senses, and the field that holds the senses of other packages, which are settings by their
# own names.
NOT_SENSES = ("rules", "timeouts", "max_episode_steps", "infos", "other_senses")
_OTHERS = "other_senses"
# `document` inserts the settings before this line of a docstring.
_SETTINGS_LINE = "        settings: "

Function = TypeVar("Function", bound=Callable[..., Any])


def refuse_unknown(names: Mapping[str, Any], allowed: Sequence[str], what: str = "setting") -> None:
    """Raise a TypeError for the first unknown name, with the nearest known one.

    Settings are keyword arguments, and libraries look for Python's own wording to know which ones they can pass.
    """
    for name in names:
        if name not in allowed:
            python = f"got an unexpected keyword argument '{name}': " if what in ("setting", "argument") else ""
            raise TypeError(f"{python}there is no {what} `{name}`{nearest(str(name), list(allowed))}")


def checked_options(options: Any, allowed: Sequence[str]) -> dict[str, Any]:
    """Return the options of a `reset` as a dictionary; None is an empty one."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options is {options!r}; it must be a dictionary with {' or '.join(allowed)}")
    refuse_unknown(options, list(allowed), "option")
    return dict(options)


def checked_seed(seed: Any) -> int | None:
    """Return a seed as a plain int, or None."""
    return None if seed is None else check_seed(seed)


def checked_whole(name: str, value: Any, least: int, most: int | None = None, more: str = "") -> int:
    """Return a whole number of at least `least`, or raise a ValueError."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        bounds = f"{least} or more" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} is {value!r}; it must be a whole number, {bounds}{more}")
    return int(value)


def setting(default: Any, meaning: str, **more: Any) -> Any:
    """Return a field of `Settings` with a default and a meaning; `describe` lists the other arguments."""
    return field(default=default, metadata=describe(meaning, shown=default, **more))


def describe(
    meaning: str,
    *,
    shown: Any,
    limits: tuple[float, float] | None = None,
    choices: Mapping[str, str] | None = None,
    none: str = "",
) -> dict[str, Any]:
    """Return the metadata of a setting: its meaning and its valid values.

    Args:
        meaning: what it is, in one phrase.
        shown: its default as users write it.
        limits: the smallest and the largest valid number.
        choices: the valid words, with the meaning of each.
        none: the meaning of None, where None is valid.
    """
    return {"meaning": meaning, "shown": shown, "limits": limits, "choices": choices or {}, "none": none}


@dataclass(frozen=True)
class Settings:
    """The checked settings of an environment; `puzzlebox.make` lists the fields, each with its meaning."""

    camera: int | None = setting(
        64, "the height and width of the picture in pixels", limits=(SMALLEST, LARGEST), none="no camera"
    )
    grayscale: bool = setting(False, "the picture has one channel instead of three")
    depth: bool = setting(False, "the distance of each pixel of the picture in metres")
    segments: bool = setting(
        False, 'the id of the thing that each pixel of the picture shows; `info["things"]` names them'
    )
    rays: int | None = setting(None, "the number of rays, odd", limits=(1, MOST_RAYS), none="no rays")
    ray_degrees: float = setting(60.0, "the angle of the whole fan of rays in degrees", limits=(0, MOST_DEGREES))
    vitals: bool = setting(True, "health, velocity in the animal's frame (right, up, ahead) and position")
    actions: str = setting(
        "discrete",
        "what an action is",
        choices={
            "discrete": "one number from 0 to 8, `Discrete(9)`",
            "branches": "two numbers from 0 to 2, move and turn, `MultiDiscrete([3, 3])`",
        },
    )
    decision_period: int | None = setting(
        None, "physics steps an action is held for", none="that of the rules, which is 3"
    )
    rules: Rules = field(
        default_factory=Rules,
        metadata=describe(
            f"the name of a preset ({', '.join(PRESETS)}), a Rules or a mapping of its fields", shown="puzzlebox"
        ),
    )
    frame_stack: int = setting(
        1,
        "the number of latest frames in an observation",
        limits=(1, MOST_FRAMES),
    )
    channels_first: bool = setting(
        False, "pictures are channels x height x width, as in PyTorch, instead of height x width x channels"
    )
    scaled_vitals: bool = setting(False, "health is divided by 100, velocity by 20 m/s and position by 40 m")
    heading: bool = setting(False, "the sine and cosine of the direction the animal faces, clockwise from the z axis")
    timeouts: str = setting(
        "truncated",
        "how an episode ends when its time is up",
        choices={
            "truncated": "it is `truncated`",
            "terminal": "it is `terminated` like any other, for learners that see the health",
        },
    )
    max_episode_steps: int | None = setting(
        None, "the most steps of an episode, which is truncated after them", none="no limit"
    )
    infos: str = setting(
        "all",
        "what `info` holds",
        choices={
            "all": "everything",
            "plain": "events are dictionaries, so that it holds no class of Puzzlebox",
            "numbers": "numbers only, for libraries that turn every entry into a tensor; `passed` and `latency` "
            "are -1 while unknown",
        },
    )
    # The options of each sense of another package, by its name.
    other_senses: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, **values: Any) -> "Settings":
        """Return the settings with these values, or raise an error with one sentence."""
        others = {name: values.pop(name) for name in list(values) if name not in _FIELDS and is_sense(name)}
        refuse_unknown(values, known_settings())
        changes = {} if values.get("decision_period") is None else {"decision_period": values["decision_period"]}
        rules = values.get("rules", "puzzlebox")
        if not isinstance(rules, str | Rules | Mapping):
            raise ValueError(f"rules is {rules!r}; it must be a Rules or the name of some: {', '.join(PRESETS)}")
        values["rules"] = Rules.named(rules, **changes)
        for name in ("camera", "rays"):  # False means None here
            if values.get(name) is False:
                values[name] = None
        return cls(**values, other_senses=_options_of(others))

    def __post_init__(self) -> None:
        """Raise a ValueError for values that are not valid, alone or together."""
        size = self.camera
        if size is not None and (isinstance(size, bool) or not isinstance(size, int | np.integer)):
            raise ValueError(f"camera is {size!r}; it must be a whole number of pixels, or None for no camera")
        if size is not None and not SMALLEST <= size <= LARGEST:
            raise ValueError(f"camera is {size}; it must be from {SMALLEST} to {LARGEST} pixels")
        for name, each in _FIELDS.items():
            value, choices = getattr(self, name), each.metadata["choices"]
            if choices and (not isinstance(value, str) or value not in choices):
                raise ValueError(f"{name} is {value!r}{nearest(str(value), choices)}")
            if isinstance(each.default, bool) and not isinstance(value, bool | np.bool_):
                raise ValueError(f"{name} is {value!r}; it must be True or False")
        Rays(1 if self.rays is None else self.rays, self.ray_degrees)
        checked_whole("frame_stack", self.frame_stack, 1, MOST_FRAMES)
        if self.max_episode_steps is not None:
            checked_whole("max_episode_steps", self.max_episode_steps, 1, more=", or None")
        for name in ("depth", "segments", "channels_first"):
            if size is None and getattr(self, name):
                raise ValueError(f"{name} needs a camera; give its size, as in camera=64")
        if self.scaled_vitals and not self.vitals:
            raise ValueError("scaled_vitals needs vitals; leave vitals=False out")
        if size is None and self.rays is None and not (self.vitals or self.heading or self.other_senses):
            raise ValueError("there is no sense left; ask for a camera, rays, vitals or heading")

    def as_dict(self) -> dict[str, Any]:
        """Return the settings by name, as `of` takes them."""
        return {name: getattr(self, name) for name in _FIELDS} | dict(self.other_senses)

    @property
    def action_space(self) -> "spaces.Discrete[Any] | spaces.MultiDiscrete":
        """Return the space of actions."""
        return spaces.Discrete(9) if self.actions == "discrete" else spaces.MultiDiscrete([3, 3])

    def action(self, chosen: Any) -> int:
        """Return an action as a number from 0 to 8."""
        if self.actions == "branches":
            try:
                move, turn = chosen
                valid = move in _BRANCH and turn in _BRANCH
            except (TypeError, ValueError):
                valid = False
            if not valid:
                raise ValueError(f"{chosen!r} is not an action; it must be two numbers from 0 to 2, move and turn")
            return 3 * int(move) + int(turn)
        if isinstance(chosen, int):
            return chosen  # the world checks it
        if isinstance(chosen, np.ndarray | np.generic) and chosen.size == 1:
            chosen = chosen.item()
        if not isinstance(chosen, int | float) or chosen not in range(len(ACTIONS)):
            raise ValueError(f"{chosen!r} is not an action; it must be a number from 0 to 8")
        return int(chosen)


# The fields that are settings by their own names.
_FIELDS: dict[str, Field[Any]] = {each.name: each for each in fields(Settings) if each.name != _OTHERS}


def known_settings() -> list[str]:
    """Return the names of all settings, including the senses of other packages."""
    return [*_FIELDS, *(name for name in sense_names() if name not in _FIELDS)]


def is_sense(name: str) -> bool:
    """Return whether a sense has this name, importing the package that declares it."""
    return sense_named(name) is not None


def defaults() -> dict[str, Any]:
    """Return the default of each setting, as users write it."""
    return {name: each.metadata["shown"] for name, each in _FIELDS.items()}


def meanings() -> dict[str, str]:
    """Return the meaning of each setting, with its valid values."""
    return {name: _meaning(each) for name, each in _FIELDS.items()}


def _meaning(setting: Field[Any]) -> str:
    """Return the meaning of a setting, its limits or choices, and the meaning of None."""
    parts = [setting.metadata["meaning"]]
    if setting.metadata["limits"]:
        low, high = setting.metadata["limits"]
        parts[0] += f", {low:g} to {high:g}"
    parts += [f'"{choice}": {meaning}' for choice, meaning in setting.metadata["choices"].items()]
    if setting.metadata["none"]:
        parts.append(f"None: {setting.metadata['none']}")
    return "; ".join(parts)


def table() -> str:
    """Return the settings as a Markdown table, for docs/guides/environments.md."""
    values = defaults()
    texts = {name: f'"{value}"' if isinstance(value, str) else f"{value}" for name, value in values.items()}
    texts = {name: value.removesuffix(".0") for name, value in texts.items()}
    rows = [f"| `{name}` | {texts[name]} | {meaning} |" for name, meaning in meanings().items()]
    return "\n".join(["| setting | default | meaning |", "|---|---|---|", *rows])


def document(function: Function) -> Function:
    """Add all settings to the signature and the docstring of a function that takes `**settings`."""
    own = inspect.signature(function)
    *others, last = own.parameters.values()
    values = defaults()
    named = [
        # The default of a field with a factory is shown as a word.
        inspect.Parameter(
            *(name, inspect.Parameter.KEYWORD_ONLY),
            default=values[name],
            annotation=Any if each.default is MISSING else each.type,
        )
        for name, each in _FIELDS.items()
    ]
    function.__signature__ = own.replace(parameters=[*others, *named, last])  # type: ignore[attr-defined]
    lines = []
    for line in (function.__doc__ or "").split("\n"):
        if line.startswith(_SETTINGS_LINE):
            for name, meaning in meanings().items():
                lines += fill(f"{name}: {meaning}.", 116, initial_indent=" " * 8, subsequent_indent=" " * 12).split(
                    "\n"
                )
        lines.append(line)
    function.__doc__ = "\n".join(lines)
    return function


def _options_of(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options of each sense that is on: True means no options, None and False turn a sense off."""
    options: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            options[name] = dict(value)
        elif value is True:
            options[name] = {}
        elif value is not None and value is not False:
            raise ValueError(f"{name} is {value!r}; it must be True, or a dictionary of the options of that sense")
    return options
