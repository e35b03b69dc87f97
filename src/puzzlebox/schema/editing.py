"""Changing one field of a task file while every other byte, comments included, stays as it is.

Paths follow the text: keys and list positions, as in ("arenas", 0, "items", 2, "at").
"""

import re
from collections.abc import Iterator
from typing import Any

from puzzlebox.schema.draft import ANIMALAI
from puzzlebox.schema.models import Item
from puzzlebox.schema.reading import form_of
from puzzlebox.schema.tree import MAPPING, SCALAR, SEQUENCE, Node, Refused, compose
from puzzlebox.schema.writing import animalai_flow, flow, plain_flow

Path = tuple[str | int, ...]
_BYTE_ORDER_MARK = "\ufeff"
_PROPERTIES = re.compile(r"(?:[!&][^\s,\[\]{}]*\s+)+")
# What a tree means, without where it stands: kind, tag, value.
Meaning = tuple[str, str | None, Any]


class EditError(ValueError):
    """The edit cannot be made without touching more than was asked."""


def set_value(text: str, path: Path, value: Any) -> str:
    """The text with the value at a path replaced; a new key, or the position after a list's end, is added.

    Args:
        text: a task file in either form.
        path: where; all but its last part must exist.
        value: numbers, texts, truth values, lists, mappings, or an Item, which is written in the form of the file. None
            is `random` (in metadata: nothing). A tag in front of the old value stays.

    Raises:
        EditError: there is no such place, the text is not valid YAML, or the value cannot be written.
    """
    if text.startswith(_BYTE_ORDER_MARK):
        return _BYTE_ORDER_MARK + set_value(text[1:], path, value)
    root = _compose(text)
    parent, last = _find(root, path), path[-1]
    written = _written(value, path, root)
    old = _child(parent, last)
    if old is not None:
        _refuse_shared(root, path)
        result = _replace(text, parent, old, written)
    elif parent.kind == MAPPING:
        result = _insert(text, parent, f"{flow(str(last)) if isinstance(last, str) else last}: {written}")
    elif parent.kind == SEQUENCE and last == len(parent.value):
        result = _insert(text, parent, written if parent.flow else f"- {written}")
    else:
        raise EditError(f"there is no {_shown(path)} in the file")
    return _checked(result, _changed(_meaning(root), path, _meaning(_compose(written))), path)


def remove(text: str, path: Path) -> str:
    """The text without the key or list entry at a path.

    Raises:
        EditError: there is no such place, or the text is not valid YAML.
    """
    if text.startswith(_BYTE_ORDER_MARK):
        return _BYTE_ORDER_MARK + remove(text[1:], path)
    root = _compose(text)
    parent = _find(root, path)
    if _child(parent, path[-1]) is None:
        raise EditError(f"there is no {_shown(path)} in the file")
    _refuse_shared(root, path)
    spans = _spans(text, parent)
    index = _index(parent, path[-1])
    start, end = spans[index]
    if len(spans) == 1:
        if len(path) == 1:
            raise EditError(f"{_shown(path)} is all there is in the file")
        empty = "{}" if parent.kind == MAPPING else "[]"
        result = _replace(text, _find(root, path[:-1]), parent, empty)
    elif parent.flow and index + 1 < len(spans):
        result = text[:start] + text[spans[index + 1][0] :]
    elif parent.flow:
        # The comma before it goes too, and the space between them; a note there stays.
        comma = text.find(",", spans[index - 1][1], start)
        between = text[comma + 1 : start]
        result = text[:comma] + (between if between.strip(" ") else "") + text[end:]
    else:
        line_start = text.rfind("\n", 0, start) + 1
        if text[line_start:start].strip(" "):
            # The first entry shares its line with the dash above it; the next entry moves up to that place.
            result = text[:start] + text[spans[index + 1][0] :]
        else:
            result = text[:line_start] + text[_line_end(text, end) + 1 :]
    return _checked(result, _changed(_meaning(root), path, None), path)


def _written(value: Any, path: Path, root: Node) -> str:
    try:
        if isinstance(value, Item) and form_of(root) == ANIMALAI:
            return animalai_flow(value)
        return plain_flow(value) if "metadata" in path else flow(value)
    except (ValueError, TypeError, OverflowError, AttributeError):
        raise EditError(f"{value!r} cannot be written into a task file") from None


def _compose(text: str) -> Node:
    try:
        root = compose(text)
    except Refused as refusal:
        place = refusal.finding.place
        raise EditError(f"line {place.line}, column {place.column}: {refusal.finding.message}") from None
    if root is None:
        raise EditError("the file is empty")
    return root


def _refuse_shared(root: Node, path: Path) -> None:
    """Refuse to change what an alias elsewhere repeats."""
    aliases = [node for node in _all_nodes(root) if node.alias]
    node: Node | None = root
    for part in path:
        node = _child(node, part) if node is not None else None
        for alias in aliases:
            if node is not None and alias.alias is node:
                line = alias.place.line
                raise EditError(f"{_shown(path)} is also used by the alias in line {line}; replace that one first")


def _all_nodes(node: Node) -> Iterator[Node]:
    yield node
    if node.alias or node.kind == SCALAR:
        return
    for entry in node.value:
        for child in entry if isinstance(entry, tuple) else (entry,):
            yield from _all_nodes(child)


def _find(root: Node, path: Path) -> Node:
    """The list or mapping that holds the place a path names."""
    if not path:
        raise EditError("a path needs at least one part")
    node: Node | None = root
    for part in path[:-1]:
        node = _child(node, part) if node is not None else None
    if node is None or node.kind == SCALAR:
        raise EditError(f"there is no {_shown(path)} in the file")
    if node.alias:
        raise EditError(f"{_shown(path)} is an alias; edit it where its anchor stands")
    return node


def _shown(path: Path) -> str:
    return ".".join(str(part) for part in path)


def _index(node: Node, part: str | int) -> int:
    """The position of an entry among its siblings; of a key given twice, the last, which is the one that counts."""
    if node.kind == SEQUENCE:
        return int(part)
    return max(index for index, (key, _) in enumerate(node.value) if key.kind == SCALAR and key.value == str(part))


def _child(node: Node, part: str | int) -> Node | None:
    if node.kind == MAPPING:
        return node.get(str(part))
    if node.kind == SEQUENCE and isinstance(part, int) and 0 <= part < len(node.value):
        child: Node = node.value[part]
        return child
    return None


def _replace(text: str, parent: Node, old: Node, written: str) -> str:
    start, end = old.start.index, _content_end(text, old)
    kept = "" if old.alias or written.startswith("!") else _properties(text, old)
    if parent.kind == MAPPING:
        key = next(key for key, value in parent.value if value is old)
        if old.start.line > key.end.line:
            # A block below its key: move up beside it, where any indentation is right.
            start = text.index(":", _content_end(text, key)) + 1
    space = " " if start > 0 and text[start - 1] in ":-" else ""
    return text[:start] + space + kept + written + text[end:]


def _insert(text: str, parent: Node, entry: str) -> str:
    """The text with one more entry at the end of a list or mapping."""
    if parent.flow:
        position = parent.end.index - 1
        content = _spans(text, parent)[-1][1] if parent.value else position
        return text[:content] + (", " if parent.value else "") + entry + text[content:]
    spans = _spans(text, parent)
    line_end = _line_end(text, spans[-1][1])
    newline = "\n"
    if text[:line_end].endswith("\r") or (line_end == len(text) and "\r\n" in text):
        newline = "\r\n"
        line_end -= text[:line_end].endswith("\r")
    # Entries of one list or mapping begin in one column, whatever stands before the first.
    column = spans[0][0] - (text.rfind("\n", 0, spans[0][0]) + 1)
    return text[:line_end] + newline + " " * column + entry + text[line_end:]


def _spans(text: str, node: Node) -> list[tuple[int, int]]:
    """Start and end of each entry: from its key or dash to the end of its content."""
    if node.kind == MAPPING:
        return [(key.start.index, max(_content_end(text, value), key.end.index)) for key, value in node.value]
    spans = [(child.start.index, _content_end(text, child)) for child in node.value]
    return spans if node.flow else [(text.rindex("-", 0, max(start, 1)), end) for start, end in spans]


def _content_end(text: str, node: Node) -> int:
    """Where the last character of a value stands; a block collection's own end mark lies behind what follows it."""
    if node.kind == SCALAR or node.flow or node.alias:
        end: int = node.end.index
        while end > node.start.index and text[end - 1] in "\r\n":
            end -= 1  # a literal block ends with its line
        return end
    if node.kind == MAPPING:
        key, value = node.value[-1]
        return max(_content_end(text, value), int(key.end.index))
    return _content_end(text, node.value[-1])


def _properties(text: str, node: Node) -> str:
    """The tag and anchor in front of a value."""
    match = _PROPERTIES.match(text, node.start.index)
    return " ".join(match[0].split()) + " " if match else ""


def _line_end(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _meaning(node: Node) -> Meaning:
    if node.kind == SCALAR:
        return (SCALAR, node.tag, (node.value, node.plain))
    if node.kind == SEQUENCE:
        return (SEQUENCE, node.tag, [_meaning(child) for child in node.value])
    return (MAPPING, node.tag, [(_meaning(key), _meaning(value)) for key, value in node.value])


def _changed(meaning: Meaning, path: Path, new: Meaning | None) -> Meaning:
    """What the text should mean after the edit; no new value means removal."""
    kind, tag, value = meaning
    part, rest = path[0], path[1:]
    entries = list(value)
    if kind == MAPPING:
        places = [i for i, (key, _) in enumerate(entries) if key[2][0] == str(part)]
        if not places:
            key = _meaning(_compose(flow(part))) if isinstance(part, str) else (SCALAR, None, (str(part), True))
            return (kind, tag, [*entries, (key, new)])
        index = places[-1]
        key, old = entries[index]
    else:
        index, key = int(part), None
        if index == len(entries):
            return (kind, tag, [*entries, new])
        old = entries[index]
    if rest:
        changed = _changed(old, rest, new)
    elif new is None:
        del entries[index]
        return (kind, tag, entries)
    else:
        changed = (new[0], new[1] or old[1], new[2])  # the old tag stays, unless a new one comes
    entries[index] = changed if key is None else (key, changed)
    return (kind, tag, entries)


def _checked(result: str, wanted: Meaning, path: Path) -> str:
    """The result, if it means what was asked for and nothing else."""
    try:
        root = compose(result)
    except Refused:
        root = None
    if root is None or _meaning(root) != wanted:
        raise EditError(f"{_shown(path)} cannot be changed without touching what stands around it")
    return result
