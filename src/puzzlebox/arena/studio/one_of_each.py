"""The arena one comes to without a task: one of every thing in the catalogue, to walk among and try."""

from functools import cache
from math import ceil

from puzzlebox.arena.schema import Task, read
from puzzlebox.arena.things import CATALOGUE, Category, Thing

NAME = "everything"
_SIDE, _MARGIN = 40.0, 3.5
# Where the animal starts: at the near fence, looking at all of it; the first row of things leaves it room.
_START, _FIRST_ROW = (20, 3.5), 9.5
_COLUMNS = 6
# How large a thing is where its size is one's own choice: large enough to be seen, small enough for its place.
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
# What has a front shows it to the animal.
_ROTATION = {
    "Ramp": 180,
    "SignBoard": 270,
    "SpawnerDispenserTall": 270,
    "SpawnerContainerShort": 270,
    "SpawnerButton": 90,
}
# Anything left out here is one of the thing's own defaults.
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
        given = ""
    elif thing.size.smallest[0] > 1.5:  # tunnels
        given = ", size: [3, 3, 3]"
    else:
        given = f", size: {size or '[1.5, 1.5, 1.5]'}"
    place = f"at: [{x:g}, 0, {z:g}], rotation: {_ROTATION.get(name, 0)}"
    return f"      - {{name: {name}, {place}{given}{_MORE.get(name, '')}}}"


@cache
def everything_text() -> str:
    """The task as YAML: things by shelf, row by row."""
    things = [thing for thing in CATALOGUE.values() if thing.category is not Category.AGENT]
    shelves = list(Category)
    things.sort(key=lambda thing: shelves.index(thing.category))
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
def everything() -> Task:
    """That task."""
    task = read(everything_text()).task
    assert task is not None
    return task
