"""The named values of a template: what each is made from, and what it depends on."""

from collections.abc import Iterator
from typing import Any

from puzzlebox.schema.diagnostics import Place
from puzzlebox.schema.messages import nearest
from puzzlebox.variations.expressions import FUNCTIONS, Expression, ExpressionError
from puzzlebox.variations.parts import Condition, Drawn, Formula, ListPart, MappingPart, Sentence
from puzzlebox.variations.problems import NOWHERE, refuse
from puzzlebox.variations.space import Choice


class Names:
    """All names of a template, in the order of the document.

    Attributes:
        parts: what each name stands for.
        words: texts that are options of some variable; in an expression they stand for themselves.
    """

    def __init__(self) -> None:
        self.parts: dict[str, Any] = {}
        self.declared: dict[str, Place] = {}
        self.words: set[str] = set()

    def declare(self, name: str, place: Place) -> None:
        """Take note of a name before anything refers to it."""
        if not name.isidentifier() or name in FUNCTIONS:
            refuse(f"`{name}` cannot be a name; use letters, digits and `_`, as in wall_x", place)
        if name in self.declared:
            refuse(f"`{name}` is given twice, first in line {self.declared[name].line}", place, "duplicate-key")
        self.declared[name] = place

    def formula(self, text: str, place: Place) -> Formula:
        """An expression over these names."""
        try:
            expression = Expression(text)
        except ExpressionError as problem:
            refuse(str(problem), place, "expression")
        words = set()
        for name in expression.names:
            if name in self.declared:
                continue
            if name not in self.words:
                known = nearest(name, self.declared, "the `vary` section") if self.declared else "; there is no `vary`"
                refuse(f"there is no variable `{name}`{known}", place, "unknown-name")
            words.add(name)
        return Formula(expression, place, frozenset(words))

    def check_cycles(self) -> None:
        """Refuse names that depend on themselves."""
        done: set[str] = set()
        for name in self.parts:
            self._visit(name, [], done)

    def _visit(self, name: str, path: list[str], done: set[str]) -> None:
        if name in path:
            circle = " -> ".join([*path[path.index(name) :], name])
            refuse(f"`{name}` depends on itself: {circle}", self.declared.get(name, NOWHERE), "cycle")
        if name in done:
            return
        for inner in self._referred(self.parts.get(name)):
            self._visit(inner, [*path, name], done)
        done.add(name)

    def _referred(self, part: Any) -> Iterator[str]:
        for each in walk(part):
            if isinstance(each, Formula):
                yield from each.names()

    def behind(self, *parts: Any) -> tuple[set[Choice], set[str]]:
        """The choices parts depend on through all names, and the names of what is drawn by chance."""
        choices: set[Choice] = set()
        drawn: set[str] = set()
        seen: set[str] = set()
        waiting = list(parts)
        while waiting:
            for each in walk(waiting.pop()):
                if isinstance(each, Choice):
                    choices.add(each)
                elif isinstance(each, Drawn):
                    drawn.add(each.name)
                elif isinstance(each, Formula):
                    fresh = [name for name in each.names() if name not in seen]
                    seen.update(fresh)
                    waiting += [self.parts[name] for name in fresh]
        return choices, drawn


def walk(part: Any) -> Iterator[Any]:
    """A part and everything in it."""
    yield part
    for inner in _inside(part):
        yield from walk(inner)


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
        case Drawn():
            yield part.bounds
        case Choice() if isinstance(part.options, list):
            yield from (option.value for option in part.options)
        case _ if hasattr(part, "inside"):
            yield from part.inside()
