"""Write a task in the Puzzlebox format or in Animal-AI's. The text depends on the task alone."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import yaml
from pydantic import BaseModel

from puzzlebox.arena.schema.animalai_keys import ARENA_KEYS, OPERATION_TAGS, ROOT_KEYS, TAG_OF_OPERATION, Key, Shape
from puzzlebox.arena.schema.draft import ANIMALAI, PUZZLEBOX
from puzzlebox.arena.schema.grouping import groups
from puzzlebox.arena.schema.models import Item, Metadata, Model, Task, Theme
from puzzlebox.arena.schema.scalars import meaning
from puzzlebox.arena.schema.tree import Refused, compose
from puzzlebox.arena.schema.values import RANDOM
from puzzlebox.arena.things import PARAMETERS, Kind
from puzzlebox.text import number

_WIDTH = 100
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./*+-]*( [A-Za-z0-9_./*+-]+)*", re.ASCII)
_YAML_1_1 = yaml.resolver.Resolver()
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write(task: Task, form: str = PUZZLEBOX) -> str:
    """Return the text of a task.

    Args:
        task: the task.
        form: the format, "puzzlebox" or "animalai".

    Raises:
        ValueError: there is no such format, or the text would break the limits of reading it.
    """
    writers: dict[str, Callable[[Task], Iterator[str]]] = {PUZZLEBOX: _puzzlebox_lines, ANIMALAI: _animalai_lines}
    if form not in writers:
        raise ValueError(f"a task can be written as {' or '.join(writers)}, not {form!r}")
    text = "\n".join(writers[form](task)) + "\n"
    try:
        compose(text)
    except Refused as refusal:
        raise ValueError(f"the task is too large for the {form} format: {refusal.finding.message}") from None
    return text


def keys_unknown_to_animalai(task: Task) -> list[str]:
    """Return the keys of a task that Animal-AI does not know; its builds refuse a file that has them."""
    ours = [word for word, key in ROOT_KEYS.items() if key.shape is Shape.OURS and key.name in task.explicit_values()]
    if "default_perspective" in task.explicit_values():
        ours.append("defaultPerspective")
    explicit = {name for arena in task.arenas for name in arena.explicit_values()}
    ours += [word for word, key in ARENA_KEYS.items() if key.shape is Shape.OURS and key.name in explicit]
    return list(dict.fromkeys(ours))


# --- the Puzzlebox format ---------------------------------------------------------------------------------------


def _puzzlebox_lines(task: Task) -> Iterator[str]:
    for key, value in task.explicit_values().items():
        if key != "arenas":
            yield from _block(key, value, "")
    yield "arenas:"
    for index, arena in enumerate(task.arenas):
        explicit = arena.explicit_values()
        explicit.pop("id", None)
        if arena.id != index:
            explicit = {"id": arena.id, **explicit}
        items = explicit.pop("items", ())
        lines = [line for key, value in explicit.items() for line in _block(key, value, "    ")]
        lines += ["    items:" if items else "    items: []"]
        lines += [line for item in items for line in _entry(item, "      ")]
        yield "  - " + lines[0].lstrip()
        yield from lines[1:]


def _block(key: str, value: Any, indent: str) -> Iterator[str]:
    """Yield the lines of a key with its value: one if it fits, otherwise one for each part."""
    line = f"{indent}{key}: {flow(value)}"
    if len(line) <= _WIDTH or not isinstance(value, Model | Metadata) or _is_named_theme(value):
        yield line
        return
    inner = plain_flow if isinstance(value, Metadata) else flow
    yield f"{indent}{key}:"
    for name, part in value.explicit_values().items():
        yield f"{indent}  {_text(name)}: {inner(part)}"


def _entry(model: Model, indent: str) -> Iterator[str]:
    """Yield the lines of a model in a list: one if it fits, otherwise one a key; operations below each other."""
    line = f"{indent}- {flow(model)}"
    if len(line) <= _WIDTH:
        yield line
        return
    start = f"{indent}- "
    for key, value in model.explicit_values().items():
        if isinstance(value, tuple) and value and isinstance(value[0], Model):
            yield f"{start}{key}:"
            for part in value:
                yield from _entry(part, indent + "    ")
        else:
            yield f"{start}{key}: {flow(value)}"
        start = f"{indent}  "


def flow(value: Any) -> str:
    """Return a value in one line."""
    if value is None:
        return RANDOM  # in a task, None is only ever a random component of a vector
    if isinstance(value, Theme) and _is_named_theme(value):
        return str(value.base)
    if isinstance(value, Metadata):
        return _mapping(value.explicit_values(), plain_flow)
    if isinstance(value, Model):
        return _mapping(value.explicit_values(), flow)
    return _data(value, flow)


def _is_named_theme(value: Any) -> bool:
    return isinstance(value, Theme) and set(value.explicit_values()) <= {"base"}


def _data(value: Any, inner: Callable[[Any], str]) -> str:
    """Return plain data in one line, its parts written by `inner`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bytes):
        raise TypeError("bytes are not text")
    if isinstance(value, Mapping):
        # Equal mappings have equal texts, whatever the order of their keys.
        return _mapping(dict(sorted(value.items())), inner)
    return "[" + ", ".join(inner(part) for part in value) + "]"


def _mapping(mapping: Mapping[Any, Any], inner: Callable[[Any], str]) -> str:
    return "{" + ", ".join(f"{_text(key)}: {inner(value)}" for key, value in mapping.items()) + "}"


def _text(text: str) -> str:
    """Return a text without quotes if no reader can misread it, otherwise in double quotes."""
    if _PLAIN.fullmatch(text) and meaning(text) == text and _is_text_to_others(text):
        return text
    return '"' + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _escape(ord(c))) for c in text) + '"'


def _is_text_to_others(text: str) -> bool:
    """Return whether YAML 1.1 readers take an unquoted word for a text; 2020-01-01 is a date to them."""
    tag = _YAML_1_1.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return bool(tag == "tag:yaml.org,2002:str")


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# --- Animal-AI's format -----------------------------------------------------------------------------------------


def _animalai_lines(task: Task) -> Iterator[str]:
    yield "!ArenaConfig"
    for word, key, value in _explicit_keys(task, ROOT_KEYS):
        if key.shape is not Shape.ARENAS:
            yield from _block(word, value, "")
    yield "arenas:"
    for arena in task.arenas:
        yield f"  {arena.id}: !Arena"
        for word, key, value in _explicit_keys(arena, ARENA_KEYS):
            if key.shape is not Shape.ITEMS:
                yield from _block(word, value, "    ")
        yield "    items:" if arena.items else "    items: []"
        for group in groups(arena.items):
            yield from _item(group, "    ")


def _explicit_keys(model: Model, keys: Mapping[str, Key]) -> Iterator[tuple[str, Key, Any]]:
    explicit = model.explicit_values()
    for word, key in keys.items():
        if key.name in explicit and key.replaced_by is None:
            yield word, key, explicit[key.name]


def plain_flow(value: Any) -> str:
    """Return plain data in one line; None is `null`, not `random`."""
    if isinstance(value, BaseModel):
        return flow(value)
    return _data(value, plain_flow)


def animalai_flow(group: Sequence[Item]) -> str:
    """Return the instances of one item in Animal-AI's format, in one line."""
    parts = ((word, text if isinstance(text, str) else f"[{', '.join(text)}]") for word, text in _parts(group))
    return f"!Item {{{', '.join(f'{word}: {text}' for word, text in parts)}}}"


def _item(group: Sequence[Item], indent: str) -> Iterator[str]:
    """Yield the lines of an item in Animal-AI's format; a value with a tag of its own has its own line."""
    yield f"{indent}- !Item"
    for word, text in _parts(group):
        if isinstance(text, str):
            yield f"{indent}  {word}: {text}"
        elif text[0].startswith("!"):
            yield f"{indent}  {word}:"
            yield from (f"{indent}  - {entry}" for entry in text)
        else:
            yield f"{indent}  {word}: [{', '.join(text)}]"


def _parts(group: Sequence[Item]) -> Iterator[tuple[str, str | list[str]]]:
    """Yield the keys of an item, each with one text or a list of them."""
    first = group[0]
    yield "name", first.name
    for name, parameter in PARAMETERS.items():
        kind = Kind.POSITION if parameter.kind is Kind.POSITIONS else parameter.kind
        value = getattr(first, name)
        if parameter.counts:
            values = [getattr(item, name) for item in group]
            # Positions are always written out for several instances: their number is that of the instances.
            while values and values[-1] is None and not (name == "at" and len(group) > 1):
                values.pop()
            if values:
                yield parameter.animalai, [_tagged(kind, each) for each in values]
        elif value is not None:
            if parameter.kind is Kind.OPERATIONS:
                yield parameter.animalai, [_operation(each) for each in value]
            elif parameter.kind is Kind.POSITIONS:
                yield parameter.animalai, [_tagged(kind, each) for each in value]
            else:
                yield parameter.animalai, [_tagged(kind, value)] if parameter.per_instance else _tagged(kind, value)


def _tagged(kind: Kind, value: Any) -> str:
    """Return a value of a parameter; -1 if it is random."""
    if kind in (Kind.POSITION, Kind.SIZE, Kind.COLOUR):
        tag, keys = ("!RGB", "rgb") if kind is Kind.COLOUR else ("!Vector3", "xyz")
        vector = value if value is not None else (None, 0 if kind is Kind.POSITION else None, None)
        parts = (f"{key}: {'-1' if part is None else number(part)}" for key, part in zip(keys, vector, strict=True))
        return f"{tag} {{{', '.join(parts)}}}"
    return "-1" if value is None else plain_flow(value)


def _operation(operation: Any) -> str:
    """Return an operation in one line."""
    tag = TAG_OF_OPERATION[operation.do]
    explicit = operation.explicit_values()
    parts = []
    for word, key in OPERATION_TAGS[tag][1].items():
        if key.name not in explicit:
            continue
        value = explicit[key.name]
        if key.shape is Shape.ITEM:
            text = animalai_flow(value)
        elif key.shape is Shape.OPERATION:
            text = _operation(value)
        elif key.shape is Kind.OPERATIONS:
            text = f"[{', '.join(map(_operation, value))}]"
        else:
            text = plain_flow(value)
        parts.append(f"{word}: {text}")
    return f"{tag} {{{', '.join(parts)}}}"
