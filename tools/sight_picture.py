"""Draw docs/images/infant-sight.png: what children of several ages see of the same toys, and without any limits."""

from pathlib import Path

import mujoco
import numpy as np

from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.poses import POSES, Pose
from puzzlebox.infant.looks.axes import ORIGIN, place_in_scene
from puzzlebox.infant.looks.gaze import angles_towards
from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.infant.senses.eyes import PERFECT, Eyes, EyeSettings, Sight
from puzzlebox.report.figures import looks
from puzzlebox.scene.colours import linear
from puzzlebox.scene.scene import PART, POSE, Kind

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "infant-sight.png"
AGES = (1, 3, 6, 12)
SIZE, FOVEA_DEGREES = 360, 10.0
# Metres before, beside (to the left) and above the origin, half sizes in the same order, colour.
Block = tuple[tuple[float, float, float], tuple[float, float, float], tuple[int, int, int]]
TABLE: Block = ((0.62, 0.0, 0.19), (0.28, 0.42, 0.01), (214, 178, 130))
BLOCKS: tuple[Block, ...] = (
    ((0.60, 0.13, 0.23), (0.03, 0.03, 0.03), (205, 52, 46)),
    ((0.60, 0.13, 0.29), (0.03, 0.03, 0.03), (52, 96, 190)),
    ((0.66, 0.21, 0.23), (0.03, 0.03, 0.03), (240, 190, 50)),
    ((0.72, -0.21, 0.26), (0.03, 0.03, 0.06), (96, 160, 80)),
)
BALLS: tuple[Block, ...] = (
    ((0.56, -0.14, 0.24), (0.04, 0.04, 0.04), (226, 110, 40)),
    ((0.50, 0.04, 0.222), (0.022, 0.022, 0.022), (150, 70, 160)),
)
# A card with bars that become finer to the right: how many, and how wide each is in metres.
CARD_AT, CARD_HEIGHT = (0.70, 0.075, 0.29), 0.09
BARS = ((3, 0.010), (5, 0.005), (8, 0.0025), (12, 0.0012), (12, 0.0007))


def part(kind: Kind, block: Block) -> np.ndarray:
    """Return a part of the Scene."""
    at, half, colour = block
    row = np.zeros(1, PART)
    row["kind"], row["turn"] = kind, (1, 0, 0, 0)
    row["at"] = place_in_scene(at) - np.array(ORIGIN)
    row["half"] = (half[1], half[2], half[0])
    row["color"] = (*linear(colour), 1.0)
    return row


def toys() -> np.ndarray:
    """Return a table with blocks, balls and a card of bars."""
    rows = [part(Kind.BOX, block) for block in (TABLE, *BLOCKS)] + [part(Kind.BALL, ball) for ball in BALLS]
    front, left, height = CARD_AT
    width = sum(2 * count * bar for count, bar in BARS)
    middle, half = (front + 0.0025, left - width / 2, height), (0.002, width / 2 + 0.008, CARD_HEIGHT)
    rows.append(part(Kind.BOX, (middle, half, (250, 250, 250))))
    for count, bar in BARS:
        for _ in range(count):
            rows.append(part(Kind.BOX, ((front, left - bar / 2, height), (0.0004, bar / 2, CARD_HEIGHT), (20, 20, 20))))
            left -= 2 * bar
    return np.concatenate(rows)


def main() -> None:
    """Draw the whole picture of the left eye above, the foveal patch below, a column for each age."""
    child = Child()
    for _ in range(2):
        # The second time the head has its place, and the eyes meet at the card.
        angles = angles_towards(child, (CARD_AT[0], -0.05, CARD_AT[2]))
        child.reset(pose=Pose(POSES["sit"].pitch, {**POSES["sit"].angles, "head.bend": 12, **angles}))
        mujoco.mj_kinematics(child.model, child.data)
    portrait = Portrait(child)
    scene, parts, pose = portrait.scene, toys(), np.zeros(1, POSE)
    parts["thing"], pose["at"], pose["turn"] = len(scene.poses), ORIGIN, (1, 0, 0, 0)
    scene.parts, scene.poses = np.concatenate((scene.parts, parts)), np.concatenate((scene.poses, pose))
    sights = {f"{age} month{'s' if age > 1 else ''}": Sight.at(age) for age in AGES} | {"without limits": PERFECT}
    with looks.style():
        figure = looks.new_figure(11, 4.9)
        axes = figure.subplots(2, len(sights))
        for column, (name, sight) in enumerate(sights.items()):
            settings = EyeSettings(
                size=SIZE, fovea=SIZE, fovea_degrees=FOVEA_DEGREES, sight=sight, samples=4, fov_degrees=60
            )
            glance = Eyes(child, portrait, settings).read()
            assert glance.fovea is not None
            for row, picture in enumerate((glance.images[0], glance.fovea[0])):
                axes[row, column].imshow(picture)
                axes[row, column].set_axis_off()
            axes[0, column].set_title(name, fontsize=10)
        figure.savefig(PICTURE, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
