"""How long a person could not play: the page was hidden or gone, nothing could be saved, or the menu was open."""

import time
from collections.abc import Callable


class Presence:
    """Counts the milliseconds of one episode in which its clock stood still, by their reason.

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
        self.begin()

    def begin(self, hidden_ms: float = 0.0, paused_ms: float = 0.0) -> None:
        """Count for another episode, from what is known of it already."""
        self._hidden_ms, self._paused_ms = hidden_ms, paused_ms
        self._since = self._clock()

    @property
    def away(self) -> bool:
        """Whether the episode must stand still."""
        return self.hidden or self.paused or self.stalled

    def hide(self, on: bool) -> None:
        """The page is hidden, or seen again."""
        self._count()
        self.hidden = on

    def pause(self, on: bool) -> None:
        """The menu is open, or closed again."""
        self._count()
        self.paused = on

    def stall(self, on: bool) -> None:
        """Too much is not saved yet, or it is saved now."""
        self._count()
        self.stalled = on

    @property
    def hidden_ms(self) -> float:
        """Milliseconds up to now."""
        self._count()
        return self._hidden_ms

    @property
    def paused_ms(self) -> float:
        """Milliseconds up to now."""
        self._count()
        return self._paused_ms

    def _count(self) -> None:
        now = self._clock()
        passed, self._since = 1000 * (now - self._since), now
        if self.hidden or self.stalled:
            self._hidden_ms += passed
        elif self.paused:
            self._paused_ms += passed
