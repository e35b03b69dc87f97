"""The trial of one candidate: findings, shortcuts, a solution, and its replay with three seeds."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic

from puzzlebox.agents import agent_named
from puzzlebox.arena.rules import PHYSICS_STEP, TIME_UNIT, Rules
from puzzlebox.arena.schema import read, write
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.testbed.level import Level
from puzzlebox.arena.testbed.solutions import replay, solved_by
from puzzlebox.arena.world import World
from puzzlebox.run.play import play

SEEDS = (0, 1, 2)
# The work of the search for a plan that may not push, in simulated decisions.
SEARCH_WITHOUT_PUSHING = 45_000
# The share of the time that a solution may use, and the time limits that a task may have.
MOST_TIME, SHORTEST, LONGEST = 0.6, 250, 1000
# On this level, a test must need a push or a tool.
NEEDS_PUSH = 10
# On these levels, a test needs other actions than its control. On the others the way may be the same: what is asked for
# there is to know it in the dark, from memory or by comparing.
OTHER_WAY = (3, 5, 10)
# On these levels, the solutions of a test and of its control are about equally long: the least and the greatest ratio.
AS_LONG, LEAST_RATIO, MOST_RATIO = (3, 9, 10), 0.75, 1.35


@dataclass
class Trial:
    """What was found out about a candidate.

    Attributes:
        task: the task.
        problems: a sentence for each reason why it cannot be used.
        solutions: the actions for each seed that needs its own; empty if none was found.
        totals: the return of each solution.
        passed: whether each agent that takes shortcuts passes.
        steps: what the solver does, in words.
        seconds: how long each part of the trial took.
    """

    task: Task
    problems: list[str] = field(default_factory=list)
    solutions: dict[int, tuple[int, ...]] = field(default_factory=dict)
    totals: dict[int, float] = field(default_factory=dict)
    passed: dict[str, bool] = field(default_factory=dict)
    steps: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)


def try_task(task: Task, level: Level, number: int, search: int, *, stop_early: bool = True) -> Trial:
    """Try a candidate for a row; the first problem ends the trial, unless `stop_early` is false."""
    trial = Trial(task)
    row = level.rows[number]
    shortcut = level.shortcut_of(row)
    needs_push = level.number == NEEDS_PUSH and not row.is_control

    def stages() -> Iterator[tuple[str, Iterator[str]]]:
        yield "check", _findings(task)
        if shortcut != "any" or not stop_early:
            yield "shortcuts", _shortcuts(trial, shortcut)
        yield "solve", _solutions(trial, search)
        if needs_push:
            yield "without pushing", _without_pushing(task)

    for name, problems in stages():
        begin = monotonic()
        trial.problems += problems
        trial.seconds[name] = monotonic() - begin
        if trial.problems and stop_early:
            break
    return trial


def _findings(task: Task) -> Iterator[str]:
    """Yield what `puzzlebox check` finds, what cannot be placed, and a time limit that does not fit."""
    for finding in read(write(task)).findings:
        yield f"check: {finding.message}"
    if len(task.arenas) != 1:
        yield f"check: it has {len(task.arenas)} arenas; a task of the testbed has one"
        return
    limit = task.arenas[0].time_limit
    if not SHORTEST <= limit <= LONGEST:
        yield f"check: time_limit is {limit}; it must be from {SHORTEST} to {LONGEST}"
    if task.arenas[0].pass_mark <= 0:
        yield f"check: pass_mark is {task.arenas[0].pass_mark:g}; it must be above 0, so that doing nothing fails"
    for seed in SEEDS:
        for failure in World(task, seed=seed).unplaced:
            yield f"placing (seed {seed}): {failure}"


def passes(agent: str, task: Task, seed: int) -> bool:
    """Return whether an agent passes a task."""
    return World.replay(play(task, agent_named(agent), seed=seed)).passed() is True


def solves(one: Trial, other: Trial) -> bool:
    """Return whether what solves one task solves another one, too."""
    return any(solved_by(other.task, actions, seed) for seed, actions in one.solutions.items())


def takes_as_long(test: Trial, control: Trial) -> bool:
    """Return whether the solution of a test is about as long as that of its control."""
    ratio = len(test.solutions[SEEDS[0]]) / len(control.solutions[SEEDS[0]])
    return LEAST_RATIO <= ratio <= MOST_RATIO


def _shortcuts(trial: Trial, shortcut: str) -> Iterator[str]:
    trial.passed["heuristic"] = passes("heuristic", trial.task, 0)
    trial.passed["random"] = any(passes("random", trial.task, seed) for seed in SEEDS)
    if shortcut == "passes" and not trial.passed["heuristic"]:
        yield "shortcut: the heuristic fails it, and should pass it"
    if shortcut == "fails":
        yield from (f"shortcut: the {agent} agent passes it" for agent, passed in trial.passed.items() if passed)


def _solutions(trial: Trial, search: int) -> Iterator[str]:
    """Yield why there is no solution; find one, and others for seeds with which it does not replay alike."""
    from puzzlebox.arena.solver import solve

    first: tuple[int, ...] | None = None
    end: object = None
    for seed in SEEDS:
        if first is not None:
            world = replay(trial.task, first, seed)
            if world.passed() is True and world.over:
                if _end(world) != end:
                    trial.solutions[seed], trial.totals[seed] = first, world.total
                continue
        plan = solve(trial.task, seed=seed, decisions=search)
        if plan is None:
            yield f"solver: no plan found in {search:,} decisions (seed {seed})"
            return
        actions = tuple(action for (action,) in plan.actions)
        world = replay(trial.task, actions, seed)
        if world.passed() is not True:
            yield f"solver: its plan does not replay to a pass (seed {seed})"
            return
        if first is None:
            first, end, trial.steps = actions, _end(world), plan.steps
        trial.solutions[seed], trial.totals[seed] = actions, world.total
    yield from _margins(trial)


def _margins(trial: Trial) -> Iterator[str]:
    """Yield which solution leaves too little time: of the time limit, or of what the pass mark leaves of it."""
    arena = trial.task.arenas[0]
    limit = arena.time_limit * TIME_UNIT * PHYSICS_STEP
    for seed, actions in trial.solutions.items():
        taken = len(actions) * Rules().decision_period * PHYSICS_STEP
        # A return falls by 1 over the whole time, so that it reaches the pass mark this late.
        allowed = min(limit, taken + (trial.totals[seed] - arena.pass_mark) * limit)
        if taken > MOST_TIME * allowed:
            yield (
                f"time: the solution takes too much of the time that time_limit and pass_mark leave; at most "
                f"{MOST_TIME:.0%} may be used"
            )
            return


def _end(world: World) -> object:
    """Return how an episode ended; the same for all seeds unless something random mattered."""
    at, _ = world.engine.pose(world.animals[0].id)
    return world.clock, world.total, tuple(at), world.animals[0].heading


def _without_pushing(task: Task) -> Iterator[str]:
    from puzzlebox.arena.solver import solve

    if solve(task, decisions=SEARCH_WITHOUT_PUSHING, may_push=False) is not None:
        yield "push: a plan that moves no movable thing passes it"
