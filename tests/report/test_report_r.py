"""The R script of a report: its files, and, where R and lme4 are installed, that it gives the numbers of the page."""

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

from crossed_sets import SETS, report_rows
from puzzlebox.report.build import _write
from puzzlebox.report.model import Model, fit_model
from puzzlebox.report.model_words import odds_table
from puzzlebox.report.r_script import write_r_files
from puzzlebox.report.units import Units


def written(name: str, folder: Path) -> tuple[Model, list[Path]]:
    """Write the files that the script needs, as a report does."""
    model = fit_model(Units.of(report_rows(SETS[name])))
    assert model.fit is not None
    (folder / "tables").mkdir()
    _write(odds_table(model, model.fit), folder / "tables")
    return model, write_r_files(model, folder)


def test_the_data_of_the_script_are_all_episodes_that_count(tmp_path: Path) -> None:
    model, files = written("people", tmp_path)
    assert {path.name for path in files} == {
        *("model.R", "model_data.csv", "model_summary.csv", "model_covariance.csv"),
    }
    with (tmp_path / "tables" / "model_data.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    rows = SETS["people"]
    assert sum(int(line["episodes"]) for line in lines) == len(rows)
    assert sum(int(line["passes"]) for line in lines) == sum(row.passed for row in rows)
    assert {line["agent"] for line in lines if line["agent_number"] == "1"} == {model.references["agent"]}
    assert {line["subject"] for line in lines} == {"", *(f"participant P{number}" for number in range(12))}


def test_a_report_without_a_model_has_no_script(tmp_path: Path) -> None:
    model = fit_model(Units.of([row for row in report_rows(SETS["balanced"]) if row.agent == "a"]))
    assert write_r_files(model, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_lme4_gives_the_numbers_of_the_page(name: str, tmp_path: Path) -> None:
    program = shutil.which("Rscript")
    if program is None or subprocess.run([program, "-e", "library(lme4)"], capture_output=True, check=False).returncode:
        pytest.skip("Rscript with lme4 is not installed")
    written(name, tmp_path)
    command = [program, str(tmp_path / "model.R"), "--intervals"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line.split("\t") for line in output.splitlines()[1:-1]]
    assert len(lines) > 10
    for quantity, page, other in lines:
        assert float(other) == pytest.approx(float(page), rel=2e-4, abs=3e-4), quantity
