"""The plan of a template: its space of combinations, and how one of them becomes data, values and labels."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.schema.draft import ANIMALAI
from puzzlebox.arena.variations.budget import MOST_CHOICES, Budget, BudgetSpent
from puzzlebox.arena.variations.conditions import If
from puzzlebox.arena.variations.parts import (
    ChoiceNeeded,
    Context,
    Data,
    DrawnNumber,
    PinnedPart,
    Reuse,
    realise,
    value_text,
)
from puzzlebox.arena.variations.problems import Mistake, refuse
from puzzlebox.arena.variations.procgen_form import ProcgenReader, Scope
from puzzlebox.arena.variations.space import Choice, Selection, Space
from puzzlebox.arena.variations.tables import Constraint, tie

# The most combinations on which a condition is evaluated when a template is checked.
MOST_COMBINATIONS = 20_000
Streams = Callable[[str], Random]


@dataclass(frozen=True)
class VariationData:
    """One variation: the task as data, the value of everything that varies, and the labels for its name."""

    data: Data
    values: dict[str, Any]
    labels: list[str]


@dataclass
class Design:
    """The sample, balance and splits that a template asks for.

    Attributes:
        sample: the default number of variations to draw; None: all.
        seed: the seed of the sample.
        balance: the variables whose combinations occur equally often in a sample.
        splits: the share of each split.
        split_seed: the seed by which combinations are assigned to splits.
    """

    sample: int | None = None
    seed: int = 0
    balance: tuple[str, ...] = ()
    splits: dict[str, float] = field(default_factory=dict)
    split_seed: int = 0


class Plan(Protocol):
    """The protocol of all kinds of templates.

    Attributes:
        source: the file of the template, where another template names it.
    """

    source: str | None
    form: str
    space: Space
    columns: list[str]
    design: Design
    endless: bool

    def produce(
        self,
        selection: Mapping[Choice, int],
        rng_of: Streams,
        attempt: int = 0,
        budget: Budget | None = None,
        reuse: Reuse | None = None,
    ) -> VariationData | None:
        """Return the variation with these choices; None if a drawn value breaks a condition.

        A plan need not use `reuse`.
        """

    def levels(self, name: str) -> int:
        """Return how many options a variable has; 0 if that is not known."""

    def cell(self, selection: Mapping[Choice, int], names: Sequence[str]) -> list[Any]:
        """Return the values of some variables, without producing the whole variation."""

    def check(self, budget: Budget) -> None:
        """Evaluate every condition on the combinations of what it refers to, as long as steps are left."""


@contextmanager
def naming_source(plan: Plan) -> Iterator[None]:
    """Add the file of a template that another one names to the mistakes found in it."""
    try:
        yield
    except Mistake as mistake:
        mistake.source = mistake.source or plan.source
        raise


class ProcgenPlan:
    """The plan of a template in procgen-companion's format."""

    source: str | None = None
    form = ANIMALAI
    endless = False

    def __init__(self, reader: ProcgenReader, budget: Budget) -> None:
        self._reader = reader
        self.design = Design()
        self.space = space_of(reader.scope)
        self._constraints(budget)
        self.columns = list(dict.fromkeys(column_names(self.space)))

    def _constraints(self, budget: Budget) -> None:
        """Constrain choices within inactive cases, so that they do not multiply the count."""
        constraints = []
        roots = {inner: axis for axis in self.space.axes for inner in choices_in(axis)}
        for condition in self._reader.conditions:
            inner = [each for branch in condition.branches for each in branch if isinstance(each, Choice)]
            if not inner:
                continue
            touched = {choice for choice, _ in explore(condition.case, budget)} | set(inner)
            axes = frozenset(roots[choice] for choice in touched if choice in roots)
            constraints.append(Constraint(axes, _inactive_choices_at_first(condition), condition.place))
        tie(self.space, constraints, budget)

    def produce(
        self,
        selection: Mapping[Choice, int],
        rng_of: Streams,
        attempt: int = 0,
        budget: Budget | None = None,
        reuse: Reuse | None = None,
    ) -> VariationData:
        """Return the variation with these choices."""
        context = Context(selection, budget=budget)
        data = realise(self._reader.document.root, context)
        values: dict[str, Any] = {}
        first: list[str] = []
        second: list[str] = []
        collect(self.space.elements, context, values, first, second)
        last = [label for each in self._reader.labels if (label := each.label(context)) is not None]
        return VariationData(data, values, first + second + last)

    def check(self, budget: Budget) -> None:
        """Evaluate every condition on the combinations of what it refers to, as long as steps are left."""
        for condition in (*self._reader.conditions, *self._reader.labels):
            for _ in explore(condition.label, budget):
                pass

    def levels(self, name: str) -> int:
        """Return how many options a generator has; 0 if that is not known."""
        return next((len(axis.options) for axis in self.space.axes if axis.name == name), 0)

    def cell(self, selection: Mapping[Choice, int], names: Sequence[str]) -> list[Any]:
        """Return the numbers of the options that some generators take."""
        return [selection.get(axis) for axis in self.space.axes if axis.name in names]

    def explanation(self) -> str:
        """Return the factors of the count, in the order of the document."""
        factors: list[tuple[int, str, object]] = []
        for axis in self.space.axes:
            if factors and axis.within is not None and factors[-1][2] is axis.within:
                factors[-1] = (factors[-1][0] * axis.count, axis.kind, axis.within)
            else:
                factors.append((axis.count, axis.kind, axis.within))
        return " x ".join(f"{count}#{kind}" for count, kind, _ in factors) or "No variations"


def _inactive_choices_at_first(condition: If) -> Callable[[Context], bool]:
    """Return a test that all choices of inactive cases stand at their first option."""

    def holds(context: Context) -> bool:
        try:
            case = condition.case(context)
        except Mistake as mistake:
            if mistake.finding.code != "unknown-id":
                raise
            case = -1  # the condition itself is within an option that is not selected
        return all(
            context.selection.get(choice, 0) == 0
            for number, branch in enumerate(condition.branches)
            for choice in branch
            if number != case and isinstance(choice, Choice)
        )

    return holds


def space_of(scope: Scope) -> Space:
    """Return the space of all choices of a template; refuse too many of them."""
    space = scope.space() or Space()
    count = 0
    for axis in space.axes:
        for inner in choices_in(axis):
            count += 1
            if count > MOST_CHOICES:
                refuse(f"the template has more than {MOST_CHOICES:,} places where something varies", inner.place)
    return space


def choices_in(choice: Choice) -> Iterator[Choice]:
    """Yield a choice and those within its options, each once."""
    seen: set[Space] = set()
    stack = [choice]
    while stack:
        each = stack.pop()
        yield each
        for option in each.options if isinstance(each.options, list) else ():
            if option.inner is not None and option.inner not in seen:
                seen.add(option.inner)
                stack += reversed(option.inner.axes)


def column_names(space: Space, seen: set[Any] | None = None) -> Iterator[str]:
    """Yield the names of everything in a space that may be chosen or drawn."""
    seen = set() if seen is None else seen
    for element in space.elements:
        if element in seen:
            continue
        seen.add(element)
        if isinstance(element, Choice):
            yield element.name
            for option in element.options if isinstance(element.options, list) else element.options[:1]:
                if option.inner is not None:
                    yield from column_names(option.inner, seen)
                elif isinstance(option.value, PinnedPart):
                    yield from column_names(Space((), option.value.elements), seen)
        elif isinstance(element, If):
            for branch in element.branches:
                yield from column_names(Space((), branch), seen)
        elif isinstance(element, DrawnNumber):
            yield element.name


def collect(
    elements: Sequence[Any], context: Context, values: dict[str, Any], first: list[str], second: list[str]
) -> None:
    """Add the values and labels of all active choices and conditions to `values`, `first` and `second`."""
    for element in elements:
        if isinstance(element, Choice):
            option = element.options[context.choose(element)]
            if option.label is not None:
                first.append(option.label)
            values[element.name] = realise(option.value, context)
            if option.inner is not None:
                collect(option.inner.elements, context, values, first, second)
            elif isinstance(option.value, PinnedPart):
                collect(option.value.elements, context.with_fixed(option.value.selection), values, first, second)
        elif isinstance(element, If):
            label = element.label(context)
            if label is not None:
                second.append(label)
            case = element.case(context)
            if case < len(element.branches):
                collect(element.branches[case], context, values, first, second)
        elif isinstance(element, DrawnNumber):
            values[element.name] = element.realise(context)


def explore(
    evaluate: Callable[[Context], Any], budget: Budget, names: Mapping[str, Any] | None = None
) -> Iterator[tuple[Choice, int]]:
    """Evaluate on every combination of the choices that turn out to be needed; yield each choice as it is made.

    It ends early if the budget is spent.

    Raises:
        Mistake: an evaluation fails; the message says with which choices.
    """
    selection: Selection = {}
    # The choices made, in the order in which they were needed; the last one varies fastest.
    decided: list[Choice] = []
    for _ in range(MOST_COMBINATIONS):
        try:
            budget.spend(1 + len(selection))
            evaluate(Context(dict(selection), names, budget=budget))
        except BudgetSpent:
            return
        except ChoiceNeeded as needed:
            if len(needed.choice.options):
                decided.append(needed.choice)
                selection[needed.choice] = 0
                yield needed.choice, 0
                continue
        except Mistake as mistake:
            raise with_choices(mistake, selection) from None
        while decided and selection[decided[-1]] + 1 == len(decided[-1].options):
            del selection[decided.pop()]
        if not decided:
            return
        selection[decided[-1]] += 1
        yield decided[-1], selection[decided[-1]]


def with_choices(mistake: Mistake, selection: Mapping[Choice, int]) -> Mistake:
    """Return a mistake with the choices under which it happens added to its message."""
    if not selection:
        return mistake
    chosen = ", ".join(f"{choice.name} = {_option_text(choice, number)}" for choice, number in selection.items())
    chosen = chosen if len(chosen) <= 300 else chosen[:297] + "..."
    explained = Mistake(f"{mistake.finding.message} (with {chosen})", mistake.finding.place, mistake.finding.code)
    explained.source = mistake.source
    return explained


def _option_text(choice: Choice, number: int) -> str:
    option = choice.options[number]
    if option.label is not None:
        return option.label
    return f"option {number}" if hasattr(option.value, "realise") else value_text(option.value)


@dataclass(frozen=True)
class Member:
    """A template of a family."""

    name: str
    plan: Plan
    weight: float
    place: Place


class FamilyPlan:
    """Several templates under one name, whose variations follow one another."""

    source: str | None = None

    def __init__(self, members: Sequence[Member], choice: Choice, design: Design) -> None:
        self._members = members
        self._choice = choice
        self.design = design
        self.form = members[0].plan.form
        self.space = Space([choice], [choice])
        self.endless = any(member.plan.endless for member in members)
        self.columns = list(dict.fromkeys(["template", *(name for each in members for name in each.plan.columns)]))

    def produce(
        self,
        selection: Mapping[Choice, int],
        rng_of: Streams,
        attempt: int = 0,
        budget: Budget | None = None,
        reuse: Reuse | None = None,
    ) -> VariationData | None:
        """Return the variation of the selected member."""
        member = self._members[selection[self._choice]]
        with naming_source(member.plan):
            data = member.plan.produce(selection, rng_of, attempt, budget, reuse)
        if data is None:
            return None
        return VariationData(data.data, {"template": member.name, **data.values}, [member.name, *data.labels])

    def levels(self, name: str) -> int:
        """Return how many members there are for the variable `template`, 0 for others."""
        return len(self._members) if name == "template" else 0

    def cell(self, selection: Mapping[Choice, int], names: Sequence[str]) -> list[Any]:
        """Return the number of the selected member."""
        return [selection[self._choice]]

    def form_of(self, selection: Mapping[Choice, int]) -> str:
        """Return the format of the selected member."""
        return form_of(self._members[selection[self._choice]].plan, selection)

    def check(self, budget: Budget) -> None:
        """Check each member with an equal share of the steps that those before it have left."""
        for number, member in enumerate(self._members):
            share = Budget(max(0, budget.left) // (len(self._members) - number))
            with naming_source(member.plan):
                member.plan.check(share)
            budget.left -= share.steps - max(0, share.left)


def form_of(plan: Plan, selection: Mapping[Choice, int]) -> str:
    """Return the format in which a variation is written."""
    return plan.form_of(selection) if isinstance(plan, FamilyPlan) else plan.form
