"""What moves without forces: puppets and things that a script moves, and things that are held or hidden."""

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.physics import Physics
from puzzlebox.infant.scenes.puppet import Puppet
from puzzlebox.infant.scenes.thing import Thing

Array = NDArray[np.float64]


class Mover:
    """Moves everything that forces do not move, evenly over the physics steps of a control step."""

    def __init__(self, physics: Physics, puppets: Sequence[Puppet], things: Sequence[Thing]) -> None:
        self.physics, self.puppets, self.things = physics, puppets, things
        self._scripted = [thing for thing in things if not thing.free]
        rows = [each.mocaps for each in puppets] + [np.array([each.mocap], np.int32) for each in self._scripted]
        self._rows = np.concatenate(rows) if rows else np.zeros(0, np.int32)
        mocap_bodies = np.zeros(max(1, physics.model.nmocap), np.int64)
        bodies = np.flatnonzero(physics.model.body_mocapid >= 0)
        mocap_bodies[physics.model.body_mocapid[bodies]] = bodies
        self._bodies = mocap_bodies[self._rows]
        # The row of each body among those that are moved here; -1 for others.
        self._row_of_body = np.full(physics.model.nbody, -1)
        self._row_of_body[self._bodies] = np.arange(len(self._rows))
        first = sum(len(each.mocaps) for each in puppets)
        self._own = {id(thing): first + number for number, thing in enumerate(self._scripted)}
        # Positions and rotations at the start and at the end of a control step.
        self._start, self._end = np.zeros((len(self._rows), 7)), np.zeros((len(self._rows), 7))
        self._path: Array | None = None
        self._shares = (np.arange(1, physics.substeps + 1) / physics.substeps)[:, None, None]
        self._moving = np.zeros(0, np.intp)
        self._bound: list[Thing] = []
        physics.movers.append(self._move)

    def reset(self) -> None:
        """Put everything where it is at the start of an episode; forces are computed by the caller."""
        data = self.physics.data
        for thing in self.things:
            pose = np.array((*thing.prop.at, *thing.prop.turn))
            if thing.free:
                data.qpos[thing.qpos : thing.qpos + 7] = pose
            else:
                self._end[self._own[id(thing)]] = pose
        row = 0
        for puppet in self.puppets:
            places, turns = puppet.rest()
            self._end[row : row + len(places)] = np.concatenate((places, turns), axis=1)
            row += len(places)
        self._start[:] = self._end
        self.physics.drift[:] = 0.0
        self._moving = np.zeros(0, np.intp)
        self._show(self._end)

    def place(self, thing: Thing, position: Array, rotation: Array) -> None:
        """Put a thing somewhere at once."""
        data = self.physics.data
        pose = np.concatenate((position, rotation / np.linalg.norm(rotation)))
        if thing.free:
            data.qpos[thing.qpos : thing.qpos + 7] = pose
            data.qvel[thing.qvel : thing.qvel + 6] = 0.0
        else:
            row = self._own[id(thing)]
            self._start[row] = self._end[row] = pose
            data.mocap_pos[self._rows[row]], data.mocap_quat[self._rows[row]] = pose[:3], pose[3:]
        self.find_contacts()

    def find_contacts(self) -> None:
        """Find what touches after a change between two steps, so that contacts of before do not act in the next."""
        mujoco.mj_step1(self.physics.model, self.physics.data)

    def move(self, thing: Thing, position: Array, rotation: Array | None) -> None:
        """Let a thing be somewhere at the end of the next control step."""
        row = self._own[id(thing)]
        self._end[row, :3] = position
        if rotation is not None:
            self._end[row, 3:] = rotation / np.linalg.norm(rotation)

    def begin(self) -> None:
        """Begin a control step: find the way of everything that moves in it."""
        row = 0
        for puppet in self.puppets:
            places, turns = puppet.advance()
            self._end[row : row + len(places), :3] = places
            self._end[row : row + len(places), 3:] = turns
            row += len(places)
        before = self._moving
        self._moving = np.flatnonzero((self._start != self._end).any(axis=1))
        self.physics.drift[self._bodies[before]] = 0.0
        self._path = None
        if len(self._moving):
            count = self.physics.substeps
            start, end = self._start[self._moving], self._end[self._moving]
            # A rotation has two quaternions; the way between the nearer ones is the shorter.
            flip = (start[:, 3:] * end[:, 3:]).sum(axis=1) < 0
            end[flip, 3:] *= -1
            way = end - start
            self._path = start + self._shares * way
            self._path[-1] = end
            turns = self._path[:, :, 3:]
            turns /= np.sqrt((turns * turns).sum(axis=2, keepdims=True))
            self.physics.drift[self._bodies[self._moving]] = way[:, :3] / (count * self.physics.model.opt.timestep)
        self._bound = []
        for thing in self.things:
            if thing.left >= 0:
                thing.clear_hand()
            if thing.free and (thing.hidden or thing.grip is not None):
                self._bound.append(thing)
        self._start[:] = self._end

    def _move(self, number: int) -> None:
        """Move everything in a physics step."""
        data = self.physics.data
        if self._path is not None:
            rows, poses = self._rows[self._moving], self._path[number]
            data.mocap_pos[rows], data.mocap_quat[rows] = poses[:, :3], poses[:, 3:]
        for thing in self._bound:
            self._bind(thing)

    def _bind(self, thing: Thing) -> None:
        """Set the pose of a thing that is held or hidden, and its velocity."""
        data = self.physics.data
        pose, speed = data.qpos[thing.qpos : thing.qpos + 7], data.qvel[thing.qvel : thing.qvel + 6]
        if thing.grip is None:
            # The motion of this physics step is taken back.
            pose[:] = np.concatenate((data.xpos[thing.body], data.xquat[thing.body]))
            speed[:] = 0.0
            return
        body, at, turn = thing.grip
        mocap = self.physics.model.body_mocapid[body]
        place, rotation = np.empty(3), np.empty(4)
        by_place, by_turn = (
            (data.mocap_pos[mocap], data.mocap_quat[mocap]) if mocap >= 0 else (data.xpos[body], data.xquat[body])
        )
        mujoco.mju_mulPose(place, rotation, by_place, by_turn, np.array(at), np.array(turn))
        step = self.physics.model.opt.timestep
        spin = np.empty(3)
        mujoco.mju_subQuat(spin, rotation, data.xquat[thing.body])
        speed[:3], speed[3:] = (place - data.xpos[thing.body]) / step, spin / step
        pose[:3], pose[3:] = place, rotation

    def _show(self, poses: Array) -> None:
        data = self.physics.data
        data.mocap_pos[self._rows], data.mocap_quat[self._rows] = poses[:, :3], poses[:, 3:]

    def snapshot(self) -> bytes:
        """Return where everything is to be at the end of the next control step."""
        return self._end.tobytes() + self._start.tobytes() + self.physics.drift.tobytes()

    def restore(self, snapshot: bytes) -> None:
        """Go back to a state."""
        numbers = np.frombuffer(snapshot)
        end, start, drift = np.split(numbers, (self._end.size, 2 * self._end.size))
        self._end[:], self._start[:] = end.reshape(-1, 7), start.reshape(-1, 7)
        self.physics.drift[:] = drift.reshape(-1, 3)
        # All may have moved in the last step.
        self._moving = np.arange(len(self._rows))
