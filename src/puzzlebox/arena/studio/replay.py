"""A recorded episode as the messages that a page would have received while it was played."""

from collections.abc import Iterator
from typing import Any

from puzzlebox.arena.studio.scene_stream import SceneStream, describe_arena, events_message, moment_of
from puzzlebox.arena.world import Record
from puzzlebox.arena.world.moments import moments
from puzzlebox.record import Episode
from puzzlebox.studio import protocol
from puzzlebox.studio.protocol import FrameFlag

# At each multiple of this many physics steps the complete scene is sent, so that a page can start showing there.
KEY_STEPS = 500


def messages(episode: Episode, record: Record) -> Iterator[bytes | str]:
    """Yield the messages a page would have received while an episode was played: description, events and frames."""
    stream, notified, position = SceneStream(), False, record.arena
    for world, outcome, actions in moments(record):
        events = world.take_events() if outcome is None else outcome.events
        if outcome is None or world.position != position:
            position = world.position
            yield protocol.compact(_introduction(episode) | describe_arena(world) | {"step": world.clock})
        if events:
            notified = notified or any(event.kind == "notified" for event in events)
            yield events_message(world.clock, events)
        if world.clock % KEY_STEPS == 0:
            stream.reset()
        flags = FrameFlag.NOTIFICATION if notified and not world.over else 0
        moment = moment_of(world, action=actions[0] if actions else 0, extra_flags=flags)
        yield from stream.messages(world, moment)
    ended = {
        "type": "ended",
        "episode": episode.id,
        "step": world.clock,
        "cause": episode.ended_by,
        "passed": world.passed(),
    }
    yield protocol.compact(ended | {"return": world.animals[0].total, "pause": 0, "last": False})


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
