"""What the training loop asks of a model: how films become tensors, a loss, an error, and a surprise."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from puzzlebox.intuitions.episodes.stimulus import Stimulus
from puzzlebox.intuitions.grid import STILL_AFTER, STILL_BEFORE
from puzzlebox.intuitions.models.background import Split
from puzzlebox.intuitions.models.films import Films
from puzzlebox.intuitions.scoring.observer import Surprise


@dataclass(frozen=True)
class Settings:
    """Settings that every model has; each has more, and other defaults.

    Attributes:
        batch: films a step.
        learning_rate: the step size of Adam.
        epochs: passes through the films at most.
        gradient_clip: the largest norm of the gradient; 0 for no limit.
    """

    batch: int = 32
    learning_rate: float = 1e-4
    epochs: int = 10
    gradient_clip: float = 0.0


class Learner(nn.Module):
    """A model that is trained on background films and is surprised by others.

    Attributes:
        name: its name on the command line.
        error_unit: what the validation error is, for tables.
        settings_class: the class of its settings.
        needs_encoder: whether it needs a trained state encoder (`atc`).
        averages: whether its weights are averaged over steps, and the average is what is validated and used.
    """

    name: ClassVar[str] = ""
    error_unit: ClassVar[str] = ""
    settings_class: ClassVar[type[Settings]] = Settings
    needs_encoder: ClassVar[bool] = False
    averages: ClassVar[bool] = False

    def __init__(self, settings: Any) -> None:
        super().__init__()
        self.settings = settings

    @classmethod
    def prepare(cls, split: Split, settings: Any, workers: int = 1) -> Any:
        """Return films as this model reads them: an object with a length, `task` and `to(device)`."""
        del settings
        return Films.of_split(split, workers)

    def loss(self, films: Any, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the loss of some films, given by their numbers; `rng` is on the device of the films."""
        raise NotImplementedError

    def errors(self, films: Any, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the validation error of each of some films, like the published one; NaN where there is none."""
        raise NotImplementedError

    def check_steps(self, steps: int) -> None:
        """Raise a ValueError if this number of training steps leaves a part of the model untrained."""

    def begin(self, films: Any) -> None:
        """Compute once what training or validation needs of films again and again."""

    def after_step(self) -> None:
        """Do what the model does after each step, such as updating a target network."""

    def surprise(self, stimulus: Stimulus) -> Surprise:
        """Return the surprise in each frame of the test trial."""
        return self.surprises([stimulus])[0]

    def surprises(self, stimuli: Sequence[Stimulus]) -> list[Surprise]:
        """Return the surprise in each frame of the test trial of each film; a GPU judges many at a time."""
        return [self.surprise(each) for each in stimuli]

    @property
    def device(self) -> torch.device:
        """Return where the weights are."""
        return next(self.parameters()).device


def half_precision(device: torch.device) -> Any:
    """Return a context in which a GPU computes with 16-bit numbers; on a processor nothing changes."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


def held(frames: int, at: Sequence[int], values: Sequence[float]) -> np.ndarray[Any, Any]:
    """Return one surprise a frame from surprises at some frames, each held until the next.

    The still frames that published models leave out, 30 at the start and 83 at the end, are not judged: NaN.
    """
    surprise = np.full(frames, np.nan)
    for number, (frame, value) in enumerate(zip(at, values, strict=True)):
        until = at[number + 1] if number + 1 < len(at) else max(frames - STILL_AFTER, frame + 1)
        surprise[frame:until] = value
    surprise[:STILL_BEFORE] = np.nan
    return surprise


def held_by_film(stimuli: Sequence[Stimulus], film: Tensor, at: Tensor, values: Tensor) -> list[Surprise]:
    """Return the surprise of each film from values at some frames; `film` says whose they are, in ascending order."""
    counts = torch.bincount(film, minlength=len(stimuli)).tolist()
    parts = zip(stimuli, at.split(counts), values.split(counts), strict=True)
    return [Surprise(held(each.test.frames, frames.tolist(), found.tolist())) for each, frames, found in parts]


def mlp(*sizes: int, dropout: float = 0.0) -> nn.Sequential:
    """Return linear layers of some sizes with rectifiers between them."""
    layers: list[nn.Module] = []
    for number, (size, following) in enumerate(pairwise(sizes)):
        layers.append(nn.Linear(size, following))
        if number < len(sizes) - 2:
            layers += [nn.ReLU(), nn.Dropout(dropout)] if dropout else [nn.ReLU()]
    return nn.Sequential(*layers)
