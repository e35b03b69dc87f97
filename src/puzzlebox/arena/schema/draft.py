"""A task between YAML nodes and model: plain data, the place of each part in the text, and the findings so far."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from puzzlebox.arena.schema.diagnostics import Diagnostic, Place, diagnose
from puzzlebox.arena.schema.messages import ERROR, WARNING, WARNINGS
from puzzlebox.arena.schema.models import OPERATIONS, Arena, Item, Metadata, Surface, Task, Theme
from puzzlebox.arena.schema.tree import MAPPING, MAX_ITEMS, MAX_NODES, SEQUENCE, Node, Refused
from puzzlebox.arena.things import CATALOGUE, PARAMETERS, ColourRule, Kind, Parameter, page
from puzzlebox.arena.things.everyday import nearest_thing
from puzzlebox.text import entries, nearest

Path = tuple[str | int, ...]

# The two formats of a task file.
PUZZLEBOX, ANIMALAI = "puzzlebox", "animalai"
# A hostile file could otherwise cause a hundred thousand messages.
MOST_FINDINGS = 200

# The model behind a key whose value is a mapping or a list of mappings.
_MODEL_OF_KEY: dict[str, type[BaseModel]] = {
    "arenas": Arena,
    "items": Item,
    "metadata": Metadata,
    "theme": Theme,
    **dict.fromkeys(("floor", "fence", "walls", "sky", "ceiling"), Surface),
}


class Draft:
    """The findings about a task and the places of its parts, filled in by the reader of a format."""

    def __init__(self, root: Node, form: str):
        self.form = form
        self.findings: list[Diagnostic] = []
        self._reported: Counter[str] = Counter()
        self._places: dict[Path, Node] = {(): root}
        self._words: dict[Path, str] = {}
        self._repeats: dict[Path, Path] = {}
        self._items = 0
        self._values = 0

    def report(self, code: str, at: Node | Place, /, **details: Any) -> None:
        """Add a finding. After `MOST_FINDINGS` errors or warnings, only say that there are more."""
        severity = WARNING if code in WARNINGS else ERROR
        self._reported[severity] += 1
        if self._reported[severity] > MOST_FINDINGS:
            if self._reported[severity] > MOST_FINDINGS + 1:
                return
            code, details = f"more-{severity}s", {"limit": MOST_FINDINGS}
        place = at.place if isinstance(at, Node) else at
        if code == "wrong-value":
            details.setdefault("nearest", "")
        self.findings.append(diagnose(code, place, **details))

    def nearest(self, word: str, words: Iterable[str], listed_by: str = "") -> str:
        """Return the end of a message with the nearest known word; "" once no more findings are shown."""
        return "" if max(self._reported.values(), default=0) > MOST_FINDINGS else nearest(word, words, listed_by)

    def nearest_thing(self, word: str, names: Iterable[str]) -> str:
        """Return the end of a message with the thing probably meant; "" once no more findings are shown."""
        return "" if max(self._reported.values(), default=0) > MOST_FINDINGS else nearest_thing(word, names)

    def record_place(self, path: Path, node: Node) -> None:
        """Record the node of the value at a path, if the nodes do not mirror the data."""
        self._places[path] = node

    def record_entry(self, path: Path, node: Node, key: str, index: int) -> None:
        """Record that the value at a path is one entry of the list at a key of a node."""
        entries = node.get(key)
        if entries is not None:
            self.record_place(path, entries.value[index])

    def entries(self, path: Path, number: int) -> list[Node]:
        """Return the nodes of the `number` entries of the list at a path."""
        nodes: list[Node] = self.locate(path).value
        return nodes

    def record_repeat(self, path: Path, first: Path) -> None:
        """Record that an instance shares the places of an earlier one, apart from those recorded for itself."""
        self._repeats[path] = first

    def count_instances(self, number: int, shared: Any, where: Node) -> None:
        """Count instances before they are built, and the shared values that each of them repeats.

        Raises:
            Refused: there are too many.
        """
        self._items += number
        if self._items > MAX_ITEMS:
            raise Refused(diagnose("too-many-items", where.place, limit=MAX_ITEMS))
        if number > 1:
            self._values += number * _weight(shared)
            if self._values > MAX_NODES:
                raise Refused(diagnose("too-many-values", where.place, limit=MAX_NODES))

    def record_word(self, path: Path, word: str) -> None:
        """Record which word the text uses for a key that has several."""
        self._words[path] = word

    def word(self, path: Path) -> str | None:
        """Return the word that the text uses for a key that has several, or None."""
        return self._words.get(path)

    def parameter_word(self, name: str) -> str:
        """Return the key of a parameter in the format of the file."""
        return PARAMETERS[name].animalai if self.form == ANIMALAI else name

    def report_short_list(self, node: Node, word: str, parameter: Parameter, name: Any, instances: int) -> None:
        """Report that a list is shorter than the number of instances, and what the others get."""
        thing = CATALOGUE.get(name) if isinstance(name, str) else None
        spec = thing.takes().get(parameter.name) if thing else None
        missing = "a random one"
        if spec is not None and spec.default is not None:
            missing = page.default(spec.default)
        elif thing and parameter.kind is Kind.COLOUR and thing.colour is not ColourRule.GIVEN_OR_RANDOM:
            missing = "their own"
        count = entries(len(node.value))
        self.report("short-list", node, key=word, thing=name, count=count, instances=instances, missing=missing)

    def locate(self, path: Path) -> Node:
        """Return the node of the value at a path, or of the nearest value around it."""
        for length in range(len(path)):
            parent = path[:length]
            if parent in self._repeats and path[: length + 1] not in self._places:
                path = (*self._repeats[parent], *path[length:])
        length = len(path)
        while path[:length] not in self._places:
            length -= 1
        node = self._places[path[:length]]
        for part in path[length:]:
            child = _child(node, part)
            # A part that is not in the text is the name of an operation, which the model adds to its paths.
            node = child or node
        return node

    def locate_key(self, path: Path, key: str) -> Node:
        """Return the node of a key of the mapping at a path."""
        node = self.locate(path)
        pair = node.pair(key)
        return pair[0] if pair else node


def _weight(data: Any) -> int:
    """Return how many values some data hold when written out; long texts count for their length."""
    if isinstance(data, str):
        return 1 + len(data) // 16
    if isinstance(data, dict):
        return 1 + sum(1 + _weight(value) for value in data.values())
    if isinstance(data, list):
        return 1 + sum(map(_weight, data))
    return 1


def _child(node: Node, part: str | int) -> Node | None:
    if node.kind == SEQUENCE and isinstance(part, int) and part < len(node.value):
        entry: Node = node.value[part]
        return entry
    if node.kind != MAPPING:
        return None
    words = [part] if isinstance(part, str) else ["xyz"[part], "rgb"[part]] if part < 3 else []
    for word in words:
        child = node.get(word)
        if child is not None:
            return child
    merged = node.get("<<")
    for source in [] if merged is None else merged.value if merged.kind == SEQUENCE else [merged]:
        child = _child(source, part)
        if child is not None:
            return child
    return None


def owner_of(path: Path) -> tuple[type[BaseModel], str | None]:
    """Return the model a path ends in, and the key of that model, if the path names one."""
    owner: type[BaseModel] = Task
    key: str | None = None
    for part in path:
        if not isinstance(part, str):
            continue
        if key in ("operations", "operation") and part in OPERATIONS:
            owner, key = OPERATIONS[part], None
        else:
            owner, key = _MODEL_OF_KEY.get(key or "", owner), part
    return owner, key
