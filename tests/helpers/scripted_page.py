"""A scripted participant: it keeps unstored steps and reconnects as the page does, and logs all actions.

`Ledger` translates `web/src/arena/ledger.ts`, and `ScriptedPage` the part of `connection.ts` that reconnects.
"""

import asyncio
import json
import random
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from puzzlebox.studio import protocol
from puzzlebox.studio.protocol import FrameFlag, Message

MOST_ACTIONS = 3000
# Seconds until the next attempts to connect, as in connection.ts, but shorter.
_RETRY_SECONDS = (0.05, 0.1, 0.25)


class Ledger:
    """The actions of the steps that a page has seen and that were not reported as stored."""

    def __init__(self) -> None:
        self.episode: str | None = None
        self.stored = self.latest = 0
        self._actions: dict[int, int] = {}

    def begin(self, episode: str, step: int) -> None:
        if episode != self.episode:
            self.episode, self.stored = episode, step
            self._actions.clear()
        else:
            self._actions = {each: action for each, action in self._actions.items() if each <= step}
            self.stored = min(self.stored, step)
        self.latest = step

    def see(self, step: int, action: int) -> None:
        if self.episode is None or step == 0:
            return
        self.latest = max(self.latest, step)
        if step > self.stored:
            self._actions.setdefault(step, action)

    def store(self, episode: str, step: int) -> None:
        if episode != self.episode or step <= self.stored:
            return
        self.stored = step
        self._actions = {each: action for each, action in self._actions.items() if each > step}

    def forget(self) -> None:
        self.__init__()  # type: ignore[misc]

    def unstored(self) -> list[int]:
        """Return the actions after step `stored`, up to the first step that was not seen."""
        actions: list[int] = []
        while len(actions) < MOST_ACTIONS and self.stored + len(actions) + 1 in self._actions:
            actions.append(self._actions[self.stored + len(actions) + 1])
        return actions


@dataclass
class Log:
    """The messages of one episode, summarised for comparison with the store.

    Attributes:
        actions: the action of each step, by the first message that had it.
        contradicted: steps for which two messages had different actions.
        acknowledged: the last step that was reported as stored.
        ended: the reported cause of its end.
        cut: steps that were seen, but that the server did not know when it resumed the episode.
    """

    actions: dict[int, int] = field(default_factory=dict)
    contradicted: list[int] = field(default_factory=list)
    acknowledged: int = -1
    ended: str | None = None
    cut: list[int] = field(default_factory=list)

    def see(self, step: int, action: int) -> None:
        if step and self.actions.setdefault(step, action) != action:
            self.contradicted.append(step)


class ScriptedPage:
    """Plays one task again and again with random keys, until `leaving` is set.

    Args:
        port: the port of the studio.
        number: the seed of its keys.
        wanted: fields of the first message. With a participant, another one follows after the last arena.

    Attributes:
        leaving: whether to stop.
        leaves: the probability that R or N follows a change of keys.
        logs: the logs of all episodes, by id.
        notes: the notes of episodes that replaced one which was not resumed.
        errors: sentences with which the studio closed a connection.
        wrong_keys: frames whose action was not that of their keys message.
        resumed: how often it reconnected.
        frames: the number of frames received.
        latencies: seconds from a keys message to the frame that shows its action.
    """

    def __init__(self, port: int, number: int, **wanted: Any) -> None:
        self._address, self._random = f"127.0.0.1:{port}", random.Random(number)
        self._wanted = {"task": None, "arena": None, "seed": None, "agent": None, "participant": None} | wanted
        self._name, self._round = wanted.get("participant"), 0
        self.ledger, self.logs = Ledger(), dict[str, Log]()
        self._socket: ClientConnection | None = None
        self._keys, self._key_actions = 0, dict[int, int]()
        self._pressed: tuple[int, float] | None = None
        self._begun = ""
        self._flags = 0
        self._held = 0
        self.leaving, self.leaves = False, 0.0
        self.notes: list[str] = []
        self.errors: list[str] = []
        self.wrong_keys: list[str] = []
        self.resumed = self.frames = self.rounds = 0
        self.latencies: list[float] = []

    # --- the connection

    async def play(self) -> None:
        """Play, and reconnect whenever the connection is lost."""
        tries = 0
        while not self.leaving:
            try:
                async with connect(
                    f"ws://{self._address}/ws",
                    origin=f"http://{self._address}",  # type: ignore[arg-type]
                    compression=None,
                    close_timeout=1,
                    max_size=None,
                ) as self._socket:
                    tries = 0
                    await self._talk(self._socket)
            except (OSError, WebSocketException, EOFError):
                pass
            await asyncio.sleep(_RETRY_SECONDS[min(tries, len(_RETRY_SECONDS) - 1)])
            tries += 1

    async def _talk(self, socket: ClientConnection) -> None:
        await self._send(self._first_message())
        if self.ledger.episode is not None:
            self.resumed += 1
            await self._press(self._held)
        presser = asyncio.create_task(self._press_keys())
        try:
            async for data in socket:
                if isinstance(data, str):
                    await self._text(json.loads(data))
                else:
                    await self._binary(data)
                if self.leaving:
                    return
        finally:
            presser.cancel()
            await asyncio.gather(presser, return_exceptions=True)

    def _first_message(self) -> dict[str, Any]:
        ledger = self.ledger
        if ledger.episode is None:
            return {"type": "start", **self._wanted}
        message = {"type": "resume", "episode": ledger.episode, "step": ledger.stored, "actions": ledger.unstored()}
        return message | self._wanted

    async def _send(self, message: dict[str, Any]) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps(message))

    # --- keys

    async def _press_keys(self) -> None:
        """Press random keys about five times a second, and sometimes R or N."""
        while True:
            await asyncio.sleep(self._random.uniform(0.1, 0.3))
            chosen = self._random.randrange(9)
            if chosen != self._held:
                await self._press(chosen)
            if self._random.random() < self.leaves:
                await self._send({"type": self._random.choice(("restart", "next"))})

    async def _press(self, action: int) -> None:
        self._keys, self._held = self._keys + 1, action
        self._key_actions[self._keys] = action
        still = FrameFlag.WAITING | FrameFlag.PAUSED | FrameFlag.OVER | FrameFlag.NOTIFICATION
        self._pressed = None if self._flags & still else (self._keys, time.perf_counter())
        await self._send({"type": "keys", "key": self._keys, "action": action})

    # --- messages of the studio

    async def _text(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "episode":
            episode, step = str(message["episode"]), int(message["step"])
            log = self.logs.setdefault(episode, Log())
            log.cut += [each for each in log.actions if each > step]
            if message.get("note"):
                self.notes.append(message["note"])
            self.ledger.begin(episode, step)
        elif kind == "stored":
            log = self.logs.setdefault(str(message["episode"]), Log())
            log.acknowledged = max(log.acknowledged, int(message["step"]))
            self.ledger.store(str(message["episode"]), int(message["step"]))
        elif kind == "ended":
            self.logs[str(message["episode"])].ended = message["cause"]
        elif kind == "error":
            self.errors.append(message["message"])
            keeps_steps = message.get("retry") or message.get("elsewhere")
            if message.get("gone") or (not keeps_steps and self.ledger.latest <= self.ledger.stored):
                self.ledger.forget()
        elif kind == "finished":
            await self._play_again(message)

    async def _play_again(self, finished: dict[str, Any]) -> None:
        """Play another round, or continue as another participant if this one may not."""
        self._round += 1
        self.rounds += 1
        if finished["again"]:
            await self._send({"type": "again"})
            return
        self._wanted["participant"] = f"{self._name}-{self._round}"
        self.ledger.forget()
        assert self._socket is not None
        await self._socket.close()

    async def _binary(self, data: bytes) -> None:
        kind, episode = data[0], self.ledger.episode
        if episode is None:
            return
        log = self.logs[episode]
        if kind == Message.ACTIONS:
            head = np.frombuffer(data, protocol.ACTIONS, 1)[0]
            for place, action in enumerate(data[protocol.ACTIONS.itemsize :]):
                log.see(int(head["first"]) + place, action)
                self.ledger.see(int(head["first"]) + place, action)
        elif kind == Message.FRAME:
            head = np.frombuffer(data, protocol.FRAME, 1)[0]
            step, key, action = int(head["step"]), int(head["key"]), int(head["action"])
            self.frames += 1
            log.see(step, action)
            self.ledger.see(step, action)
            # While no page is connected no key is held, and the action is 0.
            if key and action not in (self._key_actions.get(key), 0):
                self.wrong_keys.append(
                    f"{episode} step {step}: key {key} was {self._key_actions.get(key)}, not {action}"
                )
            if self._pressed is not None and key >= self._pressed[0]:
                self.latencies.append(time.perf_counter() - self._pressed[1])
                self._pressed = None
            self._flags = int(head["flags"])
            if self._flags & FrameFlag.WAITING and self._begun != (begun := f"{episode} {self.resumed}"):
                self._begun = begun
                await self._send({"type": "begin"})
