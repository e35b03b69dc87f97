"""Draw docs/images/demands-paths.png: how far it is from the start to each place, in three bundled tasks."""

from pathlib import Path

import numpy as np

from puzzlebox.arena.demands.goals import need_of
from puzzlebox.arena.demands.terrain import Terrain
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.world import World
from puzzlebox.report.figures import looks

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "demands-paths.png"
TASKS = ("obstacles/hedge-maze", "space/round-the-back", "space/the-bridge")


def main() -> None:
    """Draw one panel for each task: the length of the shortest safe path in colour, the start, and the goals."""
    with looks.style():
        figure = looks.new_figure(9, 3.4)
        for axes, name in zip(figure.subplots(1, 3), TASKS, strict=True):
            world = World(load_task(name))
            terrain = Terrain(world)
            x, y, z = world.engine.pose(world.animals[0].id)[0]
            start = terrain.nearest(x, y - 0.5, z)
            assert start is not None
            distances = terrain.distances(start)
            # What is higher covers what is below it.
            order = np.argsort(terrain.height, kind="stable")
            order = order[np.isfinite(distances[order])]
            shown = axes.scatter(
                *(terrain.x[order], terrain.z[order]), c=distances[order], s=4, marker="s", cmap="cividis", linewidth=0
            )
            axes.plot(x, z, "^", color="#D55E00", markersize=8)
            for goal in need_of(world).choices:
                axes.plot(goal.at[0], goal.at[2], "o", color="#7CFC00", markeredgecolor="black", markersize=8)
            axes.set_title(name, fontsize=9)
            axes.set_aspect("equal")
            axes.set_xlim(0, world.arena.size[0])
            axes.set_ylim(0, world.arena.size[1])
            figure.colorbar(shown, ax=axes, shrink=0.7).set_label("Path from the start (m)", fontsize=8)
        figure.savefig(PICTURE, dpi=130, metadata={"Software": None})


if __name__ == "__main__":
    main()
