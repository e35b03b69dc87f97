"""Build the testbed from its levels, and show where it stands.

python tools/testbed.py try 08 13           candidates of one row, with findings, solution, shortcuts and pictures
python tools/testbed.py build --level 8     choose and solve the variants of all rows, and write the data
python tools/testbed.py status              which rows have how many variants
python tools/testbed.py pairs               how long the solutions of tests and of their controls are
python tools/testbed.py sheet --level 8 -o level-08.png
python tools/testbed.py sheets              the contact sheets of the documentation
python tools/testbed.py demands             what each task demands, for the tables of runs
python tools/testbed.py table -o FOLDER     random, heuristic and navigator on everything
"""

import argparse
import sys
from pathlib import Path

import puzzlebox
from puzzlebox.arena.schema import TaskError
from puzzlebox.batteries.testbed import level_folders

# The work of the search for a plan of a candidate, in simulated decisions: a minute or less.
SEARCH = 180_000
ROOT = Path(__file__).resolve().parents[1]
SHEETS = ROOT / "docs" / "images" / "testbed"


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number, 1 or more")
    return int(text)


def _steps(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a whole number, 0 or more")
    return int(text)


def main() -> int:
    """Run one of the verbs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    attempt = verbs.add_parser("try", help="try candidates of one row")
    attempt.add_argument("level", type=int)
    attempt.add_argument("task", type=int)
    attempt.add_argument("--amount", type=_positive, default=3, help="how many candidates (default: 3)")
    attempt.add_argument(
        "--search", type=_positive, default=SEARCH, help=f"work of the solver in decisions (default: {SEARCH:,})"
    )
    attempt.add_argument("--steps", type=_steps, default=0, help="decisions that pass before the pictures are taken")
    attempt.add_argument("-o", "--output", type=Path, default=Path("build/testbed"), help="folder of the pictures")
    build = verbs.add_parser("build", help="make all rows that changed, and write the data")
    build.add_argument("--level", type=int, help="only this level")
    build.add_argument("--task", type=int, help="only this row of the level")
    build.add_argument("--workers", type=_positive, default=1, help="processes at the same time (default: 1)")
    build.add_argument(
        "--search", type=_positive, default=SEARCH, help=f"work of the solver in decisions (default: {SEARCH:,})"
    )
    build.add_argument("--fresh", action="store_true", help="make all rows again, changed or not")
    verbs.add_parser("status", help="which rows have how many variants")
    pairs = verbs.add_parser("pairs", help="the lengths of the solutions of tests and of their controls")
    pairs.add_argument("--level", type=int, help="only this level")
    pairs.add_argument("--all", action="store_true", help="all tests that have a control, not only the matched ones")
    pairs.add_argument("--metres", action="store_true", help="replay the solutions, and count metres too")
    sheet = verbs.add_parser("sheet", help="a picture of all tasks of a level")
    sheet.add_argument("--level", type=int, required=True)
    sheet.add_argument("--variant", type=int, choices=(1, 2, 3), default=1, help="which variant (default: 1)")
    sheet.add_argument("--steps", type=_steps, default=0, help="decisions that pass before the pictures are taken")
    sheet.add_argument("-o", "--output", type=Path, required=True, help="the PNG file")
    sheets = verbs.add_parser("sheets", help="the pictures of all levels for the documentation")
    sheets.add_argument("-o", "--output", type=Path, default=SHEETS, help="the folder (default: docs/images/testbed)")
    table = verbs.add_parser("table", help="random, heuristic and navigator on everything, as Markdown")
    table.add_argument("--level", type=int, help="only this level")
    table.add_argument("--workers", type=_positive, default=1, help="processes at the same time (default: 1)")
    table.add_argument("-o", "--output", type=Path, required=True, help="the folder of the run, which can be resumed")
    demands = verbs.add_parser("demands", help="read off what each task demands, and write the tables")
    demands.add_argument("--fresh", action="store_true", help="read all tasks again, also those that did not change")
    options = parser.parse_args()
    imported = Path(puzzlebox.__file__).resolve().parents[2]
    if imported != ROOT:
        sys.exit(
            f"{imported} is imported, and the testbed of {ROOT} would not change; run `make test` in {ROOT}, then "
            "use the .venv/bin/python there"
        )
    try:
        return _run(options)
    except (TaskError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    if options.verb == "try":
        from testbed_build.attempt import attempt

        good = attempt(options.level, options.task, options.amount, options.search, options.output, options.steps)
        return 0 if good else 1
    if options.verb == "build":
        from testbed_build.build import build

        if options.task is not None and options.level is None:
            raise SystemExit("--task needs --level")
        levels = [int(folder.name) for folder in level_folders()] if options.level is None else [options.level]
        return 0 if build(levels, options.task, options.workers, options.search, options.fresh) else 1
    if options.verb == "status":
        from testbed_build.build import status

        print(status(level_folders()))
        return 0
    if options.verb == "pairs":
        from testbed_build.lengths import lengths

        levels = [int(folder.name) for folder in level_folders()] if options.level is None else [options.level]
        print(lengths(levels, options.metres, not options.all))
    if options.verb == "demands":
        from testbed_build.demands import write_demands

        write_demands(level_folders(), options.fresh)
    if options.verb == "sheet":
        from testbed_build.level_sheet import level_sheet

        level_sheet(options.level, options.output, options.variant, options.steps)
    if options.verb == "sheets":
        from testbed_build.level_sheet import page_sheets

        page_sheets(options.output)
    if options.verb == "table":
        from testbed_build.table import passed_tests, play_all, table

        pattern = "testbed/*" if options.level is None else f"testbed/{options.level:02d}-*"
        episodes = play_all(pattern, options.output, options.workers)
        print(table(episodes))
        print(passed_tests(episodes), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
