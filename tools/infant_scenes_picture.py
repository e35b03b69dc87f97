"""Write docs/images/infant-scenes.png: the three scenes, and a caregiver who points."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.looks.axes import place_in_scene
from puzzlebox.infant.scenes import catalogue
from puzzlebox.infant.scenes.caregiver import Caregiver
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.places import TABLE_HEIGHT, crib_scene, room_scene, seat_scene
from puzzlebox.infant.scenes.stage import Stage
from puzzlebox.render import Painter, View
from puzzlebox.scene.png import png

FILE = Path(__file__).parent.parent / "docs/images/infant-scenes.png"
WIDTH, HEIGHT = 480, 360


def _photograph(stage: Stage, eye: tuple[float, ...], at: tuple[float, ...]) -> NDArray[np.uint8]:
    view = View.fixed(*(tuple(place_in_scene(place).tolist()) for place in (eye, at)))
    return Painter(stage.scene).picture(view, WIDTH, HEIGHT, samples=3)


def _seat() -> tuple[Stage, Caregiver]:
    toys = [
        catalogue.block().on(0.36, 0.12, TABLE_HEIGHT),
        catalogue.cup().on(0.40, -0.16, TABLE_HEIGHT),
        catalogue.lid().on(0.46, 0.0, TABLE_HEIGHT),
        catalogue.rattle().on(0.30, -0.02, TABLE_HEIGHT),
    ]
    stage = seat_scene(toys, child=Person())
    return stage, Caregiver(stage)


def main() -> None:
    """Write the picture."""
    stage, caregiver = _seat()
    caregiver.look_at("child")
    for _ in range(20):
        stage.step()
    pictures = [_photograph(stage, (0.45, -1.25, 1.35), (0.42, 0.0, 0.78))]
    caregiver.point_at((0.2, 1.2, 1.3))
    for _ in range(20):
        stage.step()
    pictures.append(_photograph(stage, (0.45, -1.25, 1.35), (0.42, 0.0, 0.78)))
    crib = crib_scene(child=Person(age_months=3.0))
    pictures.append(_photograph(crib, (1.0, -1.05, 1.1), (0.1, 0.0, 0.3)))
    room = room_scene([catalogue.toy_ball().on(0.0, 0.5)])
    walker = Caregiver(room)
    walker.walk_to(0.2, -0.6)
    for _ in range(16):
        room.step()
    pictures.append(_photograph(room, (-1.45, -1.45, 1.7), (0.4, 0.2, 0.4)))
    FILE.write_bytes(png(np.vstack((np.hstack(pictures[:2]), np.hstack(pictures[2:])))))


if __name__ == "__main__":
    main()
