"""The file of trajectories of a run: gzip with one member for each episode, readable without the others."""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

TRAJECTORIES = "trajectories.jsonl.gz"
# The first bytes of a gzip member.
_MAGIC = b"\x1f\x8b\x08"
_BEGINNING = '{"name":'
_CHUNK = 1 << 15
_BUFFER = 1 << 20
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    """An episode in the file: start and end of its bytes, their CRC-32, its name in the run, its Record as JSON."""

    start: int
    end: int
    crc32: int
    name: str
    record: str


def pack_record(name: str, record: str) -> bytes:
    """Compress a record, as `Record.to_json` returns it, and its name in the run into one gzip member."""
    line = f"{_BEGINNING}{json.dumps(name)},{record[1:]}\n"
    # Without a time stamp, so that the same episode gives the same bytes.
    return gzip.compress(line.encode(), 6, mtime=0)


def members(path: Path) -> Iterator[Member]:
    """Yield all readable episodes of a file of trajectories; damaged and incomplete members are skipped."""
    if not path.exists():
        return
    with path.open("rb", buffering=_BUFFER) as file:
        start = _next(file, 0)
        while start >= 0:
            episodes = _read_member(file, start)
            yield from episodes
            start = _next(file, episodes[-1].end if episodes else start + 1)


def _read_member(file: IO[bytes], start: int) -> list[Member]:
    """Read the gzip member at an offset: one episode, or more in files of other programs; none if it is damaged."""
    file.seek(start)
    decompressor, parts, end, crc32 = zlib.decompressobj(wbits=31), [], start, 0
    try:
        while not decompressor.eof:
            chunk = file.read(_CHUNK)
            if not chunk:
                return []
            parts.append(decompressor.decompress(chunk))
            own = chunk[: len(chunk) - len(decompressor.unused_data)]
            end += len(own)
            crc32 = zlib.crc32(own, crc32)
        *lines, rest = b"".join(parts).decode().split("\n")
        if rest:
            return []
        return [Member(start, end, crc32, *_parse_line(line)) for line in lines]
    except (zlib.error, ValueError):
        return []


def _parse_line(line: str) -> tuple[str, str]:
    if not line.startswith(_BEGINNING):
        raise ValueError("no name")
    name, end = _DECODER.raw_decode(line, len(_BEGINNING))
    if not isinstance(name, str):
        raise ValueError("no name")
    return name, "{" + line[end + 1 :]


def _next(file: IO[bytes], start: int) -> int:
    """Return the offset at which the next member may begin, from `start` on; -1 if there is none."""
    while True:
        file.seek(start)
        chunk = file.read(_CHUNK)
        index = chunk.find(_MAGIC)
        if index >= 0:
            return start + index
        if len(chunk) < _CHUNK:
            return -1
        start += len(chunk) - len(_MAGIC) + 1
