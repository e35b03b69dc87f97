"""A level of the testbed: the description in `NN/level.yml`, with its templates and its thirty tasks."""

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from puzzlebox.arena.schema.factors import CONTROL
from puzzlebox.arena.variations import Template

LEVELS, TASKS, VARIANTS = 10, 30, 3
# On these levels a test must be failed by agents that take shortcuts.
STRICT_LEVELS = frozenset({3, 5, 8, 9, 10})
Words = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TemplateUse(_Strict):
    """How a level uses one of its templates.

    Attributes:
        looks: variables that change how a task looks and not its layout, such as a colour. Tasks that differ in them
            alone are in the same set.
        reserved: values of variables that only tasks of the held-out set have.
        balance: variables that say on which side, or in which place, the right choice is. The variants of a row do not
            all have the same value, and over the level each value is used about equally often.
    """

    looks: list[str] = []
    reserved: dict[str, Any] = {}
    balance: list[str] = []

    def reserved_values(self, name: str) -> list[Any]:
        """Return the reserved values of a variable."""
        value = self.reserved.get(name, [])
        return value if isinstance(value, list) else [value]


class Row(_Strict):
    """One of the thirty tasks of a level.

    Attributes:
        template: the template that it is made from.
        title: a short name.
        values: the values of variables that make this task; all others are drawn for its variants.
        condition: whether it is a test or a control.
        control: the number of its control.
        tests: what it tests, in a sentence.
        paradigm: the published paradigm behind it.
        reference: the publication.
        difficulty: from 1 to 5.
        tags: words to find it by.
        shortcut: whether the heuristic agent must pass it or fail it (the random one must fail it, too). Default: on
            levels 3, 5, 8, 9 and 10 both must fail a test; otherwise `any`.
    """

    template: Words
    title: Words
    values: dict[str, Any] = {}
    condition: Literal["test", "control"] = "test"
    control: int | None = None
    tests: Words
    paradigm: Words
    reference: Words
    difficulty: Annotated[int, Field(ge=1, le=5)]
    tags: Annotated[list[Words], Field(min_length=1)]
    shortcut: Literal["fails", "passes", "any"] | None = None

    @property
    def is_control(self) -> bool:
        """Whether it is a control."""
        return self.condition == CONTROL


class Description(_Strict):
    """The contents of `level.yml`."""

    level: Annotated[int, Field(ge=1, le=LEVELS)]
    title: Words
    summary: Words
    templates: dict[str, TemplateUse]
    tasks: dict[Annotated[int, Field(ge=1, le=TASKS)], Row]


class Level:
    """A level with its templates.

    Attributes:
        folder: the folder of `level.yml` and of the templates.
        about: the contents of `level.yml`.
    """

    def __init__(self, folder: Path, about: Description) -> None:
        self.folder = folder
        self.about = about

    @property
    def number(self) -> int:
        """Its number, from 1 to 10."""
        return self.about.level

    @property
    def rows(self) -> dict[int, Row]:
        """Its tasks, by number, in order."""
        return dict(sorted(self.about.tasks.items()))

    @cached_property
    def templates(self) -> dict[str, Template]:
        """Its templates, by name."""
        return {name: Template(self.folder / f"{name}.yml") for name in self.about.templates}

    def shortcut_of(self, row: Row) -> str:
        """Return what is expected of agents that take shortcuts: `fails`, `passes` or `any`."""
        if row.shortcut is not None:
            return row.shortcut
        return "fails" if self.number in STRICT_LEVELS and not row.is_control else "any"
