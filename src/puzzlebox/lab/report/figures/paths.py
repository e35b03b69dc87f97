"""Where agents went: their ways over a picture of the arena from above."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.lab.report.figures.lettering import letters_in, lines_of, shortened, wrapped
from puzzlebox.lab.report.figures.looks import INK, WIDTH, Drawing, Looks, new_figure
from puzzlebox.lab.report.played import Played, agents_of, grouped
from puzzlebox.world import Record

MOST_TASKS = 4
MOST_AGENTS = 4
MOST_PATHS = 5
_PIXELS = 420


def wanted(rows: Sequence[Played], tasks: Sequence[str]) -> list[Played]:
    """The episodes whose ways are drawn: the first few of some agents on some tasks."""
    kept = grouped((row for row in rows if row.trajectory and row.task in tasks), lambda row: (row.task, row.agent))
    agents = agents_of(row for own in kept.values() for row in own)[:MOST_AGENTS]
    return [row for (_, agent), own in kept.items() if agent in agents for row in own[:MOST_PATHS]]


def records(rows: Sequence[Played]) -> Iterator[tuple[Played, Record]]:
    """What is needed to play episodes again, wherever it is kept; those that cannot be found are left out."""
    places: dict[str, dict[str, Played]] = {}
    for row in rows:
        place, _, reference = row.trajectory.partition("|")
        places.setdefault(place, {})[reference.partition("#")[2] or reference] = row
    for place, names in places.items():
        found = _from_run(Path(place), names) if Path(place).is_dir() else _from_store(Path(place), names)
        for name, record in found:
            yield names[name], record


def _from_run(folder: Path, names: Mapping[str, Played]) -> Iterator[tuple[str, Record]]:
    from puzzlebox.lab.journal import TRAJECTORIES, trajectories

    if not (folder / TRAJECTORIES).exists():
        return
    left = set(names)
    for name, text in trajectories(folder):
        if name in left:
            yield name, Record.from_json(text)
            left.remove(name)
        if not left:
            return


def _from_store(path: Path, names: Mapping[str, Played]) -> Iterator[tuple[str, Record]]:
    from puzzlebox.lab.store import Store

    if path.suffix.lower() == ".csv":
        return
    store = Store(path)
    for name in names:
        yield name, store.record(name)


def paths_from_above(
    found: Sequence[tuple[Played, Record]], rows: Sequence[Played], look: Looks, name: str, caption: str
) -> Drawing:
    """A panel for each task and agent, with the ways of its episodes.

    Args:
        found: the episodes that are drawn.
        rows: all episodes, which tell what was not played from what was not kept.
        look: of each agent.
        name: of the file.
        caption: of the figure.
    """
    tasks = list(dict.fromkeys(row.task for row, _ in found))[:MOST_TASKS]
    agents = agents_of(row for row, _ in found)[:MOST_AGENTS]
    played = {(row.task, row.agent) for row in rows}
    side = min(2.6, WIDTH / max(len(agents), 2))
    above = {agent: wrapped(look[agent].label, letters_in(side, 9, "bold")) for agent in agents}
    beside = {task: wrapped(each, letters_in(side, 8)) for task, each in shortened(tasks).items()}
    width = side * len(agents) + 0.15 * lines_of(beside.values())
    height = (side + 0.25) * len(tasks) + 0.15 + 0.15 * lines_of(above.values())
    figure = new_figure(max(width, 3.8), height)
    panels = figure.subplots(len(tasks), len(agents), squeeze=False)
    for line, task in zip(panels, tasks, strict=True):
        for panel, agent in zip(line, agents, strict=True):
            own = [(row, record) for row, record in found if row.task == task and row.agent == agent]
            _panel(panel, own, look[agent].colour, "no path kept" if (task, agent) in played else "not played")
            panel.set_title(above[agent] if task == tasks[0] else "", fontsize=9)
            if agent == agents[0] and len(tasks) > 1:
                panel.set_ylabel(beside[task], fontsize=8)
    handles = _legend()
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return Drawing(name, caption, figure)


def _panel(panel: Any, own: Sequence[tuple[Played, Record]], colour: str, otherwise: str) -> None:
    panel.set_xticks([])
    panel.set_yticks([])
    for edge in panel.spines.values():
        edge.set_visible(False)
    # Also of a panel without a picture, so that all are of one size.
    panel.set(xlim=(0, _PIXELS), ylim=(_PIXELS, 0), aspect="equal")
    if not own:
        panel.text(0.5, 0.5, otherwise, ha="center", va="center", transform=panel.transAxes, color="#767676")
        return
    picture, _ = _followed(own[0][1], ground=True)
    panel.imshow(picture)
    for row, record in own:
        _, way = _followed(record, ground=False)
        panel.plot(way[:, 0], way[:, 1], color="white", linewidth=2.4, alpha=0.7)
        panel.plot(way[:, 0], way[:, 1], color=colour, linewidth=1.3)
        panel.scatter(*way[0], s=14, color="white", edgecolors=INK, linewidths=0.9, zorder=3)
        mark = {"marker": "*", "s": 70} if row.passed else {"marker": "X", "s": 34}
        panel.scatter(*way[-1], color=colour, edgecolors="white", linewidths=0.8, zorder=4, **mark)


def _followed(record: Record, ground: bool) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """A picture of the arena as it was at the start, and where on it the animal was at each decision."""
    from puzzlebox.lab.pathway import pixels
    from puzzlebox.render import Painter, View
    from puzzlebox.world import World

    world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
    scene = world.scene()
    view = View.top(scene, 1.0)
    picture = Painter(scene).picture(view, _PIXELS, _PIXELS) if ground else np.zeros((1, 1, 3), np.uint8)
    places = [world.position_of(world.animals[0])]
    if not ground:
        start = world.position
        for actions in record.actions:
            # A further arena is another floor.
            if world.over or world.position != start:
                break
            world.step(actions)
            places.append(world.position_of(world.animals[0]))
    return picture, pixels(np.array(places), view, _PIXELS, _PIXELS)


def _legend() -> list[Any]:
    from puzzlebox.lab.stats.needed import needed

    line = needed("matplotlib.lines").Line2D
    kind = {"color": "none", "markeredgecolor": INK}
    return [
        line([], [], marker="o", markerfacecolor="white", markersize=5, label="start", **kind),
        line([], [], marker="*", markerfacecolor="#8C8C8C", markersize=10, label="end, passed", **kind),
        line([], [], marker="X", markerfacecolor="#8C8C8C", markersize=7, label="end, failed", **kind),
    ]
