"""Writing variations into a folder: one file each, and a manifest that says what is in which; can be resumed."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from puzzlebox.arena.schema.diagnostics import Diagnostic
from puzzlebox.arena.variations.parts import shown
from puzzlebox.arena.variations.problems import TemplateError
from puzzlebox.arena.variations.template import Template, Variation
from puzzlebox.csv_cells import CellWriter

MANIFEST, ABOUT = "manifest.csv", "variations.json"
ENDING = ".yaml"
# More at once are more likely a mistake than a wish.
MOST_AT_ONCE = 10_000_000
# Warnings that mean a thing will not stand where the file puts it.
UNPLACEABLE = ("overlap", "through-fence", "outside")
_MOST_TOLD = 5
_FLUSHED = 200


class FolderError(ValueError):
    """The folder cannot be used, in one sentence."""


@dataclass
class Report:
    """What came of writing.

    Attributes:
        written: how many files.
        before: how many were there from an earlier run.
        doubtful: how many hold something that cannot be placed.
        told: the first of these, in words.
    """

    written: int = 0
    before: int = 0
    doubtful: int = 0
    told: list[str] = field(default_factory=list)


def columns_of(template: Template) -> list[str]:
    """The columns of the manifest."""
    return ["file", "index", "labels", *template.columns]


def row_of(variation: Variation, number: int, template: Template) -> list[str]:
    """The row of a variation in the manifest."""
    values = [shown(variation.values[name]) if name in variation.values else "" for name in template.columns]
    return [variation.stem(number) + ENDING, str(variation.number), " ".join(variation.labels), *values]


def write_folder(
    template: Template,
    folder: Path,
    indices: Iterable[int],
    total: int,
    asked: dict[str, Any],
    *,
    strict: bool = False,
    check: bool = True,
    progress: Callable[[int], None] = lambda done: None,
) -> Report:
    """Write variations, going on where an earlier run with the same wishes ended.

    Args:
        template: what to write.
        folder: where to; made if it is not there.
        indices: the numbers of the variations, in order.
        total: how many there are.
        asked: what was asked for, to tell whether an earlier run is the same.
        strict: something that cannot be placed is an error.
        check: every file is checked before it is written.
        progress: told how many are done, now and then.

    Raises:
        TemplateError: a variation is not a valid task; the message says which.
        FolderError: the folder holds something else.
    """
    report = Report()
    about = {
        "template": template.name,
        "sha256": sha256("\0".join(template.texts).encode()).hexdigest(),
        "seed": template.seed,
        **asked,
        "total": total,
    }
    columns = columns_of(template)
    report.before = _begin(folder, about, columns, template)
    progress(report.before)
    with _manifest(folder) as (file, rows):
        for number, index in enumerate(indices):
            if number < report.before:
                continue
            variation = template.at(index)
            if check:
                _checked(variation, template, report, strict)
            (folder / f"{variation.stem(number)}{ENDING}").write_text(variation.text, encoding="utf-8")
            rows.writerow(row_of(variation, number, template))
            report.written += 1
            if report.written % _FLUSHED == 0:
                file.flush()
                progress(number + 1)
    progress(total)
    return report


@contextmanager
def _manifest(folder: Path) -> Iterator[tuple[Any, Any]]:
    with (folder / MANIFEST).open("a", encoding="utf-8", newline="") as file:
        yield file, CellWriter(file)


def _checked(variation: Variation, template: Template, report: Report, strict: bool) -> None:
    reading = variation.reading
    name = f"{template.name}: variation {variation.number}"
    if reading.task is None:
        first = next(each for each in reading.findings if each.severity == "error")
        raise TemplateError(name, [variation.told(first)])
    bad = [each for each in reading.findings if each.code in UNPLACEABLE]
    if not bad:
        return
    told = variation.told(bad[0])
    if strict:
        raise TemplateError(name, [Diagnostic(told.code, "error", told.message, told.place)])
    report.doubtful += 1
    if len(report.told) < _MOST_TOLD:
        report.told.append(told.headline(name))


def _begin(folder: Path, about: dict[str, Any], columns: list[str], template: Template) -> int:
    """Make the folder ready; how many files an earlier run has written."""
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder} is a file; name a folder")
    known = folder / ABOUT
    if known.is_file():
        try:
            before = json.loads(known.read_text(encoding="utf-8"))
        except ValueError:
            raise FolderError(f"{known} cannot be read; name another folder") from None
        differing = [key for key in about if before.get(key) != about[key] and key != "template"]
        if differing:
            what = "another template" if "sha256" in differing else f"another {differing[0]}"
            raise FolderError(f"{folder} holds variations of {what}; name another folder, or empty this one")
        return _rows_in(folder / MANIFEST, columns)
    if folder.is_dir() and any(folder.iterdir()):
        raise FolderError(f"{folder} is not empty; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    # The template goes along word by word, so that the folder explains itself.
    known.write_text(json.dumps({**about, "text": template.text}, indent=1) + "\n", encoding="utf-8")
    with (folder / MANIFEST).open("w", encoding="utf-8", newline="") as file:
        CellWriter(file).writerow(columns)
    return 0


def _rows_in(manifest: Path, columns: list[str]) -> int:
    """How many whole rows a manifest has; a row that was cut off in the middle is taken out."""
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
