"""`sheet`, `sheets`: one variant of every task of a level, from above and through the animal's eye."""

from pathlib import Path

from puzzlebox.arena.schema import load_task
from puzzlebox.batteries import battery_names
from testbed_build.pictures import save, sheet, views

_SIZE, _COLUMNS = 176, 5
# Of the pages of the levels, where ten sheets together are to stay below 4 MB.
_SIZE_OF_PAGES = 144


def page_sheets(folder: Path) -> None:
    """Write the contact sheet of every level that is built: the first variant of each task, as it begins."""
    built = sorted({name.split("/")[1][:2] for name in battery_names() if name.startswith("testbed/")})
    for level in built:
        path = folder / f"level-{level}.png"
        level_sheet(int(level), path, 1, 0, size=_SIZE_OF_PAGES, coarse=True)


def level_sheet(
    level: int, path: Path, variant: int, decisions: int, *, size: int = _SIZE, coarse: bool = False
) -> None:
    """Write the contact sheet of a level.

    Args:
        level: the level.
        path: the picture.
        variant: which of the variants.
        decisions: decisions in which nothing is done before the pictures are taken.
        size: pixels of a side of each picture.
        coarse: whether the colours may be coarse, for a smaller file.
    """
    names = [name for name in battery_names() if name.startswith(f"testbed/{level:02d}-") and name[-1] == str(variant)]
    if not names:
        raise SystemExit(f"level {level} is not built; `python tools/testbed.py build --level {level}` builds it")
    tasks = [(name, load_task(name)) for name in names]
    pictures = [
        (
            f"{name.removeprefix('testbed/')}  {(task.metadata.model_extra or {})['condition']}",
            task.metadata.title or "",
            views(task, size, decisions=decisions),
        )
        for name, task in tasks
    ]
    save(sheet(pictures, _COLUMNS), path, coarse=coarse)
    print(f"wrote {path}")
