"""What a template comes down to: a space of combinations, and how one of them becomes data, values and labels."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.schema.draft import ANIMALAI
from puzzlebox.arena.variations.budget import MOST_CHOICES, Budget, Spent
from puzzlebox.arena.variations.conditions import If
from puzzlebox.arena.variations.parts import Context, Data, Drawn, Pinned, Undecided, realise, shown
from puzzlebox.arena.variations.problems import Mistake, refuse
from puzzlebox.arena.variations.procgen_form import ProcgenReader, Scope
from puzzlebox.arena.variations.space import Choice, Selection, Space
from puzzlebox.arena.variations.tables import Constraint, tie

# So many combinations of what a condition refers to are tried before a template is used.
MOST_TRIED = 20_000
Streams = Callable[[str], Random]


@dataclass(frozen=True)
class Produced:
    """One variation: the task as data, the value of everything that varies, and the labels for its name."""

    data: Data
    values: dict[str, Any]
    labels: list[str]


@dataclass
class Design:
    """What a template says about how it is to be used.

    Attributes:
        sample: how many to draw when nobody says; None: all.
        seed: what they are drawn from.
        balance: the variables whose combinations occur equally often in a sample.
        splits: the share of each split.
        split_seed: what decides which combination belongs to which.
    """

    sample: int | None = None
    seed: int = 0
    balance: tuple[str, ...] = ()
    splits: dict[str, float] = field(default_factory=dict)
    split_seed: int = 0


class Plan(Protocol):
    """What every kind of template can do.

    Attributes:
        source: the file, where another template names it.
    """

    source: str | None
    form: str
    space: Space
    columns: list[str]
    design: Design
    endless: bool

    def produce(
        self, selection: Mapping[Choice, int], rng_of: Streams, attempt: int = 0, budget: Budget | None = None
    ) -> Produced | None:
        """The variation with these choices; None where a drawn value breaks a condition and must be drawn again."""

    def levels(self, name: str) -> int:
        """How many options a variable has; 0 where that cannot be told."""

    def cell(self, selection: Mapping[Choice, int], names: Sequence[str]) -> list[Any]:
        """The values of some variables, without making the whole variation."""

    def check(self, budget: Budget) -> None:
        """Try every condition on the combinations of what it refers to, as long as there are steps left."""


@contextmanager
def naming(plan: Plan) -> Iterator[None]:
    """Mistakes in a template that another one names are told with its file."""
    try:
        yield
    except Mistake as mistake:
        mistake.source = mistake.source or plan.source
        raise


class ProcgenPlan:
    """The plan of procgen-companion's form."""

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
        """Choices within a case that is not taken must not multiply the count."""
        constraints = []
        roots = {inner: axis for axis in self.space.axes for inner in choices_in(axis)}
        for condition in self._reader.conditions:
            inner = [each for branch in condition.branches for each in branch if isinstance(each, Choice)]
            if not inner:
                continue
            touched = {choice for choice, _ in explore(condition.case, budget)} | set(inner)
            axes = frozenset(roots[choice] for choice in touched if choice in roots)
            constraints.append(Constraint(axes, _inert(condition), condition.place))
        tie(self.space, constraints, budget)

    def produce(
        self, selection: Mapping[Choice, int], rng_of: Streams, attempt: int = 0, budget: Budget | None = None
    ) -> Produced:
        """The variation with these choices."""
        context = Context(selection, budget=budget)
        data = realise(self._reader.document.root, context)
        values: dict[str, Any] = {}
        first: list[str] = []
        second: list[str] = []
        collect(self.space.marks, context, values, first, second)
        last = [label for each in self._reader.labels if (label := each.label(context)) is not None]
        return Produced(data, values, first + second + last)

    def check(self, budget: Budget) -> None:
        """Try every condition on the combinations of what it refers to, as long as there are steps left."""
        for condition in (*self._reader.conditions, *self._reader.labels):
            for _ in explore(condition.label, budget):
                pass

    def levels(self, name: str) -> int:
        """How many options a generator has; 0 where that cannot be told."""
        return next((len(axis.options) for axis in self.space.axes if axis.name == name), 0)

    def cell(self, selection: Mapping[Choice, int], names: Sequence[str]) -> list[Any]:
        """Which options some generators take."""
        return [selection.get(axis) for axis in self.space.axes if axis.name in names]

    def explanation(self) -> str:
        """The factors of the count, in the order of the document."""
        factors: list[tuple[int, str, object]] = []
        for axis in self.space.axes:
            if factors and axis.within is not None and factors[-1][2] is axis.within:
                factors[-1] = (factors[-1][0] * axis.count, axis.kind, axis.within)
            else:
                factors.append((axis.count, axis.kind, axis.within))
        return " x ".join(f"{count}#{kind}" for count, kind, _ in factors) or "No variations"


def _inert(condition: If) -> Callable[[Context], bool]:
    """Whether all choices of cases that are not taken stand at their first option."""

    def holds(context: Context) -> bool:
        try:
            taken = condition.case(context)
        except Mistake as mistake:
            if mistake.finding.code != "unknown-id":
                raise
            taken = -1  # the condition itself is in an option that is not taken
        return all(
            context.selection.get(choice, 0) == 0
            for number, branch in enumerate(condition.branches)
            for choice in branch
            if number != taken and isinstance(choice, Choice)
        )

    return holds


def space_of(scope: Scope) -> Space:
    """The space of all choices of a template, unless they are too many."""
    space = scope.space() or Space()
    count = 0
    for axis in space.axes:
        for inner in choices_in(axis):
            count += 1
            if count > MOST_CHOICES:
                refuse(f"the template has more than {MOST_CHOICES:,} places where something varies", inner.place)
    return space


def choices_in(choice: Choice) -> Iterator[Choice]:
    """A choice and those within its options, each once."""
    seen: set[Space] = set()
    waiting = [choice]
    while waiting:
        each = waiting.pop()
        yield each
        for option in each.options if isinstance(each.options, list) else ():
            if option.inner is not None and option.inner not in seen:
                seen.add(option.inner)
                waiting += reversed(option.inner.axes)


def column_names(space: Space, seen: set[Any] | None = None) -> Iterator[str]:
    """The names of everything in a space that may be chosen or drawn."""
    seen = set() if seen is None else seen
    for mark in space.marks:
        if mark in seen:
            continue
        seen.add(mark)
        if isinstance(mark, Choice):
            yield mark.name
            for option in mark.options if isinstance(mark.options, list) else mark.options[:1]:
                if option.inner is not None:
                    yield from column_names(option.inner, seen)
                elif isinstance(option.value, Pinned):
                    yield from column_names(Space((), option.value.marks), seen)
        elif isinstance(mark, If):
            for branch in mark.branches:
                yield from column_names(Space((), branch), seen)
        elif isinstance(mark, Drawn):
            yield mark.name


def collect(
    marks: Sequence[Any], context: Context, values: dict[str, Any], first: list[str], second: list[str]
) -> None:
    """The values and labels of all choices and conditions that count in this variation."""
    for mark in marks:
        if isinstance(mark, Choice):
            option = mark.options[context.choose(mark)]
            if option.label is not None:
                first.append(option.label)
            values[mark.name] = realise(option.value, context)
            if option.inner is not None:
                collect(option.inner.marks, context, values, first, second)
            elif isinstance(option.value, Pinned):
                collect(option.value.marks, context.fixing(option.value.selection), values, first, second)
        elif isinstance(mark, If):
            label = mark.label(context)
            if label is not None:
                second.append(label)
            taken = mark.case(context)
            if taken < len(mark.branches):
                collect(mark.branches[taken], context, values, first, second)
        elif isinstance(mark, Drawn):
            values[mark.name] = mark.realise(context)


def explore(
    evaluate: Callable[[Context], Any], budget: Budget, names: Mapping[str, Any] | None = None
) -> Iterator[tuple[Choice, int]]:
    """Evaluate on every combination of the choices that turn out to be needed; yields each of them as it is made.

    It ends early where nothing is left of the budget.

    Raises:
        Mistake: an evaluation fails; the message says with which choices.
    """
    selection: Selection = {}
    # The choices that are made, in the order in which they were needed; the last one is changed first.
    made: list[Choice] = []
    for _ in range(MOST_TRIED):
        try:
            budget.spend(1 + len(selection))
            evaluate(Context(dict(selection), names, budget=budget))
        except Spent:
            return
        except Undecided as open_:
            if len(open_.choice.options):
                made.append(open_.choice)
                selection[open_.choice] = 0
                yield open_.choice, 0
                continue
        except Mistake as mistake:
            raise with_choices(mistake, selection) from None
        while made and selection[made[-1]] + 1 == len(made[-1].options):
            del selection[made.pop()]
        if not made:
            return
        selection[made[-1]] += 1
        yield made[-1], selection[made[-1]]


def with_choices(mistake: Mistake, selection: Mapping[Choice, int]) -> Mistake:
    """The same mistake, saying where it happens."""
    if not selection:
        return mistake
    chosen = ", ".join(f"{choice.name} = {_shown(choice, number)}" for choice, number in selection.items())
    chosen = chosen if len(chosen) <= 300 else chosen[:297] + "..."
    told = Mistake(f"{mistake.finding.message} (with {chosen})", mistake.finding.place, mistake.finding.code)
    told.source = mistake.source
    return told


def _shown(choice: Choice, number: int) -> str:
    option = choice.options[number]
    if option.label is not None:
        return option.label
    return f"option {number}" if hasattr(option.value, "realise") else shown(option.value)


@dataclass(frozen=True)
class Member:
    """A template within a family."""

    name: str
    plan: Plan
    weight: float
    place: Place


class FamilyPlan:
    """Several templates under one name: their variations one after the other."""

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
        self, selection: Mapping[Choice, int], rng_of: Streams, attempt: int = 0, budget: Budget | None = None
    ) -> Produced | None:
        """The variation of the member that is chosen."""
        member = self._members[selection[self._choice]]
        with naming(member.plan):
            made = member.plan.produce(selection, rng_of, attempt, budget)
        if made is None:
            return None
        return Produced(made.data, {"template": member.name, **made.values}, [member.name, *made.labels])

    def levels(self, name: str) -> int:
        """How many members there are."""
        return len(self._members) if name == "template" else 0

    def cell(self, selection: Mapping[Choice, int], names: Sequence[str]) -> list[Any]:
        """The member that is chosen."""
        return [selection[self._choice]]

    def form_of(self, selection: Mapping[Choice, int]) -> str:
        """The form of the member that is chosen."""
        return form_of(self._members[selection[self._choice]].plan, selection)

    def check(self, budget: Budget) -> None:
        """Check each member with an equal share of the steps that those before it have left."""
        for number, member in enumerate(self._members):
            share = Budget(max(0, budget.left) // (len(self._members) - number))
            with naming(member.plan):
                member.plan.check(share)
            budget.left -= share.steps - max(0, share.left)


def form_of(plan: Plan, selection: Mapping[Choice, int]) -> str:
    """The form in which a variation is written."""
    return plan.form_of(selection) if isinstance(plan, FamilyPlan) else plan.form
