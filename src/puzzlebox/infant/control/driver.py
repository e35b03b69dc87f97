"""Turns the six primitives into motions of a puppet on a stage: it walks, grabs, puts down, kicks and speaks."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import atan2, cos, hypot, radians, sin
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.control.grab import GrabRule, choose
from puzzlebox.infant.control.ground import Ground
from puzzlebox.infant.control.primitives import TRIGGER, Primitive
from puzzlebox.infant.control.walker import Walker, WalkerState
from puzzlebox.infant.scenes.puppet import Puppet
from puzzlebox.infant.scenes.stage import Stage
from puzzlebox.infant.scenes.thing import Thing

Floats = NDArray[np.float64]
# What can be done to a thing by `act`.
KICK, PRESS, OPEN, STEP_ON = "kick", "press", "open", "step on"
USES = (KICK, PRESS, OPEN, STEP_ON)
# What happened, by what was done.
_DONE = {KICK: "kicked", PRESS: "pressed", OPEN: "opened", STEP_ON: "stepped on"}
# The speed of a kicked thing in metres a second, and the part of it that goes upwards.
_KICK_SPEED, _KICK_UP = 2.0, 0.15
# A foot reaches things whose edge is this far from the middle of the body, in metres, and within 45 degrees ahead.
_FOOT_REACH, _FOOT_COSINE = 0.30, cos(radians(45))
# What a child says.
_WORD = "ma"
# Rays ignore the group of bones, so that the hand of a child hides nothing from itself.
_SEEN_GROUPS = np.array((1, 0, 1, 1, 1, 1), np.uint8)

# Called with the kind of an event and its details.
Tell = Callable[[str, Mapping[str, Any]], None]


@dataclass(frozen=True)
class DriverSnapshot:
    """The state of a driver between two steps."""

    state: WalkerState
    held: str | None
    aim: str | None
    use: str | None


class PrimitiveDriver:
    """Drives one puppet.

    Attributes:
        walker: the animation.
        held: the name of the thing that it holds, or None.
        grabs: returns the names of things that can be grabbed.
        uses: returns what `act` can do to which thing, such as {"ball": "kick"}.
    """

    def __init__(self, stage: Stage, name: str, ground: Ground, rule: GrabRule, tell: Tell) -> None:
        """Prepare the animation.

        Args:
            stage: where the puppet is.
            name: its name there.
            ground: where it may walk.
            rule: what it can grab.
            tell: called with what it did.
        """
        self.stage, self.name, self.ground, self.rule, self._tell = stage, name, ground, rule, tell
        self.puppet: Puppet = stage.puppet(name)
        person = stage.person(name).person
        self.walker = Walker(person.age_months, growth=person.growth)
        self.held: str | None = None
        self._aim: str | None = None
        self._use: str | None = None
        self.grabs: Callable[[], Iterable[str]] = lambda: ()
        self.uses: Callable[[], Mapping[str, str]] = lambda: {}

    # --- what the stage calls

    def reset(self) -> None:
        """Stand with empty hands where the puppet stands."""
        x, y = self.puppet.position[:2].tolist()
        self.place(x, y, float(np.radians(self.puppet.heading)))

    def place(self, x: float, y: float, heading: float) -> None:
        """Stand somewhere with empty hands; the stage must settle afterwards."""
        self.held = self._aim = self._use = None
        self.walker.place_at(x, y, heading)
        self.show()

    def show(self) -> None:
        """Let the puppet take the posture of the animation."""
        posture = self.walker.posture()
        self.puppet.set(posture.angles, posture.place, posture.turn)

    def drive(self, action: Any) -> None:
        """Carry out six numbers; None is six zeros."""
        numbers = np.zeros(len(Primitive)) if action is None else np.asarray(action, np.float64)
        self._finish()
        if self.walker.state.target is None:
            self._decide(float(numbers[Primitive.GRAB]), float(numbers[Primitive.ACT]))
        walk, turn, head_pitch, head_yaw = numbers[:4].tolist()
        self.walker.move(walk, turn, head_pitch, head_yaw, self.ground)
        self.show()

    def snapshot(self) -> DriverSnapshot:
        """Return the state."""
        return DriverSnapshot(self.walker.state, self.held, self._aim, self._use)

    def restore(self, snapshot: DriverSnapshot) -> None:
        """Go back to a state."""
        self.walker.state = snapshot.state
        self.held, self._aim, self._use = snapshot.held, snapshot.aim, snapshot.use

    # --- what it sees

    def gaze(self) -> tuple[Floats, Floats]:
        """Return the middle between the eyes and the direction in which they look."""
        data, puppet = self.stage.physics.data, self.puppet
        rows = [puppet.row("left_eye"), puppet.row("right_eye")]
        direction = data.xmat[rows].reshape(2, 3, 3)[:, :, 0].mean(axis=0)
        return data.xpos[rows].mean(axis=0), direction / np.linalg.norm(direction)

    def sees(self, thing: Thing) -> bool:
        """Return whether a thing is not fully hidden: a ray from the eyes gets to its middle or to its top."""
        eyes, _ = self.gaze()
        middle = thing.position
        return any(self._ray(eyes, np.add(middle, (0.0, 0.0, up)), thing) for up in (0.0, thing.prop.low * 0.8))

    def _ray(self, start: Floats, end: Floats, thing: Thing) -> bool:
        model, data = self.stage.physics.model, self.stage.physics.data
        hidden = {int(geom) for each in self.stage.things.values() if each.hidden for geom in each.geoms}
        held = {int(geom) for geom in self.stage[self.held].geoms} if self.held else set()
        found = np.zeros(1, np.int32)
        direction = end - start
        for _ in range(20):
            length = mujoco.mj_ray(model, data, start, direction, _SEEN_GROUPS, 1, -1, found, None)
            geom = int(found[0])
            if geom < 0 or length > 1.0:
                return True
            if geom in hidden or geom in held:
                start = start + (length + 1e-4) * direction
                continue
            return geom in thing.geoms
        return False

    # --- what it does

    def _decide(self, grab: float, act: float) -> None:
        if grab > TRIGGER and self.held is None and self.walker.state.down == 0.0:
            name = self._central(self.grabs())
            if name is not None:
                self._aim = name
                self.walker.reach_for(self.stage[name].position)
        elif grab < -TRIGGER and self.held is not None:
            self.walker.reach_for(self._put_down_at())
        elif act > TRIGGER:
            self._act()
        elif act < -TRIGGER:
            self.walker.get_down(True)

    def _act(self) -> None:
        uses = self.uses()
        by_foot = [name for name, use in uses.items() if use in (KICK, STEP_ON)]
        name = self._ahead(by_foot) or self._central(each for each in uses if each not in by_foot)
        if name is not None:
            self._aim, self._use = name, uses[name]
            if self._use == KICK:
                self.walker.kick()
                self._kick(self.stage[name])
                self._aim = self._use = None
            else:
                place = self.stage[name].position
                self.walker.reach_for(place if self._use != STEP_ON else np.array((*place[:2], 0.3)))
        elif self.walker.state.down > 0.0:
            self.walker.get_down(False)
        else:
            voice = self.stage.person(self.name).voice
            if not voice.speaking:
                voice.say(_WORD)
                self._tell("said", {"word": _WORD})

    def _central(self, names: Iterable[str]) -> str | None:
        eyes, gaze = self.gaze()
        things = [(name, self.stage[name]) for name in names if name != self.held]
        places = [(name, thing.position) for name, thing in things if not thing.hidden and not thing.held]
        return choose(eyes, gaze, places, lambda name: self.sees(self.stage[name]), self.rule)

    def _ahead(self, names: Iterable[str]) -> str | None:
        """Return the nearest thing that a foot can reach: it is ahead, whether the eyes look at it or not."""
        state, found = self.walker.state, []
        for name in names:
            thing = self.stage[name]
            x, y = (thing.position[:2] - (state.x, state.y)).tolist()
            away = hypot(x, y)
            ahead = (x * cos(state.heading) + y * sin(state.heading)) / max(away, 1e-9)
            if not thing.hidden and ahead >= _FOOT_COSINE and away - _breadth(thing) <= _FOOT_REACH:
                found.append((away, name))
        return min(found)[1] if found else None

    def _kick(self, thing: Thing) -> None:
        state, place = self.walker.state, thing.position
        angle = atan2(place[1] - state.y, place[0] - state.x)
        push(thing, np.array((_KICK_SPEED * cos(angle), _KICK_SPEED * sin(angle), _KICK_SPEED * _KICK_UP)))
        self._tell(_DONE[KICK], {"thing": thing.name})

    def _finish(self) -> None:
        """Do what the hand came for, once it is there."""
        if not self.walker.arrived:
            return
        if self._use is not None and self._aim is not None:
            self._tell(_DONE[self._use], {"thing": self._aim})
            self.walker.take_back(holds=self.held is not None)
        elif self.held is not None:
            self._release()
        elif self._aim is not None:
            self._take(self._aim)
        self._aim = self._use = None

    def _take(self, name: str) -> None:
        thing = self.stage[name]
        if thing.held:  # somebody else was faster
            self.walker.take_back(holds=False)
            return
        self.held = name
        hand = f"{self.walker.state.side}hand"
        # The palm is below the wrist, and the thing is in front of the palm.
        thing.hold(self.puppet, hand, at=(0.0, 0.0, -0.035 - 0.5 * thing.prop.low))
        self._tell("grabbed", {"thing": name})
        self.walker.take_back(holds=True)

    def _put_down_at(self) -> Floats:
        """Return where a thing is put down: in front of the eyes, in the room, and on what is there."""
        eyes, gaze = self.gaze()
        thing = self.stage[str(self.held)]
        x, y, z = (eyes + self.rule.release * gaze).tolist()
        x, y = self.ground.clamped(x, y, _breadth(thing))
        return np.array((x, y, max(z, self._support(x, y, thing) + thing.prop.low + 0.002)))

    def _support(self, x: float, y: float, own: Thing) -> float:
        """Return the height of the highest thing below a place, or of the floor."""
        top = 0.0
        for thing in self.stage.things.values():
            if thing is own or thing.hidden or thing.held:
                continue
            place = thing.position
            if np.hypot(place[0] - x, place[1] - y) < _breadth(thing):
                top = max(top, float(place[2] + max(form.at[2] + form.reach[2] for form in thing.prop.forms)))
        return top

    def _release(self) -> None:
        target = self.walker.state.target
        assert target is not None
        thing = self.stage[str(self.held)]
        x, y, z = target
        z = max(z, self._support(x, y, thing) + thing.prop.low + 0.002)
        thing.place((x, y, z), (1.0, 0.0, 0.0, 0.0))
        self._tell("released", {"thing": thing.name})
        self.held = None
        self.walker.take_back(holds=False)


def _breadth(thing: Thing) -> float:
    """Return how far a thing reaches sideways from its middle, in metres."""
    return max(abs(form.at[0]) + form.reach[0] for form in thing.prop.forms)


def push(thing: Thing, velocity: Floats) -> None:
    """Give a free thing a velocity in metres a second; a ball on the floor rolls from the start."""
    data = thing.data
    data.qvel[thing.qvel : thing.qvel + 3] = velocity
    radius = thing.prop.low
    spin = np.array((-velocity[1], velocity[0], 0.0)) / max(radius, 1e-6)
    # MuJoCo keeps the rotation of a free body in its own frame.
    data.qvel[thing.qvel + 3 : thing.qvel + 6] = data.xmat[thing.body].reshape(3, 3).T @ spin
