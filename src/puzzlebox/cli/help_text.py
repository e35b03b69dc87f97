"""Commands whose help and errors name no Python types: what an option takes, and why a number is refused."""

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

# The classes of typer have their parent in common, but give it no public name.
if TYPE_CHECKING:
    _Command = TyperCommand
else:
    _Command = object
# What Typer calls the value of an option, and what the help shows instead; a switch takes no value.
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
    """A command whose help names no Python types, and which refuses numbers with what is allowed."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all options and arguments, `--help` included."""
        return _with_words(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the command line."""
        arguments = list(args)
        _refuse_nameless(arguments)
        try:
            rest = super().parse_args(ctx, args)
        except typer.BadParameter as problem:
            raise _with_limits(problem, ctx, arguments) from None
        _refuse_not_finite(self, ctx)
        return rest


class PlainCommand(_Plain, TyperCommand):
    """A verb, such as `puzzlebox run`."""


class PlainGroup(_Plain, TyperGroup):
    """`puzzlebox` itself, or a verb with its own verbs."""

    # The headings of `--help` in their order; verbs under other headings come last.
    headings: Sequence[str] = ()

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the verbs, in the order of their headings; Typer puts groups first."""

        def place(name: str) -> int:
            heading = getattr(self.commands[name], "rich_help_panel", None)
            return self.headings.index(heading) if heading in self.headings else len(self.headings)

        return sorted(super().list_commands(ctx), key=place)


def _refuse_nameless(arguments: Sequence[str]) -> None:
    """Refuse an empty name of what is to be written, as of a variable that is not set; it would mean this folder."""
    for option, name in pairwise(arguments):
        if option in ("-o", "--output") and not name.strip():
            raise typer.BadParameter("it is empty; name a file or a folder", param_hint=f"'{option}'")


def _with_words(params: list[Any]) -> list[Any]:
    for param in params:
        # Older versions of Typer show such words by themselves, and never call this.
        vars(param)["display_type_rich"] = lambda ctx, param=param: _word(param, ctx)
    return params


def _word(param: Any, ctx: Any) -> str:
    if param.param_type_name == "argument":
        return ""  # the help shows its name beside it
    if param.metavar is not None:
        return str(param.metavar)
    shown = str(param.display_type(ctx))
    return _WORDS.get(shown.strip("<>"), shown)


def _with_limits(problem: typer.BadParameter, ctx: Any, arguments: list[str]) -> typer.BadParameter:
    """Return the same error; if it is about a number, with its value and what is allowed."""
    param = problem.param
    allowed = "" if param is None else _allowed(param, ctx)
    value = _value_in(arguments, param) if allowed else None
    return problem if value is None else typer.BadParameter(f"{value[:40]} is not {allowed}", ctx=ctx, param=param)


def _refuse_not_finite(command: Any, ctx: Any) -> None:
    # Older versions of Typer let `nan` through every range.
    for param in command.params:
        value = ctx.params.get(param.name)
        if isinstance(value, float) and not isfinite(value):
            raise typer.BadParameter(f"{value} is not {_allowed(param, ctx)}", ctx=ctx, param=param)


def _allowed(param: Any, ctx: Any) -> str:
    """Return what kind of number an option takes, and its limits; "" if it takes no number."""
    kind = getattr(param, "type", None)
    word = str(param.display_type(ctx) if kind is None else kind.name).strip("<>")
    if not word.startswith(("int", "float")):
        return ""
    what = "a whole number" if word.startswith("int") else "a finite number"
    least, most = (getattr(param if kind is None else kind, name, None) for name in ("min", "max"))
    if least is not None and most is not None:
        return f"{what} from {least} to {most}"
    return what if least is None else f"{what}, {least} or more"


def _value_in(arguments: list[str], param: Any) -> str | None:
    """Return the value of an option among the arguments; the last one counts. None if there is none."""
    for place in reversed(range(len(arguments))):
        option, equals, value = arguments[place].partition("=")
        if option in param.opts:
            return value if equals else arguments[place + 1] if place + 1 < len(arguments) else None
    return None
