"""The search for a plan: attempts in order of cost, until one replays to a pass."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from puzzlebox.arena.rules import PHYSICS_STEP, Rules
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.solver.attempt import Attempt
from puzzlebox.arena.solver.effort import Effort, OutOfEffort
from puzzlebox.arena.solver.plan import Plan
from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.solver.style import Style
from puzzlebox.arena.world import World
from puzzlebox.seeds import rng_from

# Decisions that a second of search may simulate, so that the effort does not depend on the machine.
_DECISIONS_PER_SECOND = 3000


def solve(
    task: Task,
    arena: int = 0,
    seed: int = 0,
    rules: str | Rules = "puzzlebox",
    seconds: float = 120.0,
    may_push: bool = True,
    progress: Callable[[float, str], None] | None = None,
) -> Plan | None:
    """Search for actions that pass a task, knowing everything about its world.

    The result is the same for the same arguments, unless the time is over before the number of decisions that belongs
    to it has been simulated.

    Args:
        task: the task.
        arena: the position of the arena to start in, from 0.
        seed: the seed of the episode.
        rules: the rules of the episode.
        seconds: the time for the search.
        may_push: whether the animal may drive into movable things.
        progress: called now and then with the share of the effort that is used, 0 to 1, and what is being tried.

    Returns:
        A plan whose replay passes, or None if none was found; that does not mean that there is none.
    """
    named = Rules.named(rules)
    effort = Effort(int(seconds * _DECISIONS_PER_SECOND), seconds, progress)
    try:
        for words, style in styles(may_push):
            effort.trying = words
            run = Run.start(task, arena, seed, named, effort)
            if Attempt(run, style).play():
                plan = verified(run, may_push)
                if plan is not None:
                    return plan
    except OutOfEffort:
        pass
    return None


def verified(run: Run, may_push: bool = True) -> Plan | None:
    """Return the plan of a run, if its replay from the start passes."""
    world = World.replay(run.record)
    if not world.over or world.passed() is not True:
        return None
    seconds = len(world.actions) * world.rules.decision_period * PHYSICS_STEP
    return Plan(run.record, tuple(run.steps), world.total, seconds, run.effort.used)


def styles(may_push: bool) -> Iterator[tuple[str, Style]]:
    """Yield the styles to try, the plain one first, then with random settings without end."""
    plain = Style()
    yield "drive", plain
    yield "keep close", replace(plain, caution=0.3, clearance=0.1)
    yield "drive slowly", replace(plain, fastest=6.0)
    yield "keep far away", replace(plain, caution=2.0, clearance=0.5, fastest=8.0)
    if may_push:
        yield "push what is in the way", replace(plain, push=True)
        yield "push slowly", replace(plain, push=True, fastest=5.0)
    for choice in range(1, 9):
        yield f"another order ({choice})", replace(plain, choice=choice)
    rng = rng_from(0)
    number = 0
    while True:
        number += 1
        yield (
            f"random settings ({number})",
            Style(
                clearance=float(rng.uniform(0.0, 0.6)),
                caution=float(rng.uniform(0.1, 2.5)),
                fastest=float(rng.uniform(3.0, 20.0)),
                push=may_push and bool(rng.random() < 0.5),
                hot=float(rng.choice([1.0, 6.0, 20.0])),
                choice=int(rng.integers(0, 12)) if rng.random() < 0.5 else 0,
                pause=int(rng.integers(0, 100)) if rng.random() < 0.4 else 0,
                noise=number,
            ),
        )
