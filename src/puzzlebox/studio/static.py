"""The page's files: an explicit list made at the start, so that no address can ever name another file."""

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
_PACKED = (".html", ".js", ".css", ".svg", ".json", ".wasm")
# The one text among them: the licences of what the page is made of.
_NOTICES = "/notices.txt"
# Built files have a hash of their content in their names.
_FOR_EVER, _ASK_AGAIN = "public, max-age=31536000, immutable", "no-cache"
_NOT_BUILT = b"""<!doctype html><html lang="en"><title>Puzzlebox</title>
<p>The page of the studio has not been built yet; <code>make lab</code> in the source does that.</p></html>
"""


@dataclass(frozen=True)
class File:
    """One file, in memory."""

    data: bytes
    kind: str
    lasting: bool

    @cached_property
    def packed(self) -> bytes:
        """Compressed, for all but the smallest."""
        return gzip.compress(self.data, 9, mtime=0)

    def answer(self, request: Request) -> Response:
        """The file for a browser."""
        headers = {"Content-Type": self.kind, "Cache-Control": _FOR_EVER if self.lasting else _ASK_AGAIN}
        worth = self.kind in {_TEXT, *(_TYPES[ending] for ending in _PACKED)} and len(self.data) > 500
        if worth:
            headers["Vary"] = "Accept-Encoding"
            if "gzip" in request.headers.get("accept-encoding", ""):
                return Response(self.packed, headers=headers | {"Content-Encoding": "gzip"})
        return Response(self.data, headers=headers)


def page_files(folder: Path = FOLDER) -> dict[str, File]:
    """All files of the page by address; `/` is the page itself."""
    files = {"/": File(_NOT_BUILT, _TYPES[".html"], False)}
    for path in sorted(folder.rglob("*")):
        address = "/" + path.relative_to(folder).as_posix()
        kind = _TEXT if address == _NOTICES else _TYPES.get(path.suffix.lower())
        if kind is None or not path.is_file() or path.is_symlink():
            continue
        lasting = address.startswith("/assets/")
        files["/" if address == "/index.html" else address] = File(path.read_bytes(), kind, lasting)
    return files
