"""A page without a browser that plays an infant task: it sends keys, and collects messages and frames."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from puzzlebox.infant.studio.frames import FRAME

TIMEOUT_SECONDS = 30.0


class Frame(NamedTuple):
    """A frame, decoded."""

    head: Any
    action: tuple[float, ...]
    sound: Any
    pictures: list[bytes]


def decode(data: bytes) -> Frame:
    """Decode a frame by the table of the protocol."""
    head = np.frombuffer(data, FRAME, 1)[0]
    place = FRAME.itemsize
    action = np.frombuffer(data, "<f4", head["actions"], place)
    place += 4 * len(action)
    sound = np.frombuffer(data, "<i2", 2 * int(head["samples"]), place).reshape(2, -1)
    place += 2 * sound.size
    pictures = []
    for _ in range(head["pictures"]):
        length = int.from_bytes(data[place : place + 4], "little")
        pictures.append(data[place + 4 : place + 4 + length])
        place += 4 + length
    assert place == len(data)
    return Frame(head, tuple(map(float, action)), sound, pictures)


class InfantPage:
    """A page of a studio on this machine.

    Attributes:
        episode: the last `episode` message.
        texts: all JSON messages.
        frames: all frames.
        actions: the actions of all steps of the episode that were seen, by step.
        stored: the last step that was reported as stored.
        ended: the `ended` message of the episode; None before.
    """

    def __init__(self, port: int, first: dict[str, Any], query: str = "") -> None:
        origin = f"http://127.0.0.1:{port}"
        self._open = ExitStack()
        address = f"ws://127.0.0.1:{port}/ws/infant{query}"
        self._socket = self._open.enter_context(connect(address, origin=origin, max_size=None))  # type: ignore[arg-type]
        self.texts: list[dict[str, Any]] = []
        self.frames: list[Frame] = []
        self.actions: dict[int, tuple[float, ...]] = {}
        self.episode: dict[str, Any] = {}
        self.ended: dict[str, Any] | None = None
        self.stored = -1
        self._keys = 0
        self.send(first)

    def __enter__(self) -> "InfantPage":
        return self

    def __exit__(self, *problem: object) -> None:
        self._open.close()

    def send(self, message: dict[str, Any]) -> None:
        self._socket.send(json.dumps(message))

    def hold(self, **values: float) -> None:
        """Hold controls, by name; all others are released."""
        self._keys += 1
        names = [each["name"] for each in self.episode["controls"]]
        self.send({"type": "keys", "key": self._keys, "values": [values.get(name, 0.0) for name in names]})

    def receive(self) -> str:
        """Take the next message; return its type, or "frame"."""
        data = self._socket.recv(TIMEOUT_SECONDS)
        if isinstance(data, bytes):
            frame = decode(data)
            self.frames.append(frame)
            if frame.head["step"]:
                self.actions[int(frame.head["step"])] = frame.action
            return "frame"
        message = json.loads(data)
        self.texts.append(message)
        if message["type"] == "episode":
            self.episode, self.ended, self.actions = message, None, {}
        elif message["type"] == "ended":
            self.ended = message
        elif message["type"] == "stored":
            self.stored = message["step"]
        return str(message["type"])

    def until(self, condition: Callable[[], Any]) -> None:
        """Receive messages until a condition is true."""
        while not condition():
            self.receive()

    def shown(self) -> "InfantPage":
        """Wait for the episode and its first frame."""
        self.until(lambda: self.episode and self.frames)
        return self

    def refusal(self) -> dict[str, Any]:
        """Return the error with which the studio closes the connection."""
        try:
            while True:
                self.receive()
        except ConnectionClosed:
            return self.texts[-1]
