"""Episodes from task, number and seed alone: the same bytes in every process, whatever was generated before."""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from puzzlebox.intuitions.catalogue import BACKGROUND, FAMILIAR, NEW, SHAPE_SETS, task_named
from puzzlebox.intuitions.episodes import background, choices, efficiency, instrumental
from puzzlebox.intuitions.episodes.casting import draw_cast
from puzzlebox.intuitions.episodes.layouts import ATTEMPTS, NoLayout
from puzzlebox.intuitions.episodes.stimulus import Pair
from puzzlebox.seeds import check_seed, stimulus_rng
from puzzlebox.text import nearest


class Recipe(NamedTuple):
    """How the pairs of a task are drawn.

    Attributes:
        draw: the function that draws one.
        factors: its factors of two levels; each combination of levels has the same number of episodes.
        two_objects: whether there are two objects, which files list in either order.
    """

    draw: Callable[..., Pair]
    factors: tuple[str, ...] = ()
    two_objects: bool = False


RECIPES: dict[str, Recipe] = {
    "preference": Recipe(choices.preference, ("nearer",), True),
    "multi_agent": Recipe(choices.multi_agent, ("nearer", "same_goal"), True),
    "inaccessible_goal": Recipe(choices.inaccessible_goal, ("nearer",), True),
    "efficiency_path": Recipe(efficiency.path_control, ("moved",)),
    "efficiency_time": Recipe(efficiency.time_control, ("moved", "expected_familiar", "expected_shorter")),
    "efficiency_irrational": Recipe(efficiency.irrational_agent, ("moved",)),
    "instrumental_no_barrier": Recipe(instrumental.no_barrier, ("key_nearer", "goal_familiar")),
    "instrumental_inconsequential_barrier": Recipe(
        instrumental.inconsequential_barrier, ("key_nearer", "goal_familiar")
    ),
    "instrumental_blocking_barrier": Recipe(
        instrumental.blocking_barrier, ("key_nearer", "goal_familiar", "enclosing_familiar", "enclosing_nearer")
    ),
    "background/single_object": Recipe(background.single_object),
    "background/preference": Recipe(background.preference, two_objects=True),
    "background/multi_agent": Recipe(background.multi_agent),
    "background/instrumental_action": Recipe(background.instrumental_action),
}


def make_pair(task: str, number: int, seed: int = 0, shapes: str = FAMILIAR) -> Pair:
    """Generate an episode: an expected and an unexpected stimulus, or one stimulus of a background task.

    Args:
        task: the name of the task (`catalogue.TASKS`).
        number: the number of the episode, from 0.
        seed: the seed of the set.
        shapes: `familiar` or `new` shapes; layouts and motions are the same with either.

    Raises:
        ValueError: there is no such task, number, seed or set of shapes.
    """
    check_request(task, seed, shapes)
    recipe, seed = RECIPES[task], check_seed(seed)
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"the number of an episode is {number!r}; it must be a whole number, 0 or more")
    cast = draw_cast(stimulus_rng(seed, task, number, f"cast/{shapes}"), shapes)
    levels = stratum(task, number, seed)
    if recipe.two_objects:
        cast = cast._replace(wanted_first=wanted_first(task, number, seed))
    rng = stimulus_rng(seed, task, number)
    for _ in range(ATTEMPTS):
        try:
            return recipe.draw(rng, cast, number, **levels)
        except NoLayout:
            continue
    raise RuntimeError(f"no layout was found for {task}, number {number}, seed {seed}, in {ATTEMPTS:,} attempts")


def check_request(task: str, seed: int, shapes: str) -> None:
    """Raise a ValueError if there is no such task, seed or set of shapes."""
    check_seed(seed)
    if shapes not in SHAPE_SETS:
        raise ValueError(f"there are no shapes {shapes!r}{nearest(shapes, SHAPE_SETS)}")
    if task_named(task).kind == BACKGROUND and shapes == NEW:
        raise ValueError(f"{task} has familiar shapes only; new ones are for evaluation tasks")


def stratum(task: str, number: int, seed: int) -> dict[str, bool]:
    """Return the level of each factor in an episode; each run of all combinations is shuffled by itself."""
    factors = RECIPES[task].factors
    levels = list(product((False, True), repeat=len(factors)))
    block, place = divmod(number, len(levels))
    stimulus_rng(seed, task, block, "levels").shuffle(levels)
    return dict(zip(factors, levels[place], strict=True))


def wanted_first(task: str, number: int, seed: int) -> bool:
    """Return whether the files of an episode list the preferred object first.

    If they always did, the place in the list would tell where the agent goes. Each run of all combinations of levels
    has either order in half of its episodes, and the next run has the other order with each combination.
    """
    levels = list(product((False, True), repeat=len(RECIPES[task].factors)))
    block = number // len(levels)
    orders = [place % 2 == 0 for place in range(max(len(levels), 2))]
    stimulus_rng(seed, task, block // 2, "order").shuffle(orders)
    place = levels.index(tuple(stratum(task, number, seed).values()))
    return orders[place] is (block % 2 == 0)
