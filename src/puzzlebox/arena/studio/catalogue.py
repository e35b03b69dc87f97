"""The tasks one can play: bundled ones, those somebody dropped onto the page, and one given on the command line."""

import hashlib
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from puzzlebox.arena.schema import Diagnostic, Reading, Task, TaskError, read, read_source
from puzzlebox.arena.schema.lines import lines_of
from puzzlebox.arena.schema.tree import MAX_BYTES
from puzzlebox.arena.studio import one_of_each
from puzzlebox.arena.studio.cache import Kept
from puzzlebox.arena.template_check import check_template
from puzzlebox.arena.variations import TemplateError, is_template
from puzzlebox.arena.world import World
from puzzlebox.batteries import bundled_names, bundled_path
from puzzlebox.record.entries import FILE, UPLOAD
from puzzlebox.render import Painter, View
from puzzlebox.scene.png import png
from puzzlebox.seeds import unpredictable_rng
from puzzlebox.text import nearest

# Texts of uploads that are kept: so many bytes of them, and of the tasks read from them. What is forgotten of the tasks
# is read again; an upload whose text is forgotten has to be made again.
MOST_UPLOADED, MOST_READ = 16 * MAX_BYTES, 64 * MAX_BYTES
# Bytes that one thing of a task takes up, and one byte of its text; measured with 9000 walls and with long titles.
_THING, _LETTER = 1_200, 4
# What the smallest of anything takes up.
_LEAST = 1_000
# Findings of one file that are told; a page of them is more than anybody reads.
_MOST_MESSAGES = 100
VIEWS = ("first", "third", "top")
# A task can also be looked at as a whole.
THUMBNAIL_VIEWS = ("whole", *VIEWS)
_MOST_PAINTED = 64 << 20
# Larger pictures are painted as they are; smaller ones finer, and averaged.
_FINE = 640 * 480


class UnknownTask(Exception):
    """There is no such task; one sentence."""


@dataclass(frozen=True)
class Entry:
    """A task and what it is called."""

    name: str
    task: Task

    def about(self) -> dict[str, Any]:
        """What the page's gallery shows."""
        metadata, arenas = self.task.metadata, self.task.arenas
        return {
            "name": self.name,
            "title": metadata.title or self.name,
            "level": metadata.level,
            "tags": list(metadata.tags),
            "description": metadata.description or "",
            "arenas": len(arenas),
            "agents": max(1, len(arenas[0].agents())),
            "thumbnail": f"/api/thumbnails/{quote(self.name, safe='/:')}.png",
        }


class Catalogue:
    """Finds tasks by name. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._painting = threading.Lock()
        self._known: dict[str, Entry] = {}
        self._texts: Kept[str, bytes] = Kept(MOST_UPLOADED)
        self._uploads: Kept[str, Entry] = Kept(MOST_READ)
        self._pictures: Kept[tuple[str, str, int, int], bytes] = Kept(_MOST_PAINTED)

    # --- finding

    def find(self, name: str | None) -> Entry:
        """The task of a name; without one, the arena with one of every thing.

        Raises:
            UnknownTask: there is none.
        """
        with self._lock:
            if name is None or (name == one_of_each.NAME and name not in bundled_names()):
                return Entry(one_of_each.NAME, one_of_each.everything())
            upload = self._uploads.get(name)
            text = self._texts.get(name)
            if upload is not None:
                return upload
            if text is None:
                return self._lasting(name)
        task = read(text).task
        assert task is not None, "what was uploaded could be read"
        return self._hold(name, text, task)

    def _lasting(self, name: str) -> Entry:
        """A task that is bundled or was given on the command line."""
        if name not in self._known:
            path = bundled_path(name)
            if path is None:
                hint = nearest(name, self.names(), listed_by="puzzlebox tasks")
                raise UnknownTask(f"there is no task {name[:100]!r}{hint}")
            task = read(path.read_bytes()).task
            if task is None:
                raise UnknownTask(f"the bundled task {name} has mistakes; `puzzlebox check {name}` shows them")
            self._known[name] = Entry(name, task)
        return self._known[name]

    def names(self) -> list[str]:
        """What can be played by name, without uploads."""
        given = [name for name in self._known if name.startswith(FILE)]
        return [*given, *bundled_names()]

    def listing(self) -> list[dict[str, Any]]:
        """All of them, for the gallery."""
        return [self.find(name).about() for name in self.names()]

    # --- adding

    def add_file(self, source: str) -> str:
        """Have a task file played that the command line named; the name of its task here.

        Raises:
            TaskError: it has mistakes.
            FileNotFoundError: there is none, and no bundled task of that name.
        """
        if source in bundled_names() and not Path(source).is_file():
            return source
        shown, reading = read_source(Path(source))
        if reading.task is None:
            raise TaskError(shown, [finding for finding in reading.findings if finding.severity == "error"])
        name = FILE + Path(source).stem
        self._known[name] = Entry(name, reading.task)
        return name

    def check(self, data: bytes) -> dict[str, Any]:
        """What is wrong or doubtful in a text, and the name it can be played under; of a template, one is drawn."""
        if is_template(data):
            return self._check_template(data)
        reading = read(data)
        name = None if reading.task is None else self._keep(data, reading.task)
        return _checked(name, reading.task, reading)

    def _check_template(self, data: bytes) -> dict[str, Any]:
        # What comes from outside must not have files of this machine read.
        reading, template = check_template(data, others=False)
        if reading.task is None or template is None:
            return _checked(None, None, reading)
        try:
            variation = template.draw(unpredictable_rng())
            task = variation.task
        except TemplateError as problem:  # one that is not among those looked at
            return _checked(None, None, replace(reading, findings=[*reading.findings, *problem.findings]))
        about = {
            "number": variation.number % template.count + 1,
            "count": template.count,
            "values": variation.description(),
        }
        return _checked(self._keep(variation.text.encode(), task), task, reading, about)

    def _keep(self, data: bytes, task: Task) -> str:
        name = UPLOAD + hashlib.sha256(data).hexdigest()[:24]
        with self._lock:
            self._texts.keep(name, data, len(data) + _LEAST)
        self._hold(name, data, task)
        return name

    def _hold(self, name: str, text: bytes, task: Task) -> Entry:
        entry = Entry(name, task)
        with self._lock:
            self._uploads.keep(name, entry, _size(task, text))
        return entry

    # --- pictures

    def thumbnail(self, name: str, view: str, width: int, height: int) -> bytes:
        """A PNG file of the start of a task; painted once, one at a time.

        Raises:
            UnknownTask: there is no such task.
        """
        entry = self.find(name)
        key = (entry.name, view, width, height)
        with self._painting:
            picture = self._pictures.get(key)
            if picture is None:
                picture = painted(World(entry.task, seed=0), view, width, height)
                self._pictures.keep(key, picture, len(picture) + _LEAST)
            return picture


def _size(task: Task, text: bytes) -> int:
    """How many bytes a task takes up in memory: by its things, because a short text may hold thousands of them."""
    return _LEAST + _LETTER * len(text) + _THING * sum(len(arena.items) for arena in task.arenas)


def painted(world: World, view: str, width: int, height: int) -> bytes:
    """A PNG file of a world as it is now."""
    scene = world.scene()
    look = View.top(scene, width / height) if view == "top" else getattr(View, view)(scene)
    samples = 1 if view == "first" or width * height > _FINE else 2
    return png(Painter(scene).picture(look, width, height, samples=samples, shadows=view != "first"))


def _checked(
    name: str | None, task: Task | None, reading: Reading, variation: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The answer to a file: whether and as what it can be played, and what is to be said about it."""
    return {
        "ok": name is not None,
        "task": name,
        "title": None if task is None else task.metadata.title,
        "variation": variation,
        "messages": _messages(reading),
    }


def _messages(reading: Reading) -> list[dict[str, Any]]:
    lines = lines_of(reading.text) if reading.findings else []
    return [_told(finding, lines) for finding in reading.findings[:_MOST_MESSAGES]]


def _told(finding: Diagnostic, lines: list[str]) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "line": finding.place.line,
        "column": finding.place.column,
        "text": finding.message,
        "excerpt": finding.picture(lines),
    }
