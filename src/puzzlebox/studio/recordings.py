"""Recordings for the page: what is stored, and an episode played again as the messages of the time."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from puzzlebox.arena.world.moments import moments
from puzzlebox.record import Episode, Store
from puzzlebox.record.film import film_name
from puzzlebox.scene.png import png
from puzzlebox.studio import protocol
from puzzlebox.studio.protocol import FrameFlag
from puzzlebox.studio.teller import Teller, about_arena, events_text, moment_of

# What an EPISODE of docs/reference/studio-protocol.md holds.
FIELDS = (
    *("id", "task", "title", "arena", "arenas", "seed", "rules", "player", "agent", "participant", "started"),
    *("steps", "return", "passed", "ended_by", "finished", "file"),
)
# From each of these physics steps on one can begin to look, without what was before.
KEY_STEPS = 500
_BLOCK = 64 * 1024


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
    for message in messages(store, id):
        block = protocol.in_a_row([message])
        waiting.append(block)
        size += len(block)
        if size > _BLOCK:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def messages(store: Store, id: str) -> Iterator[bytes | str]:
    """What a page would have been told while it was played: the episode, then for each step events and a frame."""
    episode, record = store.episode(id), store.record(id)
    teller, notified, position = Teller(), False, record.arena
    for world, outcome, actions in moments(record):
        events = world.take_events() if outcome is None else outcome.events
        if outcome is None or world.position != position:
            position = world.position
            yield protocol.compact(_introduction(episode) | about_arena(world) | {"step": world.clock})
        if events:
            notified = notified or any(event.kind == "notified" for event in events)
            yield events_text(world.clock, events)
        if world.clock % KEY_STEPS == 0:
            teller.forget()
        shown = FrameFlag.NOTIFICATION if notified and not world.over else 0
        moment = moment_of(world, action=actions[0] if actions else 0, extra_flags=shown)
        yield from teller.tell(world, moment)
    told = {"type": "ended", "episode": id, "step": world.clock, "cause": episode.ended_by, "passed": world.passed()}
    yield protocol.compact(told | {"return": world.animals[0].total, "pause": 0, "last": False})


def _introduction(episode: Episode) -> dict[str, Any]:
    return {
        "type": "episode",
        "episode": episode.id,
        "task": episode.task,
        "title": episode.title,
        "seed": episode.seed,
        "rules": episode.rules,
        "agent": None if episode.by_person else episode.agent,
        "participant": episode.participant,
        "previous_return": None,
        "notified": None,
        "note": None,
    }


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
