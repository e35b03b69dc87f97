"""`puzzlebox infant show TASK`: films, pictures and sound of an episode."""

import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from puzzlebox.cli.app import app
from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.infant.sound.rate import FRAME, SAMPLE_RATE

SMALL = ("--size", "640x360")


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, ["infant", "show", *map(str, arguments)])


def samples_of(path: Path) -> Any:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getframerate()) == (2, SAMPLE_RATE)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2).T / 32768


def test_a_film_has_a_picture_for_each_step_and_the_sound_of_both_ears(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    film, sound = tmp_path / "kick.mp4", tmp_path / "kick.wav"
    result = run("kick-the-ball", "-o", film, "--wav", sound, "--seconds", 0.4, "--size", "641x361")
    assert result.exit_code == 0, result.output
    with av.open(str(film)) as container:
        assert container.streams.video[0].average_rate == 15
        pictures = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    with av.open(str(film)) as container:
        assert container.streams.audio[0].rate == SAMPLE_RATE
        heard = np.concatenate([frame.to_ndarray() for frame in container.decode(audio=0)], axis=1)
    assert len(pictures) == 7 and pictures[0].shape == (360, 640, 3)  # the beginning and six steps
    assert 0 <= heard.shape[1] - 7 * FRAME < 2048  # the last frame of AAC is filled up
    # The sound is that of the ears, each on its side, and not late.
    own = samples_of(sound)
    assert own.shape == (2, 7 * FRAME)
    for ear in (0, 1):
        assert np.corrcoef(heard[ear, : own.shape[1]], own[ear])[0, 1] > 0.9
    assert not list(tmp_path.glob("*.part"))


def test_the_wav_file_has_the_samples_of_the_ears(tmp_path: Path) -> None:
    assert run("kick-the-ball", "--wav", tmp_path / "a.wav", "--seconds", 0.4, "--seed", 3).exit_code == 0
    env = InfantEnv("kick-the-ball", script=True)
    observation, info = env.reset(seed=3)
    frames = [observation["ears"]]
    for _ in range(6):
        observation, *_, info = env.step(info["script"])
        frames.append(observation["ears"])
    assert np.array_equal(samples_of(tmp_path / "a.wav"), np.concatenate(frames, axis=1))


def test_a_picture_shows_the_last_moment_and_is_the_same_each_time(tmp_path: Path) -> None:
    names = [tmp_path / f"{number}.png" for number in range(3)]
    for name, seconds in zip(names, (0.2, 0.2, 0.3), strict=True):
        result = run("grab-object", "-o", name, "--agent", "random", "--seconds", seconds, *SMALL)
        assert result.exit_code == 0, result.output
    first, again, later = (name.read_bytes() for name in names)
    assert first[16:24] == (640).to_bytes(4, "big") + (360).to_bytes(4, "big")
    assert first == again != later


def test_a_gif_has_every_second_picture(tmp_path: Path) -> None:
    from PIL import Image

    assert run("multi-agent-nav", "-o", tmp_path / "a.gif", "--seconds", 0.2, *SMALL).exit_code == 0
    with Image.open(tmp_path / "a.gif") as film:
        assert film.size == (640, 360) and getattr(film, "n_frames", 1) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("grab-objekt", "-o", "f.mp4"), "there is no infant task 'grab-objekt'"),
        (("grab-objekt", "-o", "f.mp4"), "did you mean `grab-object`?"),
        (("grab-object",), "there is no file to write"),
        (("grab-object", "-o", "f.avi"), "f.avi is not a film or a picture"),
        (("grab-object", "--wav", "f.mp3"), "f.mp3 is not a sound file; its name must end in .wav"),
        (("grab-object", "-o", "f.mp4", "--pose", "sit"), "--pose is for the child alone"),
        (("grab-object", "-o", "f.mp4", "--size", "200x100"), "200x100 is too small"),
        (("grab-object", "-o", "f.mp4", "--size", "700"), "700x700 has no room for all senses"),
        (("grab-object", "-o", "f.mp4", "--age", "30"), "the age is 30.0"),
        (("grab-object", "-o", "f.mp4", "--seed", "-1"), "the seed is -1"),
        (("grab-object", "-o", "f.mp4", "--agent", "rando"), "did you mean `random`?"),
        (("grab-object", "--wav", "nowhere/f.wav", "--seconds", "0"), "nowhere/f.wav cannot be written"),
        (("-o", "f.mp4"), "f.mp4 is a film, which shows an episode"),
        (("-o", "f.png", "--agent", "random"), "--agent is for an episode"),
        ((), "there is no file to write"),
    ],
)
def test_what_does_not_fit_is_said(
    arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code != 0
    assert words in " ".join(result.output.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("module", "words"), [("av", "MP4 needs PyAV"), ("mujoco", "the infant needs MuJoCo")])
def test_a_missing_extra_is_named(module: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    result = run("kick-the-ball", "-o", tmp_path / "f.mp4", "--seconds", 0, *SMALL)
    assert result.exit_code == 1 and words in result.output
    assert "puzzlebox[" in result.output and not list(tmp_path.iterdir())


def test_a_file_of_another_kind_is_kept(tmp_path: Path) -> None:
    mine = tmp_path / "notes.mp4"
    mine.write_text("these are my notes")
    result = run("kick-the-ball", "-o", mine)
    assert result.exit_code == 1 and "is already there" in result.output
    assert mine.read_text() == "these are my notes"
