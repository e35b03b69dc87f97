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
    """Return the definition of a class or a function as a syntax tree."""
    return ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]


def first_line(text: str) -> str:
    """Return the first paragraph of a docstring on one line, for a table."""
    return " ".join(inspect.cleandoc(text).split("\n\n", 1)[0].split()).replace("|", "\\|")


def signature(name: str, node: Any, *, skip_first: bool = False, also: Sequence[inspect.Parameter] = ()) -> list[str]:
    """Return a signature as a block of code, on one line or one line for each argument.

    Args:
        name: the name of the class or function.
        node: its definition.
        skip_first: whether to leave the first argument out.
        also: keyword arguments that are not in the definition; they are put before its `**`.
    """
    if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases):
        return [f"```python\nclass {name}(Protocol)\n```"]
    words = _fields(node) if isinstance(node, ast.ClassDef) else _arguments(node.args)
    if isinstance(node, ast.ClassDef) and words is None:
        starts = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
        words = _arguments(starts[0].args)[1:] if starts else None
        if words is None:
            return [f"```python\nclass {name}\n```"]
    words = (words or [])[1:] if skip_first else words or []
    more = [f"{each.name}: {inspect.formatannotation(each.annotation)} = {each.default!r}" for each in also]
    words = [*words[:-1], *more, *words[-1:]] if more else words
    result = f" -> {ast.unparse(node.returns)}" if getattr(node, "returns", None) else ""
    line = f"{name}({', '.join(words)}){result}"
    if len(line) > _WIDTH:
        line = f"{name}(\n" + "".join(f"    {word},\n" for word in words) + f"){result}"
    return [f"```python\n{line}\n```"]


def _arguments(arguments: ast.arguments) -> list[str]:
    """Return each argument with its type and default, as written."""
    words = []
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    for index, (argument, default) in enumerate(zip(plain, defaults, strict=True)):
        words.append(_argument(argument, default))
        if arguments.posonlyargs and index == len(arguments.posonlyargs) - 1:
            words.append("/")
    if arguments.vararg:
        words.append("*" + _argument(arguments.vararg, None))
    elif arguments.kwonlyargs:
        words.append("*")
    words += [
        _argument(each, default) for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    if arguments.kwarg:
        words.append("**" + _argument(arguments.kwarg, None))
    return words


def _argument(argument: ast.arg, default: ast.expr | None) -> str:
    kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    default_text = "" if default is None else f" = {ast.unparse(default)}" if kind else f"={ast.unparse(default)}"
    return f"{argument.arg}{kind}{default_text}"


def _fields(node: ast.ClassDef) -> list[str] | None:
    """Return the fields of a dataclass or a model; None if there are none, or if there is an `__init__`."""
    if not node.decorator_list and not node.bases:  # a plain class, whose attributes are no arguments
        return None
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
    """Return the default of a field; a default from a factory is shown as dots."""
    if value is None:
        return ""
    text = ast.unparse(value)
    return f" = {text}" if len(text) <= 40 and "(" not in text else " = ..."


def describe(value: Any) -> list[str]:
    """Return a docstring as lines of Markdown, with its lists of names as tables."""
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
    """Return table rows for the entries of a list, each `name: meaning` with continuation lines."""
    rows = []
    for entry in re.split(r"\n(?=\S)", textwrap.dedent(text)):
        name, _, meaning = " ".join(entry.split()).partition(": ")
        rows.append(f"| `{name}` | {meaning.replace('|', chr(92) + '|')} |")
    return rows
