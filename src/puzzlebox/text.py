"""Words for people: what somebody may have meant by an unknown word, and numbers as sentences show them."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

# Nothing we know is nearly as long, and comparing takes time in proportion.
_LONGEST_WORD = 60
# The most words a message lists: beside the nearest one; where none is near and a command lists all; where none does.
_FEW, _SEVERAL, _MANY = 10, 16, 60


def closest(word: str, known: Iterable[str] | Mapping[str, str]) -> str:
    """How a message ends where a known word is near; a mapping says what to write for each word."""
    if len(word) > _LONGEST_WORD:
        return ""
    write = known if isinstance(known, Mapping) else {choice: choice for choice in known}
    folded = {_folded(choice): str(written) for choice, written in write.items()}
    asked = _folded(word)
    # The letters of a short word are soon found somewhere in one more than twice as long: `task` in `reset_mask`.
    alike = [choice for choice in folded if len(choice) <= 2 * len(asked) <= 4 * len(choice)]
    close = get_close_matches(asked, alike, n=1, cutoff=0.6)
    return f"; did you mean `{folded[close[0]]}`?" if close else ""


def nearest(word: str, known: Iterable[str], listed_by: str = "") -> str:
    """How a message about an unknown word ends: what is allowed, and the nearest of it.

    Args:
        word: the unknown word.
        known: the words that are allowed.
        listed_by: the command that lists them; "" where there is none, and the message names them itself.
    """
    choices = list(known)
    return with_allowed(closest(word, choices), choices, listed_by)


def with_allowed(near: str, known: Iterable[str], listed_by: str = "") -> str:
    """The same for what `closest` said: with the words that are allowed, or where all of them can be seen."""
    choices = list(known)
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
    """How many entries a list has, in words."""
    return "1 entry" if count == 1 else f"{count} entries"


def number(value: float) -> str:
    """A number the way people write it: 3, not 3.0."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = repr(int(value) if isinstance(value, int) else float(value))
    # Older YAML readers take 1e-05 for a text, but not 1.0e-05.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def vector(values: Iterable[float | None]) -> str:
    """A vector the way our form writes it."""
    return "[" + ", ".join("random" if value is None else number(value) for value in values) + "]"
