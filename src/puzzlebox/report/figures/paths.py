"""Paths of animals until their episodes were decided, drawn over a picture of the arena from above."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped
from puzzlebox.report.figures.lettering import letters_in, lines_of, shorten, wrap
from puzzlebox.report.figures.looks import INK, WIDTH, Drawing, Looks, new_figure
from puzzlebox.wings import wing_named
from puzzlebox.wings.records import read_record

MOST_PLACES = 4
MOST_AGENTS = 4
MOST_PATHS = 5
# Rows of panels at most: one for each arena, also those that episodes continue in.
MOST_ROWS = 8
_PIXELS = 420
# Pixels around the start of a path that the animal and its shadow may cover.
_ANIMAL = 40
# The largest share of the pixels of two pictures of the same plan that may differ.
_MOST_DIFFERENT = 1e-4
# An arena: the name of its task, and its index from 0.
Place = tuple[str, int]
# Marker and size at the end of the path of an episode that passed, failed, or was not decided.
_MARKS: dict[bool | None, tuple[str, int]] = {True: ("*", 70), False: ("X", 34), None: ("s", 22)}
# Marker and size where an episode continued in the next arena.
_WENT_ON = (">", 34)


@dataclass
class _Leg:
    """The part of an episode that was played in one arena.

    Attributes:
        row: the episode.
        place: the arena.
        picture: the arena when the episode reached it; None if its wing paints none.
        way: the path of the animal: column and row in the picture after each step.
        went_on: whether the episode continued in the next arena.
    """

    row: ReportEpisode
    place: Place
    picture: NDArray[np.uint8] | None
    way: NDArray[np.float64]
    went_on: bool


def place_of(row: ReportEpisode) -> Place:
    """Return the arena an episode started in."""
    return row.task, row.arena


def places(rows: Sequence[ReportEpisode]) -> list[Place]:
    """Return the arenas with recorded paths, sorted by task."""
    return sorted({place_of(row) for row in rows if row.trajectory})


def choose_places(rows: Sequence[ReportEpisode]) -> list[Place]:
    """Choose the arenas to draw: those that most agents and participants played, then those played most often.

    Of many that were played equally often, a sample spread over all of them is taken.
    """
    by_place = grouped((row for row in rows if row.trajectory), place_of)
    players = {place: len({(row.agent, row.participant) for row in own}) for place, own in by_place.items()}
    ranked: dict[tuple[int, int], list[Place]] = {}
    for place in sorted(by_place):
        ranked.setdefault((players[place], len(by_place[place])), []).append(place)
    places: list[Place] = []
    for rank in sorted(ranked, reverse=True):
        free = MOST_PLACES - len(places)
        if free:
            places += ranked[rank][:: -(-len(ranked[rank]) // free)]
    return sorted(places)


def choose_episodes(rows: Sequence[ReportEpisode], drawn: Sequence[Place]) -> list[ReportEpisode]:
    """Choose the episodes to draw: the first repetitions of some agents, and of all participants, in some arenas."""
    kept = grouped(
        (row for row in rows if row.trajectory and place_of(row) in drawn), lambda row: (place_of(row), row.agent)
    )
    agents = _agents(row for own in kept.values() for row in own)
    # Repetitions are counted for each participant, so that one episode of each comes first.
    return [
        row
        for (_, agent), own in kept.items()
        if agent in agents
        for row in sorted(own, key=lambda row: row.repetition)[:MOST_PATHS]
    ]


def _agents(rows: Iterable[ReportEpisode]) -> list[str]:
    """Return the agents to draw, in the order of the report; participants take precedence."""
    rows = list(rows)
    names, people = agents_of(rows), {row.agent for row in rows if row.person}
    kept = sorted(names, key=lambda name: name not in people)[:MOST_AGENTS]
    return [name for name in names if name in kept]


def records(rows: Sequence[ReportEpisode]) -> Iterator[tuple[ReportEpisode, Any]]:
    """Yield episodes with their records; those without a readable record are left out."""
    by_origin: dict[str, dict[str, ReportEpisode]] = {}
    for row in rows:
        origin, _, reference = row.trajectory.partition("|")
        by_origin.setdefault(origin, {})[reference.partition("#")[2] or reference] = row
    for origin, names in by_origin.items():
        path = Path(origin)
        for name, record in _from_run(path, names) if path.is_dir() else _from_store(path, names):
            yield names[name], record


def _from_run(folder: Path, names: Mapping[str, ReportEpisode]) -> Iterator[tuple[str, Any]]:
    from puzzlebox.run.journal import trajectories
    from puzzlebox.run.trajectories import TRAJECTORIES

    if not (folder / TRAJECTORIES).exists():
        return
    left = set(names)
    for name, text in trajectories(folder):
        if name in left:
            left.remove(name)
            try:
                record = read_record(text)
            except ValueError:  # damaged or edited
                continue
            yield name, record
        if not left:
            return


def _from_store(path: Path, names: Mapping[str, ReportEpisode]) -> Iterator[tuple[str, Any]]:
    from puzzlebox.record import Store, StoreError
    from puzzlebox.record.store import NoEpisode

    if path.suffix.lower() == ".csv":
        return
    store = Store(path)
    for name in names:
        try:
            record = store.record(name)
        except (StoreError, NoEpisode):  # damaged, or deleted meanwhile
            continue
        yield name, record


def paths_from_above(
    episode_records: Sequence[tuple[ReportEpisode, Any]],
    rows: Sequence[ReportEpisode],
    look: Looks,
    name: str,
    caption: str,
) -> Drawing | None:
    """Draw a panel for each arena and each agent, with the paths of its episodes; None if no episode has a path.

    Args:
        episode_records: the episodes to draw, with their records.
        rows: all episodes, by which panels without a path are labelled.
        look: the look of each agent.
        name: the name of the file.
        caption: the caption of the figure.
    """
    panels_of: dict[tuple[Place, str], list[_Leg]] = {}
    elsewhere = False
    for row, record in episode_records:
        for leg in _legs(row, record):
            own = panels_of.setdefault((leg.place, row.agent), [])
            if not own or _same_plan(own[0], leg):
                own.append(leg)
            else:
                elsewhere = True
    if not panels_of:
        return None
    everywhere = sorted({place for place, _ in panels_of})
    drawn = everywhere[:MOST_ROWS]
    if len(drawn) < len(everywhere):
        caption += f" The first {len(drawn)} of {len(everywhere)} arenas that these episodes reached are shown."
    if elsewhere:
        caption += (
            " Where things were at other places in each episode, a panel shows only the first episode and those with "
            "the same plan."
        )
    agents = _agents(row for row, _ in episode_records)
    everybody = len({row.agent for row in rows})
    if len(agents) < everybody:
        caption += f" {len(agents)} of {everybody} agents are shown."
    side = min(2.6, WIDTH / max(len(agents), 2))
    column_titles = {agent: wrap(look[agent].label, letters_in(side, 9, "bold")) for agent in agents}
    all_places = {*drawn, *map(place_of, rows)}
    titles = _titles(drawn, all_places, {place_of(row): row.arena_title for row in rows})
    row_titles = {place: wrap(title, letters_in(side, 8)) for place, title in titles.items()}
    width = side * len(agents) + 0.15 * lines_of(row_titles.values())
    height = (side + 0.25) * len(drawn) + 0.15 + 0.15 * lines_of(column_titles.values())
    figure = new_figure(max(width, 3.8), height)
    panels = figure.subplots(len(drawn), len(agents), squeeze=False)
    for line, place in zip(panels, drawn, strict=True):
        for panel, agent in zip(line, agents, strict=True):
            own = panels_of.get((place, agent), [])
            _panel(panel, own, look[agent].colour, "" if own else _without(place, agent, episode_records, rows))
            panel.set_title(column_titles[agent] if place == drawn[0] else "", fontsize=9)
            if agent == agents[0] and len(all_places) > 1:
                panel.set_ylabel(row_titles[place], fontsize=8)
    legs = [leg for (place, _), own in panels_of.items() if place in drawn for leg in own]
    handles = _legend(any(row.passed is None for row, _ in episode_records), any(leg.went_on for leg in legs))
    figure.legend(handles=handles, loc="outside lower center", ncols=3 if len(handles) > 4 or len(agents) == 1 else 4)
    return Drawing(name, caption, figure)


def _without(
    place: Place, agent: str, episode_records: Sequence[tuple[ReportEpisode, Any]], rows: Sequence[ReportEpisode]
) -> str:
    """Return the label of a panel without a path: why it has none."""
    starts = {place_of(row) for row in rows}
    # An arena in which no episode starts is reached from the last one before it in which one does.
    start = place if place in starts else max(each for each in starts if each < place)
    if (start, agent) not in {(place_of(row), row.agent) for row in rows}:
        return "not played"
    kept = any(place_of(row) == start and row.agent == agent for row, _ in episode_records)
    return "not reached" if kept and start != place else "no path kept"


def _titles(drawn: Sequence[Place], all_places: Iterable[Place], named: Mapping[Place, str]) -> dict[Place, str]:
    """Return the titles of arenas: the task, and the title or number of the arena if the task has several."""
    tasks = [task for task, _ in all_places]
    short = shorten(list(dict.fromkeys(task for task, _ in drawn)))
    return {
        (task, arena): f"{short[task]}, {named.get((task, arena)) or f'arena {arena + 1}'}"
        if tasks.count(task) > 1
        else short[task]
        for task, arena in drawn
    }


def _panel(panel: Any, own: Sequence[_Leg], colour: str, otherwise: str) -> None:
    panel.set_xticks([])
    panel.set_yticks([])
    for edge in panel.spines.values():
        edge.set_visible(False)
    # Set for panels without a picture as well, so that all have the same size.
    panel.set(xlim=(0, _PIXELS), ylim=(_PIXELS, 0), aspect="equal")
    if not own:
        panel.text(0.5, 0.5, otherwise, ha="center", va="center", transform=panel.transAxes, color="#767676")
        return
    panel.imshow(own[0].picture)
    for leg in own:
        way = leg.way
        panel.plot(way[:, 0], way[:, 1], color="white", linewidth=2.4, alpha=0.7)
        panel.plot(way[:, 0], way[:, 1], color=colour, linewidth=1.3)
        panel.scatter(*way[0], s=14, color="white", edgecolors=INK, linewidths=0.9, zorder=3)
        marker, size = _WENT_ON if leg.went_on else _MARKS[leg.row.passed]
        panel.scatter(*way[-1], marker=marker, s=size, color=colour, edgecolors="white", linewidths=0.8, zorder=4)


def _legs(row: ReportEpisode, record: Any) -> list[_Leg]:
    """Replay an episode until it was decided; return a leg for each arena it reached, in order."""
    legs = wing_named(row.wing).legs(record, _PIXELS, lambda arena: True)
    return [_Leg(row, (row.task, leg.arena), leg.picture, leg.way, leg.went_on) for leg in legs]


def _same_plan(first: _Leg, second: _Leg) -> bool:
    """Return whether an arena looks the same at the start of two legs, except where the animals are."""
    if first.picture is None or second.picture is None or first.picture.shape != second.picture.shape:
        return first.picture is second.picture
    differs = (first.picture != second.picture).any(axis=2)
    lines, columns = np.indices(differs.shape)
    for leg in (first, second):
        differs &= np.hypot(columns - leg.way[0, 0], lines - leg.way[0, 1]) > _ANIMAL
    return float(differs.mean()) < _MOST_DIFFERENT


def _legend(undecided: bool, went_on: bool) -> list[Any]:
    from puzzlebox.stats.extras import import_extra

    line = import_extra("matplotlib.lines").Line2D
    kind = {"color": "none", "markeredgecolor": INK}
    handles = [
        line([], [], marker="o", markerfacecolor="white", markersize=5, label="start", **kind),
        line([], [], marker="*", markerfacecolor="#8C8C8C", markersize=10, label="end, passed", **kind),
        line([], [], marker="X", markerfacecolor="#8C8C8C", markersize=7, label="end, failed", **kind),
    ]
    if went_on:
        handles.append(
            line(
                [], [], marker=">", markerfacecolor="#8C8C8C", markersize=7, label="continues in the next arena", **kind
            )
        )
    if undecided:
        handles.append(
            line([], [], marker="s", markerfacecolor="#8C8C8C", markersize=6, label="end, not decided", **kind)
        )
    return handles
