"""The environments of one connection, in a process of their own: what blocks or breaks there touches nobody else."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from multiprocessing.connection import Connection
from threading import Thread
from typing import TYPE_CHECKING, Any

from puzzlebox.infant.remote.encoding import EncodingError
from puzzlebox.infant.remote.limits import LARGEST_REQUEST, Limits
from puzzlebox.infant.remote.protocol import (
    PROBLEMS,
    ClosedError,
    Kind,
    RefusedError,
    pack,
    receive,
    refuse,
    send,
    shortened,
)
from puzzlebox.infant.remote.spaces import plain_space

if TYPE_CHECKING:
    from puzzlebox.infant.envs.core import Snapshot
    from puzzlebox.infant.envs.env import InfantEnv


def work(life: Connection, connection: socket.socket, limits: Limits) -> None:
    """Answer the requests of a client that has shown the token, until it leaves; the function of a worker process.

    Args:
        life: a pipe from the server; when it closes, the process ends at once.
        connection: that of the client.
        limits: what the client is granted.
    """
    Thread(target=_end_with, args=(life,), daemon=True).start()
    session = Session(limits)
    try:
        send(connection, pack(Kind.ANSWER, {"version": version("puzzlebox")}))
        while True:
            kind, content = receive(connection, LARGEST_REQUEST, limits.idle_seconds)
            send(connection, session.answer(kind, content))
    except ClosedError:
        connection.close()
    except RefusedError as problem:
        refuse(connection, str(problem))
    except TimeoutError:
        refuse(connection, f"there was no complete request within {limits.idle_seconds:g} seconds")
    except OSError:
        connection.close()
    except Exception as problem:
        refuse(connection, f"the server failed ({type(problem).__name__}); its log has more")
        raise


def _end_with(life: Connection) -> None:
    with suppress(EOFError, OSError):
        life.recv_bytes()
    os._exit(0)


class Session:
    """The environments and snapshots of one connection."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._environments: dict[int, InfantEnv] = {}
        self._snapshots: dict[int, Snapshot] = {}
        self._made = self._saved = 0
        self._verbs: dict[Kind, Callable[[dict[str, Any]], dict[str, Any]]] = {
            Kind.MAKE: self._make,
            Kind.RESET: self._reset,
            Kind.STEP: self._step,
            Kind.RENDER: self._render,
            Kind.SNAPSHOT: self._snapshot,
            Kind.RESTORE: self._restore,
            Kind.CLOSE: self._close,
        }

    def answer(self, kind: Kind, content: dict[str, Any]) -> bytes:
        """Return the answer to a request: its result, or why an environment refuses it.

        Raises:
            RefusedError: it is no request that the protocol knows.
        """
        if kind not in self._verbs:
            raise RefusedError(f"{kind.name} is no request that can be sent here")
        try:
            return pack(Kind.ANSWER, self._verbs[kind](content))
        except RefusedError:
            raise
        except EncodingError as problem:
            raise RefusedError(f"the answer cannot be sent: {problem}") from None
        except tuple(PROBLEMS.values()) as problem:
            name = next(name for name, each in PROBLEMS.items() if isinstance(problem, each))
            return pack(Kind.ERROR, {"kind": name, "message": shortened(str(problem))})

    def _make(self, content: dict[str, Any]) -> dict[str, Any]:
        task, settings = _part(content, "task", str), _part(content, "settings", dict)
        render_mode, script = _part(content, "render_mode", str | None), _part(content, "script", bool)
        if len(self._environments) >= self._limits.environments:
            raise RuntimeError(
                f"this connection has {len(self._environments)} environments, as many as the server allows; close one"
            )
        for name in ("task", "render_mode", "script"):
            if name in settings:
                raise RefusedError(f"{name} is no setting; it has a place of its own in the request")
        from puzzlebox.infant.envs.env import InfantEnv

        env = InfantEnv(task, render_mode=render_mode, script=script, **settings)
        self._made += 1
        self._environments[self._made] = env
        return {
            "environment": self._made,
            "task": env.core.entry.name,
            "observation_space": plain_space(env.observation_space),
            "action_space": plain_space(env.action_space),
            "metadata": dict(env.metadata),
        }

    def _environment(self, content: dict[str, Any]) -> "InfantEnv":
        number = _part(content, "environment", int)
        if number not in self._environments:
            raise RefusedError(f"this connection has no environment {number}")
        return self._environments[number]

    def _reset(self, content: dict[str, Any]) -> dict[str, Any]:
        env, seed = self._environment(content), _part(content, "seed", int)
        observation, info = env.reset(seed=seed, options=content.get("options"))
        return {"observation": observation, "info": info}

    def _step(self, content: dict[str, Any]) -> dict[str, Any]:
        env = self._environment(content)
        if "action" not in content:
            raise RefusedError("the request to step has no action")
        observation, reward, terminated, truncated, info = env.step(content["action"])
        return {
            "observation": observation,
            "reward": reward,
            "terminated": terminated,
            "truncated": truncated,
            "info": info,
        }

    def _render(self, content: dict[str, Any]) -> dict[str, Any]:
        return {"picture": self._environment(content).render()}

    def _snapshot(self, content: dict[str, Any]) -> dict[str, Any]:
        env = self._environment(content)
        for number in _part(content, "forget", list):
            if isinstance(number, int):
                self._snapshots.pop(number, None)
        if len(self._snapshots) >= self._limits.snapshots:
            raise RuntimeError(
                f"this connection has {len(self._snapshots)} snapshots, as many as the server allows; let go of some"
            )
        snapshot = env.snapshot()
        self._saved += 1
        self._snapshots[self._saved] = snapshot
        return {"snapshot": self._saved}

    def _restore(self, content: dict[str, Any]) -> dict[str, Any]:
        env, number = self._environment(content), _part(content, "snapshot", int)
        if number not in self._snapshots:
            raise RefusedError(f"this connection has no snapshot {number}")
        observation, info = env.restore(self._snapshots[number])
        return {"observation": observation, "info": info}

    def _close(self, content: dict[str, Any]) -> dict[str, Any]:
        self._environment(content).close()  # type: ignore[no-untyped-call]
        del self._environments[content["environment"]]
        return {}


def _part(content: dict[str, Any], name: str, kind: Any) -> Any:
    """Return a part of a request; refuse it if it is not there or of another type."""
    value = content.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        wanted = getattr(kind, "__name__", str(kind))
        raise RefusedError(f"the request's {name} is of type {type(value).__name__}; it must be {wanted}")
    return value
