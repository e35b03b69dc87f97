"""Read an entry of `vary`: a list of options, a range, a drawn number, permutations or subsets."""

from collections.abc import Callable, Sequence
from itertools import combinations, islice, permutations
from math import floor
from typing import Any

from puzzlebox.arena.schema.scalars import resolve
from puzzlebox.arena.schema.tree import MAPPING, SCALAR, SEQUENCE, Node
from puzzlebox.arena.variations.budget import (
    LARGEST,
    MOST_LISTED,
    MOST_LISTED_VALUES,
    MOST_STEPS,
)
from puzzlebox.arena.variations.parts import DrawnNumber, ListPart, value_text
from puzzlebox.arena.variations.problems import refuse
from puzzlebox.arena.variations.procgen_form import Scope
from puzzlebox.arena.variations.space import Choice, Option
from puzzlebox.text import nearest

# The ways to describe a variable, each with the modifiers it takes.
LAWS: dict[str, tuple[str, ...]] = {
    "options": ("labels", "weights", "when"),
    "named": ("weights", "when"),
    "range": ("step", "steps", "when"),
    "uniform": ("decimals", "min", "max"),
    "normal": ("decimals", "min", "max"),
    "permutations": ("when",),
    "subsets": ("size", "when"),
}
_DECIMALS = 3
_COUNTED = 10**15
Read = Callable[[Node, str, Scope], Any]


def read_variable(node: Node, name: str, scope: Scope, read: Read) -> Any:
    """Return the part of a variable: a choice, a drawn number, or a single part.

    Args:
        node: the value of its key.
        name: its name, for messages and for the manifest.
        scope: the scope that its choice is added to.
        read: reads the parts in it.
    """
    if node.kind == SEQUENCE:
        return _choice(name, node, [_option(each, name, read) for each in _option_nodes(node, name)], scope)
    if node.kind == SCALAR:
        part = read(node, name, scope)
        return part if hasattr(part, "realise") else _choice(name, node, [Option(part)], scope)
    laws = [key.value for key, _ in node.value if key.kind == SCALAR and key.value in LAWS]
    if len(laws) != 1:
        words = [key.short() for key, _ in node.value]
        if not laws and words:
            hint = nearest(words[0], LAWS)
            refuse(f"`{words[0]}` is not a way to vary `{name}`{hint}", node.value[0][0], "unknown-key")
        refuse(f"`{name}` needs one of {', '.join(LAWS)}; got {', '.join(laws) or 'nothing'}", node)
    law = laws[0]
    keys: dict[str, Node] = {}
    for key, value in node.value:
        if key.value != law and key.value not in LAWS[law]:
            hint = nearest(key.short(), LAWS[law])
            refuse(f"`{key.short()}` does not go with `{law}`{hint}", key, "unknown-key")
        keys[key.value] = value
    if law in ("uniform", "normal"):
        return _drawn_number(law, keys, name, node, scope, read)
    options, labels = _options(law, keys, name, read)
    if labels is not None:
        options = [Option(option.value, label, option.inner) for option, label in zip(options, labels, strict=True)]
    return _choice(name, node, options, scope, _weights(keys.get("weights"), len(options), name))


def plain_part(node: Node, name: str, read: Read) -> Any:
    """Return a part in which nothing varies by itself; refuse any other."""
    inner = Scope()
    part = read(node, name, inner)
    if inner.elements:
        refuse(f"nothing can `vary` within `{name}`; give it a name in the section `vary`", node)
    return part


def _choice(
    name: str, node: Node, options: Sequence[Option], scope: Scope, weights: list[float] | None = None
) -> Choice:
    return scope.add(Choice(name, name, node.place, options, weights))


def _option(node: Node, name: str, read: Read) -> Option:
    inner = Scope()
    return Option(read(node, name, inner), None, inner.space())


def _option_nodes(node: Node, name: str) -> list[Node]:
    if node.kind != SEQUENCE:
        refuse(f"`{name}` expects a list of options; got {node.describe()}", node)
    if not node.value:
        refuse(f"the list of options of `{name}` is empty", node, "empty")
    entries: list[Node] = node.value
    first_nodes: dict[tuple[str, bool], Node] = {}
    for each in entries:
        if each.kind == SCALAR:
            first = first_nodes.setdefault((each.value, each.plain), each)
            if first is not each:
                refuse(f"`{each.short()}` is given twice among the options of `{name}`", each, "duplicate")
    return entries


def _options(law: str, keys: dict[str, Node], name: str, read: Read) -> tuple[Sequence[Option], list[str] | None]:
    node = keys[law]
    if law == "range":
        return _range(node, keys, name), None
    if law == "named":
        if node.kind != MAPPING or not node.value:
            refuse(f"`named` of `{name}` expects values by their labels, as in {{small: 0.5, big: 2}}", node)
        return [_option(value, name, read) for _, value in node.value], [_label(key) for key, _ in node.value]
    entries = _option_nodes(node, name)
    if law == "options":
        labels = keys.get("labels")
        if labels is None:
            return [_option(each, name, read) for each in entries], None
        if labels.kind != SEQUENCE or len(labels.value) != len(entries):
            refuse(f"`labels` of `{name}` must be a list of {len(entries)}, one for each option", labels, "length")
        return [_option(each, name, read) for each in entries], [_label(each) for each in labels.value]
    values = [plain_part(each, name, read) for each in entries]
    size = len(values)
    if law == "subsets":
        if "size" not in keys:
            refuse(f"`subsets` of `{name}` needs `size`, how many are taken", node)
        size = whole_of(keys["size"], f"`size` of `{name}`", 0, len(values))
    count = _count_permutations(size) if law == "permutations" else _count_subsets(len(values), size)
    if count > MOST_LISTED:
        many = f"{count:,}" if count < _COUNTED else "more than 10^15"
        refuse(f"`{name}` has {many} {law}; at most {MOST_LISTED:,} can be listed", node, "too-many")
    if count * size > MOST_LISTED_VALUES:
        many = f"`{name}` has {count:,} {law} of {size:,} values each"
        refuse(f"{many}; at most {MOST_LISTED_VALUES:,} values can be listed", node, "too-many")
    selections = permutations(values) if law == "permutations" else combinations(values, size)
    return [Option(ListPart(each)) for each in islice(selections, count)], None


def _label(node: Node) -> str:
    return str(node.value) if node.kind == SCALAR else refuse(f"a label is a text; got {node.describe()}", node)


def _count_permutations(size: int) -> int:
    """Return the number of permutations of `size` values, counted up to 10^15."""
    count = 1
    for number in range(2, size + 1):
        count *= number
        if count >= _COUNTED:
            break
    return count


def _count_subsets(size: int, chosen: int) -> int:
    """Return how many subsets there are, counted up to 10^15."""
    count = 1
    for number in range(min(chosen, size - chosen)):
        count = count * (size - number) // (number + 1)
        if count >= _COUNTED:
            break
    return count


class Steps(Sequence[Option]):
    """The numbers of a range, computed on demand."""

    def __init__(self, start: float, step: float, count: int) -> None:
        self._start = start
        self._step = step
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._count))]
        if not 0 <= index < self._count:
            raise IndexError(index)
        value = self._start + self._step * index
        return Option(value if isinstance(value, int) else round(value, 9))


def _range(node: Node, keys: dict[str, Node], name: str) -> Steps:
    if node.kind != SEQUENCE or len(node.value) not in (2, 3):
        refuse(f"`range` of `{name}` expects [from, to] or [from, to, step]; got {node.describe()}", node)
    numbers = [number_of(each, f"`range` of `{name}`") for each in node.value]
    low, high = numbers[:2]
    if low > high:
        refuse(f"the range of `{name}` is empty: {value_text(low)} is above {value_text(high)}", node, "empty")
    if "steps" in keys:
        if len(numbers) == 3 or "step" in keys:
            refuse(f"`{name}` has both a step and a number of steps; give one of them", keys["steps"])
        count = whole_of(keys["steps"], f"`steps` of `{name}`", 2, MOST_STEPS)
        return Steps(low, (high - low) / (count - 1), count)
    step = numbers[2] if len(numbers) == 3 else number_of(keys["step"], "`step`") if "step" in keys else 1
    if step <= 0:
        refuse(f"the step of `{name}` must be above 0; got {value_text(step)}", keys.get("step", node), "empty")
    amount = (high - low) / step
    if amount >= MOST_STEPS:
        what = f"the range of `{name}` has more than {MOST_STEPS:,} values"
        refuse(f"{what}; give a larger step, or `uniform` to draw any number", node, "too-many")
    return Steps(low, step, floor(amount + 1e-9) + 1)


def _drawn_number(law: str, keys: dict[str, Node], name: str, node: Node, scope: Scope, read: Read) -> DrawnNumber:
    bounds = keys[law]
    what = "[from, to]" if law == "uniform" else "[mean, spread]"
    if bounds.kind != SEQUENCE or len(bounds.value) != 2:
        refuse(f"`{law}` of `{name}` expects {what}; got {bounds.describe()}", bounds)
    ends = [None if each.plain and each.value.startswith("$") else number_of(each, law) for each in bounds.value]
    if law == "uniform" and None not in ends and ends[0] > ends[1]:  # type: ignore[operator]
        refuse(f"the range of `{name}` is empty: {value_text(ends[0])} is above {value_text(ends[1])}", bounds, "empty")
    limits = {key: number_of(keys[key], f"`{key}` of `{name}`") for key in ("min", "max") if key in keys}
    decimals = whole_of(keys["decimals"], f"`decimals` of `{name}`", 0, 9) if "decimals" in keys else _DECIMALS
    part = plain_part(bounds, name, read)
    drawn = DrawnNumber(name, law, part, limits.get("min"), limits.get("max"), decimals, node.place)
    scope.elements.append(drawn)
    return drawn


def _weights(node: Node | None, count: int, name: str) -> list[float] | None:
    if node is None:
        return None
    if node.kind != SEQUENCE or len(node.value) != count:
        refuse(f"`weights` of `{name}` must be a list of {count}, one for each option", node, "length")
    weights = [number_of(each, f"a weight of `{name}`") for each in node.value]
    if min(weights) < 0 or not any(weights):
        refuse(f"the weights of `{name}` must be 0 or more, and one of them above 0", node)
    return weights


def number_of(node: Node, what: str) -> float:
    """Return a number; refuse one that is not finite or too large."""
    value = resolve(node) if node.kind == SCALAR else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        refuse(f"{what} expects a number; got {node.describe()}", node)
    if abs(value) > LARGEST:
        refuse(f"{what} expects a number from -1e15 to 1e15; got {node.describe()}", node)
    return value


def whole_of(node: Node, what: str, least: int, most: int) -> int:
    """Return a whole number within a range; refuse any other."""
    value = number_of(node, what)
    if type(value) is not int or not least <= value <= most:
        refuse(f"{what} is a whole number from {least} to {most}; got {node.describe()}", node)
    return value


def pairs_of(node: Node, key: str, expected: str) -> list[tuple[Node, Node]]:
    """Return the keys and values of a mapping whose keys are texts.

    Args:
        node: the mapping.
        key: the key in the file the mapping stands under.
        expected: what a message says is expected, if it is not a mapping.
    """
    if node.kind != MAPPING:
        refuse(f"`{key}` expects {expected}; got {node.describe()}", node)
    pairs: list[tuple[Node, Node]] = node.value
    for name, _ in pairs:
        if name.kind != SCALAR:
            refuse(f"a key of `{key}` is a text, not {name.describe()}", name)
    return pairs
