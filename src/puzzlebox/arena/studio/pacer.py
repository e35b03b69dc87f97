"""One clock for all players: a physics step every 0.02 s, at moments fixed in advance, so that delays do not add up."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from puzzlebox.arena.rules import PHYSICS_STEP

# After a stall the clock catches up at most this many steps; the rest of the lost time is skipped, for all players.
MAX_CATCH_UP_STEPS = 3
# Measurements that are remembered: 100 seconds of 20 players.
_MAX_MEASUREMENTS = 100_000


class ClockedPlayer(Protocol):
    """A player that the clock drives."""

    def tick(self) -> bool:
        """Handle a physics step that is due; returns whether it was taken before returning."""

    def handle_failure(self, problem: Exception) -> None:
        """Handle the exception that `tick` raised."""


class Pacer:
    """Calls `tick` of every player at every physics step.

    Args:
        clock: returns the time in seconds.
        sleep: waits for a number of seconds.

    Attributes:
        lateness: for each step taken, the seconds between the moment it was due and its end.
        stalls: how often the clock skipped time.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._players: dict[int, ClockedPlayer] = {}
        self._has_players = asyncio.Event()
        self.lateness: deque[float] = deque(maxlen=_MAX_MEASUREMENTS)
        self.stalls = 0

    def add(self, player: ClockedPlayer) -> None:
        """Drive a player from the next step on."""
        self._players[id(player)] = player
        self._has_players.set()

    def remove(self, player: ClockedPlayer) -> None:
        """Drive a player no longer."""
        self._players.pop(id(player), None)
        if not self._players:
            self._has_players.clear()

    def __len__(self) -> int:
        """Return the number of players."""
        return len(self._players)

    async def run(self) -> None:
        """Call the players until cancelled."""
        due = self._clock()
        while True:
            if not self._players:
                await self._has_players.wait()
                due = self._clock()
            due += PHYSICS_STEP
            # Sleep also when late, so that the event loop can send and receive.
            await self._sleep(max(0.0, due - self._clock()))
            if self._clock() - due > MAX_CATCH_UP_STEPS * PHYSICS_STEP:
                self.stalls += 1
                due = self._clock()
            for player in tuple(self._players.values()):
                try:
                    if player.tick():
                        self.lateness.append(self._clock() - due)
                except Exception as problem:  # a failure of one player must not stop the others
                    logging.getLogger(__name__).exception("a step failed")
                    self.remove(player)
                    player.handle_failure(problem)

    def statistics(self) -> dict[str, Any]:
        """Return counts, and percentiles of the lateness in milliseconds."""
        late = sorted(self.lateness)

        def at(share: float) -> float:
            return round(1000 * late[min(len(late) - 1, int(share * len(late)))], 3) if late else 0.0

        return {
            "players": len(self._players),
            "steps": len(late),
            "stalls": self.stalls,
            "late_ms": {"p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "most": at(1.0)},
        }
