"""The physics of a world in control steps of 1/15 s: stepping, failures, snapshots."""

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from puzzlebox.text import closest

# Seconds of one control step.
CONTROL_STEP = 1 / 15
# The part of MuJoCo's state that determines everything that follows.
_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
# MuJoCo would write each warning into a file MUJOCO_LOG.TXT in the current folder; `advance` raises an error instead.
mujoco.set_mju_user_warning(lambda message: None)
# What MuJoCo found wrong: a number that is not finite or too large.
_FATAL = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)

# Called with the number of a physics step within its control step.
OnStep = Callable[[int], None]


@dataclass(frozen=True)
class PhysicsSnapshot:
    """The state of a world between two steps."""

    state: bytes
    sensors: bytes
    torques: bytes
    steps: int


class Physics:
    """A MuJoCo model with its state.

    Attributes:
        model: the MuJoCo model.
        data: the MuJoCo state; positions, contacts and speeds in it are those of the end of the last step.
        steps: control steps since the reset.
        substeps: how many physics steps a control step has.
        movers: called in each physics step after everything has moved by its forces and before contacts are found;
            they set positions of what forces do not move.
        drift: the velocity of each body that is moved from outside (bodies x 3), in metres a second; MuJoCo takes such
            bodies for resting.
        watchers: called after each physics step; they must change nothing.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self.steps = 0
        self.substeps = round(CONTROL_STEP / model.opt.timestep)
        self.drift = np.zeros((model.nbody, 3))
        self.movers: list[OnStep] = []
        self.watchers: list[OnStep] = []

    def advance(self) -> None:
        """Let one control step pass.

        Raises:
            FloatingPointError: the simulation failed; the message is MuJoCo's reason. The world must be reset.
        """
        for number in range(self.substeps):
            mujoco.mj_step2(self.model, self.data)
            for move in self.movers:
                move(number)
            mujoco.mj_step1(self.model, self.data)
            for watch in self.watchers:
                watch(number)
        self.steps += 1
        for kind in _FATAL:
            if self.data.warning[kind].number:
                raise FloatingPointError(f"the simulation failed in step {self.steps}: MuJoCo reports {kind.name}")

    @property
    def warnings(self) -> int:
        """How often MuJoCo has warned since the reset, of anything."""
        return sum(int(each.number) for each in self.data.warning)

    def body(self, name: str) -> int:
        """Return the row of a body by its name; raise a ValueError if there is none."""
        row = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, name)
        if row < 0:
            names = [self.model.body(each).name for each in range(self.model.nbody)]
            raise ValueError(f"no body is named {name!r}{closest(name, names)}")
        return int(row)

    def snapshot(self) -> PhysicsSnapshot:
        """Return the state of everything in the world."""
        state = np.empty(mujoco.mj_stateSize(self.model, _STATE))
        mujoco.mj_getState(self.model, self.data, state, _STATE)
        sensors, torques = self.data.sensordata.tobytes(), self.data.qfrc_actuator.tobytes()
        return PhysicsSnapshot(state.tobytes(), sensors, torques, self.steps)

    def restore(self, snapshot: PhysicsSnapshot) -> None:
        """Go back to a snapshot of a world that was built alike."""
        mujoco.mj_setState(self.model, self.data, np.frombuffer(snapshot.state), _STATE)
        mujoco.mj_step1(self.model, self.data)
        self.data.sensordata[:] = np.frombuffer(snapshot.sensors)
        self.data.qfrc_actuator[:] = np.frombuffer(snapshot.torques)
        self.steps = snapshot.steps
