"""Where an agent comes from: what tells two versions of its code apart, and where in it something went wrong."""

import hashlib
import inspect
import sys
import traceback
from typing import Any

_OWN = "puzzlebox"


def fingerprint(*parts: Any) -> str | None:
    """The SHA-256 of the modules some classes and functions are written in; None where there is no source to read."""
    texts: dict[str, str] = {}
    for part in parts:
        name = getattr(part, "__module__", None)
        if name not in texts and name in sys.modules and not _of_python(name):
            try:
                texts[name] = inspect.getsource(sys.modules[name])
            except (OSError, TypeError):  # compiled, or typed into a console
                continue
    return hashlib.sha256("\0".join(texts.values()).encode()).hexdigest() if texts else None


def said(problem: BaseException) -> str:
    """An exception in one line: its name, its text and its place, where it has them."""
    text = problem.msg if isinstance(problem, SyntaxError) else str(problem)
    return ": ".join([type(problem).__name__, *filter(None, [" ".join(text.split())])]) + _place(problem)


def _place(problem: BaseException) -> str:
    """The place of an exception in somebody's own code, as ` (file:line)`; "" where it has none."""
    if isinstance(problem, SyntaxError):
        return f" ({problem.filename}:{problem.lineno})"
    frames = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(problem.__traceback__)
        if not _of_python(name := frame.f_globals.get("__name__", "")) and name.partition(".")[0] != _OWN
    ]
    # One's own line says more than the depths of the library it called.
    own = [each for each in frames if "site-packages" not in each[0]] or frames
    return f" ({own[-1][0]}:{own[-1][1]})" if own else ""


def _of_python(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names
