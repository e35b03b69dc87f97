"""Wright maps, heat maps and figures of factors: what is cut off, not played or without data is visible as such."""

from pathlib import Path

import numpy as np
import pytest

from made_up_runs import made_up_rows, write_run
from puzzlebox.report import gather
from puzzlebox.report.contents import contents
from puzzlebox.report.figures import factors, heat, wright
from puzzlebox.report.figures.looks import looks
from puzzlebox.stats import Interval

AGENTS = ["a", "b"]


def entries(*abilities: Interval) -> list[wright.Entry]:
    return [wright.Entry(name, "", ability, False) for name, ability in zip(AGENTS, abilities, strict=False)]


def test_intervals_beyond_a_wright_map_have_arrows() -> None:
    difficulties, items = [-1.0, 0.0, 1.0], ["x", "y", "z"]
    wide = wright.wright_map(entries(Interval(0, -50, 1), Interval(1, 0, 60)), difficulties, items, looks(AGENTS), "")
    players = wide.figure.axes[0]
    low, high = players.get_ylim()
    marks = {
        (line.get_marker(), float(line.get_ydata()[0])) for line in players.get_lines() if line.get_marker() in "v^"
    }
    assert marks == {("v", low), ("^", high)}
    assert "Arrows: the interval goes on beyond the scale." in wide.caption
    narrow = wright.wright_map(entries(Interval(0, -1, 1)), difficulties, items, looks(AGENTS), "")
    assert "Arrows" not in narrow.caption


def test_tasks_of_equal_difficulty_share_a_name_and_no_line_goes_through_it() -> None:
    items = [*(f"maze@{number}" for number in range(8)), *(f"other {number}" for number in range(5)), "cups", "wall"]
    difficulties = [-1.0] * 8 + [1.0] * 5 + [0.0, 0.001]
    drawing = wright.wright_map(entries(Interval(0, -1, 1)), difficulties, items, looks(AGENTS), "")
    tasks = drawing.figure.axes[1]
    names = [text.get_text() for text in tasks.texts]
    assert names == ["maze (8 variants)", "cups", "wall", "other 0 and 4 others"]
    heights = [text.get_position()[1] for text in tasks.texts]
    low, high = tasks.get_ylim()
    assert min(np.diff(heights)) > 0.9 * 0.17 / 2.7 * (high - low)
    assert low < min(heights) < max(heights) < high
    zero = tasks.get_lines()[-1]
    left, right = tasks.get_xlim()
    assert left + (right - left) * max(zero.get_xdata()) < tasks.texts[0].get_position()[0]


def test_names_that_are_apart_stay_at_their_height() -> None:
    assert wright._spread([0.0, 5.0], -1, 6, 1) == [0.0, 5.0]
    assert wright._spread([2.0, 2.0, 2.0], -1, 6, 1) == [1.0, 2.0, 3.0]
    assert wright._spread([5.9, 6.0], -1, 6, 1) == [4.5, 5.5]


def test_numbers_of_tasks_are_whole() -> None:
    items = [f"task {number}" for number in range(31)]
    drawing = wright.wright_map(entries(Interval(0, -1, 1)), np.linspace(-1, 1, 31), items, looks(AGENTS), "", "arena")
    tasks = drawing.figure.axes[1]
    assert all(tick == int(tick) for tick in tasks.get_xticks())
    assert tasks.get_xlabel() == "Number of arenas (of 31)"


def test_cells_that_were_not_played_are_hatched_and_numbers_are_legible(tmp_path: Path) -> None:
    rows = [row for row in made_up_rows(["x", "y"], {"a": 0.0, "b": 1.0}) if (row["task"], row["agent"]) != ("x", "a")]
    found = contents(gather([write_run(tmp_path / "out", rows)]))
    (drawing,) = [each for each in found.drawings if each.name == "tasks_and_agents"]
    assert drawing.caption.endswith("hatched: not played.")
    axes = drawing.figure.axes[0]
    assert axes.patch.get_hatch()
    assert axes.images[0].get_cmap().get_bad()[3] == 0


@pytest.mark.parametrize(("grey", "colour"), [(0.0, "white"), (0.4, "white"), (0.487, "black"), (1.0, "black")])
def test_numbers_have_the_greater_contrast(grey: float, colour: str) -> None:
    assert heat._legible_on((grey, grey, grey, 1.0)) == colour


def test_agents_without_data_are_not_in_the_legend_of_a_factor() -> None:
    cells = {("a", "left"): Interval(0.5, 0.2, 0.8), ("a", "right"): Interval(0.6, 0.2, 0.8)}
    drawing = factors.factor_points(cells, cells, AGENTS, ["left", "right"], looks(AGENTS), "by_side", "", "side")
    assert [text.get_text() for text in drawing.figure.legends[0].get_texts()] == ["a"]
