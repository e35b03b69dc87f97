"""Parse YAML text into a tree of nodes with places, with limits that are checked before anything is built.

The C parser only delivers events; the tree is built here without recursion. PyYAML's own composer recurses once per
level in C, so that 400 kB of `[` crash the process, and it follows aliases without counting.
"""

import re
from itertools import islice
from typing import Any

import yaml

from puzzlebox.arena.schema.broken_yaml import not_yaml
from puzzlebox.arena.schema.diagnostics import Diagnostic, Place, diagnose
from puzzlebox.arena.schema.lines import place_at

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
MAX_NODES = 100_000
MAX_ITEMS = 10_000
# libyaml compares each `%TAG` line with all earlier ones.
MAX_DIRECTIVES = 4

SCALAR, SEQUENCE, MAPPING = "scalar", "sequence", "mapping"
_DIRECTIVE = re.compile("(?:^|[\n\r\x85\u2028\u2029])%")
# Characters that PyYAML refuses without saying where.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_NOT_PRINTABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# First bytes of files of other kinds.
_BINARY = (
    (re.compile(rb"\x89PNG\r\n"), "a picture (PNG)"),
    (re.compile(rb"\xff\xd8\xff"), "a picture (JPEG)"),
    (re.compile(rb"GIF8[79]a"), "a picture (GIF)"),
    (re.compile(rb"RIFF(?s:....)WEBP"), "a picture (WebP)"),
    (re.compile(rb"\0\0(?s:..)ftyp"), "a film (MP4)"),
    (re.compile(rb"%PDF-"), "a PDF file"),
    (re.compile(rb"PK\x03\x04"), "a ZIP, Word or Excel file"),
    (re.compile(rb"\x1f\x8b"), "a compressed file (gzip)"),
    (re.compile(rb"SQLite format 3\0"), "a database (SQLite)"),
)
_TWO_BYTES_A_LETTER = (b"\xff\xfe", b"\xfe\xff")


class Refused(Exception):
    """A text that cannot be parsed into a tree; holds the one finding that says why."""

    def __init__(self, finding: Diagnostic):
        super().__init__(finding.message)
        self.finding = finding


class Node:
    """A value in a YAML text.

    Attributes:
        kind: SCALAR, SEQUENCE or MAPPING.
        value: the text of a scalar, the list of nodes of a sequence, the list of (key, value) of a mapping.
        tag: the tag as written, or None.
        plain: a scalar without quotes or tag, whose meaning depends on its text.
        start, end: marks (line, column, index) in the text; of an alias, those of the alias itself.
        flow: a sequence or mapping in brackets.
        alias: the node it refers to, if it is an alias (`*name`).
    """

    __slots__ = ("alias", "end", "flow", "kind", "plain", "start", "tag", "value")

    def __init__(self, kind: str, value: Any, tag: str | None, plain: bool, start: Any, end: Any, flow: bool = False):
        self.alias: Node | None = None
        self.kind = kind
        self.value = value
        self.tag = tag
        self.plain = plain
        self.start = start
        self.end = end
        self.flow = flow

    @property
    def place(self) -> Place:
        """Its place in the text; for a list or mapping, that of its beginning."""
        return place_of(self.start, self.end)

    def get(self, key: str) -> "Node | None":
        """Return the value of a key of a mapping, or None; of a repeated key the last."""
        pair = self.pair(key)
        return pair[1] if pair else None

    def pair(self, key: str) -> "tuple[Node, Node] | None":
        """Return the (key, value) of a key of a mapping, or None; of a repeated key the last."""
        if self.kind == MAPPING:
            for name, value in reversed(self.value):
                if name.kind == SCALAR and name.value == key:
                    return name, value
        return None

    def short(self) -> str:
        """Return the text of a scalar, or the beginning of a long one, on one line."""
        if self.kind != SCALAR:
            return self.describe()
        text = self.value if len(self.value) <= 40 else self.value[:37] + "..."
        return "".join(character if character.isprintable() else " " for character in text)

    def describe(self) -> str:
        """Return the value for a message: a short text in full, anything else by its kind."""
        if self.kind == SEQUENCE:
            parts = ", ".join(child.value if child.kind == SCALAR else "..." for child in self.value[:20])
            return f"`[{parts}]`" if len(parts) <= 40 and parts.isprintable() else f"a list of {len(self.value)}"
        if self.kind == MAPPING:
            return f"a mapping tagged `{self.tag}`" if self.tag else "a mapping"
        text = self.short()
        quoted = not self.plain and self.tag is None
        return f'`"{text}"`' if quoted else f"`{text}`" if text else "nothing"


def place_of(start: Any, end: Any) -> Place:
    """Return the place between two marks, cut at the end of the first line."""
    width = end.column - start.column if end.line == start.line else 1
    return Place(start.line + 1, start.column + 1, max(1, width))


def decode(data: bytes) -> str:
    """Return the text of a file.

    Raises:
        Refused: it is not UTF-8.
    """
    what = _binary(data)
    if what is not None:
        raise Refused(diagnose("binary", Place(0, 0), what=what))
    if len(data) > MAX_BYTES:
        raise Refused(diagnose("too-large", Place(1, 1), limit=MAX_BYTES))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        before = data[: problem.start].decode("utf-8", "replace")
        raise Refused(diagnose("not-text", place_at(before, len(before)), offset=problem.start)) from None


def _binary(data: bytes) -> str | None:
    """Return the kind of a file that is not text, such as a picture, or None."""
    for beginning, what in _BINARY:
        if beginning.match(data):
            return what
    if b"\0" not in data or data.startswith(_TWO_BYTES_A_LETTER):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "a binary file"
    return None


def compose(text: str) -> Node | None:
    """Return the tree of a YAML text, or None when the text is empty.

    Raises:
        Refused: the text breaks a limit or is not YAML.
    """
    _refuse_hopeless(text)
    text = text.removeprefix("\ufeff")
    loader = yaml.CSafeLoader(text)
    try:
        return _build(loader)
    except yaml.MarkedYAMLError as problem:
        raise Refused(not_yaml(problem, text)) from None
    except yaml.YAMLError as problem:
        raise Refused(diagnose("not-yaml", Place(1, 1), problem=str(problem))) from None
    finally:
        loader.dispose()


def _refuse_hopeless(text: str) -> None:
    """Refuse a text that the parser should not get: too large, bad characters, too many directives."""
    # UTF-8 needs at most four bytes a character, so a short text needs no encoding to be measured.
    if len(text) * 4 > MAX_BYTES:
        if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            raise Refused(diagnose("too-large", Place(1, 1), limit=MAX_BYTES))
    bad = (_CONTROL if text.isascii() else _NOT_PRINTABLE).search(text, text.startswith("\ufeff"))
    if bad:
        raise Refused(diagnose("bad-character", place_at(text, bad.start()), character=f"U+{ord(bad[0]):04X}"))
    directives = islice(_DIRECTIVE.finditer(text), MAX_DIRECTIVES + 1) if "%" in text else ()
    if len(list(directives)) > MAX_DIRECTIVES:
        raise Refused(diagnose("too-many-directives", place_at(text, text.index("%")), limit=MAX_DIRECTIVES))


def _build(loader: yaml.CSafeLoader) -> Node | None:
    """Return the tree of the parser's events, counting every node; those behind aliases count at each use."""
    next_event = loader.get_event
    root: Node | None = None
    # Anchors by name: (node, nodes in it, levels in it), or None while it is being read.
    anchors: dict[str, tuple[Node, int, int] | None] = {}
    # Open collections: (node, its children so far, its anchor, nodes counted before it).
    open_nodes: list[tuple[Node, list[Node], str | None, int]] = []
    # Levels below each open collection, those behind aliases included.
    levels = [0]
    count = 0
    documents = 0

    while True:
        event: Any = next_event()
        kind = type(event)
        if kind is yaml.ScalarEvent:
            node = Node(SCALAR, event.value, event.tag, event.implicit[0], event.start_mark, event.end_mark)
            count += 1
            if event.anchor:
                anchors[event.anchor] = (node, 1, 0)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            shape = MAPPING if kind is yaml.MappingStartEvent else SEQUENCE
            if len(open_nodes) >= MAX_DEPTH:
                raise Refused(diagnose("too-deep", place_of(event.start_mark, event.end_mark), limit=MAX_DEPTH))
            node = Node(shape, None, event.tag, False, event.start_mark, event.end_mark, bool(event.flow_style))
            if event.anchor:
                anchors[event.anchor] = None  # not finished: an alias to it would contain itself
            open_nodes.append((node, [], event.anchor, count))
            levels.append(0)
            count += 1
            continue
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            node, children, anchor, before = open_nodes.pop()
            if kind is yaml.MappingEndEvent:
                node.value = list(zip(children[::2], children[1::2], strict=True))
            else:
                node.value = children
            node.end = event.end_mark
            height = levels.pop() + 1
            levels[-1] = max(levels[-1], height)
            if anchor:
                anchors[anchor] = (node, count - before, height)
        elif kind is yaml.AliasEvent:
            place = place_of(event.start_mark, event.end_mark)
            if event.anchor not in anchors:
                raise Refused(diagnose("bad-alias", place, anchor=event.anchor, problem="has no anchor before it"))
            entry = anchors[event.anchor]
            if entry is None:
                raise Refused(diagnose("bad-alias", place, anchor=event.anchor, problem="contains itself"))
            target, size, height = entry
            levels[-1] = max(levels[-1], height)
            if len(open_nodes) + height > MAX_DEPTH:
                raise Refused(diagnose("too-deep", place, limit=MAX_DEPTH))
            node = Node(
                target.kind, target.value, target.tag, target.plain, event.start_mark, event.end_mark, target.flow
            )
            node.alias = target
            count += size
        elif kind is yaml.DocumentStartEvent:
            documents += 1
            if documents > 1:
                raise Refused(diagnose("many-documents", place_of(event.start_mark, event.end_mark)))
            continue
        elif kind is yaml.StreamEndEvent:
            return root
        else:
            continue
        if count > MAX_NODES:
            raise Refused(diagnose("too-many-nodes", node.place, limit=MAX_NODES))
        if open_nodes:
            open_nodes[-1][1].append(node)
        else:
            root = node
