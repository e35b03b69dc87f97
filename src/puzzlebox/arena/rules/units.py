"""The units of time of the arena: the physics step, and the units of other times."""

# Seconds of one physics step; the original runs its physics 50 times a second.
PHYSICS_STEP = 0.02
# Physics steps in one unit of a task's `time_limit` and `blackouts`: a limit of 250 units is 1,250 steps, or 25 s.
TIME_UNIT = 5
# Physics steps (2.5 s) for which an episode shows how it ended, if the task asks for a notification.
NOTICE_STEPS = 125
# Durations of more seconds than this never end.
_LONGEST = 1e6


def steps_in(seconds: float) -> int:
    """Return how many physics steps a time in seconds lasts."""
    return round(min(seconds, _LONGEST) / PHYSICS_STEP)
