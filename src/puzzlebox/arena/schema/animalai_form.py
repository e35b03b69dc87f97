"""Read Animal-AI's format, in every version since 2019.

Whatever some build accepted is accepted with the same meaning, and a warning if it is doubtful
(docs/original/task-files.md).
"""

from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from puzzlebox.arena.schema import animalai_values as values
from puzzlebox.arena.schema.animalai_keys import (
    ARENA_KEYS,
    EXPECTS,
    OPERATION_TAGS,
    ROOT_KEYS,
    TAGS,
    Key,
    Shape,
    expected,
)
from puzzlebox.arena.schema.draft import Draft, Path
from puzzlebox.arena.schema.models import Item
from puzzlebox.arena.schema.puzzlebox_form import plain
from puzzlebox.arena.schema.tree import MAPPING, SCALAR, SEQUENCE, Node
from puzzlebox.arena.things import ANIMALAI_PARAMETERS, CATALOGUE, Kind, Parameter, names
from puzzlebox.text import closest

_YAML_TAG = "tag:yaml.org,2002:"


def read(root: Node, draft: Draft) -> Any:
    """Return the data of a task in Animal-AI's format, in the shape of the models."""
    _check_tags(root, draft)
    data: dict[str, Any] = {}
    for word, (key_node, node) in values.pairs(root, draft, "!ArenaConfig", "a mapping of `arenas`").items():
        key = ROOT_KEYS.get(word)
        if key is None:
            draft.report("unknown-key", key_node, key=word, where="the file", nearest=draft.nearest(word, ROOT_KEYS))
            continue
        draft.record_place((key.name,), node)
        if key.shape is Shape.ARENAS:
            data["arenas"] = _arenas(node, draft)
        else:
            data[key.name] = _value(key, node, (key.name,), draft)
    return data


def _check_tags(node: Node, draft: Draft) -> None:
    """Report unknown tags: one anywhere makes the original refuse the file."""
    if node.tag is not None and node.tag not in TAGS and not node.tag.startswith(_YAML_TAG):
        draft.report("unknown-tag", node, tag=node.tag, nearest=draft.nearest(node.tag, TAGS))
    if node.kind == SEQUENCE:
        for child in node.value:
            _check_tags(child, draft)
    elif node.kind == MAPPING:
        for key, child in node.value:
            _check_tags(key, draft)
            _check_tags(child, draft)


def _arenas(node: Node, draft: Draft) -> Any:
    """Return the arenas in the order of their numbers.

    Negative numbers are renumbered; of equal ones the last counts.
    """
    if node.kind != MAPPING:
        draft.report("wrong-value", node, key="arenas", expects=Shape.ARENAS.value, value=node.describe())
        return []
    by_number: dict[int, tuple[Node, Node]] = {}
    for key, arena in node.value:
        number = values.whole(key, draft) if key.kind == SCALAR else None
        if type(number) is not int:
            draft.report("wrong-value", key, key="arenas", expects=Shape.ARENAS.value, value=key.describe())
        else:
            if number in by_number:
                draft.report("arena-again", key, id=number, first=by_number[number][0].place.line)
            by_number[number] = (key, arena)
    by_final_number: dict[int, tuple[Node, Node]] = {}
    largest = -1
    for number, (key, arena) in by_number.items():
        if number < 0:
            # One more than any so far, but never the number of an arena still to come.
            becomes = largest + 1
            while becomes in by_number:
                becomes += 1
            draft.report("negative-id", key, id=number, becomes=becomes)
            number = becomes
        largest = max(largest, number)
        by_final_number[number] = (key, arena)
    return [
        _arena(*by_final_number[number], number, ("arenas", index), draft)
        for index, number in enumerate(sorted(by_final_number))
    ]


def _arena(key_of_arena: Node, node: Node, number: int, path: Path, draft: Draft) -> dict[str, Any]:
    draft.record_place(path, node)
    draft.record_place((*path, "id"), key_of_arena)
    data: dict[str, Any] = {"id": number}
    pairs = values.pairs(node, draft, "!Arena", "a mapping of keys")
    for word, (key_node, value) in pairs.items():
        key = ARENA_KEYS.get(word)
        if key is None:
            draft.report("unknown-key", key_node, key=word, where="an arena", nearest=draft.nearest(word, ARENA_KEYS))
        elif key.replaced_by in pairs:
            draft.report("both-names", key_node, key=word, other=key.replaced_by)
        else:
            where = (*path, key.name)
            draft.record_place(where, value)
            draft.record_word(where, word)
            if key.shape is Shape.ITEMS:
                data["items"] = _items(value, where, draft)
            else:
                data[key.name] = _value(key, value, where, draft)
    return data


def _value(key: Key, node: Node, path: Path, draft: Draft) -> Any:
    """Return the value of a key of the file, of an arena or of an operation."""
    match key.shape:
        case Shape.OURS:
            return plain(node, draft, free=key.name == "metadata")
        case Shape.BLACKOUTS:
            return values.blackouts(node, draft)
        case Shape.INTEGER:
            return values.whole(node, draft)
        case Shape.ITEM:
            return _instances(node, path, draft)
        case Shape.OPERATION:
            return _operation(node, path, draft)
        case Kind.OPERATIONS:
            return _operations(node, path, draft)
        case Kind() as kind:
            return values.value(kind, node, draft)
        case _:
            raise AssertionError(key)


def _items(node: Node, path: Path, draft: Draft) -> list[Any]:
    if node.kind != SEQUENCE:
        draft.report("wrong-value", node, key="items", expects=Shape.ITEMS.value, value=node.describe())
        return []
    result: list[Any] = []
    for item in node.value:
        result += _instances(item, path, draft, len(result))
    return result


def _instances(node: Node, path: Path, draft: Draft, start: int = 0) -> list[Any]:
    """Return an item with aligned lists as one item per instance (docs/original/task-files.md#instances)."""
    pairs = values.pairs(node, draft, "!Item", "an item with a `name`")
    if node.kind != MAPPING:
        return []
    misspelt = any(closest(word, ["name"]) for word in pairs if word not in ANIMALAI_PARAMETERS and word != "name")
    name_node = pairs.pop("name", (node, None))[1]
    name = _name(name_node, node, draft, misspelt=misspelt)
    takes = CATALOGUE[name].takes() if name else {}
    lists: dict[str, tuple[Parameter, list[Node]]] = {}
    shared: dict[str, Any] = {}
    number = 1
    for word, (key_node, value) in pairs.items():
        parameter = ANIMALAI_PARAMETERS.get(word)
        if parameter is None:
            words = [key for key, each in ANIMALAI_PARAMETERS.items() if each.name in takes or not takes]
            hint = draft.nearest(word, ["name", *words], "puzzlebox things NAME")
            draft.report("unknown-key", key_node, key=word, where=name or "an item", nearest=hint)
            continue
        if parameter.per_instance and value.kind != SEQUENCE:
            _report_wrong(word, parameter, value, draft)
            continue
        if parameter.counts:
            number = max(number, len(value.value))
        if parameter.name not in takes:
            _check_unused(word, parameter, value, draft)
            if name:
                draft.report("no-effect", key_node, key=word, thing=name)
        elif parameter.per_instance:
            lists[word] = (parameter, value.value)
        else:
            where = (*path, start, parameter.name)
            draft.record_place(where, value)
            shared[parameter.name] = _value(Key(parameter.name, parameter.kind), value, where, draft)
    if name is None:
        return []
    if name == "Agent":
        return [_agent(node, lists, shared, (*path, start), draft)]
    draft.count_instances(number, shared, node)
    for word, (parameter, entries) in lists.items():
        if not parameter.counts and len(entries) > 1:
            draft.report("extra-entries", entries[1], key=word, thing=name)
        elif parameter.counts and len(entries) < number:
            draft.report_short_list(pairs[word][1], word, parameter, name, number)
    for instance in range(1, number):
        draft.record_repeat((*path, start + instance), (*path, start))
    instances = [
        _instance(name, instance, lists, shared, node, (*path, start + instance), draft) for instance in range(number)
    ]
    turn = CATALOGUE[name].turned_aliases.get(name_node.value if name_node is not None else "")
    return instances if turn is None else [_turn(each, turn) for each in instances]


def _turn(data: dict[str, Any], degrees: float) -> dict[str, Any]:
    """Return the data of a thing with its rotation changed, for an alias under which it faced another way."""
    rotation = data.get("rotation", 0.0)
    is_number = isinstance(rotation, int | float) and not isinstance(rotation, bool)
    return {**data, "rotation": (rotation + degrees) % 360.0} if is_number else data


@cache
def _type_of(name: str) -> TypeAdapter[Any]:
    field: Any = Item.model_fields[name]
    return TypeAdapter(field.annotation)


def _check_unused(word: str, parameter: Parameter, node: Node, draft: Draft) -> None:
    """Report a value of the wrong kind for a key without effect: the original reads it before it ignores it."""
    if parameter.kind is Kind.OPERATIONS:
        _operations(node, (), draft)
        return
    for entry in node.value if parameter.per_instance else [node]:
        try:
            _type_of(parameter.name).validate_python(values.value(parameter.kind, entry, draft))
        except ValidationError:
            _report_wrong(word, parameter, entry, draft)


def _instance(
    name: str,
    index: int,
    lists: dict[str, tuple[Parameter, list[Node]]],
    shared: dict[str, Any],
    node: Node,
    path: Path,
    draft: Draft,
) -> dict[str, Any]:
    """Return instance number `index` of an item."""
    draft.record_place(path, node)
    data: dict[str, Any] = {"name": name, **shared}
    for parameter, entries in lists.values():
        # Lists that do not count instances are shared: their first entry serves all.
        position = index if parameter.counts else 0
        if position < len(entries):
            entry = entries[position]
            draft.record_place((*path, parameter.name), entry)
            data[parameter.name] = values.value(parameter.kind, entry, draft)
    return data


def _agent(
    node: Node, lists: dict[str, tuple[Parameter, list[Node]]], shared: dict[str, Any], path: Path, draft: Draft
) -> dict[str, Any]:
    """Return the one agent of an item; several positions are a choice (docs/original/placement.md#the-agent)."""
    draft.count_instances(1, shared, node)
    for word, (_, entries) in lists.items():
        if word != "positions" and len(entries) > 1:
            draft.report("extra-entries", entries[1], key=word, thing="Agent")
    entries = lists["positions"][1] if "positions" in lists else []
    if len(entries) < 2:
        return _instance("Agent", 0, lists, shared, node, path, draft)
    del lists["positions"]
    data = _instance("Agent", 0, lists, shared, node, path, draft)
    data["at_one_of"] = [values.value(Kind.POSITION, entry, draft) for entry in entries]
    for index, entry in enumerate(entries):
        draft.record_place((*path, "at_one_of", index), entry)
    return data


def _name(node: Node | None, item: Node, draft: Draft, *, misspelt: bool) -> str | None:
    """Return the thing an item names, or None if the original would skip it."""
    if node is None or node.kind != SCALAR:
        if not misspelt:  # otherwise the unknown key is reported
            draft.report("missing-key", item, where="an item", key="name")
        return None
    things_by_name = names()
    if node.value not in things_by_name:
        draft.report("skipped-thing", node, name=node.value, nearest=draft.nearest_thing(node.value, things_by_name))
        return None
    return things_by_name[node.value]


def _report_wrong(word: str, parameter: Parameter, node: Node, draft: Draft) -> None:
    draft.report("wrong-value", node, key=word, expects=expected(parameter), value=node.describe())


def _operations(node: Node, path: Path, draft: Draft) -> list[Any]:
    if node.kind != SEQUENCE:
        expects = EXPECTS[Kind.OPERATIONS]
        draft.report("wrong-value", node, key="operations", expects=expects, value=node.describe())
        return []
    return [_operation(operation, (*path, index), draft) for index, operation in enumerate(node.value)]


def _operation(node: Node, path: Path, draft: Draft) -> dict[str, Any]:
    draft.record_place(path, node)
    if node.tag not in OPERATION_TAGS:
        if node.tag is None:
            draft.report(
                "wrong-value",
                node,
                key="operations",
                expects=Shape.OPERATION.value,
                value=node.describe() + " with no tag",
            )
        elif node.tag in TAGS:
            value_text = node.describe()
            draft.report("wrong-value", node, key="operations", expects=Shape.OPERATION.value, value=value_text)
        return {"do": "nothing"}
    name, keys = OPERATION_TAGS[node.tag]
    data: dict[str, Any] = {"do": name}
    for word, (key_node, value) in values.pairs(node, draft, node.tag, "keys in braces, as in !endEpisode {}").items():
        key = keys.get(word)
        if key is None:
            draft.report("unknown-key", key_node, key=word, where=node.tag, nearest=draft.nearest(word, keys))
            continue
        where = (*path, name, key.name)
        draft.record_place(where, value)
        data[key.name] = _value(key, value, where, draft)
    return data
