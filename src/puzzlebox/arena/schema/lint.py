"""Warnings about what is allowed but doubtful in a task, for both formats alike."""

from collections.abc import Iterator
from math import inf

from puzzlebox.arena.schema.draft import Draft, Path
from puzzlebox.arena.schema.models import Arena, Item, Operation, Task
from puzzlebox.arena.schema.overlap import overlaps, through_fence
from puzzlebox.arena.things import CATALOGUE, SHRINK, Category, Solid, Takes
from puzzlebox.text import number, vector


def lint(task: Task, draft: Draft) -> None:
    """Add the warnings about a task to the findings."""
    carried_over = 0.0
    for index, arena in enumerate(task.arenas):
        path: Path = ("arenas", index)
        _arena(arena, index, draft)
        for position, item in enumerate(arena.items):
            for where, each in _with_operation_items(item, (*path, "items", position)):
                _item(each, arena, where, draft)
        _placing(arena, path, draft)
        most = carried_over + most_reward(arena)
        # The pass mark is compared with the return since the episode began, merged arenas included.
        if arena.pass_mark > max(most, 0.0) + 1e-6:
            details = {"arena": index + 1, "pass_mark": number(arena.pass_mark), "most": number(round(most, 3))}
            draft.report("pass-mark", draft.locate((*path, "pass_mark")), **details)
        carried_over = most if arena.merge_next_arena else 0.0
    last = task.arenas[-1]
    if last.merge_next_arena:
        draft.report(
            "merge-last", draft.locate(("arenas", len(task.arenas) - 1, "merge_next_arena")), arena=len(task.arenas)
        )


def _arena(arena: Arena, index: int, draft: Draft) -> None:
    path: Path = ("arenas", index)
    if not arena.items:
        draft.report("empty-arena", draft.locate(path), arena=index + 1)
    frozen = max((item.frozen_delay or 0.0 for item in arena.agents()), default=0.0)
    seconds = arena.time_limit / 10
    # Time does not run while the animal is frozen, so this can be played; but an author who gives less time than the
    # delay has probably taken both for seconds.
    if 0 < seconds < frozen:
        details = {"frozen": number(frozen), "seconds": number(seconds), "limit": arena.time_limit}
        draft.report("short-time", draft.locate((*path, "time_limit")), **details, write=10 * arena.time_limit)
    late = next((index for index, time in enumerate(arena.blackouts) if 0 < arena.time_limit < time), None)
    if late is not None:
        where = draft.locate((*path, "blackouts", late))
        draft.report("late-blackout", where, value=arena.blackouts[late], limit=arena.time_limit)


def _with_operation_items(item: Item, path: Path) -> Iterator[tuple[Path, Item]]:
    """Yield an item and the items that its operations bring, with their paths."""
    yield path, item
    for index, operation in enumerate(item.operations or ()):
        yield from _items_of_operation(operation, (*path, "operations", index))


def _items_of_operation(operation: Operation, path: Path) -> Iterator[tuple[Path, Item]]:
    inside = (*path, operation.do)
    if operation.do == "toggle_object":
        for index, item in enumerate(operation.items):
            yield from _with_operation_items(item, (*inside, "items", index))
    elif operation.do == "limited":
        yield from _items_of_operation(operation.operation, (*inside, "operation"))
    elif operation.do == "one_of":
        for index, each in enumerate(operation.operations):
            yield from _items_of_operation(each, (*inside, "operations", index))


def _item(item: Item, arena: Arena, path: Path, draft: Draft) -> None:
    _size(item, path, draft)
    _values(item, path, draft)
    _position(item, arena, path, draft)
    if item.color is not None and max(item.color) <= 1 and any(channel % 1 for channel in item.color):
        draft.report("dark-colour", draft.locate((*path, "color")), value=vector(item.color))
    if item.reward_weights is not None and len(item.reward_weights) == 1 and item.reward_weights[0] < 1:
        where = draft.locate((*path, "reward_weights", 0))
        word = draft.parameter_word("spawn_probability")
        draft.report("lone-weight", where, key=word, value=number(item.reward_weights[0]))


def _size(item: Item, path: Path, draft: Draft) -> None:
    thing = CATALOGUE[item.name]
    if item.size is None or thing.size is None:
        return
    if thing.solid is Solid.BALL and None in item.size:
        return  # one random number makes the whole ball random (docs/original/task-files.md#random)
    clamped = thing.size.clamp(item.size)
    where = draft.locate((*path, "size"))
    numbers = [thing.size.smallest, thing.size.largest, item.size, clamped]
    if thing.solid is Solid.BALL:
        if len(set(item.size)) > 1:
            draft.report("ball-size", where, value=vector(item.size), becomes=number(item.size[0] or 0.0))
        fits = clamped[0] == item.size[0]
        smallest, largest, value, becomes = (number(each[0] or 0.0) for each in numbers)
    else:
        fits = clamped == item.size
        smallest, largest, value, becomes = map(vector, numbers)
    if not fits:
        details = {"smallest": smallest, "largest": largest, "value": value, "becomes": becomes}
        draft.report("clamped-size", where, thing=item.name, **details)


def _values(item: Item, path: Path, draft: Draft) -> None:
    for key, spec in CATALOGUE[item.name].takes().items():
        value = getattr(item, key)
        if spec.limits and value is not None and value != _clamp(value, spec):
            details = {"thing": item.name, "value": number(value), "becomes": number(_clamp(value, spec))}
            smallest, largest = map(number, spec.limits)
            where = draft.locate((*path, key))
            key = draft.parameter_word(key)
            draft.report("clamped-value", where, key=key, smallest=smallest, largest=largest, **details)


def _clamp(value: float, spec: Takes) -> float:
    """Return a value within the limits of its parameter."""
    return min(max(value, spec.limits[0]), spec.limits[1]) if spec.limits else value


def _position(item: Item, arena: Arena, path: Path, draft: Draft) -> None:
    width, depth = arena.size
    starts: list[tuple[Path, tuple[float | None, float, float | None] | None]] = [
        ((*path, "at"), item.at),
        ((*path, "reward_at"), item.reward_at),
        *(((*path, "at_one_of", index), start) for index, start in enumerate(item.at_one_of or ())),
    ]
    for where, at in starts:
        if at is None:
            continue
        x, _, z = at
        if (x is not None and x > width) or (z is not None and z > depth):
            details = {"value": vector(at), "width": number(width), "depth": number(depth)}
            draft.report("outside", draft.locate(where), **details)
        elif item.name == "Agent" and (x in (0.0, width) or z in (0.0, depth)):
            draft.report("agent-on-border", draft.locate(where))


def _placing(arena: Arena, path: Path, draft: Draft) -> None:
    """Report things that certainly cannot be placed."""
    outside = {}
    for index, reach in through_fence(arena):
        outside[index] = reach
        where = draft.locate((*path, "items", index, "at"))
        draft.report("through-fence", where, thing=arena.items[index].name, depth=number(round(reach, 3)))
    for later, earlier in overlaps(arena, without=outside):
        draft.report(
            "overlap",
            draft.locate((*path, "items", later, "at")),
            thing=arena.items[later].name,
            other=arena.items[earlier].name,
            line=draft.locate((*path, "items", earlier, "at")).place.line,
        )


def most_reward(arena: Arena) -> float:
    """Return the most reward that an arena can pay, without the cost of time.

    It is infinite where something never runs out.
    """
    collected, ending = 0.0, 0.0
    for item in arena.items:
        reward, ends = _most_from(item)
        if ends:
            ending = max(ending, reward)
        else:
            collected += reward
    return collected + ending


def _most_from(item: Item) -> tuple[float, bool]:
    """Return the most reward that an item can pay, and whether taking it ends the episode."""
    thing = CATALOGUE[item.name]
    takes = thing.takes()
    if thing.category is Category.DISPENSER:
        count = takes["spawn_count"].default if item.spawn_count is None else item.spawn_count
        # A quarter of a metre is the most that any build added to a fruit (docs/original/things.md#dispensers).
        return (inf if count < 0 else count * (_largest_value(item) + 0.25)), False
    if thing.category is Category.BUTTON and item.reward_names:
        return inf, False
    if item.operations:
        return (inf if any(_pays(operation) for operation in item.operations) else 0.0), False
    if not thing.pays:
        return 0.0, False
    if "initial_value" in takes:
        return _largest_value(item), thing.ends
    if thing.size is None:
        return 0.0, thing.ends
    diameter = None if item.size is None or None in item.size else thing.size.clamp(item.size)[0]
    return (thing.size.largest[0] if diameter is None else diameter * SHRINK), thing.ends


def _largest_value(item: Item) -> float:
    """Return the larger of the first and the last value of a thing, both clamped."""
    takes = CATALOGUE[item.name].takes()
    values = {"initial_value": item.initial_value, "final_value": item.final_value}
    return max(_clamp(takes[key].default if value is None else value, takes[key]) for key, value in values.items())


def _pays(operation: Operation) -> bool:
    """Return whether an operation can pay anything; how often does not matter."""
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
