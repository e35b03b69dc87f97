"""How `--help` names what an option takes: in words for people, not by Python's types."""

from typing import Any

from typer.core import TyperCommand, TyperGroup

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


class PlainCommand(TyperCommand):
    """A verb whose help shows no names of Python types."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All options and arguments, `--help` included."""
        return _named(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """The command line as a whole, whose help shows no names of Python types."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All options of `puzzlebox` without a verb, `--help` included."""
        return _named(super().get_params(ctx))


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
