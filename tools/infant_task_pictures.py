"""Draw docs/images/infant-control.png and infant-tasks.png: an animated child, and six tasks with their scripts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from puzzlebox.infant.control.ground import Ground
from puzzlebox.infant.control.walker import Walker
from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.infant.envs.views import LEFT_EYE, OUTSIDE, picture
from puzzlebox.infant.looks.letters import text_mask
from puzzlebox.infant.looks.photo import photograph
from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.scenes.stage import Stage

IMAGES = Path(__file__).parent.parent / "docs" / "images"
_SIZE, _VIEW = 260, (330, 250)
# The paper and the ink around pictures, as in films; pixels between pictures of one task and of different ones, and of
# a line of text.
_PAPER, _INK = (247, 246, 242), (98, 106, 112)
_NARROW, _WIDE, _LINE = 4, 16, 20
# Each task, how many steps its script plays, and its settings.
_TASKS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("cog-sci-nav", 8, {"toys": 7}),
    ("multi-agent-nav", 10, {}),
    ("maze-nav", 75, {}),
    ("disk-tower", 122, {}),
    ("kick-the-ball", 18, {"furniture": 3}),
    ("grab-object", 40, {}),
)


def control() -> None:
    """Draw a child that walks, kicks, reaches, holds and crawls."""
    ground = Ground(10.0, 10.0)
    pictures = []

    def show(walker: Walker, side: str) -> None:
        stage = Stage((), [Person("child", pose="stand")], room=Room(6.0, 6.0, 0.0), floor_material=None)
        posture, puppet = walker.posture(), stage.puppet("child")
        puppet.set(posture.angles, (0.0, 0.0, posture.place[2]), posture.turn)
        stage.step()
        pictures.append(photograph(Portrait(puppet), side, _SIZE, _SIZE))

    def moved(walker: Walker, steps: int, walk: float = 0.0) -> Walker:
        for _ in range(steps):
            walker.move(walk, 0.0, 0.0, 0.0, ground)
        return walker

    walker = Walker()
    for _ in range(2):
        show(moved(walker, 4, 1.0), "left")
    kicker = Walker()
    kicker.kick()
    show(moved(kicker, 3), "left")
    low, high = Walker(), Walker()
    low.reach_for(np.array((0.3, 0.1, 0.05)))
    show(moved(low, 3), "left")
    high.reach_for(np.array((0.25, -0.05, 0.5)))
    show(moved(high, 3), "three-quarters")
    high.take_back(holds=True)
    show(moved(high, 4), "three-quarters")
    crawler = Walker()
    crawler.get_down(True)
    for _ in range(2):
        show(moved(crawler, 9, 1.0), "left")
    _save([pictures[:4], pictures[4:]], _NARROW, "infant-control.png")


def tasks() -> None:
    """Draw each task from outside, and below as the left eye sees it."""
    pictures = []
    for name, steps, settings in _TASKS:
        env = InfantEnv(name, script=True, senses=("joints",), **settings)
        _, info = env.reset(seed=1)
        for _ in range(steps):
            *_, info = env.step(info["script"])
        views = [picture(env.core.play, view, _VIEW, samples=3) for view in (OUTSIDE, LEFT_EYE)]
        pictures.append(_stacked([_caption(name, _VIEW[0]), *views], _NARROW, axis=0))
    _save([pictures[:3], pictures[3:]], _WIDE, "infant-tasks.png")


def _caption(text: str, width: int) -> Any:
    """Return a line of text on paper."""
    line = np.full((_LINE, width, 3), _PAPER, np.float64)
    mask = text_mask(text, _LINE - 2)[:_LINE, :width, None]
    part = line[: mask.shape[0], : mask.shape[1]]
    part += mask * (np.array(_INK) - part)
    return np.rint(line).astype(np.uint8)


def _stacked(pictures: Sequence[Any], gap: int, axis: int) -> Any:
    """Return pictures one after the other along an axis, with paper between them."""
    shape = list(pictures[0].shape)
    shape[axis] = gap
    parts = [part for each in pictures for part in (np.full(shape, _PAPER, np.uint8), each)]
    return np.concatenate(parts[1:], axis)


def _save(rows: Sequence[Sequence[Any]], gap: int, name: str) -> None:
    """Save rows of pictures as one."""
    whole = _stacked([_stacked(row, gap, axis=1) for row in rows], gap, axis=0)
    Image.fromarray(whole).save(IMAGES / name, optimize=True)


if __name__ == "__main__":
    control()
    tasks()
    print("wrote docs/images/infant-control.png and infant-tasks.png")
