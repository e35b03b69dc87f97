"""Lines of a text as YAML counts them."""

from puzzlebox.arena.schema.diagnostics import Place

_LINE_BREAKS = ("\r", "\n", "\x85", "\u2028", "\u2029")


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, without a byte order mark; after a final line break comes an empty one."""
    # Python also breaks lines at a few control characters, none of which YAML allows.
    lines = text.removeprefix("\ufeff").splitlines()
    return [*lines, ""] if not lines or text.endswith(_LINE_BREAKS) else lines


def place_at(text: str, index: int) -> Place:
    """Return the place of one character of a text."""
    lines = lines_of(text[:index])
    return Place(len(lines), len(lines[-1]) + 1)
