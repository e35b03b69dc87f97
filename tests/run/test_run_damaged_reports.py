"""Reports on damaged runs name what they read instead, and what is missing."""

import json
import shlex
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from damaged_runs import EPISODES, TASK, change_line
from puzzlebox.cli.app import app
from puzzlebox.report import gather
from puzzlebox.run.journal import JOURNAL
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import RunTask
from puzzlebox.run.trajectories import TRAJECTORIES


@pytest.mark.usefixtures("unpainted_figures")
def test_a_report_reads_the_table_where_the_journal_is_damaged(out: Path, tmp_path: Path) -> None:
    change_line(5, lambda line: b"{\n")(out)
    results = gather([out])
    assert len(results.rows) == EPISODES
    sentence = (
        f"{out / JOURNAL} is damaged in line 5 (it is not JSON (Expecting property name enclosed in double quotes, "
        f"column 2)); {out / 'episodes.csv'} was read for 1 episode that the journal lacks."
    )
    assert results.sources[0].damaged == (sentence,)
    done = CliRunner().invoke(app, ["report", str(out), "-o", str(tmp_path / "report")])
    assert done.exit_code == 0, done.output
    assert f"warning: {sentence}" in done.stderr
    assert "Warnings about the data" in (tmp_path / "report" / "report.html").read_text()
    assert "was read for 1 episode that the journal lacks" in (tmp_path / "report" / "report.html").read_text()
    # Without a table, all other episodes are reported.
    (out / "episodes.csv").unlink()
    results = gather([out])
    assert len(results.rows) == EPISODES - 1
    assert results.sources[0].damaged[0].endswith("; there is no table to read instead.")
    # As with damaged recordings, the exit code says that episodes are missing.
    done = CliRunner().invoke(app, ["report", str(out), "-o", str(tmp_path / "report")])
    assert done.exit_code == 1 and "wrote" in done.stderr and str(tmp_path / "report") in done.stdout


@pytest.mark.parametrize("settings", [True, False])
@pytest.mark.usefixtures("unpainted_figures")
def test_a_report_on_a_table_that_lost_rows(settings: bool, out: Path, tmp_path: Path) -> None:
    """Without a journal, the table is all there is; it ends within a row."""
    (out / JOURNAL).unlink()
    if not settings:
        (out / "run.json").unlink()
    table = out / "episodes.csv"
    table.write_bytes(table.read_bytes()[:-60])
    done = CliRunner().invoke(app, ["report", str(out), "-o", str(tmp_path / "report")])
    assert done.exit_code == 1 and f"{table} ends in the middle of a row; that row is excluded." in done.stderr


def report_warnings(folder: Path, report: Path, exit_code: int = 0) -> tuple[str, str]:
    """Return what `puzzlebox report` prints to stderr, and the page after "Warnings about the data"."""
    done = CliRunner().invoke(app, ["report", str(folder), "-o", str(report)])
    assert done.exit_code == exit_code, done.output
    _, _, first = (report / "report.html").read_text().partition("Warnings about the data")
    return done.stderr, unescape(first.partition("</ul>")[0])


@pytest.mark.parametrize("name", [JOURNAL, "run.json"])
@pytest.mark.usefixtures("unpainted_figures")
def test_a_report_names_the_missing_file_of_a_run(name: str, out: Path, tmp_path: Path) -> None:
    (out / name).unlink()
    stderr, first = report_warnings(out, tmp_path / "report")
    rest = "; episodes.csv was read instead." if name == JOURNAL else ", so the settings of the run are unknown."
    sentence = f"out: {name} is missing{rest}"
    assert f"warning: {sentence}" in stderr and sentence in first


@pytest.mark.parametrize("kind", ["deleted", "cut"])
def test_a_report_reads_the_table_where_a_line_is_missing(kind: str, out: Path) -> None:
    lines = (out / JOURNAL).read_bytes().splitlines(keepends=True)
    (out / JOURNAL).write_bytes(b"".join([*lines[:4], *lines[5:]] if kind == "deleted" else [*lines[:-1], b'{"tra']))
    results = gather([out])
    assert len(results.rows) == EPISODES and results.sources[0].missing == 0
    sentence = f"{out / JOURNAL} has no line about 1 episode; {out / 'episodes.csv'} was read for it."
    assert results.sources[0].damaged == (sentence,)
    # A row that the run cannot have is not used.
    table = (out / "episodes.csv").read_text().splitlines(keepends=True)
    number = 5 if kind == "deleted" else EPISODES
    row = json.loads(lines[number - 1])["row"]
    for old, new in ((str(row["seed"]), "17"), (row["task_hash"], "0" * 64), (f",{row['ended_by']},", ",,")):
        assert old in table[number]
        changed = [*table[:number], table[number].replace(old, new), *table[number + 1 :]]
        (out / "episodes.csv").write_text("".join(changed))
        results = gather([out])
        assert len(results.rows) == EPISODES - 1 and results.sources[0].missing == 1
        assert results.sources[0].damaged == ()


@pytest.mark.parametrize("kind", ["missing", "cut", "flipped", "none"])
@pytest.mark.usefixtures("unpainted_figures")
def test_a_report_names_trajectories_that_cannot_be_read(kind: str, out: Path, tmp_path: Path) -> None:
    path = out / TRAJECTORIES
    data = path.read_bytes()
    ends = [json.loads(line)["trajectories"] for line in (out / JOURNAL).read_text().splitlines()]
    path.unlink()
    if kind != "missing":
        middle = ends[4] - 60
        flipped = data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]
        path.write_bytes({"cut": data[:middle], "none": b"", "flipped": flipped}[kind])
    sentence = {
        "missing": f"{path} is missing, so the episodes of the run cannot be replayed.",
        "cut": f"{path} is damaged: it has no readable trajectory of 8 episodes, the first of them t/1/random/4.",
        "flipped": f"{path} is damaged: it has no readable trajectory of the episode t/1/random/4.",
        "none": f"{path} is damaged: it has no readable trajectory of 12 episodes, the first of them t/1/random/0.",
    }[kind]
    stderr, first = report_warnings(out, tmp_path / "report")
    assert f"warning: {sentence}" in stderr and sentence in first
    page = (tmp_path / "report" / "report.html").read_text()
    assert "no trajectories were kept" not in page
    assert ("the trajectories of these episodes are missing or cannot be read" in page) == (kind in ("missing", "none"))


@pytest.mark.usefixtures("unpainted_figures")
def test_a_report_names_the_command_that_is_not_refused(tmp_path: Path) -> None:
    task = tmp_path / "t.yml"
    task.write_text("arenas: [{time_limit: 4, items: [{name: Agent}, {name: GoodGoal}]}]")
    arguments = ["run", str(task), "--agent", "random", "--episodes", "4", "--workers", "1"]
    for number, option in enumerate((["-o", "{}"], ["--output={}"], ["-o{}"])):
        first, moved = tmp_path / f"first {number}", tmp_path / f"moved {number}"
        command_arguments = [*arguments, *(each.format(first) for each in option)]
        run(
            [RunTask("t", TASK)],
            ["random"],
            first,
            episodes=4,
            workers=1,
            command=shlex.join(["puzzlebox", *command_arguments]),
        )
        first.rename(moved)
        (moved / "episodes.csv").unlink()
        whole = (moved / JOURNAL).read_bytes()
        new = shlex.join(["puzzlebox", *arguments, *(each.format(moved) for each in option)])
        (moved / JOURNAL).write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
        _, warnings = report_warnings(moved, tmp_path / f"report {number}")
        assert f"it has 3 of 4 episodes; `{new}` plays the rest." in warnings
        (moved / JOURNAL).write_bytes(whole)
        change_line(2, lambda line: b"{}\n")(moved)
        _, warnings = report_warnings(moved, tmp_path / f"report {number}", 1)
        assert f"it has 3 of 4 episodes; `{new} --repair` plays the rest." in warnings


@pytest.mark.usefixtures("unpainted_figures")
def test_a_report_on_a_duplicate_line_does_not_mention_the_table(out: Path) -> None:
    lines = (out / JOURNAL).read_bytes().splitlines(keepends=True)
    (out / JOURNAL).write_bytes(b"".join([*lines, lines[3]]))
    (warnings,) = gather([out]).sources[0].damaged
    assert warnings.endswith("(the episode t/1/random/3 is in line 4 already).")
