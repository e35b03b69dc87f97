"""The plan of a judging: which pairs, how they are shown, and in which order one participant sees them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import zip_longest
from math import isfinite
from typing import Any, NamedTuple

from puzzlebox.intuitions.apparatus import PAIRS, SEED, WING, PairTask, task_names
from puzzlebox.intuitions.catalogue import FAMILIAR, SHAPE_SETS
from puzzlebox.intuitions.pictures.painters import PAINTERS
from puzzlebox.seeds import check_seed, judgement_seed, judging_rng
from puzzlebox.text import nearest

# All tasks.
EVERYTHING = "*"
# The slowest and fastest speed of films, in times of their own speed.
SLOWEST, FASTEST = 0.25, 32.0
# The task of the pair for practice, and the seeds of sets it may come from; the one of the plan is left out.
_PRACTICE, _PRACTICE_SEEDS = "efficiency_path", (0, 2)


class Item(NamedTuple):
    """One pair to judge.

    Attributes:
        task: the task it belongs to.
        number: its number in the set.
        seed: the seed of the judgement, by which the films are in order.
    """

    task: PairTask
    number: int
    seed: int


@dataclass(frozen=True)
class Plan:
    """What a judging shows.

    Attributes:
        tasks: names of tasks (`task_names`, or those of the catalogue), or `*` for all.
        seed: the seed of the set of pairs.
        pairs: pairs of each task of the catalogue.
        shapes: `familiar` or `new`.
        view: `flat` or `three-d`.
        together: whether both films play at the same time, side by side, and not one after the other.
        speed: how fast they play, in times of their own speed.
    """

    tasks: tuple[str, ...] = (EVERYTHING,)
    seed: int = SEED
    pairs: int = 2
    shapes: str = FAMILIAR
    view: str = PAINTERS[0]
    together: bool = False
    speed: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what cannot be judged, in one sentence."""
        known = tuple(dict.fromkeys((EVERYTHING, *task_names(), *(task for task, _ in task_names().values()))))
        for name in self.tasks:
            if name not in known:
                raise ValueError(f"there is no task {name!r} to judge{nearest(name, known)}")
        check_seed(self.seed)
        if not 1 <= self.pairs <= PAIRS:
            raise ValueError(f"{self.pairs} pairs of each task are asked for; it must be 1 to {PAIRS}")
        for what, value, allowed in (("shapes are", self.shapes, SHAPE_SETS), ("view is", self.view, PAINTERS)):
            if value not in allowed:
                raise ValueError(f"the {what} {value!r}{nearest(value, allowed)}")
        if not isfinite(self.speed) or not SLOWEST <= self.speed <= FASTEST:
            raise ValueError(f"the speed is {self.speed:g}; it must be from {SLOWEST:g} to {FASTEST:g}")

    @property
    def text(self) -> str:
        """The plan without its seed, as links name it: `preference+multi_agent;pairs=4;together=yes`."""
        defaults = Plan()
        parts = ["+".join(self.tasks)]
        for name in _KEYS:
            value = getattr(self, name)
            if value != getattr(defaults, name):
                parts.append(f"{name}={'yes' if value is True else f'{value:g}' if name == 'speed' else value}")
        return ";".join(parts)

    @classmethod
    def parse(cls, text: str, seed: int | None = None) -> "Plan":
        """Read the text of a plan.

        Raises:
            ValueError: it is not a plan; the message says why.
        """
        names, *settings = text.split(";")
        values: dict[str, Any] = {}
        for setting in settings:
            name, equals, value = setting.partition("=")
            if name not in _KEYS or not equals or name in values:
                raise ValueError(f"{setting[:60]!r} is not a setting of a judging{nearest(name, _KEYS)}")
            values[name] = _read(name, value)
        plan = cls(tuple(names.split("+")), **values)
        return plan if seed is None else replace(plan, seed=seed)

    @property
    def name(self) -> str:
        """The plan as the name of a task: `intuitions/` and its text."""
        return f"{WING}/{self.text}"

    def items(self, judge: str = "") -> list[Item]:
        """Return the pairs in the order in which someone judges them; `judge` is the participant, "" if unknown."""
        items = [self._item(name, number, judge) for name, number in self._chosen()]
        judging_rng(self.seed, judge).shuffle(items)
        return items

    def practice(self, judge: str = "") -> Item:
        """Return the pair for practice, which is none of the pairs that are judged."""
        seed = next(each for each in _PRACTICE_SEEDS if each != self.seed)
        return replace(self, seed=seed)._item(_PRACTICE, 0, judge)

    def _item(self, name: str, number: int, judge: str) -> Item:
        task = PairTask.of(name, self.seed, self.shapes, self.view)
        return Item(task, number, judgement_seed(self.seed, judge, name, number))

    def _chosen(self) -> Iterable[tuple[str, int]]:
        """Yield name and number of each pair; the pair types of a task take turns."""
        groups: dict[str, list[str]] = {}
        for name, (task, _) in task_names().items():
            if {EVERYTHING, name, task} & set(self.tasks):
                groups.setdefault(task, []).append(name)
        for names in groups.values():
            starts: list[Sequence[int]] = [PairTask.of(name, self.seed).starts for name in names]
            turns = [
                (name, number)
                for numbers in zip_longest(*starts)
                for name, number in zip(names, numbers, strict=True)
                if number is not None
            ]
            yield from turns[: self.pairs]


_KEYS = tuple(each.name for each in fields(Plan) if each.name not in ("tasks", "seed"))


def _read(name: str, value: str) -> Any:
    """Return the value of a setting of a plan from its text."""
    if name == "together":
        if value not in ("yes", "no"):
            raise ValueError(f"together is {value[:40]!r}; it must be yes or no")
        return value == "yes"
    if name in ("pairs", "speed"):
        try:
            return int(value[:9]) if name == "pairs" else float(value[:20])
        except ValueError:
            raise ValueError(f"{name} is {value[:40]!r}; it must be a number") from None
    return value
