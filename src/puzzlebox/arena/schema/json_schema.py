"""The JSON Schema of the Puzzlebox format, for editors: generated from models and catalogue, shipped as a file."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.schema.tree import MAX_ITEMS
from puzzlebox.arena.schema.values import RANDOM
from puzzlebox.arena.things import CATALOGUE, NOTHING, PARAMETERS, SYMBOLS, Kind, Parameter
from puzzlebox.scene.colours import NAMED_COLOURS
from puzzlebox.scene.themes import THEMES

SCHEMA_FILE = Path(__file__).with_name("task.schema.json")

_RANDOM = {"const": RANDOM}
_LENGTH = {"type": "number", "minimum": 0}
_AXIS = {"anyOf": [_LENGTH, _RANDOM]}
_CHANNEL = {"type": "number", "minimum": 0, "maximum": 255}


def _tuple(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "prefixItems": list(entries), "items": False, "minItems": len(entries)}


# If there are weights, at least one is above 0.
_SOME_WEIGHT = {"if": {"minItems": 1}, "then": {"contains": {"exclusiveMinimum": 0}}}
_POSITION = _tuple(_AXIS, _LENGTH, _AXIS)
_COLOUR = {"anyOf": [_tuple(_CHANNEL, _CHANNEL, _CHANNEL), {"enum": list(NAMED_COLOURS)}]}
# Spellings that validators of the models accept and pydantic's schema does not show.
_SCHEMA_OF_KIND: dict[Kind, dict[str, Any]] = {
    Kind.POSITION: {"anyOf": [_POSITION, _RANDOM]},
    Kind.POSITIONS: {"type": "array", "items": _POSITION, "minItems": 2},
    Kind.SIZE: {"anyOf": [_tuple(_AXIS, _AXIS, _AXIS), _LENGTH, _RANDOM]},
    Kind.COLOUR: _COLOUR,
    Kind.ANGLE: _AXIS,
    Kind.SYMBOL: {
        "anyOf": [
            {"enum": list(SYMBOLS)},
            {"type": "string", "pattern": r"^[01*]+(/[01*]+)+$"},
            {"type": "string", "pattern": r"^[1-9][0-9]{0,2}x[1-9][0-9]{0,2}$"},
        ]
    },
}


def task_schema() -> dict[str, Any]:
    """Return the schema as data."""
    schema = Task.model_json_schema(mode="validation")
    parts = schema["$defs"]
    item = parts["Item"]
    item["properties"]["name"] = {"enum": list(CATALOGUE), "description": "The name of the thing."}
    for name, parameter in PARAMETERS.items():
        item["properties"][name] = _parameter(parameter, item["properties"][name])
    count = {"type": "integer", "minimum": 1, "maximum": MAX_ITEMS, "description": "How many of it there are."}
    item["properties"]["count"] = count
    item["allOf"] = [_allow_own_parameters(name) for name in CATALOGUE]
    for name in ("Surface", "Theme"):
        for key, generated in parts[name]["properties"].items():
            parts[name]["properties"][key] = {"description": generated["description"]} | _without_null(generated)
    parts["OneOf"]["properties"]["weights"] |= _SOME_WEIGHT
    parts["Surface"]["properties"]["color"] = _COLOUR | {"description": "Its colour."}
    theme = parts["Arena"]["properties"]["theme"]
    theme["anyOf"] = [{"enum": list(THEMES)}, {"$ref": theme.pop("$ref")}]
    _tidy(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A Puzzlebox task",
        **{key: value for key, value in schema.items() if key != "title"},
    }


def _parameter(parameter: Parameter, generated: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter: one value, or where instances may differ also a list of them."""
    schema = deepcopy(_SCHEMA_OF_KIND.get(parameter.kind)) or _without_null(generated)
    if parameter.kind is Kind.REWARD_NAMES:
        schema["items"] = {"enum": [*CATALOGUE, NOTHING]}
    if parameter.kind is Kind.SKIN:
        schema["enum"] = [*schema["enum"], RANDOM]
    if parameter.kind is Kind.WEIGHTS:
        schema |= _SOME_WEIGHT
    if parameter.per_instance:
        list_schema: dict[str, Any] = {"type": "array", "items": schema, "minItems": 1}
        if parameter.kind in (Kind.POSITION, Kind.SIZE):
            list_schema["contains"] = {"type": "array"}  # [1, 2] is a vector that is too short, not two sizes
        schema = {"anyOf": [schema, list_schema]}
    return {"description": generated["description"]} | schema


def _without_null(generated: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an optional value without the alternative `null`."""
    choices = [choice for choice in generated.get("anyOf", []) if choice.get("type") != "null"]
    if choices:
        return dict(choices[0])
    return {key: value for key, value in generated.items() if key not in ("title", "default", "description")}


def _allow_own_parameters(name: str) -> dict[str, Any]:
    thing = CATALOGUE[name]
    properties = {"name": {"description": thing.description()}}
    properties |= {key: {"description": thing.meaning(PARAMETERS[key])} for key in thing.takes()}
    return {
        "if": {"properties": {"name": {"const": name}}, "required": ["name"]},
        "then": {"properties": properties, "propertyNames": {"enum": [*properties, "count"]}},
    }


def _tidy(schema: Any) -> None:
    """Remove entries that only messages need, titles that repeat the key, and empty defaults."""
    if isinstance(schema, dict):
        schema.pop("expects", None)
        if isinstance(schema.get("title"), str):
            schema.pop("title")
        if schema.get("default", ...) is None or isinstance(schema.get("default"), dict):
            schema.pop("default")
        for part in schema.values():
            _tidy(part)
    elif isinstance(schema, list):
        for part in schema:
            _tidy(part)


def schema_text() -> str:
    """Return the text of the shipped schema file."""
    return json.dumps(task_schema(), indent=1, ensure_ascii=False) + "\n"
