"""The table of demands: the name, unit and meaning of each number that `demands` returns for a task."""

from puzzlebox.columns import Column

DEMANDS: tuple[Column, ...] = (
    Column("distance", "number", "the straight distance to the nearest goal that counts", "m"),
    Column("smallness", "number", "the distance over the diameter of that goal, in doublings: 0 fills the view"),
    Column("turn", "number", "how far the animal has to turn to face it", "degrees"),
    Column("hidden", "number", "the number of needed goals that cannot be seen from the start, in doublings of 1 more"),
    Column("covered", "number", "the number of needed goals that can be seen only at first, in doublings of 1 more"),
    Column("obstructed", "number", "whether the straight way to every one of them is blocked: 0 free, 1 blocked"),
    Column("glass", "number", "whether something transparent is first in the straight way to a goal that can be seen"),
    Column("path", "number", "the length of the shortest safe path, all needed goals together", "m"),
    Column("detour", "number", "that path over the straight distance, in doublings: 1 is twice as long"),
    Column("climb", "number", "the height above the start at which the goal is reached", "m"),
    Column("push", "number", "whether something movable must be pushed away or used to reach the goal"),
    Column("beyond_reach", "number", "whether no path leads to the goal, whatever is pushed"),
    Column("harm", "number", "whether the straight way crosses a death zone or a goal that ends with a penalty"),
    Column("harm_near", "number", "the number of such things in the arena, in doublings: 2 is three things"),
    Column("hot", "number", "the length of the straight way that lies in hot zones", "m"),
    Column("goals", "number", "the number of goals that are needed, in doublings: 1 is two goals"),
    Column("choice", "number", "the share of goals that pay but end the episode below the pass mark"),
    Column("commitment", "number", "the share of goals that cannot be reached any more after going to the nearest"),
    Column("changing", "number", "the share of goals whose value changes with time"),
    Column("brought", "number", "whether the goal must first be brought by a button or a dispenser"),
    Column("moving", "number", "how far the goal moves by itself in the first two seconds", "m"),
    Column("dark", "number", "the share of the available time in which the lights are out"),
    Column("wait", "number", "the time at the start for which the animal cannot move", "s"),
    Column("haste", "number", "the time of a fast animal on the path over the time available, in doublings"),
    Column("spread", "number", "how far start and goals vary from episode to episode (standard deviation)", "m"),
)
NAMES = tuple(column.name for column in DEMANDS)
