"""Recordings for the page: what is stored, and an episode played again as the messages of the time."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from puzzlebox.record import Episode, Store
from puzzlebox.record.film import film_name
from puzzlebox.scene.png import png
from puzzlebox.studio import protocol
from puzzlebox.wings import wing_named

# What an EPISODE of docs/reference/studio-protocol.md holds.
FIELDS = (
    *("id", "task", "title", "arena", "arenas", "seed", "rules", "player", "agent", "participant", "started"),
    *("steps", "return", "passed", "ended_by", "finished", "file"),
)
_BLOCK = 64 * 1024


def views_of(episode: Episode) -> Sequence[str]:
    """Return the views in which an episode can be painted; none where its wing has no pictures or is not installed."""
    try:
        return wing_named(episode.wing).views
    except ValueError:
        return ()


def about(store: Store, episode: Episode) -> dict[str, Any]:
    """An EPISODE."""
    task = store.task(episode)
    more = {"file": film_name(episode, ""), "arenas": None if task is None else len(task.starts)}
    plain = episode.summary() | more | {"agent": None if episode.by_person else episode.agent}
    return {name: plain[name] for name in FIELDS}


def columns(store: Store, id: str) -> dict[str, Any]:
    """The steps of an episode, for a graph and a path."""
    stored = store.steps(id)
    return {name: stored[name] for name in ("step", "x", "z", "reward", "health", "total", "heading", "time_ms")}


def blocks(store: Store, id: str) -> Iterator[bytes]:
    """The messages of an episode, each after its length, in blocks; the first is made at once.

    Raises:
        StoreError, ValueError: the episode is damaged, which is found out before anything is sent.
    """
    made = _blocks(store, id)
    return chain([next(made)], made)


def _blocks(store: Store, id: str) -> Iterator[bytes]:
    waiting, size = [], 0
    episode, record = store.episode(id), store.record(id)
    for message in wing_named(episode.wing).messages(episode, record):
        block = protocol.in_a_row([message])
        waiting.append(block)
        size += len(block)
        if size > _BLOCK:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def picture(store: Store, id: str, step: int | None, view: str, width: int, height: int) -> bytes:
    """A PNG file of one moment."""
    from puzzlebox.record import film

    return png(film.picture(store.record(id), step, view, (width, height)))


def film(store: Store, id: str, ending: str, view: str, width: int, height: int) -> bytes:
    """The episode as MP4 or GIF."""
    from puzzlebox.record import film as filming

    with TemporaryDirectory(prefix="puzzlebox-") as folder:
        path = Path(folder) / f"film.{ending}"
        filming.film(store.record(id), path, view, (width, height))
        return path.read_bytes()
