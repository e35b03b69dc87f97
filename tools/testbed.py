"""Build the testbed from its levels, and show where it stands.

python tools/testbed.py try 08 13           candidates of one row, with findings, solution, shortcuts and pictures
python tools/testbed.py build --level 8     choose and solve the variants of all rows, and write the data
python tools/testbed.py status              which rows have how many variants
python tools/testbed.py sheet --level 8 -o level-08.png
python tools/testbed.py table -o FOLDER     random, heuristic and navigator on everything
"""

import argparse
import sys
from pathlib import Path

from puzzlebox.arena.testbed.reading import LevelError


def main() -> int:
    """Run one of the verbs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    attempt = verbs.add_parser("try", help="try candidates of one row")
    attempt.add_argument("level", type=int)
    attempt.add_argument("task", type=int)
    attempt.add_argument("--amount", type=int, default=3, help="how many candidates (default: 3)")
    attempt.add_argument("--seconds", type=float, default=60.0, help="how long the solver may search (default: 60)")
    attempt.add_argument("--steps", type=int, default=0, help="decisions that pass before the pictures are taken")
    attempt.add_argument("-o", "--output", type=Path, default=Path("build/testbed"), help="folder of the pictures")
    options = parser.parse_args()
    try:
        return _run(options)
    except (LevelError, FileNotFoundError) as problem:
        print(problem, file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    if options.verb == "try":
        from testbed_build.attempt import attempt

        good = attempt(options.level, options.task, options.amount, options.seconds, options.output, options.steps)
        return 0 if good else 1
    return 2


if __name__ == "__main__":
    sys.exit(main())
