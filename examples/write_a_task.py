"""Write a task in Python: build it, check it, save it, change one value in the file."""

from pathlib import Path

from puzzlebox import World
from puzzlebox.arena.schema import Arena, Item, Metadata, Task, read, set_value, write

walls = [Item(name="Wall", at=(x, 0, 20), rotation=0, size=(1, 2, 10), color="grey") for x in (15, 25)]
arena = Arena(
    time_limit=250,
    items=(
        Item(name="Agent", at=(20, 0, 5), rotation=0),
        *walls,
        Item(name="GoodGoal", at=(20, 0, 30), size=1),
    ),
)
task = Task(metadata=Metadata(title="Food at the end of a corridor"), arenas=(arena,))

file = Path("corridor.yml")
file.write_text(write(task))
print(file.read_text())

for finding in read(file.read_text()).findings:  # what `puzzlebox check` reports; none here
    print(finding)

# Change one value without touching any other byte: the food moves nearer.
file.write_text(set_value(file.read_text(), ("arenas", 0, "items", 3, "at"), [20, 0, 22]))

world = World(read(file.read_text()).task, seed=1)
while not world.over:
    world.step([3])  # forwards
print(f"return {world.animals[0].total:.3f}, passed: {world.passed()}")
