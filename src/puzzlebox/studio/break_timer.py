"""Counts how long an episode stood still: page hidden or disconnected, disk too slow, or menu open."""

import time
from collections.abc import Callable


class BreakTimer:
    """Counts the milliseconds in which the clock of an episode stood still, by reason.

    Args:
        clock: the time in seconds.

    Attributes:
        hidden: the page is hidden, or has lost its connection.
        paused: the menu is open.
        stalled: too much is not saved yet, so the episode waits for the disk.
        hidden_ms: milliseconds the page was hidden, or the episode waited for the disk.
        paused_ms: milliseconds the menu was open on a page that was not hidden.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.hidden = self.paused = self.stalled = False
        self.start()

    def start(self, hidden_ms: float = 0.0, paused_ms: float = 0.0) -> None:
        """Start to count for another episode, from the milliseconds it has already."""
        self._hidden_ms, self._paused_ms = hidden_ms, paused_ms
        self._since = self._clock()

    @property
    def stopped(self) -> bool:
        """Whether the clock of the episode stands still now, for any reason."""
        return self.hidden or self.paused or self.stalled

    def set_hidden(self, on: bool) -> None:
        """Note that the page was hidden or shown."""
        self._count()
        self.hidden = on

    def set_paused(self, on: bool) -> None:
        """Note that the menu was opened or closed."""
        self._count()
        self.paused = on

    def set_stalled(self, on: bool) -> None:
        """Note that the episode begins or ceases to wait for the disk."""
        self._count()
        self.stalled = on

    @property
    def hidden_ms(self) -> float:
        """Milliseconds up to now that the page was hidden, or that the episode waited for the disk."""
        self._count()
        return self._hidden_ms

    @property
    def paused_ms(self) -> float:
        """Milliseconds up to now that the menu was open on a page that was not hidden."""
        self._count()
        return self._paused_ms

    def _count(self) -> None:
        now = self._clock()
        passed, self._since = 1000 * (now - self._since), now
        if self.hidden or self.stalled:
            self._hidden_ms += passed
        elif self.paused:
            self._paused_ms += passed
