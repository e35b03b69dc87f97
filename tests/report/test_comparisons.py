"""The comparisons of returns: pairs where units are shared, units instead of episodes, adjusted p values."""

import numpy as np
import pytest

from puzzlebox.report.comparison_tables import overall_table, pairs_table, published_style_tables
from puzzlebox.report.comparisons import Comparisons, TaskTest, compare
from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.rank_tests import BRUNNER_MUNZEL, FRIEDMAN, KRUSKAL_WALLIS, PAIRS_ONLY, SIGNED_RANKS, RankTests
from puzzlebox.stats import holm, signed_ranks


def episode(agent: str, total: float, task: str = "maze", seed: int | None = None, **more: object) -> ReportEpisode:
    return ReportEpisode(
        id="",
        task=task,
        agent=agent,
        total=total,
        passed=total > 0,
        seed=seed,
        **more,  # type: ignore[arg-type]
    )


def drawn(agents: dict[str, float], seeds: int = 12, task: str = "maze", shared: bool = True) -> list[ReportEpisode]:
    """Return episodes whose seeds have an effect of their own, which is much larger than the noise."""
    rng = np.random.default_rng(len(task) + seeds)
    difficulty = rng.normal(0, 3, seeds)
    return [
        episode(agent, float(difficulty[seed] + skill + rng.normal(0, 0.3)), task, seed if shared else None)
        for agent, skill in agents.items()
        for seed in range(seeds)
    ]


def only(comparisons: Comparisons) -> tuple[TaskTest, RankTests]:
    (test,) = comparisons.tests
    assert test.tests is not None
    return test, test.tests


def test_shared_seeds_make_pairs() -> None:
    rows = drawn({"a": 1.0, "b": 0.0})
    test, tests = only(compare(rows))
    assert (tests.method, tests.units) == (SIGNED_RANKS, 12)
    differences = [row.total - rows[index + 12].total for index, row in enumerate(rows[:12])]
    assert tests.p == signed_ranks(differences).p < 0.001
    assert test.sentence.startswith("maze: on this task alone, returns differed between a and b (Wilcoxon signed-rank")
    assert "12 shared seeds" in test.sentence
    unpaired = only(compare(drawn({"a": 1.0, "b": 0.0}, shared=False)))[1]
    assert unpaired.method == BRUNNER_MUNZEL
    assert unpaired.p > 0.05


def test_three_agents_on_shared_seeds_are_compared_within_seeds() -> None:
    test, tests = only(compare(drawn({"a": 1.0, "b": 0.0, "c": 0.0})))
    assert tests.method == FRIEDMAN
    assert {pair.method for pair in tests.pairs} == {SIGNED_RANKS}
    assert "Pairs that differed (Wilcoxon signed-rank, Holm-adjusted p < .05): a – b and a – c." in test.sentence
    assert only(compare(drawn({"a": 1.0, "b": 0.0, "c": 0.0}, shared=False)))[1].method == KRUSKAL_WALLIS


def test_some_agents_that_share_seeds_and_others_that_do_not() -> None:
    rows = [*drawn({"a": 1.0, "b": 0.0}), *drawn({"c": 0.0}, shared=False)]
    tests = only(compare(rows))[1]
    assert tests.method == PAIRS_ONLY
    assert [pair.method for pair in tests.pairs] == [SIGNED_RANKS, BRUNNER_MUNZEL, BRUNNER_MUNZEL]
    assert tests.p == min(pair.p_holm for pair in tests.pairs)


def test_the_unit_of_participants_is_the_participant() -> None:
    rng = np.random.default_rng(1)
    rows = [
        episode("human", float(skill + rng.normal(0, 0.1)), participant=f"p{number}", person=True, player="human")
        for number, skill in enumerate(rng.normal(0, 1, 6))
        for _ in range(30)
    ]
    rows += [episode("agent", float(rng.normal(0, 1)), seed=seed) for seed in range(20)]
    tests = only(compare(rows))[1]
    assert tests.pairs[0].n in ((6, 20), (20, 6))


def test_runs_of_a_learner_are_its_units() -> None:
    rng = np.random.default_rng(1)
    rows = [
        episode(agent, float(rng.normal()), seed=seed, run=f"{agent}-{run}")
        for agent in "ab"
        for run in range(7)
        for seed in range(10)
    ]
    tests = only(compare(rows))[1]
    assert (tests.method, tests.unit, tests.pairs[0].n) == (BRUNNER_MUNZEL, "run", (7, 7))


def test_an_agent_with_few_episodes_does_not_cancel_the_test_of_the_others() -> None:
    rows = [*drawn({"a": 1.0, "b": 0.0}), *[episode("c", 0.0, seed=seed) for seed in range(2)]]
    comparisons = compare(rows)
    test, tests = only(comparisons)
    assert tests.agents == ["a", "b"]
    assert test.left_out == ("c",)
    assert any("c was left out of the tests of 1 task" in remark for remark in comparisons.remarks)


def test_identical_episodes_count_once() -> None:
    tasks = ("one", "two", "three")
    rows = [row for task in tasks for row in drawn({"a": 1.0, "b": 0.0}, task=task)]
    same = {"steps": 100, "ended_by": "completed"}
    rows += [episode("statue", -1.0, task, seed, **same) for task in tasks for seed in range(9)]
    comparisons = compare(rows)
    assert all(test.left_out == ("statue",) for test in comparisons.tests)
    assert any("Identical episodes count once" in remark for remark in comparisons.remarks)


def test_sentences_use_p_values_adjusted_over_tasks() -> None:
    rows = [row for number in range(8) for row in drawn({"a": 0.25, "b": 0.0}, 8, task="t" * (number + 1))]
    comparisons = compare(rows)
    ps = [test.tests.p for test in comparisons.done if test.tests]
    assert [test.p_adjusted for test in comparisons.done] == holm(ps)
    for test, p in zip(comparisons.done, ps, strict=True):
        assert ("returns differed" in test.sentence) == (test.p_adjusted < 0.05)
        assert p <= test.p_adjusted
    assert any(p < 0.05 <= test.p_adjusted for test, p in zip(comparisons.done, ps, strict=True))
    assert "adjusted over tasks by Holm" in comparisons.done[0].sentence


def test_tasks_are_the_units_of_the_test_over_tasks() -> None:
    rng = np.random.default_rng(2)
    rows = [
        episode(agent, float(level * 10 + skill + rng.normal()), f"task{level}", seed)
        for level in range(8)
        for agent, skill in (("a", 2.0), ("b", 0.0))
        for seed in range(6)
    ]
    across = compare(rows).across
    assert across.tests is not None
    assert (across.tests.method, across.tests.units) == (SIGNED_RANKS, 8)
    assert across.sentence.startswith("Over tasks: for tasks like these, mean returns differed between a and b")
    five = compare([row for row in rows if row.task < "task5"])
    assert any("conservative" in remark and "all tasks" in remark for remark in five.remarks)
    few = compare([row for row in rows if row.task in ("task0", "task1", "task2", "task3")]).across
    assert few.tests is None
    assert "no two agents share 5 tasks or more" in few.sentence


def test_a_task_weighs_the_same_whatever_its_number_of_episodes() -> None:
    rows = [episode(agent, float(n), f"t{n}", seed) for agent in "ab" for n in range(5) for seed in range(n + 1)]
    rows += [episode("a", 1.0, "t0", seed, arena=1) for seed in range(50)]
    across = compare(rows).across
    assert across.tests is not None
    assert (across.tests.pairs[0].higher, across.tests.pairs[0].lower) == (1, 0)


def test_few_pairs_are_said_to_be_conservative() -> None:
    comparisons = compare(drawn({"a": 5.0, "b": 0.0}, seeds=5))
    assert "conservative" in " ".join(comparisons.remarks)
    assert "conservative" not in " ".join(compare(drawn({"a": 5.0, "b": 0.0}, seeds=12)).remarks)


def test_equal_returns_in_all_pairs_have_a_p_of_1() -> None:
    rows = [episode(agent, float(seed), seed=seed) for agent in "ab" for seed in range(8)]
    test, tests = only(compare(rows))
    assert tests.p == 1
    assert "did not differ significantly" in test.sentence


def test_returns_near_the_largest_number_have_a_test() -> None:
    rows = [episode("a", 1e307 * (n + 1), seed=n) for n in range(8)]
    rows += [episode("b", -row.total, seed=row.seed) for row in rows]
    assert only(compare(rows))[1].p == pytest.approx(2 / 2**8)


def test_tables_have_the_tests_of_the_page_and_those_of_published_results() -> None:
    comparisons = compare([row for task in ("x", "yy") for row in drawn({"a": 1.0, "b": 0.0}, task=task)])
    overall, pairs = overall_table(comparisons), pairs_table(comparisons)
    assert [line["task"] for line in overall.rows] == ["x", "yy"]
    assert pairs.rows[0]["mcnemar_p"] >= pairs.rows[0]["mcnemar_mid_p"]
    assert pairs.rows[0]["cliffs_delta_low"] <= pairs.rows[0]["cliffs_delta"] <= pairs.rows[0]["cliffs_delta_high"]
    for table in (overall, pairs):
        assert all(show(row) for row in table.rows for _, show in table.columns)
    assert [table.name for table in published_style_tables(comparisons)] == ["kruskal_wallis", "dunn"]


def test_arenas_in_which_an_agent_never_varies_do_not_outweigh_others() -> None:
    """Agent a always does the same in two of three arenas; without pairs its third arena would decide the test."""
    rng = np.random.default_rng(0)
    rows = []
    for arena, ease in enumerate((0.0, 0.0, 4.0)):
        for seed in range(20):
            alike = arena < 2
            rows.append(
                episode(
                    "a",
                    ease if alike else ease + rng.normal(),
                    seed=seed,
                    arena=arena,
                    steps=7 if alike else seed,
                    ended_by="completed",
                )
            )
            rows.append(episode("b", ease + rng.normal(), seed=seed, arena=arena, steps=seed, ended_by="completed"))
    test, tests = only(compare(rows))
    assert (tests.method, tests.units) == (SIGNED_RANKS, 22)
    assert "did not differ significantly" in test.sentence
