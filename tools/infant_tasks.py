"""The page docs/reference/infant-tasks.md, written from the classes of the tasks by `tools/reference.py`."""

import inspect
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any


def page(note: str) -> str:
    """Return the page: a table of all tasks, the settings they share, and those of each."""
    from puzzlebox.infant.catalogue import CATALOGUE
    from puzzlebox.infant.envs.core import task_class
    from puzzlebox.infant.tasks.settings import Settings

    lines = [
        "# Infant tasks",
        "",
        f"The tasks of [the infant](../guides/infant.md#tasks) with their defaults. {note}",
        "",
        "| task | id | senses | control | steps | from |",
        "|---|---|---|---|---|---|",
    ]
    classes = {entry.name: task_class(entry) for entry in CATALOGUE.values()}
    for entry in CATALOGUE.values():
        kind = classes[entry.name]
        settings = kind.settings_class
        senses, control = ", ".join(settings.default_senses), _control(kind)
        steps = f"{settings.default_max_steps:,}"
        row = f"| [`{entry.name}`](#{entry.name}) | `{entry.id}` | {senses} | {control} | {steps} |"
        lines.append(f"{row} {kind.youngest:g} months |")
    lines += [
        "",
        "`steps` are control steps of 1/15 s after which an episode is truncated; `from` is the youngest age.",
        "",
    ]
    lines += ["## Settings of every task", "", "A task with another default lists the setting once more.", ""]
    lines += _settings(Settings, {})
    for entry in CATALOGUE.values():
        kind = classes[entry.name]
        lines += ["", f"## `{entry.name}`", "", inspect.getdoc(kind) or "", ""]
        lines += [f"- **Reward:** {kind.reward}.", f"- **End:** {kind.end}.", f"- **Group:** {entry.group}."]
        lines.append(f"- **Youngest age:** {kind.youngest:g} months: {kind.why_youngest}.")
        if kind.targets:
            lines.append(f"- **`target`:** {', '.join(kind.targets)}.")
        if kind.colours:
            lines.append(f"- **`colour`:** {', '.join(kind.colours)}.")
        own = _settings(kind.settings_class, {each.name: each.default for each in fields(Settings)})
        lines += ["", *(own or ["It has no settings of its own."])]
    return "\n".join(lines) + "\n"


def _control(kind: Any) -> str:
    if kind.control == "primitives":
        return f"primitives: {', '.join(kind.primitives)}"
    return f"joints: {kind.joints if isinstance(kind.joints, str) else ', '.join(kind.joints)}"


def _settings(kind: Any, known: Mapping[str, Any]) -> list[str]:
    """Return a table of settings, those of base classes included, without those whose default is known."""
    meanings: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        meanings |= _attributes(each.__dict__.get("__doc__") or "")
    rows = [
        f"| `{each.name}` | {meanings.get(each.name, '')} | {_plain(each.default)} |"
        for each in fields(kind)
        if each.name not in known or each.default != known[each.name]
    ]
    return ["| setting | meaning | default |", "|---|---|---|", *rows] if rows else []


def _attributes(text: str) -> dict[str, str]:
    """Return the descriptions of attributes in a docstring."""
    _, _, block = inspect.cleandoc(text).partition("Attributes:\n")
    out: dict[str, str] = {}
    name = ""
    for line in block.splitlines():
        found = re.fullmatch(r"    (\w+): (.*)", line)
        if found:
            name = found[1]
            out[name] = found[2]
        elif name and line.startswith("        "):
            out[name] += " " + line.strip()
    return out


def _plain(value: Any) -> str:
    return "" if value is None else f"`{value}`"
