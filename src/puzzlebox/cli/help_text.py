"""How `--help` names what an option takes, and what is said about a number that is none: in words for people."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

# The classes of typer have their parent in common, but give it no public name.
if TYPE_CHECKING:
    _Command = TyperCommand
else:
    _Command = object
# What typer calls the values of an option, and what a reader of the help is shown instead; a switch takes no value.
_WORDS = {
    "bool": "",
    "int": "N",
    "int range": "N",
    "float": "NUMBER",
    "float range": "NUMBER",
    "str": "TEXT",
    "path": "PATH",
    "list[str]": "TEXT",
    "list[Path]": "PATH",
}


class _Plain(_Command):
    """Help without names of Python types, and numbers that are refused in a sentence of our own."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All options and arguments, `--help` included."""
        return _named(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of the command line."""
        given = list(args)
        try:
            rest = super().parse_args(ctx, args)
        except typer.BadParameter as problem:
            raise _about_number(problem, ctx, given) from None
        _refuse_not_finite(self, ctx)
        return rest


class PlainCommand(_Plain, TyperCommand):
    """A verb, such as `puzzlebox run`."""


class PlainGroup(_Plain, TyperGroup):
    """`puzzlebox` itself, or a verb with verbs of its own."""

    # The headings of `--help` in their order; verbs under other headings come last.
    headings: Sequence[str] = ()

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the verbs, in the order of their headings; Typer puts groups first."""

        def place(name: str) -> int:
            heading = getattr(self.commands[name], "rich_help_panel", None)
            return self.headings.index(heading) if heading in self.headings else len(self.headings)

        return sorted(super().list_commands(ctx), key=place)


def _named(params: list[Any]) -> list[Any]:
    for param in params:
        # Older versions of typer use words like these themselves, and never ask for this.
        vars(param)["display_type_rich"] = lambda ctx, param=param: _word(param, ctx)
    return params


def _word(param: Any, ctx: Any) -> str:
    if param.param_type_name == "argument":
        return ""  # its name stands beside it already
    if param.metavar is not None:
        return str(param.metavar)
    shown = str(param.display_type(ctx))
    return _WORDS.get(shown.strip("<>"), shown)


def _about_number(problem: typer.BadParameter, ctx: Any, given: list[str]) -> typer.BadParameter:
    """The same refusal; where it is about a number, with what was given and what is allowed."""
    param = problem.param
    allowed = "" if param is None else _allowed(param, ctx)
    value = _given(param, given) if allowed else None
    return problem if value is None else typer.BadParameter(f"{value[:40]} is not {allowed}", ctx=ctx, param=param)


def _refuse_not_finite(command: Any, ctx: Any) -> None:
    # Older versions of typer let `nan` through every range.
    for param in command.params:
        value = ctx.params.get(param.name)
        if isinstance(value, float) and not isfinite(value):
            raise typer.BadParameter(f"{value} is not {_allowed(param, ctx)}", ctx=ctx, param=param)


def _allowed(param: Any, ctx: Any) -> str:
    """What kind of number an option takes, and between which limits; nothing where it takes none."""
    kind = getattr(param, "type", None)
    word = str(param.display_type(ctx) if kind is None else kind.name).strip("<>")
    if not word.startswith(("int", "float")):
        return ""
    what = "a whole number" if word.startswith("int") else "a finite number"
    least, most = (getattr(param if kind is None else kind, name, None) for name in ("min", "max"))
    if least is not None and most is not None:
        return f"{what} from {least} to {most}"
    return what if least is None else f"{what}, {least} or more"


def _given(param: Any, given: list[str]) -> str | None:
    """What stands behind an option; the last one counts."""
    for place in reversed(range(len(given))):
        option, equals, value = given[place].partition("=")
        if option in param.opts:
            return value if equals else given[place + 1] if place + 1 < len(given) else None
    return None
