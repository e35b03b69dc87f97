"""Read `level.yml`: every mistake is a sentence with file, line and the nearest allowed word."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from puzzlebox.arena.schema.diagnostics import Diagnostic, Place, TaskError
from puzzlebox.arena.schema.tree import MAPPING, SCALAR, Node, Refused, compose, decode
from puzzlebox.arena.testbed.level import TASKS, Description, Level, Row, TemplateUse
from puzzlebox.arena.variations import Template, TemplateError
from puzzlebox.arena.variations.narrowing import Unmatched, fixed_options
from puzzlebox.arena.variations.parts import value_text
from puzzlebox.batteries.testbed import LEVEL_FILE as FILE
from puzzlebox.batteries.testbed import TESTBED
from puzzlebox.text import closest, nearest

_KEYS = {"tasks": Row, "templates": TemplateUse}
_START = Place(1, 1)


class LevelError(TaskError):
    """A level that cannot be used. Its text is one line per mistake, each with its place."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (LevelError, (self.source, self.findings))


def read_level(number: int | None = None, folder: Path | None = None, *, partial: bool = False) -> Level:
    """Read a level of the testbed.

    Args:
        number: its number, from 1 to 10; for None, `folder` says which.
        folder: the folder that holds `level.yml`. Default: that of the bundled level.
        partial: whether it may have fewer than thirty tasks.

    Raises:
        LevelError: it has mistakes; the message names each with its place.
        FileNotFoundError: there is no such level.
    """
    place = TESTBED / f"{number:02d}" if folder is None else folder
    path = place / FILE
    if not path.is_file():
        raise FileNotFoundError(f"there is no level {place.name} of the testbed: {path} is missing")
    try:
        text = decode(path.read_bytes())
        root = compose(text)
    except Refused as refusal:
        raise LevelError(str(path), [refusal.finding]) from None
    if root is None or root.kind != MAPPING:
        raise LevelError(str(path), [_finding("a level has level, title, summary, templates and tasks", _START)])
    findings = list(_repeated_keys(root))
    if not findings:
        try:
            about = Description.model_validate(yaml.safe_load(text))
        except ValidationError as problem:
            findings = [_refusal(error, root) for error in problem.errors(include_url=False)]
    if findings:
        raise LevelError(str(path), findings)
    level = Level(place, about)
    findings = list(_mistakes(level, root, partial))
    if findings:
        raise LevelError(str(path), findings)
    return level


def _finding(message: str, at: Node | Place) -> Diagnostic:
    return Diagnostic("level", "error", message, at.place if isinstance(at, Node) else at)


def _repeated_keys(node: Node, path: str = "") -> Iterator[Diagnostic]:
    if node.kind == MAPPING:
        first: dict[str, Node] = {}
        for key, value in node.value:
            if key.kind == SCALAR and key.value in first:
                line = first[key.value].place.line
                yield _finding(f"{path}`{key.short()}` is given twice, first in line {line}", key)
            first[str(key.value)] = key
            yield from _repeated_keys(value, f"{path}{key.short()}: ")


def _locate(root: Node, path: Sequence[Any]) -> Node:
    """Return the innermost node on a path."""
    node = root
    for step in path:
        if node.kind == MAPPING:
            inner = node.get(str(step))
        else:
            inner = node.value[step] if isinstance(step, int) and node.kind != SCALAR else None
        if inner is None:
            break
        node = inner
    return node


def _refusal(error: Any, root: Node) -> Diagnostic:
    """Return the sentence for a value that the model refuses."""
    path = [step for step in error["loc"] if step != "[key]"]
    node = _locate(root, path)
    where = _where(path)
    name = str(path[-1]) if path else ""
    model: Any = _KEYS.get(str(path[0]), Description) if len(path) > 1 else Description
    if "[key]" in error["loc"]:
        pair = _locate(root, path[:-1]).pair(name)
        return _finding(f"`{name}` is no number of a task; a level has tasks 1 to {TASKS}", pair[0] if pair else node)
    if error["type"] == "extra_forbidden":
        pair = _locate(root, path[:-1]).pair(name)
        return _finding(
            f"{where}`{name}` is not a key here{nearest(name, model.model_fields)}", pair[0] if pair else node
        )
    if error["type"] == "missing":
        return _finding(f"{where}`{name}` is missing", node)
    return _finding(f"{where}`{name}` is {node.describe()}: {error['msg'].lower()}", node)


def _where(path: Sequence[Any]) -> str:
    """Return the row or the template that a path leads into, as the beginning of a sentence."""
    if len(path) < 2:
        return ""
    return f"task {path[1]}: " if path[0] == "tasks" else f"template {path[1]}: "


# --- what the model alone does not see


def _mistakes(level: Level, root: Node, partial: bool) -> Iterator[Diagnostic]:
    about = level.about
    if level.folder.name.isdigit() and int(level.folder.name) != about.level:
        yield _finding(f"`level` is {about.level}, but the folder is {level.folder.name}", _locate(root, ["level"]))
    files = sorted(path.stem for path in level.folder.glob("*.yml") if path.name != FILE)
    templates: dict[str, Template] = {}
    for name, use in about.templates.items():
        at = _locate(root, ["templates", name])
        if name not in files:
            yield _finding(f"template {name}: there is no file {name}.yml beside level.yml{closest(name, files)}", at)
            continue
        try:
            templates[name] = Template(level.folder / f"{name}.yml")
        except TemplateError as problem:
            yield _finding(f"template {name}: {problem}", at)
            continue
        yield from _use_mistakes(name, templates[name], use, root)
    for number, row in level.rows.items():
        at = _locate(root, ["tasks", str(number)])
        if row.template not in about.templates:
            hint = nearest(row.template, about.templates)
            yield _finding(f"task {number}: there is no template `{row.template}` under `templates`{hint}", at)
        elif row.template in templates:
            yield from _row_mistakes(number, row, templates[row.template], about.templates[row.template], root)
        yield from _control_mistakes(number, row, about, at)
    unused = [name for name in files if name not in about.templates]
    if unused and not partial:
        yield _finding(f"{unused[0]}.yml is not listed under `templates`", _locate(root, ["templates"]))
    missing = [str(number) for number in range(1, TASKS + 1) if number not in about.tasks]
    if missing and not partial:
        numbers = ", ".join(missing)
        yield _finding(
            f"the level has {len(about.tasks)} of {TASKS} tasks; missing: {numbers}", _locate(root, ["tasks"])
        )


def _use_mistakes(name: str, template: Template, use: TemplateUse, root: Node) -> Iterator[Diagnostic]:
    at = _locate(root, ["templates", name])
    for variable in (*use.looks, *use.reserved, *use.balance):
        if variable not in template.columns:
            hint = nearest(variable, template.columns)
            yield _finding(f"template {name}: it has no variable `{variable}`{hint}", at)
    for variable in use.reserved:
        for value in use.reserved_values(variable) if variable in template.columns else ():
            try:
                fixed_options(template, {variable: value})
            except Unmatched as problem:
                yield _finding(f"template {name}: {problem}", at)


def _row_mistakes(number: int, row: Row, template: Template, use: TemplateUse, root: Node) -> Iterator[Diagnostic]:
    for variable, value in row.values.items():
        at = _locate(root, ["tasks", str(number), "values", variable])
        if variable not in template.columns:
            hint = nearest(variable, template.columns)
            yield _finding(f"task {number}: the template {row.template} has no variable `{variable}`{hint}", at)
            continue
        if value in use.reserved_values(variable):
            text = f"`{variable}: {value_text(value)}` is reserved for the held-out set"
            yield _finding(f"task {number}: {text}; take another value", at)
            continue
        try:
            fixed_options(template, {variable: value})
        except Unmatched as problem:
            yield _finding(f"task {number}: {problem} in the template {row.template}", at)


def _control_mistakes(number: int, row: Row, about: Description, at: Node) -> Iterator[Diagnostic]:
    if row.control is None:
        return
    if row.is_control:
        yield _finding(f"task {number} is a control, so that it has no `control` of its own", at)
    elif row.control not in about.tasks:
        yield _finding(f"task {number}: its control, task {row.control}, is missing", at)
    elif not about.tasks[row.control].is_control:
        yield _finding(f"task {number}: its control, task {row.control}, has not `condition: control`", at)
