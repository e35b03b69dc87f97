"""Recordings for the page: descriptions, steps, pictures, films, and the messages of an episode played again."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from puzzlebox.record import Episode, Store
from puzzlebox.record.film import film_name
from puzzlebox.scene.png import png
from puzzlebox.studio import protocol
from puzzlebox.wings import find_episode_page, find_wing, wing_named

# The fields of an EPISODE in docs/reference/studio-protocol.md.
FIELDS = (
    *("id", "task", "title", "arena", "arenas", "seed", "rules", "player", "agent", "participant", "started"),
    *("steps", "return", "passed", "ended_by", "finished", "file", "page"),
)
_BLOCK_BYTES = 64 * 1024


def views_of(episode: Episode) -> Sequence[str]:
    """Return the views in which an episode can be painted; none if its wing has no pictures or is not installed."""
    wing = find_wing(episode.wing)
    return () if wing is None else wing.views


def describe(store: Store, episode: Episode) -> dict[str, Any]:
    """Return an episode as the EPISODE of the protocol."""
    task = store.task(episode)
    computed: dict[str, Any] = {"file": film_name(episode, ""), "arenas": None if task is None else len(task.starts)}
    page = None if task is None else find_episode_page(find_wing(episode.wing), task, episode.arena, episode.id)
    computed["page"] = None if page is None else page._asdict()
    fields = episode.summary() | computed | {"agent": None if episode.by_person else episode.agent}
    return {name: fields[name] for name in FIELDS}


def read_columns(store: Store, id: str) -> dict[str, Any]:
    """Return the columns of the steps of an episode that the page draws as curves and as a path."""
    steps = store.steps(id)
    return {name: steps[name] for name in ("step", "x", "z", "reward", "health", "total", "heading", "time_ms")}


def read_blocks(store: Store, id: str) -> Iterator[bytes]:
    """Return the messages of an episode, each after its length, in blocks.

    The first block is made before the function returns, so that damage is noticed before anything is sent.

    Raises:
        StoreError, ValueError: the episode is damaged.
    """
    blocks = _make_blocks(store, id)
    return chain([next(blocks)], blocks)


def _make_blocks(store: Store, id: str) -> Iterator[bytes]:
    pieces, size = [], 0
    episode, record = store.episode(id), store.record(id)
    for message in wing_named(episode.wing).messages(episode, record):
        piece = protocol.join_messages([message])
        pieces.append(piece)
        size += len(piece)
        if size > _BLOCK_BYTES:
            yield b"".join(pieces)
            pieces, size = [], 0
    yield b"".join(pieces)


def paint_picture(store: Store, id: str, step: int | None, view: str, width: int, height: int) -> bytes:
    """Return a PNG file of one step of an episode; None: its end."""
    from puzzlebox.record import film

    return png(film.picture(store.record(id), step, view, (width, height)))


def make_film(store: Store, id: str, ending: str, view: str, width: int, height: int) -> bytes:
    """Return a film of an episode as an MP4 or GIF file."""
    from puzzlebox.record import film

    with TemporaryDirectory(prefix="puzzlebox-") as folder:
        path = Path(folder) / f"film.{ending}"
        film.film(store.record(id), path, view, (width, height))
        return path.read_bytes()
