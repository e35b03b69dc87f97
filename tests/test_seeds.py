"""Seeds: every derivation is in one module, and its results never change."""

import re
from pathlib import Path

import numpy as np
import pytest

from puzzlebox import seeds

SOURCE = Path(seeds.__file__).parent
# Calls that create a random stream, or read random numbers of the system.
_STREAMS = re.compile(r"default_rng\(|SeedSequence|PCG64|\bRandom\(|SystemRandom|randbelow|\bspawn\(")
# The statistics are independent of the package and take the seed of a bootstrap, of permutations or of a sampler; the
# stream of .NET has its own seed.
_OTHERS = {
    *(f"stats/{name}.py" for name in ("brunner_munzel", "friedman", "learners", "layout", "layout_validation")),
    *("stats/permutation.py", "report/figures/violins.py", "arena/things/dotnet_random.py"),
}


def test_no_other_module_makes_a_random_stream() -> None:
    streams = {
        str(path.relative_to(SOURCE)): found.group()
        for path in SOURCE.rglob("*.py")
        if path.name != "seeds.py" and (found := _STREAMS.search(path.read_text()))
    }
    assert {name: call for name, call in streams.items() if name not in _OTHERS} == {}


def test_the_seeds_of_recorded_runs_stay_what_they_were() -> None:
    assert seeds.episode_seed(0, "foraging", 0, 0) == 1725912404
    assert seeds.episode_seed(7, "operant", 2, 31) == 3912798216
    assert (seeds.agent_seed(5), seeds.agent_seed(5, 1)) == (786390186, 2632874574)


def test_streams_stay_what_they_were() -> None:
    assert seeds.next_episode_seed(seeds.rng_from(7)) == 5765488047046174021
    assert seeds.template_rng(seeds.rng_from(7)).random() == 0.2693312913226643
    assert seeds.variation_rng(0, 3, seeds.attempt_name("size", 2)).random() == 0.6985600710185107
    assert seeds.sample_rng(seeds.round_seed(4, 1)).random() == 0.9546816773284541
    assert seeds.shuffle_rng(seeds.named_seed("splits", 0)).random() == 0.8903106003108258
    assert [key.hex()[:8] for key in seeds.shuffle_keys(1, 2)] == ["097e36ce", "2ee7b03f"]


def test_an_arena_with_a_seed_of_its_own_ignores_the_episode() -> None:
    episode = seeds.rng_from(1)
    assert seeds.arena_rng(0, episode) is episode
    assert seeds.arena_rng(-1, episode).random() == np.random.default_rng(2**32 - 1).random()


def test_seeds_of_a_vectors_environments_count_up() -> None:
    assert seeds.vector_seeds(5, 3) == [5, 6, 7]
    assert seeds.vector_seeds(None, 2) == [None, None]


@pytest.mark.parametrize("seed", [-1, True, 1.0, "1", None])
def test_invalid_seeds_are_refused(seed: object) -> None:
    with pytest.raises(ValueError, match="it must be a whole number, 0 or more"):
        seeds.check_seed(seed)
