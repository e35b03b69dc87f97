"""Docstrings and signatures as Markdown. Signatures are read from the source, so that every Python shows the same."""

import ast
import inspect
import re
import textwrap
from collections.abc import Sequence
from typing import Any

# The sections of a docstring in Google's style that list names, and what their column is called.
_LISTS = {"Args": "argument", "Attributes": "attribute", "Raises": "exception"}
_WIDTH = 100


def syntax(value: Any) -> Any:
    """The definition of a class or a function as a syntax tree."""
    return ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]


def first_line(text: str) -> str:
    """The first sentence of a docstring, for a table."""
    return " ".join(inspect.cleandoc(text).split("\n\n", 1)[0].split()).replace("|", "\\|")


def wrapped(name: str, node: Any, *, skip_first: bool = False, also: Sequence[inspect.Parameter] = ()) -> list[str]:
    """A signature as a block of code, on one line or one line for each argument.

    Args:
        name: what is called.
        node: its definition.
        skip_first: leave the first argument out.
        also: keyword arguments that are not written in the definition; they stand before its `**`.
    """
    if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases):
        return [f"```python\nclass {name}(Protocol)\n```"]
    words = _fields(node) if isinstance(node, ast.ClassDef) else _arguments(node.args)
    if isinstance(node, ast.ClassDef) and words is None:
        starts = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
        words = _arguments(starts[0].args)[1:] if starts else None
        if words is None:  # an exception
            return [f"```python\nclass {name}\n```"]
    words = (words or [])[1:] if skip_first else words or []
    more = [f"{each.name}: {inspect.formatannotation(each.annotation)} = {each.default!r}" for each in also]
    words = [*words[:-1], *more, *words[-1:]] if more else words
    result = f" -> {ast.unparse(node.returns)}" if getattr(node, "returns", None) else ""
    line = f"{name}({', '.join(words)}){result}"
    if len(line) > _WIDTH:
        line = f"{name}(\n" + "".join(f"    {word},\n" for word in words) + f"){result}"
    return [f"```python\n{line}\n```"]


def _arguments(given: ast.arguments) -> list[str]:
    """Each argument with its type and default, as written."""
    words = []
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
    for place, (argument, default) in enumerate(zip(plain, defaults, strict=True)):
        words.append(_argument(argument, default))
        if given.posonlyargs and place == len(given.posonlyargs) - 1:
            words.append("/")
    if given.vararg:
        words.append("*" + _argument(given.vararg, None))
    elif given.kwonlyargs:
        words.append("*")
    words += [_argument(each, default) for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    if given.kwarg:
        words.append("**" + _argument(given.kwarg, None))
    return words


def _argument(argument: ast.arg, default: ast.expr | None) -> str:
    kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    given = "" if default is None else f" = {ast.unparse(default)}" if kind else f"={ast.unparse(default)}"
    return f"{argument.arg}{kind}{given}"


def _fields(node: ast.ClassDef) -> list[str] | None:
    """The fields of a dataclass or a model; None where there are none, or `__init__` says what is taken."""
    if any(isinstance(each, ast.FunctionDef) and each.name == "__init__" for each in node.body):
        return None
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]
    words = [
        f"{each.target.id}: {ast.unparse(each.annotation)}{_field_default(each.value)}"
        for each in fields
        if not each.target.id.startswith("_") and "ClassVar" not in ast.unparse(each.annotation)  # type: ignore[union-attr]
    ]
    return words or None


def _field_default(value: ast.expr | None) -> str:
    """The default of a field; what a factory makes is shown as dots."""
    if value is None:
        return ""
    text = ast.unparse(value)
    return f" = {text}" if len(text) <= 40 and "(" not in text else " = ..."


def described(value: Any) -> list[str]:
    """A docstring as lines of Markdown: its lists of names as tables."""
    text = inspect.cleandoc(value.__doc__ or "")
    lines: list[str] = []
    for part in re.split(r"\n\n(?=[A-Z]\w+:\n)", text):
        heading, _, rest = part.partition("\n")
        section = heading.rstrip(":")
        if heading.endswith(":") and section in _LISTS and rest:
            lines += [f"| {_LISTS[section]} | meaning |", "|---|---|", *_rows(rest), ""]
        elif heading.endswith(":") and rest.startswith("    "):
            lines += [f"**{section}:** " + " ".join(rest.split()), ""]
        else:
            lines += [part, ""]
    return lines[:-1]


def _rows(text: str) -> list[str]:
    """The entries of a list, each `name: meaning` with continuation lines."""
    rows = []
    for entry in re.split(r"\n(?=\S)", textwrap.dedent(text)):
        name, _, meaning = " ".join(entry.split()).partition(": ")
        rows.append(f"| `{name}` | {meaning.replace('|', chr(92) + '|')} |")
    return rows
