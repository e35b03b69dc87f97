"""The limits of the studio: how many at once, how long, how much. docs/concepts/reliability.md lists them."""

from dataclasses import dataclass

# Participants and watched agents at the same time, where nobody asks for another number, and at most.
PLAYERS, MOST_PLAYERS = 64, 1000

# Seconds.
HANDSHAKE_SECONDS = 10.0  # for the handshake of TLS
REQUEST_SECONDS = 10.0  # for a complete request, from the connection or the last answer on
UPLOAD_SECONDS = 60.0  # for the body of a request
KEEP_ALIVE_SECONDS = 5  # between two requests
STALLED_SECONDS = 20.0  # without one byte taken by a page that is being answered
PING_SECONDS, PONG_SECONDS = 20.0, 20.0  # between two pings of a WebSocket, and for the answer to one
CLOSE_SECONDS = 3.0  # for the page's answer where the studio closes a WebSocket

# Pings and pieces of messages of one WebSocket in five seconds.
MOST_CONTROL = 500
# Bytes of one message that a page sends.
LARGEST_MESSAGE = 64 * 1024
# Connections that wait to be accepted.
BACKLOG = 128
# Files the program itself has open: recordings, libraries, a film that is being written.
_OWN_FILES = 64


@dataclass(frozen=True)
class Limits:
    """How many connections there may be.

    Attributes:
        connections: all of them together.
        per_address: those of one address that is not this machine's own. A class of participants may share one.
    """

    connections: int = 640
    per_address: int = 480

    @classmethod
    def of(cls, players: int, files: int | None = None) -> "Limits":
        """Limits for a number of participants.

        Args:
            players: how many may play at the same time. A browser opens at most seven connections for each.
            files: how many files the program may have open; None: no matter.
        """
        wanted = 8 * players + 128
        if files is not None:
            wanted = max(16, min(wanted, files - _OWN_FILES - BACKLOG))
        return cls(wanted, 3 * wanted // 4)


def raise_file_limit(players: int) -> int | None:
    """Let the program open as many files as its connections need, where the system allows that.

    Returns:
        How many files it may open now; None where the system has no such limit.
    """
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return None
    wanted = Limits.of(players).connections + _OWN_FILES + BACKLOG
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    if soft < wanted:
        more = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
            soft = more
        except (OSError, ValueError):  # some systems name a limit they do not grant
            pass
    return soft
