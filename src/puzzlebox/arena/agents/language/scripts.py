"""How the commands of a script become actions: each is carried out until its amount is reached or nothing moves."""

from math import atan2, cos, degrees, radians, sin
from typing import Any, NamedTuple

from puzzlebox.arena.agents.language.replies import Command
from puzzlebox.arena.world import actions

# A command ends after this many decisions without progress, and braking after this many decisions at most.
_STUCK, _LONGEST_BRAKING = 10, 30
# Progress, in metres or degrees, that counts as none.
_NO_PROGRESS = 0.01
# Metres per second; a slower animal has stopped.
_STOPPED = 0.3
# Without a move, velocity falls to 0.9 x 0.968 at each physics step of 0.02 s (docs/original/motion.md#on-the-ground),
# so an animal of 1 m/s comes to rest after about this many metres.
_BRAKING_METRES = 0.02 * 0.9 * 0.968 / (1 - 0.9 * 0.968)
# Degrees a decision turns by, until the first turn shows how many it really is.
_TURN = 6.0


class Pose(NamedTuple):
    """Where the animal is: position in metres, heading in degrees clockwise, and the speed along its heading."""

    x: float
    z: float
    heading: float
    speed: float

    @classmethod
    def of(cls, observation: dict[str, Any]) -> "Pose":
        """Return the pose in an observation with `vitals` and `heading`."""
        vitals = observation["vitals"]
        heading = degrees(atan2(*map(float, observation["heading"])))
        return cls(float(vitals[4]), float(vitals[6]), heading, float(vitals[3]))


class Walk:
    """Carries out one command; `act` returns the next action, or None when the command is done.

    `go` accelerates, stops in time and brakes, so that the animal comes to rest near the distance. `turn` ends with
    the nearest multiple of what one decision turns. What cannot move any further ends early.
    """

    def __init__(self, command: Command, pose: Pose) -> None:
        self._command, self._start, self._last = command, pose, pose
        self._decisions = self._idle = self._braked = 0
        self._turned, self._step = 0.0, _TURN
        self._best = 0.0
        self._braking = self._stuck = False

    def act(self, pose: Pose) -> int | None:
        """Return the action for the pose that the last one led to; None if the command is done."""
        change = (pose.heading - self._last.heading + 180) % 360 - 180
        self._turned += change
        if self._decisions and self._command.name == "turn" and abs(change) > _NO_PROGRESS:
            self._step = abs(change)
        self._last = pose
        action: int | None = getattr(self, f"_{self._command.name}")(pose)
        self._decisions += 1
        return action

    def report(self) -> str:
        """Return what the command did, in one sentence."""
        command = self._command
        if command.name == "wait":
            return f"{command}: done."
        done = (
            f"moved {self._progress(self._last):.1f} m"
            if command.name == "go"
            else f"turned {self._turned:.0f} degrees"
        )
        return f"{command}: {done}, then something stopped you." if self._stuck else f"{command}: {done}."

    def _wait(self, pose: Pose) -> int | None:
        return actions.NOOP if self._decisions < self._command.amount else None

    def _turn(self, pose: Pose) -> int | None:
        target = self._command.amount
        turned = self._turned if target > 0 else -self._turned
        if abs(target) - turned < self._step / 2 or self._is_stuck(turned):
            return None
        return actions.RIGHT if target > 0 else actions.LEFT

    def _go(self, pose: Pose) -> int | None:
        target = self._command.amount
        ahead = 1 if target > 0 else -1
        progress = ahead * self._progress(pose)
        if not self._braking:
            coasting = max(0.0, ahead * pose.speed) * _BRAKING_METRES
            if abs(target) - progress > max(coasting, _NO_PROGRESS) and not self._is_stuck(progress):
                return actions.FORWARDS if target > 0 else actions.BACKWARDS
            self._braking = True
        self._braked += 1
        if abs(pose.speed) < _STOPPED or self._braked > _LONGEST_BRAKING:
            return None
        return actions.NOOP

    def _progress(self, pose: Pose) -> float:
        """Return how far the animal has come along the heading it started with, in metres."""
        heading = radians(self._start.heading)
        return (pose.x - self._start.x) * sin(heading) + (pose.z - self._start.z) * cos(heading)

    def _is_stuck(self, progress: float) -> bool:
        """Return whether several decisions in a row brought nothing."""
        if progress > self._best + _NO_PROGRESS:
            self._best, self._idle = progress, 0
        elif self._decisions:
            self._idle += 1
        self._stuck = self._idle >= _STUCK
        return self._stuck
