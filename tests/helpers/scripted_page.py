"""A participant made of a program: it keeps what the page keeps, comes back as the page does, and notes what was done.

`Ledger` is `web/src/arena/ledger.ts`, line by line, and `ScriptedPage` the part of `connection.ts` that a loss needs.
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
# Seconds until the next attempt, as in connection.ts, but never long: a test has no time.
_PATIENCE = (0.05, 0.1, 0.25)


class Ledger:
    """What is seen and not known to be stored."""

    def __init__(self) -> None:
        self.episode: str | None = None
        self.stored = self.latest = 0
        self._actions: dict[int, int] = {}

    def begin(self, episode: str, step: int) -> None:
        if episode != self.episode:
            self.episode, self.stored = episode, step
            self._actions.clear()
        else:
            self._actions = {seen: action for seen, action in self._actions.items() if seen <= step}
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
        self._actions = {seen: action for seen, action in self._actions.items() if seen > step}

    def forget(self) -> None:
        self.__init__()  # type: ignore[misc]

    def kept(self) -> list[int]:
        """The actions after `stored`, up to the first step that was not seen."""
        actions: list[int] = []
        while len(actions) < MOST_ACTIONS and self.stored + len(actions) + 1 in self._actions:
            actions.append(self._actions[self.stored + len(actions) + 1])
        return actions


@dataclass
class Log:
    """What one participant knows of one episode, to be compared with the store.

    Attributes:
        actions: what messages said was done in a step; the first word counts.
        contradicted: steps of which two messages named two actions.
        acknowledged: the last step that was said to be stored.
        ended: how it was said to have ended.
        cut: steps that were seen, and that the server did not know when it resumed the episode.
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
    """Plays one task again and again, with keys by chance, until it is told to leave.

    Args:
        port: where the studio is.
        number: which participant of the test this is; its keys depend on it.
        wanted: what the page's address asks for. With a participant, the next one takes over after the last arena.

    Attributes:
        leaves: how likely each change of keys is followed by R or N.
        logs: what it knows of each episode.
        notes: what the studio had to say about an episode that was not resumed.
        errors: sentences with which the studio ended a connection.
        wrong_keys: frames that named an action which was not the one of their keys message.
        resumed: how often it came back.
        frames: how many frames it was sent.
        latencies: seconds from a keys message to the frame in which it counted.
    """

    def __init__(self, port: int, number: int, **wanted: Any) -> None:
        self._address, self._random = f"127.0.0.1:{port}", random.Random(number)
        self._wanted = {"task": None, "arena": None, "seed": None, "agent": None, "participant": None} | wanted
        self._name, self._round = wanted.get("participant"), 0
        self.ledger, self.logs = Ledger(), dict[str, Log]()
        self._socket: ClientConnection | None = None
        self._keys, self._said = 0, dict[int, int]()
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
        """Come back whenever the connection is lost."""
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
            await asyncio.sleep(_PATIENCE[min(tries, len(_PATIENCE) - 1)])
            tries += 1

    async def _talk(self, socket: ClientConnection) -> None:
        await self._say(self._greeting())
        if self.ledger.episode is not None:
            self.resumed += 1
            await self._press(self._held)
        presser = asyncio.create_task(self._fidget())
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

    def _greeting(self) -> dict[str, Any]:
        ledger = self.ledger
        if ledger.episode is None:
            return {"type": "start", **self._wanted}
        said = {"type": "resume", "episode": ledger.episode, "step": ledger.stored, "actions": ledger.kept()}
        return said | self._wanted

    async def _say(self, message: dict[str, Any]) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps(message))

    # --- what it does

    async def _fidget(self) -> None:
        """Other keys, five times a second, and now and then R or N."""
        while True:
            await asyncio.sleep(self._random.uniform(0.1, 0.3))
            chosen = self._random.randrange(9)
            if chosen != self._held:
                await self._press(chosen)
            if self._random.random() < self.leaves:
                await self._say({"type": self._random.choice(("restart", "next"))})

    async def _press(self, action: int) -> None:
        self._keys, self._held = self._keys + 1, action
        self._said[self._keys] = action
        still = FrameFlag.WAITING | FrameFlag.PAUSED | FrameFlag.OVER | FrameFlag.NOTIFICATION
        self._pressed = None if self._flags & still else (self._keys, time.perf_counter())
        await self._say({"type": "keys", "key": self._keys, "action": action})

    # --- what it is told

    async def _text(self, told: dict[str, Any]) -> None:
        kind = told["type"]
        if kind == "episode":
            episode, step = str(told["episode"]), int(told["step"])
            log = self.logs.setdefault(episode, Log())
            log.cut += [seen for seen in log.actions if seen > step]
            if told.get("note"):
                self.notes.append(told["note"])
            self.ledger.begin(episode, step)
        elif kind == "stored":
            log = self.logs.setdefault(str(told["episode"]), Log())
            log.acknowledged = max(log.acknowledged, int(told["step"]))
            self.ledger.store(str(told["episode"]), int(told["step"]))
        elif kind == "ended":
            self.logs[str(told["episode"])].ended = told["cause"]
        elif kind == "error":
            self.errors.append(told["message"])
            kept = told.get("retry") or told.get("elsewhere")
            if told.get("gone") or (not kept and self.ledger.latest <= self.ledger.stored):
                self.ledger.forget()
        elif kind == "finished":
            await self._again(told)

    async def _again(self, told: dict[str, Any]) -> None:
        """Another round; where that is not for this participant, the next one comes."""
        self._round += 1
        self.rounds += 1
        if told["again"]:
            await self._say({"type": "again"})
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
            # Nobody holds anything while nobody is there: then it is 0.
            if key and action not in (self._said.get(key), 0):
                self.wrong_keys.append(f"{episode} step {step}: key {key} was {self._said.get(key)}, not {action}")
            if self._pressed is not None and key >= self._pressed[0]:
                self.latencies.append(time.perf_counter() - self._pressed[1])
                self._pressed = None
            self._flags = int(head["flags"])
            if self._flags & FrameFlag.WAITING and self._begun != (begun := f"{episode} {self.resumed}"):
                self._begun = begun
                await self._say({"type": "begin"})
