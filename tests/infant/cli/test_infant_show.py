"""`puzzlebox infant show`."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from puzzlebox.cli.app import app


def run(*arguments: str) -> object:
    return CliRunner().invoke(app, ["infant", "show", *arguments])


def test_it_writes_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "child.png"
    result = run(
        "-o", str(picture), "--size", "48x32", "--age", "6", "--pose", "lie", "--view", "top", "--seconds", "0.1"
    )
    assert result.exit_code == 0, result.output
    data = picture.read_bytes()
    assert data[:4] == b"\x89PNG" and data[16:24] == (48).to_bytes(4, "big") + (32).to_bytes(4, "big")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "child.jpg"), "child.jpg is not a picture"),
        (("-o", "c.png", "--age", "30"), "the age is 30.0; it must be a number of months from 0 to 24"),
        (("-o", "c.png", "--pose", "fly"), "fly"),
    ],
)
def test_what_it_cannot_do_is_said(arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code != 0
    assert words in " ".join(result.output.split())
