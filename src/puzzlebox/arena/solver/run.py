"""One attempt in the real world: steps it, and notes in words what the animal does."""

from collections.abc import Collection

from puzzlebox.arena.rules import PHYSICS_STEP, Rules
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.solver.effort import Effort
from puzzlebox.arena.solver.ground import Ground
from puzzlebox.arena.solver.style import Style
from puzzlebox.arena.things import Agent
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.arena.world.record import Record
from puzzlebox.scene.shapes import Vector

# Reading the ground off a world takes about as long as this many decisions.
_GROUND_DECISIONS = 100
# Seconds of waiting that are no step of a plan.
_SHORT_WAIT = 0.25


class Run:
    """A world that is being driven, the effort it costs, and its steps in words."""

    def __init__(self, world: World, effort: Effort, steps: list[str] | None = None) -> None:
        self.world, self.effort = world, effort
        self.steps: list[str] = list(steps or ())

    @classmethod
    def start(cls, task: Task, arena: int, seed: int, rules: Rules, effort: Effort) -> "Run":
        """Return a run at the start of an episode."""
        return cls(World(task, arena=arena, seed=seed, rules=rules), effort)

    def again(self) -> "Run":
        """Return a second run in exactly the same state, by replaying this one."""
        self.effort.spend(len(self.world.actions) // 4)
        return Run(World.replay(self.world.snapshot()), self.effort, self.steps)

    def ground(self, style: Style, avoided: Collection[int] = ()) -> Ground:
        """Return where the animal can stand and go now; `avoided` are goals not to be touched, by id."""
        self.effort.spend(_GROUND_DECISIONS)
        return Ground(self.world, style, avoided)

    @property
    def animal(self) -> Agent:
        """Return the animal."""
        return self.world.animals[0]

    @property
    def position(self) -> Vector:
        """Return the position of the animal's middle."""
        return self.world.position_of(self.animal)

    @property
    def velocity(self) -> Vector:
        """Return the animal's velocity in m/s."""
        return self.world.engine.velocity(self.animal.id)

    @property
    def decisions(self) -> int:
        """Return the number of decisions so far."""
        return len(self.world.actions)

    @property
    def record(self) -> Record:
        """Return the episode so far."""
        return self.world.snapshot()

    @property
    def seconds_of_decision(self) -> float:
        """Return how long a decision lasts."""
        return self.world.rules.decision_period * PHYSICS_STEP

    def step(self, action: int) -> None:
        """Play one decision; other animals stand still."""
        self.effort.spend()
        self.world.step((action,) + (NOOP,) * (len(self.world.animals) - 1))

    def wait(self, decisions: int) -> None:
        """Stand still for some decisions, or until the episode is over."""
        start = self.decisions
        # While the end is shown, everything is decided and waiting is no step of a plan.
        decided = self.world.cause is not None
        while self.decisions - start < decisions and not self.world.over:
            self.step(NOOP)
        if self.decisions > start and not decided:
            self.note_wait(self.decisions - start)

    def note(self, step: str) -> None:
        """Note a step of the plan in words."""
        self.steps.append(step)

    def note_wait(self, decisions: int) -> None:
        """Note that the animal waited, together with a wait just before."""
        seconds = decisions * self.seconds_of_decision
        if self.steps and self.steps[-1].startswith("wait "):
            seconds += float(self.steps.pop().split()[1])
        self.note(f"wait {seconds:.2f} s")

    def words(self) -> tuple[str, ...]:
        """Return the steps in words, without short waits."""
        found = []
        for step in self.steps:
            if step.startswith("wait "):
                seconds = float(step.split()[1])
                if seconds < _SHORT_WAIT:
                    continue
                step = f"wait {seconds:.1f} s"
            found.append(step)
        return tuple(found)
