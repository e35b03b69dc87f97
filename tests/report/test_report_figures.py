"""The figures of a report: they fit names of any length, and an agent has the same look in all of them."""

import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from made_up_runs import made_up_rows, write_run
from puzzlebox.arena.pictures.paths import pixels
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.world import Record, World
from puzzlebox.render import View
from puzzlebox.report import gather, words
from puzzlebox.report.contents import contents
from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.figures import forest, looks, paths
from puzzlebox.report.figures.lettering import shorten, wrap
from worlds import FORWARDS, task_of, world_at

AGENT = "random(step_length_distribution='normal(5, 1)', prev_step_bias=0.5, costs=$5 and $6, 名=WWWWWW"
TASK = "a-folder/another folder/a_task_whose_name/goes on and on and on $/and ends at last with MMMMMMMMM"


def named(name: str, number: int, letters: int) -> str:
    return f"{name[: letters - 2]}{number:02}"


@pytest.mark.parametrize(
    ("agents", "tasks", "letters"),
    [
        (1, 1, 80),
        (3, 2, 37),
        (8, 5, 80),
        (14, 3, 40),
        *(pytest.param(*many, marks=pytest.mark.slow) for many in ((3, 5, 5), (8, 60, 80), (50, 6, 40), (50, 6, 4))),
    ],
)
def test_figures_hold_long_names(tmp_path: Path, agents: int, tasks: int, letters: int) -> None:
    skills = {named(AGENT, number, letters): number / 4 - 1 for number in range(agents)}
    rows = made_up_rows([named(TASK, number, letters) for number in range(tasks)], skills, episodes=8)
    for row in rows:
        row["level"] = named(TASK, int(row["task"][-2:]) % 5, letters)
    results = gather([write_run(tmp_path / "out", rows)])
    with looks.style():
        # Warnings are errors, except those that `style` itself ignores.
        warnings.filterwarnings("error", "constrained_layout|Tight layout")
        for drawing in contents(results).drawings:
            figure = drawing.figure
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            for axes in figure.axes:
                box = axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
                assert axes.get_label() == "<colorbar>" or (box.width > 0.7 and box.height > 0.6), drawing.name
            width, height = figure.get_size_inches()
            drawn = figure.get_tightbbox()
            # Wide letters may reach slightly beyond the edge; the saved area includes them.
            assert min(drawn.x0, drawn.y0) > -0.02, drawing.name
            assert drawn.x1 < width + 0.2, drawing.name
            assert drawn.y1 < height + 0.02, drawing.name
            assert max(width, height) < 15, drawing.name


def test_many_agents_are_rows_with_their_names(tmp_path: Path) -> None:
    skills = {f"agent {number:02}": number / 20 - 1 for number in range(70)}
    rows = made_up_rows([f"{level:02}-01-01" for level in range(1, 5)], skills, episodes=8)
    results = gather([write_run(tmp_path / "out", rows)])
    with looks.style():
        drawings = {drawing.name: drawing for drawing in contents(results).drawings}
    first = [f"agent {number:02}" for number in range(looks.MOST_DRAWN)]
    for name in ("passed_by_level", "tasks_and_agents", "returns"):
        labels = [label.get_text() for label in drawings[name].figure.axes[0].get_yticklabels()]
        assert labels == first, name
        assert "The first 60 of 70 agents are shown" in drawings[name].caption
    assert [text.get_text() for text in drawings["profile"].figure.axes[0].texts if "agent" in text.get_text()] == first
    assert "(columns, by level" in drawings["tasks_and_agents"].caption


def test_intervals_beyond_the_scale_of_a_forest_have_arrows() -> None:
    def term(name: str, low: float, middle: float, high: float) -> Any:
        return SimpleNamespace(factor="agent", name=name, settled=True, odds_ratio=middle, low=low, high=high)

    terms = [term("b", 1e-9, 0.5, 1e9), term("c", 0.5, 1.0, 2.0), term("d", 1e6, 1e7, 1e8)]
    fit: Any = SimpleNamespace(terms=terms, references={"agent": "a"})
    with looks.style():
        drawing = forest.forest(fit, looks.looks(list("abcd")), "forest", "Odds.")
    arrows = [
        (line.get_ydata()[0], line.get_marker(), line.get_xdata()[0])
        for line in drawing.figure.axes[0].get_lines()
        if line.get_marker() in "<>"
    ]
    assert arrows == [(0, "<", 1e-4), (0, ">", 1e5), (2, ">", 1e5)]
    assert drawing.caption == "Odds. Arrows: the interval goes on beyond the scale."
    low, high = drawing.figure.axes[0].get_xlim()
    assert low > 1e-5 and high < 1e6


def test_nothing_is_cut_off_at_the_edge(tmp_path: Path) -> None:
    with looks.style():
        figure = looks.new_figure(2, 1)
        figure.text(0.5, 0.5, "a title that is longer than the figure")
        looks.save(looks.Drawing("wide", "", figure), tmp_path)
    picture = (tmp_path / "wide.png").read_bytes()
    assert int.from_bytes(picture[16:20], "big") > 900
    assert int.from_bytes(picture[20:24], "big") == 300


def test_names_are_cut_in_the_middle_and_stay_different() -> None:
    assert shorten(["short", "a name that is too long"], 11) == {
        "short": "short",
        "a name that is too long": "a nam… long",
    }
    ends = [f"{'x' * 60}{number}" for number in range(3)]
    starts = [f"{number}{'x' * 60}" for number in range(3)]
    middles = [f"{'x' * 60}{number}{'x' * 60}" for number in range(3)]
    # These shortened names are equal wherever the cut is, except near one end.
    near = [f"{'x' * 25}{number}{'x' * 60}" for number in range(3)]
    for names in (ends, starts, middles, near):
        assert len(set(shorten(names).values())) == 3
        assert max(map(len, shorten(names).values())) <= 40
    assert not any(short[0].isdecimal() for short in shorten(near).values())
    assert wrap("random(step_length_distribution=None)", 20) == "random(step_length_\ndistribution=None)"
    assert wrap("against random (logarithmic)", 20) == "against random\n(logarithmic)"
    assert wrap("x" * 25, 10) == "xxxxxxxxxx\nxxxxxxxxxx\nxxxxx"


def test_an_agent_has_one_colour_in_a_report_and_published_ones_have_another(tmp_path: Path) -> None:
    from matplotlib.colors import to_hex
    from matplotlib.container import BarContainer

    tasks = [f"{level:02}-{task:02}-01" for level in range(1, 11) for task in (1, 2)]
    # An agent that played only some tasks is missing in some figures.
    rows = made_up_rows(tasks[:2], {"newcomer": 0.0}) + made_up_rows(
        tasks, {"heuristic(rays=15)": 0.0, "navigator": 1.0}
    )
    results = gather([write_run(tmp_path / "out", rows)])
    figures = {drawing.name: drawing.figure for drawing in contents(results, published=True).drawings}
    drawn = figures["passed_by_level"].axes[0].containers
    bars = {each.get_label(): each.patches[0] for each in drawn if isinstance(each, BarContainer)}
    colours = {name: to_hex(patch.get_facecolor()) for name, patch in bars.items()}
    radar = {line.get_label(): to_hex(line.get_color()) for line in figures["profile"].axes[0].get_lines()}
    expected = {agent: look.colour.lower() for agent, look in looks.looks(results.agents).items()}
    assert radar == expected
    assert {name: colour for name, colour in colours.items() if name in expected} == expected
    published = {name: patch for name, patch in bars.items() if name not in expected}
    assert published
    for name, patch in published.items():
        assert name.endswith("(published)")
        assert patch.get_hatch()
        red, green, blue, _ = patch.get_facecolor()
        assert red == green == blue


def test_path_figures_distinguish_episodes_not_played_from_paths_not_kept() -> None:
    task = task_of("name: Agent, at: [20, 0, 10], rotation: 0", "name: GoodGoal, at: [20, 0, 16], size: 1")
    record = Record(task, 0, 1, Rules.named("puzzlebox"), ((3,), (3,)))
    played = [("food", "a"), ("wall", "b"), ("wall", "a")]
    rows = [ReportEpisode("out", name, agent, 0.0, False) for name, agent in played]
    records = [(row, record) for row in rows[:2]]
    with looks.style():
        figure = paths.paths_from_above(records, rows, looks.looks(["a", "b"]), "paths", "").figure
    panel_texts = [[text.get_text() for text in panel.texts] for panel in figure.axes]
    assert panel_texts == [[], ["not played"], ["no path kept"], []]


@pytest.mark.parametrize(
    ("value", "text"), [(2.2e5, "2.2 × 10⁵"), (9.1e-7, "9.1 × 10⁻⁷"), (0.0077, "0.0077"), (0.0, "0")]
)
def test_ratios_in_figures_need_no_formula(value: float, text: str) -> None:
    assert words.ratio(value) == text


# --- paths


CORRIDOR = task_of(
    "name: Agent, at: [20, 0, 10], rotation: 0", "name: GoodGoal, at: [20, 0, 16], size: 1", time_limit=100
)


def way_in(panel: Any) -> NDArray[np.float64]:
    """Return the last path that was drawn in a panel."""
    return np.asarray(panel.get_lines()[-1].get_xydata())


def test_a_path_ends_at_the_deciding_event() -> None:
    """An animal that keeps moving while the result is shown slides past the food."""
    task = CORRIDOR.model_copy(update={"show_notification": True})
    world = World(task, seed=1)
    steps = {}
    while not world.over:
        steps |= {event.kind: event.step for event in world.step([FORWARDS]).events}
    record = world.snapshot()
    row = ReportEpisode("out", "food", "a", 1.0, True)
    with looks.style():
        figure = paths.paths_from_above([(row, record)], [row], looks.looks(["a"]), "paths", "").figure
    view = View.top(World(task, seed=1).scene(), 1.0)
    worlds = [world_at(record, steps[kind]) for kind in ("finished", "ended")]
    decided, ended = pixels(np.array([each.position_of(each.animals[0]) for each in worlds]), view, 420, 420)
    assert abs(ended - decided).max() > 3
    last = way_in(figure.axes[0])[-1]
    assert abs(last - decided).max() < 1 and abs(last - ended).max() > 3


def test_a_path_is_drawn_only_over_its_own_plan() -> None:
    """Food at a random position is elsewhere in each episode; the animal may be anywhere."""
    wandering = task_of("name: Agent, at: [20, 0, 10], rotation: 0", "name: GoodGoal, size: 2", time_limit=100)
    starting = task_of("name: Agent", "name: GoodGoal, at: [20, 0, 16], size: 2", time_limit=100)
    for task, many in ((wandering, 1), (starting, 3), (CORRIDOR, 3)):
        rows = [ReportEpisode("out", "food", "a", 0.0, False, seed=seed) for seed in (1, 2, 3)]
        records = [(row, Record(task, 0, row.seed, Rules.named("puzzlebox"), ((FORWARDS,),) * 5)) for row in rows]
        with looks.style():
            drawing = paths.paths_from_above(records, rows, looks.looks(["a"]), "paths", "")
        assert len(drawing.figure.axes[0].get_lines()) == 2 * many  # each path and its outline
        assert ("only the first episode" in drawing.caption) is (many == 1)


def test_each_arena_has_a_panel_of_its_own() -> None:
    arena = CORRIDOR.arenas[0]
    turned = arena.model_copy(
        update={"id": 1, "size": (20.0, 20.0), "items": (arena.items[0].model_copy(update={"at": (5, 0, 5)}),)}
    )
    task = CORRIDOR.model_copy(update={"arenas": (arena, turned)})
    rows = [ReportEpisode("out", "two", "a", 0.0, None, arena=position, trajectory="x") for position in (0, 1)]
    records = [(row, Record(task, row.arena, 1, Rules.named("puzzlebox"), ((FORWARDS,), (FORWARDS,)))) for row in rows]
    with looks.style():
        figure = paths.paths_from_above(records, rows, looks.looks(["a"]), "paths", "").figure
    assert [panel.get_ylabel().replace("\n", " ") for panel in figure.axes] == ["two, arena 1", "two, arena 2"]
    assert [len(panel.get_lines()) for panel in figure.axes] == [2, 2]  # one path and its outline
    assert not np.allclose(way_in(figure.axes[0])[0], way_in(figure.axes[1])[0])
    assert [text.get_text() for text in figure.legends[0].get_texts()][-1] == "end, not decided"


def test_an_episode_that_went_on_has_a_panel_for_each_arena_and_no_verdict_before_the_last() -> None:
    from matplotlib.markers import MarkerStyle

    first = CORRIDOR.arenas[0].model_copy(update={"merge_next_arena": True, "pass_mark": 0.0})
    animal = first.items[0].model_copy(update={"at": (5, 0, 5)})
    last = first.model_copy(
        update={"id": 1, "size": (20.0, 20.0), "items": (animal,), "merge_next_arena": False, "time_limit": 30}
    )
    before = CORRIDOR.arenas[0].model_copy(update={"id": 2})
    task = CORRIDOR.model_copy(update={"arenas": (before, first, last)})
    world = World(task, arena=1, seed=1)
    while not world.over:
        world.step([FORWARDS])
    assert world.position == 2 and world.passed() is False
    row = ReportEpisode("out", "study", "a", 0.0, False, arena=1, trajectory="x")
    other = ReportEpisode("out", "study", "b", 0.0, False, arena=1, trajectory="x")
    stood = Record(task, 1, 1, Rules.named("puzzlebox"), ((0,), (0,)))
    records = [(row, world.snapshot()), (other, stood)]
    with looks.style():
        figure = paths.paths_from_above(records, [row, other], looks.looks(["a", "b"]), "paths", "").figure
    assert [panel.get_ylabel().replace("\n", " ") for panel in figure.axes] == [
        "study, arena 2",
        "",
        "study, arena 3",
        "",
    ]
    ways = [len(panel.get_lines()) // 2 for panel in figure.axes]  # a path and its outline
    assert ways == [1, 1, 1, 0]
    assert [text.get_text() for text in figure.axes[3].texts] == ["not reached"]
    on, failed = (panel.collections[-1].get_paths()[0].vertices.shape for panel in figure.axes[::2])
    assert on == MarkerStyle(">").get_path().vertices.shape and failed == MarkerStyle("X").get_path().vertices.shape
    # The last panel has the path in the last arena.
    view = View.top(world.scene(), 1.0)
    (end,) = pixels(np.array([world.position_of(world.animals[0])]), view, 420, 420)
    assert abs(way_in(figure.axes[2])[-1] - end).max() < 3
    assert "continues in the next arena" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_paths_are_those_of_the_tasks_most_played() -> None:
    def played(task: str, agent: str, participant: str = "", episode: int = 0) -> ReportEpisode:
        person = bool(participant)
        own = {"participant": participant, "repetition": episode, "person": person}
        return ReportEpisode("", task, agent=agent, passed=False, trajectory="x", **own)

    few = [played(f"task {number:02}", "a") for number in range(20)]
    everybody = [played("zoo", "a"), *(played("zoo", "human", f"P{number}") for number in range(8))]
    again = [played("zoo", "human", "P0", episode) for episode in range(1, 4)]
    often = [played("much", "a", episode=episode) for episode in range(9)]
    chosen = paths.choose_places([*few, *everybody, *again, *often])
    assert chosen == [("much", 0), ("task 00", 0), ("task 10", 0), ("zoo", 0)]
    drawn = paths.choose_episodes([*again, *everybody], chosen)
    assert len({row.participant for row in drawn if row.person}) == paths.MOST_PATHS
    crowd = [played("zoo", agent) for agent in "abcdef"]
    assert {row.agent for row in paths.choose_episodes([*crowd, *everybody], chosen)} == {"a", "b", "c", "human"}
