"""The arena in words and as a picture: what a language model is shown."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from math import degrees
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from puzzlebox.arena.senses.rays import LENGTH, ray_turns
from puzzlebox.scene.png import png

# What each tag of a ray looks like. A word says no more than a picture would: a decoy is a grey ball.
KINDS: Mapping[str, str] = {
    "arena": "fence",
    "Immovable": "wall",
    "Movable": "movable block",
    "goodGoal": "green ball",
    "goodGoalMulti": "yellow ball",
    "badGoal": "red ball",
    "GoalSpawner": "dispenser",
    "DeathZone": "red zone",
    "HotZone": "orange zone",
    "Ramp": "ramp",
    "PillarButton": "pillar with a button",
    "SignPoster": "sign",
    "DecoyGoal": "grey ball",
    "DecoyGoalBounce": "grey ball",
    "HollowObj": "open box",
    "badGoalMulti": "orange ball",
    "DataZone": "glass zone",
    "agent": "another animal",
}
# A thing whose tag has no column, such as a growing goal.
_UNKNOWN = "something"
# Neighbouring rays that hit the same kind show one thing if their distances differ by less, in metres.
_SAME_THING = 2.0
# Speeds below this, in metres per second, are not mentioned.
_STILL = 0.05
_DIRECTIONS = (("to the right", "to the left"), ("up", "down"), ("forwards", "backwards"))


class Sighting(NamedTuple):
    """Something that neighbouring rays hit.

    Attributes:
        kind: what it looks like.
        metres: the distance of its nearest hit.
        first: the angle of its leftmost ray in degrees; to the right is positive.
        last: the angle of its rightmost ray.
    """

    kind: str
    metres: float
    first: float
    last: float

    def __str__(self) -> str:
        middle, width = (self.first + self.last) / 2, self.last - self.first
        side = "straight ahead"
        if abs(middle) >= 1:
            side = f"{abs(middle):.0f} degrees to the {'right' if middle > 0 else 'left'}"
        wide = f", {width:.0f} degrees wide" if width >= 1 else ""
        return f"{self.kind}: {self.metres:.1f} m away, {side}{wide}"


def sightings(rays: npt.NDArray[Any], tags: Sequence[str], fan_degrees: float) -> list[Sighting]:
    """Return what a fan of rays sees, from left to right.

    Args:
        rays: the numbers of the sense.
        tags: the names of the columns.
        fan_degrees: the angle of the whole fan.
    """
    rows = rays.reshape(-1, len(tags) + 2)
    angles = [degrees(turn) for turn in ray_turns(len(rows), fan_degrees)]
    found: list[Sighting] = []
    beside = last_metres = None
    for index in np.argsort(angles, kind="stable"):
        row, angle = rows[index], angles[index]
        kind = _kind(row, tags)
        metres = float(row[-1]) * LENGTH
        if kind is not None:
            same = found and beside == kind and last_metres is not None and abs(metres - last_metres) < _SAME_THING
            if same:
                found[-1] = found[-1]._replace(metres=min(found[-1].metres, metres), last=angle)
            else:
                found.append(Sighting(kind, metres, angle, angle))
        beside, last_metres = kind, metres
    return found


def _kind(row: npt.NDArray[Any], tags: Sequence[str]) -> str | None:
    """Return what a ray hit; None for nothing."""
    if row[len(tags)]:
        return None
    columns = np.flatnonzero(row[: len(tags)])
    if not len(columns):
        # Neither a column nor "nothing": a thing without a tag; or darkness, in which all numbers are 0.
        return _UNKNOWN if row[-1] else None
    tag = tags[int(columns[0])]
    return KINDS.get(tag, tag)


def describe_sight(seen: Sequence[Sighting], fan_degrees: float) -> str:
    """Return what rays see, as a list."""
    if not seen:
        return f"Within {fan_degrees:g} degrees ahead you see nothing."
    return "\n".join([f"You see, from left to right within {fan_degrees:g} degrees:", *(f"- {each}" for each in seen)])


def describe_state(vitals: npt.NDArray[Any], reward: float, lights: bool) -> str:
    """Return health, velocity, the reward since the last reply and the light, in words.

    Args:
        vitals: health from 0 to 100, the velocity in the animal's own frame (right, up, ahead), and the position.
        reward: the reward since the last reply.
        lights: whether the light is on.
    """
    parts = [f"{abs(speed):.1f} m/s {words[speed < 0]}" for speed, words in _speeds(vitals) if abs(speed) >= _STILL]
    moving = f"You move {', '.join(parts)}." if parts else "You stand still."
    dark = "" if lights else " The light is off: you see nothing."
    return f"Health: {float(vitals[0]):.0f} of 100. {moving} Reward since your last reply: {reward:+.3f}.{dark}"


def _speeds(vitals: npt.NDArray[Any]) -> list[tuple[float, tuple[str, str]]]:
    """Return the velocity ahead, to the right and up, each with its two words."""
    speeds = [(float(speed), words) for speed, words in zip(vitals[1:4], _DIRECTIONS, strict=True)]
    return [speeds[2], speeds[0], speeds[1]]


def data_url(picture: npt.NDArray[np.uint8]) -> str:
    """Return a picture (height x width x channels, the top row first) as the data URL of a PNG file."""
    return f"data:image/png;base64,{b64encode(png(picture)).decode()}"
