"""The values of unquoted words in YAML, and the words that YAML readers disagree about."""

import re
from dataclasses import dataclass

from puzzlebox.arena.schema.tree import Node

Plain = str | int | float | bool | None

_NULLS = {"", "~", "null", "Null", "NULL"}
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_OLD_BOOLEANS = {
    spelling: meaning
    for word, meaning in {"yes": True, "no": False, "on": True, "off": False}.items()
    for spelling in (word, word.capitalize(), word.upper())
}
_NUMBER_START = re.compile(r"[-+.0-9]")
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)$", re.ASCII)
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$", re.ASCII)
_NOT_FINITE = re.compile(r"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$")
_LEADING_ZERO = re.compile(r"([-+]?)0([0-9]+)(\.[0-9]*)?$", re.ASCII)
_BASED = re.compile(r"([-+]?)0([xXoObB])([0-9a-fA-F]+)$", re.ASCII)
_SEXAGESIMAL = re.compile(r"([-+]?)([0-9]+(?::[0-5]?[0-9])+)$", re.ASCII)
_UNDERSCORES = re.compile(r"[-+]?[0-9][0-9_]*$", re.ASCII)
_BASES = {"x": 16, "o": 8, "b": 2}
# int() refuses more than 4,300 digits.
_MOST_DIGITS = 4_000
_LONGEST_OLD_NUMBER = 18


@dataclass(frozen=True)
class Ambiguous:
    """A word that YAML readers disagree about: `one` is its value in YAML 1.1, `other` what others take it for."""

    one: int | float | bool
    other: str
    write: str


def resolve(node: Node) -> Plain | Ambiguous:
    """Return the value of a scalar: text when it is quoted, otherwise the value of the word."""
    return meaning(node.value) if node.plain else str(node.value)


def meaning(text: str) -> Plain | Ambiguous:
    """Return the value of an unquoted word; a very long one is a text."""
    if len(text) > _MOST_DIGITS:
        return text
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text in _OLD_BOOLEANS:
        truth = _OLD_BOOLEANS[text]
        return Ambiguous(truth, "text", str(truth).lower())
    if not _NUMBER_START.match(text):
        return text
    if _WHOLE.match(text):
        return int(text)
    if _NUMBER.match(text):
        return float(text)
    if _NOT_FINITE.match(text):
        return float(text.replace(".", "").lower())
    return _old_number(text) or text


def _old_number(text: str) -> Ambiguous | None:
    """Return the value of a number in a spelling that only some readers know, or None."""
    if len(text) > _LONGEST_OLD_NUMBER:
        return None
    if match := _LEADING_ZERO.match(text):
        sign, digits, fraction = match.groups()
        decimal = (sign + digits.lstrip("0") or "0") + (fraction or "")
        if sign and decimal == sign:
            decimal = "0"
        if fraction is None and set(digits) <= set("01234567"):
            return Ambiguous(int(sign + digits, 8), decimal, decimal)
        return Ambiguous(float(decimal), "text", decimal)
    if match := _BASED.match(text):
        sign, base, digits = match.groups()
        try:
            value = int(sign + digits, _BASES[base.lower()])
        except ValueError:
            return None
        return Ambiguous(value, "text", str(value))
    if match := _SEXAGESIMAL.match(text):
        sign, digits = match.groups()
        value = 0
        for part in digits.split(":"):
            value = value * 60 + int(part)
        value = -value if sign == "-" else value
        # It may mean minutes or tenths of a second; only the author knows.
        return Ambiguous(value, "text", "a plain number")
    if "_" in text and _UNDERSCORES.match(text):
        value = int(text.replace("_", ""))
        return Ambiguous(value, "text", str(value))
    return None
