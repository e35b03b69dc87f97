"""What a child did, judged from its log alone: looks, touches, grasps, puts in and on, chooses, kicks.

Every function takes a `Log`, most often a window of one. Answers for each step are arrays of booleans with one value
for each entry. A step is 1/15 s.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.scenes.log import SIDES, Log

Bools = NDArray[np.bool_]
Array = NDArray[np.float64]
# A look: the cosine between gaze and thing (18 degrees), pixels in one eye, and for how many steps.
LOOK_COSINE, LOOK_PIXELS, LOOK_STEPS = 0.95, 12, 3
# A reach ends this near, in metres, and at least halves the distance.
REACH_NEAR, REACH_SHARE = 0.08, 0.5
# A grasp: the fastest motion of the thing in the hand in metres a second, and how long, in seconds.
GRASP_SPEED, GRASP_SECONDS = 0.02, 0.5
# Being in or on: seconds since the release; upward part of the normal, speed and seconds of rest.
IN_SECONDS, ON_NORMAL, ON_SPEED, ON_SECONDS = 1.0, 0.7, 0.01, 2.0
# The radius of a zone of choice in a room, in metres.
ZONE = 0.30
# Shaking: reversals in seconds; banging: metres a second; scanning: metres of slip without lifting by more than this.
SHAKE_REVERSALS, SHAKE_SECONDS, BANG_SPEED, SCAN_METRES, SCAN_LIFT = 3, 2.0, 0.3, 0.05, 0.005
# Slower motions are no reversals, in metres a second.
_STILL = 0.02
# A kick: the peak of an ankle's speed in metres a second, and seconds between two.
KICK_SPEED, KICK_SECONDS = 0.3, 0.3
# Preference: a trial with less looking than this many seconds does not count.
LEAST_LOOKING = 2.0


def steps_of(seconds: float) -> int:
    """Return how many steps last at least some seconds."""
    return ceil(seconds / CONTROL_STEP - 1e-9)


# --- looking


def gaze(log: Log) -> Array:
    """Return the direction of the gaze in each step (steps x 3)."""
    return np.array([entry.gaze for entry in log.entries]).reshape(-1, 3)


def towards(log: Log, thing: str) -> Array:
    """Return the direction from the eyes to the middle of a thing in each step (steps x 3)."""
    away = positions(log, thing) - np.array([entry.eyes for entry in log.entries]).reshape(-1, 3)
    return np.asarray(away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9))


def on_target(log: Log, thing: str, *, visible: bool = True) -> Bools:
    """Return in which steps the gaze is on a thing, however briefly.

    Args:
        log: the steps.
        thing: its name.
        visible: whether it must be visible, too.
    """
    aimed = (gaze(log) * towards(log, thing)).sum(axis=1) > LOOK_COSINE
    if not visible:
        return np.asarray(aimed)
    seen = [max(entry.pixels.get(thing, (0,))) >= LOOK_PIXELS for entry in log.entries]
    return np.asarray(aimed & np.array(seen, bool))


def look(log: Log, thing: str, *, visible: bool = True) -> Bools:
    """Return which steps belong to a look at a thing: the gaze is on it, and it is visible, for three steps or more."""
    return runs(on_target(log, thing, visible=visible), LOOK_STEPS)


def first_look(log: Log, thing: str, *, visible: bool = True) -> float | None:
    """Return after how many seconds a look at a thing is established; None if there is none."""
    found = np.flatnonzero(look(log, thing, visible=visible))
    return None if not len(found) else float((found[0] + LOOK_STEPS) * CONTROL_STEP)


def looking_seconds(log: Log, thing: str) -> float:
    """Return for how many seconds a thing is looked at."""
    return float(look(log, thing).sum() * CONTROL_STEP)


def preference(log: Log, thing: str, alternatives: Sequence[str]) -> float | None:
    """Return the share of looking at a thing among all looking at the alternatives; None below two seconds of it."""
    seconds = {name: looking_seconds(log, name) for name in {thing, *alternatives}}
    total = sum(seconds.values())
    return None if total < LEAST_LOOKING else seconds[thing] / total


def head_turn(log: Log) -> Array:
    """Return how far the head has turned to the left since the first step, in degrees."""
    yaw = np.radians([entry.head[0] for entry in log.entries])
    return np.degrees(np.unwrap(yaw) - yaw[0]) if len(yaw) else np.zeros(0)


def habituated(trials: Sequence[float]) -> bool:
    """Return whether the mean looking time of the last three trials is at most half of that of the first three."""
    return len(trials) >= 6 and sum(trials[-3:]) <= 0.5 * sum(trials[:3])


def looked_away(log: Log, thing: str, seconds: float = 2.0) -> bool:
    """Return whether the log ends with a continuous look away from a thing, of some seconds."""
    count = steps_of(seconds)
    return len(log) >= count and not look(log, thing)[-count:].any()


# --- hands


def positions(log: Log, thing: str) -> Array:
    """Return where a thing is in each step (steps x 3)."""
    return np.array([entry.things[thing].at for entry in log.entries]).reshape(-1, 3)


def palms(log: Log, side: str) -> Array:
    """Return where a palm is in each step (steps x 3)."""
    return np.array([entry.hands[side].palm for entry in log.entries]).reshape(-1, 3)


def touch(log: Log, side: str, thing: str) -> Bools:
    """Return in which steps a hand touches a thing and feels something."""
    hands = [entry.hands[side] for entry in log.entries]
    return np.array([hand.felt and thing in hand.touches for hand in hands], bool)


def touch_by_any(log: Log, thing: str) -> Bools:
    """Return in which steps either hand touches a thing."""
    return np.asarray(touch(log, SIDES[0], thing) | touch(log, SIDES[1], thing))


def reach(log: Log, side: str, thing: str) -> bool:
    """Return whether a hand reaches a thing: their distance falls by half or more to below 8 cm, or they touch."""
    if not len(log):
        return False
    away = np.linalg.norm(palms(log, side) - positions(log, thing), axis=1)
    near = (away < REACH_NEAR) & (away <= REACH_SHARE * away[0])
    return bool(near.any() or touch(log, side, thing).any())


def path_ratio(log: Log, side: str) -> float:
    """Return the length of the way of a palm, relative to the straight line from its start to its end."""
    places = palms(log, side)
    way = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
    return way / max(float(np.linalg.norm(places[-1] - places[0])), 1e-6)


def grasp(log: Log, thing: str) -> Bools:
    """Return in which steps a thing is grasped, for half a second or more.

    A hand of joints grasps what moves with it, between two bones of the hand that press from opposite sides, or
    between both palms. An animated hand grasps what it holds.
    """
    held = np.array([any(hand.holds == thing for hand in entry.hands.values()) for entry in log.entries], bool)
    steps = steps_of(GRASP_SECONDS)
    out = held.copy()
    both = np.array([all(thing in hand.touches for hand in entry.hands.values()) for entry in log.entries], bool)
    for side in SIDES:
        still = _speed_in_hand(log, side, thing) < GRASP_SPEED
        pressed = np.array([_opposed(entry.hands[side], thing) for entry in log.entries], bool)
        out |= runs(still & (pressed | both), steps)
    return out


def _opposed(hand: object, thing: str) -> bool:
    contact = hand.touches.get(thing)  # type: ignore[attr-defined]
    if contact is None or len(contact.bones) < 2:
        return False
    normals = np.array(contact.normals)
    return bool((normals @ normals.T).min() < 0.0)


def _speed_in_hand(log: Log, side: str, thing: str) -> Array:
    """Return how fast a thing moves in the frame of a hand, in metres a second."""
    local = np.array(
        [
            _back(entry.hands[side].turn, np.subtract(entry.things[thing].at, entry.hands[side].palm))
            for entry in log.entries
        ]
    ).reshape(-1, 3)
    if len(local) < 2:
        return np.zeros(len(local))
    speed = np.linalg.norm(np.diff(local, axis=0), axis=1) / CONTROL_STEP
    return np.concatenate((speed[:1], speed))


def _back(turn: Sequence[float], vector: Array) -> Array:
    """Return a vector in the frame that a rotation (w, x, y, z) turns."""
    w, *rest = turn
    axis = np.array(rest)
    return np.asarray(vector - 2 * w * np.cross(axis, vector) + 2 * np.cross(axis, np.cross(axis, vector)))


def lift(log: Log, thing: str, height: float) -> Bools:
    """Return in which steps a grasped thing is some metres above where it lay before it was grasped."""
    grasped = grasp(log, thing)
    out, support = np.zeros(len(log), bool), None
    for row, entry in enumerate(log.entries):
        lowest = entry.things[thing].lowest
        if not grasped[row] or support is None:
            support = lowest
        out[row] = grasped[row] and lowest - support >= height
    return out


# --- places


def inside(log: Log, thing: str, container: str) -> bool:
    """Return whether at the end a thing, released for a second or more, has its middle in the cavity of another."""
    count = steps_of(IN_SECONDS)
    if len(log) < count or _handled(log.window(-count), thing):
        return False
    cavity = log.facts.get("cavities", {}).get(container)
    if cavity is None:
        raise ValueError(f"thing {container!r} has no cavity; only things with one can hold others")
    entry = log.entries[-1]
    other = entry.things[container]
    middle, half = np.array(cavity)
    local = _back(other.turn, np.subtract(entry.things[thing].at, other.at)) - middle
    return bool((np.abs(local) <= half).all())


def on(log: Log, thing: str, support: str) -> bool:
    """Return whether at the end a thing, released for a second, rests on another and has been still for two."""
    count, released = steps_of(ON_SECONDS), steps_of(IN_SECONDS)
    if len(log) < count or _handled(log.window(-released), thing):
        return False
    for entry in log.entries[-count:]:
        if np.linalg.norm(entry.things[thing].velocity) >= ON_SPEED:
            return False
        if not any(one == thing and two == support and up > ON_NORMAL for one, two, up in entry.rests):
            return False
    return True


def _handled(log: Log, thing: str) -> bool:
    return any(hand.holds == thing or thing in hand.touches for entry in log.entries for hand in entry.hands.values())


def choose(log: Log, alternatives: Sequence[str]) -> str | None:
    """Return the first alternative that a hand touches; None if there is none. There is no second chance."""
    rows = {name: np.flatnonzero(touch_by_any(log, name)) for name in alternatives}
    found = [(int(each[0]), name) for name, each in rows.items() if len(each)]
    return min(found)[1] if found else None


def choose_zone(log: Log, alternatives: Sequence[str], radius: float = ZONE) -> str | None:
    """Return the first alternative whose zone the child enters on foot; None if there is none."""
    for entry in log.entries:
        for name in alternatives:
            if np.hypot(*np.subtract(entry.root[:2], entry.things[name].at[:2])) <= radius:
                return name
    return None


# --- actions


def shakes(log: Log, thing: str) -> Bools:
    """Return in which steps a grasped thing has been shaken: three reversals of its velocity in two seconds."""
    velocity = np.array([entry.things[thing].velocity for entry in log.entries]).reshape(-1, 3)
    grasped, out = grasp(log, thing), np.zeros(len(log), bool)
    reversal = np.zeros(len(log), bool)
    last = None
    for row in range(len(log)):
        speed = float(np.linalg.norm(velocity[row]))
        if not grasped[row]:
            last = None
        elif speed > _STILL:
            direction = velocity[row] / speed
            reversal[row] = last is not None and float(direction @ last) < 0
            last = direction
    count = steps_of(SHAKE_SECONDS)
    for row in range(len(log)):
        out[row] = grasped[row] and reversal[max(0, row - count + 1) : row + 1].sum() >= SHAKE_REVERSALS
    return out


def bangs(log: Log, thing: str) -> int:
    """Return how often a hand strikes a thing faster than 0.3 m/s."""
    hands = (hand for entry in log.entries for hand in entry.hands.values())
    return sum(thing in hand.touches and hand.touches[thing].speed > BANG_SPEED for hand in hands)


def scans(log: Log, side: str, thing: str) -> bool:
    """Return whether a hand slips more than 5 cm over a thing in one touch, without lifting it."""
    touched = touch(log, side, thing)
    places, slip, support = palms(log, side) - positions(log, thing), 0.0, 0.0
    for row in range(len(log)):
        lowest = log.entries[row].things[thing].lowest
        if not touched[row] or row == 0 or not touched[row - 1]:
            slip, support = 0.0, lowest
        elif lowest - support > SCAN_LIFT:
            slip = 0.0
        else:
            slip += float(np.linalg.norm(places[row] - places[row - 1]))
        if slip > SCAN_METRES:
            return True
    return False


def kicks(log: Log, side: str) -> int:
    """Return how often an ankle kicks: peaks of its speed above 0.3 m/s, at least 0.3 s apart."""
    speed = np.array([entry.ankles[side] for entry in log.entries])
    count, last = 0, -steps_of(KICK_SECONDS)
    for row in range(len(speed)):
        before = speed[row - 1] if row else 0.0
        after = speed[row + 1] if row + 1 < len(speed) else 0.0
        if (
            speed[row] > KICK_SPEED
            and speed[row] >= before
            and speed[row] > after
            and row - last >= steps_of(KICK_SECONDS)
        ):
            count, last = count + 1, row
    return count


def runs(values: Bools, least: int) -> Bools:
    """Return the values without runs of True that are shorter than some steps."""
    out = np.zeros(len(values), bool)
    padded = np.concatenate(([False], values, [False])).astype(np.int8)
    starts, ends = np.flatnonzero(np.diff(padded) == 1), np.flatnonzero(np.diff(padded) == -1)
    for start, end in zip(starts, ends, strict=True):
        if end - start >= least:
            out[start:end] = True
    return out
