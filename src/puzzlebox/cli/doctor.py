"""`puzzlebox doctor`: report what is installed and what works."""

import typer

from puzzlebox.cli.words import note, print_table, table

# A part: its name, state and remark, and whether Puzzlebox is broken without it.
Row = tuple[str, str, str, bool]


def doctor() -> None:
    """Report what is installed, what works, and how to mend what does not.

    The exit code is 0 when everything the core needs is there; missing extras are not an error.
    """
    import platform
    import sys

    from puzzlebox import __version__

    report = table("part", "state", "note")
    report.add_row("puzzlebox", __version__, f"Python {platform.python_version()}, {sys.platform} {platform.machine()}")
    rows = [_kernel(), *_wings(), *_packages()]
    for name, state, remark, _ in rows:
        report.add_row(name, state, remark)
    print_table(report)
    failures = [name for name, _, _, broken in rows if broken]
    if failures:
        note(f"error: {', '.join(failures)} {'does' if len(failures) == 1 else 'do'} not work")
        raise typer.Exit(1)
    note("everything the core needs is there")


def _kernel() -> Row:
    try:
        from puzzlebox import _native
    except ImportError as problem:
        return "native kernel", "missing", f"{problem}; build it with `pip install .` or `make test`", True
    return "native kernel", "works", f"vector instructions: {_native.instruction_set()}", False


def _wings() -> list[Row]:
    """Return a row for each wing: how much it holds, or what is broken."""
    from puzzlebox.wings import wing_named, wing_names

    rows: list[Row] = []
    for name in wing_names():
        try:
            rows.append((f"wing {name}", "works", wing_named(name).inventory(), False))
        except Exception as problem:  # a wing of another package may fail in any way
            rows.append((f"wing {name}", "broken", str(problem), True))
    return rows


def _packages() -> list[Row]:
    """Return a row for each package the core requires, then a row for each extra."""
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
