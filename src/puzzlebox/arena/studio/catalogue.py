"""The tasks the studio can play: bundled ones, uploads, and a file named on the command line."""

import hashlib
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from puzzlebox.arena.schema import Diagnostic, Reading, Task, TaskError, read, read_source
from puzzlebox.arena.schema.factors import CONDITION, plain_values, with_factors
from puzzlebox.arena.schema.lines import lines_of
from puzzlebox.arena.schema.tree import MAX_BYTES
from puzzlebox.arena.studio import one_of_each
from puzzlebox.arena.studio.cache import BoundedCache
from puzzlebox.arena.template_check import check_template
from puzzlebox.arena.variations import TemplateError, is_template
from puzzlebox.arena.world import World
from puzzlebox.batteries import battery_names, battery_text, bundled_names, bundled_path
from puzzlebox.batteries.testbed import TITLES
from puzzlebox.record.entries import FILE, UPLOAD
from puzzlebox.render import Painter, View
from puzzlebox.scene.png import png
from puzzlebox.seeds import unpredictable_rng
from puzzlebox.text import nearest

# Bytes of the cached texts of uploads, and of the tasks read from them. A task that is no longer cached is read again
# from its text; an upload whose text is no longer cached has to be uploaded again.
MAX_UPLOAD_BYTES, MAX_TASK_BYTES = 16 * MAX_BYTES, 64 * MAX_BYTES
# Bytes of memory for each thing of a task and each byte of its text; measured with 9000 walls and with long titles.
_BYTES_PER_THING, _BYTES_PER_TEXT_BYTE = 1_200, 4
# Bytes of memory that every cached value takes at least.
_MIN_BYTES = 1_000
# Findings that are reported for one file.
_MAX_MESSAGES = 100
VIEWS = ("first", "third", "top")
# Thumbnails can also show the whole arena.
THUMBNAIL_VIEWS = ("whole", *VIEWS)
_MAX_PICTURE_BYTES = 64 << 20
# Pictures with more pixels are painted with one sample a pixel, smaller ones with four.
_MAX_SMOOTHED_PIXELS = 640 * 480


class UnknownTask(Exception):
    """There is no task of this name; the text is one sentence."""


@dataclass(frozen=True)
class Entry:
    """A task and its name."""

    name: str
    task: Task

    def summary(self) -> dict[str, Any]:
        """Return the task's entry of `/api/tasks`, which the gallery shows."""
        metadata, arenas = self.task.metadata, self.task.arenas
        return {
            "name": self.name,
            "title": metadata.title or self.name,
            "level": metadata.level,
            "tags": list(metadata.tags),
            "description": metadata.description or "",
            "condition": plain_values(metadata.model_extra or {}).get(CONDITION),
            "arenas": len(arenas),
            "agents": max(1, len(arenas[0].agents())),
            "thumbnail": f"/api/thumbnails/{quote(self.name, safe='/:')}.png",
        }


class Catalogue:
    """Finds tasks by name. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._painting = threading.Lock()
        self._lasting: dict[str, Entry] = {}
        self._files: dict[str, Path] = {}  # the files that have names here
        self._texts: BoundedCache[str, bytes] = BoundedCache(MAX_UPLOAD_BYTES)
        self._uploads: BoundedCache[str, Entry] = BoundedCache(MAX_TASK_BYTES)
        self._pictures: BoundedCache[tuple[str, str, int, int], bytes] = BoundedCache(_MAX_PICTURE_BYTES)

    # --- finding

    def find(self, name: str | None) -> Entry:
        """Return the task of a name; for None, the arena with one of every thing.

        Raises:
            UnknownTask: there is no task of this name.
        """
        with self._lock:
            if name is None or (name == one_of_each.NAME and name not in bundled_names()):
                return Entry(one_of_each.NAME, one_of_each.load_task())
            upload = self._uploads.get(name)
            text = self._texts.get(name)
            if upload is not None:
                return upload
            if text is None:
                return self._find_lasting(name)
        task = read(text).task
        assert task is not None, "only texts without mistakes are cached"
        return self._cache_task(name, text, task)

    def _find_lasting(self, name: str) -> Entry:
        """Return a task that is bundled or was named on the command line."""
        if name not in self._lasting:
            path = bundled_path(name)
            text = battery_text(name) if path is None else path.read_bytes()
            if text is None:
                hint = nearest(name, self.names(), listed_by="puzzlebox tasks")
                raise UnknownTask(f"there is no task {name[:100]!r}{hint}")
            task = read(text).task
            if task is None:
                raise UnknownTask(f"the bundled task {name} has mistakes; `puzzlebox check {name}` shows them")
            self._lasting[name] = Entry(name, task)
        return self._lasting[name]

    def names(self) -> list[str]:
        """Return the names of all tasks except uploads; files of the command line come first."""
        files = [name for name in self._lasting if name.startswith(FILE)]
        return [*files, *bundled_names()]

    def list_tasks(self, battery: str = "") -> list[dict[str, Any]]:
        """Return the summaries of the tasks of a battery, or of all tasks in none except uploads, for the gallery.

        Raises:
            UnknownTask: there is no battery of this name.
        """
        if battery and battery not in TITLES:
            raise UnknownTask(f"there is no battery {battery[:100]!r}{nearest(battery, TITLES)}")
        return [self.find(name).summary() for name in (battery_names(battery) if battery else self.names())]

    def list_batteries(self) -> list[dict[str, Any]]:
        """Return the batteries, whose tasks the gallery shows on request, as they are many."""
        counts = {name: len(battery_names(name)) for name in TITLES}
        return [{"name": name, "title": TITLES[name], "tasks": count} for name, count in counts.items() if count]

    # --- adding

    def add_file(self, source: str) -> str:
        """Add a task file named on the command line, and return the name under which pages play it.

        Raises:
            TaskError: the file has mistakes.
            FileNotFoundError: there is no such file, and no bundled task of that name.
        """
        is_bundled = source in bundled_names() or battery_text(source) is not None
        if is_bundled and not Path(source).is_file():
            return source
        shown_name, reading = read_source(Path(source))
        if reading.task is None:
            raise TaskError(shown_name, [finding for finding in reading.findings if finding.severity == "error"])
        name = self._name_of(Path(source).resolve())
        self._lasting[name] = Entry(name, reading.task)
        return name

    def _name_of(self, path: Path) -> str:
        """Return the name of a task file: its own, after as many of its folders as tell it from other files."""
        for start in range(len(path.parts) - 1, 0, -1):
            name = FILE + "/".join([*path.parts[start:-1], path.stem])
            if self._files.setdefault(name, path) == path:
                return name
        return FILE + path.as_posix()  # two files in one folder that differ in their endings alone

    def check(self, data: bytes) -> dict[str, Any]:
        """Check an uploaded text, and return the answer of `/api/check`; of a template, one variation is drawn."""
        if is_template(data):
            return self._check_template(data)
        reading = read(data)
        name = None if reading.task is None else self._cache_upload(data, reading.task)
        return _check_result(name, reading.task, reading)

    def _check_template(self, data: bytes) -> dict[str, Any]:
        # An upload must not make the studio read other files of this machine.
        reading, template = check_template(data, others=False)
        if reading.task is None or template is None:
            return _check_result(None, None, reading)
        try:
            variation = template.draw(unpredictable_rng())
            task = variation.task
        except TemplateError as problem:  # this variation was not among those that were checked
            return _check_result(None, None, replace(reading, findings=[*reading.findings, *problem.findings]))
        drawn = {
            "number": variation.number % template.count + 1,
            "count": template.count,
            "values": variation.description(),
        }
        # The values become factors in the metadata, so that reports find them in the recorded task.
        task = with_factors(task, variation.factors)
        return _check_result(self._cache_upload(task.text.encode(), task), task, reading, drawn)

    def _cache_upload(self, data: bytes, task: Task) -> str:
        name = UPLOAD + hashlib.sha256(data).hexdigest()[:24]
        with self._lock:
            self._texts.put(name, data, len(data) + _MIN_BYTES)
        self._cache_task(name, data, task)
        return name

    def _cache_task(self, name: str, text: bytes, task: Task) -> Entry:
        entry = Entry(name, task)
        with self._lock:
            self._uploads.put(name, entry, _size(task, text))
        return entry

    # --- pictures

    def thumbnail(self, name: str, view: str, width: int, height: int) -> bytes:
        """Return a PNG file of the start of a task; pictures are cached, and painted one at a time.

        Raises:
            UnknownTask: there is no such task.
        """
        entry = self.find(name)
        key = (entry.name, view, width, height)
        with self._painting:
            picture = self._pictures.get(key)
            if picture is None:
                picture = paint(World(entry.task, seed=0), view, width, height)
                self._pictures.put(key, picture, len(picture) + _MIN_BYTES)
            return picture


def _size(task: Task, text: bytes) -> int:
    """Estimate the bytes of memory a task takes; its things count, because a short text may hold thousands of them."""
    return (
        _MIN_BYTES
        + _BYTES_PER_TEXT_BYTE * len(text)
        + _BYTES_PER_THING * sum(len(arena.items) for arena in task.arenas)
    )


def paint(world: World, view: str, width: int, height: int) -> bytes:
    """Return a PNG file of the current state of a world."""
    scene = world.scene()
    camera = View.top(scene, width / height) if view == "top" else getattr(View, view)(scene)
    samples = 1 if view == "first" or width * height > _MAX_SMOOTHED_PIXELS else 2
    return png(Painter(scene).picture(camera, width, height, samples=samples, shadows=view != "first"))


def _check_result(
    name: str | None, task: Task | None, reading: Reading, variation: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the answer of `/api/check`: the name to play the task under, or None, and the findings."""
    return {
        "ok": name is not None,
        "task": name,
        "title": None if task is None else task.metadata.title,
        "variation": variation,
        "messages": _messages(reading),
    }


def _messages(reading: Reading) -> list[dict[str, Any]]:
    lines = lines_of(reading.text) if reading.findings else []
    return [_message(finding, lines) for finding in reading.findings[:_MAX_MESSAGES]]


def _message(finding: Diagnostic, lines: list[str]) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "line": finding.place.line,
        "column": finding.place.column,
        "text": finding.message,
        "excerpt": finding.picture(lines),
    }
