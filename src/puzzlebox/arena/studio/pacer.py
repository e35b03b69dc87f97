"""One clock for all players: a physics step every 0.02 s, at moments fixed beforehand, so that no delay adds up."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from puzzlebox.arena.rules import PHYSICS_STEP

# After a stall so many steps are made up for; the rest of the lost time is gone, for everybody alike.
MOST_BEHIND = 3
# So many measurements are kept: 20 players for 100 seconds.
_KEPT = 100_000


class Paced(Protocol):
    """Somebody who moves with the clock."""

    def tick(self) -> bool:
        """Another physics step is due; whether one was taken here and now."""

    def failed(self, problem: Exception) -> None:
        """The last tick raised this."""


class Pacer:
    """Calls everybody at every physics step.

    Args:
        clock: what time it is, in seconds.
        sleep: waits so many seconds.

    Attributes:
        lateness: of each step that was taken, how many seconds after its moment it was done.
        stalls: how often time was given up.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._players: dict[int, Paced] = {}
        self._somebody = asyncio.Event()
        self.lateness: deque[float] = deque(maxlen=_KEPT)
        self.stalls = 0

    def add(self, player: Paced) -> None:
        """Somebody joins."""
        self._players[id(player)] = player
        self._somebody.set()

    def remove(self, player: Paced) -> None:
        """Somebody leaves."""
        self._players.pop(id(player), None)
        if not self._players:
            self._somebody.clear()

    def __len__(self) -> int:
        return len(self._players)

    async def run(self) -> None:
        """Keep time until cancelled."""
        due = self._clock()
        while True:
            if not self._players:
                await self._somebody.wait()
                due = self._clock()
            due += PHYSICS_STEP
            # Also where it is late: those who send and receive must have their turn.
            await self._sleep(max(0.0, due - self._clock()))
            if self._clock() - due > MOST_BEHIND * PHYSICS_STEP:
                self.stalls += 1
                due = self._clock()
            for player in tuple(self._players.values()):
                try:
                    if player.tick():
                        self.lateness.append(self._clock() - due)
                except Exception as problem:  # one player's mistake must not stop the others' time
                    logging.getLogger(__name__).exception("a step failed")
                    self.remove(player)
                    player.failed(problem)

    def figures(self) -> dict[str, Any]:
        """How punctual it was, in milliseconds."""
        late = sorted(self.lateness)

        def at(share: float) -> float:
            return round(1000 * late[min(len(late) - 1, int(share * len(late)))], 3) if late else 0.0

        return {
            "players": len(self._players),
            "steps": len(late),
            "stalls": self.stalls,
            "late_ms": {"p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "most": at(1.0)},
        }
