"""Messages between the infant server and its clients, over one TCP connection.

A message is a header of 12 bytes (magic, version, kind, length of the rest; little-endian) and one encoded mapping
(`puzzlebox.infant.remote.encoding`). The client sends a request, the server answers each one in turn:

| request | what it holds | what the answer holds |
|---|---|---|
| HELLO | token | version of Puzzlebox |
| MAKE | task, render_mode, script, settings | environment (its number), spaces, metadata |
| RESET | environment, seed, options | observation, info |
| STEP | environment, action | observation, reward, terminated, truncated, info |
| RENDER | environment | picture |
| SNAPSHOT | environment, forget (numbers of snapshots no longer needed) | snapshot (its number) |
| RESTORE | environment, snapshot | observation, info |
| CLOSE | environment | nothing |

An environment that refuses a value answers with ERROR, and the connection stays open. Bytes that are no request, a
wrong token and an exceeded limit are answered with REFUSAL, and the connection is closed.
"""

import socket
import time
from contextlib import suppress
from enum import IntEnum
from struct import Struct
from typing import Any

from puzzlebox.infant.remote.encoding import EncodingError, decode, encode
from puzzlebox.infant.remote.limits import FAREWELL_SECONDS, MESSAGE_SECONDS

MAGIC, VERSION = b"PZBX", 1
_HEADER = Struct("<4sHHI")
_CHUNK = 1 << 16
_MOST_UNREAD = 1 << 20
_LONGEST_SENTENCE = 2000


# What an environment raises about a value it was given, by the name in an ERROR; the client raises the same.
PROBLEMS: dict[str, type[Exception]] = {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "RuntimeError": RuntimeError,
    "ImportError": ImportError,
}


class Kind(IntEnum):
    """The kind of a message."""

    HELLO = 1
    MAKE = 2
    RESET = 3
    STEP = 4
    RENDER = 5
    SNAPSHOT = 6
    RESTORE = 7
    CLOSE = 8
    ANSWER = 100
    ERROR = 101
    REFUSAL = 102


class RefusedError(ConnectionError):
    """A message that is not accepted, after which the connection ends; the message is one sentence."""


class ClosedError(ConnectionError):
    """The other side has closed the connection between two messages."""


def pack(kind: Kind, content: dict[str, Any]) -> bytes:
    """Return a message as bytes.

    Raises:
        EncodingError: the content holds something that cannot be sent.
    """
    body = encode(content)
    return _HEADER.pack(MAGIC, VERSION, kind, len(body)) + body


def send(connection: socket.socket, message: bytes) -> None:
    """Send a message.

    Raises:
        TimeoutError: the other side does not read it.
        OSError: the connection is broken.
    """
    connection.settimeout(MESSAGE_SECONDS)
    connection.sendall(message)


def receive(
    connection: socket.socket, largest: int, wait_seconds: float | None, whole: bool = False
) -> tuple[Kind, dict[str, Any]]:
    """Return the next message.

    Args:
        connection: where it comes from.
        largest: the most bytes it may have after its header.
        wait_seconds: how long to wait for its first byte; None for ever.
        whole: whether the whole message must come within that time, not only its first byte.

    Raises:
        RefusedError: the bytes are no message, or it is too large.
        ClosedError: the other side closed the connection.
        TimeoutError: nothing came, or a message was not finished.
        OSError: the connection is broken.
    """
    connection.settimeout(wait_seconds)
    begin = time.monotonic()
    first = connection.recv(1)
    if not first:
        raise ClosedError("the connection was closed")
    deadline = begin + wait_seconds if whole and wait_seconds else time.monotonic() + MESSAGE_SECONDS
    _, version, number, length = _HEADER.unpack(first + _read(connection, _HEADER.size - 1, deadline, first))
    if version != VERSION:
        raise RefusedError(f"the message has version {version} of the protocol; this side speaks version {VERSION}")
    if number not in set(Kind):
        raise RefusedError(f"there is no message of kind {number}")
    if length > largest:
        raise RefusedError(f"the message has {length:,} bytes; at most {largest:,} are allowed")
    try:
        content = decode(_read(connection, length, deadline))
    except EncodingError as problem:
        raise RefusedError(f"the message cannot be read: {problem}") from None
    if not isinstance(content, dict):
        raise RefusedError(f"the message holds {type(content).__name__}; it must hold a mapping")
    return Kind(number), content


def _read(connection: socket.socket, size: int, deadline: float, before: bytes = b"") -> bytearray:
    """Read `size` bytes. Memory grows with the bytes that have come, not with the length that was announced."""
    data = bytearray()
    while len(data) < size:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the message was not finished in time")
        connection.settimeout(left)
        part = connection.recv(min(size - len(data), _CHUNK))
        if not part:
            raise RefusedError("the connection ended in the middle of a message")
        data += part
        if before and not MAGIC.startswith((before + data)[: len(MAGIC)]):
            raise RefusedError("this is not the protocol of Puzzlebox's infant server")
    return data


def refuse(connection: socket.socket, sentence: str) -> None:
    """Send one sentence and close the connection, whatever state it is in."""
    with suppress(OSError):
        connection.settimeout(FAREWELL_SECONDS)
        connection.sendall(pack(Kind.REFUSAL, {"message": shortened(sentence)}))
        connection.shutdown(socket.SHUT_WR)
        # Closing while bytes are unread would throw away the sentence on its way.
        deadline, unread = time.monotonic() + FAREWELL_SECONDS, 0
        while unread < _MOST_UNREAD and (left := deadline - time.monotonic()) > 0:
            connection.settimeout(left)
            part = connection.recv(_CHUNK)
            if not part:
                break
            unread += len(part)
    connection.close()


def shortened(sentence: str) -> str:
    """Return a sentence without its middle if it is very long: it may quote what a client sent."""
    if len(sentence) <= _LONGEST_SENTENCE:
        return sentence
    half = _LONGEST_SENTENCE // 2
    return f"{sentence[:half]} ... {sentence[-half:]}"
