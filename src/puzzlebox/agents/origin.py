"""The origin of an agent: a fingerprint of its code, and the place of an error in it."""

import hashlib
import inspect
import sys
import traceback
from typing import Any

_OWN = "puzzlebox"


def fingerprint(*parts: Any) -> str | None:
    """Return the SHA-256 of the modules that define some classes and functions; None if there is no source code."""
    texts: dict[str, str] = {}
    for part in parts:
        name = getattr(part, "__module__", None)
        if name not in texts and name in sys.modules and not _is_standard_library(name):
            try:
                texts[name] = inspect.getsource(sys.modules[name])
            except (OSError, TypeError):  # compiled, or typed into a console
                continue
    return hashlib.sha256("\0".join(texts.values()).encode()).hexdigest() if texts else None


def describe_error(problem: BaseException) -> str:
    """Return an exception in one line: its class, its text and its place, as far as it has them."""
    text = problem.msg if isinstance(problem, SyntaxError) else str(problem)
    return ": ".join([type(problem).__name__, *filter(None, [" ".join(text.split())])]) + _place(problem)


def _place(problem: BaseException) -> str:
    """Return the place of an exception in the user's code as ` (file:line)`, or ""."""
    if isinstance(problem, SyntaxError):
        return f" ({problem.filename}:{problem.lineno})"
    frames = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(problem.__traceback__)
        if not _is_standard_library(name := frame.f_globals.get("__name__", "")) and name.partition(".")[0] != _OWN
    ]
    # The user's own line is more useful than a line of a library it called.
    own = [each for each in frames if "site-packages" not in each[0]] or frames
    return f" ({own[-1][0]}:{own[-1][1]})" if own else ""


def _is_standard_library(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names
