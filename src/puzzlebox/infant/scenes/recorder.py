"""Writes the log of a child on a stage."""

from collections.abc import Iterable
from math import asin, atan2, degrees

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONE_NAMES, BONES, JOINT_NAMES
from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.body.skeleton import heading_of, palm_of
from puzzlebox.infant.scenes.log import DECIMALS, SIDES, Contact, Entry, Hand, Log, Seen
from puzzlebox.infant.scenes.stage import Stage
from puzzlebox.infant.senses.eyes import PERFECT, Eyes, EyeSettings
from puzzlebox.infant.senses.skin import Skin, SkinSettings

# The pictures in which visible pixels are counted.
_EYES = EyeSettings(segments=True, sight=PERFECT)
_FINGERS = ("index", "middle", "ring", "little")


def _numbers(array: object) -> list[float]:
    return [round(float(each), DECIMALS) for each in np.asarray(array, np.float64).ravel()]


class Recorder:
    """Writes the log of one child.

    Attributes:
        log: what was written since the reset.
    """

    def __init__(
        self, stage: Stage, name: str = "child", *, sees: bool = True, watch: Iterable[str] | None = None
    ) -> None:
        """Prepare to write.

        Args:
            stage: where the child is.
            name: its name there.
            sees: whether to count visible pixels, which costs a picture for each eye and step.
            watch: the things that are written. Default: all that have a name without a space.
        """
        self.stage, self.player = stage, stage.person(name)
        self.body = self.player.body
        self.names = [each for each in stage.things if " " not in each] if watch is None else list(watch)
        self._eyes = Eyes(self.body, stage.sights, _EYES) if sees else None
        self._skin = Skin(self.body, SkinSettings(habituation=0.0))
        bone_of = np.array([bone.region == "hand" for bone in BONES])
        sides = np.array([bone.name.partition("_")[0] for bone in BONES])
        self._hand_bodies = {side: self.body.built.bodies[bone_of & (sides == side)] for side in SIDES}
        self._hand_taxels = {
            side: np.isin(self._skin.taxels.bone, np.flatnonzero(bone_of & (sides == side))) for side in SIDES
        }
        self._bone_names = {
            int(row): bone for row, bone in zip(self.body.built.bodies.tolist(), BONE_NAMES, strict=True)
        }
        self._flexors = {
            side: np.array(
                [JOINT_NAMES.index(f"{side}_{finger}_{part}.flex") for finger in _FINGERS for part in ("base", "tip")]
            )
            for side in SIDES
        }
        solid = np.flatnonzero(stage.physics.model.geom_contype > 0)
        of_geom = stage.physics.model.geom_bodyid[solid]
        self._hand_geoms = {side: solid[np.isin(of_geom, rows)].tolist() for side, rows in self._hand_bodies.items()}
        # How far a hand with its fingers reaches from its palm, in metres.
        self._hand_reach = 0.08 * self.body.built.growth.scales["hand"][0]
        self._thing_of_body = {body: thing.name for thing in stage.things.values() for body, _ in thing.bodies}
        self._palms = {side: np.array(palm_of(self.body.built.growth, side)) for side in SIDES}
        self._touched: dict[str, set[str]] = {side: set() for side in SIDES}
        self._before: dict[str, NDArray[np.float64]] = {}
        self.log = Log()
        self.reset()

    def reset(self) -> None:
        """Begin a new log."""
        rooms = {name: self.stage[name].prop.cavity for name in self.names}
        cavities = {name: [list(each) for each in room] for name, room in rooms.items() if room is not None}
        self.log = Log({"child": self.player.name, "age_months": self.body.age_months, "cavities": cavities})
        self._touched = {side: set() for side in SIDES}
        self._before = {}

    def record(self, cues: Iterable[str] = ()) -> Entry:
        """Write the step that has just passed, and return it."""
        data = self.stage.physics.data
        rows = [self.body.row(f"{side}_eye") for side in SIDES]
        axes = data.xmat[rows].reshape(2, 3, 3)[:, :, 0].mean(axis=0)
        head = data.xmat[self.body.row("head")].reshape(3, 3)[:, 0]
        pelvis = self.body.row("pelvis")
        entry = Entry(
            step=self.stage.steps,
            eyes=_numbers(data.xpos[rows].mean(axis=0)),
            gaze=_numbers(axes / np.linalg.norm(axes)),
            head=_numbers((degrees(atan2(head[1], head[0])), degrees(asin(max(-1.0, min(1.0, head[2])))))),
            pixels=self._pixels(),
            hands=self._hands(),
            things={name: self._thing(name) for name in self.names},
            rests=self._rests(),
            root=_numbers((*data.xpos[pelvis], heading_of(data.xquat[pelvis]))),
            ankles=self._ankles(),
            lamp=self.stage.lamp,
            cues=list(cues),
        )
        self.log.entries.append(entry)
        return entry

    def _pixels(self) -> dict[str, list[int]]:
        if self._eyes is None:
            return {}
        segments = self._eyes.read().segments
        assert segments is not None
        ids = self.stage.ids
        found = [
            dict(zip(*(each.tolist() for each in np.unique(eye, return_counts=True)), strict=True)) for eye in segments
        ]
        counts = {name: [int(eye.get(ids[name], 0)) for eye in found] for name in (*self.names, *self.stage.people)}
        return {name: count for name, count in counts.items() if any(count)}

    def _thing(self, name: str) -> Seen:
        thing = self.stage[name]
        return Seen(
            _numbers(thing.position),
            _numbers(thing.rotation),
            _numbers(thing.velocity),
            round(thing.lowest, DECIMALS),
            thing.hidden,
        )

    def _hands(self) -> dict[str, Hand]:
        data = self.stage.physics.data
        angles = np.degrees(self.body.angles)
        touches, palms = {}, {}
        for side in SIDES:
            hand = self.body.row(f"{side}_hand")
            palms[side] = data.xpos[hand] + data.xmat[hand].reshape(3, 3) @ self._palms[side]
            touches[side] = self._touches(side, palms[side])
        # Skin is measured only if it matters.
        felt = self._skin.measure() if any(touches.values()) else None
        least = self._skin.settings.threshold * self._skin.settings.largest_displacement
        grips = {name: grip for name in self.names if (grip := self.stage[name].grip) is not None}
        out = {}
        for side in SIDES:
            feels = felt is not None and bool((felt[self._hand_taxels[side]] >= least).any())
            held = [name for name, grip in grips.items() if grip.body in self._hand_bodies[side]]
            out[side] = Hand(
                _numbers(palms[side]),
                _numbers(data.xquat[self.body.row(f"{side}_hand")]),
                round(float(angles[self._flexors[side]].mean()), 3),
                feels,
                touches[side],
                held[0] if held else None,
            )
            self._touched[side] = set(touches[side])
        return out

    def _touches(self, side: str, palm: NDArray[np.float64]) -> dict[str, Contact]:
        """Return the contacts of a hand with things."""
        model, data = self.stage.physics.model, self.stage.physics.data
        out: dict[str, Contact] = {}
        ends = np.zeros(6)
        for name in self.names:
            thing = self.stage[name]
            if thing.hidden or np.linalg.norm(thing.position - palm) > thing.reach + self._hand_reach:
                continue
            for geom in thing.solid:
                for own in self._hand_geoms[side]:
                    flesh = 0.5 * float(model.geom_gap[own])
                    gap = mujoco.mj_geomDistance(model, data, own, geom, flesh, ends)
                    if gap >= flesh:
                        continue
                    away = ends[3:] - ends[:3] if gap > 0 else ends[:3] - ends[3:]
                    away = away / max(float(np.linalg.norm(away)), 1e-9)
                    contact = out.setdefault(name, Contact())
                    contact.bones.append(self._bone_names[int(model.geom_bodyid[own])])
                    contact.normals.append(_numbers(away))
                    if name not in self._touched[side]:
                        contact.speed = max(contact.speed, self._approach(side, name, away))
        return out

    def _approach(self, side: str, name: str, away: NDArray[np.float64]) -> float:
        """Return how fast a hand and a thing came together in the last step, in metres a second."""
        if not self.log.entries:
            return 0.0
        data, last = self.stage.physics.data, self.log.entries[-1]
        hand = self.body.row(f"{side}_hand")
        palm = data.xpos[hand] + data.xmat[hand].reshape(3, 3) @ self._palms[side]
        own = (palm - np.array(last.hands[side].palm)) / CONTROL_STEP
        other = np.array(last.things[name].velocity)
        return round(max(0.0, float((own - other) @ away)), DECIMALS)

    def _rests(self) -> list[tuple[str, str, float]]:
        model, contacts = self.stage.physics.model, self.stage.physics.data.contact
        found: dict[tuple[str, str], float] = {}
        touching = contacts.dist < contacts.includemargin
        for (one, two), frame in zip(contacts.geom[touching].tolist(), contacts.frame[touching], strict=True):
            names = [self._thing_of_body.get(int(model.geom_bodyid[each]), "") for each in (one, two)]
            if all(names) and names[0] != names[1]:
                up = float(frame[2])
                upper, lower = (names[1], names[0]) if up > 0 else (names[0], names[1])
                found[upper, lower] = max(found.get((upper, lower), 0.0), round(abs(up), DECIMALS))
        return [(upper, lower, up) for (upper, lower), up in found.items()]

    def _ankles(self) -> dict[str, float]:
        out = {}
        for side in SIDES:
            place = self.stage.physics.data.xpos[self.body.row(f"{side}_foot")].copy()
            before = self._before.get(side, place)
            out[side] = round(float(np.linalg.norm(place - before)) / CONTROL_STEP, DECIMALS)
            self._before[side] = place
        return out
