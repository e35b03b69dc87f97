"""What a later call needs, as few files of limited size: results, and of unfinished runs what resuming needs."""

import io
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.learning.jobs import JOBS, Job
from benchmarks.learning.results import is_finished, write_result
from benchmarks.learning.training import RESULTS, RUN

PIECE_BYTES, MOST_PIECES = 15_000_000, 4
_RESULTS, _PIECE = "results.tar.xz", "runs.tar.{:02}"


def files_of(job: Job, out: Path, weights: bool = False) -> Iterator[Path]:
    """Yield the files of a run that a later call needs: the newest checkpoint, the logs, the episodes so far.

    Args:
        job: the run.
        out: the folder of all runs.
        weights: whether the weights of a finished run are wanted too.
    """
    from puzzlebox.learn.checkpoints import LATEST, resumable

    run, finished = out / job.name / RUN, is_finished(job, out)
    if finished and not weights:
        return
    checkpoint = None if job.agent else resumable(run)
    if checkpoint is not None:
        names = ("about.json", "done", "weights.pt") if finished else ("*",)
        yield from (file for name in names for file in sorted(checkpoint.folder.glob(name)))
        logs = ("run.json", LATEST) if finished else ("run.json", LATEST, "episodes.jsonl", "log.jsonl")
        yield from (run / name for name in logs if (run / name).exists())
    if not finished:
        yield from sorted((out / job.name).glob("test-*.jsonl"))


def pack(
    jobs: Sequence[Job],
    out: Path,
    to: Path,
    *,
    piece: int = PIECE_BYTES,
    most: int = MOST_PIECES,
    weights: Sequence[str] = (),
) -> list[str]:
    """Write results and unfinished runs into files of at most `piece` bytes; return the runs that found no place.

    Args:
        jobs: the runs.
        out: the folder of all runs.
        to: an empty or absent folder.
        piece: the largest size of a file, in bytes.
        most: the most files for runs; the results are one more.
        weights: names of finished runs whose weights are kept.
    """
    to.mkdir(parents=True, exist_ok=True)
    if any(to.iterdir()):
        raise ValueError(f"{to} is not empty")
    for job in jobs:
        write_result(job, out)
    with tarfile.open(to / _RESULTS, "w:xz") as archive:
        for file in sorted((out / RESULTS).glob("*.json")):
            archive.add(file, file.relative_to(out).as_posix())
    stream, left_out = io.BytesIO(), []
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for job in jobs:
            files = list(files_of(job, out, job.name in weights))
            if not files:
                continue
            own = io.BytesIO()
            with tarfile.open(fileobj=own, mode="w:xz", preset=1) as inner:
                for file in files:
                    inner.add(file, file.relative_to(out).as_posix())
            data = own.getvalue()
            if stream.tell() + len(data) + 20_480 > piece * most:  # tar ends with blocks of zeros
                left_out.append(job.name)
                continue
            entry = tarfile.TarInfo(f"{job.name}.tar.xz")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    whole = stream.getvalue()
    for number, first in enumerate(range(0, len(whole), piece)):
        (to / _PIECE.format(number)).write_bytes(whole[first : first + piece])
    return left_out


def unpack(packed: Path, out: Path) -> list[str]:
    """Put packed runs and results into a folder; return the names of the runs."""
    pieces = sorted(packed.glob("runs.tar.*"))
    if not pieces:
        raise FileNotFoundError(f"{packed} has no packed runs")
    out.mkdir(parents=True, exist_ok=True)
    with tarfile.open(packed / _RESULTS) as archive:
        archive.extractall(out, filter="data")
    names = []
    with tarfile.open(fileobj=io.BytesIO(b"".join(each.read_bytes() for each in pieces))) as archive:
        for entry in archive:
            data = archive.extractfile(entry)
            assert data is not None
            name = entry.name.removesuffix(".tar.xz")
            if name not in JOBS:
                raise ValueError(f"{packed} has a run {name}, which is not one of these experiments")
            with tarfile.open(fileobj=io.BytesIO(data.read())) as inner:
                inner.extractall(out, filter="data")
            names.append(name)
    return names
