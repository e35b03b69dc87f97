"""Recordings as the original's own log: its 23 columns, one row per physics step (animal-ai.md 8.4)."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import numpy as np

from puzzlebox.lab.replaying import Moment, moments
from puzzlebox.lab.sheets import CsvSheet
from puzzlebox.lab.store import Episode, Store
from puzzlebox.senses.rays import Rays
from puzzlebox.world import Event, Record, World

Progress = Callable[[int], None]

COLUMNS = (
    *("Episode", "Step", "Health", "Reward", "XVelocity", "YVelocity", "ZVelocity", "XPosition", "YPosition"),
    *("ZPosition", "ActionForwardWithDescription", "ActionRotateWithDescription", "WasAgentFrozen?"),
    *("WasNotificationShown?", "WasRewardDispensed?", "DispensedRewardType", "CollectedRewardType"),
    *("WasSpawnerButtonTriggered?", "CombinedSpawnerInfo", "DataZoneMessage", "ActiveCamera", "CombinedRaycastData"),
    "arenaID",
)
INDEX = ("file", "Episode", "episode", "task", "arena", "seed", "player", "agent", "started")
_MOVES = ("0 (No Movement)", "1 (Move Forward)", "2 (Move Backward)")
_TURNS = ("0 (No Rotation)", "1 (Rotate Right)", "2 (Rotate Left)")
# The original gave these names to the wrong views; here they are those of the views they name.
_CAMERAS = {"first": "0 (First-Person)", "third": "1 (Third-Person)", "top": "2 (Bird's Eye)"}
# The rays of the original's own recorded runs.
_RAYS, _DEGREES = 9, 60.0
_BATCH = 1000
# Returns that differ by less are the same.
_SAME = 1e-6


def number(value: float) -> str:
    """A number as the original writes it: single precision, seven digits."""
    return f"{np.float32(value) + 0:.7G}"  # + 0: nothing is never negative


def files(folder: Path, episodes: Sequence[Episode]) -> dict[Path, list[Episode]]:
    """Which file each episode goes to: one for each task and player, oldest episode first."""
    made: dict[Path, list[Episode]] = {}
    for episode in sorted(episodes, key=lambda each: each.started):
        words = (episode.task or "task", episode.agent or episode.player, episode.task_hash[:8])
        name = "_".join(re.sub(r"[^A-Za-z0-9.-]+", "-", word).strip("-.")[:60] for word in words)
        made.setdefault(folder / f"Observations_{name}.csv", []).append(episode)
    return made


def index_of(folder: Path) -> Path:
    """The file that tells which row belongs to which episode."""
    return folder / "Observations_index.csv"


def export(
    store: Store,
    episodes: Sequence[Episode],
    folder: Path,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write the logs of some episodes, each played again for its rays; and an index of what is where.

    Args:
        store: where they are.
        episodes: which.
        folder: where the logs go; it is made if there is none.
        progress: is told the number of rows written, again and again.
        warn: is told of an episode that comes out differently now than when it was recorded.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    index = CsvSheet(index_of(folder), INDEX)
    written = []
    try:
        for path, inside in files(folder, episodes).items():
            sheet = CsvSheet(path, COLUMNS)
            try:
                for count, episode in enumerate(inside, 1):
                    total = _write(store, episode, count, sheet, progress)
                    if warn is not None and abs(total - episode.total) > _SAME:
                        warn(f"episode {episode.id} returned {episode.total} when recorded, and {total} when replayed")
                    about = (episode.id, episode.task, episode.arena + 1, episode.seed)
                    index.write([(path.name, count, *about, episode.player, episode.agent, episode.started)])
            except BaseException:
                sheet.abandon()
                raise
            sheet.close()
            written.append(path)
    except BaseException:
        index.abandon()
        raise
    index.close()
    return [*written, index_of(folder)]


def _write(
    store: Store, episode: Episode, count: int, sheet: CsvSheet, progress: Callable[[int], None] | None
) -> float:
    """Write one episode; its return as it came out now."""
    columns = store.steps(episode.id)
    views = dict(zip(columns["step"], columns["view"], strict=True))
    rows: list[list[Any]] = []
    total = 0.0
    for world, row in log(store.record(episode.id), count, views):
        rows.append(row)
        total = world.animals[0].total
        if len(rows) == _BATCH:
            sheet.write(rows)
            if progress is not None:
                progress(_BATCH)
            rows = []
    sheet.write(rows)
    if progress is not None:
        progress(len(rows))
    return total


def log(record: Record, episode: int = 1, views: dict[int, str] | None = None) -> Iterator[tuple[World, list[Any]]]:
    """The world and its row at every moment of an episode, also at the last one, which the original leaves out."""
    rays, view, shown = Rays(_RAYS, _DEGREES), "", "None"
    played = moments(record)
    moment: Moment | None = next(played)
    while moment is not None:
        world, events = moment.world, () if moment.outcome is None else moment.outcome.events
        view = (views or {}).get(world.clock, view)
        for event in events:
            if event.kind == "notified":
                shown = "Success" if event.details["success"] else "Failure"
        action = moment.actions[0] if moment.actions else 0
        row = [episode, world.clock + 1, *_state(world), _MOVES[action // 3], _TURNS[action % 3]]
        row += [_yes(world.animals[0].held > 0), shown, *_happened(world, events)]
        row += [_CAMERAS.get(view, _CAMERAS["first"]), _seen(world, rays), world.arena.id]
        # The original writes velocity and so on while the next step has begun: what brakes has braked already.
        velocity = _velocity(world)
        can_move, grounded = not (world.animals[0].held or world.animals[0].done), world.animals[0].grounded
        moment = next(played, None)
        next_action = moment.actions[0] if moment is not None and moment.actions else action
        brakes = can_move and grounded and next_action < 3
        row[4:7] = [number(speed * (record.rules.quick_stop if brakes else 1.0)) for speed in velocity]
        yield world, row


def _state(world: World) -> list[str]:
    animal = world.animals[0]
    place = map(number, world.position_of(animal))
    return [number(animal.health), number(animal.total), "", "", "", *place]


def _velocity(world: World) -> tuple[float, float, float]:
    """As the animal looks: to the right, up, ahead."""
    animal = world.animals[0]
    x, y, z = world.engine.velocity(animal.id)
    angle = radians(animal.heading)
    return (x * cos(angle) - z * sin(angle), y, x * sin(angle) + z * cos(angle))


def _happened(world: World, events: Sequence[Event]) -> list[str]:
    """Dispensed, collected, pressed, zones; where several come together, all are named."""
    of = {kind: [event for event in events if event.kind == kind] for kind in _KINDS}
    dispensed, pressed = of["dispensed"], of["pressed"]
    collected = [str(event.name) for event in of["collected"] if event.animal == 0]
    collected += ["End Episode Operation" for event in of["granted"] if event.animal == 0]
    zones = []
    for kind, words in (("left", "Agent left DataZone: "), ("entered", "Agent was in DataZone: ")):
        ids = [str(e.details["zone_id"]) for e in of[kind] if e.name == "DataZone" and e.animal == 0]
        zones += [words + " | ".join(ids)] if ids else []
    return [
        _yes(bool(dispensed)),
        " | ".join(str(event.name) for event in dispensed) or "None",
        " | ".join(collected) or "None",
        _yes(bool(pressed)),
        "|".join(_dispenser(world, event) for event in dispensed) or "N/A",
        " | ".join(zones) or "None",
    ]


_KINDS = ("dispensed", "pressed", "collected", "granted", "left", "entered")


def _dispenser(world: World, event: Event) -> str:
    identity = event.details["dispenser"]
    thing = world.present.get(identity)
    x, y, z = (0.0, 0.0, 0.0) if thing is None else world.position_of(thing)
    return f"SpawnerID:{identity}; Position:({x:.2f}, {y:.2f}, {z:.2f}); RewardType:{event.name}"


def _seen(world: World, rays: Rays) -> str:
    names = {"": "Untagged", "none": "None"}
    return ";".join(f"{number(distance)}:{names.get(tag, tag)}" for tag, distance in rays.seen(world))


def _yes(true: bool) -> str:
    return "Yes" if true else "No"


def read_log(path: Path) -> list[dict[str, str]]:
    """The rows of a log, the original's or ours, without the lines that are none."""
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if (row["Episode"] or "").isdigit()]
