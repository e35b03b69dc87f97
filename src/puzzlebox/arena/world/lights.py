"""The light of an arena: a function of the time since the arena began."""

from puzzlebox.arena.rules import TIME_UNIT


class Lights:
    """The times at which the light of one arena goes on and off (docs/original/rewards.md#lights)."""

    def __init__(self, blackouts: tuple[int, ...]) -> None:
        self._period = -blackouts[0] * TIME_UNIT if blackouts and blackouts[0] < 0 else 0
        self._times = () if self._period else tuple(time * TIME_UNIT for time in blackouts)

    def on(self, step: int) -> bool:
        """Return whether the light is on at a physics step."""
        if self._period:
            return step // self._period % 2 == 0
        return sum(time <= step for time in self._times) % 2 == 0

    def next_change(self, step: int) -> int | None:
        """Return the first physics step after `step` at which the light changes; None if there is none."""
        if self._period:
            return (step // self._period + 1) * self._period
        return next((time for time in self._times if time > step), None)
