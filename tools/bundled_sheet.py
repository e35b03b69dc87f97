"""Write the page of bundled tasks: docs/images/bundled.png and docs/reference/tasks-bundled.md."""

from pathlib import Path

import numpy as np

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world import World
from puzzlebox.batteries import bundled_names
from puzzlebox.render import Painter, View
from puzzlebox.scene.png import png

DOCS = Path(__file__).parent.parent / "docs"
WIDTH, HEIGHT, COLUMNS, SAMPLES = 220, 165, 6, 3
FOLDERS = {
    "food": "Food retrieval",
    "preferences": "Preferences",
    "obstacles": "Static obstacles",
    "avoidance": "Avoidance",
    "space": "Spatial reasoning and support",
    "generalisation": "Generalisation",
    "models": "Internal modelling",
    "memory": "Object permanence and working memory",
    "numbers": "Numerosity and advanced preferences",
    "causes": "Causal reasoning",
}
INTRODUCTION = """# Bundled tasks

Thirty-six small tasks of our own, three or more for each level of the Animal-AI testbed, each playable within a minute.
Use a name wherever a task file can stand: `puzzlebox show food/picnic -o picnic.png`, `load_task("food/picnic")`, or a
pattern such as `"memory/*"` for an environment.

- Where a task has several arenas, they are sides changed about, or a control without the difficulty followed by the
  test; `metadata.title` of an arena then says which.
- Levels 2, 8 and 9 ask for a choice and do not show passed or failed, which would teach the answer for the next arena.
  Where looking from above would give the answer away, the view cannot be changed.
- The pass mark is above 0 everywhere: doing nothing never passes, and neither does the mistake a task is made for. A
  script passes every arena (`tests/helpers/bundled_solutions.py`).

The picture shows the last arena of each, in the order of the table. `python tools/bundled_sheet.py` writes both.

![All bundled tasks of the ten levels](../images/bundled.png)
"""


def own_tasks() -> dict[str, Task]:
    """Return the tasks of the ten levels, level by level."""
    return {name: load_task(name) for folder in FOLDERS for name in bundled_names() if name.startswith(f"{folder}/")}


def photograph(task: Task) -> np.ndarray:
    """Return a picture of the whole last arena of a task, from above and behind."""
    world = World(task, arena=len(task.arenas) - 1)
    return Painter(world.scene()).picture(View.whole(world.scene()), WIDTH, HEIGHT, samples=SAMPLES)


def page(tasks: dict[str, Task]) -> str:
    """Return the page with the table of tasks."""
    lines = [INTRODUCTION]
    number = 0
    for level, (folder, title) in enumerate(FOLDERS.items(), start=1):
        lines += [f"## {level}. {title}", "", "| | name | title | what to do, what it tests | arenas | tags |"]
        lines += ["|---|---|---|---|---|---|"]
        for name, task in tasks.items():
            if name.startswith(f"{folder}/"):
                number += 1
                about = task.metadata
                cells = [str(number), f"`{name}`", about.title, about.description, str(len(task.arenas))]
                lines.append("| " + " | ".join([*map(str, cells), ", ".join(about.tags)]) + " |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    """Write the sheet and the page."""
    tasks = own_tasks()
    pictures = [photograph(task) for task in tasks.values()]
    pictures += [np.full_like(pictures[0], 255)] * (-len(pictures) % COLUMNS)
    rows = [np.concatenate(pictures[start : start + COLUMNS], 1) for start in range(0, len(pictures), COLUMNS)]
    sheet = np.concatenate(rows, 0)
    (DOCS / "images" / "bundled.png").write_bytes(png(sheet & 0xFC | 2))  # six bits a channel halve the file
    (DOCS / "reference" / "tasks-bundled.md").write_text(page(tasks))


if __name__ == "__main__":
    main()
