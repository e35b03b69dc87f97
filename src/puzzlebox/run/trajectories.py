"""The trajectories of a run: a gzip file with one member for each episode, which can be read without the others."""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

TRAJECTORIES = "trajectories.jsonl.gz"
# How a member of a gzip file begins.
_MAGIC = b"\x1f\x8b\x08"
_BEGINNING = '{"name":'
_CHUNK = 1 << 15
_BUFFER = 1 << 20
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    """An episode in the file: where its bytes begin and end, its name in the run, and its Record as JSON."""

    start: int
    end: int
    name: str
    record: str


def packed(name: str, record: str) -> bytes:
    """A record, as `Record.to_json` wrote it, with its name in the run: one line, one member of a gzip file."""
    line = f"{_BEGINNING}{json.dumps(name)},{record[1:]}\n"
    # No time in it, so that the same episode is the same bytes.
    return gzip.compress(line.encode(), 6, mtime=0)


def members(path: Path) -> Iterator[Member]:
    """All that can be read of a file of trajectories; what is damaged or cut off is passed over."""
    if not path.exists():
        return
    with path.open("rb", buffering=_BUFFER) as file:
        start = _next(file, 0)
        while start >= 0:
            found = _at(file, start)
            yield from found
            start = _next(file, found[-1].end if found else start + 1)


def _at(file: IO[bytes], start: int) -> list[Member]:
    """What the member that begins here holds: one episode, where we wrote it; nothing where it is not whole."""
    file.seek(start)
    unpacker, parts, end = zlib.decompressobj(wbits=31), [], start
    try:
        while not unpacker.eof:
            chunk = file.read(_CHUNK)
            if not chunk:
                return []
            parts.append(unpacker.decompress(chunk))
            end += len(chunk)
        *lines, rest = b"".join(parts).decode().split("\n")
        if rest:
            return []
        end -= len(unpacker.unused_data)
        return [Member(start, end, *_read(line)) for line in lines]
    except (zlib.error, ValueError):
        return []


def _read(line: str) -> tuple[str, str]:
    if not line.startswith(_BEGINNING):
        raise ValueError("no name")
    name, end = _DECODER.raw_decode(line, len(_BEGINNING))
    if not isinstance(name, str):
        raise ValueError("no name")
    return name, "{" + line[end + 1 :]


def _next(file: IO[bytes], start: int) -> int:
    """Where the next member may begin, from `start` on; -1 where there is none."""
    while True:
        file.seek(start)
        chunk = file.read(_CHUNK)
        found = chunk.find(_MAGIC)
        if found >= 0:
            return start + found
        if len(chunk) < _CHUNK:
            return -1
        start += len(chunk) - len(_MAGIC) + 1
