"""Draw the contact sheets of the intuitions wing: `make pictures` writes docs/images/intuitions/*.png."""

from pathlib import Path

import numpy as np

from puzzlebox.intuitions.catalogue import TASKS
from puzzlebox.intuitions.episodes import make_pair
from puzzlebox.intuitions.episodes.casting import AGENT_COLORS, OBJECT_COLORS
from puzzlebox.intuitions.pictures.painters import painter_named
from puzzlebox.intuitions.pictures.shapes import AGENTS, OBJECTS, mask_of
from puzzlebox.intuitions.pictures.sheets import contact_sheet
from puzzlebox.scene.png import png

FOLDER = Path(__file__).parent.parent / "docs" / "images" / "intuitions"
SEED, SIZE = 5, 110
# Episodes other than the first that show a task best.
NUMBERS = {"instrumental_no_barrier": 1}


def shapes_picture(side: int = 44, gap: int = 10) -> np.ndarray:
    """Return all shapes in one picture: objects in the first rows, agents in the last one."""
    columns = 11
    rows = [OBJECTS[start : start + columns] for start in range(0, len(OBJECTS), columns)] + [AGENTS]
    sheet = np.full((len(rows) * (side + gap) + gap, columns * (side + gap) + gap, 3), 255, np.uint8)
    for row, names in enumerate(rows):
        colors = AGENT_COLORS if names is AGENTS else OBJECT_COLORS
        for column, name in enumerate(names):
            top, left = gap + row * (side + gap), gap + column * (side + gap)
            fine = mask_of(name, side * 4).reshape(side, 4, side, 4).mean(axis=(1, 3))[..., None]
            place = sheet[top : top + side, left : left + side]
            place[...] = np.rint(place + (np.array(colors[column % len(colors)]) - place) * fine)
    return sheet


def solid_picture(side: int = 260) -> np.ndarray:
    """Return moments of four tasks in three dimensions."""
    solid = painter_named("three-d", side)
    tasks = ("preference", "efficiency_path", "instrumental_no_barrier", "background/instrumental_action")
    trials = [make_pair(task, NUMBERS.get(task, 0), SEED).expected.trials[1] for task in tasks]
    return np.hstack([solid.frame(trial, 42) for trial in trials])


def main() -> None:
    """Write all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    flat = painter_named("flat", SIZE)
    pictures = {"shapes": shapes_picture()}
    for task in TASKS:
        name = task.replace("/", "-")
        pictures[name] = contact_sheet(make_pair(task, NUMBERS.get(task, 0), SEED), flat)
    pairs = [make_pair("multi_agent", number, SEED) for number in range(4)]
    for kind in ("i", "ii"):
        pictures[f"multi_agent-{kind}"] = contact_sheet(next(pair for pair in pairs if pair.kind == kind), flat)
    del pictures["multi_agent"]
    pictures["three-d"] = solid_picture()
    for name, picture in pictures.items():
        (FOLDER / f"{name}.png").write_bytes(png(picture))


if __name__ == "__main__":
    main()
