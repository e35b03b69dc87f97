"""The gates of an item: what the oracle, doing nothing and acting at random must score."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from puzzlebox.infant.items.item import Item, Mode
from puzzlebox.infant.items.policies import administer
from puzzlebox.infant.items.session import Session

ORACLE, NOTHING, RANDOM = "oracle", "nothing", ("uniform", "slow", "gaze")
# Shares of seeds: the oracle masters, and random actions score 1 or more, or 2.
MASTERS, PASSES, LUCKY = 0.95, 0.10, 0.01


@dataclass(frozen=True)
class Gate:
    """The scores of one policy on one item.

    Attributes:
        item: the number of the item.
        mode: how the child was moved.
        policy: the name of the policy.
        scores: the score of each seed.
    """

    item: int
    mode: Mode
    policy: str
    scores: tuple[int, ...]

    def share(self, least: int) -> float:
        """Return the share of seeds with at least a score."""
        return sum(score >= least for score in self.scores) / len(self.scores)

    @property
    def open(self) -> bool:
        """Whether the policy scores as it must, as far as these seeds show."""
        if self.policy == ORACLE:
            return self.share(2) >= MASTERS
        if self.policy == NOTHING:
            return self.share(1) == 0.0
        return self.share(1) <= PASSES and self.share(2) <= LUCKY


def measure(item: Item, mode: Mode, policies: Sequence[str], seeds: Iterable[int]) -> list[Gate]:
    """Play an item with policies, once for each seed, and return their gates."""
    session = Session(item, mode)
    chosen = list(seeds)
    return [
        Gate(item.number, mode, policy, tuple(administer(session, policy, seed, whole=False) for seed in chosen))
        for policy in policies
    ]
