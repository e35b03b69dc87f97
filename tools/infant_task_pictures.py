"""Draw docs/images/infant-control.png and infant-tasks.png: an animated child, and six tasks with their scripts."""

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from puzzlebox.infant.control.ground import Ground
from puzzlebox.infant.control.walker import Walker
from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.infant.envs.views import LEFT_EYE, OUTSIDE, picture
from puzzlebox.infant.looks.photo import photograph
from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.scenes.stage import Stage

IMAGES = Path(__file__).parent.parent / "docs" / "images"
_SIZE, _VIEW = 260, (330, 250)
# Each task, how many steps its script plays, and its settings.
_TASKS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("cog-sci-nav", 8, {"toys": 7}),
    ("multi-agent-nav", 10, {}),
    ("maze-nav", 40, {}),
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
    rows = (np.hstack(pictures[:4]), np.hstack(pictures[4:]))
    Image.fromarray(np.vstack(rows)).save(IMAGES / "infant-control.png", optimize=True)


def tasks() -> None:
    """Draw each task from outside, and below as the left eye sees it."""
    pictures = []
    for name, steps, settings in _TASKS:
        env = InfantEnv(name, script=True, senses=("joints",), **settings)
        _, info = env.reset(seed=1)
        for _ in range(steps):
            *_, info = env.step(info["script"])
        views = [picture(env.core.play, view, _VIEW, samples=3) for view in (OUTSIDE, LEFT_EYE)]
        pictures.append(np.vstack(views))
    rows = (np.hstack(pictures[:3]), np.hstack(pictures[3:]))
    Image.fromarray(np.vstack(rows)).save(IMAGES / "infant-tasks.png", optimize=True)


if __name__ == "__main__":
    control()
    tasks()
    print("wrote docs/images/infant-control.png and infant-tasks.png")
