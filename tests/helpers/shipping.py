"""Helpers of the tests of what is handed out: a copy of the source, and what is built from it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

_BACKEND = "from scikit_build_core import build; print(build.build_{kind}({folder!r}))"


def copy_of_source(folder: Path) -> Path:
    """Everything git knows, as it lies here, and the page that was built from it."""
    names = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    page = ROOT / "src" / "puzzlebox" / "studio" / "static"
    for path in [*(ROOT / name for name in names), *page.rglob("*")]:
        if path.is_file():
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    return folder


def make_sdist(source: Path, folder: Path) -> Path:
    """The source distribution of a folder."""
    return _made("sdist", source, folder)


def make_wheel(source: Path, folder: Path) -> Path:
    """The wheel of a folder, built with the tools that are installed here."""
    return _made("wheel", source, folder)


def _made(kind: str, source: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    code = _BACKEND.format(kind=kind, folder=str(folder))
    # The tools that an installation from a lock brings: cmake and ninja stand beside the interpreter.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=source, env=environment, check=True, capture_output=True, text=True
    )
    return folder / done.stdout.splitlines()[-1]
