"""The packages: imports make no cycle and are drawn, no folder has too many files, and documented places exist."""

import ast
import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import import_graph

MOST_FILES = 40
(ARCHITECTURE,) = (ROOT / "docs").rglob("architecture.md")
# The rows of the table: a question, and one or two places such as `seeds.py:episode_seed`.
_HEADING = "## Where is what"
_PLACE = re.compile(r"`([\w./-]+\.\w+)(?::([\w.]+))?`")


def questions() -> dict[str, list[tuple[str, str]]]:
    section = ARCHITECTURE.read_text().split(_HEADING, 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return {question: _PLACE.findall(places) for question, places in rows[1:]}


def names_in(path: Path) -> set[str]:
    """Return the names a file defines (functions, classes, constants, `Class.member`), or all words of another file."""
    if path.suffix != ".py":
        return set(re.findall(r"\w+", path.read_text()))
    found: set[str] = set()

    def look(body: list[ast.stmt], before: str = "") -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(before + node.name)
            if isinstance(node, ast.ClassDef):
                look(node.body, f"{before}{node.name}.")
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            found.update(before + each.id for each in targets if isinstance(each, ast.Name))

    look(ast.parse(path.read_text()).body)
    return found


def file_of(place: str) -> Path:
    """Return the file of a place in the table: below the package, or below the repository."""
    inside = ROOT / "src" / "puzzlebox" / place
    return inside if inside.exists() else ROOT / place


@pytest.mark.parametrize(("question", "places"), questions().items())
def test_every_place_in_the_table_of_the_architecture_page_exists(question: str, places: list[tuple[str, str]]) -> None:
    assert 1 <= len(places) <= 2, "one or two places answer a question"
    for place, name in places:
        path = file_of(place)
        assert path.is_file(), f"{place} is not there"
        assert not name or name in names_in(path), f"{place} has no {name}"


def test_the_table_of_the_architecture_page_has_twenty_questions() -> None:
    assert len(questions()) >= 20


def test_packages_import_each_other_in_one_direction() -> None:
    graph = import_graph.packages()
    assert {"cli", "arena/world", "arena/rules", "seeds", "native"} <= set(graph)
    list(TopologicalSorter(graph).static_order())  # a CycleError names the packages


def test_a_cycle_of_imports_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = {**import_graph.packages(), "seeds": {"cli"}}
    monkeypatch.setattr(import_graph, "packages", lambda: graph)
    with pytest.raises(CycleError):
        list(TopologicalSorter(import_graph.packages()).static_order())


def test_the_drawn_graph_is_current() -> None:
    assert import_graph.PICTURE.read_text() == import_graph.picture(), "`make generated` draws it anew"
    assert "import-graph.svg" in ARCHITECTURE.read_text()


def test_no_folder_has_too_many_files() -> None:
    folders = [folder for folder in (ROOT / "src" / "puzzlebox").rglob("*") if (folder / "__init__.py").exists()]
    assert len(folders) > 20
    full = {
        str(each.relative_to(ROOT)): count for each in folders if (count := len(list(each.glob("*.py")))) > MOST_FILES
    }
    assert full == {}, f"more than {MOST_FILES} files"
