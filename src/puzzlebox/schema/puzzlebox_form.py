"""Reading our own form: plain YAML without tags, one line a thing, strict about everything."""

from math import isfinite
from typing import Any

from puzzlebox.schema.draft import Draft, Path
from puzzlebox.schema.messages import number
from puzzlebox.schema.scalars import Ambiguous, resolve
from puzzlebox.schema.tree import MAPPING, SCALAR, SEQUENCE, Node
from puzzlebox.things import CATALOGUE, PARAMETERS, Kind

_VECTORS = (Kind.POSITION, Kind.SIZE, Kind.COLOUR)


def read(root: Node, draft: Draft) -> Any:
    """The data of a task in our form, with every item that lists several instances taken apart."""
    data = plain(root, draft)
    arenas = data.get("arenas") if isinstance(data, dict) else None
    if isinstance(arenas, list):
        for index, arena in enumerate(arenas):
            if isinstance(arena, dict):
                # Arenas are numbered by their place unless they say otherwise.
                arena.setdefault("id", index)
                if isinstance(arena.get("items"), list):
                    arena["items"] = _instances(arena["items"], ("arenas", index, "items"), draft)
    return data


def plain(node: Node, draft: Draft) -> Any:
    """Nodes as Python data; what YAML readers disagree about is an error here."""
    if node.tag is not None:
        draft.report("tag", node, tag=node.tag.replace("tag:yaml.org,2002:", "!!"))
    if node.kind == SEQUENCE:
        return [plain(child, draft) for child in node.value]
    if node.kind == MAPPING:
        return _mapping(node, draft)
    value = resolve(node)
    if isinstance(value, Ambiguous):
        one = str(value.one).lower() if isinstance(value.one, bool) else number(value.one)
        draft.report("ambiguous", node, text=node.value, one=one, other=value.other, write=value.write)
        return value.one
    if isinstance(value, float) and not isfinite(value):
        draft.report("not-finite", node, text=node.value)
        return 0.0
    return value


def _mapping(node: Node, draft: Draft) -> dict[str, Any]:
    data: dict[str, Any] = {}
    first: dict[str, Node] = {}
    for key, value in node.value:
        if key.kind != SCALAR:
            draft.report("bad-key", key, value=key.shown())
            continue
        if key.value in first:
            draft.report("duplicate-key", key, key=key.value, first=first[key.value].place.line)
        else:
            first[key.value] = key
        data[key.value] = plain(value, draft)  # the last one, as `Node.get` finds it
    return data


def _instances(items: list[Any], path: Path, draft: Draft) -> list[Any]:
    """Items with lists of values become one item each; each remembers where its values stand."""
    result: list[Any] = []
    nodes: list[Node] = draft.locate(path).value
    for item, node in zip(items, nodes, strict=True):
        if not isinstance(item, dict):
            draft.count_items(1, node)
            draft.place((*path, len(result)), node)
            result.append(item)
            continue
        lists = {key: value for key, value in item.items() if _lists_instances(key, value)}
        entries = {key: value.value for key in lists if (value := node.get(key))}
        instances = max((len(values) for values in lists.values()), default=1)
        draft.count_items(instances, node)
        _report_short_lists(item, lists, instances, node, draft)
        for instance in range(instances):
            where = (*path, len(result))
            draft.place(where, node)
            one = {key: value for key, value in item.items() if key not in lists}
            for key, values in lists.items():
                if instance < len(values):
                    one[key] = values[instance]
                    draft.place((*where, key), entries[key][instance])
            if "operations" in one:
                one["operations"] = _operations(one["operations"], (*where, "operations"), draft)
            result.append(one)
    return result


def _lists_instances(key: str, value: Any) -> bool:
    """Whether a value is a list with one entry per instance rather than one value for all."""
    parameter = PARAMETERS.get(key)
    if parameter is None or not parameter.per_instance or not isinstance(value, list) or not value:
        return False
    if parameter.kind is Kind.COLOUR:
        return any(isinstance(entry, list | str) for entry in value)
    if parameter.kind in _VECTORS:
        return any(isinstance(entry, list) for entry in value)
    return True


def _report_short_lists(item: dict[str, Any], lists: dict[str, Any], instances: int, node: Node, draft: Draft) -> None:
    for key, values in lists.items():
        if len(values) < instances:
            report_short_list(draft, node.get(key) or node, key, item.get("name"), len(values), instances)


def report_short_list(draft: Draft, node: Node, key: str, name: Any, count: int, instances: int) -> None:
    """Say that a list does not reach all instances, and what the others get."""
    thing = CATALOGUE.get(name) if isinstance(name, str) else None
    parameter = next(each for each in PARAMETERS.values() if key in (each.name, each.animalai))
    default = thing.takes()[parameter.name].default if thing and parameter.name in thing.takes() else None
    missing = "a random one" if default is None else f"{default:g}" if isinstance(default, float) else str(default)
    entries = "1 entry" if count == 1 else f"{count} entries"
    draft.report("short-list", node, key=key, thing=name, count=entries, instances=instances, missing=missing)


def _operations(operations: Any, path: Path, draft: Draft) -> Any:
    """The same for the items that operations bring."""
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
