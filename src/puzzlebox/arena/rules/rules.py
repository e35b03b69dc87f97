"""The rules of an episode as one value: one field for each difference between builds of the original."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from puzzlebox.arena.rules.builds import BUILDS
from puzzlebox.text import nearest

# The names of all things, and the function that suggests one for an unknown name. The catalogue of things lies above
# this package and sets both with `set_thing_names`; until then any name is accepted, and a World, which copies its
# rules, refuses it.
_thing_names: Collection[str] = ()
_suggest: Callable[[str, Collection[str]], str] = nearest


def set_thing_names(names: Collection[str], suggest: Callable[[str, Collection[str]], str]) -> None:
    """Set the names of all things, so that `Rules` refuses a mass for anything else.

    Args:
        names: the names of all things; the collection may grow later.
        suggest: returns the end of a message about an unknown name, given that name and the known ones.
    """
    global _thing_names, _suggest
    _thing_names, _suggest = names, suggest


def _within(value: Any, least: float, most: float) -> bool:
    """Return whether a value is a number within a range; NaN never is."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and bool(least <= value <= most)


# The values that fields with a fixed choice may have.
_CHOICES: dict[str, tuple[Any, ...]] = {
    "success": ("passed", "completed"),
    "goals_to_collect": ("all", "so_far"),
    "spawners": ("documented", "swollen", "constant"),
    "ray_tags": (18, 12, 6),
}
_RANGES = {"drive": (0, 200), "drag": (0, 40), "quick_stop": (0, 1), "hot_zone_floor": (0, 1_000_000)}


@dataclass(frozen=True)
class Rules:
    """The rules of an episode: what may differ between builds of the original (`builds.py`).

    Things and world read single fields, never the name of a preset.

    Attributes:
        decision_period: physics steps an action is held for.
        drive: acceleration of an animal that moves, in m/s^2; no animal gets faster than 27.5 m/s.
        drag: drag of the air on an animal, per second.
        quick_stop: factor on an animal's speed at each physics step without a move.
        masses: masses in kilograms, by the name of the thing, that differ from the catalogue.
        left_out: whether a thing that does not fit is left out; otherwise it is put into the corner.
        success: what counts as success for the notification and for merging arenas. "passed": the episode is passed;
            "completed": the arena was completed with a return of at least the pass mark, or with any return where the
            mark is 0, as in the original.
        goals_to_collect: "all": the arena is complete with the last positive goal that is there or will be dispensed;
            "so_far": with as many goals as were there at the start or dispensed by then.
        changing_goals_count: decay, ripen, grow and shrink goals are among those to collect ("so_far" only).
        ep_ending_goals_end: touching an ...EpEnding goal ends the episode at once.
        decoys_end: touching a DecoyGoal ends the episode.
        ripen_goals_ripen: a RipenGoal gains value; otherwise it loses it like a DecayGoal.
        spawners: "documented": parameters have their documented effect; "swollen": they do, and a fruit is 0.25 m
            larger; "constant": they are ignored. Except with "documented", a tree bears its fruits at the same places
            in every episode.
        grey_tunnels: a CylinderTunnel without a colour is grey; otherwise its colour is drawn.
        hollow_boxes: a HollowBox is hollow, otherwise solid and dropped from half its height.
        dark_rays: rays report nothing while the lights are out.
        hot_zone_floor: the least that a HotZone costs per physics step, 0 to 1,000,000.
        ray_tags: how many kinds of things the rays distinguish.
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
        """Check every field."""
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
            if _thing_names and name not in _thing_names:
                raise ValueError(
                    f"the rules give a mass to {name}, which is not a thing{_suggest(str(name), _thing_names)}"
                )
            if not _within(mass, 0.01, 1e6):
                raise ValueError(f"the mass of {name} is {mass!r}; it must be from 0.01 to 1,000,000 kg")
        object.__setattr__(self, "masses", MappingProxyType(dict(self.masses)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_fields, (self.as_dict(),))

    def __hash__(self) -> int:
        plain = [getattr(self, each.name) for each in fields(self) if each.name != "masses"]
        return hash((*plain, frozenset(self.masses.items())))

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, which `Rules.named` takes back."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return plain | {"masses": dict(self.masses)}

    @classmethod
    def named(cls, rules: "str | Rules | Mapping[str, Any]", **changes: Any) -> "Rules":
        """Return the rules of a preset, a Rules, or a mapping from `as_dict`, with single fields changed."""
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
        field_names = [each.name for each in fields(cls)]
        for name in changes:
            if name not in field_names:
                raise ValueError(f"rules have no field {name!r}{nearest(str(name), field_names)}")
        return replace(rules, **changes)


def _from_fields(data: dict[str, Any]) -> Rules:
    return Rules(**data)


# The rules of each preset, by its name.
PRESETS: dict[str, Rules] = {name: Rules(**differing) for name, differing in BUILDS.items()}
