"""The limits of the studio in numbers, seconds and bytes. docs/concepts/reliability.md lists them."""

from dataclasses import dataclass

# Participants and watched agents at the same time, by default.
PLAYERS = 64

# Seconds.
HANDSHAKE_SECONDS = 10.0  # for a TLS handshake
REQUEST_SECONDS = 10.0  # for a complete request, from the connection or the last answer
UPLOAD_SECONDS = 60.0  # for the body of a request
KEEP_ALIVE_SECONDS = 5  # between two requests
STALLED_SECONDS = 20.0  # without progress in sending to a page
PING_SECONDS, PONG_SECONDS = 20.0, 20.0  # between two pings of a WebSocket, and for the answer to one
CLOSE_SECONDS = 3.0  # for the page's answer when the studio closes a WebSocket

# Pings and message fragments of one WebSocket in five seconds.
MAX_CONTROL_FRAMES = 500
# Bytes of the body of a request: a task file at its own limit (1 MiB) and a little more, so that a file that is too
# large gets the sentence about task files.
MAX_REQUEST_BYTES = (1 << 20) + 4096
# Bytes of one message from a page.
LARGEST_MESSAGE = 64 * 1024
# Connections that wait to be accepted.
BACKLOG = 128
# Files the program itself has open: recordings, libraries, a film that is being written.
_OWN_FILES = 64


@dataclass(frozen=True)
class Limits:
    """The numbers of connections that the studio accepts.

    Attributes:
        connections: from all addresses together.
        per_address: from one address other than this machine; a class of participants may share one.
    """

    connections: int = 640
    per_address: int = 480

    @classmethod
    def of(cls, players: int, files: int | None = None) -> "Limits":
        """Return the limits for a number of players.

        Args:
            players: how many may play at the same time. A browser opens at most seven connections for each.
            files: how many files the program may have open; None: unlimited.
        """
        wanted = 8 * players + 128
        if files is not None:
            wanted = max(16, min(wanted, files - _OWN_FILES - BACKLOG))
        return cls(wanted, 3 * wanted // 4)


def raise_file_limit(players: int) -> int | None:
    """Raise the limit of open files to what the connections of `players` need, as far as the system allows.

    Returns:
        The number of files the program may open now; None if it is unlimited.
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
        target = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
            soft = target
        except (OSError, ValueError):  # some systems report a limit that they do not grant
            pass
    return soft
