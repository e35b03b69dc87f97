"""The chance guard: how many blocks of trials an item needs so that guessing rarely passes."""

from math import ceil, comb

# The largest probabilities with which guessing may meet the emerging and the mastery condition.
EMERGING, MASTERY = 0.10, 0.02
_MOST_BLOCKS = 50


def tail(successes: int, trials: int, rate: float) -> float:
    """Return the probability of at least some successes by guessing."""
    return sum(comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(successes, trials + 1))


def needed(share: tuple[int, int], trials: int) -> int:
    """Return how many successes of some trials are at least a share, given as successes of a block's trials."""
    successes, block = share
    return ceil(successes * trials / block - 1e-9)


def blocks_needed(emerging: tuple[int, int], mastery: tuple[int, int], rate: float = 0.5) -> int:
    """Return the least number of blocks with which guessing passes rarely enough.

    Args:
        emerging: the successes that a block needs for a score of 1, and its trials.
        mastery: the same for a score of 2.
        rate: the probability that a guess is right.
    """
    for blocks in range(1, _MOST_BLOCKS + 1):
        chances = []
        for successes, block in (emerging, mastery):
            trials = blocks * block
            chances.append(tail(needed((successes, block), trials), trials, rate))
        if chances[0] <= EMERGING and chances[1] <= MASTERY:
            return blocks
    raise ValueError(f"guessing at a rate of {rate} passes {emerging} or {mastery} too often, whatever the blocks")
