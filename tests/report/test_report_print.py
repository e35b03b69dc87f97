"""Printed reports: Chromium shows every column of a page that cannot be scrolled."""

from pathlib import Path
from typing import Any

import pytest

from browser import until
from made_up_runs import made_up_rows, write_run
from pictures import figures_unpainted
from puzzlebox.report import make_report

# A4 between margins of 10 mm, in pixels.
WIDTH, HEIGHT = 718, 1047
TASKS = [f"a-battery-of-mine/{level:02}-{task:02}-01" for level in range(1, 11) for task in (1, 2)]
AGENTS = {"random": -1.0, "my_package.agents_with_long_names:Clever(depth=3,width=12,chances=None)": 0.0, "human": 1.0}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with every wide table: long names, returns of thousands, levels, arenas, participants, failures."""
    folder = tmp_path_factory.mktemp("printed")
    rows = made_up_rows([task.rpartition("/")[2] for task in TASKS], AGENTS)
    for row in rows:
        row |= {"task": f"a-battery-of-mine/{row['task']}", "return": 1234.5 * row["return"], "arena": row["seed"] % 2}
        if row["agent"] == "human":
            row["participant"] = f"participant-{row['episode']}-of-the-second-cohort"
    rows[0] |= {"error": "RuntimeError:" + 40 * "/no/space", "return": "", "passed": ""}
    with figures_unpainted():
        return make_report([write_run(folder / "out", rows)], folder / "report", published=True).page


def test_every_column_fits_on_the_printed_page(chromium: Any, page: Path) -> None:
    paper = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    paper.goto(page.as_uri())
    paper.emulate_media(media="print")
    paper.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    edges = paper.evaluate("[...document.querySelectorAll('th, td')].map(e => e.getBoundingClientRect().right)")
    inner = paper.evaluate("[...document.querySelectorAll('th, td')].map(e => e.scrollWidth - e.clientWidth)")
    captions = paper.evaluate("[...document.querySelectorAll('caption')].map(each => each.innerText)")
    paper.close()
    assert max(edges) <= WIDTH + 1
    assert max(inner) <= 1  # no word extends beyond its cell
    for text in ("Proportion passed", "Each participant", "on each level", "on each task", "in each arena", "failed"):
        assert any(text in caption for caption in captions), text


def test_captions_wrap_at_the_width_of_a_phone(chromium: Any, page: Path) -> None:
    phone = chromium.new_page(viewport={"width": 390, "height": 844})
    phone.goto(page.as_uri())
    ends = "range => { range.selectNodeContents(each); return range.getBoundingClientRect().right }"
    edges = phone.evaluate(f"[...document.querySelectorAll('caption')].map(each => ({ends})(document.createRange()))")
    phone.close()
    assert edges and max(edges) <= 390


def test_the_page_allows_itself_nothing_but_what_it_shows(chromium: Any, page: Path) -> None:
    """The content security policy allows the page's style and pictures, but no scripts or requests."""
    shown, messages = chromium.new_page(), []
    shown.on("console", lambda message: messages.append(message.text))
    shown.on("pageerror", lambda problem: messages.append(str(problem)))
    shown.goto(page.as_uri())
    widths = shown.evaluate("[...document.images].map(each => each.naturalWidth)")
    shown.evaluate("document.querySelector('summary').click()")
    opened = shown.evaluate("document.querySelector('details').open")
    margin = shown.evaluate("getComputedStyle(document.querySelector('.warnings, .lead p')).marginTop")
    assert messages == []
    assert widths and min(widths) > 0 and opened and margin != "16px"
    # Injected elements have no effect.
    shown.evaluate("""() => {
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ran = 1">');
        const script = document.createElement('script');
        script.textContent = 'window.ran = 1';
        document.body.append(script);
        document.body.insertAdjacentHTML('beforeend', '<img src="https://example.org/x.png">');
    }""")
    until(shown, "document.images[document.images.length - 1].complete", what="the last picture is given up")
    ran = shown.evaluate("window.ran")
    shown.close()
    assert ran is None
    assert any("Content Security Policy" in each for each in messages)
