"""The command line: one file per verb, put together in `puzzlebox.cli.app`.

The verbs of a wing live in the wing and are found through `puzzlebox.wings.verbs`. Importing this package imports no
verb, so that a wing can use `puzzlebox.cli.words` whichever of the two is imported first.
"""


def main() -> None:
    """Run the command line.

    A closed pipe (`| head`) or a full disk ends it with exit code 1, Ctrl-C with 130, both without a traceback.
    """
    import sys

    try:
        _run()
    except KeyboardInterrupt:  # also while modules are imported, which takes a second
        sys.exit(130)


def _run() -> None:
    import io
    import os
    import sys

    from puzzlebox.cli.app import PROBLEMS, app
    from puzzlebox.cli.words import note

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # no character is lost, whatever the encoding of the console
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        for problem in PROBLEMS:
            note(f"warning: {problem}; Puzzlebox works without it")
        app(prog_name="puzzlebox")
    except OSError as problem:
        if not isinstance(problem, BrokenPipeError):
            print(f"error: {problem.strerror or problem}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
