"""Budgets of language models: read from text, shared by processes, and kept when a run is resumed."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from puzzlebox.agents.language import Budget, BudgetSpent, Ledger
from puzzlebox.processes import CONTEXT


def test_a_budget_is_read_from_text() -> None:
    assert Budget.parse("calls=500, tokens=2e6,money=0.5") == Budget(500, 2_000_000, 0.5)
    assert Budget.parse("calls=0").as_dict() == {"calls": 0}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("call=5", "there is no limit 'call'; a budget limits calls, tokens, money.*did you mean `calls`"),
        ("calls", "calls is ''; it must be a number, 0 or more"),
        ("calls=many", "calls is 'many'; it must be a number"),
        ("calls=nan", "calls is 'nan'; it must be a number"),
        ("calls=-1", "calls is '-1'; it must be a number, 0 or more"),
        ("calls=1.5", "calls is '1.5'; it must be a whole number"),
        ("calls=1,calls=2", "calls is there twice"),
        ("", "there is no limit ''"),
    ],
)
def test_what_is_no_budget_is_refused_with_a_sentence(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Budget.parse(text)


def test_each_limit_ends_it() -> None:
    for budget, reached in (
        (Budget(calls=2), "2 of 2 calls"),
        (Budget(tokens=50), "60 of 50 tokens"),
        (Budget(money=0.05), "0.0600 of 0.05 money"),
    ):
        ledger = Ledger(None, budget)
        for _ in range(2):
            ledger.reserve()
            ledger.settle(30, 0.03)
        for refuse in (ledger.reserve, ledger.require):
            with pytest.raises(BudgetSpent, match=reached):
                refuse()
        assert ledger.spent == (2, 60, 0.06)


def test_a_file_carries_on_where_it_stopped_whatever_a_kill_left(tmp_path: Path) -> None:
    path = tmp_path / "spending.jsonl"
    first = Ledger(path, Budget(calls=3))
    first.reserve()
    first.settle(10, 0.1)
    with path.open("ab") as file:
        file.write(b'{"calls": 1, "tok')  # a write that a kill has cut off
    second = Ledger(path, Budget(calls=3))
    second.reserve()
    first.reserve()
    assert first.spent == second.spent == Ledger(path).spent == (3, 10, 0.1)
    with pytest.raises(BudgetSpent):
        first.reserve()


def _reserve_all(path: Path) -> int:
    ledger, count = Ledger(path, Budget(calls=100)), 0
    try:
        while True:
            ledger.reserve()
            count += 1
    except BudgetSpent:
        return count


def test_the_limit_of_calls_is_exact_among_threads(tmp_path: Path) -> None:
    path = tmp_path / "spending.jsonl"
    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(_reserve_all, [path] * 4)) == 100


@pytest.mark.slow
def test_the_limit_of_calls_is_exact_among_processes(tmp_path: Path) -> None:
    path = tmp_path / "spending.jsonl"
    with CONTEXT.Pool(3) as pool:
        assert sum(pool.map(_reserve_all, [path] * 3, chunksize=1)) == 100
