"""No cell of a CSV table is a formula in a spreadsheet, and tables are read exactly as they were written."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from episodes import episodes_of
from made_up_runs import made_up_rows
from puzzlebox.cli.app import app
from puzzlebox.csv_cells import CellReader, CellWriter, escape_cell, unescape_cell
from puzzlebox.record import Store
from puzzlebox.record.tables import write_table
from puzzlebox.report import gather, make_report
from test_forget import played
from worlds import AGENT, GOAL, task_of

FORMULA = "=HYPERLINK(\"http://example.org\"; 'x')"
BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝")
TEXTS = st.text(st.sampled_from("'=+-@\t\r\n,\"; x1.e") | st.characters(codec="utf-8", exclude_categories=["Cs"]))


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(beginning: str) -> None:
    assert escape_cell(f"{beginning}cmd|' /C calc'!A0") == f"'{beginning}cmd|' /C calc'!A0"


@pytest.mark.parametrize("value", [-0.5, -3, None, True, "-0.5", "+1e-9", "-inf", "P07", "'quoted'", "", "a=b"])
def test_other_cells_are_not_changed(value: object) -> None:
    assert escape_cell(value) is value


@given(st.lists(TEXTS, min_size=1, max_size=5))
@example(["'=x", "''=x", "'-0.5", "-0.5", "'", "'a"])
@example(["hello\r=HYPERLINK(0)", "x"])
def test_every_escaped_text_is_read_back(texts: list[str]) -> None:
    assert [unescape_cell(str(escape_cell(text))) for text in texts] == texts
    for text in texts:
        cell = str(escape_cell(text))
        assert not cell.startswith(BEGINNINGS) or float(cell) <= float("inf") or cell.endswith("nan")
    file = io.StringIO(newline="")
    CellWriter(file).writerows([[f"={place}" for place in range(len(texts))], texts])
    file.seek(0)
    reader = CellReader(file)
    assert [list(row.values()) for row in reader] == [texts]
    assert list(reader.fieldnames) == [f"={place}" for place in range(len(texts))]


def assert_runs_nothing(path: Path) -> None:
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                assert not cell.startswith(BEGINNINGS) or float(cell) is not None, (path, cell)


@pytest.mark.usefixtures("unpainted_figures")
def test_all_tables_escape_formulas(tmp_path: Path) -> None:
    rows = made_up_rows([FORMULA, "-x"], {"@agent": 0.0, "+other": 1.0}, episodes=3)
    rows[0] |= {"error": "-- went wrong", "level": "=1", "return": None}
    (tmp_path / "out").mkdir()
    write_table(tmp_path / "out", episodes_of(rows))
    (tmp_path / "out" / "run.json").write_text(
        '{"agents": [{"name": "@agent", "class": "=x"}], "machine": {"=a": "=b"}}'
    )
    store = tmp_path / "r.sqlite"
    with Store(store) as new_store:
        played(new_store, task_of(AGENT, GOAL, time_limit=20), name=FORMULA, participant="-P1")
    for form in ([], ["--log", "animalai"]):
        done = CliRunner().invoke(app, ["export", "--store", str(store), "-o", str(tmp_path / "data"), *form])
        assert done.exit_code == 0, done.output
    results = make_report([tmp_path / "out", tmp_path / "data"], tmp_path / "report").results
    # The names are read as they were written.
    assert {row.task for row in results.rows} == {FORMULA, "-x"}
    assert {row.agent for row in results.rows} == {"@agent", "+other", "human"}
    assert {row.participant for row in results.rows} == {"", "-P1"}
    assert {row.error for row in results.broken} == {"-- went wrong"}
    again = gather([tmp_path / "report" / "tables" / "episodes.csv"])
    assert {row.task for row in again.rows} == {FORMULA, "-x"}
    template = tmp_path / "t.yml"
    template.write_text("vary: {'x': ['=1+1', '-2', '@a']}\narenas: [{items: [{name: Agent, skin: pig}]}]\n")
    done = CliRunner().invoke(app, ["vary", str(template), "-o", str(tmp_path / "tasks")])
    assert done.exit_code == 0, done.output
    listed = CliRunner().invoke(app, ["vary", str(template), "--list"])
    assert "'=1+1" in listed.stdout and ",-2" in listed.stdout
    tables = sorted(tmp_path.rglob("*.csv"))
    assert len(tables) > 8
    for path in tables:
        assert_runs_nothing(path)
