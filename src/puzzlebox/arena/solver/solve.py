"""The search for a plan: attempts in order of cost, until one replays to a pass."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from puzzlebox.arena.rules import PHYSICS_STEP, Rules
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.solver.attempt import Attempt
from puzzlebox.arena.solver.effort import Effort, OutOfEffort
from puzzlebox.arena.solver.leap import leaps
from puzzlebox.arena.solver.plan import Plan
from puzzlebox.arena.solver.press import presses
from puzzlebox.arena.solver.push import pushes, steered_pushes
from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.solver.search import Operators, Search
from puzzlebox.arena.solver.style import Style
from puzzlebox.arena.solver.touch import has_pressed, has_pushed
from puzzlebox.arena.world import World
from puzzlebox.seeds import rng_from

# The work of a second of search, so that the effort does not depend on the machine.
DECISIONS_PER_SECOND = 3000
# How many random settings are tried where there is nowhere to go.
_LAST_TRIES = 8


def solve(
    task: Task,
    arena: int = 0,
    seed: int = 0,
    rules: str | Rules = "puzzlebox",
    seconds: float = 120.0,
    may_push: bool = True,
    may_press: bool = True,
    progress: Callable[[float, str], None] | None = None,
    decisions: int | None = None,
) -> Plan | None:
    """Search for actions that pass a task, knowing everything about its world.

    The result is the same for the same arguments, unless the time is over before the work that belongs to it is done.

    Args:
        task: the task.
        arena: the position of the arena to start in, from 0.
        seed: the seed of the episode.
        rules: the rules of the episode.
        seconds: the time for the search, and 3,000 decisions of work for each second of it.
        may_push: whether the animal may drive into movable things.
        may_press: whether the animal may press buttons, and enter zones that operate something.
        progress: called now and then with the share of the effort that is used, 0 to 1, and what is being tried.
        decisions: the work in decisions, whatever the time; the result then does not depend on how fast the machine
            is. Default: as `seconds` says.

    Returns:
        A plan whose replay passes, or None if none was found; that does not mean that there is none.
    """
    named = Rules.named(rules)
    if decisions is None:
        effort = Effort(int(seconds * DECISIONS_PER_SECOND), seconds, progress)
    else:
        effort = Effort(decisions, math.inf, progress)
    try:
        outlook = Outlook()
        for words, method in methods(may_push, may_press, outlook):
            effort.trying = words
            run = method(Run.start(task, arena, seed, named, effort), outlook)
            plan = None if run is None else verified(run, may_push, may_press)
            if plan is not None:
                return plan
    except OutOfEffort:
        pass
    return None


def verified(run: Run, may_push: bool = True, may_press: bool = True) -> Plan | None:
    """Return the plan of a run, if its replay from the start passes."""
    world = World.replay(run.record)
    if not world.over or world.passed() is not True:
        return None
    if (not may_push and has_pushed(run.record)) or (not may_press and has_pressed(run.record)):
        return None
    seconds = len(world.actions) * world.rules.decision_period * PHYSICS_STEP
    return Plan(run.record, run.words(), world.total, seconds, run.effort.used)


@dataclass
class Outlook:
    """What the attempts so far have shown: whether there was ever anywhere to go, and how many states there are."""

    went: bool = False
    states: int = 0


Method = Callable[[Run, Outlook], Run | None]


def methods(may_push: bool, may_press: bool, outlook: Outlook) -> Iterator[tuple[str, Method]]:
    """Yield what to try, the cheapest first: driving, searches over operators, then random settings.

    These end only where nothing so far led anywhere: no goal can be reached, and no operator changes anything.
    """
    plain = Style()
    pressing: list[Operators] = [presses] if may_press else []
    pushing: list[Operators] = [pushes, steered_pushes] if may_push else []
    operators = pressing + pushing
    yield "drive", _driving(plain)
    yield "press and push", _searching(plain, operators, states=1)
    if may_push:
        yield "push what is in the way", _driving(replace(plain, push=True))
        yield "push slowly", _driving(replace(plain, push=True, fastest=5.0))
    yield "keep close", _driving(replace(plain, caution=0.3, clearance=0.1))
    yield "drive slowly", _driving(replace(plain, fastest=6.0))
    yield "keep far away", _driving(replace(plain, caution=2.0, clearance=0.5, fastest=8.0))
    for choice in range(1, 5):
        yield f"another order ({choice})", _driving(replace(plain, choice=choice))
    for fastest in (9.0, 4.0):
        yield "leap", _searching(plain, [leaps], fastest=fastest, states=1)
    yield "press and push in a row", _searching(plain, operators, states=12)
    rng = rng_from(0)
    number = 0
    while outlook.went or outlook.states or number < _LAST_TRIES:
        number += 1
        style = Style(
            clearance=float(rng.uniform(0.0, 0.6)),
            caution=float(rng.uniform(0.1, 2.5)),
            fastest=float(rng.uniform(3.0, 25.0)),
            push=may_push and bool(rng.random() < 0.4),
            hot=float(rng.choice([1.0, 6.0, 20.0])),
            choice=int(rng.integers(0, 12)) if rng.random() < 0.5 else 0,
            pause=int(rng.integers(0, 100)) if rng.random() < 0.4 else 0,
            offset=float(rng.uniform(-1.3, 1.3)) if rng.random() < 0.3 else 0.0,
            noise=number,
        )
        yield f"random settings ({number})", _driving(style)
        if number % 4 == 0:
            searched = replace(style, push=False, choice=0, pause=0, clearance=min(style.clearance, 0.3))
            kinds = [[*operators, leaps], operators][number // 4 % 2]
            yield (
                f"random search ({number})",
                _searching(searched, kinds, fastest=float(rng.uniform(2.0, 10.0)), states=1 + number // 4),
            )


def _driving(style: Style) -> Method:
    def drive(run: Run, outlook: Outlook) -> Run | None:
        attempt = Attempt(run, style)
        passed = attempt.play()
        outlook.went |= attempt.went
        return run if passed else None

    return drive


def _searching(style: Style, operators: list[Operators], *, fastest: float = 5.0, states: int) -> Method:
    def search(run: Run, outlook: Outlook) -> Run | None:
        found = Search(run, style, operators, fastest)
        won = found.find(states)
        outlook.states += max(found.states - 1, 0)
        return won

    return search
