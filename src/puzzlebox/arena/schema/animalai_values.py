"""Single values in Animal-AI's form: -1 for random, numbers and truth values as the original's parser took them."""

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
    """The keys and values of a mapping, merged mappings included; of a key given twice the last.

    A mapping of another kind, or something that is no mapping, is reported and gives nothing.
    """
    if node.kind != MAPPING or (node.tag in TAGS and node.tag != tag):
        draft.report("wrong-value", node, key=tag, expects=expects, value=node.shown())
        return {}
    last: Pairs = {}
    merged: Pairs = {}
    for key, entry in node.value:
        if key.kind != SCALAR:
            draft.report("bad-key", key, value=key.shown())
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
    """The value of a node. What does not fit its kind is returned as it is, for the model to refuse."""
    return _READERS[kind](node, draft)


def number(node: Node, draft: Draft) -> Any:
    """A number, quoted or not; a leading zero means nothing here."""
    if node.kind != SCALAR:
        return _refused(node)
    said = meaning(node.value)
    if isinstance(said, Ambiguous) and node.value.lstrip("+-").replace(".", "", 1).isdecimal():
        decimal = float(node.value)
        draft.report("old-number", node, text=node.value, meaning=written(decimal))
        return decimal
    return said if isinstance(said, int | float) and not isinstance(said, bool) else node.value


def whole(node: Node, draft: Draft) -> Any:
    """A whole number; a leading zero means octal, a colon counts in sixties."""
    if node.kind != SCALAR:
        return _refused(node)
    said = meaning(node.value)
    if isinstance(said, Ambiguous) and type(said.one) is int:
        draft.report("old-number", node, text=node.value, meaning=said.one)
        return said.one
    return said if type(said) in (int, float) else node.value


def flag(node: Node, draft: Draft) -> Any:
    """True or false; the old spellings with a warning."""
    if node.kind != SCALAR:
        return _refused(node)
    said = {"true": True, "false": False}.get(node.value.lower())
    if said is None:
        said = {"y": True, "yes": True, "on": True, "n": False, "no": False, "off": False}.get(node.value.lower())
        if said is None:
            return node.value
        draft.report("old-boolean", node, text=node.value, meaning=str(said).lower())
    return said


def blackouts(node: Node, draft: Draft) -> Any:
    """The light schedule. Builds before 4.2 took any list; a time already past when its turn comes never comes."""
    if node.kind != SEQUENCE:
        return _refused(node)
    times = [whole(entry, draft) for entry in node.value]
    if all(type(time) is int and time >= 0 for time in times):
        for index in range(1, len(times)):
            if times[index] <= times[index - 1]:
                draft.report("blackouts-cut", node.value[index], value=times[index], previous=times[index - 1])
                return times[:index]
    return times


def _refused(node: Node) -> Any:
    """A list or mapping where a scalar belongs: something no scalar type accepts."""
    return node.shown()


def _text(node: Node, draft: Draft) -> Any:
    return node.value if node.kind == SCALAR else []


def _not_negative(node: Node, draft: Draft) -> Any:
    """Times and values below 0 acted as 0."""
    said = number(node, draft)
    if isinstance(said, int | float) and said < 0:
        draft.report("old-number", node, text=node.value, meaning=0)
        return 0
    return said


def _count(node: Node, draft: Draft) -> Any:
    """Any negative number meant no limit."""
    said = whole(node, draft)
    if type(said) is int and said < -1:
        draft.report("old-number", node, text=node.value, meaning=-1)
        return -1
    return said


def _components(node: Node, tag: str, keys: str, draft: Draft) -> list[Any] | None:
    """The numbers of a !Vector3 or !RGB; a missing one is 0. None when it is neither."""
    if node.kind != MAPPING or node.tag not in (None, tag):
        return None
    found: dict[str, Any] = dict.fromkeys(keys, 0)
    for word, (key, entry) in pairs(node, draft, tag, "a mapping").items():
        if word in found:
            found[word] = number(entry, draft)
        else:
            draft.report("unknown-key", key, key=word, where=tag, nearest=draft.nearest(word, keys))
    return [found[key] for key in keys]


def _negative(said: Any) -> bool:
    return isinstance(said, int | float) and said < 0


def _position(node: Node, draft: Draft) -> Any:
    """Negative x or z means random, negative height the floor (docs/original/task-files.md#random)."""
    vector = _components(node, "!Vector3", "xyz", draft)
    if vector is None:
        return _refused(node)
    x, y, z = vector
    return [None if _negative(x) else x, 0 if _negative(y) else y, None if _negative(z) else z]


def _size(node: Node, draft: Draft) -> Any:
    vector = _components(node, "!Vector3", "xyz", draft)
    if vector is None:
        return _refused(node)
    return [None if _negative(component) else component for component in vector]


def _colour(node: Node, draft: Draft) -> Any:
    """One negative component makes the whole colour random."""
    channels = _components(node, "!RGB", "rgb", draft)
    if channels is None:
        return _refused(node)
    if any(_negative(channel) for channel in channels):
        return None
    for index, channel in enumerate(channels):
        if isinstance(channel, int | float) and 255 < channel < float("inf"):
            draft.report("clamped-colour", node.get("rgb"[index]) or node, value=written(channel), becomes=255)
            channels[index] = 255
    return channels


def _skin(node: Node, draft: Draft) -> Any:
    if node.kind != SCALAR:
        return _refused(node)
    if node.value in SKINS:
        return node.value
    if node.value != "random":
        draft.report("unknown-skin", node, name=node.value, allowed=", ".join(SKINS))
    return None


def _symbol(node: Node, draft: Draft) -> Any:
    if node.kind != SCALAR:
        return _refused(node)
    if node.value == "transparent":  # the documentation's word for a blank board
        return "default"
    if is_symbol(node.value):
        return node.value
    draft.report("unknown-symbol", node, name=node.value, nearest=draft.nearest(node.value, SYMBOLS))
    return None


def _list_of(entry: Callable[[Node, Draft], Any]) -> Callable[[Node, Draft], Any]:
    def read(node: Node, draft: Draft) -> Any:
        return [entry(child, draft) for child in node.value] if node.kind == SEQUENCE else _refused(node)

    return read


def _reward_name(node: Node, draft: Draft) -> Any:
    """An unknown name brought nothing."""
    if node.kind != SCALAR:
        return _refused(node)
    known = names()
    if node.value not in known:
        if node.value != NOTHING:
            draft.report("skipped-thing", node, name=node.value, nearest=draft.nearest_thing(node.value, known))
        return NOTHING
    return known[node.value]


_READERS: dict[Kind, Callable[[Node, Draft], Any]] = {
    Kind.POSITION: _position,
    Kind.SIZE: _size,
    Kind.COLOUR: _colour,
    Kind.ANGLE: lambda node, draft: None if _negative(said := number(node, draft)) else said,
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
