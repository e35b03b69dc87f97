"""Changing one field of a task file while every other byte, comments included, stays as it is.

Paths follow the text: keys and list positions, as in ("arenas", 0, "items", 2, "at").
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Any

from puzzlebox.arena.schema.draft import ANIMALAI
from puzzlebox.arena.schema.models import Item
from puzzlebox.arena.schema.reading import form_of
from puzzlebox.arena.schema.tree import MAPPING, SCALAR, SEQUENCE, Node, Refused, compose
from puzzlebox.arena.schema.writing import animalai_flow, flow, plain_flow

Path = tuple[str | int, ...]
_BYTE_ORDER_MARK = "\ufeff"
_ODD_LINE_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_NOTE = re.compile(r"(?:^|(?<=\s))#[^\r\n]*", re.MULTILINE)
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
        EditError: there is no such place, the text is not valid YAML, the value cannot be written, or something else
            would change.
    """
    mark, text = _without_mark(text)
    root = _compose(text)
    parent, last = _find(root, path), path[-1]
    written = _written(value, path, root)
    old = _child(parent, last)
    gone = (0, 0)
    if old is not None:
        _refuse_shared(root, path)
        gone = (old.start.index, _content_end(text, old))
        result = _replace(text, parent, old, written)
    elif parent.kind == MAPPING:
        result = _insert(text, parent, f"{flow(last) if isinstance(last, str) else last}: {written}")
    elif parent.kind == SEQUENCE and last == len(parent.value):
        result = _insert(text, parent, written if parent.flow else f"- {written}")
    else:
        raise EditError(f"there is no {_shown(path)} in the file")
    wanted = _changed(_meaning(root), path, _meaning(_compose(written)))
    return mark + _checked(result, wanted, path, _notes(text, root, gone))


def remove(text: str, path: Path) -> str:
    """The text without the key or list entry at a path.

    Raises:
        EditError: there is no such place, the text is not valid YAML, or something else would change.
    """
    mark, text = _without_mark(text)
    root = _compose(text)
    parent = _find(root, path)
    if _child(parent, path[-1]) is None:
        raise EditError(f"there is no {_shown(path)} in the file")
    _refuse_shared(root, path)
    if len(path) == 1 and len(parent.value) == 1:
        raise EditError(f"{_shown(path)} is all there is in the file")
    spans = _spans(text, parent)
    index = _index(parent, path[-1])
    start, end = spans[index]
    following = spans[index + 1][0] if index + 1 < len(spans) else None
    line_start, line_end = text.rfind("\n", 0, start) + 1, _line_end(text, end)
    if len(spans) == 1:
        empty = "{}" if parent.kind == MAPPING else "[]"
        result = _replace(text, _find(root, path[:-1]), parent, empty)
    elif parent.flow and following is None:
        # The comma before it goes too, and the space between them; a note there stays.
        comma = _without_notes(text).find(",", spans[index - 1][1], start)
        between = text[comma + 1 : start]
        result = text[:comma] + (between if between.strip(" ") else "") + text[end:]
    elif not parent.flow and not text[line_start:start].strip(" "):
        result = text[:line_start] + text[line_end + 1 :]
    elif following is None:
        raise EditError(f"{_shown(path)} cannot be removed without touching what stands around it")
    else:
        # The next entry takes its place, behind the same dash or bracket, with the notes above it.
        notes = text[line_end + 1 : following]
        result = text[:start] + (notes.lstrip(" ") if "#" in notes else "") + text[following:]
    # The note behind an entry in its last line goes with it.
    return mark + _checked(result, _changed(_meaning(root), path, None), path, _notes(text, root, (start, line_end)))


def _without_mark(text: str) -> tuple[str, str]:
    """The byte order mark, if there is one, and the rest; only the two usual line breaks can be edited around."""
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    if _ODD_LINE_BREAK.search(text):
        raise EditError("the file has line breaks other than \\n and \\r\\n; save it with usual ones")
    return mark, text.removeprefix(mark)


def _without_notes(text: str) -> str:
    """The text with every note blanked out, other characters where they were; texts in quotes may lose a piece, too."""
    return _NOTE.sub(lambda note: " " * len(note[0]), text)


def _notes(text: str, root: Node, without: tuple[int, int]) -> list[str]:
    """The notes of a text in order, but for those within a stretch of it."""
    scalars = sorted((node.start.index, node.end.index) for node in _all_nodes(root) if node.kind == SCALAR)
    found = []
    for note in _NOTE.finditer(text):
        before = bisect_left(scalars, (note.start(), 0)) - 1  # the last scalar that begins before it
        inside = before >= 0 and note.start() < scalars[before][1]
        if not inside and not without[0] <= note.start() < without[1]:
            found.append(note[0].rstrip())
    return found


def _written(value: Any, path: Path, root: Node) -> str:
    try:
        if isinstance(value, Item) and form_of(root) == ANIMALAI:
            return animalai_flow([value])
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
            beside = text.index(":", _content_end(text, key)) + 1
            if _NOTE.search(text, beside, start):
                line = text.rfind("\n", 0, start) + 1
                return text[:line] + " " * (int(key.start.column) + 2) + kept + written + text[end:]
            start = beside
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
    if node.flow:
        return spans
    # Each dash stands before its entry, behind the one before; a note between them may hold others.
    bare = _without_notes(text)
    return [(bare.rindex("-", 0, max(start, 1)), end) for start, end in spans]


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


def _checked(result: str, wanted: Meaning, path: Path, notes: list[str]) -> str:
    """The result, if it means what was asked for and nothing else, and no note is lost."""
    try:
        root = compose(result)
    except Refused:
        root = None
    if root is None or _meaning(root) != wanted or Counter(notes) - Counter(_notes(result, root, (0, 0))):
        raise EditError(f"{_shown(path)} cannot be changed without touching what stands around it")
    return result
