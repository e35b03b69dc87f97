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

# The most iterations of the solver that computes a step once more.
_MOST_ITERATIONS = 100

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
        repeated: how many physics steps were computed once more since the world was built.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self.steps = 0
        self.substeps = round(CONTROL_STEP / model.opt.timestep)
        self.drift = np.zeros((model.nbody, 3))
        self.movers: list[OnStep] = []
        self.watchers: list[OnStep] = []
        self.repeated = 0
        # MuJoCo solves the forces of contacts and limits with sparse matrices where there are many joints.
        self._sparse = bool(mujoco.mj_isSparse(model))
        self._iterations = int(model.opt.iterations)
        # What a physics step changes and the next one starts from: positions, speeds, the first guess of the solver.
        self._moved = (self.data.qpos, self.data.qvel, self.data.qacc_warmstart)
        self._before = tuple(np.empty_like(each) for each in self._moved)
        self._taken = self.data.solver_niter

    def advance(self) -> None:
        """Let one control step pass.

        Raises:
            FloatingPointError: the simulation failed; the message is MuJoCo's reason. The world must be reset.
        """
        for number in range(self.substeps):
            self._accelerate()
            for move in self.movers:
                move(number)
            mujoco.mj_step1(self.model, self.data)
            for watch in self.watchers:
                watch(number)
        self.steps += 1
        for kind in _FATAL:
            if self.data.warning[kind].number:
                raise FloatingPointError(f"the simulation failed in step {self.steps}: MuJoCo reports {kind.name}")

    def _accelerate(self) -> None:
        """Let everything move by its forces for one physics step."""
        if not self._sparse:
            mujoco.mj_step2(self.model, self.data)
            return
        for kept, now in zip(self._before, self._moved, strict=True):
            kept[:] = now
        time = self.data.time
        mujoco.mj_step2(self.model, self.data)
        if self._stuck():
            self._repeat(time)

    def _stuck(self) -> bool:
        """Return whether the solver gave up in the last physics step."""
        if self._taken.max() < self._iterations:
            return False
        # Numbers beyond those of the groups of bodies that touch may be left from earlier steps.
        return bool(self._taken[: max(1, self.data.nisland)].max() >= self._iterations)

    def _repeat(self, time: float) -> None:
        """Compute the last physics step, which began at a time, once more with dense matrices.

        MuJoCo's Newton solver with sparse matrices updates their factors from iteration to iteration. Rarely, among
        many contacts, they become useless, no number of iterations helps, and the forces that are left throw limbs
        about at 1,000 rad/s and more. With dense matrices it converges in five iterations, but takes a fifth more time.
        """
        option, data = self.model.opt, self.data
        for kept, now in zip(self._before, self._moved, strict=True):
            now[:] = kept
        data.time = time
        jacobian, option.jacobian, option.iterations = option.jacobian, mujoco.mjtJacobian.mjJAC_DENSE, _MOST_ITERATIONS
        try:
            mujoco.mj_step1(self.model, data)
            mujoco.mj_step2(self.model, data)
        finally:
            option.jacobian, option.iterations = jacobian, self._iterations
        self.repeated += 1

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
