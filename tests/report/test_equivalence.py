"""Equivalence on the page: a sentence for pairs that show no difference, and a table of all pairs."""

import numpy as np

from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.equivalence import blocks, equivalences
from puzzlebox.report.shares import Shares


def rows(agent: str, chances: list[float], episodes: int = 40, seed: int = 0) -> list[ReportEpisode]:
    rng = np.random.default_rng([seed, *agent.encode()])
    return [
        ReportEpisode(
            id="",
            task=f"task {task}",
            agent=agent,
            total=float(rng.random()),
            passed=bool(rng.random() < chance),
            seed=n,
        )
        for task, chance in enumerate(chances)
        for n in range(episodes)
    ]


def test_equal_agents_are_equivalent_and_few_tasks_show_nothing() -> None:
    equal = [*rows("one", [0.3, 0.5, 0.7] * 8), *rows("two", [0.3, 0.5, 0.7] * 8)]
    sentences = [block for block in blocks(equal, Shares.of(equal)) if isinstance(block, str)]
    assert sentences[0].startswith("one – two: they are equivalent within ± 10 percentage points (TOST over 24 tasks")
    assert len(sentences) == 1
    few = [*rows("one", [0.3, 0.5, 0.7] * 2, 4), *rows("two", [0.4, 0.5, 0.7] * 2, 4)]
    sentences = [block for block in blocks(few, Shares.of(few)) if isinstance(block, str)]
    assert "neither a difference nor equivalence within ± 10 percentage points is shown" in sentences[0]
    assert sentences[-1].startswith("With fewer than 20 tasks these tests are conservative")


def test_agents_that_differ_get_no_sentence() -> None:
    both = [*rows("weak", [0.2] * 12), *rows("strong", [0.8] * 12)]
    assert not [block for block in blocks(both, Shares.of(both)) if isinstance(block, str)]
    (pair,) = equivalences(both, Shares.of(both))
    assert pair.test is not None and not pair.test.shown


def test_the_bound_can_be_chosen() -> None:
    near = [*rows("one", [0.5] * 20), *rows("two", [0.55] * 20)]
    assert [equivalences(near, Shares.of(near), bound)[0].test.shown for bound in (2.0, 20.0)] == [False, True]  # type: ignore[union-attr]


def test_fewer_than_five_tasks_are_not_tested() -> None:
    few = [*rows("one", [0.5] * 4), *rows("two", [0.5] * 4)]
    assert blocks(few, Shares.of(few)) == []
    assert "needs 5 tasks" in equivalences(few, Shares.of(few))[0].clause


def test_the_model_decides_which_pairs_are_asked() -> None:
    both = [*rows("weak", [0.2] * 12), *rows("strong", [0.8] * 12)]
    pair = frozenset(("weak", "strong"))
    sentence, *_ = [each for each in blocks(both, Shares.of(both), differ={pair: False}) if isinstance(each, str)]
    # The interval alone would show a difference, so the sentence must not say that none is shown.
    assert "equivalence within ± 10 percentage points is not shown" in sentence and "neither" not in sentence
    equal = [*rows("one", [0.3, 0.5, 0.7] * 8), *rows("two", [0.3, 0.5, 0.7] * 8)]
    found = blocks(equal, Shares.of(equal), differ={frozenset(("one", "two")): True})
    assert not [each for each in found if isinstance(each, str)]


def test_intervals_end_where_differences_of_proportions_do() -> None:
    few = [*rows("one", [0.0, 0.0, 0.0, 0.0, 1.0], 4), *rows("two", [1.0, 1.0, 1.0, 1.0, 0.0], 4)]
    (pair,) = equivalences(few, Shares.of(few))
    assert pair.test is not None and pair.test.difference.low == -1.0
