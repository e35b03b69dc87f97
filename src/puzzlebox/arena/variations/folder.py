"""Write variations into a folder: one file each, and a manifest that describes them; can be resumed."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from puzzlebox.arena.schema.diagnostics import Diagnostic
from puzzlebox.arena.schema.factors import LONGEST
from puzzlebox.arena.variations.parts import value_text
from puzzlebox.arena.variations.problems import TemplateError
from puzzlebox.arena.variations.template import Template, Variation
from puzzlebox.csv_cells import CellReader, CellWriter

MANIFEST, ABOUT = "manifest.csv", "variations.json"
ENDING = ".yaml"
# A request for more is probably a mistake.
MOST_AT_ONCE = 10_000_000
# Warnings that mean a thing will not stand where the file puts it.
UNPLACEABLE = ("overlap", "through-fence", "outside")
_MOST_MESSAGES = 5
_FLUSH_INTERVAL = 200
# The columns of the manifest before those of what varies.
_ABOUT_FILE = ("file", "index", "labels")


class FolderError(ValueError):
    """A folder that cannot be used; the text is one sentence."""


@dataclass
class Report:
    """The result of writing variations into a folder.

    Attributes:
        written: number of files written.
        existing: number of files from an earlier run.
        doubtful: number of files with something that cannot be placed.
        messages: messages about the first of these.
    """

    written: int = 0
    existing: int = 0
    doubtful: int = 0
    messages: list[str] = field(default_factory=list)


def columns_of(template: Template) -> list[str]:
    """Return the names of the columns of the manifest."""
    return [*_ABOUT_FILE, *template.columns]


def row_of(variation: Variation, number: int, template: Template) -> list[str]:
    """Return the row of a variation in the manifest."""
    values = [value_text(variation.values[name]) if name in variation.values else "" for name in template.columns]
    return [variation.stem(number) + ENDING, str(variation.number), " ".join(variation.labels), *values]


def values_in_manifest(path: Path) -> dict[str, Any]:
    """Return the values that vary in a file of a folder that `write_folder` wrote; empty for any other file."""
    if not (path.parent / ABOUT).is_file() or not (path.parent / MANIFEST).is_file():
        return {}
    manifest = path.parent / MANIFEST
    return dict(_values_by_file(manifest, manifest.stat().st_mtime_ns).get(path.name, {}))


@lru_cache(maxsize=4)
def _values_by_file(manifest: Path, changed_ns: int) -> dict[str, dict[str, Any]]:
    """Read a manifest; `changed_ns`, the time of its last change, makes the cache forget an older one."""
    with manifest.open(encoding="utf-8", newline="") as file:
        rows = list(CellReader(file))
    return {
        row["file"]: {name: _value(text) for name, text in row.items() if name not in _ABOUT_FILE and text}
        for row in rows
        if row.get("file")
    }


def _value(text: str) -> Any:
    """Return a number if a cell of the manifest has one; otherwise its text, shortened."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def write_folder(
    template: Template,
    folder: Path,
    indices: Iterable[int],
    total: int,
    request: dict[str, Any],
    *,
    strict: bool = False,
    check: bool = True,
    progress: Callable[[int], None] = lambda done: None,
) -> Report:
    """Write variations; resume where an earlier run with the same request stopped.

    Args:
        template: the template.
        folder: the folder; created if it does not exist.
        indices: the numbers of the variations, in order.
        total: how many variations there are.
        request: the options of the request, stored to recognise an earlier run of the same one.
        strict: whether something that cannot be placed is an error.
        check: whether every file is checked before it is written.
        progress: called now and then with the number of files that are done.

    Raises:
        TemplateError: a variation is not a valid task; the message says which.
        FolderError: the folder holds something else.
    """
    report = Report()
    about = {
        "template": template.name,
        "sha256": sha256("\0".join(template.texts).encode()).hexdigest(),
        "seed": template.seed,
        **request,
        "total": total,
    }
    columns = columns_of(template)
    report.existing = _prepare(folder, about, columns, template)
    progress(report.existing)
    with _manifest(folder) as (file, rows):
        for number, index in enumerate(indices):
            if number < report.existing:
                continue
            variation = template.at(index)
            if check:
                _check(variation, template, report, strict)
            (folder / f"{variation.stem(number)}{ENDING}").write_text(variation.text, encoding="utf-8")
            rows.writerow(row_of(variation, number, template))
            report.written += 1
            if report.written % _FLUSH_INTERVAL == 0:
                file.flush()
                progress(number + 1)
    progress(total)
    return report


@contextmanager
def _manifest(folder: Path) -> Iterator[tuple[Any, Any]]:
    with (folder / MANIFEST).open("a", encoding="utf-8", newline="") as file:
        yield file, CellWriter(file)


def _check(variation: Variation, template: Template, report: Report, strict: bool) -> None:
    reading = variation.reading
    name = f"{template.name}: variation {variation.number}"
    if reading.task is None:
        first = next(each for each in reading.findings if each.severity == "error")
        raise TemplateError(name, [variation.explain(first)])
    bad = [each for each in reading.findings if each.code in UNPLACEABLE]
    if not bad:
        return
    finding = variation.explain(bad[0])
    if strict:
        raise TemplateError(name, [Diagnostic(finding.code, "error", finding.message, finding.place)])
    report.doubtful += 1
    if len(report.messages) < _MOST_MESSAGES:
        report.messages.append(finding.headline(name))


def _prepare(folder: Path, about: dict[str, Any], columns: list[str], template: Template) -> int:
    """Create the folder or check an existing one; return how many files an earlier run has written."""
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder} is a file; name a folder")
    about_file = folder / ABOUT
    if about_file.is_file():
        try:
            earlier = json.loads(about_file.read_text(encoding="utf-8"))
        except ValueError:
            raise FolderError(f"{about_file} cannot be read; name another folder") from None
        differing = [key for key in about if earlier.get(key) != about[key] and key != "template"]
        if differing:
            what = "another template" if "sha256" in differing else f"another {differing[0]}"
            raise FolderError(f"{folder} holds variations of {what}; name another folder, or empty this one")
        return _rows_in(folder / MANIFEST, columns)
    if folder.is_dir() and any(folder.iterdir()):
        raise FolderError(f"{folder} is not empty; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    # The text of the template is stored, too, so that the folder documents itself.
    about_file.write_text(json.dumps({**about, "text": template.text}, indent=1) + "\n", encoding="utf-8")
    with (folder / MANIFEST).open("w", encoding="utf-8", newline="") as file:
        CellWriter(file).writerow(columns)
    return 0


def _rows_in(manifest: Path, columns: list[str]) -> int:
    """Return how many complete rows a manifest has; cut off an incomplete last row."""
    if not manifest.is_file():
        with manifest.open("w", encoding="utf-8", newline="") as file:
            CellWriter(file).writerow(columns)
        return 0
    rows, end = -1, 0
    with manifest.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                rows += 1
                end = file.tell()
    with manifest.open("r+b") as file:
        file.truncate(end)
    return max(rows, 0)
