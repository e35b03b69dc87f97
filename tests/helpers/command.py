"""The command line in this process: a process of its own would import everything again for each command."""

import subprocess
import warnings
from contextlib import chdir
from pathlib import Path

from typer.testing import CliRunner

from puzzlebox.cli.app import app


def puzzlebox(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `puzzlebox` in a folder and return its exit code, stdout and stderr; an unexpected exception is raised."""
    with chdir(cwd or Path.cwd()), warnings.catch_warnings():
        warnings.simplefilter("default")
        done = CliRunner().invoke(app, arguments, prog_name="puzzlebox", catch_exceptions=False)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)
