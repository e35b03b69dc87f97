"""Write the pages of docs/ that come from the source: `make generated`.

They are the command line, the Python names, the columns of the tables, the examples, and the tables of the testbed's
levels. A test compares each with its file. `tools/docstrings.py` turns docstrings and signatures into Markdown.
"""

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import typer

sys.path.insert(0, str(Path(__file__).parent))
import level_pages
from docstrings import describe, first_line, signature, syntax

import infant_tasks

ROOT = Path(__file__).parent.parent
NOTE = "Written from the source by `make generated`."

# The public names, in the order of the page: a module, its purpose, and its names (None: all that it exports).
MODULES: list[tuple[str, str, tuple[str, ...] | None]] = [
    (
        "puzzlebox",
        "The names that most programs need.",
        (
            *("make", "make_vec", "make_sb3", "make_parallel", "load_task", "Task", "TaskError", "TaskWarning"),
            *("World", "Rules", "Fork"),
        ),
    ),
    ("puzzlebox.arena.schema", "Tasks as data: models, reading, writing, editing.", None),
    ("puzzlebox.arena.variations", "Templates: one file, many tasks.", None),
    ("puzzlebox.arena.world", "One episode: events, records, the schedule of arenas.", None),
    ("puzzlebox.agents", "Agents: programs that play.", None),
    ("puzzlebox.run.tasks", "Finding tasks of any wing by their names.", ("find_tasks", "RunTask")),
    ("puzzlebox.run.play", "Playing and recording single episodes.", ("play", "play_episode")),
    ("puzzlebox.wings", "Wings: kinds of laboratory, and what one must implement.", None),
    (
        "puzzlebox.wings.gymnasium_wing",
        "A wing of any Gymnasium environment.",
        ("GymnasiumWing", "GymnasiumTask", "TaskEntry"),
    ),
    ("puzzlebox.columns", "Columns of tables, as wings declare them.", ("Column",)),
    ("puzzlebox.record", "The file of recordings.", ("Store", "Episode", "StoreError", "default_store_path")),
    ("puzzlebox.report", "Comparing agents and participants.", None),
    ("puzzlebox.stats", "Plain arrays in, numbers out.", None),
    ("puzzlebox.render", "Pictures of a Scene.", ("Painter", "View")),
    ("puzzlebox.batteries", "The tasks that come with Puzzlebox.", None),
    ("puzzlebox.infant", "Tasks of the infant as environments.", ("make", "make_vec", "make_parallel")),
    ("puzzlebox.intuitions.episodes", "Stimuli of the intuitions wing, generated or read.", None),
    ("puzzlebox.intuitions.episodes.compact", "Many stimuli in little memory.", ("CompactSet",)),
    ("puzzlebox.intuitions.files.folder", "Folders of stimuli.", ("read_pairs", "list_folder", "read_entry")),
    ("puzzlebox.intuitions.pictures.painters", "Pictures of stimuli.", ("painter_named",)),
]
_PYTHON = """\
[Environments](../guides/environments.md), [The world](../concepts/world.md) and [Tasks and worlds in
Python](../guides/python.md) show how these are used; `puzzlebox.animalai` has
[a part of its own](../guides/environments.md#scripts-written-for-animal-ai)."""
# Members shown, where a class has more of them than its users need.
MEMBERS = {
    "World": "step passed clock things snapshot restore replay branch describe position_of scene state feel",
    "GymnasiumWing": "tasks make camera",
    "Store": "episodes episode find record steps events task_text episodes_of survey check count flush close",
}


# --- the command line


def command_line() -> str:
    """Return the page of the command line: every verb with its arguments and options."""
    from puzzlebox.cli.app import app

    group: Any = typer.main.get_command(app)
    lines = ["# Command line", "", f"{NOTE} `puzzlebox VERB --help` shows the same in a terminal.", ""]
    lines += ["Data goes to standard output, words to standard error; the exit code is 0 only on success.", ""]
    headings: dict[str, list[str]] = {}
    verbs = list(_verbs(app, group))
    for name, heading, _, verb in verbs:
        row = f"| [`puzzlebox {name}`](#puzzlebox-{name.replace(' ', '-')}) | {first_line(verb.help)} |"
        headings.setdefault(heading, []).append(row)
    for heading, rows in headings.items():
        lines += [f"**{heading}**", "", "| verb | what it does |", "|---|---|", *rows, ""]
    lines += ["## `puzzlebox`", "", group.help, "", group.epilog, "", *_parameters(app.registered_callback, group)]
    for name, _, registered, verb in verbs:
        text = re.sub(r"^Try:\n", "For example:\n", inspect.cleandoc(verb.help), flags=re.M)
        lines += ["", f"## `puzzlebox {name}`", "", f"```text\n{_usage(name, verb)}\n```", "", text, ""]
        lines += _parameters(registered, verb)
    return "\n".join(lines).rstrip() + "\n"


def _verbs(app: typer.Typer, group: Any, before: str = "", heading: str = "") -> Iterator[tuple[str, str, Any, Any]]:
    """Yield each verb in the order of the help, those of wings included: name, heading, registration, command."""
    registered = {each.name or each.callback.__name__: each for each in app.registered_commands if each.callback}
    wings = {str(each.typer_instance.info.name): each.typer_instance for each in app.registered_groups}
    for name in group.list_commands(None):
        verb = group.commands[name]
        place = heading or verb.rich_help_panel
        if name in wings:
            yield from _verbs(wings[name], verb, f"{before}{name} ", place)
        else:
            yield f"{before}{name}", place, registered[name], verb


def _usage(name: str, verb: Any) -> str:
    words = [f"puzzlebox {name}"]
    for param in verb.params:
        if param.param_type_name == "argument":
            word = (param.metavar or param.name.upper()).strip("{}[].") + ("..." if param.nargs == -1 else "")
            words.append(word if param.required else f"[{word}]")
    return " ".join([*words, "[OPTIONS]"])


def _parameters(registered: Any, command: Any) -> list[str]:
    """Return a table of arguments, and one of options."""
    kinds = get_type_hints(registered.callback)
    rows: dict[str, list[str]] = {"argument": [], "option": []}
    for param in command.params:
        if getattr(param, "hidden", False):
            continue
        if param.param_type_name == "argument":
            words = f"`{(param.metavar or param.name.upper()).strip('{}[].')}`"
        else:
            value = "" if param.is_flag else f" {param.metavar or _word(kinds[param.name])}"
            words = ", ".join(f"`{each}{value}`" for each in (*sorted(param.opts, key=len, reverse=True),))
            words += "".join(f", `{each}`" for each in param.secondary_opts)
        words = words.replace("|", " or ")  # within a table
        rows[param.param_type_name].append(f"| {words} | {_cell(param.help)} | {_default(param)} |")
    lines = []
    for kind, table_rows in rows.items():
        if table_rows:
            lines += [f"| {kind} | meaning | default |", "|---|---|---|", *table_rows, ""]
    return lines


def _word(kind: Any) -> str:
    """Return the placeholder for the value of an option."""
    text = str(kind)
    for python, word in {"float": "NUMBER", "int": "N", "Path": "PATH"}.items():
        if re.search(rf"\b{python}\b", text):
            return word
    return "TEXT"


def _default(param: Any) -> str:
    if param.required:
        return "required"
    value = param.default() if callable(param.default) else param.default
    if value in (None, False, "", (), []):
        return ""
    return f"`{getattr(value, 'value', value)}`"


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


# --- Python


def python() -> str:
    """Return the page of public names."""
    lines = ["# Python", "", f"{NOTE} Names that are not on this page may change without notice.", ""]
    lines += [_PYTHON, ""]
    documented: set[int] = set()
    for name_of_module, about, names in MODULES:
        module = import_module(name_of_module)
        lines += [f"## `{name_of_module}`", "", about, ""]
        plain = []
        for name in names or sorted(module.__all__, key=str.lower):
            value = inspect.unwrap(getattr(module, name))
            if name.startswith("_") or id(value) in documented:
                continue
            if inspect.isclass(value) or inspect.isfunction(value):
                documented.add(id(value))
                lines += _class(name, value) if inspect.isclass(value) else _function(name, value)
            elif (text := _value(value)) is not None:
                plain.append(f"| `{name}` | {text} |")
        if plain:
            lines += ["| constant | value |", "|---|---|", *plain, ""]
    return "\n".join(lines).rstrip() + "\n"


def _function(name: str, function: Any) -> list[str]:
    node = syntax(function)
    # Settings that are generated from a description are in the signature and not in the source.
    source_names = {each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    parameters = inspect.signature(function).parameters.values()
    also = [each for each in parameters if each.kind is each.KEYWORD_ONLY and each.name not in source_names]
    return [f"### `{name}`", "", *signature(name, node, also=also), "", *describe(function), ""]


def _class(name: str, kind: type) -> list[str]:
    node = syntax(kind)
    assert isinstance(node, ast.ClassDef)
    lines = [f"### `{name}`", ""]
    if hasattr(kind, "model_fields"):
        lines += [f"```python\n{name}(**fields)\n```", "", *describe(kind), "", *_model_fields(kind)]
    else:
        lines += [*signature(name, node), "", *describe(kind), ""]
    own = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    inherited = {
        each: syntax(inspect.unwrap(_plain(value)))
        for parent in reversed(kind.__mro__[1:-1])
        if parent.__module__.startswith("puzzlebox")
        for each, value in tuple(vars(parent).items())
        if inspect.isfunction(_plain(value)) and not each.startswith("__")
    }
    # A member without a docstring is in the table of attributes.
    public = [each for each, node in own.items() if not each.startswith("_") and ast.get_docstring(node)]
    members = MEMBERS[name].split() if name in MEMBERS else public
    for member in members:
        value = _plain(inspect.getattr_static(kind, member))
        method = own.get(member) or inherited[member]
        lines += [f"#### `{name}.{member}`", ""]
        if not any("property" in ast.unparse(each) for each in method.decorator_list):
            lines += [*signature(f"{name}.{member}", method, skip_first=True), ""]
        lines += [*describe(value), ""]
    return lines


def _model_fields(kind: Any) -> list[str]:
    """Return a table of the fields of a model of the task language, from their descriptions."""
    rows = []
    for name, field in kind.model_fields.items():
        simple = isinstance(field.default, str | int | float | tuple) and field.default_factory is None
        default = f"`{field.default!r}`" if simple else "required" if field.is_required() else ""
        rows.append(f"| `{name}` | {_cell(field.description)} | {default} |")
    return ["| field | meaning | default |", "|---|---|---|", *rows, ""]


def _plain(value: Any) -> Any:
    """Return the function of a property, a class method or a cache."""
    for inner in ("fget", "__func__", "func"):
        value = getattr(value, inner, value)
    return value


def _value(value: Any) -> str | None:
    """Return a constant that fits into a cell (a text, a number, or the words of a table), or None."""
    if isinstance(value, str | int | float):
        return f"`{value!r}`"
    if isinstance(value, tuple | dict) and all(isinstance(each, str) for each in value):
        return ", ".join(f"`{each}`" for each in value)
    return None


# --- tables and examples


def codebook() -> str:
    """Return the page of the columns of all tables."""
    from puzzlebox.arena.wing import WING
    from puzzlebox.record import columns

    lines = ["# Codebook", "", f"The columns of every table that is written, with their values and units. {NOTE}", ""]
    about = (
        "`puzzlebox export` writes these three; `episode` joins them ([Recordings](../guides/recordings.md#tables))."
    )
    lines += [about, "`puzzlebox run` writes `episodes` ([Running agents](../guides/running.md#what-is-written)).", ""]
    lines += [
        "These are the columns of the arena. Another wing has its own measures in `steps`, and the last value of",
        "each in `episodes`, as `final_NAME` ([Wings](../guides/extending.md#a-wing)). If tasks have experimental",
        "factors, `episodes` also has the value of each, as `factor_NAME` ([Reports](../guides/reports.md#factors)).",
        "",
    ]
    return "\n".join([*lines, columns.page(WING)]).rstrip() + "\n"


def examples() -> str:
    """Return the page of examples: each program with what it shows."""
    lines = ["# Examples", "", "Each is one short program in the folder `examples/`, tested as it stands here:", ""]
    lines += ["    python examples/train.py", "", "| program | what it shows |", "|---|---|"]
    lines[-4] += "          # from the folder of the project"
    programs = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.py"))}
    about = {name: first_line(ast.get_docstring(ast.parse(text)) or "") for name, text in programs.items()}
    lines += [f"| [`{name}`](#{name.replace('.', '')}) | {about[name]} |" for name in programs]
    for name, text in programs.items():
        lines += ["", f"## `{name}`", "", f"```python\n{text}```"]
    return "\n".join([*lines, "", NOTE]) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "reference/command-line.md": command_line,
    "reference/python.md": python,
    "reference/codebook.md": codebook,
    "reference/infant-tasks.md": lambda: infant_tasks.page(NOTE),
    "guides/examples.md": examples,
    **{name: partial(level_pages.page, number) for number, name in level_pages.NAMES.items()},
}


def main() -> None:
    """Write all generated pages."""
    for name, page in PAGES.items():
        (ROOT / "docs" / name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/{name}")


if __name__ == "__main__":
    main()
