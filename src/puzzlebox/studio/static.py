"""The page's files, listed and read at the start, so that no address can name another file."""

import gzip
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".wasm": "application/wasm",
}
_TEXT = "text/plain; charset=utf-8"
_COMPRESSED = (".html", ".js", ".css", ".svg", ".json", ".wasm")
# The licences of the libraries in the page; the only text file.
_NOTICES = "/notices.txt"
# Built files have a hash of their content in their names.
_CACHE_FOREVER, _REVALIDATE = "public, max-age=31536000, immutable", "no-cache"
_NOT_BUILT = b"""<!doctype html><html lang="en"><title>Puzzlebox</title>
<p>The page of the studio has not been built yet; <code>make lab</code> in the source does that.</p></html>
"""


@dataclass(frozen=True)
class File:
    """One file of the page, in memory.

    Attributes:
        data: its content.
        media_type: the value of its Content-Type header.
        immutable: whether browsers may cache it forever, because its name has a hash of its content.
    """

    data: bytes
    media_type: str
    immutable: bool

    @cached_property
    def compressed(self) -> bytes:
        """The content as gzip."""
        return gzip.compress(self.data, 9, mtime=0)

    def answer(self, request: Request) -> Response:
        """Return the answer to a request for the file, compressed if the browser accepts that."""
        headers = {"Content-Type": self.media_type, "Cache-Control": _CACHE_FOREVER if self.immutable else _REVALIDATE}
        compressible = self.media_type in {_TEXT, *(_TYPES[ending] for ending in _COMPRESSED)} and len(self.data) > 500
        if compressible:
            headers["Vary"] = "Accept-Encoding"
            if "gzip" in request.headers.get("accept-encoding", ""):
                return Response(self.compressed, headers=headers | {"Content-Encoding": "gzip"})
        return Response(self.data, headers=headers)


def load_page_files(folder: Path = FOLDER) -> dict[str, File]:
    """Return all files of the page by address; `/` is the page itself."""
    files = {"/": File(_NOT_BUILT, _TYPES[".html"], False)}
    for path in sorted(folder.rglob("*")):
        address = "/" + path.relative_to(folder).as_posix()
        media_type = _TEXT if address == _NOTICES else _TYPES.get(path.suffix.lower())
        if media_type is None or not path.is_file() or path.is_symlink():
            continue
        immutable = address.startswith("/assets/")
        files["/" if address == "/index.html" else address] = File(path.read_bytes(), media_type, immutable)
    return files
