"""The bits of `flags` of a recorded step; the studio's frames have the same."""

LIGHT_ON, OVER, CANNOT_MOVE, HEALTH_STANDS, NOTIFICATION, PASSED, PAUSED, WAITING = (1 << bit for bit in range(8))
