"""The rules of an episode as one value: what may differ between builds of the original, field by field."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from puzzlebox.arena.rules.builds import BUILDS
from puzzlebox.text import nearest

# Which names are things, and how a message about an unknown one ends. The catalogue of things lies above this room and
# hands both in with `name_things`; until then any name is taken, and a World, which copies its rules, refuses it.
_names: Collection[str] = ()
_ending: Callable[[str, Collection[str]], str] = nearest


def name_things(names: Collection[str], ending: Callable[[str, Collection[str]], str]) -> None:
    """Tell this room which things there are, so that `Rules` refuses a mass for anything else.

    Args:
        names: the names of all things; the collection may grow later.
        ending: what a message about an unknown name ends with, given that name and the known ones.
    """
    global _names, _ending
    _names, _ending = names, ending


def _within(value: Any, least: float, most: float) -> bool:
    """Whether a value is a number between two others; NaN is between none."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and bool(least <= value <= most)


# What the fields that are words or counts may be.
_CHOICES: dict[str, tuple[Any, ...]] = {
    "success": ("passed", "completed"),
    "goals_to_collect": ("all", "so_far"),
    "spawners": ("documented", "swollen", "constant"),
    "ray_tags": (18, 12, 6),
}
_RANGES = {"drive": (0, 200), "drag": (0, 40), "quick_stop": (0, 1), "hot_zone_floor": (0, 1_000_000)}


@dataclass(frozen=True)
class Rules:
    """What may differ between builds of the original; `builds.py` says which build did what.

    Things and world ask for single fields, never for the name of a preset.

    Attributes:
        decision_period: physics steps an action is held for.
        drive: acceleration of an animal that moves, in m/s^2; no animal gets faster than 27.5 m/s.
        drag: how fast the air slows an animal, per second.
        quick_stop: what remains of an animal's speed each physics step it stands still.
        masses: kilograms of things that weigh something else than their page says.
        left_out: whether a thing that does not fit is left out; otherwise it lies in the corner.
        success: what the notification shows and merging arenas asks for. "passed": that the episode is passed;
            "completed": that the arena was completed with a return of at least the pass mark, or with any return
            where the mark is 0, as in the game.
        goals_to_collect: "all": collecting ends with the last positive goal that is there or will be dispensed;
            "so_far": as soon as one has collected as many as were there at the start or dispensed by then.
        changing_goals_count: decay, ripen, grow and shrink goals are among those to collect ("so_far" only).
        ep_ending_goals_end: touching an ...EpEnding goal ends the episode at once.
        decoys_end: touching a DecoyGoal ends the episode.
        ripen_goals_ripen: a RipenGoal gains value; otherwise it loses it like a DecayGoal.
        spawners: "documented": parameters work; "swollen": they work, and a fruit is 0.25 larger than asked for;
            "constant": parameters are ignored. But for "documented", a tree bears its fruits at the same places in
            every episode.
        grey_tunnels: a CylinderTunnel without a colour is grey; otherwise its colour is drawn.
        hollow_boxes: a HollowBox is hollow, otherwise solid and dropped from half its height.
        dark_rays: lights out blinds the rays as it blinds the camera.
        hot_zone_floor: what a HotZone costs at least, per physics step; at most 1,000,000.
        ray_tags: how many kinds of things the rays tell apart.
    """

    decision_period: int = 3
    drive: float = 50.0
    drag: float = 1.6
    quick_stop: float = 0.9
    masses: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    left_out: bool = True
    success: Literal["passed", "completed"] = "passed"
    goals_to_collect: Literal["all", "so_far"] = "all"
    changing_goals_count: bool = True
    ep_ending_goals_end: bool = True
    decoys_end: bool = False
    ripen_goals_ripen: bool = True
    spawners: Literal["documented", "swollen", "constant"] = "documented"
    grey_tunnels: bool = False
    hollow_boxes: bool = True
    dark_rays: bool = True
    hot_zone_floor: float = 1e-5
    ray_tags: Literal[18, 12, 6] = 18

    def __post_init__(self) -> None:
        """Refuse what no episode could be played by."""
        period = self.decision_period
        if isinstance(period, bool) or not isinstance(period, int) or not 1 <= period <= 100:
            raise ValueError(f"decision_period is {self.decision_period!r}; it must be a whole number from 1 to 100")
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(map(repr, allowed))}"
                )
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if not _within(value, least, most):
                raise ValueError(f"{name} is {value!r}; it must be a number from {least} to {most:,}")
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(each.default, bool) and not isinstance(value, bool | np.bool_):
                raise ValueError(f"{each.name} is {value!r}; it must be True or False")
        if not isinstance(self.masses, Mapping):
            raise ValueError(f"masses is {self.masses!r}; it must be a mapping from names of things to kilograms")
        for name, mass in self.masses.items():
            if _names and name not in _names:
                raise ValueError(f"the rules give a mass to {name}, which is not a thing{_ending(str(name), _names)}")
            if not _within(mass, 0.01, 1e6):
                raise ValueError(f"the mass of {name} is {mass!r}; it must be from 0.01 to 1,000,000 kg")
        object.__setattr__(self, "masses", MappingProxyType(dict(self.masses)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_fields, (self.as_dict(),))

    def __hash__(self) -> int:
        plain = [getattr(self, each.name) for each in fields(self) if each.name != "masses"]
        return hash((*plain, frozenset(self.masses.items())))

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what `Rules.named` takes back."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return plain | {"masses": dict(self.masses)}

    @classmethod
    def named(cls, rules: "str | Rules | Mapping[str, Any]", **changes: Any) -> "Rules":
        """The rules of a preset, or those given (a Rules, or what `as_dict` returned), with single fields changed."""
        if isinstance(rules, str):
            if rules not in PRESETS:
                raise ValueError(f"there are no rules named {rules!r}{nearest(rules, PRESETS)}")
            rules = PRESETS[rules]
        elif isinstance(rules, Mapping):
            changes = {**rules, **changes}
            rules = cls()
        elif not isinstance(rules, Rules):
            raise ValueError(
                f"rules is {rules!r}; it must be a Rules, a mapping of its fields, or the name of a preset: "
                f"{', '.join(PRESETS)}"
            )
        known = [each.name for each in fields(cls)]
        for name in changes:
            if name not in known:
                raise ValueError(f"rules have no field {name!r}{nearest(str(name), known)}")
        return replace(rules, **changes)


def _from_fields(data: dict[str, Any]) -> Rules:
    return Rules(**data)


# The rules of each preset, by its name.
PRESETS: dict[str, Rules] = {name: Rules(**differing) for name, differing in BUILDS.items()}
