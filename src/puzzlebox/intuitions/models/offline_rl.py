"""Offline reinforcement learning of Gandhi et al. (2021), after Siegel et al. (2020): keep doing what worked.

Sizes as published: a context network over (state, action, next state, reward); a value, a policy and a prior of
layers of 256, 128 and 256; Gaussians over the two numbers of an action; a target value replaced every 200 steps;
discount 0.995. The prior imitates those actions that were better than the policy (behaviour modelling); the policy
weighs samples of the prior by their value (MPO). The reward is minus the distance to the goal in pixels within 20
pixels, and -100 elsewhere. The temperature of MPO is not published; ours is fitted to a divergence of 0.1 nats.
Surprise: minus the log-likelihood.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Independent, Normal
from torch.nn import functional

from puzzlebox.intuitions.episodes.stimulus import Stimulus
from puzzlebox.intuitions.grid import AGENT_HALF, FAMILIARISATION, OBJECT_HALF, TRIALS
from puzzlebox.intuitions.models.atc import EncoderSettings, StateEncoder
from puzzlebox.intuitions.models.cloning import frames_of_motion, random_frames, random_steps
from puzzlebox.intuitions.models.films import AGENT, OBJECT, OTHER, Films, trials_of
from puzzlebox.intuitions.models.learner import Learner, Settings, held_by_film, mlp
from puzzlebox.intuitions.scoring.observer import Surprise

_NEAR, _FAR_REWARD = 20.0, -100.0
# Rewards are divided by this, so that values are numbers a network can give.
_REWARD_SCALE = 100.0
_AHEAD = 10


@dataclass(frozen=True)
class OfflineSettings(Settings):
    """Settings of offline reinforcement learning.

    Attributes:
        steps: steps of the context.
        steps_when_judging: the same when films are judged.
        queries: states of the test trial a film and step.
        discount: the weight of a reward one step later.
        target_every: steps after which the target value is replaced.
        samples: actions of the prior that MPO weighs.
        divergence: how far, in nats, the policy may be from the prior.
        context: numbers that describe an agent.
    """

    batch: int = 256
    learning_rate: float = 5e-4
    epochs: int = 1000
    gradient_clip: float = 10.0
    steps: int = 30
    steps_when_judging: int = 100
    queries: int = 4
    discount: float = 0.995
    target_every: int = 200
    samples: int = 20
    divergence: float = 0.1
    context: int = 32


class OfflineRL(Learner):
    """Behaviour modelling with MPO."""

    name = "offline-rl"
    error_unit = "action MSE"
    settings_class = OfflineSettings
    settings: OfflineSettings
    needs_encoder = True
    steps: Tensor

    def __init__(self, settings: OfflineSettings, encoder: StateEncoder | None = None) -> None:
        super().__init__(settings)
        self.encoder = (encoder or StateEncoder(EncoderSettings())).requires_grad_(False)
        state = self.encoder.settings.embedding
        self.steps_net = mlp(2 * state + 3, 64, 64, settings.context)
        self.value, self.target = (mlp(state + settings.context + 2, 256, 128, 256, 1) for _ in range(2))
        self.target.load_state_dict(self.value.state_dict())
        self.target.requires_grad_(False)
        self.policy, self.prior = (mlp(state + settings.context, 256, 128, 256, 4) for _ in range(2))
        self.log_temperature = nn.Parameter(torch.zeros(()))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def begin(self, films: Films) -> None:
        """Embed all frames once."""
        self.encoder.remember(films, beyond=_AHEAD)

    def context(self, films: Films, trials: Tensor, rng: torch.Generator | None, steps: int) -> Tensor:
        """Return the mean over random steps of the familiarisation, trials n x 8; without `rng` alike for all films."""
        flat, frames = random_steps(films, trials, rng, steps)
        following = torch.minimum(frames + _AHEAD, films.frames[flat] - 1)
        seen = [self.encoder.embed(films, flat, each) for each in (frames, following)]
        inputs = torch.cat((seen[0], films.action(flat, frames), seen[1], reward(films, flat, following)[:, None]), 1)
        described: Tensor = self.steps_net(inputs).unflatten(0, (len(trials), steps)).mean(1)
        return described

    def loss(self, films: Films, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the losses of value, prior, policy and temperature together."""
        settings = self.settings
        trials = trials_of(chosen)
        context = self.context(films, trials[:, :FAMILIARISATION], rng, settings.steps)
        context = context.repeat_interleave(settings.queries, 0)
        test = trials[:, TRIALS - 1].repeat_interleave(settings.queries)
        frames = random_frames(films, test, rng)
        following = torch.minimum(frames + _AHEAD, films.frames[test] - 1)
        action = films.action(test, frames)
        here, there = (torch.cat((self.encoder.embed(films, test, each), context), 1) for each in (frames, following))
        policy, prior = _gaussian(self.policy(here)), _gaussian(self.prior(here))
        value = self.value(torch.cat((here, action), 1))[:, 0]
        with torch.no_grad():
            next_action = _gaussian(self.policy(there)).sample().clamp(-1, 1)
            later = self.target(torch.cat((there, next_action), 1))[:, 0]
            wanted = reward(films, test, following) + settings.discount * later
            baseline = self.target(torch.cat((here, policy.sample().clamp(-1, 1)), 1))[:, 0]
            better = (self.target(torch.cat((here, action), 1))[:, 0] >= baseline).float()
            samples = prior.sample((settings.samples,)).clamp(-1, 1)
            wide = here.expand(settings.samples, -1, -1)
            values = self.target(torch.cat((wide, samples), 2))[..., 0]
        value_loss = functional.mse_loss(value, wanted)
        prior_loss = -(better * prior.log_prob(action)).sum() / better.sum().clamp(min=1)
        temperature = self.log_temperature.exp()
        weights = torch.softmax(values / temperature.detach(), 0)
        policy_loss = -(weights * policy.log_prob(samples)).sum(0).mean()
        bound = torch.logsumexp(values / temperature, 0).mean() - torch.log(torch.tensor(float(settings.samples)))
        return value_loss + prior_loss + policy_loss + temperature * (settings.divergence + bound)

    def after_step(self) -> None:
        """Replace the target value from time to time."""
        self.steps += 1
        if int(self.steps) % self.settings.target_every == 0:
            self.target.load_state_dict(self.value.state_dict())

    def errors(self, films: Films, chosen: Tensor, rng: torch.Generator) -> Tensor:
        """Return the mean squared error of the policy's mean action of each film."""
        queries = self.settings.queries
        trials = trials_of(chosen)
        context = self.context(films, trials[:, :FAMILIARISATION], rng, self.settings.steps).repeat_interleave(
            queries, 0
        )
        test = trials[:, TRIALS - 1].repeat_interleave(queries)
        frames = random_frames(films, test, rng)
        state = torch.cat((self.encoder.embed(films, test, frames), context), 1)
        error = (_gaussian(self.policy(state)).mean - films.action(test, frames)).square().mean(1)
        return error.unflatten(0, (-1, queries)).mean(1)

    @torch.no_grad()
    def surprises(self, stimuli: Sequence[Stimulus]) -> list[Surprise]:
        """Return minus the log-likelihood of the action in each frame of each film."""
        films = Films.of(stimuli).to(self.device)
        trials = trials_of(torch.arange(len(stimuli), device=self.device))
        context = self.context(films, trials[:, :FAMILIARISATION], None, self.settings.steps_when_judging)
        film, frames = frames_of_motion(films, trials[:, -1])
        test = trials[film, -1]
        state = torch.cat((self.encoder.embed(films, test, frames), context[film]), 1)
        surprise = -_gaussian(self.policy(state)).log_prob(films.action(test, frames))
        return held_by_film(stimuli, film, frames, surprise)


def _gaussian(numbers: Tensor) -> Any:
    mean, spread = torch.tanh(numbers[..., :2]), functional.softplus(numbers[..., 2:]) + 0.05
    return Independent(Normal(mean, spread), 1)


def reward(films: Films, trials: Tensor, frames: Tensor) -> Tensor:
    """Return the reward in a frame, divided by 100: minus the distance to the object the agent ends at if near."""
    end = films.frames[trials] - 1
    last, now = films.states(trials, end), films.agent(trials, frames).float() + AGENT_HALF
    objects = last.corners[:, [OBJECT, OTHER]].float() + OBJECT_HALF
    away = (objects - (last.corners[:, AGENT, None].float() + AGENT_HALF)).norm(dim=-1)
    away = away.masked_fill(~last.present[:, [OBJECT, OTHER]], torch.inf)
    goal = objects.gather(1, away.argmin(1)[:, None, None].expand(-1, 1, 2))[:, 0]
    distance = (goal - now).norm(dim=-1)
    return torch.where(distance < _NEAR, -distance, torch.full_like(distance, _FAR_REWARD)) / _REWARD_SCALE
