"""Read procgen-companion's templates: Animal-AI's format with `!Proc...` tags in the place of any value."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from puzzlebox.arena.schema.animalai_keys import ARENA_KEYS, ROOT_KEYS, TAGS
from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.schema.scalars import Ambiguous, resolve
from puzzlebox.arena.schema.tree import MAPPING, SCALAR, SEQUENCE, Node
from puzzlebox.arena.things import ANIMALAI_PARAMETERS
from puzzlebox.arena.variations.budget import MOST_STEPS, MOST_VARIATIONS, checked_number
from puzzlebox.arena.variations.conditions import Document, If, Range
from puzzlebox.arena.variations.parts import Context, ListPart, MappingPart, PinnedPart, Repeat, is_dynamic, realise
from puzzlebox.arena.variations.problems import NOWHERE, refuse
from puzzlebox.arena.variations.shuffle import Shuffle
from puzzlebox.arena.variations.space import Choice, Option, Space
from puzzlebox.text import nearest

# The colours of `!ProcColor`, in its order (docs/original/templates.md#generators).
PALETTE = (
    *((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (255, 0, 255)),
    *((0, 255, 255), (192, 192, 192), (128, 128, 128), (128, 0, 0), (0, 128, 0)),
)
_TEMPLATE_KEYS = ("id", "proc_meta")
# The keys of each tag in the order in which they are written (docs/original/templates.md#keys); newer keys come last.
_ORDERS = {
    "!ArenaConfig": "randomizeArenas canResetEpisode canChangePerspective showNotification arenas",
    "!Arena": "passMark timeLimit items blackouts mergeNextArena",
    "!Item": "name positions rotations sizes colors skins symbolNames initialValues finalValues delays changeRates "
    "moveDurations resetDurations rewardNames rewardWeights spawnProbability maxRewardCounts rewardSpawnPos "
    "spawnedRewardSize frozenAgentDelays",
    "!Vector3": "x y z",
    "!RGB": "r g b",
}
_ORDER = {tag: {key: number for number, key in enumerate(keys.split())} for tag, keys in _ORDERS.items()}
_KEYS: dict[str, tuple[str, Sequence[str]]] = {
    "!ArenaConfig": ("the file", [*ROOT_KEYS]),
    "!Arena": ("an arena", [*ARENA_KEYS]),
    "!Item": ("an item", ["name", *ANIMALAI_PARAMETERS]),
    "!Vector3": ("a !Vector3", ["x", "y", "z"]),
    "!RGB": ("an !RGB", ["r", "g", "b"]),
}


def refuse_too_many(count: int, place: Place) -> None:
    """Refuse a template with more than 10^100 variations."""
    if count > MOST_VARIATIONS:
        refuse("the template has more than 10^100 variations; leave something out", place, "too-many")


class Scope:
    """The choices and conditions found so far in one part of the document."""

    def __init__(self) -> None:
        self.axes: list[Choice] = []
        self.elements: list[Any] = []

    def add(self, choice: Choice) -> Choice:
        """Add a choice and return it."""
        self.axes.append(choice)
        self.elements.append(choice)
        return choice

    def space(self) -> Space | None:
        """Return the space of all choices found, or None."""
        return Space(self.axes, self.elements) if self.elements else None


class ProcgenReader:
    """A reader of one template in procgen-companion's format.

    Args:
        seed: what `!ProcRestrictCombinations` draws from.

    Attributes:
        document: the template as parts.
        scope: the choices at the top, in the order of the document.
        conditions: every `!ProcIf` with its scope.
        labels: the `!ProcIfLabels`.
    """

    def __init__(self, seed: int = 0) -> None:
        self.document = Document()
        self.scope = Scope()
        self.conditions: list[If] = []
        self.labels: list[If] = []
        self._seed = seed
        self._restricted = 0
        self._readers: dict[str, Callable[[Node, str, Scope], Any]] = {
            "!ProcList": self._list,
            "!ProcListLabelled": self._labelled,
            "!ProcColor": self._colour,
            "!ProcVector3Scaled": self._scaled,
            "!ProcRepeatChoice": self._repeat,
            "!ProcRestrictCombinations": self._restrict,
            "!ProcIf": self._if,
        }

    def read(self, root: Node) -> None:
        """Read the whole template."""
        meta = root.get("proc_meta")
        if meta is not None:
            self._meta(meta)
        self.document.root = self._part(root, "", self.scope, "!ArenaConfig")

    # --- the document

    def _part(self, node: Node, path: str, scope: Scope, implied: str | None = None) -> Any:
        tag = node.tag
        if tag in self._readers:
            return self._readers[tag](node, path, scope)
        if tag == "!ProcIfLabels":
            refuse("!ProcIfLabels stands only in `proc_meta: {proc_labels: [...]}`", node)
        if tag == "!R":
            refuse("!R [from, to] stands only in the `cases` of a condition", node)
        if tag is not None and not tag.startswith("tag:yaml.org") and tag not in TAGS:
            tags = [*self._readers, "!ProcIfLabels", "!R", *TAGS]
            refuse(f"`{tag[:40]}` is not a tag of a template{nearest(tag, tags)}", node, "unknown-tag")
        if node.kind == SCALAR:
            return scalar(node)
        if node.kind == SEQUENCE:
            inside = "!Item" if path.endswith("items") else None
            entries = [self._part(each, f"{path}.{i}", scope, inside) for i, each in enumerate(node.value)]
            return ListPart(entries, node.place)
        return self._mapping(node, path, scope, tag or implied)

    def _mapping(self, node: Node, path: str, scope: Scope, tag: str | None) -> MappingPart:
        where, allowed = _KEYS.get(tag or "", ("", ()))
        pairs, id = [], None
        for key, value in node.value:
            word = key.value if key.kind == SCALAR else refuse(f"a key must be a text, not {key.describe()}", key)
            if where and word not in allowed and word not in _TEMPLATE_KEYS:
                refuse(f"`{key.short()}` is not a key of {where}{nearest(word, allowed)}", key, "unknown-key")
            if where and word == "id":
                id = str(scalar(value)) if value.kind == SCALAR else refuse("an `id` is a text", value)
            elif where and word == "proc_meta":
                if tag != "!ArenaConfig":
                    refuse("`proc_meta` stands only at the top of the file", key)
            elif tag in ("!Vector3", "!RGB") and value.kind == SEQUENCE and value.tag is None:
                refuse(f"`{key.short()}` of {tag} is one number, not a list", value)
            else:
                inner = f"{path}.{word}" if path else word
                pairs.append((word, self._part(value, inner, scope, "!Arena" if path == "arenas" else None)))
        if tag == "!Vector3" and {key for key, _ in pairs} != {"x", "y", "z"}:
            refuse("a !Vector3 needs x, y and z", node)
        return MappingPart(pairs, node.place, tag, id, _ORDER.get(tag or ""))

    def _meta(self, node: Node) -> None:
        labels = node.get("proc_labels")
        for key, _ in node.value if node.kind == MAPPING else ():
            if key.value != "proc_labels":
                refuse(f"`{key.short()}` is not a key of proc_meta; the only one is proc_labels", key, "unknown-key")
        if labels is None or labels.kind != SEQUENCE:
            refuse("`proc_meta` holds `proc_labels`, a list of !ProcIfLabels", labels or node)
        for each in labels.value:
            if each.tag != "!ProcIfLabels":
                refuse(f"`proc_labels` holds only !ProcIfLabels, not {each.describe()}", each)
            self.labels.append(self._condition(each, "proc_meta", Scope(), "labels"))

    # --- generators

    def _option(self, node: Node, path: str, label: str | None = None) -> Option:
        inner = Scope()
        return Option(self._part(node, path, inner, "!Item" if ".items." in path else None), label, inner.space())

    def _list(self, node: Node, path: str, scope: Scope) -> Choice:
        options = [self._option(each, path) for each in _entries(node, "!ProcList")]
        return scope.add(Choice(path, "ProcList", node.place, options))

    def _labelled(self, node: Node, path: str, scope: Scope) -> Choice:
        options = []
        for each in _entries(node, "!ProcListLabelled"):
            keys = _fields(each, "an entry of !ProcListLabelled", ("label", "value"), ())
            options.append(self._option(keys["value"], path, _label(keys["label"])))
        return scope.add(Choice(path, "ProcListLabelled", node.place, options))

    def _colour(self, node: Node, path: str, scope: Scope) -> Choice:
        number = scalar(node, tagged=True) if node.kind == SCALAR else None
        if type(number) is not int or not 1 <= number <= len(PALETTE):
            refuse(f"!ProcColor expects a whole number from 1 to {len(PALETTE)}; got {node.describe()}", node)
        options = [Option(_tagged("!RGB", "rgb", colour)) for colour in PALETTE[:number]]
        return scope.add(Choice(path, "ProcColor", node.place, options))

    def _scaled(self, node: Node, path: str, scope: Scope) -> Choice:
        keys = _fields(node, "!ProcVector3Scaled", ("scales",), ("base", "labels"))
        scales = [_number(each, "a scale") for each in _entries(keys["scales"], "`scales`")]
        labels = _labels(keys.get("labels"), len(scales), "scales")
        inner = Scope()
        base: Any = _tagged("!Vector3", "xyz", (1, 1, 1))
        if "base" in keys:
            base = self._part(keys["base"], f"{path}.base", inner, "!Vector3")
        space = inner.space()
        options = [
            Option(_scaled(base, scale, node.place), None if labels is None else labels[index], space)
            for index, scale in enumerate(scales)
        ]
        return scope.add(Choice(path, "ProcVector3Scaled", node.place, options))

    def _repeat(self, node: Node, path: str, scope: Scope) -> Repeat:
        keys = _fields(node, "!ProcRepeatChoice", ("amount", "value"), ())
        amount = _whole(keys["amount"], "`amount`", most=10_000)
        # The explanation of a count names choices within a repetition after it.
        before = len(scope.axes)
        part = Repeat(amount, self._part(keys["value"], path, scope), node.place)
        for choice in scope.axes[before:]:
            choice.kind, choice.within = "ProcRepeatChoice", part
        return part

    def _restrict(self, node: Node, path: str, scope: Scope) -> Choice:
        keys = _fields(node, "!ProcRestrictCombinations", ("amount", "item"), ())
        amount = _whole(keys["amount"], "`amount`", least=0, most=MOST_STEPS)
        inner = Scope()
        part = self._part(keys["item"], path, inner, "!Item" if ".items." in path else None)
        self._restricted += 1
        shuffle_seed = f"{self._seed}/{self._restricted}"
        space = inner.space() or Space()
        refuse_too_many(space.count, node.place)
        options = RestrictedOptions(amount, part, space, shuffle_seed)
        return scope.add(Choice(path, "ProcRestrictCombinations", node.place, options))

    # --- conditions

    def _if(self, node: Node, path: str, scope: Scope) -> If:
        condition = self._condition(node, path, scope, "then")
        self.conditions.append(condition)
        scope.elements.append(condition)
        return condition

    def _condition(self, node: Node, path: str, scope: Scope, results: str) -> If:
        tag = node.tag or ""
        optional = ("default", "labels", "default_label") if results == "then" else ("default",)
        keys = _fields(node, tag, ("value", "cases", results), optional)
        value = keys["value"]
        if value.tag is not None or (value.kind != SCALAR and value.kind != SEQUENCE):
            refuse(f"`value` of {tag} is a reference such as subject.positions.0.x, or a list of them", value)
        single = value.kind == SCALAR
        references = [str(each.value) for each in ([value] if single else value.value)]
        cases = []
        for each in _entries(keys["cases"], f"`cases` of {tag}"):
            parts = [each] if single else _entries(each, "a case for several values")
            if len(parts) != len(references):
                refuse(f"this case has {len(parts)} entries for {len(references)} values", each, "length")
            cases.append([_case(part) for part in parts])
        entries = _entries(keys[results], f"`{results}` of {tag}")
        if len(entries) != len(cases):
            refuse(f"`{results}` has {len(entries)} entries for {len(cases)} cases", keys[results], "length")
        default = keys.get("default")
        if default is not None and default.kind == SCALAR and resolve(default) is None:
            default = None
        if results == "labels":
            default_label = None if default is None else _label(default)
            words = [_label(each) for each in entries]
            then: list[Any] = list(words)
            return If(self.document, references, cases, then, default_label, words, default_label, node.place, [], tag)
        labels = _labels(keys.get("labels"), len(cases), "cases")
        default_label = _label(keys["default_label"]) if "default_label" in keys else None
        if labels is not None and default is not None and default_label is None:
            refuse("with `labels`, a `default` needs its `default_label`", node, "no-case")
        condition = If(self.document, references, cases, [], None, labels, default_label, node.place)
        for each in [*entries, *([default] if default is not None else [])]:
            branch = Scope()
            part = self._part(each, path, branch)
            condition.branches.append(branch.elements)
            scope.axes += branch.axes
            if len(condition.then) < len(cases):
                condition.then.append(part)
            else:
                condition.default = part
        return condition


class RestrictedOptions(Sequence[Option]):
    """A limited number of combinations of a part, drawn once: all different as far as there are enough."""

    def __init__(self, amount: int, part: Any, space: Space, seed: str) -> None:
        self._amount = amount
        self._part = part
        self._space = space
        self._order = Shuffle(space.count, seed)

    def __len__(self) -> int:
        return self._amount if self._space.count else 0

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        selection: dict[Choice, int] = {}
        self._space.unrank(self._order[number % self._space.count], selection)
        return Option(PinnedPart(self._part, selection, self._space.elements))


class _ScaledAxis:
    """One component of a vector times a factor."""

    def __init__(self, base: Any, axis: str, scale: float, place: Place) -> None:
        self.dynamic = is_dynamic(base)
        self._base = base
        self._axis = axis
        self._scale = float(scale)
        self._place = place

    def realise(self, context: Context) -> float:
        base = realise(self._base, context)
        length = base.get(self._axis) if isinstance(base, Mapping) else None
        if isinstance(length, bool) or not isinstance(length, int | float):
            refuse("the `base` of !ProcVector3Scaled is a !Vector3 of three numbers", self._place)
        return self._scale * length


def _scaled(base: Any, scale: float, place: Place) -> MappingPart:
    return MappingPart([(axis, _ScaledAxis(base, axis, scale, place)) for axis in "xyz"], place, "!Vector3")


def _tagged(tag: str, keys: str, numbers: Sequence[float]) -> MappingPart:
    return MappingPart(list(zip(keys, numbers, strict=True)), NOWHERE, tag)


def scalar(node: Node, *, tagged: bool = False) -> Any:
    """Return the value of a scalar as PyYAML reads it; refuse an empty one."""
    if tagged:
        node = Node(SCALAR, node.value, None, True, node.start, node.end)
    value = resolve(node)
    if isinstance(value, Ambiguous):
        value = value.one
    if value is None:
        refuse("a value is missing here", node)
    return checked_number(value, node)


def _fields(node: Node, what: str, required: Sequence[str], optional: Sequence[str]) -> dict[str, Node]:
    if node.kind != MAPPING:
        refuse(
            f"{what} expects a mapping with {' and '.join(f'`{key}`' for key in required)}; got {node.describe()}", node
        )
    fields: dict[str, Node] = {}
    for key, value in node.value:
        if key.value not in (*required, *optional):
            refuse(f"`{key.short()}` is not a key of {what}{nearest(key.short(), [*required, *optional])}", key)
        fields[key.value] = value
    for key in required:
        if key not in fields:
            refuse(f"{what} needs `{key}`", node)
    return fields


def _entries(node: Node, what: str) -> list[Node]:
    if node.kind != SEQUENCE:
        refuse(f"{what} expects a list; got {node.describe()}", node, "type")
    entries: list[Node] = node.value
    return entries


def _number(node: Node, what: str) -> float:
    value = scalar(node) if node.kind == SCALAR and node.tag is None else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        refuse(f"{what} is a number; got {node.describe()}", node)
    return value


def _whole(node: Node, what: str, least: int | None = None, most: int | None = None) -> int:
    value = _number(node, what)
    if type(value) is not int or (least is not None and value < least) or (most is not None and value > most):
        if least is not None and most is not None:
            limits = f" from {least} to {most}"
        else:
            limits = f" from {least} on" if least is not None else f" up to {most}" if most is not None else ""
        refuse(f"{what} is a whole number{limits}; got {node.describe()}", node)
    return value


def _label(node: Node) -> str:
    if node.kind != SCALAR or not node.value.strip():
        refuse(f"a label is a text; got {node.describe()}", node)
    return str(node.value)


def _labels(node: Node | None, count: int, of: str) -> list[str] | None:
    if node is None:
        return None
    labels = [_label(each) for each in _entries(node, "`labels`")]
    if len(labels) != count:
        refuse(f"`labels` has {len(labels)} entries for {count} {of}", node, "length")
    return labels


def _case(node: Node) -> Any:
    """Return one entry of a case: a Range, or the value to be equal to."""
    if node.tag == "!R":
        low, high = (_number(each, "an end of !R") for each in _ends(node))
        if low > high:
            refuse(f"the range {node.describe()} is empty; the first number is the smaller one", node, "empty")
        return Range(low, high)
    if node.kind == SCALAR:
        return scalar(node)
    reader = ProcgenReader()
    scope = Scope()
    part = reader._part(node, "case", scope)
    if scope.elements:
        refuse("a case holds plain values, no generators", node)
    return realise(part, Context({}))


def _ends(node: Node) -> list[Node]:
    ends = _entries(node, "!R")
    if len(ends) != 2:
        refuse(f"!R expects two numbers [from, to]; got {node.describe()}", node)
    return ends
