"""`puzzlebox doctor`: what is installed, and what works."""

import typer

from puzzlebox.cli.words import note, show, table

# Name, state, remark, and whether something the core needs is broken.
Row = tuple[str, str, str, bool]


def doctor() -> None:
    """Say what is installed, what works, and what to do about what does not.

    The exit code is 0 when everything the core needs is there; missing extras are no mistake.
    """
    import platform
    import sys

    from puzzlebox import __version__

    report = table("part", "state", "note")
    report.add_row("puzzlebox", __version__, f"Python {platform.python_version()}, {sys.platform} {platform.machine()}")
    rows = [_kernel(), _catalogue(), *_packages()]
    for name, state, remark, _ in rows:
        report.add_row(name, state, remark)
    show(report)
    wrong = [name for name, _, _, broken in rows if broken]
    if wrong:
        note(f"{len(wrong)} of the core parts do not work: {', '.join(wrong)}")
        raise typer.Exit(1)
    note("everything the core needs is there")


def _kernel() -> Row:
    try:
        from puzzlebox import _native
    except ImportError as problem:
        return "native kernel", "missing", f"{problem}; build it with `pip install .` or `make test`", True
    return "native kernel", "works", f"vector instructions: {_native.instruction_set()}", False


def _catalogue() -> Row:
    from puzzlebox.arena.schema import load_task
    from puzzlebox.arena.things import CATALOGUE
    from puzzlebox.batteries import bundled_names

    broken = []
    for name in bundled_names():
        try:
            load_task(name, strict=True)
        except ValueError:
            broken.append(name)
    if broken:
        return "catalogue", "broken", f"bundled tasks with mistakes: {', '.join(broken)}", True
    return "catalogue", "works", f"{len(CATALOGUE)} things, {len(bundled_names())} bundled tasks", False


def _packages() -> list[Row]:
    """The packages the installed distribution asks for: the core's, then each extra's."""
    import re
    from importlib.metadata import PackageNotFoundError, requires, version

    rows: list[Row] = []
    extras: dict[str, list[str]] = {}
    for requirement in requires("puzzlebox") or []:
        name = re.split(r"[^A-Za-z0-9_.-]", requirement, maxsplit=1)[0]
        extra = re.search(r"extra == ['\"](\w+)['\"]", requirement)
        if extra:
            extras.setdefault(extra[1], []).append(name)
            continue
        try:
            rows.append((name, version(name), "", False))
        except PackageNotFoundError:
            rows.append((name, "missing", f"pip install {name}", True))
    for extra_name, needed in extras.items():
        if extra_name in ("all", "dev"):
            continue
        missing = []
        for name in needed:
            try:
                version(name)
            except PackageNotFoundError:
                missing.append(name)
        state, remark = ("missing", f"pip install 'puzzlebox[{extra_name}]'") if missing else ("installed", "")
        rows.append((f"extra {extra_name}", state, remark or ", ".join(needed), False))
    return rows
