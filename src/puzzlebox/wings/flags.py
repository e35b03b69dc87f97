"""The bits that `flags` of a step are the sum of; the studio's frames carry the same."""

LIGHT_ON, OVER, CANNOT_MOVE, HEALTH_STANDS, NOTIFICATION, PASSED, PAUSED, WAITING = (1 << bit for bit in range(8))
