"""Behaviour cloning of Gandhi et al. (2021): the next action from the encoded state and a context of other trials.

Sizes as published. MLP context: 30 random pairs of embedding and action (100 when judging) through layers of 64 and
64 to 32 numbers, averaged. RNN context: up to 30 steps a trial through a bidirectional LSTM of two layers of 32; its
last step, averaged over the trials, gives 64 numbers. Policy: layers of 256, 128 and 256, dropout 0.2, two numbers
between -1 and 1: the mean displacement of the next ten frames divided by the speed. The published RNN reads its last
step even where that is padding; ours reads the last real one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from puzzlebox.intuitions.episodes.stimulus import Stimulus
from puzzlebox.intuitions.grid import FAMILIARISATION, TRIALS
from puzzlebox.intuitions.models.atc import EncoderSettings, StateEncoder
from puzzlebox.intuitions.models.films import Films, trials_of
from puzzlebox.intuitions.models.learner import Learner, Settings, held_by_film, mlp
from puzzlebox.intuitions.scoring.observer import Surprise


@dataclass(frozen=True)
class CloningSettings(Settings):
    """Settings of behaviour cloning.

    Attributes:
        steps: steps of the context: of all trials together (MLP) or of each (RNN).
        steps_when_judging: the same when films are judged.
        queries: states of the test trial a film and step, which share one context.
        dropout: the share of units left out in the policy.
    """

    batch: int = 256
    learning_rate: float = 5e-4
    epochs: int = 1000
    gradient_clip: float = 10.0
    steps: int = 30
    steps_when_judging: int = 100
    queries: int = 4
    dropout: float = 0.2


class Cloning(Learner):
    """What both kinds have in common: the frozen state encoder, the policy, the error of the action."""

    error_unit = "action MSE"
    settings_class = CloningSettings
    settings: CloningSettings
    needs_encoder = True
    averages = True
    context_size = 0

    def __init__(self, settings: CloningSettings, encoder: StateEncoder | None = None) -> None:
        super().__init__(settings)
        self.encoder = (encoder or StateEncoder(EncoderSettings())).requires_grad_(False)
        self.embedding = self.encoder.settings.embedding
        self.policy = mlp(self.embedding + self.context_size, 256, 128, 256, 2, dropout=settings.dropout)

    def context(self, films: Films, trials: Tensor, rng: torch.Generator | None, steps: int) -> Tensor:
        """Return the context of familiarisations, trials n x 8; without `rng`, random steps are alike for all films."""
        raise NotImplementedError

    def begin(self, films: Films) -> None:
        """Embed all frames once."""
        self.encoder.remember(films, beyond=0)

    def act(self, films: Films, trials: Tensor, frames: Tensor, context: Tensor) -> Tensor:
        """Return the squared error of the action in frames of trials, with the context of each."""
        states = self.encoder.embed(films, trials, frames)
        actions = torch.tanh(self.policy(torch.cat((states, context), 1)))
        return (actions - films.action(trials, frames)).square().mean(1)

    def loss(self, films: Films, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the mean squared error of actions at random frames of the test."""
        return self.errors(films, chosen, rng).mean()

    def errors(self, films: Films, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the mean squared error of the action of each film, at random frames of the test."""
        trials = trials_of(chosen)
        context = self.context(films, trials[:, :FAMILIARISATION], rng, self.settings.steps)
        queries = self.settings.queries
        test = trials[:, TRIALS - 1].repeat_interleave(queries)
        frames = random_frames(films, test, rng)
        return self.act(films, test, frames, context.repeat_interleave(queries, 0)).unflatten(0, (-1, queries)).mean(1)

    @torch.no_grad()
    def surprises(self, stimuli: Sequence[Stimulus]) -> list[Surprise]:
        """Return the squared error of the action in each frame of each film."""
        films = Films.of(stimuli).to(self.device)
        trials = trials_of(torch.arange(len(stimuli), device=self.device))
        context = self.context(films, trials[:, :FAMILIARISATION], None, self.settings.steps_when_judging)
        film, frames = frames_of_motion(films, trials[:, -1])
        errors = self.act(films, trials[film, -1], frames, context[film])
        return held_by_film(stimuli, film, frames, errors)


def frames_of_motion(films: Films, trials: Tensor) -> tuple[Tensor, Tensor]:
    """Return all frames of the motion of trials (n), and for each the number, from 0 to n - 1, of its trial."""
    first, last = films.motion(trials)
    counts = last - first + 1
    number = torch.repeat_interleave(counts)
    return number, first[number] + torch.arange(len(number), device=trials.device) - (counts.cumsum(0) - counts)[number]


def random_steps(films: Films, trials: Tensor, rng: torch.Generator | None, steps: int) -> tuple[Tensor, Tensor]:
    """Return random trials and frames of familiarisations (n x 8), some for each film; without `rng` alike for all."""
    count, device = len(trials), trials.device
    source = rng or torch.Generator(device).manual_seed(0)
    rows = count if rng is not None else 1
    draws = torch.randint(trials.shape[1], (rows, steps), generator=source, device=device).expand(count, -1)
    share = torch.rand((rows, steps), generator=source, device=device).expand(count, -1).flatten()
    flat = trials.gather(1, draws).flatten()
    first, last = films.motion(flat)
    return flat, first + (share * (last - first)).long()


def random_frames(films: Films, trials: Tensor, rng: torch.Generator) -> Tensor:
    """Return a random frame of the motion of each trial."""
    first, last = films.motion(trials)
    share = torch.rand(trials.shape, generator=rng, device=trials.device)
    return first + (share * (last - first)).long()


class CloningMLP(Cloning):
    """Behaviour cloning with a context of single steps."""

    name = "bc-mlp"
    context_size = 32

    def __init__(self, settings: CloningSettings, encoder: StateEncoder | None = None) -> None:
        super().__init__(settings, encoder)
        self.steps = mlp(self.embedding + 2, 64, 64, self.context_size)

    def context(self, films: Films, trials: Tensor, rng: torch.Generator | None, steps: int) -> Tensor:
        """Return the mean over random steps of all trials."""
        flat, frames = random_steps(films, trials, rng, steps)
        pairs = torch.cat((self.encoder.embed(films, flat, frames), films.action(flat, frames)), 1)
        described: Tensor = self.steps(pairs).unflatten(0, (len(trials), steps)).mean(1)
        return described


class CloningRNN(Cloning):
    """Behaviour cloning with a context of whole trials."""

    name = "bc-rnn"
    context_size = 64

    def __init__(self, settings: CloningSettings, encoder: StateEncoder | None = None) -> None:
        super().__init__(settings, encoder)
        self.lstm = nn.LSTM(self.embedding + 2, 32, num_layers=2, batch_first=True, bidirectional=True)

    def context(self, films: Films, trials: Tensor, rng: torch.Generator | None, steps: int) -> Tensor:
        """Return the mean over trials of the last step of the LSTM; up to 30 steps a trial, evenly spaced."""
        steps = self.settings.steps
        flat = trials.flatten()
        first, last = films.motion(flat)
        every = ((last - first) / steps).clamp(min=1.0)
        counts = ((last - first) / every).long().clamp(min=1, max=steps)
        number = torch.arange(int(counts.max()), device=flat.device)
        frames = torch.minimum(first[:, None] + (number * every[:, None]).long(), last[:, None])
        real = number < counts[:, None]
        row, column = real.nonzero(as_tuple=True)
        of_trial, at = flat[row], frames[row, column]
        pairs = torch.zeros(*frames.shape, self.embedding + 2, device=flat.device)
        pairs[row, column] = torch.cat((self.encoder.embed(films, of_trial, at), films.action(of_trial, at)), 1)
        packed = pack_padded_sequence(pairs, counts.cpu(), batch_first=True, enforce_sorted=False)
        _, (hidden, _) = self.lstm(packed)
        return hidden[-2:].transpose(0, 1).flatten(1).unflatten(0, trials.shape).mean(1)
