"""Columns of tables: name, type, unit and meaning, declared once for files, documentation and tests."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

Kind = Literal["text", "whole", "number", "truth"]


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        name: the name in the first row of the table.
        kind: the type of its values: text, whole numbers, numbers, or truth values.
        meaning: the meaning of a value.
        unit: the unit of its numbers; "" if they have none.
    """

    name: str
    kind: Kind
    meaning: str
    unit: str = ""


def markdown(columns: Iterable[Column]) -> str:
    """Return the columns as a Markdown table, for the documentation."""
    lines = ["| column | values | unit | meaning |", "|---|---|---|---|"]
    lines += [f"| `{each.name}` | {each.kind} | {each.unit} | {each.meaning} |" for each in columns]
    return "\n".join(lines)
