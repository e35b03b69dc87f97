"""What a child did, step by step: the only thing that scores are computed from, so that they can be recomputed.

One `Entry` is one control step. A log is text, one JSON object a line: first a line about the child and the things,
then one for each step. Numbers are written so that reading them gives the same numbers.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from puzzlebox.infant.body.physics import CONTROL_STEP

SIDES = ("left", "right")
# Positions are written with this many decimals: a hundredth of a millimetre.
DECIMALS = 5


@dataclass
class Contact:
    """How a hand touches a thing.

    Attributes:
        bones: the bones of the hand that touch it.
        normals: for each, the direction from the bone to the thing.
        speed: the fastest approach of the two in metres a second, when the contact began; 0 later.
    """

    bones: list[str] = field(default_factory=list)
    normals: list[list[float]] = field(default_factory=list)
    speed: float = 0.0


@dataclass
class Hand:
    """A hand at the end of a step.

    Attributes:
        palm: the middle of the palm, in metres.
        turn: the rotation of the hand (w, x, y, z).
        flexion: the mean angle of the joints that bend the four fingers, in degrees.
        felt: whether at least one taxel of the hand feels something, while it touches a thing.
        touches: the contact with each thing.
        holds: the thing that an animated hand holds; None if it holds nothing.
    """

    palm: list[float]
    turn: list[float]
    flexion: float
    felt: bool = False
    touches: dict[str, Contact] = field(default_factory=dict)
    holds: str | None = None


@dataclass
class Seen:
    """A thing at the end of a step.

    Attributes:
        at: its middle, in metres.
        turn: its rotation (w, x, y, z).
        velocity: in metres a second.
        lowest: the height of its lowest point.
        hidden: whether it is absent.
    """

    at: list[float]
    turn: list[float]
    velocity: list[float]
    lowest: float
    hidden: bool = False


@dataclass
class Entry:
    """One control step.

    Attributes:
        step: its number, from 1; 0 is the state at the start.
        eyes: the middle between the eyes, in metres.
        gaze: the mean direction of both eyes.
        head: the direction of the head: degrees to the left, and upwards.
        pixels: how many pixels of each thing the left and the right eye see, at 84 x 84.
        hands: both hands, by side.
        things: all things, by name.
        rests: pairs of things of which the first rests on the second, with the upward part of the contact's normal.
        root: where the pelvis is: x, y, z and the heading in degrees.
        ankles: the speed of each ankle in metres a second, by side.
        lamp: the light.
        cues: what the item did in this step.
    """

    step: int
    eyes: list[float]
    gaze: list[float]
    head: list[float]
    pixels: dict[str, list[int]]
    hands: dict[str, Hand]
    things: dict[str, Seen]
    rests: list[tuple[str, str, float]]
    root: list[float]
    ankles: dict[str, float]
    lamp: float
    cues: list[str] = field(default_factory=list)


@dataclass
class Log:
    """All steps of an episode.

    Attributes:
        facts: what does not change: the child, the cavities of things, the item, the seed.
        entries: the steps.
    """

    facts: dict[str, Any] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.entries)

    def window(self, first: int, last: int | None = None) -> "Log":
        """Return the entries from one row up to another, which is not among them."""
        return Log(self.facts, self.entries[first:last])

    def row_of(self, cue: str, after: int = 0) -> int:
        """Return the first row with a cue, from a row on; -1 if there is none."""
        for row in range(after, len(self.entries)):
            if cue in self.entries[row].cues:
                return row
        return -1

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return len(self.entries) * CONTROL_STEP

    def lines(self) -> Iterable[str]:
        """Return the log as lines of JSON."""
        yield json.dumps(self.facts)
        for entry in self.entries:
            yield json.dumps(asdict(entry))

    def write(self, path: Path) -> None:
        """Write the log to a file."""
        path.write_text("\n".join(self.lines()) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> "Log":
        """Read a log from a file."""
        return cls.of(path.read_text(encoding="utf-8").splitlines())

    @classmethod
    def of(cls, lines: Iterable[str]) -> "Log":
        """Return a log from its lines."""
        first, *rest = lines
        return cls(json.loads(first), [_entry(json.loads(line)) for line in rest])


def _entry(data: Mapping[str, Any]) -> Entry:
    hands = {}
    for side, hand in data["hands"].items():
        touches = {name: Contact(**each) for name, each in hand["touches"].items()}
        hands[side] = Hand(**{**hand, "touches": touches})
    things = {name: Seen(**each) for name, each in data["things"].items()}
    rests = [(one, two, up) for one, two, up in data["rests"]]
    return Entry(**{**data, "hands": hands, "things": things, "rests": rests})
