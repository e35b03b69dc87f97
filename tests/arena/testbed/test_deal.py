"""Places of the right choice are dealt out evenly, and none tells another."""

from collections import Counter
from itertools import pairwise

import pytest

from puzzlebox.arena.testbed.deal import Deal, Group, deal

VARIANTS = 3
TWO_SIDES = Group((1, 2, 3, 4, 5, 6), ("side",), (2,))
# Rows of two templates that share a variable; one has another beside it.
PENS = Group((1, 3, 5, 7, 9, 11), ("best", "reach"), (3, 3))
DOORS = Group((2, 4, 6, 8, 10, 12), ("best",), (3,))


def column(dealt: Deal, variant: int, variable: int = 0) -> Counter[int]:
    return Counter(places[variant][variable] for places in dealt.values())


def test_the_same_seed_gives_the_same_deal() -> None:
    first = deal((TWO_SIDES,), VARIANTS, "seed")
    deal.cache_clear()
    assert deal((TWO_SIDES,), VARIANTS, "seed") == first
    others = [deal((TWO_SIDES,), VARIANTS, f"seed {number}") for number in range(5)]
    assert any(each != first for each in others)


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_each_variant_has_each_value_equally_often(seed: str) -> None:
    sides = deal((TWO_SIDES,), VARIANTS, seed)
    pens = deal((PENS, DOORS), VARIANTS, seed)
    for variant in range(VARIANTS):
        assert set(column(sides, variant).values()) == {3}
        assert max(column(pens, variant).values()) <= 5  # 4 is even


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_no_row_has_the_same_value_in_all_variants(seed: str) -> None:
    for dealt in (deal((TWO_SIDES,), VARIANTS, seed), deal((PENS, DOORS), VARIANTS, seed)):
        assert all(len({place[0] for place in places}) > 1 for places in dealt.values())


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_values_of_a_row_do_not_go_together(seed: str) -> None:
    dealt = deal((PENS, DOORS), VARIANTS, seed)
    together = Counter(place for row in PENS.rows for place in dealt[row])
    assert len(together) == 9 and max(together.values()) <= 3


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_a_value_does_not_tell_the_next(seed: str) -> None:
    dealt = deal((PENS, DOORS), VARIANTS, seed)
    tasks = [place[0] for row in sorted(dealt) for place in dealt[row]]
    steps = Counter((after - before) % 3 for before, after in pairwise(tasks))
    assert set(steps) == {0, 1, 2} and max(steps.values()) <= 0.45 * len(tasks)
