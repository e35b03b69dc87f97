"""procgen-companion's conditions, `!ProcIf` and `!ProcIfLabels`, evaluated on demand, so that their order is free."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import Any

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.variations.budget import DEEPEST_CONDITIONS
from puzzlebox.arena.variations.parts import Context, ListPart, MappingPart, PinnedPart, Repeat, realise, value_text
from puzzlebox.arena.variations.problems import Mistake, refuse
from puzzlebox.arena.variations.space import Choice
from puzzlebox.text import nearest

# No list has a position with more digits, and Python refuses to parse thousands of them.
_MOST_DIGITS = 9


@dataclass(frozen=True)
class Range:
    """`!R [a, b]`: both ends included."""

    low: float
    high: float


class Document:
    """A template in which values are found by `id.field.0.x`, or from the root by `arenas.0...`."""

    def __init__(self) -> None:
        self.root: Any = None

    def value(self, reference: str, context: Context, place: Place) -> Any:
        """Return the value at a reference in the current variation."""
        first, *steps = reference.split(".")
        match = self._find(self.root, first, context)
        if match is None and isinstance(self.root, MappingPart) and self.root.get(first) is not None:
            match, steps = (self.root, context), [first, *steps]
        if match is None:
            ids = sorted(ids_in(self.root))
            hint = f"{nearest(first, ids)}" if ids else "; no mapping has an `id`"
            refuse(f"no mapping with `id: {first[:40]}` is in this variation{hint}", place, "unknown-id")
        part, context = match
        for number, step in enumerate(steps):
            part, context = _resolve(part, context)
            inner = _step(part, step)
            if inner is None:
                before = ".".join([first, *steps[:number]]) if steps[0] != first or number else first
                has = _contents(part)
                message = f"`{reference[:80]}` leads nowhere: `{before[:80]}` has no `{step[:40]}`{has}"
                refuse(message, place, "no-such-value")
            part = inner
        return realise(part, context)

    def _find(self, part: Any, id: str, context: Context) -> tuple[Any, Context] | None:
        """Return the first mapping with an id in the order of the document, among the active parts, or None."""
        if id not in ids_in(part):
            return None
        context.budget.spend()
        part, context = _resolve(part, context)
        if isinstance(part, MappingPart):
            if part.id == id:
                return part, context
            inner: Sequence[Any] = [value for _, value in part.pairs]
        else:
            inner = part.entries if isinstance(part, ListPart) else [part.value] if isinstance(part, Repeat) else []
        for each in inner:
            match = self._find(each, id, context)
            if match is not None:
                return match
        return None


def _resolve(part: Any, context: Context) -> tuple[Any, Context]:
    """Return the mapping, list or value that choices and conditions lead to."""
    while True:
        if isinstance(part, Choice):
            part = part.options[context.choose(part)].value
        elif isinstance(part, If):
            part = part.active_part(context)
        elif isinstance(part, PinnedPart):
            part, context = part.value, context.with_fixed(part.selection)
        else:
            return part, context


def _step(part: Any, step: str) -> Any:
    """Return the part that one step of a path leads to, or None."""
    if isinstance(part, MappingPart):
        return part.get(step)
    if not step.isdecimal() or len(step) > _MOST_DIGITS:
        return None
    if isinstance(part, Repeat):
        return part.value if int(step) < max(1, part.amount) else None
    if isinstance(part, ListPart) and int(step) < len(part.entries):
        return part.entries[int(step)]
    return None


def _contents(part: Any) -> str:
    if isinstance(part, MappingPart):
        keys = [key[:40] for key, _ in part.pairs]
        return f", only {', '.join(keys[:20])}" + (" and others" if len(keys) > 20 else "")
    if isinstance(part, ListPart):
        return f", only 0 to {len(part.entries) - 1}" if part.entries else ", it is empty"
    return ""


def ids_in(part: Any) -> frozenset[str]:
    """Return all ids that may occur somewhere in a part."""
    cached = getattr(part, "_ids", None)
    if cached is not None:
        ids: frozenset[str] = cached
        return ids
    inner_ids: set[str] = set()
    for inner in _inside(part):
        inner_ids |= ids_in(inner)
    if isinstance(part, MappingPart) and part.id is not None:
        inner_ids.add(part.id)
    result = frozenset(inner_ids)
    if hasattr(part, "__dict__"):
        part._ids = result
    return result


def _inside(part: Any) -> Sequence[Any]:
    match part:
        case MappingPart():
            return [value for _, value in part.pairs]
        case ListPart():
            return part.entries
        case Choice():
            # Options that are computed on demand all have the same ids.
            options = part.options if isinstance(part.options, list) else part.options[:1]
            return [option.value for option in options]
        case If():
            return [*part.then, part.default]
        case Repeat() | PinnedPart():
            return [part.value]
        case _:
            return ()


@dataclass(eq=False)
class If:
    """A value that depends on values elsewhere.

    Attributes:
        references: the paths of the values that decide.
        cases: for each case, what each reference must match; the first case that matches counts.
        then: a part for each case.
        default: the part if no case matches; None: that is an error.
        labels: a label for each case, or None.
        default_label: the label of the default.
        branches: the choices within each `then`, and last those within the default.
    """

    document: Document
    references: list[str]
    cases: list[list[Any]]
    then: list[Any]
    default: Any
    labels: list[str] | None
    default_label: str | None
    place: Place
    branches: list[list[Any]] = field(default_factory=list)
    kind: str = "!ProcIf"
    dynamic: bool = True
    _busy: bool = False

    def case(self, context: Context) -> int:
        """Return the number of the case that matches; that of the default is one more than the last."""
        if self in context.cases:
            return context.cases[self]
        number = self._case(context)
        context.cases[self] = number
        return number

    def _case(self, context: Context) -> int:
        if self._busy:
            refuse(f"this {self.kind} depends on itself through `{', '.join(self.references)}`", self.place, "cycle")
        budget = context.budget
        budget.spend()
        if budget.depth >= DEEPEST_CONDITIONS:
            refuse(f"these are conditions that depend on each other more than {DEEPEST_CONDITIONS} deep", self.place)
        self._busy = True
        budget.depth += 1
        try:
            values = [self.document.value(each, context, self.place) for each in self.references]
        finally:
            self._busy = False
            budget.depth -= 1
        budget.spend(len(self.cases))
        for number, case in enumerate(self.cases):
            if all(matches(entry, value) for entry, value in zip(case, values, strict=True)):
                return number
        if self.default is None:
            values_text = ", ".join(
                f"{name} = {value_text(value)}" for name, value in zip(self.references, values, strict=True)
            )
            raise Mistake(
                f"no case of this {self.kind} matches {values_text}, and there is no `default`", self.place, "no-case"
            )
        return len(self.cases)

    def active_part(self, context: Context) -> Any:
        """Return the part of the case that matches."""
        number = self.case(context)
        return self.then[number] if number < len(self.then) else self.default

    def realise(self, context: Context) -> Any:
        """Return the value of the case that matches."""
        return realise(self.active_part(context), context)

    def label(self, context: Context) -> str | None:
        """Return the label of the case that matches, or None."""
        number = self.case(context)
        if number == len(self.cases):
            return self.default_label
        return self.labels[number] if self.labels is not None else None


def matches(entry: Any, value: Any) -> bool:
    """Return whether a value fits an entry of a case (docs/original/templates.md#conditions)."""
    is_number = isinstance(value, int | float)
    if isinstance(entry, Range):
        return is_number and entry.low <= value <= entry.high
    if is_number and isinstance(entry, int | float):
        return isclose(entry, value, rel_tol=1e-9)
    return bool(entry == value)
