"""A remote environment gives the bytes of a local one; strangers and mistakes get one sentence and harm nobody."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

import puzzlebox.infant
from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.infant.remote.client import Link, RemoteInfantEnv
from puzzlebox.infant.remote.encoding import encode
from puzzlebox.infant.remote.limits import Limits
from puzzlebox.infant.remote.protocol import ClosedError, Kind, RefusedError, pack, receive
from puzzlebox.infant.remote.server import Server, check_token
from puzzlebox.infant.remote.spaces import plain_space, space_from

# Quick to make and step; the second has several children and so stacked spaces.
LIGHT: dict[str, Any] = {"senses": ["eyes", "ears", "touch"], "pixels": 16, "hearing": "plain"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(port=0, limits=Limits(connections=4, environments=2, snapshots=3)) as found:
        yield found


@pytest.fixture(scope="module")
def link(server: Server) -> Iterator[Link]:
    """A connection that several tests use, because starting its process takes a second."""
    found = Link(server.address, server.token)
    yield found
    found.close()


def hello(server: Server, token: str) -> socket.socket:
    host, _, port = server.address.rpartition(":")
    connection = socket.create_connection((host, int(port)), 20)
    connection.sendall(pack(Kind.HELLO, {"token": token}))
    return connection


def sentence(connection: socket.socket) -> str:
    """Return the sentence with which a server closes a connection."""
    with connection:
        kind, content = receive(connection, 10_000, 20.0)
        assert kind is Kind.REFUSAL
        with pytest.raises(ClosedError):
            receive(connection, 10_000, 20.0)
    return str(content["message"])


@pytest.mark.parametrize(
    ("task", "settings"), [("kick-the-ball", {}), ("multi-agent-nav", {"agents": 2, "discrete": True})]
)
def test_a_remote_environment_gives_the_bytes_of_a_local_one(link: Link, task: str, settings: dict[str, Any]) -> None:
    local = InfantEnv(task, script=True, render_mode="rgb_array", **LIGHT, **settings)
    remote = link.make(task, script=True, render_mode="rgb_array", **LIGHT, **settings)
    assert remote.observation_space == local.observation_space
    assert remote.action_space == local.action_space
    assert remote.metadata == local.metadata
    local.action_space.seed(3)
    envs = (local, remote)
    one, two = (encode(list(env.reset(seed=2**70))) for env in envs)
    assert one == two
    for step in range(30):
        action = local.action_space.sample()
        one, two = (encode(list(env.step(action))) for env in envs)
        assert one == two, step
    assert np.array_equal(local.render(), remote.render())  # type: ignore[arg-type]
    # Later episodes are drawn from the same stream.
    assert encode(list(local.reset())) == encode(list(remote.reset()))
    assert local.np_random.bit_generator.state == remote.np_random.bit_generator.state
    remote.close()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_client_passes_the_checker(link: Link) -> None:
    env = link.make("kick-the-ball", render_mode="rgb_array", **LIGHT)
    check_env(env, skip_render_check=True)
    env.close()


def test_a_snapshot_continues_byte_for_byte_and_is_forgotten_with_its_object(link: Link) -> None:
    env, other = (link.make("kick-the-ball", **LIGHT) for _ in range(2))
    env.reset(seed=4)
    plan = [env.action_space.sample() for _ in range(6)]
    for action in plan[:3]:
        env.step(action)
    saved = env.snapshot()
    ahead = [encode(list(env.step(action))) for action in plan[3:]]
    later = encode(list(env.reset()))
    for each in (env, other):
        each.restore(saved)
        assert [encode(list(each.step(action))) for action in plan[3:]] == ahead
        assert encode(list(each.reset())) == later
    for _ in range(5):  # more than the server keeps
        env.snapshot()
    kept = [saved, env.snapshot(), env.snapshot()]
    with pytest.raises(RuntimeError, match="3 snapshots, as many as the server allows"):
        env.snapshot()
    del kept
    with pytest.raises(TypeError, match="only what `snapshot` returned"):
        env.restore(None)  # type: ignore[arg-type]
    for each in (env, other):
        each.close()


def test_what_an_environment_refuses_is_raised_here_and_the_connection_stays(link: Link) -> None:
    with pytest.raises(ValueError, match="did you mean `grab-object`"):
        link.make("grab-objekt")
    with pytest.raises(ValueError, match="there is no setting 'pixel'"):
        link.make("kick-the-ball", pixel=3)
    env, other = (link.make("kick-the-ball", **LIGHT) for _ in range(2))
    with pytest.raises(RuntimeError, match="2 environments, as many as the server allows"):
        link.make("kick-the-ball", **LIGHT)
    other.close()
    with pytest.raises(RuntimeError, match="no episode"):
        env.step(env.action_space.sample())
    env.reset(seed=1)
    for wrong in (np.zeros(77, np.float32), "forwards"):
        with pytest.raises((ValueError, TypeError)):
            env.step(wrong)
    with pytest.raises(ValueError, match="cannot be sent"):
        env.step(object())
    env.step(env.action_space.sample())
    env.close()
    env.close()


def test_a_client_that_waits_does_not_hold_up_another_and_limits_hold(server: Server, link: Link) -> None:
    env = link.make("kick-the-ball", **LIGHT)
    env.reset(seed=1)
    strangers = [hello(server, "wrong-token") for _ in range(2)]
    silent = socket.create_connection(strangers[0].getpeername())
    half = hello(server, server.token)
    half.sendall(pack(Kind.RESET, {"environment": 1, "seed": 1})[:-1])  # never finished
    env.step(env.action_space.sample())
    for stranger in strangers:
        assert "token is wrong" in sentence(stranger)
    guest = puzzlebox.infant.connect(server.address, "kick-the-ball", token=server.token, **LIGHT)
    assert isinstance(guest, RemoteInfantEnv)
    guest.reset(seed=1)
    nonsense = hello(server, server.token)
    assert receive(nonsense, 1000, 60.0)[0] is Kind.ANSWER
    with pytest.raises(RefusedError, match="4 connections, as many as it allows"):
        Link(server.address, server.token)
    nonsense.sendall(pack(Kind.STEP, {"environment": 7, "action": 0}))
    assert "no environment 7" in sentence(nonsense)
    for each in (half, silent):
        each.close()
    for each in (guest, env):
        each.step(each.action_space.sample())
        each.close()
    with pytest.raises(ConnectionError, match="is closed"):
        guest.reset(seed=1)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", "not the protocol"),
        (pack(Kind.HELLO, {"token": "x" * 2000}), "at most 1,024"),
        (pack(Kind.HELLO, {"token": None}), "greeting with the token"),
        (pack(Kind.MAKE, {"token": "x"}), "greeting with the token"),
    ],
)
def test_a_stranger_gets_one_sentence(server: Server, data: bytes, reason: str) -> None:
    host, _, port = server.address.rpartition(":")
    connection = socket.create_connection((host, int(port)), 20)
    connection.sendall(data)
    assert reason in sentence(connection)


def test_who_says_nothing_is_sent_away() -> None:
    with Server(port=0, limits=Limits(handshake_seconds=0.2, idle_seconds=0.2)) as server:
        host, _, port = server.address.rpartition(":")
        assert "no greeting within 0.2 seconds" in sentence(socket.create_connection((host, int(port)), 20))
        idle = hello(server, server.token)
        assert receive(idle, 1000, 60.0)[0] is Kind.ANSWER
        assert "within 0.2 seconds" in sentence(idle)


def test_addresses_tokens_and_limits_are_checked() -> None:
    with pytest.raises(ValueError, match="it must be host:port"):
        puzzlebox.infant.connect("nowhere", "grab-object", token="x")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ConnectionError, match="there is no infant server"):
        puzzlebox.infant.connect(f"127.0.0.1:{port}", "grab-object", token="x")
    for token in ("short", "with a space in it", "x" * 300):
        with pytest.raises(ValueError, match="it must have 8 to 256"):
            check_token(token)
    with pytest.raises(ValueError, match="connections is 0"):
        Limits(connections=0)


def test_every_kind_of_space_comes_back() -> None:
    parts = {
        "box": spaces.Box(0, 255, (2, 3), np.uint8),
        "one": spaces.Discrete(3),
        "many": spaces.MultiDiscrete([2, 3]),
    }
    assert space_from(plain_space(spaces.Dict({**parts}))) == spaces.Dict({**parts})
    with pytest.raises(TypeError, match="Text cannot be sent"):
        plain_space(spaces.Text(3))


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    secret = tmp_path / "token.txt"
    secret.write_text("a-secret-of-ours\n")
    command = [sys.executable, "-m", "puzzlebox.cli", "infant", "serve", "--port", "0", "--token-file", str(secret)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        address = line.split(" at ")[1].split(";")[0]
        env = puzzlebox.infant.connect(address, "kick-the-ball", token="a-secret-of-ours", **LIGHT)
        env.reset(seed=1)
        os.kill(process.pid, signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(30) == 0
        assert "a-secret" not in line + rest
        assert "Traceback" not in rest
        with pytest.raises(ConnectionError):
            env.step(env.action_space.sample())
