"""The state encoder of Gandhi et al. (2021): augmented temporal contrast (Stooke et al. 2021) on single pictures.

Sizes as published: 84 x 84 pictures, four convolutions of 32 filters of 3 x 3 with strides 2, 2, 2, 1. The paper has
an embedding of 256 numbers, its code 128; we have the code's. The encoder learns to tell the picture of the
next frame from those of other frames and films. A target encoder follows it slowly; pictures are shifted at random, by
one pixel.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from puzzlebox.intuitions.grid import TRIALS
from puzzlebox.intuitions.models.films import Films
from puzzlebox.intuitions.models.learner import Learner, Settings, mlp
from puzzlebox.intuitions.models.painting import Painter
from puzzlebox.intuitions.scoring.observer import Surprise


@dataclass(frozen=True)
class EncoderSettings(Settings):
    """Settings of the state encoder.

    Attributes:
        size: pixels a side.
        filters: filters of each convolution.
        embedding: numbers that describe a picture.
        hidden: the width of the anchor's residual network.
        momentum: how much of the encoder goes into the target encoder a step.
        shift: pixels by which pictures are shifted at most.
        apart: frames between the two pictures of a pair.
        pairs: pairs of pictures of each film of a batch; 64 x 8 are the published 512 a step.
        trials: trials of a film that its pairs come from.
    """

    batch: int = 64
    learning_rate: float = 1e-4
    epochs: int = 8000
    size: int = 84
    filters: int = 32
    embedding: int = 128
    hidden: int = 256
    momentum: float = 0.01
    shift: int = 1
    apart: int = 1
    pairs: int = 8
    trials: int = 4


def convolutions(settings: EncoderSettings) -> nn.Sequential:
    """Return the encoder: from pictures to embeddings."""
    filters, side, layers, before = settings.filters, settings.size, [], 3
    for stride in (2, 2, 2, 1):
        layers += [nn.Conv2d(before, filters, 3, stride), nn.ReLU()]
        side, before = (side - 3) // stride + 1, filters
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(filters * side * side, settings.embedding))


class StateEncoder(Learner):
    """The contrastive encoder of single states."""

    name = "atc"
    error_unit = "contrastive loss in nats, 64 films a batch"
    settings_class = EncoderSettings
    settings: EncoderSettings

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__(settings)
        self.encoder, self.target = convolutions(settings), convolutions(settings).requires_grad_(False)
        self.target.load_state_dict(self.encoder.state_dict())
        self.anchor = mlp(settings.embedding, settings.hidden, settings.embedding)
        self.bilinear = nn.Linear(settings.embedding, settings.embedding, bias=False)
        self._painter: tuple[Films, Painter] | None = None
        self._remembered: list[tuple[Films, Tensor, Tensor]] = []

    def paint(self, films: Films, trials: Tensor, frames: Tensor) -> Tensor:
        """Return pictures of some frames."""
        if self._painter is None or self._painter[0] is not films:
            self._painter = films, Painter(films, self.settings.size)
        return self._painter[1].paint(films.states(trials, frames))

    @torch.no_grad()
    def remember(self, films: Films, beyond: int) -> None:
        """Embed all frames of the motion of films, and some beyond: a trained encoder need not see a frame twice.

        Films as many as the published ones take 5 GB.
        """
        first, last = films.motion(torch.arange(len(films.frames), device=films.device))
        counts = torch.minimum(last + beyond, films.frames - 1) - first + 1
        offset = counts.cumsum(0) - counts
        trials = torch.repeat_interleave(counts)
        frames = first[trials] + torch.arange(len(trials), device=films.device) - offset[trials]
        self._remembered.append((films, offset - first, self.embed(films, trials, frames)))

    @torch.no_grad()
    def embed(self, films: Films, trials: Tensor, frames: Tensor, most: int = 8192) -> Tensor:
        """Return the embeddings of some frames (n): those remembered, or painted and embedded some at a time."""
        for known, places, embeddings in self._remembered:
            if known is films:
                return embeddings[places[trials] + frames]
        parts = zip(trials.split(most), frames.split(most), strict=True)
        return torch.cat([self.encoder(self.paint(films, trial, frame)) for trial, frame in parts])

    def loss(self, films: Films, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the contrastive loss of some pairs of pictures of each film."""
        return self._contrast(films, chosen, rng).mean()

    def errors(self, films: Films, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the contrastive loss of each pair among the others of its batch."""
        return self._contrast(films, chosen, rng)

    def _contrast(self, films: Films, chosen: Tensor, rng: torch.Generator) -> Tensor:
        device, settings = films.device, self.settings
        of_film = min(settings.trials, settings.pairs)
        of_trial = settings.pairs // of_film
        order = torch.rand(len(chosen), TRIALS, generator=rng, device=device).argsort(1)[:, :of_film]
        # Walls tell films apart. Frames of one trial differ only in where the agent is; first frames of the trials of
        # one film, where it often stands at the same place, only in where the objects are. So all three are learned.
        trials = (chosen[:, None] * TRIALS + order).flatten().repeat_interleave(of_trial)
        share = torch.rand(len(trials), generator=rng, device=device)
        share[::of_trial] = 0.0
        first, last = films.motion(trials)
        frames = first + (share * (last - first + 1)).long()
        later = torch.minimum(frames + settings.apart, last)
        pictures = self.paint(films, trials.repeat(2), torch.cat((frames, later)))
        now, following = self._shifted(pictures, rng).chunk(2)
        anchors = self.encoder(now)
        with torch.no_grad():
            positives = self.target(following)
        predictions = anchors + self.anchor(anchors)
        logits = self.bilinear(predictions) @ positives.T
        return functional.cross_entropy(logits, torch.arange(len(trials), device=device), reduction="none")

    def _shifted(self, pictures: Tensor, rng: torch.Generator) -> Tensor:
        """Return pictures moved by up to `shift` pixels; their edges are repeated."""
        shift, size = self.settings.shift, self.settings.size
        wide = functional.pad(pictures, (shift,) * 4, mode="replicate")
        offsets = torch.randint(2 * shift + 1, (2, len(pictures)), generator=rng, device=pictures.device)
        along = torch.arange(size, device=pictures.device)
        number = torch.arange(len(pictures), device=pictures.device)[:, None, None]
        rows, columns = (offsets[each][:, None] + along for each in (0, 1))
        return wide.permute(0, 2, 3, 1)[number, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)

    @torch.no_grad()
    def after_step(self) -> None:
        """Let the target encoder follow."""
        for target, weight in zip(self.target.parameters(), self.encoder.parameters(), strict=True):
            target.lerp_(weight, self.settings.momentum)

    def surprise(self, stimulus: object) -> Surprise:
        """Refuse: an encoder expects nothing."""
        raise ValueError("atc is a state encoder for other models; it is surprised by nothing and cannot be scored")
