"""A task as data: the content of a task file, checked, with nothing drawn yet. Task > arenas > items."""

from dataclasses import replace
from math import isfinite
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from puzzlebox.arena.schema.factors import factors_of
from puzzlebox.arena.schema.grouping import fill_gaps, groups
from puzzlebox.arena.schema.values import (
    TYPES,
    Colour,
    Count,
    Flag,
    Integer,
    Number,
    Pattern,
    Probability,
    Text,
    ThemeName,
    ThingName,
    Weights,
    Whole,
    empty_is_none,
)
from puzzlebox.arena.things import CATALOGUE, PARAMETERS, Kind, Parameter
from puzzlebox.arena.things.parameters import LISTENERS
from puzzlebox.scene import themes
from puzzlebox.scene.themes import PATTERNS, THEMES
from puzzlebox.text import entries


class Model(BaseModel):
    """The base of all parts of a task. It refuses unknown keys and cannot be changed."""

    # Built once all models are defined, and again when a thing declares its own parameter.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    def explicit_values(self) -> dict[str, Any]:
        """Return the keys that are required or differ from their defaults, with their values."""
        fields = type(self).model_fields
        pairs = ((name, getattr(self, name)) for name in fields)
        return {name: value for name, value in pairs if fields[name].is_required() or value != fields[name].default}

    def __repr_args__(self) -> Any:
        return self.explicit_values().items()


def key(default: Any, expects: str, description: str) -> Any:
    """Return a field of a model, with what messages and the JSON Schema say about it."""
    return Field(default, description=description, json_schema_extra={"expects": expects})


class Item(Model):
    """A thing in an arena. A parameter that is not given is random or has the thing's own default."""

    # Every parameter of the table of parameters is a field, too: `_add_fields` adds them.
    name: ThingName = Field(description="The name of the thing.", json_schema_extra={"expects": "the name of a thing"})

    def __getattr__(self, name: str) -> Any:
        """Return None for a parameter that was declared after this item was created."""
        if name in PARAMETERS:
            return None
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @field_validator("reward_at", check_fields=False)
    @classmethod
    def _corner_is_random(cls, value: Any) -> Any:
        # Nothing fits into the corner, and in Animal-AI (0, 0, 0) means anywhere.
        return None if value == (0.0, 0.0, 0.0) else value

    @model_validator(mode="after")
    def _fits_the_thing(self) -> Self:
        takes = CATALOGUE[self.name].takes()
        for name in self.model_fields_set:
            if name != "name" and name not in takes and getattr(self, name) is not None:
                raise PydanticCustomError(
                    "misplaced-key", "{thing} does not take {key}", {"thing": self.name, "key": name}
                )
        if self.at is not None and self.at_one_of is not None:
            raise PydanticCustomError("exclusive-keys", "at and at_one_of", {"key": "at_one_of", "other": "at"})
        if self.reward_weights:
            _same_length(self, "reward_weights", "reward_names")
        if self.max_reward_counts:
            _same_length(self, "max_reward_counts", "reward_names")
        return self


def _same_length(model: Model, name: str, other: str) -> None:
    """Refuse two lists that belong together and differ in length."""
    count, required = len(getattr(model, name)), len(getattr(model, other) or ())
    if count != required:
        details = {"key": name, "other": other, "count": entries(count), "required": required}
        raise PydanticCustomError("list-length", "{key} and {other} differ in length", details)


class ToggleObject(Model):
    """Brings a thing, or takes away the one it brought."""

    do: Literal["toggle_object"]
    items: tuple[Item, ...] = key((), "a list of items", "What appears: one thing, in one or several places.")
    initially_present: Flag = key(False, "true or false", "Whether it is there from the start.")
    forget: Flag = key(False, "true or false", "Bring a new one each time and never take one away.")

    @field_validator("items")
    @classmethod
    def _one_thing(cls, items: tuple[Item, ...]) -> tuple[Item, ...]:
        filled = fill_gaps(items)
        if len(groups(filled)) > 1:
            raise PydanticCustomError("mixed-toggle", "one thing only")
        return filled


class GrantReward(Model):
    """Gives a reward once."""

    do: Literal["grant_reward"]
    reward: Number = key(1.0, "a number", "The reward.")


class GrantContinuousReward(Model):
    """Gives a reward at every physics step while the animal is in the zone."""

    do: Literal["grant_continuous_reward"]
    reward_per_step: Number = key(0.0, "a number", "The reward at each physics step (0.02 s).")


class EndEpisode(Model):
    """Ends the arena as if the last goal had been collected."""

    do: Literal["end_episode"]
    reward: Number = key(0.0, "a number", "The reward given with it.")


class FreezeAgent(Model):
    """Stops the animal; time goes on."""

    do: Literal["freeze_agent"]
    steps: Whole = key(0, Kind.WHOLE.value, "For how many physics steps (0.02 s).")


class NoOperation(Model):
    """Does nothing; useful among the choices of `one_of`."""

    do: Literal["nothing"]


class Limited(Model):
    """Runs another operation a limited number of times."""

    do: Literal["limited"]
    times: Count = key(0, Kind.COUNT.value, "How often at most; -1: no limit.")
    operation: "Operation" = Field(
        description="The operation to run.", json_schema_extra={"expects": "an operation with a `do`"}
    )


class OneOf(Model):
    """Draws one of several operations each time."""

    do: Literal["one_of"]
    operations: tuple["Operation", ...] = key((), Kind.OPERATIONS.value, "What may happen.")
    weights: Weights = key((), Kind.WEIGHTS.value, "How often each. Default: equally often.")

    @model_validator(mode="after")
    def _matching_weights(self) -> Self:
        if self.weights:
            _same_length(self, "weights", "operations")
        return self


Operation = Annotated[
    ToggleObject | GrantReward | GrantContinuousReward | EndEpisode | FreezeAgent | NoOperation | Limited | OneOf,
    Field(discriminator="do"),
]
_OPERATIONS = Annotated[tuple[Operation, ...] | None, AfterValidator(empty_is_none)]
OPERATIONS: dict[str, type[Model]] = {
    "toggle_object": ToggleObject,
    "grant_reward": GrantReward,
    "grant_continuous_reward": GrantContinuousReward,
    "end_episode": EndEpisode,
    "freeze_agent": FreezeAgent,
    "nothing": NoOperation,
    "limited": Limited,
    "one_of": OneOf,
}


class Surface(Model):
    """The paint of one surface."""

    color: Colour | None = key(None, Kind.COLOUR.value, "Its colour.")
    pattern: Pattern | None = key(None, f"a pattern ({', '.join(PATTERNS)})", "Its pattern.")


class Theme(Model):
    """A custom look: a named theme and what differs from it."""

    base: ThemeName = key("classic", f"the name of a theme ({', '.join(THEMES)})", "The theme it starts from.")
    floor: Surface | None = key(None, "a mapping with `color` and `pattern`", "The floor.")
    fence: Surface | None = key(None, "a mapping with `color` and `pattern`", "The fence around the arena.")
    walls: Surface | None = key(None, "a mapping with `color` and `pattern`", "Walls that have no colour of their own.")
    sky: Surface | None = key(None, "a mapping with `color` and `pattern`", "The sky.")
    ceiling: Surface | None = key(None, "a mapping with `color` and `pattern`", "A ceiling, if there should be one.")
    light: Probability | None = key(None, Kind.PROBABILITY.value, "Brightness: 1 is daylight, 0 is dark.")

    def look(self) -> themes.Look:
        """Return the complete look: the named theme, with what differs from it."""
        base = THEMES[self.base]
        changes: dict[str, Any] = {"light": base.light if self.light is None else self.light}
        for name in ("floor", "fence", "walls", "sky", "ceiling"):
            own: Surface | None = getattr(self, name)
            if own is not None:
                plain = getattr(base, name) or base.walls  # a theme without a ceiling lends it the look of its walls
                color = plain.color if own.color is None else own.color
                changes[name] = themes.Surface(color, own.pattern or plain.pattern)
        return replace(base, **changes)


def _theme_by_name(value: Any) -> Any:
    return {"base": value} if isinstance(value, str) else value


def _plain_data(value: Any) -> Any:
    """Return data that YAML can hold without tags; refuse anything else.

    That is texts, finite numbers, truth values, nothing, lists and mappings of these.
    """
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and isfinite(value)):
        return value
    if isinstance(value, list | tuple):
        return [_plain_data(part) for part in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _plain_data(part) for key, part in value.items()}
    raise PydanticCustomError("value", "metadata hold texts, numbers, truth values, lists and mappings")


class Metadata(BaseModel):
    """Information about a task. Any other key may be added."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Annotated[Any, AfterValidator(_plain_data)]]

    title: Text | None = key(None, "a text", "A short name.")
    description: Text | None = key(None, "a text", "What the animal has to do.")
    citation: Text | None = key(None, "a text", "Where it comes from.")
    tags: tuple[Text, ...] = key((), "a list of texts", "Words to find it by.")
    level: Whole | None = key(None, Kind.WHOLE.value, "The level of the testbed it belongs to.")

    def explicit_values(self) -> dict[str, Any]:
        """Return the keys that differ from their defaults, with their values, then the additional keys."""
        own: dict[str, FieldInfo] = type(self).model_fields
        values = {name: getattr(self, name) for name in own if getattr(self, name) != own[name].default}
        return values | dict(sorted((self.model_extra or {}).items()))


_PERSPECTIVE = "first, third or birdsEye"


class Arena(Model):
    """An arena: a fenced floor, the things on it, and the rules of its episode."""

    id: Whole = key(0, Kind.WHOLE.value, "Its number; arenas are played in this order.")
    time_limit: Whole = key(0, Kind.WHOLE.value, "Time to live in tenths of a second; 0: no limit.")
    pass_mark: Number = key(0.0, "a number", "The return at which the episode counts as passed.")
    size: tuple[Annotated[Number, Field(ge=5, le=100)], Annotated[Number, Field(ge=5, le=100)]] = key(
        (40.0, 40.0), "two numbers [x, z] in metres, each from 5 to 100", "Width and depth in metres."
    )
    theme: Annotated[Theme, BeforeValidator(_theme_by_name)] = key(
        Theme(), f"the name of a theme ({', '.join(THEMES)}) or a mapping", "What the arena looks like."
    )
    blackouts: tuple[Integer, ...] = key(
        (),
        "a list of whole numbers that increase, or one negative number",
        "When the light goes off and on again, in tenths of a second; [-20]: every 2 seconds.",
    )
    random_seed: Integer = key(0, "a whole number", "Draws the same arena every time; 0: off.")
    merge_next_arena: Flag = key(False, "true or false", "Passing leads into the next arena, in the same episode.")
    episode_end: Literal["any", "all"] = key(
        "any", "any or all", "With several agents: whether one or all must have finished."
    )
    metadata: Metadata = key(Metadata(), "a mapping", "Title, description, citation, tags, level, and more.")
    items: tuple[Item, ...] = key((), "a list of items", "The things in the arena, placed in this order.")

    @model_validator(mode="after")
    def _blackouts_make_sense(self) -> Self:
        times = self.blackouts
        if any(time < 0 for time in times):
            if len(times) > 1:
                raise PydanticCustomError("blackouts-period", "alone", {"key": "blackouts", "value": str(list(times))})
            return self
        for index in range(1, len(times)):
            if times[index] <= times[index - 1]:
                details = {"key": "blackouts", "entry": (index,), "value": times[index], "previous": times[index - 1]}
                raise PydanticCustomError("blackouts-order", "blackouts must increase", details)
        return self

    def agents(self) -> list[Item]:
        """Return the agents that the file names; none means one at a random place."""
        return [item for item in self.items if item.name == "Agent"]


class Task(Model):
    """A task: one or more arenas, and how they are presented."""

    metadata: Metadata = key(Metadata(), "a mapping", "Title, description, citation, tags, level, and more.")
    randomize_arenas: Flag = key(False, "true or false", "Play the arenas in random order.")
    show_notification: Flag = key(False, "true or false", "Show passed or failed at the end of an episode.")
    can_reset_episode: Flag = key(True, "true or false", "Whether a participant may restart the episode.")
    can_change_perspective: Flag = key(True, "true or false", "Whether a participant may change the view.")
    default_perspective: Literal["first", "third", "birdsEye"] = key(
        "first", _PERSPECTIVE, "The view that a participant starts with."
    )
    arenas: tuple[Arena, ...] = Field(
        min_length=1,
        description="The arenas, played in this order.",
        json_schema_extra={"expects": "a list of at least one arena"},
    )

    @property
    def wing(self) -> str:
        """The wing in which it is played."""
        return "arena"

    @property
    def title(self) -> str:
        """Its title; "" if it has none."""
        return self.metadata.title or ""

    @property
    def text(self) -> str:
        """The task in the Puzzlebox format, as `write` writes it; equal tasks have equal texts."""
        from puzzlebox.arena.schema.writing import write

        return write(self)

    @property
    def starts(self) -> tuple[int, ...]:
        """The positions of the arenas an episode can start in: all but those that another one merges into."""
        return tuple(i for i in range(len(self.arenas)) if i == 0 or not self.arenas[i - 1].merge_next_arena)

    @property
    def bodies(self) -> int:
        """The number of animals in the arena that has most of them."""
        return max([1, *(len(arena.agents()) for arena in self.arenas)])

    def last(self, start: int) -> int:
        """Return the position of the last arena of an episode that starts in a given one, merged arenas included."""
        last = start
        while self.arenas[last].merge_next_arena and last + 1 < len(self.arenas):
            last += 1
        return last

    def conditions(self, start: int) -> dict[str, Any]:
        """Return the conditions of an episode: its first and last arena, title, pass mark, time limit, factors."""
        arena, factors = self.arenas[start], factors_of(self, start)
        conditions = {
            "position": start,
            "last": self.last(start),
            "pass_mark": arena.pass_mark,
            "time_limit": arena.time_limit,
        }
        title = {"title": arena.metadata.title} if arena.metadata.title else {}
        return conditions | title | ({"factors": factors} if factors else {})

    @model_validator(mode="after")
    def _arenas_fit_together(self) -> Self:
        index_of_id: dict[int, int] = {}
        for index, arena in enumerate(self.arenas):
            if arena.id in index_of_id:
                details = {"id": arena.id, "index": index, "first": index_of_id[arena.id]}
                raise PydanticCustomError("duplicate-arena", "arena id {id} is given twice", details)
            index_of_id[arena.id] = index
            if index == 0:
                continue
            previous = self.arenas[index - 1]
            if arena.id < previous.id:
                details = {"id": arena.id, "index": index, "previous": previous.id}
                raise PydanticCustomError("arena-order", "arena ids must increase", details)
            count, required = (max(1, len(each.agents())) for each in (arena, previous))
            if previous.merge_next_arena and count != required:
                # Messages count arenas from 1.
                details = {"arena": index + 1, "index": index, "count": count, "previous": index, "required": required}
                raise PydanticCustomError("merge-agents", "merged arenas need equal agents", details)
        return self


# The models that hold items, each after those it holds.
_HOLDERS: tuple[type[Model], ...] = (Item, *OPERATIONS.values(), Arena, Task)


def _add_fields(*parameters: Parameter) -> None:
    """Add parameters to `Item` as fields, and rebuild all models that hold items."""
    for parameter in parameters:
        meaning = parameter.meaning[0].upper() + parameter.meaning[1:] + "."
        annotation: Any = _OPERATIONS if parameter.kind is Kind.OPERATIONS else TYPES[parameter.kind]
        field = FieldInfo.from_annotated_attribute(annotation, key(None, parameter.kind.value, meaning))
        Item.__pydantic_fields__[parameter.name] = field
    for holder in _HOLDERS:
        holder.model_rebuild(force=True)


_add_fields(*PARAMETERS.values())
LISTENERS.append(_add_fields)
