"""The wing's pages of the studio, and the addresses behind them: docs/reference/studio-protocol.md describes each."""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from puzzlebox.intuitions.apparatus import WING, in_order, task_names
from puzzlebox.intuitions.catalogue import BACKGROUND, EVALUATION, FAMILIAR, GROUPS, TASKS
from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus
from puzzlebox.intuitions.grid import FPS, TRIALS
from puzzlebox.intuitions.pictures.painters import PAINTERS
from puzzlebox.intuitions.scoring.pairs import levels_of
from puzzlebox.intuitions.studio.films import picture_block, same_trials, trial_block
from puzzlebox.intuitions.studio.judgements import InvalidAnswer, Judgements
from puzzlebox.intuitions.studio.observers import Observers
from puzzlebox.intuitions.studio.plan import Item, Plan
from puzzlebox.intuitions.studio.sources import GENERATED, MOST, Sources, Wanted
from puzzlebox.record import StoreError
from puzzlebox.record.entries import checked_participant
from puzzlebox.studio.pages import StudioContext
from puzzlebox.studio.requests import answer_head, read_number, read_view
from puzzlebox.studio.work_queue import WorkQueue

_WATCH, _JUDGE = "/intuitions", "/intuitions/judge"
_JUDGING, _JUDGED_FILM = "/api/intuitions/judging", "/api/intuitions/judging/film"
_LARGEST_SEED = 999_999_999_999
# Bytes of an answer at most; one has fewer than 300.
_MAX_ANSWER_BYTES = 4096
# Films are the same whenever they are asked for.
_KEPT = {"Cache-Control": "private, max-age=600"}
_BLOCK = "application/octet-stream"
_NOT_STORED = "nothing can be recorded at the moment; please tell the person in charge"


class IntuitionsPages:
    """The wing's pages: watching and judging.

    Attributes:
        observers: the observers that can be shown.
        sources: where pairs come from.
    """

    addresses: Sequence[str] = (_WATCH, _JUDGE)
    for_participants: Sequence[str] = (_JUDGE, _JUDGING, _JUDGED_FILM)

    def __init__(self) -> None:
        self.observers, self.sources = Observers(), Sources()
        self._judgements: Judgements
        self._painting = WorkQueue("films", 2, 60)
        self._thinking = WorkQueue("surprises", 1, 30)

    def add_runs(self, runs: Sequence[str], data: Path | None = None) -> list[str]:
        """Add runs of training, and a folder of films; return sentences about what is incomplete in the folder.

        Raises:
            ValueError, ModuleNotFoundError: a run or the folder cannot be used.
        """
        for run in runs:
            self.observers.add_run(run)
        return [] if data is None else self.sources.add_folder(data)

    def add_task(self, source: str) -> str:
        """Return the name of a plan of judging, such as `intuitions/preference`."""
        return Plan.parse(source).name

    def address_of(self, task: str | None, *, seed: int | None = None, agent: str | None = None) -> str:
        """Return the address of the page on which a plan is judged."""
        if agent is not None:
            raise ValueError("agents do not judge in the browser; `puzzlebox intuitions watch RUN` shows models")
        query = {"task": task or f"{WING}/*", **({} if seed is None else {"seed": str(seed)})}
        return f"{_JUDGE}?{urlencode(query)}"

    def routes(self, context: StudioContext) -> Sequence[BaseRoute]:
        """Return the routes of the wing's addresses."""
        self._judgements = Judgements(context.store)
        return [
            Route("/api/intuitions", self._about),
            Route("/api/intuitions/pair", self._pair),
            Route("/api/intuitions/film", self._film),
            Route("/api/intuitions/surprise", self._surprise),
            Route("/api/intuitions/predictions", self._predictions),
            Route(_JUDGING, self._judging),
            Route(_JUDGING, self._answer, methods=["POST"]),
            Route(_JUDGED_FILM, self._judged_film),
        ]

    async def open(self) -> None:
        """Do nothing: there is no clock to start."""

    async def close(self) -> None:
        """Do nothing: what was acknowledged is stored."""

    # --- watching

    async def _about(self, request: Request) -> Response:
        """List tasks, observers, and folders of films."""
        tasks = [
            {"name": task.name, "title": task.title, "question": task.question, "kind": task.kind}
            for task in (TASKS[name] for name in (*GROUPS[EVALUATION], *GROUPS[BACKGROUND]))
        ]
        about = {"tasks": tasks, "observers": self.observers.plain(), "folders": self.sources.plain()}
        return JSONResponse(about | {"most": MOST, "fps": FPS})

    async def _pair(self, request: Request) -> Response:
        """Describe a pair: what its members show, and how long their trials are."""
        pair = await self._wanted(request)
        info, levels = TASKS[pair.task], levels_of(pair.task, pair.kind)
        texts = [_of_type(text, pair.kind) for text in (info.expected, info.unexpected)]
        described = dict(zip("eu", texts, strict=True))
        members = {
            member: {"level": level, "test": described[member], "frames": [trial.frames for trial in film.trials]}
            for (member, film), level in zip(pair.members(), levels, strict=False)
        }
        same = [True] * TRIALS if pair.unexpected is None else same_trials(pair.expected, pair.unexpected)
        about = {"title": info.title, "question": info.question, "familiarisation": info.familiarisation}
        return JSONResponse({**about, "kind": pair.kind, "members": members, "same": same})

    async def _film(self, request: Request) -> Response:
        """Send a trial of a film."""
        view, trial = read_view(request, PAINTERS, PAINTERS[0]), read_number(request, "trial", 0, 0, TRIALS - 1)
        film = _member(await self._wanted(request), request)
        return await self._painted(request, film, trial, view)

    async def _surprise(self, request: Request) -> Response:
        """Send what surprises an observer in each frame of both tests."""
        pair, observer = await self._wanted(request), request.query_params.get("observer", "")
        async with self._thinking.slot(request):
            return JSONResponse(await _in_thread(lambda: self.observers.surprise(observer, pair)), headers=_KEPT)

    async def _predictions(self, request: Request) -> Response:
        """Send the pictures that an observer predicted, each after the picture that came."""
        film = _member(await self._wanted(request), request)
        observer = request.query_params.get("observer", "")
        if request.method == "HEAD":
            return answer_head(_BLOCK)
        async with self._thinking.slot(request):
            frames, predicted, actual = await _in_thread(lambda: self.observers.predictions(observer, film))
        pictures = [picture for both in zip(predicted, actual, strict=True) for picture in both]
        block = await asyncio.to_thread(picture_block, {"frames": frames}, pictures)
        return Response(block, media_type=_BLOCK, headers=_KEPT)

    async def _wanted(self, request: Request) -> Pair:
        """Return the pair that a request names."""
        query = request.query_params
        wanted = Wanted(
            query.get("source", GENERATED),
            query.get("task", GROUPS[EVALUATION][0]),
            read_number(request, "number", 0, 0, MOST),
            read_number(request, "seed", 1, 0, _LARGEST_SEED),
            query.get("shapes", FAMILIAR),
        )
        pair: Pair = await _in_thread(lambda: self.sources.pair(wanted))
        return pair

    async def _painted(self, request: Request, film: Stimulus, trial: int, view: str) -> Response:
        if request.method == "HEAD":
            return answer_head(_BLOCK)
        async with self._painting.slot(request):
            block = await asyncio.to_thread(trial_block, film, trial, view)
        return Response(block, media_type=_BLOCK, headers=_KEPT)

    # --- judging

    async def _judging(self, request: Request) -> Response:
        """Send what a page needs to begin a judging, or to resume it."""
        plan, participant = _plan_of(request)
        return JSONResponse(await _in_thread(lambda: self._judgements.describe(plan, participant)))

    async def _judged_film(self, request: Request) -> Response:
        """Send a trial of the first or second film of a pair; nothing in it says which of them is the expected one."""
        plan, participant = _plan_of(request)
        judge = participant or request.query_params.get("visit", "")[:64]
        trial, film = read_number(request, "trial", 0, 0, TRIALS - 1), read_number(request, "film", 0, 0, 1)
        if request.query_params.get("place") == "practice":
            item = plan.practice(judge)
        else:
            items = plan.items(judge)
            item = items[read_number(request, "place", 0, 0, len(items) - 1)]
        wanted = _source_of(item)
        films = in_order(await _in_thread(lambda: self.sources.pair(wanted)), item.seed)
        return await self._painted(request, films[film], trial, plan.view)

    async def _answer(self, request: Request) -> Response:
        """Store an answer, and acknowledge it once it is in the file."""
        plan, participant = _plan_of(request)
        answer = await _body(request)
        try:
            stored = await asyncio.to_thread(self._judgements.store, plan, participant, answer)
        except InvalidAnswer as problem:
            raise HTTPException(400, str(problem)) from None
        except StoreError as problem:
            logging.getLogger(__name__).error("%s", problem)
            sentence = _NOT_STORED if getattr(request.state, "link", None) is not None else str(problem)
            raise HTTPException(503, sentence, {"Retry-After": "5"}) from None
        return JSONResponse(stored)


def _of_type(text: str, kind: str) -> str:
    """Return the part of a text of the catalogue that is about one pair type; the whole text if it names none."""
    own = [part for part in text.split("; ") if part.startswith(f"pair type {kind}: ")]
    return own[0].partition(": ")[2] if own else text


def _source_of(item: Item) -> Wanted:
    settings = item.task.settings
    return Wanted(GENERATED, task_names()[item.task.name][0], item.number, settings["seed"], settings["shapes"])


def _member(pair: Pair, request: Request) -> Stimulus:
    """Return the film of a pair that a request names, by the letter of the member."""
    films = dict(pair.members())
    member = request.query_params.get("member", "e")
    if member not in films:
        raise HTTPException(400, f"there is no member {member[:40]!r}; there is {' and '.join(films)}")
    return films[member]


def _plan_of(request: Request) -> tuple[Plan, str | None]:
    """Return the plan that a request names, and its participant; with a participant's link, those of the link."""
    link = getattr(request.state, "link", None)
    query = request.query_params
    try:
        if link is not None:
            task, number, participant = link.task or "", link.seed, link.participant
        else:
            task, participant = query.get("task", f"{WING}/*"), query.get("participant")
            number = read_number(request, "seed", 1, 0, _LARGEST_SEED) if "seed" in query else None
            if participant is not None:
                checked_participant(participant)
        return Plan.parse(task.removeprefix(f"{WING}/"), number), participant
    except ValueError as problem:
        raise HTTPException(400, str(problem)) from None


async def _body(request: Request) -> Any:
    """Return the body of a request, read as JSON."""
    data = bytearray()
    try:
        async for piece in request.stream():
            data += piece
            if len(data) > _MAX_ANSWER_BYTES:
                raise HTTPException(413, f"an answer has at most {_MAX_ANSWER_BYTES} bytes")
    except ClientDisconnect:
        raise HTTPException(400, "the answer broke off") from None
    try:
        return json.loads(bytes(data))
    except (ValueError, RecursionError):
        raise HTTPException(400, "the answer is not JSON") from None


async def _in_thread(work: Callable[[], Any]) -> Any:
    """Return the result of slow work in another thread; what cannot be done is refused with one sentence."""
    try:
        return await asyncio.to_thread(work)
    except KeyError as problem:
        raise HTTPException(404, str(problem.args[0])) from None
    except (ValueError, RuntimeError, StoreError, ModuleNotFoundError) as problem:
        raise HTTPException(400, str(problem)) from None
