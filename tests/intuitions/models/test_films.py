from dataclasses import fields

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from puzzlebox.intuitions.episodes import make_pair  # noqa: E402
from puzzlebox.intuitions.models import films as films_module  # noqa: E402
from puzzlebox.intuitions.models.background import background  # noqa: E402
from puzzlebox.intuitions.models.films import AGENT, KEY, LOCK, Films, trials_of  # noqa: E402
from puzzlebox.intuitions.models.painted import PaintedFilms  # noqa: E402
from puzzlebox.intuitions.models.painting import Painter  # noqa: E402
from puzzlebox.intuitions.models.video import sampled  # noqa: E402
from puzzlebox.intuitions.pictures.flat import FlatPainter  # noqa: E402

TASKS = ("background/instrumental_action", "background/preference", "multi_agent")


@pytest.fixture(scope="module")
def stimuli():
    return [make_pair(task, 2).expected for task in TASKS]


@pytest.fixture(scope="module")
def films(stimuli):
    return Films.of(stimuli, range(3))


def test_states_are_those_of_the_trials(stimuli, films):
    for number, stimulus in enumerate(stimuli):
        trial = stimulus.trials[4]
        row = int(trials_of(torch.tensor(number))[4])
        frames = torch.arange(trial.frames)
        states = films.states(torch.full_like(frames, row), frames)
        assert np.array_equal(states.corners[:, AGENT].numpy(), trial.agent.corners)
        if trial.key is not None:
            assert np.array_equal(states.corners[: trial.key.until, KEY].numpy(), trial.key.corners[: trial.key.until])
            assert int(states.present[:, LOCK].sum()) == trial.lock.until
        assert states.present[:, AGENT].all()


def test_pictures_are_those_of_the_flat_painter(stimuli, films):
    for number, stimulus in enumerate(stimuli):
        for size in (64, 84):
            painter, flat = Painter(films, size), FlatPainter(size)
            trial = stimulus.trials[3]
            frames = torch.arange(0, trial.frames, 7)
            row = int(trials_of(torch.tensor(number))[3])
            painted = painter.paint(films.states(torch.full_like(frames, row), frames))
            images = (painted.permute(0, 2, 3, 1).numpy() * 255).round()
            for frame, image in zip(frames.tolist(), images, strict=True):
                away = np.abs(image - flat.frame(trial, frame).astype(float))
                assert away.mean() < 0.3
                # Where two things share a side within a pixel, the order of painting matters.
                assert (away > 12).mean() < 0.01


def test_actions_are_mean_displacements(stimuli, films):
    trial = stimuli[2].trials[0]
    row = torch.tensor([18])
    action = films.action(row, torch.tensor([32]))
    expected = (trial.agent.corners[42] - trial.agent.corners[32]) / 20
    assert np.allclose(action[0].numpy(), expected)
    assert not films.action(row, torch.tensor([trial.frames - 5])).any()


def test_films_packed_in_pieces_are_those_packed_at_once(tmp_path, monkeypatch):
    split, _ = background(1e-5, 0, tmp_path)
    whole = Films.of(split.films(), split.tasks())
    monkeypatch.setattr(films_module, "_FILMS_A_PIECE", 3)
    joined = Films.of_split(split)
    assert joined.table == whole.table
    for name in (each.name for each in fields(whole) if each.name != "table"):
        assert torch.equal(getattr(joined, name), getattr(whole, name)), name


def test_flat_pictures_kept_are_those_painted_anew(films):
    painted, painter = PaintedFilms.flat(films, 32, 10), Painter(films, 32)
    trials = torch.arange(0, len(films.frames), 5)
    frames, _ = sampled(films, trials, 10)
    for at in (*frames.T, frames[:, -1] + 10):
        anew = painter.paint(films.states(trials, at))
        assert torch.allclose(painted.paint(trials, at), anew, atol=0.5 / 255 + 1e-6)
