"""Damaged runs: they are refused and left unchanged, a repair loses nothing, and reports name what they read."""

import json
import os
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from damaged_runs import EPISODES, TASK, change_line, change_row, contents, play
from puzzlebox.cli.app import app
from puzzlebox.report import gather
from puzzlebox.run.journal import JOURNAL, trajectories, trajectory
from puzzlebox.run.journal_lines import read_lines
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import RunTask
from puzzlebox.run.trajectories import TRAJECTORIES, pack_record

DAMAGES = {
    "not JSON": (change_line(5, lambda line: b"oops" + line), "it is not JSON"),
    "cut in the middle": (change_line(5, lambda line: line[:90] + b"\n"), "it is not JSON"),
    "glued to the next": (change_line(5, lambda line: line[:-1]), "it is not JSON"),
    "a list": (change_line(5, lambda line: b"[1]\n"), "it is a list, not an object"),
    "deep": (change_line(5, lambda line: b"[" * 100_000 + b"\n"), "it is not JSON"),
    "a number": (change_line(5, lambda line: b"5\n"), "it is a number, not an object"),
    "empty": (change_line(5, lambda line: b"\n"), "it is empty"),
    "no text": (change_line(5, lambda line: line.replace(b"random", b"rand\xffm", 1)), "it is not text in UTF-8"),
    "NUL": (change_line(5, lambda line: b"\0" * len(line) + b"\n"), "it holds NUL bytes"),
    "a digit": (change_line(5, lambda line: line.replace(b'"steps":', b'"steps":1')), "its checksum does not fit"),
    "no row": (change_line(5, lambda line: b'{"trajectories":5}\n'), "it lacks `row`"),
    "no task": (change_line(5, change_row(task=...)), "its `row` lacks `task`"),
    "a key": (change_line(5, change_row(tsak="t")), 'its `row` has an unknown key "tsak"; did you mean `task`?'),
    "a kind": (change_line(5, change_row(arena="1")), '`arena` of its row is "1"; it must be a whole number'),
    "a truth": (change_line(5, change_row(steps=True)), "`steps` of its row is true; it must be a whole number"),
    "a number below 0": (change_line(5, change_row(episode=-1)), "`episode` of its row is -1"),
    "no number": (change_line(5, lambda line: line.replace(b'"trajectories":', b'"trajectories":-')), "`trajectories`"),
    "another run": (change_line(5, change_row(repetition=99)), "this run has no episode t/1/random/99"),
    "no checksum": (change_line(5, lambda line: re.sub(rb'"crc32":\d+,', b"", line)), "its checksum is missing"),
    "the header": (change_line(1, lambda line: line[30:]), "it is not JSON"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_line_is_refused_and_set_aside(kind: str, played: Path, out: Path) -> None:
    damage, sentence = DAMAGES[kind]
    damage(out)
    number = 1 if kind == "the header" else 5
    before = contents(out)
    with pytest.raises(ValueError) as refused:
        play(out)
    assert str(refused.value).startswith(f"{out / JOURNAL}, line {number}: ")
    assert sentence in str(refused.value) and "--repair" in str(refused.value)
    assert contents(out) == before
    done = play(out, repair=True)
    assert 1 <= done.played <= 2
    aside = out / f"{JOURNAL}.damaged-1"
    assert aside.read_bytes() == before[JOURNAL].splitlines(keepends=True)[number - 1]
    assert any(aside.name in line for line in done.aside)
    assert_whole(out, played)
    assert play(out).played == 0


def assert_whole(folder: Path, played: Path) -> None:
    """Check that a run is equal to an undamaged one."""
    assert (folder / "episodes.csv").read_bytes() == (played / "episodes.csv").read_bytes()
    assert dict(trajectories(folder)) == dict(trajectories(played))
    lines = read_lines(folder / JOURNAL)
    assert len(lines.good) == EPISODES and not lines.damaged


def test_only_a_last_line_without_its_end_is_cut(played: Path, out: Path) -> None:
    text = (out / JOURNAL).read_bytes()
    for rest in (text[:-20], text + b"\0" * 300, text + b'{"trajec'):
        (out / JOURNAL).write_bytes(rest)
        assert play(out).played == (1 if len(rest) < len(text) else 0)
        assert_whole(out, played)
    # A line that lacks only its newline is kept.
    (out / JOURNAL).write_bytes((out / JOURNAL).read_bytes()[:-1])
    assert play(out).played == 0
    assert_whole(out, played)


def test_a_second_repair_keeps_what_the_first_set_aside(out: Path) -> None:
    for number in (1, 2):
        change_line(number + 2, lambda line, number=number: f"bad {number}\n".encode())(out)  # type: ignore[misc]
        play(out, repair=True)
    assert [(out / f"{JOURNAL}.damaged-{number}").read_text() for number in (1, 2)] == ["bad 1\n", "bad 2\n"]


def test_a_duplicate_episode_is_refused_and_repaired(played: Path, out: Path) -> None:
    lines = (out / JOURNAL).read_bytes().splitlines(keepends=True)
    (out / JOURNAL).write_bytes(b"".join([*lines, lines[3]]))
    with pytest.raises(ValueError, match=r"line 13: the episode t/1/random/3 is in line 4 already"):
        play(out)
    assert play(out, repair=True).played == 0
    assert_whole(out, played)
    # An episode with two different results is played again.
    (out / JOURNAL).write_bytes(b"".join([*lines, change_row(steps=1)(lines[3])]))
    with pytest.raises(ValueError, match=r"line 4: lines 4 and 13 hold different results of the episode t/1/random/3"):
        play(out)
    assert play(out, repair=True).played == 1
    assert_whole(out, played)


def test_a_journal_without_a_line_is_refused_and_repaired(played: Path, out: Path) -> None:
    (out / JOURNAL).write_bytes(b"")
    with pytest.raises(ValueError, match=r"journal.jsonl has no whole line, but trajectories.jsonl.gz has 12 episodes"):
        play(out)
    assert play(out, repair=True).played == EPISODES
    assert_whole(out, played)
    assert (out / f"{TRAJECTORIES}.damaged-1").read_bytes() == (played / TRAJECTORIES).read_bytes()


@pytest.mark.parametrize("insert", [b"", b"x", b"\0" * 100])
def test_a_damaged_trajectory_is_refused_and_repaired(insert: bytes, played: Path, out: Path) -> None:
    """Damage within the fifth member; the members after it are found at their new offsets."""
    data = (out / TRAJECTORIES).read_bytes()
    end = json.loads((out / JOURNAL).read_text().splitlines()[4])["trajectories"]
    (out / TRAJECTORIES).write_bytes(data[: end - 60] + (insert or b"?") + data[end - 60 + (not insert) :])
    assert len(list(trajectories(out))) == EPISODES - 1
    with pytest.raises(ValueError, match=r"no readable trajectory of the episode t/1/random/4; .*--repair"):
        trajectory(f"{out}#t/1/random/4")
    before = contents(out)
    with pytest.raises(ValueError, match=r"is damaged: it has no readable trajectory of the episode t/1/random/4"):
        play(out)
    assert contents(out) == before
    assert play(out, repair=True).played == 1
    assert_whole(out, played)
    assert play(out, episodes=EPISODES + 1).played == 1


def test_a_trajectory_that_was_exchanged(played: Path, out: Path) -> None:
    """The third member is replaced by a whole one of the same name, with other actions."""
    ends = [json.loads(line)["trajectories"] for line in (out / JOURNAL).read_text().splitlines()]
    data, name = (out / TRAJECTORIES).read_bytes(), "t/1/random/2"
    record = json.loads(dict(trajectories(out))[name])
    other = pack_record(name, json.dumps(record | {"actions": record["actions"][::-1]}))
    (out / TRAJECTORIES).write_bytes(data[: ends[1]] + other + data[ends[2] :])
    with pytest.raises(ValueError, match=rf"no readable trajectory of the episode {name}; .*--repair"):
        trajectory(f"{out}#{name}")
    with pytest.raises(ValueError, match=rf"it has no readable trajectory of the episode {name}"):
        play(out)
    assert play(out, repair=True).played == 1
    assert (out / f"{TRAJECTORIES}.damaged-1").read_bytes() == other
    assert_whole(out, played)


def test_runs_of_earlier_versions_have_no_checksums(played: Path, out: Path) -> None:
    text = (out / JOURNAL).read_bytes()
    (out / JOURNAL).write_bytes(re.sub(rb'"(trajectory_)?crc32":\d+,', b"", text))
    assert play(out).played == 0
    assert gather([out]).sources[0].damaged == ()
    assert_whole(out, played)


@pytest.mark.parametrize("with_table", [True, False])
def test_a_line_that_was_deleted_is_named_and_its_episode_is_played_again(
    with_table: bool, played: Path, out: Path
) -> None:
    lines = (out / JOURNAL).read_bytes().splitlines(keepends=True)
    if not with_table:  # the trajectories tell it, too
        (out / "episodes.csv").unlink()
    (out / JOURNAL).write_bytes(b"".join(lines[:4] + lines[5:]))
    done = play(out)
    assert done.played == 1
    assert done.aside == (
        f"{out / JOURNAL} lacks the line of t/1/random/4, which was played before; it is played again",
    )
    assert_whole(out, played)
    lines = (out / JOURNAL).read_bytes().splitlines(keepends=True)
    (out / JOURNAL).write_bytes(b"".join(lines[:2] + lines[4:]))
    assert play(out).aside == (
        f"{out / JOURNAL} lacks the lines of 2 episodes that were played before, the first of them t/1/random/2; "
        "they are played again",
    )
    # What was never played is not missing, and neither is what a kill left unfinished.
    assert play(out, episodes=EPISODES + 1).aside == ()
    (out / "episodes.csv").unlink()
    (out / JOURNAL).write_bytes((out / JOURNAL).read_bytes()[:-20])
    done = play(out, episodes=EPISODES + 1)
    assert (done.played, done.aside) == (1, ())


def test_missing_trajectories_are_played_again_with_repair(played: Path, out: Path) -> None:
    (out / TRAJECTORIES).unlink()
    with pytest.raises(ValueError, match="is missing; put it back"):
        play(out)
    assert play(out, repair=True).played == EPISODES
    assert_whole(out, played)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"commands": 5}', "[" * 100_000, None])
def test_damaged_settings_are_refused_and_repaired(text: str | None, played: Path, out: Path) -> None:
    (out / "run.json").unlink() if text is None else (out / "run.json").write_text(text)
    before = contents(out)
    with pytest.raises(ValueError, match=r"run\.json .*--repair"):
        play(out)
    assert contents(out) == before
    with pytest.raises(ValueError, match="holds another run"):
        run([RunTask("t", TASK)], ["random"], out, episodes=EPISODES, seed=5, workers=1, repair=True)
    assert contents(out) == before
    assert play(out, repair=True).played == 0
    assert json.loads((out / "run.json").read_text())["seed"] == 0
    if text is not None:
        assert (out / "run.json.damaged-1").read_text() == text
    assert_whole(out, played)


@pytest.mark.parametrize("kind", ["fifo", "folder", "link"])
@pytest.mark.parametrize("name", ["run.json", JOURNAL, TRAJECTORIES, "episodes.csv"])
def test_every_command_refuses_what_is_not_a_file(name: str, kind: str, out: Path) -> None:
    path = out / name
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(out / "gone")
    sentence = f"{path} is a link to {out / 'gone'}, which is missing" if kind == "link" else f"{path} is not a file"
    before = sorted(each.name for each in out.iterdir())
    for repair in (False, True):
        with pytest.raises(ValueError, match=re.escape(sentence)):
            play(out, repair=repair)
    if kind == "link":
        assert len(gather([out]).rows) == EPISODES  # as if the file were missing
    else:
        with pytest.raises(ValueError, match=re.escape(sentence)):
            gather([out])
    assert sorted(each.name for each in out.iterdir()) == before


def test_a_missing_journal_is_refused_or_everything_is_played_again(played: Path, out: Path) -> None:
    (out / JOURNAL).unlink()
    before = contents(out)
    with pytest.raises(ValueError, match=r"journal\.jsonl is missing; put it back, or .*, or add --repair"):
        play(out)
    with pytest.raises(ValueError, match="holds another run"):
        run([RunTask("t", TASK)], ["random"], out, episodes=EPISODES, seed=5, workers=1, repair=True)
    assert contents(out) == before
    done = play(out, repair=True)
    assert done.played == EPISODES
    assert done.aside[0] == f"{out / JOURNAL} was missing: all episodes are played again"
    assert_whole(out, played)
    assert (out / f"{TRAJECTORIES}.damaged-1").read_bytes() == before[TRAJECTORIES]
    assert (out / "episodes.csv.damaged-1").read_bytes() == before["episodes.csv"]
    assert play(out).played == 0


def test_one_trajectory_without_a_journal_is_not_deleted(tmp_path: Path) -> None:
    play(tmp_path / "out", episodes=1)
    kept = (tmp_path / "out" / TRAJECTORIES).read_bytes()
    (tmp_path / "out" / JOURNAL).unlink()
    play(tmp_path / "out", episodes=1, repair=True)
    assert (tmp_path / "out" / f"{TRAJECTORIES}.damaged-1").read_bytes() == kept


def test_neither_journal_nor_settings_cannot_be_repaired(out: Path) -> None:
    (out / JOURNAL).unlink()
    (out / "run.json").write_text("{")
    before = contents(out)
    for repair in (False, True):
        with pytest.raises(ValueError, match=r"journal\.jsonl is missing, and run\.json cannot be read"):
            play(out, repair=repair)
    assert contents(out) == before


def test_a_repair_reports_that_it_wrote_settings(out: Path) -> None:
    (out / "run.json").unlink()
    assert play(out, repair=True).aside == (f"{out / 'run.json'} was missing and is written from this command",)


def test_lines_and_trajectories_are_counted_apart(out: Path) -> None:
    for number in (2, 3):
        change_line(number, lambda line: b"oops\n")(out)
    data = (out / TRAJECTORIES).read_bytes()
    end = json.loads((out / JOURNAL).read_text().splitlines()[4])["trajectories"]
    (out / TRAJECTORIES).write_bytes(data[: end - 60] + b"?" + data[end - 59 :])
    with pytest.raises(ValueError, match=r"\(2 of 12 lines are damaged, and 1 has no readable trajectory\)"):
        play(out)
    done = play(out, repair=True)
    assert done.aside[0] == (
        f"2 damaged lines and 1 line without a readable trajectory of {out / JOURNAL} set aside in {JOURNAL}.damaged-1"
    )


def test_too_many_episodes_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="episodes is 100,000,000; it must be from 1 to 1,000,000"):
        play(tmp_path / "out", episodes=100_000_000)
    many = [RunTask(f"t{number}", TASK) for number in range(6)]
    with pytest.raises(ValueError, match=r"the run would have 6,000,000 episodes; .* at most 5,000,000"):
        run(many, ["random"], tmp_path / "out", episodes=1_000_000, workers=1)
    assert not (tmp_path / "out").exists()


def damage(data: bytes, rng: random.Random) -> bytes:
    """Damage data at random, as disks, copies and editors do."""
    kind, place = rng.choice(["flip", "delete", "insert", "nul", "drop", "double"]), rng.randrange(len(data))
    some = rng.choice([1, 1, 5, 200])
    if kind == "flip":
        return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
    if kind == "delete":
        return data[:place] + data[place + some :]
    if kind == "insert":
        return data[:place] + rng.randbytes(some) + data[place:]
    if kind == "nul":
        return data[:place] + b"\0" * some + data[place + some :]
    lines = data.splitlines(keepends=True)
    line = rng.randrange(len(lines))
    return b"".join([*lines[:line], *[lines[line]] * (2 * (kind == "double")), *lines[line + 1 :]])


def row_in(line: bytes) -> Any:
    """Return the row of a line, whatever the spacing of its JSON; the line itself if it has none."""
    try:
        return json.loads(line)["row"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return line


@pytest.mark.parametrize(
    ("first", "times"), [(0, 60), pytest.param(1000, 3000, marks=pytest.mark.slow)], ids=["", "many"]
)
def test_whatever_happens_to_a_file_no_good_row_is_lost(first: int, times: int, played: Path, tmp_path: Path) -> None:
    whole = contents(played)
    rows_by_line = {line: json.loads(line)["row"] for line in whole[JOURNAL].splitlines(keepends=True)}
    chosen = {"run.json": 1, JOURNAL: 6, TRAJECTORIES: 2}
    for number in range(first, first + times):
        rng = random.Random(number)
        out = tmp_path / str(number) / "out"
        shutil.copytree(played, out)
        for _ in range(rng.choice([1, 1, 2, 5])):
            name = rng.choice([name for name, often in chosen.items() for _ in range(often)])
            (out / name).write_bytes(damage((out / name).read_bytes() or b"?", rng))
        before = contents(out)
        good = {
            rows_by_line[line]["repetition"]
            for line in before[JOURNAL].splitlines(keepends=True)
            if line in rows_by_line
        }
        readable = {int(name.rpartition("/")[2]) for name, _ in trajectories(out)}
        rows = gather([out]).rows
        assert {row.repetition for row in rows} >= good, number
        try:
            done = play(out)
        except ValueError as problem:
            assert "\n" not in str(problem)
            assert contents(out) == before, number
            try:
                done = play(out, repair=True)
            except ValueError as again:
                # A changed value of the settings cannot be distinguished from another run.
                assert "holds another run" in str(again) or "name another folder" in str(again), number
                assert contents(out) == before, number
                shutil.rmtree(out)
                continue
            aside = b"".join(data for name, data in contents(out).items() if ".damaged-" in name)
            rows_now = [row_in(line) for line in contents(out)[JOURNAL].splitlines()]
            lost = [line for line in before[JOURNAL].split(b"\n")[:-1] if row_in(line) not in rows_now]
            assert all(line in aside for line in lost if line + b"\n" not in rows_by_line), number
        assert done.played <= EPISODES - len(good & readable), number
        assert (out / "episodes.csv").read_bytes() == whole["episodes.csv"], number
        shutil.rmtree(out)


def test_the_command_refuses_and_repairs(out: Path, tmp_path: Path) -> None:
    task = tmp_path / "t.yml"
    task.write_text("arenas: [{time_limit: 4, items: [{name: Agent}, {name: GoodGoal}]}]")
    arguments = [
        "run",
        str(task),
        "--agent",
        "random",
        "-o",
        str(tmp_path / "mine"),
        "--episodes",
        "4",
        "--workers",
        "1",
    ]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    change_line(2, lambda line: b"{}\n")(tmp_path / "mine")
    refused = CliRunner().invoke(app, arguments)
    assert refused.exit_code == 1
    journal = tmp_path / "mine" / JOURNAL
    assert refused.stderr.startswith(f"error: {journal}, line 2: it lacks `trajectories`; put back a copy of the file")
    repaired = CliRunner().invoke(app, [*arguments, "--repair"])
    assert repaired.exit_code == 0
    assert f"warning: 1 damaged line of {journal} set aside in {JOURNAL}.damaged-1" in repaired.stderr
    assert "4 episodes (3 of them earlier)" in repaired.stderr


# --- reports


def test_an_edited_record_is_reported(out: Path, tmp_path: Path) -> None:
    (out / JOURNAL).unlink()  # with its checksums
    record = json.loads(next(text for _, text in trajectories(out)))
    cases = {
        "lacks 'rules'": {name: value for name, value in record.items() if name != "rules"},
        "'actions' is 7": record | {"actions": 7},
        "action 1 is '9'": record | {"actions": ["9"]},
        "there is no arena at position 4": record | {"arena": 4},
        "rules have no field": record | {"rules": {"tempo": 3}},
    }
    for sentence, changed in cases.items():
        path = tmp_path / "record.json"
        path.write_text(json.dumps(changed))
        done = CliRunner().invoke(app, ["replay", str(path)])
        assert done.exit_code == 1 and done.exception.__class__ is SystemExit, sentence
        assert sentence in done.stderr
        (out / TRAJECTORIES).write_bytes(pack_record("t/1/random/0", json.dumps(changed)))
        done = CliRunner().invoke(app, ["replay", f"{out}#t/1/random/0"])
        assert done.exit_code == 1 and sentence in done.stderr
