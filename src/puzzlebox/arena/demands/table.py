"""The table of demands: the name, unit and meaning of each number that `demands` returns for a task.

Every demand is at least 0, and 0 means that nothing of the kind is demanded. Demands that span orders of magnitude are
in doublings, so that 10 m differ from 20 m as 20 m from 40 m.
"""

from puzzlebox.columns import Column

# The dimensions of capabilities, on which measurement layouts are fitted.
DIMENSIONS: tuple[Column, ...] = (
    Column(
        "smallness",
        "number",
        "distance of the nearest goal that counts over its diameter: 1 is 1, 5 is 16",
        "doublings",
    ),
    Column(
        "obstructed", "number", "too few goals can be reached straight ahead, without meeting anything before: 0 or 1"
    ),
    Column(
        "detour", "number", "the length of the shortest safe path over the straight distance: 1 is twice", "doublings"
    ),
    Column(
        "hidden",
        "number",
        "needed goals that cannot be seen from the start, turning around: 1 is one, 2 three",
        "doublings",
    ),
    Column("covered", "number", "needed goals that can be seen only at first: 1 is one, 2 three", "doublings"),
    Column("goals", "number", "the number of goals that are needed: 0 is one, 1 two, 2 four", "doublings"),
    Column("choice", "number", "the share of goals that pay but end the episode below the pass mark"),
    Column("commitment", "number", "the share of goals that are out of reach once the nearest was gone to"),
    Column("changing", "number", "the share of goals whose value changes with time"),
    Column("brought", "number", "the goal must be brought first, by a button or a dispenser: 0 or 1"),
    Column("moving", "number", "metres that goals move by themselves in two seconds: 1 is one, 2 three", "doublings"),
    Column("harm", "number", "the straight way crosses a death zone or a goal that ends with a penalty: 0 or 1"),
    Column("hot", "number", "metres of the straight way in hot zones: 1 is one, 2 three", "doublings"),
    Column("climb", "number", "the height above the start at which the goal is reached", "m"),
    Column(
        "push",
        "number",
        "something movable must be pushed away to reach the goal, or the button that makes a way to it: 0 or 1",
    ),
    Column(
        "beyond_reach",
        "number",
        "no safe path leads to the goal, whatever is pushed: a tool or a trick is needed: 0 or 1",
    ),
    Column("dark", "number", "the share of the available time in which the lights are out"),
    Column(
        "haste",
        "number",
        "the time a fast animal needs over the time available: 6 is all of it, 5 half of it",
        "doublings",
    ),
)
# Further properties, which describe a task and are no dimension of their own.
PROPERTIES: tuple[Column, ...] = (
    Column("distance", "number", "the straight distance to the nearest goal that counts", "m"),
    Column("size", "number", "the diameter of that goal", "m"),
    Column("turn", "number", "how far the animal has to turn to face it", "degrees"),
    Column("path", "number", "the length of the shortest safe path, all needed goals together", "m"),
    Column("glass", "number", "something transparent is first in the straight way to a goal that can be seen: 0 or 1"),
    Column("harmful", "number", "the number of death zones and of goals that end the episode with a penalty"),
    Column("wait", "number", "the time at the start for which the animal cannot move", "s"),
    Column("seconds", "number", "the time available to pass", "s"),
    Column("spread", "number", "how far start and goals vary between episodes (standard deviation)", "m"),
)
DEMANDS = DIMENSIONS + PROPERTIES
NAMES = tuple(column.name for column in DEMANDS)
