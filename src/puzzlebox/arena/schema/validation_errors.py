"""Messages for values that the models refuse, with their places in the text."""

from collections.abc import Iterable
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from puzzlebox.arena.schema.animalai_keys import TAG_OF_OPERATION, Shape, animalai_names, expected
from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.schema.diagnostics import errors as error_findings
from puzzlebox.arena.schema.draft import ANIMALAI, MOST_FINDINGS, PUZZLEBOX, Draft, Path, owner_of
from puzzlebox.arena.schema.messages import MESSAGES
from puzzlebox.arena.schema.models import OPERATIONS, Arena, Item, Theme
from puzzlebox.arena.schema.scalars import meaning
from puzzlebox.arena.schema.tree import SCALAR, Node
from puzzlebox.arena.schema.values import MOST, RANDOM
from puzzlebox.arena.things import CATALOGUE, CHOICES, NOTHING, PARAMETERS, Kind
from puzzlebox.scene.themes import THEMES
from puzzlebox.text import closest, nearest, number, with_allowed

_VECTOR_KINDS = (Kind.POSITION, Kind.POSITIONS, Kind.SIZE, Kind.COLOUR)
# A code, a place, and the details of the message.
Finding = tuple[str, Place, dict[str, Any]]


def report_validation_errors(problem: ValidationError, draft: Draft) -> None:
    """Add the errors of the models to the findings, one message for each mistake."""
    errors = problem.errors(include_url=False, include_context=True, include_input=False)
    # A list with bad entries is also called too short, counting only the good ones.
    containers = {error["loc"][:length] for error in errors for length in range(len(error["loc"]))}
    # Places where the reader of the format has already reported an error.
    refused = {(finding.place.line, finding.place.column) for finding in error_findings(draft.findings)}
    # A key that is missing because it is misspelt gets one message, not two.
    intended_keys = {
        (error["loc"][:-1], _nearest_key(error["loc"], draft)[1])
        for error in errors[:MOST_FINDINGS]
        if error["type"] == "extra_forbidden"
    }
    is_dash_misused = any(
        error["type"] == "extra_forbidden" and str(error["loc"][-1]).startswith("-") for error in errors
    )
    reported = set()
    for error in errors[: MOST_FINDINGS + 1]:
        path = error["loc"]
        if error["type"] == "too_short" and path in containers:
            continue
        if error["type"] == "missing" and (path[:-1], path[-1]) in intended_keys:
            continue
        if is_dash_misused and error["type"] != "extra_forbidden" and draft.locate(path).describe() == "nothing":
            continue  # its content follows it directly, because a space is missing
        code, place, details = _translate(error, draft)
        # A bad vector has up to three bad components.
        vector = next((index for index, part in enumerate(path) if _is_vector(part)), len(path))
        finding_key = (code, path[: vector + 1])
        if finding_key not in reported and (place.line, place.column) not in refused:
            reported.add(finding_key)
            draft.report(code, place, **details)


def _is_vector(part: str | int) -> bool:
    """Return whether a part of a path is a parameter whose value has components."""
    return part in PARAMETERS and PARAMETERS[str(part)].kind in _VECTOR_KINDS


def _translate(error: Any, draft: Draft) -> Finding:
    """Return an error of the models as a finding with its place in the text."""
    path: Path = error["loc"]
    code: str = error["type"]
    details: dict[str, Any] = dict(error.get("ctx") or {})
    owner, key = owner_of(path)
    node = draft.locate(path)
    if code == "extra_forbidden":
        return _unknown_key(path, owner, str(key), draft)
    if code == "missing" and isinstance(path[-1], str):
        return "missing-key", draft.locate(path[:-1]).place, {"where": _where(owner, draft.form), "key": path[-1]}
    if code == "union_tag_not_found":
        return "missing-key", node.place, {"where": "an operation", "key": "do"}
    if code == "union_tag_invalid":
        name = str(details["tag"])
        return "unknown-operation", (node.get("do") or node).place, {"name": name, "nearest": nearest(name, OPERATIONS)}
    if code == "unknown-thing":
        return code, node.place, details
    if code == "finite_number":
        return "not-finite", node.place, {"text": node.short()}
    if code == "misplaced-key":
        details["allowed"] = ", ".join(CATALOGUE[details["thing"]].takes())
        return code, draft.locate_key(path, details["key"]).place, details
    if "index" in details:  # about several arenas; reported at the one that causes it
        if "first" in details:
            details["first"] = draft.locate(("arenas", details["first"], "id")).place.line
        return code, draft.locate(("arenas", details.pop("index"), "id")).place, details
    if code in MESSAGES:
        value = draft.locate((*path, details["key"], *details.pop("entry", ()))) if "key" in details else node
        for name in ("key", "other"):
            if name in details:
                details[name] = _word(owner_of((*path, details[name]))[0], details[name], draft.form)
        return code, value.place, details
    if owner is Theme and key == "base" and draft.locate(path[:-1]) is node:
        key, owner = "theme", Arena  # a theme by its name alone
    word = draft.word(path) or _word(owner, key, draft.form)
    details = {"key": word, "expects": _expects(owner, key, draft.form), "value": node.describe()}
    if error.get("ctx", {}).get("le") == MOST:
        details["nearest"] = f"; at most {MOST}"
    elif node.kind == SCALAR:
        details["nearest"] = _repair(node, owner, key, draft.form) or closest(node.value, _choices(owner, key))
    return "wrong-value", node.place, details


def _repair(node: Node, owner: type[BaseModel], key: str | None, form: str) -> str:
    """Return the end of a message that says what to write instead, for common mistakes; "" for others."""
    text: str = node.value
    value = _finite(text)
    kind = PARAMETERS[key].kind if owner is Item and key in PARAMETERS else None
    if key == "items" and text in CATALOGUE:
        return f"; write {{name: {text}}}"
    if value is not None and not node.plain:
        return "; take it out of the quotes"
    if form == PUZZLEBOX and value is not None and value < 0:
        if kind is Kind.ANGLE:
            return f"; write {number(value % 360)}"
        if kind in (Kind.POSITION, Kind.SIZE) and value == -1:
            return "; for a random one write random"
    percent = _finite(text[:-1]) if text.endswith("%") else None
    if percent is not None:
        return f"; write {number(percent / 100)}"
    if text != text.lower() and text.lower() in (RANDOM, NOTHING):
        return f"; write {text.lower()}"
    return ""


def _finite(text: str) -> float | None:
    """Return the number that a word means, or None if it is not a number or too large."""
    value = meaning(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e15 < value < 1e15:
        return None
    return float(value)


def _choices(owner: type[BaseModel], key: str | None) -> Iterable[str]:
    """Return the words that a key allows; none if it allows any."""
    if owner is Arena and key == "theme":
        return list(THEMES)
    if owner is Item and key in PARAMETERS:
        return CHOICES.get(PARAMETERS[key].kind, ())
    annotation = owner.model_fields[key].annotation if key in owner.model_fields else None
    return [word for part in (annotation, *get_args(annotation)) for word in get_args(part) if isinstance(word, str)]


def _unknown_key(path: Path, owner: type[BaseModel], key: str, draft: Draft) -> Finding:
    if key.startswith("-"):
        return "no-space", draft.locate_key(path[:-1], key).place, {}
    where, _, hint = _nearest_key(path, draft)
    return "unknown-key", draft.locate_key(path[:-1], key).place, {"key": key, "where": where, "nearest": hint}


def _nearest_key(path: Path, draft: Draft) -> tuple[str, str | None, str]:
    """Return what holds an unknown key, the key probably meant (or None), and the end of the message."""
    owner, _ = owner_of(path)
    key = str(path[-1])
    name = draft.locate(path[:-1]).get("name")
    words = {each: each for each in owner.model_fields}
    where = _where(owner, draft.form)
    if owner is Item:
        words["count"] = "count"
        if name is not None and name.kind == SCALAR and name.value in CATALOGUE:
            where = name.value
            words = {each: each for each in ("name", *CATALOGUE[where].takes(), "count")}
        # For a key of Animal-AI's format, suggest that of the Puzzlebox format.
        hints = {PARAMETERS[each].animalai: each for each in words if each in PARAMETERS} | words
    else:
        hints = words
    hint = closest(key, hints)
    suggestion = hint.split("`")[1] if hint else None
    return where, suggestion, with_allowed(hint, words, "puzzlebox things NAME" if owner is Item else "")


def _where(owner: type[BaseModel], form: str) -> str:
    for name, operation in OPERATIONS.items():
        if owner is operation:
            return TAG_OF_OPERATION[name] if form == ANIMALAI else f"the operation `{name}`"
    return {"Task": "a task", "Arena": "an arena", "Item": "an item"}.get(owner.__name__, f"`{owner.__name__.lower()}`")


def _word(owner: type[BaseModel], key: str | None, form: str) -> str:
    """Return a key as the format of the file writes it."""
    if key is None:
        return _where(owner, form)
    if form != ANIMALAI:
        return key
    if owner is Item:
        return PARAMETERS[key].animalai if key in PARAMETERS else key
    return animalai_names().get((owner, key), key)


def _expects(owner: type[BaseModel], key: str | None, form: str) -> str:
    """Return what a key expects, in the words of the format of the file."""
    field = owner.model_fields.get(key or "")
    if field is None:
        return "a mapping of keys"
    extra = field.json_schema_extra
    expects = str(extra["expects"]) if isinstance(extra, dict) else "another value"
    if form == ANIMALAI and owner is Item and key in PARAMETERS:
        return expected(PARAMETERS[key])
    return Shape.ARENAS.value if form == ANIMALAI and key == "arenas" else expects
