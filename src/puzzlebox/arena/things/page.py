"""The pages of the catalogue: facts and parameters of each thing, for the command line and the documentation."""

from collections.abc import Iterator
from typing import Any

from puzzlebox.arena.things.kinds import Category, Stands
from puzzlebox.arena.things.parameters import PARAMETERS
from puzzlebox.arena.things.thing import CATALOGUE, Thing


def _vector(values: tuple[float, ...]) -> str:
    if len(set(values)) == 1:
        return f"{values[0]:g}"
    return " x ".join(f"{value:g}" for value in values)


def size(thing: type[Thing]) -> str:
    """Return the size of a thing, or the range of sizes it can have, in metres."""
    if thing.unit is not None and thing.size is not None:
        return f"{_vector(thing.unit)}, times {_vector(thing.size.smallest)} to {_vector(thing.size.largest)}"
    if thing.size is not None:
        return f"{_vector(thing.size.smallest)} to {_vector(thing.size.largest)}"
    if thing.fixed_size is not None:
        return f"{_vector(thing.fixed_size)} (fixed)"
    return "follows its value"


def facts(thing: type[Thing]) -> Iterator[tuple[str, str]]:
    """Yield the label and the text of each fact about a thing."""
    yield "kind", thing.category.value
    yield "size", f"{size(thing)} m"
    yield "color", thing.colour.value
    yield "default rotation", "random" if thing.turns else "0"
    yield from _physics(thing)
    if thing.reward:
        yield "when touched" if not thing.passable else "when inside", thing.reward
    if thing.passable:
        yield "placing", "other things may stand in it"
    if thing.aliases:
        yield "older names", ", ".join(thing.aliases)


def _physics(thing: type[Thing]) -> Iterator[tuple[str, str]]:
    """Yield how a thing stands, its mass and its friction."""
    if thing.passable:
        return
    yield "stands", thing.stands.value
    if thing.stands is not Stands.FIXED:
        yield "mass", f"{thing.mass:g} kg"
    if thing.friction != Thing.friction:
        yield "friction", f"{thing.friction:g} (most things {Thing.friction:g})"


def parameters(thing: type[Thing]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the key, meaning, default and Animal-AI key of each parameter a thing takes."""
    for name, spec in thing.takes().items():
        parameter = PARAMETERS[name]
        yield name, thing.meaning(parameter), default(spec.default), parameter.animalai


def default(value: Any) -> str:
    """Return a default the way a task file would write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(default(part) for part in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def documentation() -> dict[str, str]:
    """Return the pages of the catalogue in Markdown, by file name."""
    lines = [
        "# The things",
        "",
        "Written from the catalogue by `make generated`; `puzzlebox things NAME` shows the same page in a terminal.",
        "Sizes are in metres, x (width), y (height) and z (depth). The [gallery](../gallery.md) shows them all.",
        "",
        "| thing | what it is | size | color | older names |",
        "|---|---|---|---|---|",
    ]
    pages = {}
    for category in Category:
        for name, thing in CATALOGUE.items():
            if thing.category is category:
                row = f"[{name}]({name}.md) | {thing.description()} | {size(thing)} | {thing.colour.value}"
                lines.append(f"| {row} | {', '.join(thing.aliases)} |")
                pages[f"{name}.md"] = _page(name, thing)
    return {"README.md": "\n".join(lines) + "\n", **pages}


def _page(name: str, thing: type[Thing]) -> str:
    lines = [f"# {name}", "", thing.description(), "", f"![{name}](../../images/things/{name}.png)", ""]
    lines += [f"- {label}: {text}" for label, text in facts(thing)]
    lines += ["", "| key | meaning | default | in Animal-AI |", "|---|---|---|---|"]
    lines += [f"| `{key}` | {meaning} | {value} | `{word}` |" for key, meaning, value, word in parameters(thing)]
    return "\n".join([*lines, "", "[All things](README.md)"]) + "\n"
