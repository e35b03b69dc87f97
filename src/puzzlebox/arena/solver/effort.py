"""How much work a search may do: counted in decisions, the same on every machine, and a time that cuts it off."""

from collections.abc import Callable
from time import monotonic
from typing import NoReturn


class OutOfEffort(Exception):
    """The search has used up its decisions or its time."""


class Effort:
    """Counts the work of a search in decisions: each simulated one, and for other work the number that takes as long.

    Args:
        decisions: how many decisions may be simulated.
        seconds: after how much time the search is cut off; infinite: never.
        progress: called now and then with the share of the effort that is used, 0 to 1, and what is being tried.
    """

    def __init__(self, decisions: int, seconds: float, progress: Callable[[float, str], None] | None = None) -> None:
        self.decisions, self.seconds, self.used = decisions, seconds, 0
        self._start, self._progress, self._reported = monotonic(), progress, 0
        self.trying = ""

    @property
    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return monotonic() - self._start

    @property
    def share(self) -> float:
        """Return the share of the decisions that is used."""
        return self.used / self.decisions

    def spend(self, decisions: int = 1) -> None:
        """Count decisions.

        Raises:
            OutOfEffort: none are left, or the time is over.
        """
        self.used += decisions
        if self.used > self.decisions:
            self._end()
        if self.used - self._reported >= 50:
            self._reported = self.used
            if self.elapsed > self.seconds:
                self._end()
            self._report(max(self.share, self.elapsed / self.seconds))

    def _end(self) -> NoReturn:
        self._report(1.0)
        raise OutOfEffort

    def _report(self, share: float) -> None:
        if self._progress is not None:
            self._progress(min(share, 1.0), self.trying)
