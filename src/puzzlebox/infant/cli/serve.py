"""`puzzlebox infant serve`: offer infant environments to other programs and machines."""

from errno import EADDRNOTAVAIL
from pathlib import Path
from typing import Annotated

import typer

from puzzlebox.cli.words import fail, note

_ADDRESSES = "name 127.0.0.1, 0.0.0.0 for all networks, or another address that this machine has"


def serve(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen on; 0.0.0.0 lets other machines connect.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes one that is free.")
    ] = 8818,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            metavar="FILE",
            help="The file with the token that clients must show. Default: a random token, printed once.",
        ),
    ] = None,
    connections: Annotated[
        int, typer.Option(metavar="N", min=1, max=1024, help="Connections at the same time; each has a process.")
    ] = 8,
    environments: Annotated[
        int, typer.Option(metavar="N", min=1, max=1024, help="Environments of one connection.")
    ] = 16,
    idle: Annotated[
        float, typer.Option(metavar="SECONDS", min=1.0, help="Close a connection after so long without a request.")
    ] = 600.0,
) -> None:
    """Offer the tasks of the infant to other programs and machines, until Ctrl-C.

    In Python, `puzzlebox.infant.connect("127.0.0.1:8818", "grab-object", token=...)` is an ordinary environment there.

    Try:

    - `puzzlebox infant serve`
    - `puzzlebox infant serve --host 0.0.0.0 --token-file token.txt --connections 4`
    """
    from importlib.util import find_spec

    if find_spec("mujoco") is None:
        fail("the infant needs MuJoCo, which is not installed", "pip install 'puzzlebox[infant]'")
    from puzzlebox.infant.remote.limits import Limits
    from puzzlebox.infant.remote.server import Server

    token = None
    if token_file is not None:
        try:
            token = token_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as problem:
            fail(f"{token_file} cannot be read: {getattr(problem, 'strerror', None) or 'it is not a text'}")
    limits = Limits(connections=connections, environments=environments, idle_seconds=idle)
    try:
        server = Server(host, port, token, limits)
    except UnicodeError:
        fail(f"--host: {host!r} is not an address", _ADDRESSES)
    except ValueError as problem:
        fail(f"{token_file}: {problem}")
    except OSError as problem:
        # Numbers below 0 are those of a name that cannot be looked up.
        if problem.errno is None or problem.errno < 0 or problem.errno == EADDRNOTAVAIL:
            fail(f"--host: {host} is not an address of this machine", _ADDRESSES)
        fail(f"{host}:{port} cannot be listened on: {problem.strerror or problem}", "name another one with --port")
    note(f"Infant tasks are offered at {server.address}; Ctrl-C ends it.")
    if token is None:
        note(f"Token: {server.token}")
    if host not in ("127.0.0.1", "::1", "localhost"):
        note("The connection is not encrypted: use it in a network you trust, or through an SSH tunnel.")
    try:
        server.serve()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
