"""`sheet`: the first variant of every task of a level, from above and through the animal's eye."""

from pathlib import Path

from puzzlebox.arena.schema import load_task
from puzzlebox.batteries import battery_names
from testbed_build.pictures import save, sheet, views

_SIZE, _COLUMNS = 176, 5


def level_sheet(level: int, path: Path, variant: int, decisions: int) -> None:
    """Write the contact sheet of a level.

    Args:
        level: the level.
        path: the picture.
        variant: which of the variants.
        decisions: decisions in which nothing is done before the pictures are taken.
    """
    names = [name for name in battery_names() if name.startswith(f"testbed/{level:02d}-") and name[-1] == str(variant)]
    if not names:
        raise SystemExit(f"level {level} is not built; `python tools/testbed.py build --level {level}` builds it")
    tasks = [(name, load_task(name)) for name in names]
    pictures = [
        (
            f"{name.removeprefix('testbed/')}  {(task.metadata.model_extra or {})['condition']}",
            task.metadata.title or "",
            views(task, _SIZE, decisions=decisions),
        )
        for name, task in tasks
    ]
    save(sheet(pictures, _COLUMNS), path)
    print(f"wrote {path}")
