"""Draw pictures of all things: `make pictures` writes docs/images/things/*.png and docs/reference/gallery.md."""

from dataclasses import dataclass
from math import cos, radians, sin
from pathlib import Path

import numpy as np

from puzzlebox.arena.schema import read
from puzzlebox.arena.things import CATALOGUE, SKINS, SYMBOLS, Category
from puzzlebox.arena.world import World
from puzzlebox.render import Painter, View
from puzzlebox.scene.png import png
from puzzlebox.scene.scene import Scene

DOCS = Path(__file__).parent.parent / "docs"
WIDTH, HEIGHT, SAMPLES = 200, 150, 3
# The camera: with the sun behind it, a little from above, with a narrow field of view; all in degrees.
HEADING, PITCH, FOV = 322.0, -14.0, 35.0


@dataclass(frozen=True)
class Pose:
    """How to photograph a thing.

    Attributes:
        keys: its parameters, as in a task file.
        away: distance of the camera, in metres.
        aim: height at which the camera aims, in metres.
        steps: decisions to play before the picture is taken.
    """

    keys: str = ""
    away: float = 5.5
    aim: float = 0.5
    steps: int = 3


_BALL = Pose("size: [1, 1, 1]", 4.5, 0.5, 0)
POSES: dict[str, Pose] = {
    "Agent": Pose("skin: panda, rotation: 170", 4.0),
    "Wall": Pose("size: [4, 2, 1], rotation: 20, color: [153, 153, 153]", 9.0, 0.9),
    "WallTransparent": Pose("size: [4, 2, 1], rotation: 20", 9.0, 0.9),
    "Ramp": Pose("size: [2, 1.5, 4], rotation: 120, color: [255, 0, 255]", 9.0, 0.7),
    "CylinderTunnel": Pose("size: [3, 3, 4], rotation: 165, color: [153, 153, 153]", 10.0, 0.8),
    "CylinderTunnelTransparent": Pose("size: [3, 3, 4], rotation: 165", 10.0, 0.8),
    "LightBlock": Pose("size: [1, 1, 1], rotation: 10", 4.5),
    "HeavyBlock": Pose("size: [1, 1, 1], rotation: 10", 4.5),
    "UBlock": Pose("size: [2, 0.5, 4], rotation: 330", 9.0, 0.2),
    "LBlock": Pose("size: [2, 0.5, 4], rotation: 150", 9.0, 0.2),
    "JBlock": Pose("size: [2, 0.5, 4], rotation: 150", 9.0, 0.2),
    "HollowBox": Pose("size: [1, 1, 1], rotation: 15", 4.5, 0.5),
    "DecayGoal": Pose("initial_value: 1.5, change_rate: 0.003", 5.5, 0.7, 60),
    "DecayGoalEpEnding": Pose("initial_value: 1.5, change_rate: 0.003", 5.5, 0.7, 60),
    "RipenGoal": Pose("final_value: 1.5, change_rate: 0.003", 5.5, 0.7, 60),
    "RipenGoalEpEnding": Pose("final_value: 1.5, change_rate: 0.003", 5.5, 0.7, 60),
    "GrowGoal": Pose("", 4.5, 0.5, 20),
    "ShrinkGoal": Pose("initial_value: 1.5", 4.5, 0.5, 20),
    "DeathZone": Pose("size: [3, 0.5, 3], rotation: 10", 8.0, 0.1),
    "HotZone": Pose("size: [3, 0.5, 3], rotation: 10", 8.0, 0.1),
    "DataZone": Pose("size: [3, 1, 3], rotation: 10", 8.0, 0.4),
    "SpawnerTree": Pose("time_between_spawns: 1, ripen_time: 8", 16.0, 2.8, 140),
    "SpawnerDispenserTall": Pose("rotation: 230, color: [48, 139, 203], door_delay: 2.5", 12.5, 2.1, 60),
    "SpawnerContainerShort": Pose("rotation: 230, color: [128, 0, 160], door_delay: 3, spawn_count: 1", 6.0, 0.8, 60),
    "SpawnerButton": Pose("rotation: 15", 5.0, 0.8),
    "SignBoard": Pose("size: [1, 1, 1], rotation: 250, symbol: star", 8.0, 1.0),
}


def world_with(name: str, pose: Pose) -> World:
    """Return an arena with one thing in its middle; the animal is out of sight, unless it is that thing."""
    item = f"{{name: {name}, at: [20, 0, 20]{', ' + pose.keys if pose.keys else ''}}}"
    others = "" if name == "Agent" else "{name: Agent, at: [38, 0, 2], rotation: 0}, "
    if "Transparent" in name or name == "DataZone":  # something to see through it
        others += "{name: GoodGoal, at: [17.5, 0, 23.2], size: 1}, "
    reading = read(f"arenas:\n  - id: 0\n    time_limit: 0\n    items: [{others}{item}]")
    assert reading.task is not None, [str(finding) for finding in reading.findings]
    world = World(reading.task, seed=3)
    for _ in range(pose.steps):
        world.step([0])
    return world


def photograph(scene: Scene, away: float, aim: float, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """Return a picture of the middle of the arena from a distance."""
    flat = away * cos(radians(PITCH))
    eye = (
        20 - flat * sin(radians(HEADING)),
        aim - away * sin(radians(PITCH)),
        20 - flat * cos(radians(HEADING)),
    )
    return Painter(scene).picture(View(eye, HEADING, PITCH, FOV), width, height, samples=SAMPLES)


def main() -> None:
    """Write all pictures, and the page that shows them."""
    folder = DOCS / "images" / "things"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "# What things look like",
        "",
        "Painted by the same kernel as the agent's camera, written by `make pictures`.",
    ]

    def add(file: str, name: str, pose: Pose, label: str) -> str:
        image = photograph(world_with(name, pose).scene(), pose.away, pose.aim)
        (folder / file).write_bytes(png(image & 0xFC | 2))  # six bits a channel halve the file
        return f"![{label}](../images/things/{file})"

    for category in Category:
        cells = []
        for name, thing in CATALOGUE.items():
            if thing.category is not category:
                continue
            pose = POSES.get(name, _BALL)
            cells.append((f"[{name}](things/{name}.md)", add(f"{name}.png", name, pose, name)))
            if name == "Agent":
                for skin in SKINS[1:]:
                    pose = Pose(f"skin: {skin}, rotation: 170", 4.0)
                    cells.append((f"skin: {skin}", add(f"Agent-{skin}.png", name, pose, skin)))
            if name == "SignBoard":
                for symbol in (*SYMBOLS[1:], "0110/1001/1001/0110"):
                    if symbol == "star":
                        continue
                    pose = Pose(f"size: [1, 1, 1], rotation: 250, symbol: {symbol}", 8.0, 1.0)
                    file = f"SignBoard-{symbol.replace('/', '-')}.png"
                    cells.append((f"symbol: {symbol}", add(file, name, pose, symbol)))
        lines += ["", f"## {category.value}", ""]
        for start in range(0, len(cells), 3):
            row = cells[start : start + 3]
            if start == 0:
                lines += ["| | | |", "|---|---|---|"]
            row += [("", "")] * (3 - len(row))
            lines.append("| " + " | ".join(f"{picture}<br>{label}" if label else "" for label, picture in row) + " |")
    (DOCS / "reference" / "gallery.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
