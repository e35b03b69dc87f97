"""Single values in Animal-AI's format: -1 for random, numbers and truth values as the original's parser took them."""

from collections.abc import Callable
from typing import Any

from puzzlebox.arena.schema.animalai_keys import TAGS
from puzzlebox.arena.schema.draft import Draft
from puzzlebox.arena.schema.scalars import Ambiguous, meaning
from puzzlebox.arena.schema.tree import MAPPING, SCALAR, SEQUENCE, Node
from puzzlebox.arena.schema.values import is_symbol
from puzzlebox.arena.things import NOTHING, SKINS, SYMBOLS, Kind, names
from puzzlebox.text import number as written

Pairs = dict[str, tuple[Node, Node]]


def pairs(node: Node, draft: Draft, tag: str, expects: str) -> Pairs:
    """Return the keys and values of a mapping, merged mappings included; of a repeated key the last counts.

    A mapping with another tag, or a value that is not a mapping, is reported and gives no pairs.
    """
    if node.kind != MAPPING or (node.tag in TAGS and node.tag != tag):
        draft.report("wrong-value", node, key=tag, expects=expects, value=node.describe())
        return {}
    last: Pairs = {}
    merged: Pairs = {}
    for key, entry in node.value:
        if key.kind != SCALAR:
            draft.report("bad-key", key, value=key.describe())
        elif key.value == "<<" and key.plain:
            for source in entry.value if entry.kind == SEQUENCE else [entry]:
                for word, pair in pairs(source, draft, tag, "another mapping to merge").items():
                    merged.setdefault(word, pair)
        else:
            if key.value in last:
                draft.report("key-again", key, key=key.value, first=last[key.value][0].place.line)
            last[key.value] = (key, entry)
    return merged | last


def value(kind: Kind, node: Node, draft: Draft) -> Any:
    """Return the value of a node. A value of the wrong kind is returned as it is, for the model to refuse."""
    return _READERS[kind](node, draft)


def number(node: Node, draft: Draft) -> Any:
    """Return a number, quoted or not; a leading zero has no meaning here."""
    if node.kind != SCALAR:
        return _describe_collection(node)
    result = meaning(node.value)
    if isinstance(result, Ambiguous) and node.value.lstrip("+-").replace(".", "", 1).isdecimal():
        decimal = float(node.value)
        draft.report("old-number", node, text=node.value, meaning=written(decimal))
        return decimal
    return result if isinstance(result, int | float) and not isinstance(result, bool) else node.value


def whole(node: Node, draft: Draft) -> Any:
    """Return a whole number; a leading zero means octal, a colon base 60."""
    if node.kind != SCALAR:
        return _describe_collection(node)
    result = meaning(node.value)
    if isinstance(result, Ambiguous) and type(result.one) is int:
        draft.report("old-number", node, text=node.value, meaning=result.one)
        return result.one
    return result if type(result) in (int, float) else node.value


def flag(node: Node, draft: Draft) -> Any:
    """Return true or false; report the old spellings."""
    if node.kind != SCALAR:
        return _describe_collection(node)
    result = {"true": True, "false": False}.get(node.value.lower())
    if result is None:
        result = {"y": True, "yes": True, "on": True, "n": False, "no": False, "off": False}.get(node.value.lower())
        if result is None:
            return node.value
        draft.report("old-boolean", node, text=node.value, meaning=str(result).lower())
    return result


def blackouts(node: Node, draft: Draft) -> Any:
    """Return the light schedule, cut where it stops increasing.

    Builds before 4.2 took any list; a time that is already past never comes.
    """
    if node.kind != SEQUENCE:
        return _describe_collection(node)
    times = [whole(entry, draft) for entry in node.value]
    if all(type(time) is int and time >= 0 for time in times):
        for index in range(1, len(times)):
            if times[index] <= times[index - 1]:
                draft.report("blackouts-cut", node.value[index], value=times[index], previous=times[index - 1])
                return times[:index]
    return times


def _describe_collection(node: Node) -> Any:
    """Return a text for a list or mapping where a scalar belongs; no scalar type accepts it."""
    return node.describe()


def _text(node: Node, draft: Draft) -> Any:
    return node.value if node.kind == SCALAR else []


def _not_negative(node: Node, draft: Draft) -> Any:
    """Return a number; one below 0 acted as 0."""
    result = number(node, draft)
    if isinstance(result, int | float) and result < 0:
        draft.report("old-number", node, text=node.value, meaning=0)
        return 0
    return result


def _count(node: Node, draft: Draft) -> Any:
    """Return a count; any negative number meant no limit."""
    result = whole(node, draft)
    if type(result) is int and result < -1:
        draft.report("old-number", node, text=node.value, meaning=-1)
        return -1
    return result


def _components(node: Node, tag: str, keys: str, draft: Draft) -> list[Any] | None:
    """Return the numbers of a !Vector3 or !RGB, 0 for a missing one; None if it is neither."""
    if node.kind != MAPPING or node.tag not in (None, tag):
        return None
    components: dict[str, Any] = dict.fromkeys(keys, 0)
    for word, (key, entry) in pairs(node, draft, tag, "a mapping").items():
        if word in components:
            components[word] = number(entry, draft)
        else:
            draft.report("unknown-key", key, key=word, where=tag, nearest=draft.nearest(word, keys))
    return [components[key] for key in keys]


def _negative(component: Any) -> bool:
    return isinstance(component, int | float) and component < 0


def _position(node: Node, draft: Draft) -> Any:
    """Return a position; negative x or z means random, negative y the floor (docs/original/task-files.md#random)."""
    vector = _components(node, "!Vector3", "xyz", draft)
    if vector is None:
        return _describe_collection(node)
    x, y, z = vector
    return [None if _negative(x) else x, 0 if _negative(y) else y, None if _negative(z) else z]


def _size(node: Node, draft: Draft) -> Any:
    vector = _components(node, "!Vector3", "xyz", draft)
    if vector is None:
        return _describe_collection(node)
    return [None if _negative(component) else component for component in vector]


def _colour(node: Node, draft: Draft) -> Any:
    """Return a colour; one negative component makes all of it random."""
    channels = _components(node, "!RGB", "rgb", draft)
    if channels is None:
        return _describe_collection(node)
    if any(_negative(channel) for channel in channels):
        return None
    for index, channel in enumerate(channels):
        if isinstance(channel, int | float) and 255 < channel < float("inf"):
            draft.report("clamped-colour", node.get("rgb"[index]) or node, value=written(channel), becomes=255)
            channels[index] = 255
    return channels


def _skin(node: Node, draft: Draft) -> Any:
    if node.kind != SCALAR:
        return _describe_collection(node)
    if node.value in SKINS:
        return node.value
    if node.value != "random":
        draft.report("unknown-skin", node, name=node.value, allowed=", ".join(SKINS))
    return None


def _symbol(node: Node, draft: Draft) -> Any:
    if node.kind != SCALAR:
        return _describe_collection(node)
    if node.value == "transparent":  # the documentation's word for a blank board
        return "default"
    if is_symbol(node.value):
        return node.value
    draft.report("unknown-symbol", node, name=node.value, nearest=draft.nearest(node.value, SYMBOLS))
    return None


def _list_of(entry: Callable[[Node, Draft], Any]) -> Callable[[Node, Draft], Any]:
    def read(node: Node, draft: Draft) -> Any:
        return [entry(child, draft) for child in node.value] if node.kind == SEQUENCE else _describe_collection(node)

    return read


def _reward_name(node: Node, draft: Draft) -> Any:
    """Return the name of a reward; an unknown one brought nothing."""
    if node.kind != SCALAR:
        return _describe_collection(node)
    things_by_name = names()
    if node.value not in things_by_name:
        if node.value != NOTHING:
            draft.report(
                "skipped-thing", node, name=node.value, nearest=draft.nearest_thing(node.value, things_by_name)
            )
        return NOTHING
    return things_by_name[node.value]


_READERS: dict[Kind, Callable[[Node, Draft], Any]] = {
    Kind.POSITION: _position,
    Kind.SIZE: _size,
    Kind.COLOUR: _colour,
    Kind.ANGLE: lambda node, draft: None if _negative(result := number(node, draft)) else result,
    Kind.NUMBER: number,
    Kind.NOT_NEGATIVE: _not_negative,
    Kind.PROBABILITY: number,
    Kind.WHOLE: whole,
    Kind.COUNT: _count,
    Kind.FLAG: flag,
    Kind.TEXT: _text,
    Kind.SKIN: _skin,
    Kind.SYMBOL: _symbol,
    Kind.REWARD_NAMES: _list_of(_reward_name),
    Kind.WEIGHTS: _list_of(number),
    Kind.COUNTS: _list_of(_count),
}
