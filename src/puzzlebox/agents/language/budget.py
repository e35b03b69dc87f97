"""The budget of a run: how many calls, tokens and how much money all its language models may use together."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from puzzlebox.file_lock import lock_file
from puzzlebox.text import closest

# The file in the folder of a run in which its workers add up what they spend.
SPENDING = "spending.jsonl"
_EXAMPLE = "calls=500,money=5"


class BudgetSpent(RuntimeError):
    """A limit of the budget is reached, so that no further call is made."""


class Spent(NamedTuple):
    """What was spent so far.

    Attributes:
        calls: requests sent, including those that failed.
        tokens: tokens of all prompts and replies, as the endpoint counts them.
        money: the price of these tokens, in the currency of the given prices.
    """

    calls: int = 0
    tokens: int = 0
    money: float = 0.0

    def __str__(self) -> str:
        text = f"{self.calls:,} {'call' if self.calls == 1 else 'calls'}, {self.tokens:,} tokens"
        return f"{text}, cost {self.money:.4f}" if self.money else text


@dataclass(frozen=True)
class Budget:
    """Limits of what may be spent; None is no limit.

    Attributes:
        calls: the most requests.
        tokens: the most tokens of prompts and replies together.
        money: the highest cost, in the currency of the given prices.
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """Read a budget such as `calls=500,tokens=2e6,money=5`.

        Raises:
            ValueError: the text is not a budget; the message says why.
        """
        names = [each.name for each in fields(cls)]
        limits: dict[str, float] = {}
        for part in text.split(","):
            name, equals, value = (each.strip() for each in part.partition("="))
            if name not in names:
                allowed = f"a budget limits {', '.join(names)}, as in {_EXAMPLE}"
                raise ValueError(
                    f"{text!r} is not a budget: there is no limit {name!r}; {allowed}{closest(name, names)}"
                )
            if name in limits:
                raise ValueError(f"{text!r} is not a budget: {name} is there twice")
            try:
                limits[name] = float(value)
            except ValueError:
                limits[name] = -1
            if not equals or not isfinite(limits[name]) or limits[name] < 0:
                raise ValueError(f"{text!r} is not a budget: {name} is {value!r}; it must be a number, 0 or more")
            if name != "money" and limits[name] != int(limits[name]):
                raise ValueError(f"{text!r} is not a budget: {name} is {value!r}; it must be a whole number")
        return cls(**{name: value if name == "money" else int(value) for name, value in limits.items()})  # type: ignore[arg-type]

    def as_dict(self) -> dict[str, float]:
        """Return the limits by name, without those that are None."""
        limits = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: limit for name, limit in limits.items() if limit is not None}

    def reached(self, spent: Spent) -> str:
        """Return the first limit that is reached, such as "500 of 500 calls"; "" if there is none."""
        for name, limit in self.as_dict().items():
            used = getattr(spent, name)
            if used >= limit:
                return f"{used:.4f} of {limit:g} money" if name == "money" else f"{used:,} of {limit:,} {name}"
        return ""


class Ledger:
    """Adds up what is spent, and refuses a call once a limit is reached.

    With a file, all processes that use it share the budget, and so do all parts of a run that is resumed. The file is
    locked while a call is counted, so the limit of calls is exact. The tokens of a call are known only after it;
    the other limits can be exceeded by the calls that are under way when they are reached, one for each worker.

    Args:
        path: the file. None: what is spent is known to this object alone.
        budget: the limits.
    """

    def __init__(self, path: Path | None = None, budget: Budget | None = None) -> None:
        self._path, self.budget = path, budget or Budget()
        self._spent = Spent()
        self._read = 0

    @property
    def spent(self) -> Spent:
        """What was spent so far, by everyone who shares the file."""
        if self._path is not None and self._path.exists():
            with self._path.open("rb") as file:
                self._catch_up(file.fileno())
        return self._spent

    def require(self) -> None:
        """Raise `BudgetSpent` if a limit is reached."""
        reached = self.budget.reached(self.spent)
        if reached:
            raise BudgetSpent(_sentence(reached))

    def reserve(self) -> None:
        """Count a call before it is made.

        Raises:
            BudgetSpent: a limit is reached; the call must not be made.
        """
        with self._locked() as file:
            reached = self.budget.reached(self._spent)
            if reached:
                raise BudgetSpent(_sentence(reached))
            self._add(file, Spent(calls=1))

    def settle(self, tokens: int, money: float) -> None:
        """Add the tokens and the price of a call that was made."""
        with self._locked() as file:
            self._add(file, Spent(0, tokens, money))

    @contextmanager
    def _locked(self) -> Iterator[int | None]:
        """Open and lock the file, and read what others have added; yield its descriptor, or None without a file."""
        if self._path is None:
            yield None
            return
        file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            lock_file(file, wait=True)
            self._catch_up(file)
            yield file
        finally:
            os.close(file)  # unlocks it, too

    def _catch_up(self, file: int) -> None:
        """Add the lines that were appended since the last time; one that a kill has cut off is skipped."""
        os.lseek(file, self._read, os.SEEK_SET)
        data = b""
        while chunk := os.read(file, 1 << 16):
            data += chunk
        lines = data.split(b"\n")
        self._read += len(data) - len(lines[-1])
        for line in lines[:-1]:
            try:
                entry = json.loads(line)
                more = Spent(int(entry["calls"]), int(entry["tokens"]), float(entry["money"]))
            except (ValueError, KeyError, TypeError):
                continue
            self._spent = _sum(self._spent, more)

    def _add(self, file: int | None, more: Spent) -> None:
        if file is None:
            self._spent = _sum(self._spent, more)
            return
        # After an incomplete line, which ends where the file does, the new one begins on a line of its own.
        start = b"\n" if os.lseek(file, 0, os.SEEK_END) > self._read else b""
        os.write(file, start + json.dumps(more._asdict()).encode() + b"\n")
        self._catch_up(file)


def _sum(first: Spent, second: Spent) -> Spent:
    return Spent(first.calls + second.calls, first.tokens + second.tokens, first.money + second.money)


def _sentence(reached: str) -> str:
    return f"the budget is spent: {reached}; the same command with a larger --budget plays what is missing"
