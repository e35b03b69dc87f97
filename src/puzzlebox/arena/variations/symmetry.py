"""Mirror and turn a whole arena: the same task for an animal that starts on the other side."""

from collections.abc import Mapping
from typing import Any

from puzzlebox.arena.things import CATALOGUE, Category
from puzzlebox.arena.variations.parts import Data

MIRRORS = ("none", "x", "z")
TURNS = (0, 90, 180, 270)
# The mirror images of things and signs that differ from them.
_OTHER_HAND = {"LBlock": "JBlock", "JBlock": "LBlock"}
_SIGNS = {"left-arrow": "right-arrow", "right-arrow": "left-arrow"}
_POSITION_KEYS = ("at", "reward_at")
_DEFAULT_SIZE = [40, 40]


def mirror_arena(arena: Mapping[str, Any], axis: str) -> Data:
    """Return the mirror image of an arena: `x` exchanges left and right, `z` front and back."""
    width, depth = _size(arena)

    def place(at: list[Any]) -> list[Any]:
        x, y, z = at
        return [_minus(width, x), y, z] if axis == "x" else [x, y, _minus(depth, z)]

    def turn(rotation: Any) -> Any:
        return (360 - rotation) % 360 if axis == "x" else (540 - rotation) % 360

    def item(data: Data) -> None:
        name = data.get("name")
        if isinstance(name, str):
            data["name"] = _OTHER_HAND.get(name, name)
        symbol = data.get("symbol")
        if isinstance(symbol, str):
            rows = symbol.split("/")
            is_pixel_grid = len(rows) > 1 and set(symbol) <= set("01*/")
            data["symbol"] = "/".join(row[::-1] for row in rows) if is_pixel_grid else _SIGNS.get(symbol, symbol)

    return _transform(arena, place, turn, item)


def rotate_arena(arena: Mapping[str, Any], degrees: int) -> Data:
    """Return an arena turned clockwise, seen from above."""
    result = Data(arena)
    for _ in range(degrees // 90):
        width, depth = _size(result)

        def place(at: list[Any], width: float = width) -> list[Any]:
            x, y, z = at
            return [z, y, _minus(width, x)]

        result = _transform(result, place, lambda rotation: (rotation + 90) % 360, lambda data: None)
        if width != depth:
            result["size"] = [depth, width]
    return result


def _size(arena: Mapping[str, Any]) -> tuple[float, float]:
    size = arena.get("size", _DEFAULT_SIZE)
    usable = isinstance(size, list) and len(size) == 2 and all(isinstance(each, int | float) for each in size)
    width, depth = size if usable else _DEFAULT_SIZE
    return width, depth


def _minus(length: float, place: Any) -> Any:
    return round(length - place, 9) if isinstance(place, int | float) else place


def _transform(arena: Mapping[str, Any], place: Any, turn: Any, change: Any) -> Data:
    result = Data(arena)
    if isinstance(arena.get("items"), list):
        result["items"] = [_item(each, place, turn, change) for each in arena["items"]]
    return result


def _item(item: Any, place: Any, turn: Any, change: Any) -> Any:
    if not isinstance(item, Mapping):
        return item
    data = Data(item)
    for key in _POSITION_KEYS:
        if isinstance(data.get(key), list):
            data[key] = _map_positions(data[key], place)
    if isinstance(data.get("at_one_of"), list):
        data["at_one_of"] = [_map_positions(each, place) for each in data["at_one_of"]]
    if "rotation" in data:
        data["rotation"] = _map_rotations(data["rotation"], turn)
    elif _stands_straight(data.get("name")):
        data["rotation"] = turn(0)
    if isinstance(data.get("operations"), list):
        data["operations"] = [_operation(each, place, turn, change) for each in data["operations"]]
    change(data)
    return data


def _stands_straight(name: Any) -> bool:
    """Return whether a thing without a rotation stands at 0 degrees and has a front."""
    thing = CATALOGUE.get(name) if isinstance(name, str) else None
    return thing is not None and thing.category in (Category.DISPENSER, Category.BUTTON)


def _map_positions(value: list[Any], place: Any) -> list[Any]:
    """Return one position, or a list of them, moved by `place`."""
    if value and all(isinstance(each, list) for each in value):
        return [_map_positions(each, place) for each in value]
    position: list[Any] = place(value) if len(value) == 3 else value
    return position


def _map_rotations(value: Any, turn: Any) -> Any:
    if isinstance(value, list):
        return [_map_rotations(each, turn) for each in value]
    return turn(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _operation(operation: Any, place: Any, turn: Any, change: Any) -> Any:
    if not isinstance(operation, Mapping):
        return operation
    data = Data(operation)
    if isinstance(data.get("items"), list):
        data["items"] = [_item(each, place, turn, change) for each in data["items"]]
    if isinstance(data.get("operations"), list):
        data["operations"] = [_operation(each, place, turn, change) for each in data["operations"]]
    if "operation" in data:
        data["operation"] = _operation(data["operation"], place, turn, change)
    return data
