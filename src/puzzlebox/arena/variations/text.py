"""Write the data of a variation as the text of a task, in the format of the template."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any

from puzzlebox.arena.schema.draft import ANIMALAI
from puzzlebox.arena.schema.writing import plain_flow
from puzzlebox.arena.variations.parts import Data
from puzzlebox.text import number

_WIDTH = 110


def text_of(data: Data, form: str) -> str:
    """Return the text of a task."""
    lines = _animalai(data) if form == ANIMALAI else _puzzlebox(data)
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=4096)
def _word(text: str) -> str:
    return plain_flow(text)


def _key(text: str) -> str:
    """Return a key as text; those of arenas are numbers, possibly negative."""
    return text if text.lstrip("-").isdecimal() else _word(text)


def _scalar(value: Any, floats: bool) -> str:
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, float):
        # procgen-companion writes scaled numbers as 1.0, and users of its files may compare texts.
        if not isfinite(value):  # YAML's spelling; the reader of tasks reports the mistake
            return ".nan" if value != value else ".inf" if value > 0 else "-.inf"
        return repr(value) if floats and "e" not in repr(value) else number(value)
    return plain_flow(value)


def _flow(value: Any, floats: bool = False) -> str:
    """Return a value in one line."""
    if isinstance(value, Mapping):
        fixed = isinstance(value, Data) and value.fixed
        if fixed and value.text is not None:  # type: ignore[attr-defined]
            return value.text  # type: ignore[attr-defined, no-any-return]
        inside = ", ".join(f"{_word(key)}: {_flow(part, floats)}" for key, part in value.items())
        tag = getattr(value, "tag", None)
        text = f"{tag} {{{inside}}}" if tag else f"{{{inside}}}"
        if fixed:
            value.text = text  # type: ignore[attr-defined]
        return text
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(part, floats) for part in value) + "]"
    return _scalar(value, floats)


# --- the Puzzlebox format


def _puzzlebox(data: Data) -> Iterator[str]:
    for key, value in data.items():
        if key != "arenas" or not isinstance(value, list):
            yield f"{_word(key)}: {_flow(value)}"
            continue
        yield "arenas:"
        for arena in value:
            yield from _arena(arena)


def _arena(arena: Any) -> Iterator[str]:
    if not isinstance(arena, Mapping) or not arena:
        yield f"  - {_flow(arena)}"
        return
    start = "  - "
    for key, value in arena.items():
        if isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
            yield f"{start}{_word(key)}:"
            for entry in value:
                yield from _entry(entry)
        else:
            yield f"{start}{_word(key)}: {_flow(value)}"
        start = "    "


def _entry(entry: Any) -> Iterator[str]:
    line = f"      - {_flow(entry)}"
    if len(line) <= _WIDTH:
        yield line
        return
    start = "      - "
    for key, value in entry.items():
        yield f"{start}{_word(key)}: {_flow(value)}"
        start = "        "


# --- Animal-AI's format


def _animalai(data: Data) -> Iterator[str]:
    yield data.tag or "!ArenaConfig"
    for key, value in data.items():
        yield from _pair(key, value, "")


def _pair(key: str, value: Any, indent: str) -> Iterator[str]:
    """Yield the lines of a key with its value, laid out as in procgen-companion."""
    if isinstance(value, Mapping):
        tag = getattr(value, "tag", None)
        if tag in ("!Vector3", "!RGB") or not value:
            yield f"{indent}{_key(key)}: {_flow(value, True)}"
            return
        yield f"{indent}{_key(key)}:{' ' + tag if tag else ''}"
        for inner, part in value.items():
            yield from _pair(inner, part, indent + "  ")
    elif isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
        yield f"{indent}{_key(key)}:"
        for entry in value:
            yield from _list_entry(entry, indent)
    else:
        yield f"{indent}{_key(key)}: {_flow(value, True)}"


def _list_entry(entry: Any, indent: str) -> Iterator[str]:
    tag = getattr(entry, "tag", None)
    if not isinstance(entry, Mapping) or tag != "!Item":
        yield f"{indent}- {_flow(entry, True)}"
        return
    yield f"{indent}- {tag}"
    for key, value in entry.items():
        yield from _pair(key, value, indent + "  ")
