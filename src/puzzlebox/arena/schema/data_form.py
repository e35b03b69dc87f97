"""Make a task of plain data that were never a text, as a template produces them: nothing is written or parsed.

The result is the task that the text of the data would give. Where that needs a second look (a mistake, an unusual
text, very many values), `task_of_data` gives up, and the caller reads the text, whose findings have places.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import yaml
from pydantic import ValidationError

from puzzlebox.arena.schema.draft import PUZZLEBOX, Draft, Path
from puzzlebox.arena.schema.messages import WARNINGS
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.schema.puzzlebox_form import with_instances
from puzzlebox.arena.schema.tree import MAPPING, Node, Refused
from puzzlebox.arena.things import Parameter

# Far below the limits of a text in `schema/tree.py`, so that none of them needs to be checked here.
_MOST_VALUES = 5_000
_MOST_CHARACTERS = 50_000
_DEEPEST = 16
# Floats below this that are whole numbers are written without a point, so that they are read as whole numbers.
_WHOLE_BELOW = 1e15
_MARK = yaml.Mark("", 0, 0, 0, "", 0)
_NOWHERE = Node(MAPPING, [], None, False, _MARK, _MARK)


class _Unusual(Exception):
    """The text of these data must be read."""


def task_of_data(data: Mapping[str, Any]) -> Task | None:
    """Return the task of plain data in the Puzzlebox format; None if only reading its text can tell."""
    if not isinstance(data.get("arenas"), list) or not data["arenas"]:
        return None
    try:
        return Task.model_validate(with_instances(_Plain().mapping(data, False, 1), _Unplaced()))
    except (_Unusual, Refused, ValidationError):
        return None


class _Unplaced(Draft):
    """A draft of data without places: it has no use for warnings and gives up at the first mistake."""

    def __init__(self) -> None:
        super().__init__(_NOWHERE, PUZZLEBOX)

    def report(self, code: str, at: Any, /, **details: Any) -> None:
        if code not in WARNINGS:
            raise _Unusual

    def report_short_list(self, node: Node, word: str, parameter: Parameter, name: Any, instances: int) -> None:
        pass

    def record_place(self, path: Path, node: Node) -> None:
        pass

    def record_entry(self, path: Path, node: Node, key: str, index: int) -> None:
        pass

    def record_repeat(self, path: Path, first: Path) -> None:
        pass

    def entries(self, path: Path, number: int) -> list[Node]:
        return [_NOWHERE] * number

    def locate(self, path: Path) -> Node:
        return _NOWHERE


class _Plain:
    """Copies data as reading their text would return them, and counts them."""

    def __init__(self) -> None:
        self._values = 0
        self._characters = 0

    def mapping(self, data: Mapping[str, Any], free: bool, depth: int) -> dict[str, Any]:
        if getattr(data, "tag", None) is not None:
            raise _Unusual
        self._enter(len(data), depth)
        result = {}
        for key, value in data.items():
            if type(key) is not str or not key.isprintable():
                raise _Unusual
            result[key] = self._value(value, free or key == "metadata", depth + 1)
        return result

    def _enter(self, values: int, depth: int) -> None:
        self._values += values
        if self._values > _MOST_VALUES or depth > _DEEPEST:
            raise _Unusual

    def _value(self, value: Any, free: bool, depth: int) -> Any:
        kind = type(value)
        if kind is float:
            if value.is_integer() and -_WHOLE_BELOW < value < _WHOLE_BELOW:
                return int(value)
            if isfinite(value):
                return value
        elif kind is str:
            self._characters += len(value)
            if self._characters <= _MOST_CHARACTERS and value.replace("\n", " ").isprintable():
                return value
        elif kind is bool or (kind is int and -_WHOLE_BELOW < value < _WHOLE_BELOW):
            return value
        elif isinstance(value, Mapping):
            return self.mapping(value, free, depth)
        elif isinstance(value, list | tuple):
            self._enter(len(value), depth)
            return [self._value(each, free, depth + 1) for each in value]
        elif value is None and free:
            return None
        raise _Unusual
