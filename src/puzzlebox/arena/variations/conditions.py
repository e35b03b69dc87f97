"""procgen-companion's conditions, `!ProcIf` and `!ProcIfLabels`, evaluated on demand: their order is of no matter."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import Any

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.variations.budget import DEEPEST_CONDITIONS
from puzzlebox.arena.variations.parts import Context, ListPart, MappingPart, Pinned, Repeat, realise, shown
from puzzlebox.arena.variations.problems import Mistake, refuse
from puzzlebox.arena.variations.space import Choice
from puzzlebox.text import nearest

# Longer ones are no numbers of entries, and Python refuses to read thousands of digits.
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
        """What stands at a reference in the variation at hand."""
        first, *steps = reference.split(".")
        found = self._find(self.root, first, context)
        if found is None and isinstance(self.root, MappingPart) and self.root.get(first) is not None:
            found, steps = (self.root, context), [first, *steps]
        if found is None:
            known = sorted(ids_in(self.root))
            ids = f"{nearest(first, known)}" if known else "; no mapping has an `id`"
            refuse(f"no mapping with `id: {first[:40]}` is in this variation{ids}", place, "unknown-id")
        part, context = found
        for number, step in enumerate(steps):
            part, context = _opened(part, context)
            inner = _step(part, step)
            if inner is None:
                before = ".".join([first, *steps[:number]]) if steps[0] != first or number else first
                has = _has(part)
                shown_ = f"`{reference[:80]}` leads nowhere: `{before[:80]}` has no `{step[:40]}`{has}"
                refuse(shown_, place, "no-such-value")
            part = inner
        return realise(part, context)

    def _find(self, part: Any, id: str, context: Context) -> tuple[Any, Context] | None:
        """The first mapping with an id, in the order of the document, among what is taken in this variation."""
        if id not in ids_in(part):
            return None
        context.budget.spend()
        part, context = _opened(part, context)
        if isinstance(part, MappingPart):
            if part.id == id:
                return part, context
            inner: Sequence[Any] = [value for _, value in part.pairs]
        else:
            inner = part.entries if isinstance(part, ListPart) else [part.value] if isinstance(part, Repeat) else []
        for each in inner:
            found = self._find(each, id, context)
            if found is not None:
                return found
        return None


def _opened(part: Any, context: Context) -> tuple[Any, Context]:
    """The mapping, list or value behind choices and conditions."""
    while True:
        if isinstance(part, Choice):
            part = part.options[context.choose(part)].value
        elif isinstance(part, If):
            part = part.taken(context)
        elif isinstance(part, Pinned):
            part, context = part.value, context.fixing(part.selection)
        else:
            return part, context


def _step(part: Any, step: str) -> Any:
    """One step of a path; None where there is none such."""
    if isinstance(part, MappingPart):
        return part.get(step)
    if not step.isdecimal() or len(step) > _MOST_DIGITS:
        return None
    if isinstance(part, Repeat):
        return part.value if int(step) < max(1, part.amount) else None
    if isinstance(part, ListPart) and int(step) < len(part.entries):
        return part.entries[int(step)]
    return None


def _has(part: Any) -> str:
    if isinstance(part, MappingPart):
        keys = [key[:40] for key, _ in part.pairs]
        return f", only {', '.join(keys[:20])}" + (" and others" if len(keys) > 20 else "")
    if isinstance(part, ListPart):
        return f", only 0 to {len(part.entries) - 1}" if part.entries else ", it is empty"
    return ""


def ids_in(part: Any) -> frozenset[str]:
    """All ids that may occur somewhere in a part."""
    known = getattr(part, "_ids", None)
    if known is not None:
        ids: frozenset[str] = known
        return ids
    found: set[str] = set()
    for inner in _inside(part):
        found |= ids_in(inner)
    if isinstance(part, MappingPart) and part.id is not None:
        found.add(part.id)
    result = frozenset(found)
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
            # Options that are made on demand all have the same ids.
            options = part.options if isinstance(part.options, list) else part.options[:1]
            return [option.value for option in options]
        case If():
            return [*part.then, part.default]
        case Repeat() | Pinned():
            return [part.value]
        case _:
            return ()


@dataclass(eq=False)
class If:
    """A value that depends on values elsewhere.

    Attributes:
        references: what is looked at.
        cases: for each case, what each reference must match; the first that does is taken.
        then: a part for each case.
        default: taken where no case matches; None: that is an error.
        labels: a label for each case, or None.
        default_label: the label where the default is taken.
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
        """The number of the case that matches; that of the default is one more than the last."""
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
            seen = ", ".join(f"{name} = {shown(value)}" for name, value in zip(self.references, values, strict=True))
            raise Mistake(
                f"no case of this {self.kind} matches {seen}, and there is no `default`", self.place, "no-case"
            )
        return len(self.cases)

    def taken(self, context: Context) -> Any:
        """The part that is taken."""
        number = self.case(context)
        return self.then[number] if number < len(self.then) else self.default

    def realise(self, context: Context) -> Any:
        """The value that is taken."""
        return realise(self.taken(context), context)

    def label(self, context: Context) -> str | None:
        """The label of the case that matches, if it has one."""
        number = self.case(context)
        if number == len(self.cases):
            return self.default_label
        return self.labels[number] if self.labels is not None else None


def matches(entry: Any, value: Any) -> bool:
    """Whether a value fits an entry of a case (docs/original/templates.md#conditions)."""
    is_number = isinstance(value, int | float)
    if isinstance(entry, Range):
        return is_number and entry.low <= value <= entry.high
    if is_number and isinstance(entry, int | float):
        return isclose(entry, value, rel_tol=1e-9)
    return bool(entry == value)
