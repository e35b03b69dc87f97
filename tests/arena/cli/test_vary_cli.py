"""Templates on the command line, in folders, and as a source of episodes."""

import csv
import json
import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import puzzlebox
from puzzlebox.arena.cli.check import check
from puzzlebox.arena.cli.show import show
from puzzlebox.arena.cli.vary import vary
from puzzlebox.arena.schema import read
from puzzlebox.arena.variations import Template
from puzzlebox.arena.variations.folder import FolderError, write_folder

TEMPLATE = """metadata: {title: A wall}
vary:
  wall_x: {range: [6, 34, 4]}
  height: {named: {low: 1, high: 3}}
  colour: [red, blue]
require: wall_x != 18 or colour == red
splits: {train: 0.75, test: 0.25}
arenas:
  - time_limit: 250
    items:
      - {name: Agent, at: [20, 0, 5], rotation: 0}
      - {name: Wall, at: [$wall_x, 0, 20], rotation: 0, size: [4, $height, 1], color: $colour}
      - {name: GoodGoal, at: [20, 0, 30], size: 1}
"""
app = typer.Typer()
for verb in (vary, check, show):
    app.command()(verb)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "wall.yml"
    path.write_text(TEMPLATE)
    return path


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def rows_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "manifest.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_vary_counts_and_lists_variations(file: Path) -> None:
    assert run("vary", file, "--count").stdout == "30\n"
    assert run("vary", file, "--count", "--split", "test").stdout == "8\n"
    listed = run("vary", file, "--list").stdout.splitlines()
    assert listed[0] == "file,index,labels,wall_x,height,colour" and len(listed) == 31
    assert listed[2] == "00001_low.yaml,1,low,6,1,blue"
    assert run("vary", file).stdout.startswith("30\t8#wall_x x 2#height x 2#colour")


def test_bundled_templates_are_listed() -> None:
    output = run("vary").stdout
    assert "object-permanence" in output and "basic-control/push" in output


def test_written_files_pass_the_check(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    result = run("vary", file, "-o", folder)
    assert result.exit_code == 0 and "wrote 30 tasks" in result.stderr
    rows = rows_of(folder)
    files = sorted(folder.glob("*.yaml"))
    assert [row["file"] for row in rows] == [path.name for path in files]
    for row, path in zip(rows, files, strict=True):
        reading = read(path.read_bytes())
        assert reading.task is not None and not reading.findings
        wall = reading.task.arenas[0].items[1]
        assert wall.at is not None and wall.size is not None
        assert (wall.at[0], wall.size[1]) == (float(row["wall_x"]), float(row["height"]))
        assert row["labels"] == {"1": "low", "3": "high"}[row["height"]]
    assert run("check", *files).exit_code == 0


def test_writing_goes_on_where_it_was_interrupted(file: Path, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    run("vary", file, "-o", whole)
    template = Template(file)

    def interrupted(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    request = {"sample": None, "head": None, "split": None, "sample_seed": 0}
    with pytest.raises(KeyboardInterrupt):
        write_folder(template, broken, range(30), 30, request, progress=interrupted)
    # As after a loss of power: half a row, and fewer files than rows.
    text = (broken / "manifest.csv").read_text().splitlines(keepends=True)
    (broken / "manifest.csv").write_text("".join(text[:12]) + text[12][:5])
    for path in sorted(broken.glob("*.yaml"))[15:]:
        path.unlink()
    result = run("vary", file, "-o", broken)
    assert "wrote 19 tasks" in result.stderr and "11 were there" in result.stderr
    assert {p.name: p.read_bytes() for p in whole.iterdir() if p.name != "variations.json"} == {
        p.name: p.read_bytes() for p in broken.iterdir() if p.name != "variations.json"
    }
    assert json.loads((broken / "variations.json").read_text())["text"] == TEMPLATE


def test_a_folder_of_something_else_is_left_alone(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    run("vary", file, "-o", folder)
    result = run("vary", file, "--sample", 5, "-o", folder)
    assert result.exit_code == 1 and "holds variations of another sample" in result.stderr
    with pytest.raises(FolderError, match="is not empty"):
        write_folder(Template(file), tmp_path, range(1), 1, {})


def test_samples_are_different_and_seeded(file: Path, tmp_path: Path) -> None:
    first = run("vary", file, "--list", "--sample", 30, "--seed", 4).stdout
    assert first == run("vary", file, "--list", "--sample", 30, "--seed", 4).stdout
    assert first != run("vary", file, "--list", "--sample", 30, "--seed", 5).stdout
    assert sorted(row.split(",")[1] for row in first.splitlines()[1:]) == sorted(map(str, range(30)))
    result = run("vary", file, "--list", "--sample", 31)
    assert result.exit_code == 1 and "31 variations were asked for" in result.stderr
    run("vary", file, "--head", 3, "-o", tmp_path / "three")
    assert len(list((tmp_path / "three").glob("*.yaml"))) == 3


def test_a_billion_at_once_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.yml"
    path.write_text("vary: {x: {range: [1, 1000000000]}, y: [1, 2]}\narenas: [{time_limit: $x, pass_mark: $y}]\n")
    assert run("vary", path, "--count").stdout == "2000000000\n"
    for words in (["--list"], ["-o", tmp_path / "out"]):
        result = run("vary", path, *words)
        assert result.exit_code == 1
        assert "2,000,000,000 variations are too many at once; the most is 10,000,000" in result.stderr
    assert len(run("vary", path, "--list", "--sample", 3).stdout.splitlines()) == 4


@pytest.mark.parametrize("option", ["--count", "--list"])
def test_every_condition_is_tried(option: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.yml"
    condition = "!ProcIf {value: arenas.0.passMark, cases: [0], then: [10]}"
    path.write_text(f"!ArenaConfig\narenas:\n  0: !Arena\n    timeLimit: {condition}\n    passMark: !ProcList [0, 1]\n")
    result = run("vary", path, option)
    assert result.exit_code == 1 and result.stdout == ""
    assert f"{path}:4:16: error: no case of this !ProcIf matches arenas.0.passMark = 1" in result.stderr


def test_a_bad_combination_is_named(file: Path, tmp_path: Path) -> None:
    file.write_text(TEMPLATE.replace("[6, 34, 4]", "[-2, 34, 4]"))
    result = run("vary", file, "-o", tmp_path / "out")
    assert result.exit_code == 1 and "variation 0" in result.stderr and "wall_x = -2" in result.stderr
    result = run("check", file)
    assert result.exit_code == 1 and "wall_x = -2" in result.stdout
    file.write_text(TEMPLATE.replace("$wall_x, 0, 20]", "$wall_x, 0, 30]"))
    result = run("vary", file, "-o", tmp_path / "doubtful")
    assert result.exit_code == 0 and "cannot be placed" in result.stderr and "wall_x = 18" in result.stderr
    assert run("vary", file, "--strict", "-o", tmp_path / "strict").exit_code == 1


def test_check_recognises_templates(file: Path) -> None:
    result = run("check", file)
    assert result.exit_code == 0 and "template" in result.stdout
    file.write_text(TEMPLATE.replace("$height", "$heigth"))
    result = run("check", file)
    assert result.exit_code == 1 and "did you mean `height`?" in result.stdout and "^" in result.stdout


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("vary: {a: [1]}\nlet: {x: p[0]+1}\n", "2:11: error: this is not valid YAML: a `,` or `}` is missing"),
        ("vary:\n  x: &a [*a, 1]\n", "2:10: error: the alias `*a` contains itself"),
        ("vary: {a\u2028b: [1]}\n", "2:2: error: this is not valid YAML"),
        ("vary: {x: &a [1, 2]}\narenas:" + "\n- [*a, *a, *a, *a]" * 10_000, "more than 100000 values"),
    ],
)
def test_check_says_why_a_template_is_no_yaml(text: str, expected_text: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.yml"
    path.write_text(text)
    sentence = run("vary", path, "--count").stderr.strip()
    assert expected_text in sentence
    result = run("check", path)
    assert result.exit_code == 1 and sentence in result.stdout


def test_check_names_the_file_of_a_family(tmp_path: Path) -> None:
    family, member = tmp_path / "family.yml", tmp_path / "member.yml"
    family.write_text("metadata: {title: All}\ntemplates: {a: member.yml}\n")
    member.write_text("vary: {x: [1]}\narenas: [{time_limit: $y}]\n")
    sentence = run("vary", family, "--count").stderr.strip()
    assert sentence.startswith(f"{member}:2:23: error: ")
    result = run("check", family)
    assert result.exit_code == 1
    assert f"{sentence}\n    2 | arenas: [{{time_limit: $y}}]\n      |                       ^^\n" in result.stdout
    (report,) = json.loads(run("check", "--json", family).stdout)
    assert report["file"] == str(family) and report["findings"][0]["file"] == str(member)
    (report,) = json.loads(run("check", "--json", member).stdout)
    assert "file" not in report["findings"][0]


def test_show_writes_a_contact_sheet_of_samples(file: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.png"
    result = run("show", file, "--samples", 4, "--size", "120x80", "-o", sheet)
    assert result.exit_code == 0 and sheet.read_bytes().startswith(b"\x89PNG")
    assert result.stderr.count("variation") == 4
    assert run("show", "examples/food", "--samples", 4, "-o", sheet).exit_code == 1


# --- as a source of episodes


def test_each_episode_is_a_fresh_variation(file: Path) -> None:
    env = puzzlebox.make(file, camera=None)
    variations = []
    for episode in range(12):
        _, info = env.reset(seed=3 if episode == 0 else None)
        wall = env.world.arena.items[1]
        assert wall.at is not None and wall.at[0] == info["variation"]["wall_x"]
        assert env.step(0)[4]["variation"] == info["variation"]
        variations.append(info["variation"])
    assert len({tuple(each.items()) for each in variations}) > 6
    again = puzzlebox.make(TEMPLATE, camera=None)
    assert [again.reset(seed=3 if i == 0 else None)[1]["variation"] for i in range(12)] == variations
    assert "variation" not in puzzlebox.make("examples/food", camera=None).reset()[1]


def test_environments_of_templates_can_be_copied(file: Path) -> None:
    env = puzzlebox.make(file, camera=None)
    _, info = env.reset(seed=1)
    twins = [deepcopy(env), pickle.loads(pickle.dumps(env))]
    snapshot = env.snapshot()
    _, upcoming = env.reset()
    for twin in twins:
        assert twin.info()["variation"] == info["variation"]
        assert twin.reset()[1]["variation"] == upcoming["variation"]
    assert env.restore(snapshot)[1]["variation"] == info["variation"]


@pytest.mark.parametrize("workers", [1, 2])
def test_environments_of_a_vector_draw_variations_by_their_own_seeds(file: Path, workers: int) -> None:
    envs = puzzlebox.make_vec(file, num_envs=3, workers=workers, camera=None, autoreset="same_step")
    try:
        _, infos = envs.reset(seed=5)
        alone = [puzzlebox.make(file, camera=None).reset(seed=5 + i)[1]["variation"] for i in range(3)]
        assert list(infos["variation"]) == alone
        infos = envs.step(envs.action_space.sample() * 0)[4]
        assert list(infos["variation"]) == alone
        _, infos = envs.reset(options={"task": "examples/food"})
        assert list(infos["variation"]) == [None, None, None]
    finally:
        envs.close()


def test_all_arenas_of_a_variation_are_played() -> None:
    text = "vary: {x: {range: [1, 1000]}}\narenas:\n  - {time_limit: $x}\n  - {time_limit: $x + 1}\n"
    env = puzzlebox.make(text, camera=None)
    output = [env.reset(seed=2 if i == 0 else None)[1] for i in range(4)]
    assert [info["arena"] for info in output] == [0, 1, 0, 1]
    first, second, third, fourth = (info["variation"]["x"] for info in output)
    assert first == second and third == fourth and first != third


def test_templates_for_several_agents_are_played_in_parallel() -> None:
    pytest.importorskip("pettingzoo")
    text = "vary: {x: [10, 20]}\narenas:\n  - items: [{name: Agent, at: [$x, 0, 5]}, {name: Agent, at: [30, 0, 5]}]\n"
    env = puzzlebox.make_parallel(text, camera=None)
    _, infos = env.reset(seed=1)
    assert infos["agent_0"]["variation"]["x"] in (10, 20)
    with pytest.raises(ValueError, match="make_parallel"):
        puzzlebox.make(text)
