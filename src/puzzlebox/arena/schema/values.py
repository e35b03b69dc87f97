"""The types of single values in a task: strict about kind, flexible about how a vector or a colour is written."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AllowInfNan, BeforeValidator, Field, Strict
from pydantic_core import PydanticCustomError

from puzzlebox.arena.things import CATALOGUE, NOTHING, SKINS, SYMBOLS, Kind, names
from puzzlebox.arena.things.everyday import nearest_thing
from puzzlebox.scene.colours import NAMED_COLOURS
from puzzlebox.scene.themes import PATTERNS, THEMES
from puzzlebox.text import closest

RANDOM = "random"
# Animal-AI's whole numbers have 32 bits.
MOST = 2**31 - 1

Number = Annotated[float, Strict(), AllowInfNan(False)]
NotNegative = Annotated[Number, Field(ge=0)]
Probability = Annotated[Number, Field(ge=0, le=1)]
Whole = Annotated[int, Strict(), Field(ge=0, le=MOST)]
Integer = Annotated[int, Strict(), Field(ge=-MOST - 1, le=MOST)]
Count = Annotated[int, Strict(), Field(ge=-1, le=MOST)]
Flag = Annotated[bool, Strict()]
Text = Annotated[str, Strict()]


def _random_is_none(value: Any) -> Any:
    return None if isinstance(value, str) and value == RANDOM else value


def _one_number_for_all(value: Any) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return (value,) * 3 if is_number else value


def _colour_by_name(value: Any) -> Any:
    if isinstance(value, str):
        if value not in NAMED_COLOURS:
            details = {"expects": Kind.COLOUR.value, "nearest": closest(value, list(NAMED_COLOURS))}
            raise PydanticCustomError("value", "a colour is {expects}{nearest}", details)
        return NAMED_COLOURS[value]
    return value


def _all_random_is_none(size: Any) -> Any:
    return None if size == (None, None, None) else size


def _anywhere_is_none(position: Any) -> Any:
    return None if position == (None, 0.0, None) else position


Axis = Annotated[NotNegative | None, BeforeValidator(_random_is_none)]
Point = tuple[Axis, NotNegative, Axis]
Extent = tuple[Axis, Axis, Axis]
Channel = Annotated[Number, Field(ge=0, le=255)]

# A fully random value is None, as if it were not given, so that both spellings give equal tasks.
Position = Annotated[Point | None, BeforeValidator(_random_is_none), AfterValidator(_anywhere_is_none)]
Size = Annotated[
    Extent | None,
    BeforeValidator(_random_is_none),
    BeforeValidator(_one_number_for_all),
    AfterValidator(_all_random_is_none),
]
Colour = Annotated[tuple[Channel, Channel, Channel], BeforeValidator(_colour_by_name)]
Angle = Annotated[NotNegative | None, BeforeValidator(_random_is_none)]
Skin = Annotated[Literal[*SKINS] | None, BeforeValidator(_random_is_none)]  # type: ignore[valid-type]

_MOST_PIXELS = 4_096
_PIXELS = re.compile(r"[01*]+(/[01*]+)+", re.ASCII)
_RANDOM_GRID = re.compile(r"([1-9][0-9]{0,2})x([1-9][0-9]{0,2})", re.ASCII)


def is_symbol(text: str) -> bool:
    """Return whether a board can show a symbol.

    That is a preset, rows of equal length or a random grid, of up to 4,096 pixels.
    """
    grid = _RANDOM_GRID.fullmatch(text)
    if grid:
        return int(grid[1]) * int(grid[2]) <= _MOST_PIXELS
    if text in SYMBOLS:
        return True
    if len(text) > _MOST_PIXELS or not _PIXELS.fullmatch(text):
        return False
    return len({len(row) for row in text.split("/")}) == 1


def _check_symbol(text: str) -> str:
    if not is_symbol(text):
        raise PydanticCustomError("value", "not a symbol")
    return text


def _check_thing(name: str) -> str:
    if name in CATALOGUE:
        return name
    current = names().get(name)
    if current:
        raise PydanticCustomError("old-name", "an old name; write {write}", {"name": name, "write": current})
    details = {"name": name, "nearest": nearest_thing(name, CATALOGUE)}
    raise PydanticCustomError("unknown-thing", "{name} is not a thing{nearest}", details)


def _check_reward(name: str) -> str:
    return name if name == NOTHING else _check_thing(name)


def empty_is_none(value: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """Return None for an empty list, which means the same."""
    return value or None


def _some_weight(weights: tuple[float, ...]) -> tuple[float, ...]:
    if weights and not any(weights):
        raise PydanticCustomError("value", "one weight must be above 0")
    return weights


Symbol = Annotated[Text, AfterValidator(_check_symbol)]
ThingName = Annotated[Text, AfterValidator(_check_thing)]
RewardName = Annotated[Text, AfterValidator(_check_reward)]
Weights = Annotated[tuple[NotNegative, ...], AfterValidator(_some_weight)]
ThemeName = Literal[*THEMES]  # type: ignore[valid-type]
Pattern = Literal[*PATTERNS]  # type: ignore[valid-type]

# The type of each kind of parameter in a model; operations are models themselves.
TYPES: dict[Kind, Any] = {
    Kind.POSITION: Position,
    Kind.POSITIONS: Annotated[tuple[Point, ...], Field(min_length=2)] | None,
    Kind.SIZE: Size,
    Kind.COLOUR: Colour | None,
    Kind.ANGLE: Angle,
    Kind.NUMBER: Number | None,
    Kind.NOT_NEGATIVE: NotNegative | None,
    Kind.PROBABILITY: Probability | None,
    Kind.WHOLE: Whole | None,
    Kind.COUNT: Count | None,
    Kind.FLAG: Flag | None,
    Kind.TEXT: Text | None,
    Kind.SKIN: Skin,
    Kind.SYMBOL: Symbol | None,
    Kind.REWARD_NAMES: Annotated[tuple[RewardName, ...] | None, AfterValidator(empty_is_none)],
    Kind.WEIGHTS: Annotated[Weights | None, AfterValidator(empty_is_none)],
    Kind.COUNTS: Annotated[tuple[Count, ...] | None, AfterValidator(empty_is_none)],
}
