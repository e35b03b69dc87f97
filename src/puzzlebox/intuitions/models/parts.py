"""Our learned model: it predicts which thing, by which means and how efficiently, and keeps these surprises apart.

Each part is a small network, trained on background films:

- *affordance* (`ways`): where agents can be, from walls and barrier around a place. Shortest ways follow from it.
- *access*: whether an agent goes straight to what it wants, from how much longer its way is made by what is between.
- *means*: what it goes to if it cannot go straight, key or lock, from whether it carries the key.
- *preference*: which object it wants, from what agents chose before, and whether it was the same agent.
- *efficiency*: how wasteful its way will be, from how wasteful ways of the same agent were before.

Background films show neither two agents with two objects nor any wasteful agent. What the model knows of those comes
from how films are recomposed for training (`Settings`), and is knowledge that we bring in: that agents choose
independently of each other, and that an agent may be wasteful and then stays so. Identities are only ever compared,
within one film, so that new shapes are no different from familiar ones.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from puzzlebox.intuitions.episodes.stimulus import Stimulus, Trial
from puzzlebox.intuitions.grid import FAMILIARISATION, TRIALS
from puzzlebox.intuitions.models.background import Part, Split
from puzzlebox.intuitions.models.learner import Learner, Settings, mlp
from puzzlebox.intuitions.models.leg_table import (
    KEY,
    LOCK,
    OBJECTS,
    THINGS,
    LegRow,
    LegTable,
    moving_legs,
    rows_of,
)
from puzzlebox.intuitions.models.legs import Leg, travelled
from puzzlebox.intuitions.models.ways import Affordance, distance_fields, lengths_at
from puzzlebox.intuitions.parallel import in_parallel
from puzzlebox.intuitions.scoring.observer import Surprise

# Waste is a logarithm; it is blurred by this much, so that none is exactly 0.
_LEAST_WASTE = 0.005
# A way is not wasteful if it is longer by no more than this, in pixels: nodes lie every ten pixels.
_ROUNDING = 5.0
# The table of means has few numbers, which are to learn as quickly as the networks.
_MEANS_SCALE = 5.0
# Films that a process reads at a time.
_FILMS_A_PIECE = 100
# Legs a step from which the affordance learns, and fields computed at a time.
_AFFORDANCE_LEGS = 256
_CHUNK = 4096


@dataclass(frozen=True)
class PartsSettings(Settings):
    """Settings of the model.

    Attributes:
        hidden: the width of the networks.
        affordance_steps: steps in which only the affordance is trained; then ways are computed once.
        other_agents: the share of training films whose context is mixed with trials of an agent of another film.
        wasteful_agents: the share of training films whose agent is made wasteful.
        most_waste: the largest mean waste of such an agent.
        usual: the probability of a motion at least as wasteful as this is no surprise.
        slip: the probability that an agent wants, or goes to, anything for no known reason.
    """

    batch: int = 256
    learning_rate: float = 1e-3
    epochs: int = 60
    gradient_clip: float = 10.0
    hidden: int = 64
    affordance_steps: int = 400
    other_agents: float = 0.5
    wasteful_agents: float = 0.5
    most_waste: float = 1.0
    usual: float = 0.05
    slip: float = 0.01


class Ways(NamedTuple):
    """What follows from shortest ways, for each leg.

    Attributes:
        waste: L, the logarithm of the ratio of the agent's way to the shortest way to what it reached; 0 or more.
        added: L x 4, how much longer the way to each thing is than a straight line, in units of 100 pixels.
    """

    waste: Tensor
    added: Tensor


class Context(NamedTuple):
    """What was seen before: n films with m legs each.

    Attributes:
        same: n x m, whether it was the same agent as now.
        chose: n x m x 2, whether it went to the object of this name now.
        spurned: n x m x 2, whether it could have gone there and went to the other.
        waste: n x m.
        there: n x m, whether there is such a leg at all.
    """

    same: Tensor
    chose: Tensor
    spurned: Tensor
    waste: Tensor
    there: Tensor


class Parts(Learner):
    """The learned model."""

    name = "parts"
    error_unit = "bits to predict what the agent goes to"
    settings_class = PartsSettings
    settings: PartsSettings
    steps: Tensor

    def __init__(self, settings: PartsSettings) -> None:
        super().__init__(settings)
        hidden = settings.hidden
        self.affordance = Affordance()
        self.access = mlp(1, 16, 1)
        self.means = nn.Parameter(torch.zeros(2, 2))
        self.preference_leg, self.preference = mlp(3, hidden, hidden), mlp(hidden, hidden, 1)
        self.efficiency_leg, self.efficiency = mlp(1, hidden, hidden), mlp(hidden, hidden, 2)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))
        self._ways: dict[int, Ways] = {}

    @classmethod
    def prepare(cls, split: Split, settings: Any, workers: int = 1) -> LegTable:
        """Return the legs of films, read in several processes."""
        del settings
        pieces = [piece for part in split.parts for piece in part.cut(_FILMS_A_PIECE)]
        found = dict(in_parallel(_rows_in, pieces, workers if len(pieces) > 4 * workers else 1))
        return LegTable.join([rows for piece in pieces for rows in found[piece]], split.tasks())

    # --- training

    def loss(self, films: LegTable, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the loss of the affordance in the first steps, then that of all other parts."""
        if int(self.steps) < self.settings.affordance_steps:
            return self._affordance_loss(films, _legs_of(films, chosen), rng)
        target, waste = self._losses(films, chosen, rng, recompose=True)
        return target.nanmean() + waste.nanmean()

    def check_steps(self, steps: int) -> None:
        """Raise a ValueError if only the affordance would be trained."""
        first = self.settings.affordance_steps
        if steps <= first:
            raise ValueError(
                f"training has {steps} steps, and the first {first} train the affordance only; "
                "set more epochs, a smaller batch or fewer affordance_steps"
            )

    def after_step(self) -> None:
        """Count steps; when the affordance is trained, it stays as it is."""
        self.steps += 1
        if int(self.steps) == self.settings.affordance_steps:
            self._ways.clear()

    def errors(self, films: LegTable, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return how many bits it takes to predict what the agent goes to first, with eight trials before."""
        if int(self.steps) < self.settings.affordance_steps:
            return torch.full((len(chosen),), torch.nan)
        return self._losses(films, chosen, rng, recompose=False)[0] / np.log(2)

    def _affordance_loss(self, films: LegTable, legs: Tensor, rng: torch.Generator) -> Tensor:
        legs = legs[torch.randperm(len(legs), generator=rng, device=legs.device)[:_AFFORDANCE_LEGS]]
        odds = self.affordance(films.walls[legs], films.barrier[legs])
        return functional.binary_cross_entropy_with_logits(odds, films.visited[legs].float())

    def ways(self, films: LegTable) -> Ways:
        """Return what follows from shortest ways for each leg of a table; it is computed once."""
        if id(films) not in self._ways:
            with torch.no_grad():
                parts = [self._ways_of(films, legs) for legs in torch.arange(len(films.film)).split(_CHUNK // THINGS)]
            self._ways[id(films)] = Ways(*(torch.cat(each) for each in zip(*parts, strict=True)))
        return self._ways[id(films)]

    def _ways_of(self, films: LegTable, legs: Tensor) -> Ways:
        legs = legs.to(films.device)
        costs = self.affordance.costs(films.walls[legs], films.barrier[legs])
        leg, thing = films.present[legs].nonzero(as_tuple=True)
        goals = films.places[legs][leg, thing]
        ends = torch.stack((films.start[legs], films.end[legs]), 1)[leg]
        lengths = lengths_at(distance_fields(costs[leg], goals), costs[leg], ends)
        first, last = torch.zeros(2, len(legs), THINGS, device=legs.device)
        first[leg, thing], last[leg, thing] = lengths[:, 0], lengths[:, 1]
        straight = (films.places[legs] - films.start[legs][:, None]).norm(dim=-1)
        added = torch.where(films.present[legs], (first - straight).clamp(min=0) / 100, 0.0)
        target = films.target[legs].clamp(min=0)[:, None]
        way, rest = first.gather(1, target)[:, 0], last.gather(1, target)[:, 0]
        waste = waste_of(films.length[legs], rest, way)
        return Ways(torch.where(films.target[legs] >= 0, waste, 0.0), added)

    def _losses(self, films: LegTable, chosen: Tensor, rng: torch.Generator, recompose: bool) -> tuple[Tensor, Tensor]:
        """Return the losses of target and waste for one leg of each film; NaN where a film has no such leg.

        The leg is the first of its trial, or one with the key in hand; the other trials, or some of them, come before.
        """
        count, device = len(chosen), films.device
        ways = self.ways(films)
        span = torch.arange(int((films.offset[chosen + 1] - films.offset[chosen]).max()), device=device)
        legs = films.offset[chosen][:, None] + span
        there = legs < films.offset[chosen + 1][:, None]
        legs = torch.where(there, legs, films.offset[chosen][:, None])
        usable = there & (films.target[legs] >= 0)
        if not recompose:
            usable &= (films.trial[legs] == TRIALS - 1) & ~films.carrying[legs]
        draw = torch.rand(usable.shape, generator=rng, device=device)
        query = (draw + usable).argmax(1)
        now = legs.gather(1, query[:, None])[:, 0]
        before = there & (films.trial[legs] != films.trial[now][:, None]) & (films.target[legs] >= 0)
        if recompose:
            # An observer may have seen few trials or none.
            keep = torch.rand(count, 1, generator=rng, device=device) * 1.4 - 0.2
            kept = torch.rand((count, TRIALS), generator=rng, device=device) < keep
            before &= kept.gather(1, films.trial[legs])
        context = _context(films, ways, legs, now, before)
        waste = ways.waste[now]
        if recompose:
            context, waste = self._recomposed(context, waste, rng)
        target = self._target_loss(films, ways, now, context)
        if recompose:
            target = target + self._access_loss(films, ways, now)
        spread = self._spread(context)
        missing = ~usable.any(1)
        return torch.where(missing, torch.nan, target), torch.where(missing, torch.nan, _lomax_loss(waste, *spread))

    def _recomposed(self, context: Context, waste: Tensor, rng: torch.Generator) -> tuple[Context, Tensor]:
        """Return contexts with trials of other agents, and of agents that are wasteful."""
        count, most = context.same.shape
        device = waste.device

        def random(*shape: int) -> Tensor:
            return torch.rand(shape, generator=rng, device=device)

        # A wasteful agent: each of its ways is longer by a random amount, whose mean is its own.
        mean = torch.where(
            random(count) < self.settings.wasteful_agents, self.settings.most_waste * random(count) ** 2, 0.0
        )
        more = -torch.log(random(count, most).clamp(min=1e-6)) * mean[:, None]
        wasted = context._replace(waste=context.waste + torch.where(context.same, more, 0.0))
        waste = waste - torch.log(random(count).clamp(min=1e-6)) * mean
        # Another agent: the context of the next film, whose objects are given the names of ours in either order.
        mixed = random(count) < self.settings.other_agents
        swap = random(count) < 0.5
        other = Context(*(each.roll(1, 0) for each in wasted))
        chose, spurned = (torch.where(swap[:, None, None], each.flip(2), each) for each in (other.chose, other.spurned))
        there = other.there & mixed[:, None]
        joined = Context(
            torch.cat((wasted.same, torch.zeros_like(other.same)), 1),
            torch.cat((wasted.chose, chose), 1),
            torch.cat((wasted.spurned, spurned), 1),
            torch.cat((wasted.waste, other.waste), 1),
            torch.cat((wasted.there, there), 1),
        )
        return joined, waste

    def _target_loss(self, films: LegTable, ways: Ways, now: Tensor, context: Context) -> Tensor:
        shares = self.target_shares(films.present[now], ways.added[now], films.carrying[now], context)
        return -torch.log(shares.gather(1, films.target[now].clamp(min=0)[:, None])[:, 0].clamp(min=1e-6))

    def _access_loss(self, films: LegTable, ways: Ways, now: Tensor) -> Tensor:
        """Return how badly it is predicted whether an agent goes straight to the only or the chosen object."""
        target = films.target[now]
        straight = (target >= 0) & (target < OBJECTS)
        alone = films.present[now, :OBJECTS].sum(1) == 1
        wanted = torch.where(straight, target, films.present[now, :OBJECTS].int().argmax(1)).clamp(min=0)
        odds = self.access(ways.added[now].gather(1, wanted[:, None]))[:, 0]
        loss = functional.binary_cross_entropy_with_logits(odds, straight.float(), reduction="none")
        return torch.where(straight | alone, loss, 0.0)

    # --- predictions

    def target_shares(self, present: Tensor, added: Tensor, carrying: Tensor, context: Context) -> Tensor:
        """Return the probability that an agent goes to each thing, n x 4.

        What is wanted and cannot be reached makes the agent go to the means, if there are any; else it does not count.
        """
        inputs = torch.stack(
            (context.same[..., None].expand_as(context.chose), context.chose, context.spurned), -1
        ).float()
        legs = self.preference_leg(inputs) * context.there[..., None, None]
        wanted = self.preference(legs.sum(1))[..., 0].masked_fill(~present[:, :OBJECTS], -1e4).softmax(1)
        wanted = self._with_slips(wanted, present[:, :OBJECTS])
        direct = torch.sigmoid(self.access(added[:, :OBJECTS, None])[..., 0])
        means = (_MEANS_SCALE * self.means[carrying.long()]).masked_fill(~present[:, KEY:], -1e4).softmax(1)
        possible = present[:, KEY:].any(1, keepdim=True).float()
        shares = torch.cat((wanted * direct, (wanted * (1 - direct)).sum(1, keepdim=True) * means * possible), 1)
        shares = shares * present
        shares = shares / shares.sum(1, keepdim=True).clamp(min=1e-6)
        return self._with_slips(shares, present)

    def _with_slips(self, shares: Tensor, present: Tensor) -> Tensor:
        """Return probabilities of things, none of which is nearly impossible: an agent can always change its mind."""
        anything = present.float() / present.sum(1, keepdim=True).clamp(min=1)
        return (1 - self.settings.slip) * shares + self.settings.slip * anything

    def _spread(self, context: Context) -> tuple[Tensor, Tensor]:
        """Return shape and scale of the Lomax distribution of the waste to come, from ways of the same agent only."""
        there = context.there & context.same
        legs = self.efficiency_leg(context.waste.clamp(max=3.0)[..., None]) * there[..., None]
        count = there.sum(1, keepdim=True)
        raw = self.efficiency(legs.sum(1) / (1.0 + count) * FAMILIARISATION)
        return 1.0 + functional.softplus(raw[:, 0]), 0.01 + functional.softplus(raw[:, 1] - 3.0)

    # --- surprise

    @torch.no_grad()
    def surprise(self, stimulus: Stimulus) -> Surprise:
        """Return the surprise in each frame of the test trial; parts: `target` and `efficiency`."""
        test = stimulus.test
        table = LegTable.of([stimulus]).to(self.device)
        ways = self._ways_of(table, torch.arange(len(table.film)))
        rows = (table.trial == TRIALS - 1).nonzero()[:, 0].tolist()
        total, efficiency = np.zeros(test.frames), np.zeros(test.frames)
        for row, leg in zip(rows, moving_legs(test), strict=True):
            here, wasted = self._leg(test, leg, table, ways, row)
            # Legs add up; what comes after the last frame of a leg, such as waiting for the barrier, adds nothing.
            for values, added in ((total, here), (efficiency, wasted)):
                values[leg.first : leg.last + 1] += added
                values[leg.last + 1 :] += added[-1]
        return Surprise(total, {"target": total - efficiency, "efficiency": efficiency})

    def _leg(self, test: Trial, leg: Leg, table: LegTable, ways: Ways, row: int) -> tuple[Any, Any]:
        """Return the surprise in each frame of a leg of the test, and what the best explanation leaves of it."""
        now = torch.tensor([row], device=self.device)
        before = (table.trial < TRIALS - 1).nonzero()[:, 0][None]
        context = _context(table, ways, before, now, table.target[before] >= 0)
        shares = self.target_shares(table.present[now], ways.added[now], table.carrying[now], context)[0]
        names = table.present[row].nonzero()[:, 0]
        count = len(names)
        if not count:
            return np.zeros(leg.last - leg.first + 1), np.zeros(leg.last - leg.first + 1)
        costs = self.affordance.costs(table.walls[now], table.barrier[now]).expand(count, -1, -1)
        places = torch.from_numpy(test.agent.centres[leg.first : leg.last + 1].astype(np.float32)).to(self.device)
        fields = distance_fields(costs, table.places[row, names])
        lengths = lengths_at(fields, costs, places.expand(count, -1, -1))
        length, waits = (torch.from_numpy(each).float().to(self.device) for each in travelled(leg, test))
        # Waiting is waste, but not at the thing that the agent went to.
        spent = length + torch.where((names == table.target[row])[:, None], 0.0, waits)
        waste = waste_of(spent, lengths, lengths[:, :1])
        shape, scale = self._spread(context)
        # How likely is a motion at least so wasteful? What happens every day is no surprise.
        tails = (-shape * torch.log1p(waste / scale) - np.log(self.settings.usual)).clamp(max=0.0)
        surprise = -torch.logsumexp(torch.log(shares[names])[:, None] + tails, 0)
        return surprise.double().cpu().numpy(), -tails.amax(0).double().cpu().numpy()


def _rows_in(piece: Part) -> list[list[LegRow]]:
    return [rows_of(film) for film in piece.films()]


def _legs_of(films: LegTable, chosen: Tensor) -> Tensor:
    wanted = torch.zeros(len(films), dtype=torch.bool, device=films.device)
    wanted[chosen] = True
    return wanted[films.film].nonzero()[:, 0]


def waste_of(length: Tensor, rest: Tensor, shortest: Tensor) -> Tensor:
    """Return the logarithm of (way so far + shortest rest) / shortest way; 0 if the difference is the grid's."""
    shortest = shortest.clamp(min=2 * _ROUNDING)
    return torch.log((length + rest - _ROUNDING).clamp(min=1.0) / shortest).clamp(min=0.0)


def _lomax_loss(waste: Tensor, shape: Tensor, scale: Tensor) -> Tensor:
    """Return minus the logarithm of the density of a waste."""
    waste = waste + _LEAST_WASTE
    return -torch.log(shape / scale) + (shape + 1) * torch.log1p(waste / scale)


def _context(films: LegTable, ways: Ways, legs: Tensor, now: Tensor, before: Tensor) -> Context:
    """Return what was seen before a leg (n), of other legs (n x m) of which some count."""
    target = films.target[legs]
    went_to = films.looks[legs].gather(2, target.clamp(min=0)[..., None])[..., 0]
    to_object = (target >= 0) & (target < OBJECTS)
    names = films.looks[now][:, None, :OBJECTS]
    chose = to_object[..., None] & (went_to[..., None] == names) & (names >= 0)
    options = films.looks[legs][:, :, :OBJECTS]
    offered = (options[..., None, :] == names[..., None]).any(-1) & (names >= 0)
    return Context(
        films.agent[legs] == films.agent[now][:, None],
        chose,
        offered & to_object[..., None] & ~chose,
        ways.waste[legs],
        before,
    )


assert LOCK == KEY + 1 == THINGS - 1
