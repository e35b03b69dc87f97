"""Run, pack and report the experiments; `python -m benchmarks.learning --help` lists them."""

import argparse
import sys
import time
from pathlib import Path

import benchmarks.learning as package
from benchmarks.learning.jobs import JOBS, ORIGINALS, chosen

HOME = Path(__file__).parent
_ROOT = HOME.parents[1]
PAGE = _ROOT / "docs" / "guides" / "training-results.md"
IMAGES = _ROOT / "docs" / "images"


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line asks for."""
    options = _parser().parse_args(arguments)
    try:
        options.do(options)
    except (ValueError, FileNotFoundError) as problem:
        sys.exit(str(problem))
    except OSError as problem:
        sys.exit(f"{problem.filename}: {problem.strerror}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learning",
        description=package.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def verb(name: str, do: object, help: str, *, out: bool = True) -> argparse.ArgumentParser:
        own = verbs.add_parser(name, help=help)
        own.set_defaults(do=do)
        if out:
            own.add_argument("-o", "--out", type=Path, required=True, help="the folder of all runs")
        return own

    own = verb("list", _list, "list all runs", out=False)
    own.add_argument("names", nargs="*", metavar="GROUP")
    own = verb("run", _run, "do runs, several at the same time")
    own.add_argument("names", nargs="+", metavar="GROUP")
    own.add_argument("--processes", type=_at_least_one, default=1, help="the number of cores to keep busy")
    own.add_argument("--minutes", type=_above_zero, default=1e6, help="the most minutes; the same command resumes")
    _place(own)
    own = verb("work", _work, "do one piece of a run in this process; `run` calls this")
    own.add_argument("name", metavar="RUN")
    own.add_argument("what", metavar="train|PART")
    own.add_argument("--minutes", type=float, default=1e6)
    _place(own)
    own = verb("status", _status, "say where runs stand")
    own.add_argument("names", nargs="*", metavar="GROUP")
    own = verb("pack", _pack, "write all results, and what unfinished runs need, into few files of 15 MB")
    own.add_argument("names", nargs="*", metavar="GROUP")
    own.add_argument("--to", type=Path, required=True, help="an empty folder")
    own.add_argument("--most", type=int, default=4, help="the most files for unfinished runs; results are one more")
    own.add_argument("--weights", nargs="*", default=[], metavar="RUN", help="finished runs whose weights are kept")
    own = verb("unpack", _unpack, "put packed runs into a folder")
    own.add_argument("packed", type=Path)
    verb("keep", _keep, "copy the results of finished runs into this repository")
    for name, do, help in (
        ("tables", _tables, "print Markdown tables of all results"),
        ("page", _page, "write the tables into the page of the documentation, and draw its picture"),
    ):
        own = verb(name, do, help, out=False)
        own.add_argument(
            "-o", "--out", type=Path, default=HOME, help="the folder of all runs; default: the results that were kept"
        )
    own.add_argument("--page", type=Path, default=PAGE, help="the page")
    own.add_argument("--images", type=Path, default=IMAGES, help="where the picture goes")
    return parser


def _place(own: argparse.ArgumentParser) -> None:
    own.add_argument("--device", default="cpu", help="`cpu` or `cuda`; runs of E3 always use the CPU")
    own.add_argument(
        "--originals", type=Path, help="a folder of the original's tasks; default: what needs them is left out"
    )


def _at_least_one(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return int(text)


def _above_zero(text: str) -> float:
    if not float(text) > 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return float(text)


def _list(options: argparse.Namespace) -> None:
    jobs = chosen(options.names)
    print("| run | group | decisions | settings |\n|---|---|---|---|")
    for job in jobs:
        origin = f"(from {job.origin})" if job.origin else ""
        words = [*job.sources, job.curriculum, job.preset, *job.changes, job.agent, origin]
        print(f"| {job.name} | {job.group} | {job.steps:,} | {' '.join(word for word in words if word)} |")


def _run(options: argparse.Namespace) -> None:
    from benchmarks.learning.pool import Work, run_all

    jobs = chosen(options.names)
    if options.originals is not None and not options.originals.is_dir():
        raise FileNotFoundError(f"--originals: there is no folder {options.originals}")
    if options.originals is None and any(ORIGINALS in test.sources for job in jobs for test in job.tests):
        _note("without --originals, the original's tasks are left out")
    work = Work(options.out, options.device, options.originals)
    states = run_all(jobs, work, options.processes, options.minutes, _note)
    _print_states(options.out, states)
    if any(each.startswith("failed") for each in states.values()):
        sys.exit(1)


def _status(options: argparse.Namespace) -> None:
    from benchmarks.learning.pool import state

    _print_states(options.out, {job.name: state(job, options.out) for job in chosen(options.names)})


def _print_states(out: Path, states: dict[str, str]) -> None:
    from benchmarks.learning.pages import status_table

    print(status_table(out, states), flush=True)


def _work(options: argparse.Namespace) -> None:
    from benchmarks.learning.testing import test_part
    from benchmarks.learning.training import train_piece

    job = JOBS[options.name]
    if options.what == "train":
        train_piece(job, options.out, options.minutes, "cpu" if job.group == "E3" else options.device)
        return
    test_part(job, options.out, int(options.what), options.minutes, options.originals)


def _pack(options: argparse.Namespace) -> None:
    from benchmarks.learning.packing import pack

    if not options.out.is_dir():
        raise FileNotFoundError(f"there is no folder {options.out}")
    left_out = pack(chosen(options.names), options.out, options.to, most=options.most, weights=options.weights)
    for name in left_out:
        _note(f"{name} found no place, and must be begun again")


def _unpack(options: argparse.Namespace) -> None:
    from benchmarks.learning.packing import unpack

    _note(f"unpacked {', '.join(unpack(options.packed, options.out)) or 'results; no run was unfinished'}")


def _keep(options: argparse.Namespace) -> None:
    from benchmarks.learning.results import keep

    _note(f"kept {', '.join(keep(options.out, HOME)) or 'nothing: no run is finished'}")


def _tables(options: argparse.Namespace) -> None:
    from benchmarks.learning.pages import tables

    print(tables(options.out))


def _page(options: argparse.Namespace) -> None:
    from benchmarks.learning.figure import draw
    from benchmarks.learning.pages import write_page

    picture = draw(options.out, options.images)
    write_page(options.out, options.page, picture)
    _note(f"wrote {options.page} and {picture}")


def _note(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
