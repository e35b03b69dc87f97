"""The limits of the infant server in numbers, seconds and bytes."""

from dataclasses import dataclass, fields

# Bytes of one message: the greeting of a client nobody knows yet, any other request, and an answer. The largest answer
# is that of several children with eyes of 512 x 512 pixels.
LARGEST_GREETING = 1024
LARGEST_REQUEST = 1 << 20
LARGEST_ANSWER = 1 << 26
# Seconds: for a complete greeting; for the rest of a message that has begun, or for sending one; and for the client to
# read the sentence with which a connection ends.
HANDSHAKE_SECONDS = 10.0
MESSAGE_SECONDS = 60.0
FAREWELL_SECONDS = 2.0
# Connections that have not shown a token yet, so that they take no place from those that have; and those that wait to
# be accepted.
STRANGERS = 32
BACKLOG = 64


@dataclass(frozen=True)
class Limits:
    """What the server grants its clients.

    Attributes:
        connections: connections at the same time; each has a process of its own.
        environments: environments of one connection.
        snapshots: snapshots of one connection that the server keeps.
        idle_seconds: seconds without a request after which a connection is closed.
        handshake_seconds: seconds for a complete greeting.
    """

    connections: int = 8
    environments: int = 16
    snapshots: int = 256
    idle_seconds: float = 600.0
    handshake_seconds: float = HANDSHAKE_SECONDS

    def __post_init__(self) -> None:
        """Raise a ValueError unless all limits are above 0."""
        for each in fields(self):
            value = getattr(self, each.name)
            if not value > 0:
                raise ValueError(f"{each.name} is {value!r}; it must be above 0")
