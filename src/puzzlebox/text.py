"""Texts for messages: the known word nearest to an unknown one, and numbers as people write them."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

# No known word is nearly as long, and comparing takes time in proportion.
_LONGEST_WORD = 60
# Most words in a message: beside the nearest one; where a command lists all of them; where no command does.
_FEW, _SEVERAL, _MANY = 10, 16, 60
# What people leave out before a number.
_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")


def closest(word: str, words: Iterable[str] | Mapping[str, str]) -> str:
    """Return the end of a message that suggests a similar word; "" if none is similar.

    A mapping gives the word to suggest for each known word.
    """
    if len(word) > _LONGEST_WORD:
        return ""
    write = words if isinstance(words, Mapping) else {choice: choice for choice in words}
    folded = {_folded(choice): str(suggestion) for choice, suggestion in write.items()}
    folded_word = _folded(word)
    # `8-1-1` means `08-01-1` rather than `08-11-1`.
    same = [choice for choice in folded if _ZEROS.sub("", choice) == _ZEROS.sub("", folded_word)]
    if same:
        return suggestion(folded[same[0]])
    # A short word is easily similar to one more than twice as long: `task` to `reset_mask`.
    alike = [choice for choice in folded if len(choice) <= 2 * len(folded_word) <= 4 * len(choice)]
    close = get_close_matches(folded_word, alike, n=1, cutoff=0.6)
    return suggestion(folded[close[0]]) if close else ""


def suggestion(word: str) -> str:
    """Return the end of a message that suggests a word."""
    return f"; did you mean `{word}`?"


def nearest(word: str, words: Iterable[str], listed_by: str = "") -> str:
    """Return the end of a message about an unknown word: the allowed words, and the nearest of them.

    Args:
        word: the unknown word.
        words: the words that are allowed.
        listed_by: the command that lists them; "" if there is none, and the message names them itself.
    """
    choices = list(words)
    return with_allowed(closest(word, choices), choices, listed_by)


def with_allowed(near: str, words: Iterable[str], listed_by: str = "") -> str:
    """Return the result of `closest` with the allowed words added, or the command that lists them."""
    choices = list(words)
    allowed = f"; allowed: {', '.join(choices)}"
    if near:
        return allowed + near if 1 < len(choices) <= _FEW else near
    if listed_by:
        return allowed if len(choices) <= _SEVERAL else f"; `{listed_by}` lists them"
    more = len(choices) - _MANY
    return allowed if more <= 0 else f"; allowed: {', '.join(choices[:_MANY])} and {more:,} more"


def _folded(word: str) -> str:
    return word.lower().replace("_", "")


def entries(count: int) -> str:
    """Return a count with its noun: "1 entry", "2 entries"."""
    return "1 entry" if count == 1 else f"{count} entries"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, whose plural ends in s: "1 step", "2 steps"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def number(value: float) -> str:
    """Return a number the way people write it: 3, not 3.0."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = repr(int(value) if isinstance(value, int) else float(value))
    # Older YAML readers take 1e-05 for a text, but not 1.0e-05.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def vector(values: Iterable[float | None]) -> str:
    """Return a vector the way the Puzzlebox format writes it."""
    return "[" + ", ".join("random" if value is None else number(value) for value in values) + "]"
