"""The graph model of Bortoletto, Shi and Bulling (2024), IRENE: entities as nodes, a transformer over a trial.

Sizes as published: nodes have one-hot type and shape, a position from -1 to 1 and a colour from 0 to 1; edges of
fourteen relations (adjacent in eight directions, remote in four, aligned, adjacent); two GraphSAGE layers a relation
of 96; a transformer of 6 layers, 4 heads and 512 hidden units, whose CTX token describes a trial; the mean over eight
trials; layers of 256, 128 and 256 to the next place of the agent. Nodes are the entities, and each inner cell with a
wall or a piece of barrier. Frames of a trial are every tenth one, as in the other models; how nodes are pooled is not
published: we take the largest value of each feature.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from puzzlebox.intuitions.episodes.casting import BARRIER_COLOR, ORIENTATIONS, WALL_COLOR
from puzzlebox.intuitions.episodes.stimulus import Stimulus
from puzzlebox.intuitions.grid import CELL, CELLS, FAMILIARISATION, SIZE, TRIALS
from puzzlebox.intuitions.models.films import AGENT, SLOTS, Films, trials_of
from puzzlebox.intuitions.models.learner import Learner, Settings, held_by_film, mlp
from puzzlebox.intuitions.models.video import sampled
from puzzlebox.intuitions.pictures.shapes import AGENTS, OBJECTS
from puzzlebox.intuitions.scoring.observer import Surprise

# Types: the six entities (both objects are one type), wall, barrier.
_TYPES = 8
_SHAPES = (
    "square",
    *OBJECTS,
    *AGENTS,
    *(f"{kind}{turn}" for kind in ("triangle", "triangle_slot") for turn in ORIENTATIONS),
)
_RELATIONS = 14
_INNER = CELLS - 2
NODES = SLOTS + _INNER * _INNER
_FEATURES = _TYPES + len(_SHAPES) + 1 + 2 + 3


@dataclass(frozen=True)
class GraphSettings(Settings):
    """Settings of the graph model.

    Attributes:
        hidden: features of a node.
        layers: layers of the transformer.
        heads: heads of the transformer.
        feed_forward: hidden units of its layers.
        every: frames from one graph to the next.
        ahead: frames until the place that is predicted.
    """

    batch: int = 32
    learning_rate: float = 5e-4
    epochs: int = 32
    hidden: int = 96
    layers: int = 6
    heads: int = 4
    feed_forward: int = 512
    every: int = 10
    ahead: int = 10


class Graphs(NamedTuple):
    """Graphs of n frames: features (n x nodes x f), which nodes are there, edges (n x 14 x nodes x nodes)."""

    features: Tensor
    there: Tensor
    edges: Tensor


class GraphModel(Learner):
    """The graph model."""

    name = "graph"
    error_unit = "MSE of the next place, from -1 to 1"
    settings_class = GraphSettings
    settings: GraphSettings
    averages = True

    def __init__(self, settings: GraphSettings) -> None:
        super().__init__(settings)
        hidden = settings.hidden
        sizes = ((_FEATURES, hidden), (hidden, hidden))
        self.own = nn.ModuleList(nn.Linear(before, after) for before, after in sizes)
        self.neighbours = nn.ModuleList(nn.Linear(_RELATIONS * before, after, bias=False) for before, after in sizes)
        self.ctx = nn.Parameter(torch.randn(hidden) * 0.02)
        self.order = nn.Parameter(torch.randn(64, hidden) * 0.02)
        layer = nn.TransformerEncoderLayer(hidden, settings.heads, settings.feed_forward, dropout=0.0, batch_first=True)
        self.transformer = nn.TransformerEncoder(layer, settings.layers, enable_nested_tensor=False)
        self.head = mlp(2 * hidden, 256, 128, 256, 2)
        self._shapes: tuple[Films, Tensor, Tensor] | None = None

    def graphs(self, films: Films, trials: Tensor, frames: Tensor) -> Graphs:
        """Return the graphs of some frames (n)."""
        shapes, colors = self._looks(films)
        states = films.states(trials, frames)
        count, device = len(trials), films.device
        looks = states.looks.clamp(min=0)
        kinds = torch.tensor([0, 1, 1, 2, 3, 4], device=device).expand(count, -1)
        sides = torch.tensor([2 * half for _, half, _ in films.table], device=device)[looks]
        places = states.corners.float() + sides[..., None] / 2
        walls = states.walls[:, 1:-1, 1:-1].flatten(1)
        barrier = (
            states.barrier.unflatten(1, (CELLS, 2)).unflatten(3, (CELLS, 2)).all(4).all(2)[:, 1:-1, 1:-1].flatten(1)
        )
        row, column = torch.meshgrid(*[torch.arange(_INNER, device=device)] * 2, indexing="ij")
        cells = (torch.stack((column.flatten(), row.flatten()), 1) + 1.5) * CELL
        cell_kinds = torch.where(barrier, 7, 6)
        green, black = (torch.tensor(color, device=device) / 255 for color in (BARRIER_COLOR, WALL_COLOR))
        features = torch.cat(
            (
                functional.one_hot(torch.cat((kinds, cell_kinds), 1), _TYPES).float(),
                functional.one_hot(
                    torch.cat((shapes[looks], torch.zeros_like(cell_kinds)), 1), len(_SHAPES) + 1
                ).float(),
                torch.cat((places, cells.expand(count, -1, -1)), 1) / (SIZE / 2) - 1,
                torch.cat((colors[looks], torch.where(barrier[..., None], green, black)), 1),
            ),
            2,
        )
        there = torch.cat((states.present, walls | barrier), 1)
        positions = torch.cat((places, cells.expand(count, -1, -1)), 1)
        # Most cells are empty: only as many nodes are kept as the fullest frame has.
        kept = there.byte().argsort(dim=1, descending=True, stable=True)[:, : int(there.sum(1).max())]
        there = there.gather(1, kept)
        features, positions = (
            each.gather(1, kept[..., None].expand(-1, -1, each.shape[2])) for each in (features, positions)
        )
        return Graphs(features * there[..., None], there, _edges(positions, there))

    def _looks(self, films: Films) -> tuple[Tensor, Tensor]:
        if self._shapes is None or self._shapes[0] is not films:
            numbers = {shape: number for number, shape in enumerate(_SHAPES)}
            shapes = torch.tensor(
                [numbers.get(shape, len(_SHAPES)) for shape, _, _ in films.table], device=films.device
            )
            colors = torch.tensor([color for _, _, color in films.table], device=films.device) / 255
            self._shapes = films, shapes, colors
        return self._shapes[1], self._shapes[2]

    def embed(self, films: Films, trials: Tensor, frames: Tensor, most: int = 4096) -> Tensor:
        """Return the embeddings of some frames (n), some at a time."""
        parts = zip(trials.split(most), frames.split(most), strict=True)
        return torch.cat([self._embed(self.graphs(films, trial, frame)) for trial, frame in parts])

    def _embed(self, graphs: Graphs) -> Tensor:
        nodes = graphs.features
        means = graphs.edges / graphs.edges.sum(-1, keepdim=True).clamp(min=1)
        for own, neighbours in zip(self.own, self.neighbours, strict=True):
            gathered = (means @ nodes[:, None]).transpose(1, 2).flatten(2)
            nodes = functional.relu(own(nodes) + neighbours(gathered)) * graphs.there[..., None]
        return nodes.amax(1)

    def context(self, films: Films, trials: Tensor) -> Tensor:
        """Return the mean of the CTX tokens of familiarisations, trials n x 8."""
        flat = trials.flatten()
        frames, counts = sampled(films, flat, self.settings.every)
        frames = frames[:, : len(self.order)]
        real = torch.arange(frames.shape[1], device=flat.device) < counts[:, None]
        row, column = real.nonzero(as_tuple=True)
        tokens = torch.zeros(*frames.shape, self.settings.hidden, device=flat.device)
        tokens[row, column] = self.embed(films, flat[row], frames[row, column])
        tokens = torch.cat((self.ctx.expand(len(flat), 1, -1), tokens + self.order[: frames.shape[1]]), 1)
        padding = torch.cat((torch.zeros_like(real[:, :1]), ~real), 1)
        read = self.transformer(tokens, src_key_padding_mask=padding)[:, 0]
        return read.unflatten(0, trials.shape).mean(1)

    def predict(self, films: Films, trials: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return for films (trials n x 9) the squared errors of places in the test, their film, and their frame."""
        context = self.context(films, trials[:, :FAMILIARISATION])
        test = trials[:, TRIALS - 1]
        frames, counts = sampled(films, test, self.settings.every)
        film, step = (torch.arange(frames.shape[1], device=test.device) < counts[:, None]).nonzero(as_tuple=True)
        now = frames[film, step]
        later = torch.minimum(now + self.settings.ahead, films.frames[test[film]] - 1)
        scale = SIZE / 2
        here, there = (films.agent(test[film], each).float() / scale for each in (now, later))
        # The network predicts how far the place moves, which a place from -1 to 1 follows from.
        moved = self.head(torch.cat((self.embed(films, test[film], now), context[film]), 1))
        return (here + moved - there).square().mean(1), film, now

    def loss(self, films: Films, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the mean squared error of the next place."""
        return self.predict(films, trials_of(chosen))[0].mean()

    def errors(self, films: Films, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the mean squared error of the next place of each film."""
        errors, film, _ = self.predict(films, trials_of(chosen))
        sums = torch.zeros(len(chosen), device=errors.device).index_add(0, film, errors)
        return sums / torch.bincount(film, minlength=len(chosen))

    @torch.no_grad()
    def surprises(self, stimuli: Sequence[Stimulus]) -> list[Surprise]:
        """Return the squared error of the next place in each frame of each film."""
        films = Films.of(stimuli).to(self.device)
        errors, film, now = self.predict(films, trials_of(torch.arange(len(stimuli), device=self.device)))
        return held_by_film(stimuli, film, now, errors)


def _edges(places: Tensor, there: Tensor) -> Tensor:
    """Return the edges of each relation between nodes at some places (n x nodes x 2)."""
    step = (places[:, None] - places[:, :, None]) / CELL
    right, up = step[..., 0], step[..., 1]
    near = (right.abs() <= 1.5) & (up.abs() <= 1.5)
    beside_x, beside_y = right.abs() <= 0.5, up.abs() <= 0.5
    relations = [
        near & (beside_x if dx == 0 else right * dx > 0.5) & (beside_y if dy == 0 else up * dy > 0.5)
        for dx, dy in ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
    ]
    relations += [each & ~near for each in (right > 0.5, right < -0.5, up > 0.5, up < -0.5)]
    relations += [beside_x | beside_y, near]
    both = there[:, None] & there[:, :, None]
    itself = torch.eye(places.shape[1], dtype=torch.bool, device=places.device)
    return (torch.stack(relations, 1) & (both & ~itself)[:, None]).float()


assert AGENT < SLOTS
