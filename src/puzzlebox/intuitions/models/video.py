"""The video model of Gandhi et al. (2021), after the ToMnet: it predicts the next frame from what it saw of the agent.

Sizes as published: 64 x 64 pictures, every tenth frame. Each frame of the familiarisation goes through a residual CNN
of four blocks (two 3 x 3 convolutions each, 16 maps) and a 1 x 1 convolution to one map; a bidirectional LSTM reads a
trial, and its last output is a character of 16 numbers, averaged over the eight trials. The character is laid under
the current frame as 16 more channels, and a U-Net predicts the next one. The widths of the U-Net are not published;
these are ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence

from puzzlebox.intuitions.episodes.stimulus import Stimulus
from puzzlebox.intuitions.grid import FAMILIARISATION, TRIALS
from puzzlebox.intuitions.models.background import Split
from puzzlebox.intuitions.models.films import Films, trials_of
from puzzlebox.intuitions.models.learner import Learner, Settings, half_precision, held_by_film
from puzzlebox.intuitions.models.narrow import NarrowConv
from puzzlebox.intuitions.models.painted import PaintedFilms
from puzzlebox.intuitions.models.painting import Painter
from puzzlebox.intuitions.scoring.observer import Surprise

FLAT = "flat"


@dataclass(frozen=True)
class VideoSettings(Settings):
    """Settings of the video model.

    Attributes:
        view: `flat`, or `three-d`: the painter of the pictures.
        size: pixels a side.
        every: frames from one picture to the next.
        maps: maps of the residual CNN.
        character: numbers that describe an agent.
        width: maps of the first level of the U-Net; each level below has twice as many.
        trials: trials of the familiarisation that a step of training reads, drawn at random; judging reads all.
    """

    batch: int = 16
    learning_rate: float = 1e-4
    epochs: int = 11
    view: str = "flat"
    size: int = 64
    every: int = 10
    maps: int = 16
    character: int = 16
    width: int = 32
    trials: int = FAMILIARISATION


class Residual(nn.Module):
    """Two convolutions, and what went in added to what comes out."""

    def __init__(self, maps: int) -> None:
        super().__init__()
        self.one, self.two = (NarrowConv(maps, maps) for _ in range(2))

    def forward(self, maps: Tensor) -> Tensor:
        """Return maps of the same size."""
        return functional.relu(maps + self.two(functional.relu(self.one(maps))))


class UNet(nn.Module):
    """Four levels, each half as large as the one above, with what each level saw passed across."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        widths = [width, 2 * width, 4 * width, 8 * width]
        self.down = nn.ModuleList(self._level(*each) for each in zip([channels, *widths[:-1]], widths, strict=True))
        self.up = nn.ModuleList(
            self._level(lower + upper, upper) for lower, upper in zip(widths[:0:-1], widths[-2::-1], strict=True)
        )
        self.last = nn.Conv2d(width, 3, 1)

    @staticmethod
    def _level(before: int, after: int) -> nn.Sequential:
        first, second = nn.Conv2d(before, after, 3, padding=1), nn.Conv2d(after, after, 3, padding=1)
        return nn.Sequential(first, nn.ReLU(), second, nn.ReLU())

    def forward(self, maps: Tensor) -> Tensor:
        """Return a picture for each stack of maps."""
        seen = []
        for level, convolutions in enumerate(self.down):
            maps = convolutions(functional.max_pool2d(maps, 2) if level else maps)
            seen.append(maps)
        for convolutions, above in zip(self.up, seen[-2::-1], strict=True):
            maps = convolutions(torch.cat((functional.interpolate(maps, scale_factor=2.0), above), 1))
        # Sixteen bits would round the picture by more than a good prediction is wrong.
        with torch.autocast(maps.device.type, enabled=False):
            picture: Tensor = self.last(maps.float())
        return picture


def sampled(films: Films | PaintedFilms, trials: Tensor, every: int) -> tuple[Tensor, Tensor]:
    """Return every so many frames of the motion of trials (n), padded by the last, and how many each has."""
    first, last = films.motion(trials)
    counts = (last - first) // every + 1
    steps = torch.arange(int(counts.max()), device=trials.device) * every
    return torch.minimum(first[:, None] + steps, (first + (counts - 1) * every)[:, None]), counts


class VideoModel(Learner):
    """The video model."""

    name = "video"
    error_unit = "pixel MSE"
    settings_class = VideoSettings
    settings: VideoSettings
    averages = True

    def __init__(self, settings: VideoSettings) -> None:
        super().__init__(settings)
        maps = settings.maps
        blocks = [Residual(maps) for _ in range(4)]
        self.cnn = nn.Sequential(NarrowConv(3, maps), nn.ReLU(), *blocks, nn.Conv2d(maps, 1, 1), nn.Flatten())
        self.lstm = nn.LSTM(settings.size**2, settings.character // 2, batch_first=True, bidirectional=True)
        self.unet = UNet(3 + settings.character, settings.width)
        for convolutions in (self.cnn, self.unet):
            convolutions.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._painter: tuple[Films, Painter] | None = None
        self._painted: list[PaintedFilms] = []

    @classmethod
    def prepare(cls, split: Split, settings: Any, workers: int = 1) -> Films | PaintedFilms:
        """Return films to be painted flat on the device, or pictures in three dimensions."""
        if settings.view == FLAT:
            return Films.of_split(split, workers)
        return PaintedFilms.of_split(split, settings.view, settings.size, settings.every, workers)

    def begin(self, films: Films | PaintedFilms) -> None:
        """Paint all pictures once if a GPU has room for them."""
        if isinstance(films, Films) and films.device.type == "cuda":
            self._painted.append(PaintedFilms.flat(films, self.settings.size, self.settings.every))

    def _paint(self, films: Films | PaintedFilms, trials: Tensor, frames: Tensor) -> Tensor:
        if isinstance(films, PaintedFilms):
            return films.paint(trials, frames)
        for painted in self._painted:
            if painted.films is films:
                return painted.paint(trials, frames)
        if self._painter is None or self._painter[0] is not films:
            self._painter = films, Painter(films, self.settings.size)
        return self._painter[1].paint(films.states(trials, frames))

    def character(self, films: Films | PaintedFilms, trials: Tensor) -> Tensor:
        """Return the characters of agents from their familiarisation, trials n x 8."""
        flat = trials.flatten()
        frames, counts = sampled(films, flat, self.settings.every)
        row, column = (torch.arange(frames.shape[1], device=flat.device) < counts[:, None]).nonzero(as_tuple=True)
        features = torch.zeros(*frames.shape, self.settings.size**2, device=flat.device)
        with half_precision(flat.device):
            seen = self.cnn(self._paint(films, flat[row], frames[row, column]))
        features[row, column] = seen.float()
        packed = pack_padded_sequence(features, counts.cpu(), batch_first=True, enforce_sorted=False)
        _, (hidden, _) = self.lstm(packed)
        return hidden.transpose(0, 1).flatten(1).unflatten(0, trials.shape).mean(1)

    def predict(
        self, films: Films | PaintedFilms, trials: Tensor, familiar: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return for films (trials n x 9) predicted and actual next pictures of the test, their film and frame.

        `familiar` are the trials that were seen before. Default: the first eight. The next picture of the last one is
        beyond the motion: agents beside their goal move for less than ten frames.
        """
        character = self.character(films, trials[:, :FAMILIARISATION] if familiar is None else familiar)
        test = trials[:, TRIALS - 1]
        frames, counts = sampled(films, test, self.settings.every)
        film, step = (torch.arange(frames.shape[1], device=test.device) < counts[:, None]).nonzero(as_tuple=True)
        now = frames[film, step]
        following = now + self.settings.every
        current, actual = (self._paint(films, test[film], each) for each in (now, following))
        tiles = character[film][:, :, None, None].expand(-1, -1, *current.shape[2:])
        with half_precision(test.device):
            predicted = self.unet(torch.cat((current, tiles), 1))
        return predicted, actual, film, now

    def loss(self, films: Films | PaintedFilms, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the mean squared error of pixels."""
        trials, some = trials_of(chosen), min(self.settings.trials, FAMILIARISATION)
        order = torch.rand(len(chosen), FAMILIARISATION, generator=rng, device=chosen.device).argsort(1)
        predicted, actual, _, _ = self.predict(films, trials, trials.gather(1, order[:, :some]))
        return functional.mse_loss(predicted, actual)

    def errors(self, films: Films | PaintedFilms, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the mean squared error of pixels of each film."""
        predicted, actual, film, _ = self.predict(films, trials_of(chosen))
        errors = (predicted - actual).square().mean((1, 2, 3))
        sums = torch.zeros(len(chosen), device=errors.device).index_add(0, film, errors)
        return sums / torch.bincount(film, minlength=len(chosen))

    @torch.no_grad()
    def surprises(self, stimuli: Sequence[Stimulus]) -> list[Surprise]:
        """Return the error of the next picture in each frame of each film."""
        predicted, actual, film, now = self._watch(stimuli)
        return held_by_film(stimuli, film, now, (predicted - actual).square().mean((1, 2, 3)))

    @torch.no_grad()
    def predicted(self, stimulus: Stimulus) -> tuple[list[int], Any, Any]:
        """Return the frames of the test that were predicted, and the predicted and actual pictures as bytes."""
        predicted, actual, _, now = self._watch([stimulus])
        last = stimulus.test.frames - 1
        frames = [min(frame + self.settings.every, last) for frame in now.tolist()]
        return frames, _bytes_of(predicted), _bytes_of(actual)

    def _watch(self, stimuli: Sequence[Stimulus]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the predicted and actual next pictures of the tests, their film, and the frame before."""
        view = self.settings
        if view.view == FLAT:
            films: Films | PaintedFilms = Films.of(stimuli).to(self.device)
        else:
            films = PaintedFilms.of_films(stimuli, view.view, view.size, view.every).to(self.device)
        return self.predict(films, trials_of(torch.arange(len(stimuli), device=self.device)))


def _bytes_of(pictures: Tensor) -> Any:
    """Return pictures (n x 3 x size x size, values from 0 to 1) as n x size x size x 3 bytes."""
    return (pictures.clamp(0, 1) * 255).round().byte().permute(0, 2, 3, 1).cpu().numpy()
