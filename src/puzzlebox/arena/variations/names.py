"""The named values of a template: the part each refers to, and what it depends on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.variations.budget import LONGEST_CHAIN, MOST_CALLS, MOST_NAMES
from puzzlebox.arena.variations.expressions import FUNCTIONS, ExpressionError, parse
from puzzlebox.arena.variations.parts import Condition, DrawnNumber, Formula, ListPart, MappingPart, Sentence
from puzzlebox.arena.variations.problems import NOWHERE, refuse
from puzzlebox.arena.variations.space import Choice
from puzzlebox.text import nearest

LONGEST_NAME = 100


class Names:
    """All names of a template, in the order of the document.

    Attributes:
        parts: the part that each name refers to.
        words: texts that are options of some variable; in an expression they stand for themselves.
    """

    def __init__(self) -> None:
        self.parts: dict[str, Any] = {}
        self.declared: dict[str, Place] = {}
        self.words: set[str] = set()
        self._in_choice: dict[Choice, tuple[str, ...]] = {}
        self._in_calls: dict[Choice, int] = {}
        self._dependencies: dict[Any, tuple[set[Choice], set[str]]] = {}

    def declare(self, name: str, place: Place) -> None:
        """Register a name before anything refers to it."""
        if len(self.declared) >= MOST_NAMES:
            refuse(f"the template has more than {MOST_NAMES:,} names", place, "too-many")
        if len(name) > LONGEST_NAME:
            refuse(f"the name `{name[:20]}...` has {len(name)} letters; the most is {LONGEST_NAME}", place, "too-long")
        if not name.isidentifier() or name in FUNCTIONS:
            refuse(f"`{name}` cannot be a name; use letters, digits and `_`, as in wall_x", place)
        if name in self.declared:
            refuse(f"`{name}` is given twice, first in line {self.declared[name].line}", place, "duplicate-key")
        self.declared[name] = place

    def formula(self, text: str, place: Place) -> Formula:
        """Return an expression over these names."""
        try:
            expression = parse(text)
        except ExpressionError as problem:
            refuse(str(problem), place, "expression")
        words = set()
        for name in expression.names:
            if name in self.declared:
                continue
            if name not in self.words:
                hint = nearest(name, self.declared, "the `vary` section") if self.declared else "; there is no `vary`"
                refuse(f"there is no variable `{name}`{hint}", place, "unknown-name")
            words.add(name)
        return Formula(expression, place, frozenset(words))

    def check_cycles(self) -> None:
        """Refuse names that depend on themselves, and chains of names that are too long."""
        # For each name, the length of its longest chain of references, and the depth of calls to evaluate it.
        lengths: dict[str, tuple[int, int]] = {}
        references = {name: tuple(dict.fromkeys(self._references(part))) for name, part in self.parts.items()}
        for start in self.parts:
            # The current chain of names, each with its references that are still to be followed.
            path: dict[str, Iterator[str]] = {start: iter(references[start])} if start not in lengths else {}
            while path:
                name = next(reversed(path))
                for inner in path[name]:
                    if inner in path:
                        names = list(path)
                        cycle = " -> ".join(_shorten([*names[names.index(inner) :], inner]))
                        refuse(f"`{inner}` depends on itself: {cycle}", self.declared.get(inner, NOWHERE), "cycle")
                    if inner not in lengths:
                        path[inner] = iter(references.get(inner, ()))
                        break
                else:
                    del path[name]
                    below = [lengths[inner] for inner in references.get(name, ())]
                    length = 1 + max((each[0] for each in below), default=0)
                    calls = self._calls(self.parts.get(name)) + max((each[1] for each in below), default=0)
                    lengths[name] = (length, calls)
                    if length > LONGEST_CHAIN:
                        what = f"rests on a chain of more than {LONGEST_CHAIN} names"
                        refuse(f"`{name}` {what}, each made from the next", self.declared[name], "too-deep")
                    if calls > MOST_CALLS:
                        what = "rests on names and values that are nested too deeply within one another"
                        refuse(f"`{name}` {what}; name fewer of them", self.declared[name], "too-deep")

    def _references(self, part: Any) -> Iterator[str]:
        """Yield the names in a part; a choice that defines several names is searched once."""
        stack = [part]
        while stack:
            each = stack.pop()
            if isinstance(each, Formula):
                yield from each.names()
            elif isinstance(each, Choice):
                if each not in self._in_choice:
                    names = (name for inner in _inside(each) for name in self._references(inner))
                    self._in_choice[each] = tuple(dict.fromkeys(names))
                yield from self._in_choice[each]
            else:
                stack += reversed(list(_inside(each)))

    def _calls(self, part: Any) -> int:
        """Return the depth of calls that a part takes: 5 for a name, 2 for each level of an expression."""
        deepest = 0
        stack = [(part, 5)]
        while stack:
            each, calls = stack.pop()
            if isinstance(each, Formula):
                calls += 2 * each.expression.depth
            deepest = max(deepest, calls)
            if isinstance(each, Choice):
                if each not in self._in_calls:
                    self._in_calls[each] = max(map(self._calls, _inside(each)), default=0)
                deepest = max(deepest, calls + self._in_calls[each])
            else:
                stack += [(inner, calls + _CALLS.get(type(each), 3)) for inner in _inside(each)]
        return deepest

    def dependencies(self, *parts: Any) -> tuple[set[Choice], set[str]]:
        """Return the choices that parts depend on through all names, and the names of drawn numbers."""
        choices: set[Choice] = set()
        drawn_names: set[str] = set()
        for part in parts:
            stack = [part]
            while stack:
                each = stack.pop()
                if isinstance(each, DrawnNumber):
                    drawn_names.add(each.name)
                if isinstance(each, Choice):
                    choices.add(each)
                    inner = self._cached_dependencies(each, list(_inside(each)))
                elif isinstance(each, Formula):
                    stack += [_Name(name) for name in each.names()]
                    continue
                elif isinstance(each, _Name):
                    inner = self._cached_dependencies(each.name, [self.parts[each.name]])
                else:
                    stack += _inside(each)
                    continue
                choices |= inner[0]
                drawn_names |= inner[1]
        return choices, drawn_names

    def _cached_dependencies(self, key: Any, parts: list[Any]) -> tuple[set[Choice], set[str]]:
        """Return the dependencies of a name or a choice, computed once."""
        if key not in self._dependencies:
            self._dependencies[key] = self.dependencies(*parts)
        return self._dependencies[key]


@dataclass(frozen=True)
class _Name:
    """A name whose dependencies are still to be looked up."""

    name: str


def walk(part: Any, seen: set[Any] | None = None) -> Iterator[Any]:
    """Yield a part and everything in it; choices in `seen` are skipped, the others added to it."""
    stack = [part]
    while stack:
        each = stack.pop()
        if seen is not None and isinstance(each, Choice):
            if each in seen:
                continue
            seen.add(each)
        yield each
        stack += reversed(list(_inside(each)))


# Depth of calls that evaluating a part takes, apart from the parts inside it.
_CALLS = {MappingPart: 3, ListPart: 2, Sentence: 3, Condition: 2}


def _shorten(names: list[str]) -> list[str]:
    return names if len(names) <= 10 else [*names[:5], "...", *names[-4:]]


def _inside(part: Any) -> Iterator[Any]:
    match part:
        case MappingPart():
            yield from (value for _, value in part.pairs)
        case ListPart():
            yield from part.entries
        case Sentence():
            yield from part.parts
        case Condition():
            yield from (part.test, part.then, part.otherwise)
        case DrawnNumber():
            yield part.bounds
        case Choice() if isinstance(part.options, list):
            yield from (option.value for option in part.options)
        case _ if hasattr(part, "inside"):
            yield from part.inside()
