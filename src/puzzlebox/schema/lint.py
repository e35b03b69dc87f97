"""What is allowed but doubtful in a task: said as warnings, in both forms alike."""

from math import inf

from puzzlebox.schema.draft import Draft, Path
from puzzlebox.schema.messages import number, vector
from puzzlebox.schema.models import Arena, Item, Operation, Task
from puzzlebox.schema.overlap import overlaps
from puzzlebox.things import CATALOGUE, Category, Solid

# An explicit size is shrunk a little so that neighbours do not touch, and the reward with it (animal-ai.md 2.1).
SHRINK = 0.999


def lint(task: Task, draft: Draft) -> None:
    """Add the warnings about a task to the findings."""
    carried = 0.0
    for index, arena in enumerate(task.arenas):
        path: Path = ("arenas", index)
        for position, item in enumerate(arena.items):
            where = (*path, "items", position)
            _size(item, where, draft)
            _position(item, arena, where, draft)
        _overlaps(arena, path, draft)
        most = carried + most_reward(arena)
        # The mark is compared with what was collected since the episode began, merged arenas included.
        if arena.pass_mark > max(most, 0.0):
            details = {"id": arena.id, "pass_mark": number(arena.pass_mark), "most": number(round(most, 3))}
            draft.report("pass-mark", draft.locate((*path, "pass_mark")), **details)
        carried = most if arena.merge_next_arena else 0.0
    last = task.arenas[-1]
    if last.merge_next_arena:
        draft.report("merge-last", draft.locate(("arenas", len(task.arenas) - 1, "merge_next_arena")), id=last.id)


def _size(item: Item, path: Path, draft: Draft) -> None:
    thing = CATALOGUE[item.name]
    if item.size is None or thing.size is None:
        return
    low, high = thing.size.smallest, thing.size.largest
    # Only the first number of a ball's size counts.
    axes = 1 if thing.solid is Solid.BALL else 3
    pairs = [(given, low[axis], high[axis]) for axis, given in enumerate(item.size[:axes])]
    if all(given is None or smallest <= given <= largest for given, smallest, largest in pairs):
        return
    becomes = [given if given is None else min(max(given, smallest), largest) for given, smallest, largest in pairs]
    draft.report(
        "clamped-size",
        draft.locate((*path, "size")),
        thing=item.name,
        smallest=vector(low[:axes]) if axes > 1 else number(low[0]),
        largest=vector(high[:axes]) if axes > 1 else number(high[0]),
        value=vector(item.size[:axes]) if axes > 1 else number(pairs[0][0] or 0.0),
        becomes=vector(becomes) if axes > 1 else number(becomes[0] or 0.0),
    )


def _position(item: Item, arena: Arena, path: Path, draft: Draft) -> None:
    width, depth = arena.size
    starts = (
        [((*path, "at"), item.at)]
        if item.at_one_of is None
        else [((*path, "at_one_of", index), start) for index, start in enumerate(item.at_one_of)]
    )
    for index, (where, at) in enumerate(starts):
        if at is None:
            continue
        x, _, z = at
        if (x is not None and x > width) or (z is not None and z > depth):
            details = {"value": vector(at), "width": number(width), "depth": number(depth)}
            draft.report("outside", draft.locate(where), **details)
        elif item.name == "Agent" and index == 0 and (x in (0.0, width) or z in (0.0, depth)):
            draft.report("agent-on-border", draft.locate(where))


def _overlaps(arena: Arena, path: Path, draft: Draft) -> None:
    for later, earlier in overlaps(arena):
        draft.report(
            "overlap",
            draft.locate((*path, "items", later, "at")),
            thing=arena.items[later].name,
            other=arena.items[earlier].name,
            line=draft.locate((*path, "items", earlier, "at")).place.line,
        )


def most_reward(arena: Arena) -> float:
    """The most one can collect in an arena, the cost of time left aside; infinite when something never runs out."""
    collected, ending = 0.0, 0.0
    for item in arena.items:
        reward, ends = _most_from(item)
        if ends:
            ending = max(ending, reward)
        else:
            collected += reward
    return collected + ending


def _most_from(item: Item) -> tuple[float, bool]:
    """The most one item can pay, and whether taking it ends the episode."""
    thing = CATALOGUE[item.name]
    takes = thing.takes()
    if thing.category is Category.DISPENSER:
        count = takes["spawn_count"].default if item.spawn_count is None else item.spawn_count
        size = max(item.final_value or takes["final_value"].default, item.initial_value or 0.0)
        # A quarter of a metre is the most that any build added to a fruit (animal-ai.md 2.7).
        return (inf if count < 0 else count * (size + 0.25)), False
    if thing.category is Category.BUTTON and item.reward_names:
        return inf, False
    if item.operations:
        return (inf if any(_pays(operation) for operation in item.operations) else 0.0), False
    if not thing.reward.startswith("+"):
        return 0.0, False
    ends = thing.reward.endswith("ends the episode")
    if "initial_value" in takes:
        first = takes["initial_value"].default if item.initial_value is None else item.initial_value
        last = takes["final_value"].default if item.final_value is None else item.final_value
        return float(max(first, last)), ends
    if thing.size is None:
        return 0.0, ends
    if item.size is None or None in item.size:
        return thing.size.largest[0], ends
    return thing.size.clamp(item.size)[0] * SHRINK, ends  # type: ignore[arg-type]


def _pays(operation: Operation) -> bool:
    """Whether an operation can ever give something; how often is not counted."""
    match operation.do:
        case "toggle_object":
            return any(_most_from(item)[0] > 0 for item in operation.items)
        case "grant_reward" | "end_episode":
            return operation.reward > 0
        case "grant_continuous_reward":
            return operation.reward_per_step > 0
        case "limited":
            return _pays(operation.operation)
        case "one_of":
            return any(_pays(each) for each in operation.operations)
        case _:
            return False
