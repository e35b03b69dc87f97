"""Read templates in the Puzzlebox format: a task file with a `vary` section, and `$name` in place of any value."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.schema.draft import PUZZLEBOX
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.schema.scalars import Ambiguous, resolve
from puzzlebox.arena.schema.tree import MAPPING, SCALAR, SEQUENCE, Node
from puzzlebox.arena.variations.budget import Budget, checked_number
from puzzlebox.arena.variations.design import DESIGN_KEYS, latin_square, read_design
from puzzlebox.arena.variations.names import Names, walk
from puzzlebox.arena.variations.parts import (
    ABSENT,
    Condition,
    Context,
    Data,
    DrawnNumber,
    Formula,
    ListPart,
    MappingPart,
    Reuse,
    Sentence,
    Several,
    is_dynamic,
    realise,
    value_text,
)
from puzzlebox.arena.variations.plan import (
    Design,
    Plan,
    Streams,
    VariationData,
    choices_in,
    collect,
    column_names,
    explore,
    naming_source,
    space_of,
)
from puzzlebox.arena.variations.problems import refuse
from puzzlebox.arena.variations.procgen_form import Scope
from puzzlebox.arena.variations.space import Choice, Option
from puzzlebox.arena.variations.symmetry import MIRRORS, TURNS, mirror_arena, rotate_arena
from puzzlebox.arena.variations.tables import Constraint, tie
from puzzlebox.arena.variations.variables import LAWS, pairs_of, plain_part, read_variable
from puzzlebox.seeds import attempt_name
from puzzlebox.text import nearest, number

TEMPLATE_KEYS = ("vary", "let", "require", "labels", "templates", *DESIGN_KEYS)
_EMBEDDED = re.compile(r"\$\{([^}]*)\}")
# Keys of lists into which the list of a variable is merged.
_JOINED = ("items", "arenas", "operations")
Load = Callable[[str, Node], Plan]


class VaryReader:
    """A reader of one template in the Puzzlebox format.

    Args:
        load: reads another template that this one names.
    """

    def __init__(self, load: Load) -> None:
        self.names = Names()
        self.scope = Scope()
        self.constraints: list[Constraint] = []
        self.requirements: list[Formula] = []
        self.labels: dict[str, Any] = {}
        self.design = Design()
        self.root: Any = None
        self._load = load
        self.choice_conditions: list[tuple[Choice, Formula]] = []

    def read(self, root: Node) -> None:
        """Read the whole template."""
        keys = [*TEMPLATE_KEYS, *Task.model_fields]
        for key, _ in root.value:
            if key.kind != SCALAR or key.value not in keys:
                refuse(f"`{key.short()}` is not a key of a template{nearest(key.short(), keys)}", key, "unknown-key")
        vary, let = root.get("vary"), root.get("let")
        for section, node in (("vary", vary), ("let", let)):
            if node is not None and node.kind != MAPPING:
                refuse(f"`{section}` expects values by their names, as in wall_x: [5, 35]; got {node.describe()}", node)
        self._declare(vary, let)
        for key, value in vary.value if vary else ():
            self._variable(key, value)
        for key, value in let.value if let else ():
            # A value here is an expression, with or without a `$`.
            bare = value.kind == SCALAR and value.plain and value.tag is None and "$" not in value.value
            derived = bare and isinstance(resolve(value), str)
            self.names.parts[key.value] = self.test(value) if derived else self.part(value, key.value, self.scope)
        self.names.check_cycles()
        pairs = [(key.value, value) for key, value in root.value if key.value not in TEMPLATE_KEYS]
        self.root = MappingPart([(key, self.part(value, key, self.scope)) for key, value in pairs], root.place)
        self._conditions(root)
        self.design = read_design(root, list(self.names.parts))

    def _declare(self, vary: Node | None, let: Node | None) -> None:
        for key, value in (*(vary.value if vary else ()), *(let.value if let else ())):
            if key.kind != SCALAR:
                refuse(f"a name is a text, not {key.describe()}", key)
            for name in _names(key):
                self.names.declare(name, key.place)
            self.names.words |= {text for text in _texts(value) if text.isidentifier() and text not in LAWS}

    def _variable(self, key: Node, value: Node) -> None:
        variable = read_variable(value, key.value, self.scope, self.part)
        names = _names(key)
        when = value.get("when") if value.kind == MAPPING else None
        if when is not None:
            self.choice_conditions.append((variable, self.test(when)))
        if len(names) == 1:
            self.names.parts[names[0]] = variable
            return
        if not isinstance(variable, Choice):
            refuse(f"`{key.value}` needs a list of options, each with {len(names)} values", value)
        for option in variable.options:
            if not isinstance(option.value, ListPart) or len(option.value.entries) != len(names):
                refuse(f"each option of `{key.value}` must be a list of {len(names)} values", value, "length")
        for position, name in enumerate(names):
            self.names.parts[name] = _LinkedValue(variable, position)

    # --- parts

    def part(self, node: Node, path: str, scope: Scope) -> Any:
        """Return the part for a value of the template."""
        if node.tag is not None:
            refuse(f"`{node.tag[:40]}` is a tag; the Puzzlebox format has none", node, "tag")
        if node.kind == SCALAR:
            return self._scalar(node, path)
        if node.kind == SEQUENCE:
            joined = path.rsplit(".", 1)[-1] in _JOINED
            entries = [self._entry(each, f"{path}.{i}", scope, joined) for i, each in enumerate(node.value)]
            return ListPart(entries, node.place)
        keys = [key.value for key, _ in node.value]
        if keys == ["vary"]:
            return read_variable(node.value[0][1], path, scope, self.part)
        if "if" in keys:
            return self._if(node, path, scope)
        return self._mapping(node, path, scope)

    def _mapping(self, node: Node, path: str, scope: Scope) -> Any:
        pairs: dict[str, Any] = {}
        arena = re.fullmatch(r"arenas\.\d+", path) is not None
        turns: dict[str, Any] = {}
        for key, value in node.value:
            if key.kind != SCALAR:
                refuse(f"a key must be a text, not {key.describe()}", key)
            if key.value in pairs:
                refuse(f"`{key.short()}` is given twice", key, "duplicate-key")
            inner = self.part(value, f"{path}.{key.value}", scope)
            if arena and key.value in ("mirror", "rotate"):
                turns[key.value] = inner
            else:
                pairs[key.value] = inner
        mapping = MappingPart(list(pairs.items()), node.place)
        return (
            _TurnedArena(mapping, turns.get("mirror", "none"), turns.get("rotate", 0), node.place) if turns else mapping
        )

    def _entry(self, node: Node, path: str, scope: Scope, joined: bool) -> Any:
        """Return the part for an entry of a list, which may have a condition or be a template of its own."""
        if node.kind == MAPPING and node.tag is None:
            keys = [key.value for key, _ in node.value]
            if keys == ["template"] and re.fullmatch(r"arenas\.\d+", path):
                return self._nested(node.value[0][1], path, scope)
            when = node.get("when")
            if when is not None:
                rest = Node(
                    MAPPING, [pair for pair in node.value if pair[0].value != "when"], None, False, *_ends(node)
                )
                return Condition(self.test(when), _JoinedEntry(self.part(rest, path, scope)))
        part = self.part(node, path, scope)
        return _JoinedEntry(part) if joined and is_dynamic(part) else part

    def _scalar(self, node: Node, path: str) -> Any:
        value = resolve(node)
        if isinstance(value, Ambiguous):
            one = value_text(value.one) if isinstance(value.one, bool) else number(value.one)
            refuse(
                f"`{node.short()}` is {one} to some YAML readers and {value.other} to others; write {value.write}", node
            )
        if value is None and not path.startswith("metadata"):
            refuse("a value is missing here", node)
        if not path.startswith("metadata"):
            checked_number(value, node)
        if not isinstance(value, str) or "$" not in value:
            return value
        if value.startswith("$$"):
            return value[1:]
        whole = _EMBEDDED.fullmatch(value)
        if whole or (value.startswith("$") and not value.startswith("${")):
            return self.names.formula(whole[1] if whole else value[1:], node.place)
        pieces = _EMBEDDED.split(value)
        if len(pieces) == 1:
            return value
        parts = [self.names.formula(each, node.place) if i % 2 else each for i, each in enumerate(pieces)]
        return Sentence(parts, node.place)

    def test(self, node: Node) -> Formula:
        """Return the expression of a condition."""
        if node.kind != SCALAR:
            refuse(f"a condition is an expression such as goal_x != agent_x; got {node.describe()}", node)
        return self.names.formula(str(node.value).removeprefix("$"), node.place)

    def _if(self, node: Node, path: str, scope: Scope) -> Condition:
        for key, _ in node.value:
            if key.value not in ("if", "then", "else"):
                refuse(f"`{key.short()}` does not go with `if`; it takes `then` and `else`", key, "unknown-key")
        test, then, otherwise = (node.get(word) for word in ("if", "then", "else"))
        if test is None or then is None:
            refuse("an `if` needs a `then`", node)
        formula = self.test(test)
        parts = []
        for branch, sign in ((then, True), (otherwise, False)):
            inner = Scope()
            parts.append(ABSENT if branch is None else self.part(branch, path, inner))
            scope.elements += [element for element in inner.elements if isinstance(element, DrawnNumber)]
            for choice in inner.axes:
                scope.add(choice)
                self.choice_conditions.append(
                    (choice, formula if sign else self.names.formula(f"not ({formula.expression.text})", node.place))
                )
        return Condition(formula, parts[0], parts[1])

    def _nested(self, node: Node, path: str, scope: Scope) -> "_NestedTemplate":
        if node.kind != SCALAR:
            refuse(f"`template` is the path of a template; got {node.describe()}", node)
        plan = self._load(str(node.value), node)
        choice = Choice(path, path, node.place, [Option(None, None, plan.space)])
        scope.axes.append(choice)
        nested = _NestedTemplate(plan, choice, path)
        scope.elements.append(nested)
        return nested

    # --- conditions

    def _conditions(self, root: Node) -> None:
        roots = {inner: axis for axis in self.scope.axes for inner in choices_in(axis)}

        def axes_of(choices: set[Choice]) -> frozenset[Choice]:
            return frozenset(roots[choice] for choice in choices if choice in roots)

        node = root.get("require")
        for each in [] if node is None else node.value if node.kind == SEQUENCE else [node]:
            formula = self.test(each)
            choices, drawn_names = self.names.dependencies(formula)
            if drawn_names:
                self.requirements.append(formula)
            elif not choices:
                refuse(f"`{formula.expression.text}` refers to nothing that varies", each)
            else:
                self.constraints.append(Constraint(axes_of(choices), formula.realise, each.place))
        for choice, test in self.choice_conditions:
            choices, drawn_names = self.names.dependencies(test)
            if drawn_names:
                refuse(
                    f"`{test.expression.text}` decides what there is to choose from, so it cannot be drawn", test.place
                )
            axes = axes_of(choices | {choice})
            self.constraints.append(Constraint(axes, _only_when(choice, test), test.place))
        self.constraints += latin_square(root, self.names)
        labels = root.get("labels")
        for key, value in [] if labels is None else pairs_of(labels, "labels", "values by their names"):
            self.labels[key.value] = plain_part(value, f"labels.{key.value}", self.part)


def _only_when(choice: Choice, test: Formula) -> Callable[[Context], bool]:
    return lambda context: context.selection.get(choice, 0) == 0 or bool(test.realise(context))


class VaryPlan:
    """The plan of a template in the Puzzlebox format."""

    source: str | None = None
    form = PUZZLEBOX

    def __init__(self, reader: VaryReader, budget: Budget) -> None:
        self._reader = reader
        self.names = reader.names
        self.design = reader.design
        self.space = space_of(reader.scope)
        # Parts that do not depend on some choices, by these choices.
        self._independent: dict[frozenset[Choice], frozenset[Any]] = {}
        self._linked = frozenset(axis.name for axis in reader.scope.axes if "," in axis.name)
        for name in reader.design.balance:
            if reader.names.dependencies(reader.names.parts[name])[1]:
                refuse(f"`{name}` is drawn by chance, so that it cannot be balanced", reader.names.declared[name])
        tie(self.space, reader.constraints, budget, reader.names.parts)
        nested = [element for element in self.space.elements if isinstance(element, _NestedTemplate)]
        variable_names = list(reader.names.parts)
        choice_names = [name for name in column_names(self.space) if name not in self._linked]
        self.columns = list(
            dict.fromkeys(
                [*variable_names, *choice_names, *(c for each in nested for c in each.columns()), *reader.labels]
            )
        )
        visited: set[Any] = set()
        parts = (reader.root, *reader.names.parts.values())
        drawn = any(isinstance(each, DrawnNumber) for part in parts for each in walk(part, visited))
        self.endless = drawn or any(each.plan.endless for each in nested)

    def produce(
        self,
        selection: Mapping[Choice, int],
        rng_of: Streams,
        attempt: int = 0,
        budget: Budget | None = None,
        reuse: Reuse | None = None,
    ) -> VariationData | None:
        """Return the variation with these choices, or None if a drawn value breaks a requirement."""
        reader = self._reader

        def rng_of_attempt(name: str) -> Random:
            return rng_of(attempt_name(name, attempt))

        context = Context(selection, reader.names.parts, rng_of_attempt, budget)
        if reuse is not None:
            reuse.begin(attempt)
            context.reuse = reuse
        if not all(formula.realise(context) for formula in reader.requirements):
            return None
        values: dict[str, Any] = {}
        labels: list[str] = []
        inactive = {choice for choice, test in reader.choice_conditions if not test.realise(context)}
        elements = [
            element
            for element in self.space.elements
            if not isinstance(element, _NestedTemplate) and element not in inactive
        ]
        collect(elements, context, values, labels, labels)
        for linked in self._linked:
            values.pop(linked, None)
        values = {name: context.value(name) for name in reader.names.parts} | values
        for element in self.space.elements:
            if isinstance(element, _NestedTemplate):
                inner = element.produced(context)
                values |= {f"{element.path}.{name}": value for name, value in inner.values.items()}
                labels += inner.labels
        for name, part in reader.labels.items():
            values[name] = realise(part, context)
            labels.append(value_text(values[name]))
        return VariationData(realise(reader.root, context), values, labels)

    def reuse_without(self, choices: frozenset[Choice]) -> Reuse:
        """Return an empty store of what does not depend on some choices, for variations that differ in them alone."""
        if choices not in self._independent:
            self._independent[choices] = frozenset(self._parts_without(choices))
        return Reuse(self._independent[choices])

    def _parts_without(self, choices: frozenset[Choice]) -> Iterator[Any]:
        if any(isinstance(each, _NestedTemplate) for each in self.space.elements):
            return  # what another template chooses is not among the dependencies
        visited: set[Any] = set()
        for part in (self._reader.root, *self.names.parts.values()):
            for each in walk(part, visited):
                if hasattr(each, "realise") and choices.isdisjoint(self.names.dependencies(each)[0]):
                    yield each

    @cached_property
    def chosen_names(self) -> frozenset[str]:
        """The names whose values follow from the choices alone."""
        chosen = (name for name, part in self.names.parts.items() if not self.names.dependencies(part)[1])
        return frozenset(name for name in chosen if name not in self._reader.labels)

    def choices_named(self, names: Sequence[str]) -> list[Choice]:
        """Return the choices that decide some variables: variables of `vary`, linked ones, or a path."""
        parts = [self.names.parts.get(name) for name in names]
        named = {getattr(part, "choice", part) for part in parts if part is not None}
        return [axis for axis in self.space.axes if axis in named or axis.name in names]

    def levels(self, name: str) -> int:
        """Return how many options a variable has; 0 if that is not known."""
        part = self._reader.names.parts.get(name)
        return len(part.options) if isinstance(part, Choice) else 0

    def cell(self, selection: Mapping[Choice, int], names: Sequence[str]) -> list[Any]:
        """Return the values of some variables, without producing the whole variation."""
        context = Context(selection, self._reader.names.parts)
        return [context.value(name) for name in names]

    def check(self, budget: Budget) -> None:
        """Evaluate every expression on the combinations of what it refers to, as long as steps are left."""
        reader = self._reader
        parts = [reader.root, *reader.names.parts.values(), *reader.labels.values(), *reader.requirements]
        checked: set[str] = set()
        visited: set[Any] = set()
        for part in parts:
            for each in walk(part, visited):
                if (
                    isinstance(each, Formula)
                    and each.expression.text not in checked
                    and not reader.names.dependencies(each)[1]
                ):
                    checked.add(each.expression.text)
                    for _ in explore(each.realise, budget, reader.names.parts):
                        pass
                elif isinstance(each, _NestedTemplate):
                    with naming_source(each.plan):
                        each.plan.check(budget)


class _LinkedValue:
    """One of the values of variables that vary together."""

    dynamic = True

    def __init__(self, choice: Choice, position: int) -> None:
        self.choice = choice
        self.position = position

    def realise(self, context: Context) -> Any:
        return realise(self.choice.options[context.choose(self.choice)].value.entries[self.position], context)

    def inside(self) -> Sequence[Any]:
        return [self.choice]


class _JoinedEntry:
    """An entry of a list that is merged into it if its value is a list itself."""

    def __init__(self, part: Any) -> None:
        self.part = part
        self.dynamic = is_dynamic(part)

    def realise(self, context: Context) -> Any:
        value = realise(self.part, context)
        return Several(value) if isinstance(value, list) else value

    def inside(self) -> Sequence[Any]:
        return [self.part]


class _TurnedArena:
    """An arena that is mirrored or turned as a whole."""

    dynamic = True

    def __init__(self, arena: MappingPart, mirror: Any, rotate: Any, place: Place) -> None:
        self._arena = arena
        self._mirror = mirror
        self._rotate = rotate
        self._place = place

    def realise(self, context: Context) -> Data:
        mirror, rotate = realise(self._mirror, context), realise(self._rotate, context)
        arena = self._arena.realise(context)
        if mirror in (False, None):
            mirror = "none"
        if mirror not in MIRRORS:
            refuse(f"`mirror` expects {', '.join(MIRRORS)}; got {value_text(mirror)}", self._place)
        if rotate not in TURNS or isinstance(rotate, bool):
            refuse(f"`rotate` expects {', '.join(map(str, TURNS))}; got {value_text(rotate)}", self._place)
        if mirror != "none":
            arena = mirror_arena(arena, mirror)
        return rotate_arena(arena, int(rotate)) if rotate else arena

    def inside(self) -> Sequence[Any]:
        return [self._arena, self._mirror, self._rotate]


class _NestedTemplate:
    """The arenas of another template."""

    dynamic = True

    def __init__(self, plan: Plan, choice: Choice, path: str) -> None:
        self.plan = plan
        self.path = path
        self._choice = choice

    def produced(self, context: Context) -> VariationData:
        with naming_source(self.plan):
            data = self.plan.produce(
                context.selection, lambda name: context.rng(f"{self.path}.{name}"), 0, context.budget
            )
        return data if data is not None else refuse("what was drawn breaks a condition of the nested template")

    def realise(self, context: Context) -> Several:
        arenas = self.produced(context).data.get("arenas", [])
        return Several(Data({key: value for key, value in arena.items() if key != "id"}) for arena in arenas)

    def columns(self) -> list[str]:
        return [f"{self.path}.{name}" for name in self.plan.columns]


def _names(key: Node) -> list[str]:
    return [name.strip() for name in str(key.value).split(",")]


def _texts(node: Node) -> list[str]:
    """Return all texts in a node."""
    if node.kind == SCALAR:
        value = resolve(node)
        return [value] if isinstance(value, str) else []
    if node.kind == SEQUENCE:
        return [text for each in node.value for text in _texts(each)]
    return [text for key, value in node.value for text in (*_texts(key), *_texts(value))]


def _ends(node: Node) -> tuple[Any, Any, bool]:
    return node.start, node.end, node.flow
