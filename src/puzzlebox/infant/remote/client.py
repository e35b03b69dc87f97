"""The client of the infant server: `connect` returns an ordinary environment of Gymnasium. It needs no MuJoCo."""

import socket
import weakref
from contextlib import suppress
from copy import deepcopy
from threading import Lock
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.remote.limits import LARGEST_ANSWER
from puzzlebox.infant.remote.protocol import PROBLEMS, ClosedError, Kind, RefusedError, pack, receive, send
from puzzlebox.infant.remote.spaces import space_from
from puzzlebox.seeds import check_seed, next_episode_seed

# How long an answer may take: making an environment is the slowest request.
ANSWER_SECONDS = 120.0


def connect(
    address: str, task: str, *, token: str, render_mode: str | None = None, script: bool = False, **settings: Any
) -> "RemoteInfantEnv":
    """Make an environment of a task on an infant server (`puzzlebox infant serve`).

    The same seed and actions give the same bytes as an environment of this process. `close` also closes the
    connection.

    Args:
        address: the server, as `host:port`.
        task: the name of a task: `grab-object`, `GrabObject` or `puzzlebox/Infant-GrabObject-v1`.
        token: the secret that the server printed when it started.
        render_mode: None or "rgb_array", a picture from outside.
        script: whether `info["script"]` has the next action of the script that solves the task.
        settings: those of the task; see the guide of the infant wing.

    Raises:
        ConnectionError: there is no server, or it refuses the connection.
        ValueError: the address, a name or a setting is not allowed.
    """
    link = Link(address, token)
    try:
        return link.make(task, render_mode=render_mode, script=script, owner=True, **settings)
    except BaseException:
        link.close()
        raise


class Link:
    """A connection to an infant server, on which several environments can be made. They take turns.

    Args:
        address: the server, as `host:port`.
        token: the secret that the server printed when it started.
        seconds: how long an answer may take.

    Raises:
        ConnectionError: there is no server, or it refuses the connection.
        ValueError: the address is not `host:port`.
    """

    def __init__(self, address: str, token: str, seconds: float = ANSWER_SECONDS) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._connection: socket.socket | None = None
        try:
            self._connection = socket.create_connection(_host_and_port(address), seconds)
            self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as problem:
            raise ConnectionError(f"there is no infant server at {address}: {problem.strerror or problem}") from None
        self.ask(Kind.HELLO, {"token": token})

    def make(
        self, task: str, *, render_mode: str | None = None, script: bool = False, owner: bool = False, **settings: Any
    ) -> "RemoteInfantEnv":
        """Make an environment; the arguments are those of `connect`, and `owner` closes the connection with it."""
        request = {"task": task, "render_mode": render_mode, "script": script, "settings": settings}
        return RemoteInfantEnv(self, self.ask(Kind.MAKE, request), render_mode, owner)

    def ask(self, kind: Kind, content: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its answer.

        Raises:
            ConnectionError: the connection is closed or broken, or the server refuses it.
            ValueError: the environment refuses a value; so do TypeError, RuntimeError and ImportError.
        """
        message = pack(kind, content)
        with self._lock:
            if self._connection is None:
                raise ConnectionError("the connection to the infant server is closed")
            try:
                with suppress(BrokenPipeError, ConnectionResetError):  # the server may have sent why
                    send(self._connection, message)
                answer, found = receive(self._connection, LARGEST_ANSWER, self._seconds)
            except BaseException as problem:
                # An answer that comes later would be taken for that of the next request.
                self._close()
                if isinstance(problem, TimeoutError):
                    raise ConnectionError(f"the infant server did not answer within {self._seconds:g} s") from None
                if isinstance(problem, ClosedError | ConnectionResetError):
                    raise ConnectionError("the infant server closed the connection") from None
                raise
            if answer not in (Kind.ANSWER, Kind.ERROR):
                self._close()
                raise RefusedError(str(found.get("message", "the infant server refused the connection")))
        if answer is Kind.ERROR:
            raise PROBLEMS.get(str(found.get("kind")), RuntimeError)(found.get("message"))
        return found

    def close(self) -> None:
        """Close the connection; the server then closes its environments."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":") if isinstance(address, str) else ("", "", "")
    if not host or not port.isascii() or not port.isdecimal() or not 1 <= int(port) <= 65535:
        raise ValueError(f"the address is {address!r}; it must be host:port, as in 127.0.0.1:8818")
    return host.removeprefix("[").removesuffix("]"), int(port)


class RemoteSnapshot:
    """The state of a remote environment, kept by the server until this object is gone or the connection ends."""

    def __init__(self, link: Link, number: int, rng: dict[str, Any]) -> None:
        self.link, self.number, self.rng = link, number, rng

    def __reduce__(self) -> Any:
        """Refuse to be pickled: the state itself is on the server."""
        raise TypeError("a snapshot of a remote environment belongs to its connection and cannot be pickled")


class RemoteInfantEnv(gym.Env[Any, Any]):
    """A task of the toolkit on an infant server; `connect` makes one.

    It draws the seeds of later episodes itself, as an environment of this process does, so that `np_random` is the
    same.
    """

    def __init__(self, link: Link, made: dict[str, Any], render_mode: str | None, owner: bool) -> None:
        self.link, self.task, self.render_mode = link, str(made["task"]), render_mode
        self.metadata = made["metadata"]
        self.observation_space = space_from(made["observation_space"])
        self.action_space = space_from(made["action_space"])
        self._number, self._owner, self._open = made["environment"], owner, True
        self._forget: list[int] = []

    def _ask(self, kind: Kind, **content: Any) -> dict[str, Any]:
        return self.link.ask(kind, {"environment": self._number, **content})

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; with a seed it is that episode, without one its seed is drawn."""
        super().reset(seed=None if seed is None else check_seed(seed))
        own = next_episode_seed(self.np_random) if seed is None else check_seed(seed)
        answer = self._ask(Kind.RESET, seed=own, options=options)
        return answer["observation"], answer["info"]

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Hold an action for 1/15 s."""
        answer = self._ask(Kind.STEP, action=action)
        return answer["observation"], answer["reward"], answer["terminated"], answer["truncated"], answer["info"]

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """Return a picture from outside, 480 x 360 pixels."""
        if self.render_mode is None:
            return None
        picture: NDArray[np.uint8] = self._ask(Kind.RENDER)["picture"]
        return picture

    def snapshot(self) -> RemoteSnapshot:
        """Return the state of everything, to go back to over the same connection."""
        forget = self._forget.copy()
        number = self._ask(Kind.SNAPSHOT, forget=forget)["snapshot"]
        del self._forget[: len(forget)]
        found = RemoteSnapshot(self.link, number, deepcopy(dict(self.np_random.bit_generator.state)))
        # The server hears of it with the next snapshot: an object may vanish at any time, also during a request.
        weakref.finalize(found, self._forget.append, number)
        return found

    def restore(self, snapshot: RemoteSnapshot) -> tuple[Any, dict[str, Any]]:
        """Go back to a snapshot of the same task and settings, and return what `reset` would return there.

        Raises:
            TypeError: it is not a snapshot of a remote environment.
            ValueError: it is one of another connection, task or of other settings.
        """
        if not isinstance(snapshot, RemoteSnapshot):
            raise TypeError(f"only what `snapshot` returned can be restored, not {type(snapshot).__name__}")
        if snapshot.link is not self.link:
            raise ValueError("the snapshot belongs to another connection, where its state is kept")
        answer = self._ask(Kind.RESTORE, snapshot=snapshot.number)
        self.np_random.bit_generator.state = deepcopy(snapshot.rng)
        return answer["observation"], answer["info"]

    def close(self) -> None:
        """Close the environment on the server, and the connection if it was made for it."""
        if not self._open:
            return
        self._open = False
        if self._owner:
            self.link.close()
        else:
            with suppress(ConnectionError):
                self._ask(Kind.CLOSE)
