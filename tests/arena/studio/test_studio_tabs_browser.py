"""The play page of a task that is open in two tabs, that continues in another arena, and on small screens."""

from collections.abc import Callable
from typing import Any

import pytest

from browser import Studio, until
from test_studio_browser import begin, opened, page_value, studio

__all__ = ["opened", "studio"]

ARENA = "{{id: {}, time_limit: 0, size: [12, 12], {}items: [{{name: Agent, at: [6, 0, 2], rotation: 0}}, {}]}}"
GOAL = "{name: GoodGoal, at: [6, 0, 5], size: 1}"
# Arena 1 leads into arena 2.
MERGED = f"""
metadata: {{title: Two in one}}
arenas:
  - {ARENA.format(0, "merge_next_arena: true, ", GOAL)}
  - {ARENA.format(1, "", "")}
"""
Open = Callable[..., Any]


@pytest.mark.slow
def test_the_earlier_of_two_tabs_can_take_the_episode_back(opened: Open, studio: Studio) -> None:
    first = opened("/play?task=examples/food&participant=P21")
    begin(first)
    second = opened("/play?task=examples/food&participant=P21")
    second.get_by_role("button", name="Continue").wait_for()
    first.get_by_role("heading", name="This task is open in another tab or window.").wait_for()
    first.get_by_text("Continue in that tab, or continue here.").wait_for()
    episode = page_value(second, "episode")
    first.get_by_role("button", name="Continue here").click()
    second.get_by_test_id("elsewhere").wait_for()
    until(first, "puzzlebox.link === 'open'", what="the first tab plays again")
    assert page_value(first, "episode") == episode and first.get_by_test_id("elsewhere").count() == 0


def test_the_next_arena_of_the_same_episode_is_announced(opened: Open, studio: Studio) -> None:
    page = opened(f"/play?task={studio.upload(MERGED)}")
    page.get_by_text("Two in one, arena 1 of 2").wait_for(state="attached")
    begin(page)
    page.keyboard.down("ArrowUp")
    until(page, "puzzlebox.arena === 1", what="the next arena takes over")
    page.get_by_text("Two in one, arena 2 of 2").wait_for(state="attached")


# As many words as the lower right corner ever holds.
PILL = """(words) => {
  const pill = document.querySelector(".state .pill").cloneNode();
  pill.textContent = words;
  document.querySelector(".state").append(pill);
}"""
OVERLAP = """([one, other]) => {
  const [a, b] = [one, other].map((each) => document.querySelector(each).getBoundingClientRect());
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}"""


@pytest.mark.parametrize(
    ("width", "height", "touch", "one", "other"),
    [
        (390, 844, True, "[data-testid=start]", "[role=meter]"),
        (600, 400, True, ".tools .fullscreen", ".state"),
        (1024, 768, True, "[data-testid=start]", ".vitals"),
        (1200, 800, False, "[data-testid=start]", ".vitals"),
        (1200, 800, False, "[data-testid=start]", ".state"),
        (1200, 800, True, "[data-testid=start]", ".vitals"),
        (1330, 800, False, "[data-testid=start]", ".vitals"),
    ],
)
def test_panels_do_not_overlap(
    opened: Open, studio: Studio, width: int, height: int, touch: bool, one: str, other: str
) -> None:
    page = opened(
        f"/play?task={studio.upload(MERGED)}&participant=P22",
        viewport={"width": width, "height": height},
        has_touch=touch,
    )
    page.get_by_test_id("start").wait_for()
    for words in ("Connection lost. Trying again …", "not yet saved: 120 steps"):
        page.evaluate(PILL, words)
    assert not page.evaluate(OVERLAP, [one, other])
