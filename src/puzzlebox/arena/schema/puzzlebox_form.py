"""Read the Puzzlebox format: plain YAML without tags, one line a thing, strict about everything."""

from math import isfinite
from typing import Any

from puzzlebox.arena.schema.draft import Draft, Path
from puzzlebox.arena.schema.scalars import Ambiguous, resolve
from puzzlebox.arena.schema.tree import MAPPING, MAX_ITEMS, SCALAR, SEQUENCE, Node
from puzzlebox.arena.schema.values import RANDOM
from puzzlebox.arena.things import CATALOGUE, PARAMETERS, Kind, page
from puzzlebox.text import number

COUNT_EXPECTS = f"a whole number from 1 to {MAX_ITEMS}"
_VECTORS = (Kind.POSITION, Kind.SIZE, Kind.COLOUR)


class Null:
    """An empty value. No model accepts it: a random parameter is left out of a task."""


_NULL = Null()


def read(root: Node, draft: Draft) -> Any:
    """Return the data of a task in the Puzzlebox format, with one item for each instance."""
    return with_instances(plain(root, draft), draft)


def with_instances(data: Any, draft: Draft) -> Any:
    """Return the plain data of a task with one item for each instance; the data are changed."""
    arenas = data.get("arenas")
    if isinstance(arenas, dict):
        _report_no_dash("arenas", (), draft)
        arenas = data["arenas"] = []
    if isinstance(arenas, list):
        for index, arena in enumerate(arenas):
            if isinstance(arena, dict):
                # Without an id, an arena is numbered by its position.
                arena.setdefault("id", index)
                if isinstance(arena.get("items"), list):
                    arena["items"] = _instances(arena["items"], ("arenas", index, "items"), draft)
                elif isinstance(arena.get("items"), dict):
                    _report_no_dash("items", ("arenas", index), draft)
                    arena["items"] = []
    return data


def _report_no_dash(key: str, path: Path, draft: Draft) -> None:
    """Report entries without their dashes, which YAML takes for one mapping."""
    node = draft.locate((*path, key))
    first = node.value[0][0] if node.value else node
    if first.kind == SCALAR and first.value.startswith("-"):
        draft.report("no-space", first)
    elif first.kind == SCALAR:
        draft.report("no-dash", first, key=key, first=first.value)
    else:
        draft.report("wrong-value", first, key=key, expects="a list", value=first.describe())


def plain(node: Node, draft: Draft, *, free: bool = False) -> Any:
    """Return nodes as Python data; a word that YAML readers disagree about is an error here.

    Args:
        node: the node to read.
        draft: collects the findings.
        free: whether an empty value is allowed, as in metadata.
    """
    if node.tag is not None:
        draft.report("tag", node, tag=node.tag.replace("tag:yaml.org,2002:", "!!"))
    if node.kind == SEQUENCE:
        return [plain(child, draft, free=free) for child in node.value]
    if node.kind == MAPPING:
        return _mapping(node, draft, free=free)
    value = resolve(node)
    if value is None and not free:
        return _NULL
    if isinstance(value, Ambiguous):
        one = str(value.one).lower() if isinstance(value.one, bool) else number(value.one)
        draft.report("ambiguous", node, text=node.short(), one=one, other=value.other, write=value.write)
        return value.one
    if isinstance(value, float) and not isfinite(value):
        draft.report("not-finite", node, text=node.short())
        return 0.0
    return value


def _mapping(node: Node, draft: Draft, *, free: bool) -> dict[str, Any]:
    data: dict[str, Any] = {}
    first: dict[str, Node] = {}
    for key, value in node.value:
        if key.kind != SCALAR:
            draft.report("bad-key", key, value=key.describe())
            continue
        if key.value in first:
            draft.report("duplicate-key", key, key=key.value, first=first[key.value].place.line)
        else:
            first[key.value] = key
        # The last one, as `Node.get` finds it.
        data[key.value] = plain(value, draft, free=free or key.value == "metadata")
    return data


def _instances(items: list[Any], path: Path, draft: Draft) -> list[Any]:
    """Return one item for each instance of items with lists of values, and record the positions of their values."""
    result: list[Any] = []
    for item, node in zip(items, draft.entries(path, len(items)), strict=True):
        where = (*path, len(result))
        draft.record_place(where, node)
        if not isinstance(item, dict):
            draft.count_instances(1, item, node)
            result.append(item)
            continue
        _drop_refused_keys(item, where, draft)
        if "operations" in item:
            item["operations"] = _operations(item["operations"], (*where, "operations"), draft)
        repeats = _count(item, node, draft)
        lists = {key: value for key, value in item.items() if _lists_instances(key, value)}
        shared = {key: value for key, value in item.items() if key not in lists}
        instances = max([repeats, *map(len, lists.values())])
        draft.count_instances(instances, _as_written(shared), node)
        for key, entries in lists.items():
            if len(entries) < instances:
                draft.report_short_list(node.get(key) or node, key, PARAMETERS[key], item.get("name"), instances)
        first = where
        for instance in range(instances):
            where = (*path, len(result))
            draft.record_place(where, node)
            if instance:
                draft.record_repeat(where, first)
            values = dict(shared)
            for key, entries in lists.items():
                if instance < len(entries):
                    values[key] = entries[instance]
                    draft.record_entry((*where, key), node, key, instance)
            result.append(values)
    return result


def _as_written(shared: dict[str, Any]) -> dict[str, Any]:
    """Return values as the writer spells them: a colour by name or a size by one number becomes three."""
    vectors = {key for key in shared if key in PARAMETERS and PARAMETERS[key].kind in _VECTORS}
    return {
        key: [0, 0, 0] if key in vectors and not isinstance(value, list) else value for key, value in shared.items()
    }


def _drop_refused_keys(item: dict[str, Any], path: Path, draft: Draft) -> None:
    """Report and remove keys that the thing does not take, and `random` if the default is not random."""
    thing = CATALOGUE.get(item["name"]) if isinstance(item.get("name"), str) else None
    if thing is None:
        return
    for key, spec in thing.takes().items():
        if item.get(key) == RANDOM and spec.default is not None:
            value = draft.locate((*path, key))
            draft.report("not-random", value, thing=thing.name(), key=key, default=page.default(spec.default))
            del item[key]
    for key in [key for key in item if key in PARAMETERS and key not in thing.takes()]:
        allowed = ", ".join(thing.takes())
        draft.report("misplaced-key", draft.locate_key(path, key), thing=thing.name(), key=key, allowed=allowed)
        del item[key]


def _count(item: dict[str, Any], node: Node, draft: Draft) -> int:
    """Return how many instances `count` asks for."""
    count = item.pop("count", 1)
    if type(count) is not int or not 1 <= count <= MAX_ITEMS:
        where = node.get("count") or node
        draft.report("wrong-value", where, key="count", expects=COUNT_EXPECTS, value=where.describe())
        return 1
    return count


def _lists_instances(key: str, value: Any) -> bool:
    """Return whether a value is a list with one entry per instance rather than one value for all."""
    parameter = PARAMETERS.get(key)
    if parameter is None or not parameter.per_instance or not isinstance(value, list) or not value:
        return False
    if parameter.kind is Kind.COLOUR:
        return not any(isinstance(entry, int | float) for entry in value)
    if parameter.kind in _VECTORS:
        return any(isinstance(entry, list) for entry in value)
    return True


def _operations(operations: Any, path: Path, draft: Draft) -> Any:
    """Return operations with one item for each instance that they bring."""
    if not isinstance(operations, list):
        return operations
    return [_operation(operation, (*path, index), draft) for index, operation in enumerate(operations)]


def _operation(operation: Any, path: Path, draft: Draft) -> Any:
    if not isinstance(operation, dict):
        return operation
    result = dict(operation)
    # The model adds the name of the operation to its paths.
    inside = (*path, operation["do"]) if isinstance(operation.get("do"), str) else path
    if isinstance(operation.get("items"), list):
        result["items"] = _instances(operation["items"], (*inside, "items"), draft)
    if "operations" in operation:
        result["operations"] = _operations(operation["operations"], (*inside, "operations"), draft)
    if "operation" in operation:
        result["operation"] = _operation(operation["operation"], (*inside, "operation"), draft)
    return result
