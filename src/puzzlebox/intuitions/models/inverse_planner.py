"""A Bayesian inverse planner: it explains an agent's motion by what the agent wants and how efficient it is.

It shows that the tasks can be solved from what the published files contain. It assumes:

- Each agent prefers objects by their identity (picture and colour): a Dirichlet prior, one observation a trial.
- Each agent has an efficiency of its own. The logarithm of the ratio of a way to the shortest way is exponentially
  distributed; the rate has a gamma prior, by which unknown agents are efficient.
- An agent goes to a means (key, lock) if, and only if, what it wants cannot be reached without.
- What no means can make reachable is not wanted now: the preference is renormalised over the rest.

The surprise in a frame is minus the logarithm of the probability of a motion at least as inefficient as the one up to
this frame, summed over what the agent may go to. Nothing is fitted to any episode.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from puzzlebox.intuitions.episodes.stimulus import RGB, Stimulus, Track, Trial
from puzzlebox.intuitions.models.legs import Leg, Numbers, could_be_reached, distances, legs_of, reached, travelled
from puzzlebox.intuitions.scoring.observer import Surprise

Identity = tuple[str, RGB]
# The shortest way that is divided by, in pixels, so that a goal right beside the agent gives no huge ratio.
_SHORTEST = 10.0
# A way is not longer than the shortest one if it is so by no more than this, in pixels: places are whole pixels.
_ROUNDING = 2.0


@dataclass(frozen=True)
class Assumptions:
    """What the planner assumes before it has seen an agent.

    Attributes:
        preference: weight of the prior for each object; 1 makes all preferences equally probable.
        observations: weight of the prior of the efficiency, in observed legs.
        waste: the sum of logarithms of (way / shortest way) in these legs; 0.1 a leg is a way 10 % too long.
        anything: probability that an agent goes to something for no reason that the planner knows.
    """

    preference: float = 1.0
    observations: float = 2.0
    waste: float = 0.2
    anything: float = 0.02


class Character(NamedTuple):
    """What is known of an agent after some trials.

    Attributes:
        chosen: how often it ended at each object, by identity.
        legs: the number of legs whose efficiency was seen.
        waste: the sum of their logarithms of (way / shortest way).
    """

    chosen: Counter[Identity]
    legs: int
    waste: float


class InversePlanner:
    """The observer; it learns nothing between films."""

    name = "inverse planner"

    def __init__(self, assumptions: Assumptions | None = None) -> None:
        self.assumptions = assumptions or Assumptions()

    def surprise(self, stimulus: Stimulus) -> Surprise:
        """Return the surprise in each frame of the test trial; parts: `target` and `efficiency`."""
        test = stimulus.test
        known = character(stimulus.familiarisation, test.agent.identity)
        total, efficiency = np.zeros(test.frames), np.zeros(test.frames)
        for leg in legs_of(test):
            here, wasted = self._leg(test, leg, known)
            # Legs add up; what comes after the last frame of a leg, such as waiting for the barrier, adds nothing.
            for values, added in ((total, here), (efficiency, wasted)):
                values[leg.first : leg.last + 1] += added
                values[leg.last + 1 :] += added[-1]
        return Surprise(total, {"target": total - efficiency, "efficiency": efficiency})

    def _leg(self, trial: Trial, leg: Leg, known: Character) -> tuple[Numbers, Numbers]:
        """Return the surprise in each frame of a leg, and the part that even the best explanation leaves."""
        things = _things(trial, leg)
        start = trial.agent.centres[leg.first]
        ways = {number: distances(leg, thing, _places(trial, leg)) for number, thing in enumerate(things)}
        reachable = {number for number, way in ways.items() if np.isfinite(way[0])}
        targets = self._targets(trial, leg, known, things, reachable, start)
        length, waits = travelled(leg, trial)
        shape = self.assumptions.observations + known.legs
        scale = self.assumptions.waste + known.waste
        tails = {
            number: -shape
            * np.log1p(_waste(ways[number], length, _unexplained(waits, trial, leg, things[number])) / scale)
            for number in reachable
        }
        if not tails:
            # Without a way to anything, no explanation is better than another.
            return np.zeros(len(length)), np.zeros(len(length))
        weighted = [np.log(targets[number]) + tail for number, tail in tails.items()]
        surprise = -np.logaddexp.reduce(np.stack(weighted), axis=0)
        return surprise, -np.max(np.stack(list(tails.values())), axis=0)

    def _targets(
        self, trial: Trial, leg: Leg, known: Character, things: Sequence[Track], reachable: set[int], start: Numbers
    ) -> Numbers:
        """Return the probability that the agent goes to each thing on this leg."""
        shares = np.zeros(len(things))
        means = next(
            (number for number in reachable if things[number] is (trial.lock if leg.carrying else trial.key)), None
        )
        for number, thing in enumerate(things):
            if thing in trial.objects:
                weight = self.assumptions.preference + known.chosen[thing.identity]
                if number in reachable:
                    shares[number] += weight
                elif means is not None and could_be_reached(leg, thing, start):
                    shares[means] += weight
        anything = np.zeros(len(things))
        anything[list(reachable)] = 1 / max(len(reachable), 1)
        if not shares.any():
            return anything
        return (1 - self.assumptions.anything) * shares / shares.sum() + self.assumptions.anything * anything


def _places(trial: Trial, leg: Leg) -> Numbers:
    return np.asarray(trial.agent.centres[leg.first : leg.last + 1])


def _things(trial: Trial, leg: Leg) -> list[Track]:
    """Return what the agent may go to on a leg: objects, the key unless it carries it, and the lock."""
    means = [trial.lock] if leg.carrying else [trial.key, trial.lock]
    return [thing for thing in (*trial.objects, *means) if thing is not None and leg.first < thing.until]


def _unexplained(waits: Numbers, trial: Trial, leg: Leg, thing: Track) -> Numbers:
    """Return the waiting that going to a thing does not explain: all of it, until the agent is there for good."""
    return np.zeros_like(waits) if reached(trial, [thing], leg.last) is thing else waits


def _waste(ways: Numbers, length: Numbers, waits: Numbers) -> Numbers:
    """Return the logarithm of (way so far + the shortest rest) / shortest way, in each frame of a leg."""
    shortest = max(float(ways[0]), _SHORTEST)
    return np.asarray(np.log(np.maximum((length + waits + ways - _ROUNDING) / shortest, 1.0)))


def character(trials: Sequence[Trial], agent: Identity) -> Character:
    """Return what some trials show of an agent; trials of other agents show nothing."""
    chosen: Counter[Identity] = Counter()
    legs, waste = 0, 0.0
    for trial in trials:
        if trial.agent.identity != agent:
            continue
        goal = reached(trial, trial.objects, trial.frames - 1)
        if goal is not None:
            chosen[goal.identity] += 1
        for leg in legs_of(trial):
            thing = reached(trial, _things(trial, leg), leg.last)
            if thing is not None:
                ends = _places(trial, leg)[[0, -1]]
                length, _ = travelled(leg, trial)
                ways = distances(leg, thing, ends)
                if np.isfinite(ways[0]) and length[-1] > 0:
                    legs += 1
                    waste += float(_waste(ways, length[[0, -1]], np.zeros(2))[-1])
    return Character(chosen, legs, waste)
