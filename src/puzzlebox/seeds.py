"""Derivation of every seed and every random stream.

Why the same seed gives the same bytes: every random number is drawn from a stream that a function of this module
returned, and each of these functions depends on its arguments alone. None reads the clock, an address in memory, the
hash of a text (which Python changes from process to process) or the state of earlier episodes. Only `new_seed`,
`unpredictable_rng` and `rng_from(None)` use the randomness of the operating system; their result is stored with the
episode (its seed, or the task that was drawn), so that it can be repeated.

Why the number of workers changes nothing: a stream belongs to an episode or an environment, never to a process.

- In a run, the seed of an episode is a hash of the run's seed, the task's name, the arena and the repetition
  (`episode_seed`). Which worker plays the episode, when, and what that worker played before are not among its
  arguments, so an interrupted run that is resumed, with any number of workers, has the same episodes. The table has
  them in the order of the schedule, not in that of their ends, and no times of the clock (`run.runs.run`). The agent
  has a stream of its own (`agent_seed`), so an agent that draws more often does not change the arena.
- In a vector, environment `i` starts from `seed + i` (`vector_seeds`) and afterwards draws the seeds of its later
  episodes from its own stream (`next_episode_seed`). Which process steps it is not among the arguments.
- In a template, each value that is drawn has its own stream, named after the template's seed, the number of the
  variation and the name of the variable (`variation_rng`). Variation 7 is therefore the same whether the six before
  it were produced or not.

| what is random | derived from | function |
|---|---|---|
| an episode of a run | run seed, task, arena, repetition | `episode_seed` |
| the agent's own draws in it | the episode's seed, which animal | `agent_seed` |
| everything in a World | the seed of its episode | `rng_from` |
| an arena with `random_seed` | that number alone | `arena_rng` |
| environments of a vector | the vector's seed, which environment | `vector_seeds` |
| later episodes of an environment | its own stream | `next_episode_seed` |
| which task an environment plays next, if tasks have weights | its own stream | `Pool.draw` of the arena |
| weights, actions and minibatches of a learner | the learner's seed | `learner_seeds` |
| the variation of a template that is played next | the environment's own stream | `template_rng` |
| a value in a variation | template seed, variation, variable, attempt | `variation_rng`, `attempt_name` |
| which variations a sample has | the sample's seed | `sample_rng`, `round_seed`, `named_seed` |
| the order of a long list of variations | that seed | `shuffle_rng`, `shuffle_keys` |
| a pair of stimuli of the intuitions wing | the set's seed, task, number, use | `stimulus_rng` |
| in which order someone is shown pairs | the set's seed, who judges | `judging_rng` |
| which film of a pair is shown first | the set's seed, who judges, task, number | `judgement_seed` |
| a part of training other than the environments | the run's seed, what it is for | `training_seed` |
| an episode a participant plays | the operating system, once; then stored | `new_seed` |
"""

import hashlib
from collections.abc import Sequence
from numbers import Integral
from random import Random, SystemRandom
from secrets import randbelow
from typing import Any

import numpy as np

# Seeds drawn from a stream, and those in a file, are below this.
SEEDS = 2**63
# Seeds from the operating system are below this: short enough to read out and type in.
_SHORT_SEEDS = 1_000_000
# A `random_seed` has 32 bits and may be negative; it is taken modulo this.
_ARENA_SEEDS = 2**32


def check_seed(seed: Any) -> int:
    """Return a seed as an int; raise a ValueError unless it is a whole number, 0 or more."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or int(seed) < 0:
        raise ValueError(f"the seed is {seed!r}; it must be a whole number, 0 or more")
    return int(seed)


def rng_from(seed: int | None) -> np.random.Generator:
    """Return the random stream of a World, an environment or an agent; unpredictable if the seed is None."""
    return np.random.default_rng(seed)


def new_seed() -> int:
    """Return an unpredictable seed below one million, for an episode without a given seed."""
    return randbelow(_SHORT_SEEDS)


def unpredictable_rng() -> Random:
    """Return an unpredictable stream, for draws whose result is stored as a task."""
    return SystemRandom()


# --- runs


def episode_seed(run_seed: int, task: str, arena: int, episode: int) -> int:
    """Return the seed of an episode of a run; it differs for each task, arena and repetition.

    All agents play with the same seeds, so that they can be compared in pairs. No two tasks share one, so that a random
    agent does not act alike in all of them.

    Args:
        run_seed: the seed of the run.
        task: the name of the task.
        arena: the position of the arena the episode starts in.
        episode: which repetition, from 0.
    """
    return _hashed(f"{run_seed}/{task}/{arena}/{episode}")


def agent_seed(seed: int, animal: int = 0) -> int:
    """Return the seed of an agent's own draws in an episode; the arena has another one.

    Args:
        seed: the seed of the episode.
        animal: the number of the animal that the agent steers; each has its own seed.
    """
    return _hashed(f"agent/{seed}/{animal}" if animal else f"agent/{seed}")


def _hashed(text: str) -> int:
    """Return the first 32 bits of the SHA-256 of a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


# --- environments


def vector_seeds(seed: int | None, count: int) -> list[int | None]:
    """Return the seed of each environment of a vector: `seed + i` for environment i, or None for all."""
    return [None if seed is None else seed + index for index in range(count)]


def next_episode_seed(rng: np.random.Generator) -> int:
    """Return the seed of the next episode of an environment, drawn from its stream."""
    return int(rng.integers(SEEDS))


def arena_rng(random_seed: int, episode_rng: np.random.Generator) -> np.random.Generator:
    """Return the random stream of an arena: that of its `random_seed` if it has one, else that of the episode."""
    return np.random.default_rng(random_seed % _ARENA_SEEDS) if random_seed else episode_rng


# --- learners


def learner_seeds(seed: int) -> tuple[int, int, int]:
    """Return the seeds of a learner's weights, of its actions and of its minibatches; environments have `seed`."""
    return _hashed(f"learner/{seed}/weights"), _hashed(f"learner/{seed}/actions"), _hashed(f"learner/{seed}/batches")


# --- templates


def template_rng(rng: np.random.Generator) -> Random:
    """Return the stream that picks the variation of a template an environment plays next, drawn from its stream."""
    return Random(next_episode_seed(rng))


def variation_rng(seed: int, index: int, name: str) -> Random:
    """Return the stream of one drawn value.

    Args:
        seed: the seed of the template.
        index: the number of the variation.
        name: the name of the variable, with its path in nested templates and `attempt_name` around it.
    """
    return Random(f"{seed}/{index}/{name}")


def attempt_name(name: str, attempt: int) -> str:
    """Return the name under which a variable is drawn again, if an earlier draw broke a requirement."""
    return f"{attempt}/{name}" if attempt else name


def sample_rng(seed: int | str) -> Random:
    """Return the stream a sample of variations is drawn from."""
    return Random(seed)


def round_seed(seed: int, round: int) -> int | str:
    """Return the seed of one round of a sample that goes through all variations more than once."""
    return f"{seed}/{round}" if round else seed


def named_seed(purpose: str, seed: int | str) -> str:
    """Return the seed for one use (such as `splits` or `balance`) of a template's seed; no two uses share draws."""
    return f"{purpose}/{seed}"


def shuffle_rng(seed: int | str) -> Random:
    """Return the stream by which a short list of numbers is shuffled."""
    return Random(named_seed("shuffle", seed))


def shuffle_keys(seed: int | str, count: int) -> Sequence[bytes]:
    """Return the keys (32 bytes each) of the cipher that replaces a shuffled list too long to store."""
    return [hashlib.blake2b(f"{seed}/{number}".encode(), digest_size=32).digest() for number in range(count)]


# --- training


def training_seed(seed: int, use: str) -> int:
    """Return the seed of a part of training, such as `curriculum` or `curiosity`; no two uses share draws."""
    return _hashed(f"training/{seed}/{use}")


# --- stimuli


def stimulus_rng(seed: int, task: str, number: int, use: str = "scene") -> Random:
    """Return the stream of a pair of stimuli of the intuitions wing, which depends on no other pair.

    Args:
        seed: the seed of the set.
        task: the name of the task.
        number: the number of the episode; for `levels`, that of a block of episodes.
        use: `scene`, `levels`, or `cast/` with the set of shapes; no two uses share draws.
    """
    return Random(f"intuitions/{seed}/{task}/{number}/{use}")


def judging_rng(seed: int, judge: str) -> Random:
    """Return the stream by which the pairs that someone judges are put in order; `judge` is who, "" if unknown."""
    return Random(f"intuitions/{seed}/judging/{judge}")


def judgement_seed(seed: int, judge: str, task: str, number: int) -> int:
    """Return the seed of one judgement, from which follows which film of the pair is shown first.

    Args:
        seed: the seed of the set.
        judge: the participant, or whatever else distinguishes one judge from another; "" if unknown.
        task: the name of the task.
        number: the number of the pair.
    """
    return _hashed(f"intuitions/{seed}/{judge}/{task}/{number}")
