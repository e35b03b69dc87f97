"""Change one field of a task file while every other byte, comments included, stays as it is.

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
# The content of a tree without places: kind, tag, value.
Meaning = tuple[str, str | None, Any]


class EditError(ValueError):
    """An edit that cannot be made without changing other parts of the text."""


def set_value(text: str, path: Path, value: Any) -> str:
    """Return the text with the value at a path replaced; a new key, or a new last entry of a list, is added.

    Args:
        text: a task file in either format.
        path: the place of the value; all but its last part must exist.
        value: numbers, texts, truth values, lists, mappings, or an Item, which is written in the format of the file.
            None is `random` (in metadata: null). A tag in front of the old value stays.

    Raises:
        EditError: there is no such place, the text is not valid YAML, the value cannot be written, or something else
            would change.
    """
    mark, text = _split_mark(text)
    root = _compose(text)
    parent, last = _find(root, path), path[-1]
    new_text = _as_text(value, path, root)
    old = _child(parent, last)
    replaced = (0, 0)
    if old is not None:
        _refuse_shared(root, path)
        replaced = (old.start.index, _content_end(text, old))
        result = _replace(text, parent, old, new_text)
    elif parent.kind == MAPPING:
        result = _insert(text, parent, f"{flow(last) if isinstance(last, str) else last}: {new_text}")
    elif parent.kind == SEQUENCE and last == len(parent.value):
        result = _insert(text, parent, new_text if parent.flow else f"- {new_text}")
    else:
        raise EditError(f"there is no {_dotted(path)} in the file")
    target = _with_change(_meaning(root), path, _meaning(_compose(new_text)))
    return mark + _verified(result, target, path, _notes(text, root, replaced))


def remove(text: str, path: Path) -> str:
    """Return the text without the key or list entry at a path.

    Raises:
        EditError: there is no such place, the text is not valid YAML, or something else would change.
    """
    mark, text = _split_mark(text)
    root = _compose(text)
    parent = _find(root, path)
    if _child(parent, path[-1]) is None:
        raise EditError(f"there is no {_dotted(path)} in the file")
    _refuse_shared(root, path)
    if len(path) == 1 and len(parent.value) == 1:
        raise EditError(f"{_dotted(path)} is all there is in the file")
    spans = _spans(text, parent)
    index = _index(parent, path[-1])
    start, end = spans[index]
    following = spans[index + 1][0] if index + 1 < len(spans) else None
    line_start, line_end = text.rfind("\n", 0, start) + 1, _line_end(text, end)
    if len(spans) == 1:
        empty = "{}" if parent.kind == MAPPING else "[]"
        result = _replace(text, _find(root, path[:-1]), parent, empty)
    elif parent.flow and following is None:
        # The comma before it is removed too, and the space between them; a note there stays.
        comma = _without_notes(text).find(",", spans[index - 1][1], start)
        between = text[comma + 1 : start]
        result = text[:comma] + (between if between.strip(" ") else "") + text[end:]
    elif not parent.flow and not text[line_start:start].strip(" "):
        result = text[:line_start] + text[line_end + 1 :]
    elif following is None:
        raise EditError(f"{_dotted(path)} cannot be removed without touching the text around it")
    else:
        # The next entry moves up behind the same dash or bracket, with the notes above it.
        notes = text[line_end + 1 : following]
        result = text[:start] + (notes.lstrip(" ") if "#" in notes else "") + text[following:]
    # A note at the end of the entry's last line is removed with it.
    return mark + _verified(
        result, _with_change(_meaning(root), path, None), path, _notes(text, root, (start, line_end))
    )


def _split_mark(text: str) -> tuple[str, str]:
    """Return the byte order mark ("" if none) and the rest; refuse unusual line breaks."""
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    if _ODD_LINE_BREAK.search(text):
        raise EditError("the file has line breaks other than \\n and \\r\\n; save it with usual ones")
    return mark, text.removeprefix(mark)


def _without_notes(text: str) -> str:
    """Return the text with every note replaced by spaces; a `#` in a quoted text is replaced, too."""
    return _NOTE.sub(lambda note: " " * len(note[0]), text)


def _notes(text: str, root: Node, without: tuple[int, int]) -> list[str]:
    """Return the notes of a text in order, without those inside a span of it."""
    scalars = sorted((node.start.index, node.end.index) for node in _all_nodes(root) if node.kind == SCALAR)
    notes = []
    for note in _NOTE.finditer(text):
        previous = bisect_left(scalars, (note.start(), 0)) - 1  # the last scalar that begins before the note
        inside = previous >= 0 and note.start() < scalars[previous][1]
        if not inside and not without[0] <= note.start() < without[1]:
            notes.append(note[0].rstrip())
    return notes


def _as_text(value: Any, path: Path, root: Node) -> str:
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
    """Refuse to change a value that an alias elsewhere repeats."""
    aliases = [node for node in _all_nodes(root) if node.alias]
    node: Node | None = root
    for part in path:
        node = _child(node, part) if node is not None else None
        for alias in aliases:
            if node is not None and alias.alias is node:
                line = alias.place.line
                raise EditError(f"{_dotted(path)} is also used by the alias in line {line}; replace that one first")


def _all_nodes(node: Node) -> Iterator[Node]:
    yield node
    if node.alias or node.kind == SCALAR:
        return
    for entry in node.value:
        for child in entry if isinstance(entry, tuple) else (entry,):
            yield from _all_nodes(child)


def _find(root: Node, path: Path) -> Node:
    """Return the list or mapping that holds the last part of a path."""
    if not path:
        raise EditError("a path needs at least one part")
    node: Node | None = root
    for part in path[:-1]:
        node = _child(node, part) if node is not None else None
    if node is None or node.kind == SCALAR:
        raise EditError(f"there is no {_dotted(path)} in the file")
    if node.alias:
        raise EditError(f"{_dotted(path)} is an alias; edit it at its anchor")
    return node


def _dotted(path: Path) -> str:
    return ".".join(str(part) for part in path)


def _index(node: Node, part: str | int) -> int:
    """Return the position of an entry among its siblings; of a key given twice, the last, which counts."""
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


def _replace(text: str, parent: Node, old: Node, new_text: str) -> str:
    start, end = old.start.index, _content_end(text, old)
    properties = "" if old.alias or new_text.startswith("!") else _properties(text, old)
    if parent.kind == MAPPING:
        key = next(key for key, value in parent.value if value is old)
        if old.start.line > key.end.line:
            # A block below its key moves up beside it, where any indentation is valid.
            after_key = text.index(":", _content_end(text, key)) + 1
            if _NOTE.search(text, after_key, start):
                line = text.rfind("\n", 0, start) + 1
                return text[:line] + " " * (int(key.start.column) + 2) + properties + new_text + text[end:]
            start = after_key
    space = " " if start > 0 and text[start - 1] in ":-" else ""
    return text[:start] + space + properties + new_text + text[end:]


def _insert(text: str, parent: Node, entry: str) -> str:
    """Return the text with one more entry at the end of a list or mapping."""
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
    # All entries of a list or mapping begin in the same column.
    column = spans[0][0] - (text.rfind("\n", 0, spans[0][0]) + 1)
    return text[:line_end] + newline + " " * column + entry + text[line_end:]


def _spans(text: str, node: Node) -> list[tuple[int, int]]:
    """Return start and end of each entry, from its key or dash to the end of its content."""
    if node.kind == MAPPING:
        return [(key.start.index, max(_content_end(text, value), key.end.index)) for key, value in node.value]
    spans = [(child.start.index, _content_end(text, child)) for child in node.value]
    if node.flow:
        return spans
    # The dash of an entry is the last one before it; dashes in notes do not count.
    bare = _without_notes(text)
    return [(bare.rindex("-", 0, max(start, 1)), end) for start, end in spans]


def _content_end(text: str, node: Node) -> int:
    """Return the index after the last character of a value.

    The end mark of a block collection lies behind what follows it.
    """
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
    """Return the tag and anchor in front of a value."""
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


def _with_change(meaning: Meaning, path: Path, new: Meaning | None) -> Meaning:
    """Return the meaning that the text should have after the edit; no new value means removal."""
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
        changed = _with_change(old, rest, new)
    elif new is None:
        del entries[index]
        return (kind, tag, entries)
    else:
        changed = (new[0], new[1] or old[1], new[2])  # the old tag stays unless there is a new one
    entries[index] = changed if key is None else (key, changed)
    return (kind, tag, entries)


def _verified(result: str, target: Meaning, path: Path, notes: list[str]) -> str:
    """Return the new text if it means what it should and no note is lost; refuse the edit otherwise."""
    try:
        root = compose(result)
    except Refused:
        root = None
    if root is None or _meaning(root) != target or Counter(notes) - Counter(_notes(result, root, (0, 0))):
        raise EditError(f"{_dotted(path)} cannot be changed without touching the text around it")
    return result
