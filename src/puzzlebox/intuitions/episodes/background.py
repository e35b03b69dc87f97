"""Background tasks: what a learner may see before the evaluation, with expected outcomes only."""

from itertools import product
from random import Random

from puzzlebox.intuitions.episodes.casting import Cast
from puzzlebox.intuitions.episodes.instrumental import FEWEST_PIECES, Scene, barrier_around, fetching_trial
from puzzlebox.intuitions.episodes.layouts import Ground, NoLayout, draw_walls
from puzzlebox.intuitions.episodes.staging import stage
from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus, Trial
from puzzlebox.intuitions.grid import FEWEST_WALLS, INNER, TRIALS, Cell, ring, steps_apart

# The shortest and longest paths to a single object, in pixels.
_SHORTEST, _LONGEST = 40.0, 160.0
# Objects right beside the agent: at most this many king's steps away, in a straight line.
_BESIDE = 2
_DRAWS = 150


def single_object(rng: Random, cast: Cast, number: int) -> Pair:
    """Draw an episode in which the agent goes to one object at varied places."""
    walls = draw_walls(rng)
    ground = Ground(walls, rng.choice([cell for cell in INNER if cell not in walls]))
    cells = [cell for cell, length in ground.lengths.items() if _SHORTEST <= length <= _LONGEST]
    if len(cells) < TRIALS:
        raise NoLayout
    goals = rng.sample(cells, TRIALS)
    return _episode("background/single_object", number, [_to_object(ground, cast, goal) for goal in goals])


def _episode(task: str, number: int, trials: list[Trial]) -> Pair:
    return Pair(task, number, Stimulus(tuple(trials)))


def _to_object(ground: Ground, cast: Cast, goal: Cell, newcomer: bool = False) -> Trial:
    agent = cast.newcomer if newcomer else cast.agent
    return stage(ground.blocked, ground.start, agent, [(cast.wanted, goal)], ground.walk(goal))


def _beside(rng: Random) -> tuple[Ground, list[Cell]]:
    """Draw walls and a start, and return the cells right beside it that a straight line leads to."""
    walls = draw_walls(rng)
    ground = Ground(walls, rng.choice([cell for cell in INNER if cell not in walls]))
    near = [cell for cell in ground.lengths if steps_apart(cell, ground.start) <= _BESIDE]
    return ground, [cell for cell in near if ground.lengths[cell] <= ground.straight(cell) + 0.5]


def preference(rng: Random, cast: Cast, number: int) -> Pair:
    """Draw an episode in which the agent always chooses the same of two objects right beside it."""
    ground, cells = _beside(rng)
    pairs = [(one, two) for one, two in product(cells, cells) if steps_apart(one, two) >= 2]
    fair: dict[bool, list[tuple[Cell, Cell]]] = {True: [], False: []}
    for one, two in pairs:
        if ground.lengths[one] != ground.lengths[two] and ground.avoids(one, two, 16.0):
            fair[ground.lengths[one] < ground.lengths[two]].append((one, two))
    # Of nine trials, four or five have the chosen object nearer.
    nearer = TRIALS // 2 + number % 2
    if not fair[True] or not fair[False]:
        raise NoLayout
    drawn = rng.choices(fair[True], k=nearer) + rng.choices(fair[False], k=TRIALS - nearer)
    rng.shuffle(drawn)
    trials = [
        stage(ground.blocked, ground.start, cast.agent, cast.listed(one, two), ground.walk(one)) for one, two in drawn
    ]
    return _episode("background/preference", number, trials)


def multi_agent(rng: Random, cast: Cast, number: int) -> Pair:
    """Draw an episode in which another agent takes the place of the first at some trial."""
    ground, cells = _beside(rng)
    if len(cells) < TRIALS // 2:
        raise NoLayout
    # Not at the test, the last trial: a new agent there is left to the evaluation.
    change = rng.randrange(1, TRIALS - 1)
    goals = [rng.choice(cells) for _ in range(TRIALS)]
    trials = [_to_object(ground, cast, goal, trial >= change) for trial, goal in enumerate(goals)]
    return _episode("background/multi_agent", number, trials)


def instrumental_action(rng: Random, cast: Cast, number: int) -> Pair:
    """Draw an episode in which the barrier encloses the agent, its key and the lock."""
    start = rng.choice(INNER)
    around = [cell for cell in (start, *ring(start)) if len(ring(cell)) == 8]
    middles = rng.sample(around, min(2, len(around)))
    rooms = {cell for middle in middles for cell in (middle, *ring(middle))}
    walls = draw_walls(rng, FEWEST_WALLS, FEWEST_WALLS + 2, keep_free=rooms)
    trials: list[Trial] = []
    for _ in range(_DRAWS):
        middle = rng.choice(middles)
        barrier = barrier_around(middle, walls, 2)
        room = [cell for cell in (middle, *ring(middle)) if cell != start]
        key, lock = rng.sample(room, 2)
        outside = [cell for cell in INNER if cell not in walls and steps_apart(cell, middle) > 2]
        if lock == middle or not outside or len(barrier) < FEWEST_PIECES:
            continue
        try:
            scene = Scene(rng.choice(outside), key, lock, barrier)
            trials.append(fetching_trial(rng, cast, walls, start, scene))
        except NoLayout:
            continue
        if len(trials) == TRIALS:
            return _episode("background/instrumental_action", number, trials)
    raise NoLayout
