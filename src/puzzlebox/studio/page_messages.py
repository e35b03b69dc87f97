"""The JSON messages that pages send over a WebSocket: how they are received and checked, in every wing."""

import json
import time
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

# Messages a second, and in a burst: a gamepad sends at most 125 a second.
_RATE, _BURST = 200.0, 400.0
# Digits of a number in a text at most.
_LONGEST_NUMBER = 20


class InvalidMessage(Exception):
    """A page sent a message that it may not send; the text is one sentence.

    Attributes:
        gone: whether the page can discard the unstored steps of its episode.
    """

    def __init__(self, sentence: str, *, gone: bool = False) -> None:
        super().__init__(sentence)
        self.gone = gone


class NoPlaceFree(Exception):
    """All places are taken; the text is one sentence."""

    def __init__(self, players: int) -> None:
        super().__init__(f"{'the only place is' if players == 1 else f'all {players} places are'} taken")


class Inbox:
    """Receives the messages of one page, and refuses a page that sends too many.

    Args:
        socket: the connection of the page.
    """

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._allowance, self._counted = _BURST, time.monotonic()

    async def receive(self) -> dict[str, Any]:
        """Return the next message.

        Raises:
            WebSocketDisconnect: the page has disconnected.
            InvalidMessage: it is not a message, or there are too many.
        """
        packet = await self._socket.receive()
        if packet["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(packet.get("code", 1005))
        now = time.monotonic()
        self._allowance = min(_BURST, self._allowance + (now - self._counted) * _RATE) - 1
        self._counted = now
        if self._allowance < 0:
            raise InvalidMessage(f"the page sent more than {_RATE:.0f} messages a second")
        try:
            message = json.loads(packet.get("text") or "")
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            raise InvalidMessage("a message must be a JSON object with a `type`")
        return message


def read_number(message: dict[str, Any], name: str, most: int) -> int:
    """Return a whole number from 0 to `most` of a message.

    It may be a text of digits, because pages cannot hold whole numbers above 2**53.

    Raises:
        InvalidMessage: it is missing, no whole number, or out of range.
    """
    value = message.get(name)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _LONGEST_NUMBER:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise InvalidMessage(f"{name} is {str(value)[:40]!r}; it must be a whole number from 0 to {most}")
    return value


def read_text(message: dict[str, Any], name: str, longest: int = 300) -> str | None:
    """Return a text of a message, or None if it has none.

    Raises:
        InvalidMessage: it is no text, or too long.
    """
    value = message.get(name)
    if value is not None and (not isinstance(value, str) or len(value) > longest):
        raise InvalidMessage(f"{name} is {str(value)[:40]!r}; it must be a text")
    return value
