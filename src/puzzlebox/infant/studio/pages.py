"""The wing's page of the studio, and the addresses behind it: docs/reference/studio-protocol.md describes each.

MuJoCo is imported when a task is opened, so that the studio starts without it.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from puzzlebox.agents import agent_names, describe
from puzzlebox.infant.catalogue import CATALOGUE, entry_named
from puzzlebox.studio import protocol
from puzzlebox.studio.pages import Gallery, GalleryTask, StudioContext
from puzzlebox.studio.requests import answer_head
from puzzlebox.text import nearest

if TYPE_CHECKING:
    from puzzlebox.infant.studio.sessions import Sessions

_WING, _PLAY, _SOCKET = "infant", "/infant/play", "/ws/infant"
_PARTS = ("mujoco", "slab")
_SCRIPT = "infant-script"
_PICTURE, _SEED = (480, 320), 1
_ABOUT = "A child with two eyes, two ears and a skin that feels. Play it, or watch an agent."
_INVALID = 1008


def missing() -> str:
    """Return a sentence about what infant tasks lack on this machine; "" if nothing."""
    lacking = [each for each in _PARTS if find_spec(each) is None]
    if not lacking:
        return ""
    return f"infant tasks need {' and '.join(lacking)}; pip install 'puzzlebox[infant]' brings it"


class InfantPages:
    """The page on which infant tasks are played and watched."""

    addresses: Sequence[str] = (_PLAY,)
    for_participants: Sequence[str] = (_PLAY, _SOCKET)

    def __init__(self) -> None:
        self.sessions: Sessions | None = None
        # The start page asks for a dozen pictures at once; other requests must not wait behind them.
        self._painter = ThreadPoolExecutor(1, "puzzlebox-infant-pictures")

    def add_task(self, source: str) -> str:
        """Return the name under which pages play a task, such as `infant/grab-object`."""
        if source == "*":
            raise ValueError(f"name one infant task, such as {_WING}/kick-the-ball; there are {', '.join(CATALOGUE)}")
        name = entry_named(source).name
        if missing():
            raise ValueError(missing())
        return f"{_WING}/{name}"

    def address_of(self, task: str | None, *, seed: int | None = None, agent: str | None = None) -> str:
        """Return the address of the page that plays a task, or that shows an agent playing it."""
        # An import path or a folder is not among the names; pages may open it because the command line named it.
        named = agent is not None and not {":", "/"} & set(agent)
        if agent is not None and named and agent not in agent_names(_WING):
            raise ValueError(f"the agent {agent!r} does not play infant tasks{nearest(agent, agent_names(_WING))}")
        parameters = {"task": task, "agent": agent, "seed": seed}
        return f"{_PLAY}?{urlencode({name: value for name, value in parameters.items() if value is not None})}"

    def gallery(self) -> Gallery:
        """Return the tasks for the start page."""
        tasks = [
            GalleryTask(
                f"{_WING}/{each.name}",
                each.title,
                each.group,
                self.address_of(f"{_WING}/{each.name}"),
                self.address_of(f"{_WING}/{each.name}", agent=_SCRIPT),
                f"/api/infant/pictures/{quote(each.name)}.png",
            )
            for each in CATALOGUE.values()
        ]
        return Gallery("The infant", _ABOUT, missing(), tasks)

    def routes(self, context: StudioContext) -> Sequence[BaseRoute]:
        """Return the routes of the wing's addresses."""
        if not missing():
            from puzzlebox.infant.studio.sessions import Sessions

            self.sessions = Sessions(context.store, context.players, context.agent)
        return [
            Route("/api/infant/agents", self._agents),
            Route("/api/infant/pictures/{name}", self._picture),
            WebSocketRoute(_SOCKET, self._socket),
        ]

    async def open(self) -> None:
        """Start to report what is stored."""
        if self.sessions is not None:
            await self.sessions.open()

    async def close(self) -> None:
        """Stop playing; unfinished episodes can be resumed later."""
        self._painter.shutdown(wait=False, cancel_futures=True)
        if self.sessions is not None:
            await self.sessions.close()

    async def _socket(self, websocket: WebSocket) -> None:
        if self.sessions is None:
            await websocket.accept()
            await websocket.receive()
            await websocket.send_text(protocol.compact({"type": "error", "message": missing()}))
            await websocket.close(_INVALID)
            return
        from puzzlebox.infant.studio.tab import Tab

        await Tab(websocket, self.sessions, getattr(websocket.state, "link", None)).run()

    async def _agents(self, request: Request) -> Response:
        """List the agents that play infant tasks."""

        def list_agents() -> list[dict[str, str]]:
            return [{"name": name, "description": _description(name)} for name in agent_names(_WING)]

        return JSONResponse({"agents": await asyncio.to_thread(list_agents)})

    async def _picture(self, request: Request) -> Response:
        """Send a picture of the beginning of a task, from outside."""
        name = request.path_params["name"].removesuffix(".png")
        if name not in CATALOGUE:
            raise HTTPException(404, f"there is no infant task {name[:40]!r}{nearest(name, list(CATALOGUE))}")
        if missing():
            raise HTTPException(400, missing())
        if request.method == "HEAD":
            return answer_head("image/png")
        data = await asyncio.get_running_loop().run_in_executor(self._painter, _paint, name)
        return Response(data, media_type="image/png", headers={"Cache-Control": "private, max-age=600"})


@cache
def _paint(name: str) -> bytes:
    from puzzlebox.infant.envs.env import InfantEnv
    from puzzlebox.infant.envs.views import OUTSIDE, picture
    from puzzlebox.scene.png import png

    env = InfantEnv(name, senses=("balance",))
    env.reset(seed=_SEED)
    return png(picture(env.core.play, OUTSIDE, _PICTURE), 4)


def _description(name: str) -> str:
    """Return what an agent does, or why its package cannot be imported."""
    try:
        return describe(name)
    except ValueError as problem:
        return str(problem)
