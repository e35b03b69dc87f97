"""The arena that is played when no task is named: one of every thing in the catalogue."""

from functools import cache
from math import ceil

from puzzlebox.arena.schema import Task, read
from puzzlebox.arena.things import CATALOGUE, Category, Thing

NAME = "everything"
_SIDE, _MARGIN = 40.0, 3.5
# The animal starts at the near fence, facing all things; the first row leaves it room.
_START, _FIRST_ROW = (20, 3.5), 9.5
_COLUMNS = 6
# Sizes of things whose size a task may choose: large enough to be seen, small enough for their places.
_SIZE = {
    "Wall": "[3, 2, 0.6]",
    "WallTransparent": "[3, 2, 0.3]",
    "Ramp": "[2.5, 1, 3.5]",
    "SignBoard": "[1, 1, 1]",
    "UBlock": "[1.5, 0.5, 3]",
    "LBlock": "[1.5, 0.5, 3]",
    "JBlock": "[1.5, 0.5, 3]",
}
_SIZE_OF_CATEGORY = {Category.GOAL: "1", Category.ZONE: "[3, 0.5, 3]", Category.MOVABLE: "1.5"}
# Things that have a front are turned towards the animal.
_ROTATION = {
    "Ramp": 180,
    "SignBoard": 270,
    "SpawnerDispenserTall": 270,
    "SpawnerContainerShort": 270,
    "SpawnerButton": 90,
}
# Other parameters; all that are not named here have their defaults.
_MORE = {
    "SignBoard": ", symbol: right-arrow",
    "SpawnerDispenserTall": ", door_delay: 2",
    "SpawnerContainerShort": ", door_delay: 2",
    "DataZone": ", zone_id: here",
    "DecayGoal": ", initial_value: 1.5, final_value: 0.5",
    "RipenGoal": ", initial_value: 0.5, final_value: 1.5",
}


def _item(thing: type[Thing], x: float, z: float) -> str:
    name = thing.name()
    size = _SIZE.get(name) or _SIZE_OF_CATEGORY.get(thing.category)
    if thing.size is None:
        size_text = ""
    elif thing.size.smallest[0] > 1.5:  # tunnels
        size_text = ", size: [3, 3, 3]"
    else:
        size_text = f", size: {size or '[1.5, 1.5, 1.5]'}"
    place = f"at: [{x:g}, 0, {z:g}], rotation: {_ROTATION.get(name, 0)}"
    return f"      - {{name: {name}, {place}{size_text}{_MORE.get(name, '')}}}"


@cache
def task_text() -> str:
    """Return the task as YAML, with the things in rows, ordered by category."""
    things = [thing for thing in CATALOGUE.values() if thing.category is not Category.AGENT]
    categories = list(Category)
    things.sort(key=lambda thing: categories.index(thing.category))
    rows = ceil(len(things) / _COLUMNS)
    across = (_SIDE - 2 * _MARGIN) / (_COLUMNS - 1)
    along = (_SIDE - _MARGIN - _FIRST_ROW) / max(1, rows - 1)
    lines = [
        "metadata: {title: One of every thing, description: Everything a task can hold; walk among it and try.}",
        "default_perspective: third",
        "arenas:",
        "  - items:",
        f"      - {{name: Agent, at: [{_START[0]}, 0, {_START[1]}], rotation: 0}}",
    ]
    for number, thing in enumerate(things):
        lines.append(_item(thing, _MARGIN + number % _COLUMNS * across, _FIRST_ROW + number // _COLUMNS * along))
    return "\n".join(lines) + "\n"


@cache
def load_task() -> Task:
    """Return the task with one of every thing."""
    task = read(task_text()).task
    assert task is not None
    return task
