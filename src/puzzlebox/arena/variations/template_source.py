"""Read a template from a path, a bundled name, or the text itself."""

import os
from collections.abc import Callable
from os import PathLike
from os.path import exists, isdir, isfile
from pathlib import Path

from puzzlebox.arena.schema.draft import ANIMALAI
from puzzlebox.arena.schema.loading import TEXT, find, is_text
from puzzlebox.arena.schema.reading import form_of
from puzzlebox.arena.schema.tree import MAPPING, MAX_BYTES, SCALAR, SEQUENCE, Node, Refused, compose, decode
from puzzlebox.arena.variations.budget import MOST_TEMPLATES, STEPS_TO_TIE, Budget
from puzzlebox.arena.variations.design import read_design
from puzzlebox.arena.variations.plan import FamilyPlan, Member, Plan, ProcgenPlan
from puzzlebox.arena.variations.problems import Mistake, TemplateError, refuse
from puzzlebox.arena.variations.procgen_form import ProcgenReader, refuse_too_many
from puzzlebox.arena.variations.space import Choice, Option
from puzzlebox.arena.variations.variables import number_of
from puzzlebox.arena.variations.vary_form import TEMPLATE_KEYS, VaryPlan, VaryReader
from puzzlebox.batteries import battery_text, template_names, template_path
from puzzlebox.text import closest

_DEEPEST = 8


def read_source(source: str | bytes | PathLike[str]) -> tuple[str, str, Path | None]:
    """Return the name, the text and the file of a template.

    Raises:
        FileNotFoundError: there is none.
        TemplateError: the file is not text.
    """
    if isinstance(source, str) and is_text(source, TEMPLATE_KEYS):
        return TEXT, source, None
    if isinstance(source, bytes):
        name, data, path = TEXT, source, None
    else:
        name, path = str(source), _file(source)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    try:
        return name, decode(data), path
    except Refused as refusal:
        raise TemplateError(name, [refusal.finding]) from None


def _file(source: str | PathLike[str]) -> Path:
    name = str(source)
    if exists(name) and not isdir(name):
        return Path(source)
    bundled = template_path(name)
    if bundled is not None:
        return bundled
    if battery_text(name) is not None:
        raise FileNotFoundError(f"{name} is one task, not a template; `puzzlebox vary` lists the templates")
    try:
        return find(source)
    except FileNotFoundError as problem:
        hint = closest(name, template_names()) if not name.endswith((".yml", ".yaml")) else ""
        message = str(problem)
        raise FileNotFoundError(message.split(";")[0] + hint if hint else message) from None


def is_template_tree(root: Node) -> bool:
    """Return whether a tree is a template.

    A template has a section only templates have, a `!Proc` tag, or a `vary` inside.
    """
    if root.kind != MAPPING:
        return False
    if any(root.get(key) is not None for key in (*TEMPLATE_KEYS, "proc_meta")):
        return True
    stack = [root]
    while stack:
        node = stack.pop()
        if (node.tag or "").startswith("!Proc"):
            return True
        if node.kind == SEQUENCE:
            stack += node.value
        elif node.kind == MAPPING:
            if [key.value for key, _ in node.value if key.kind == SCALAR] == ["vary"]:
                return True
            stack += [value for _, value in node.value]
    return False


def tree_of(text: str) -> Node:
    """Return the tree of a template."""
    try:
        root = compose(text)
    except Refused as refusal:
        mistake = Mistake(refusal.finding.message, refusal.finding.place, refusal.finding.code)
        raise mistake from None
    if root is None or root.kind != MAPPING:
        refuse(
            "a template is a task file with a `vary` section or with `!Proc` tags; this is neither", code="no-template"
        )
    return root


def plan_of(
    root: Node,
    folder: Path | None,
    seed: int,
    texts: list[str] | None = None,
    above: tuple[str, ...] = (),
    *,
    others: bool = True,
    budget: Budget | None = None,
) -> Plan:
    """Return the plan of a template; the texts of all others it names are added to `texts`.

    Where `others` is false, no other template may be named, and no file is searched for. The conditions of all of them
    are evaluated from one budget.
    """
    plan: Plan
    all_texts = [] if texts is None else texts
    steps = Budget(STEPS_TO_TIE) if budget is None else budget
    if form_of(root) == ANIMALAI and not any(root.get(key) is not None for key in TEMPLATE_KEYS):
        reader = ProcgenReader(seed)
        reader.read(root)
        plan = ProcgenPlan(reader, steps)
    else:

        def load(name: str, node: Node) -> Plan:
            if not others:
                refuse(
                    f"the template `{name}` is a file of its own, which the studio does not read; "
                    "write the tasks with `puzzlebox vary FILE -o FOLDER` and drop one of them",
                    node,
                    "no-file",
                )
            steps.shared = True
            return _load_other(name, node, folder, seed, all_texts, above, steps)

        if root.get("templates") is not None:
            plan = _family(root, load)
        else:
            ours = VaryReader(load)
            ours.read(root)
            plan = VaryPlan(ours, steps)
    refuse_too_many(plan.space.count, root.place)
    return plan


def _load_other(
    name: str,
    node: Node,
    folder: Path | None,
    seed: int,
    texts: list[str],
    above: tuple[str, ...],
    budget: Budget,
) -> Plan:
    """Return the plan of another template, named relative to this one."""
    if len(texts) > MOST_TEMPLATES:
        refuse(f"the template names more than {MOST_TEMPLATES} others", node, "too-many")
    beside = os.path.join(folder or "", name)
    try:
        path = Path(beside) if isfile(beside) else _file(name)
    except (OSError, ValueError) as problem:
        refuse(_shorten(str(problem)) if isinstance(problem, FileNotFoundError) else _no_file(name), node, "no-file")
    if not path.is_file():  # reading a pipe or a device may never end
        refuse(f"{_shorten(name)} is not a file", node, "no-file")
    key = str(path.resolve())
    if key in above:
        refuse(f"the template `{name}` contains itself", node, "cycle")
    if len(above) >= _DEEPEST:
        refuse(f"templates are nested more than {_DEEPEST} deep", node, "too-deep")
    try:
        try:
            _, text, _ = read_source(path)
        except OSError as problem:
            refuse(f"{_shorten(name)} cannot be read: {problem.strerror}", node, "no-file")
        texts.append(text)
        plan = plan_of(tree_of(text), path.parent, seed, texts, (*above, key), budget=budget)
        plan.source = str(path)
        return plan
    except TemplateError as error:
        mistake = Mistake(error.findings[0].message, error.findings[0].place)
        mistake.source = str(path)
        raise mistake from None
    except Mistake as mistake:
        mistake.source = mistake.source or str(path)
        raise


def _no_file(name: str) -> str:
    return f"there is no file {_shorten(name)}"


def _shorten(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."


def _family(root: Node, load: Callable[[str, Node], Plan]) -> FamilyPlan:
    """Return the plan of a template that names several others."""
    node = root.get("templates")
    assert node is not None
    for key, _ in root.value:
        if key.value not in ("templates", "metadata", "splits", "design"):
            refuse(f"`{key.short()}` does not go with `templates`; it takes metadata, splits and design", key)
    if node.kind != MAPPING or not node.value:
        refuse("`templates` expects paths by their names, as in cups: cups.yml", node)
    members = []
    for key, value in node.value:
        if key.kind != SCALAR:
            refuse(f"the name of a template is a text, not {key.describe()}", key)
        weight = 1.0
        path = value
        if value.kind == MAPPING:
            weight_node = value.get("weight")
            weight = 1.0 if weight_node is None else number_of(weight_node, "`weight`")
            path = value.get("template") or refuse("a template of a family needs its `template`, a path", value)
        if path.kind != SCALAR:
            refuse(f"`{key.short()}` expects the path of a template; got {path.describe()}", path)
        members.append(Member(key.value, load(str(path.value), path), weight, key.place))
    weights = [member.weight for member in members]
    if min(weights) < 0 or not any(weights):
        refuse("the weights must be 0 or more, and one of them above 0", node)
    options = [Option(member.name, member.name, member.plan.space) for member in members]
    choice = Choice("template", "template", node.place, options, weights if len(set(weights)) > 1 else None)
    return FamilyPlan(members, choice, read_design(root, ["template"]))
