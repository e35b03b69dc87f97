"""When the light is on: a function of the time since the arena began."""

from puzzlebox.arena.rules import TIME_UNIT


class Lights:
    """The schedule of one arena (docs/original/rewards.md#lights)."""

    def __init__(self, blackouts: tuple[int, ...]) -> None:
        self._period = -blackouts[0] * TIME_UNIT if blackouts and blackouts[0] < 0 else 0
        self._times = () if self._period else tuple(time * TIME_UNIT for time in blackouts)

    def on(self, step: int) -> bool:
        """Whether the light is on after so many physics steps."""
        if self._period:
            return step // self._period % 2 == 0
        return sum(time <= step for time in self._times) % 2 == 0

    def next_change(self, step: int) -> int | None:
        """The next physics step after this one at which it changes; None when it never will."""
        if self._period:
            return (step // self._period + 1) * self._period
        return next((time for time in self._times if time > step), None)
