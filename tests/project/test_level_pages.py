"""The pages of the testbed's levels: whatever they cite is in their references, and their pictures are there."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from puzzlebox.arena.testbed.level import LEVELS
from puzzlebox.arena.testbed.reading import read_level

DOCS = ROOT / "docs"


def level_pages() -> Any:
    """`tools/level_pages.py`, as a module."""
    spec = importlib.util.spec_from_file_location("level_pages", ROOT / "tools" / "level_pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = level_pages()
NUMBERS = range(1, LEVELS + 1)


def text_of(number: int) -> str:
    return (DOCS / TOOL.NAMES[number]).read_text(encoding="utf-8")


@pytest.mark.parametrize("number", NUMBERS)
def test_what_the_tasks_cite_is_among_the_references_of_the_page(number: int) -> None:
    references = text_of(number).split("## References")[1]
    cited = {name for row in read_level(number).rows.values() for name in TOOL.short_references(row.reference)}
    assert cited, "no task cites anything"
    written = {re.sub(r" (\d{4})$", r" (\1)", name) for name in cited}
    assert sorted(name for name in written if f"- {name}:" not in references) == []


@pytest.mark.parametrize("number", NUMBERS)
def test_what_the_prose_cites_is_among_the_references_of_the_page(number: int) -> None:
    prose, references = text_of(number).split("## References")
    prose = " ".join(re.sub(r"<!-- table.*?<!-- end", "", prose, flags=re.DOTALL).split())
    cited = set(re.findall(r"(\w+\.?)(?:'s)? \(?((?:18|19|20)\d\d)(?=[);])", prose))
    listed = [line for line in references.splitlines() if line.startswith("- ")]
    assert cited, "the page cites nothing"
    missing = [(author, year) for author, year in cited if not any(f"{author} ({year}):" in line for line in listed)]
    assert missing == []


def test_a_reference_is_shortened_to_authors_and_year() -> None:
    both = "Köhler (1925), The Mentality of Apes; Lockman (1984), Child Development 55"
    assert TOOL.short_references(both) == ["Köhler 1925", "Lockman 1984"]
    assert TOOL.short_references("after Diamond (1990), Annals 608") == ["Diamond 1990"]
    assert TOOL.short_references("Miller (1944), in Hunt (ed.), Disorders") == ["Miller 1944"]


def test_the_pictures_of_all_levels_are_there_and_together_below_four_megabytes() -> None:
    pictures = [DOCS / "images" / "testbed" / f"level-{number:02d}.png" for number in NUMBERS]
    assert sum(path.stat().st_size for path in pictures) < 4e6
    for number, path in zip(NUMBERS, pictures, strict=True):
        assert f"](../../images/testbed/{path.name})" in text_of(number)


def test_a_page_without_a_place_for_its_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = TOOL.NAMES[3]
    (tmp_path / "docs" / name).parent.mkdir(parents=True)
    (tmp_path / "docs" / name).write_text("# Level 3\n", encoding="utf-8")
    monkeypatch.setattr(TOOL, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"level-03\.md has 0 places for the table `tasks`; it needs one"):
        TOOL.page(3)
