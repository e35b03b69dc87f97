"""Runs of training for the studio: which there are below a folder, their curves, and their agents to watch."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from puzzlebox.agents import register
from puzzlebox.learn.checkpoints import LATEST, resumable
from puzzlebox.learn.logs import EVALUATION, LOG, read_lines
from puzzlebox.learn.run_folder import RUN, is_training, read_run
from puzzlebox.studio.pages import Pages

# Runs that are listed at most, and how many folders deep they are looked for.
_MOST_RUNS, _DEPTH = 200, 2
# Points of a curve at most; of more lines, every second, third, ... is sent.
_MOST_POINTS = 600
_CURVES = ("mean_return", "passed", "speed", "stage")


class TrainingApi:
    """Answers requests for runs of training.

    Args:
        folder: the folder below which runs are looked for.
        pages: the pages of each wing, by its name.
    """

    def __init__(self, folder: Path, pages: Mapping[str, Pages]) -> None:
        self._folder, self._pages = folder, pages

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes of the addresses."""
        return [Route("/api/training", self._list), Route("/api/training/{name:path}", self._describe)]

    async def _list(self, request: Request) -> Response:
        """List all runs, the latest first."""
        runs = await asyncio.to_thread(lambda: [self._summary(name, path) for name, path in self.runs().items()])
        known = [each for each in runs if each is not None]
        return JSONResponse({"runs": sorted(known, key=lambda each: each["changed"], reverse=True)})

    async def _describe(self, request: Request) -> Response:
        """Send the curves of one run."""
        name = request.path_params["name"]
        answer = await asyncio.to_thread(lambda: self._curves(name, self.runs().get(name)))
        if answer is None:
            raise HTTPException(404, f"there is no run of training {name!r} below the folder of the studio")
        return JSONResponse(answer)

    def runs(self) -> dict[str, Path]:
        """Return the folders of runs by their names, which are their paths below the folder of the studio."""
        found: dict[str, Path] = {}
        level = [self._folder]
        for _ in range(_DEPTH + 1):
            below: list[Path] = []
            for each in level:
                if (each / RUN).is_file():
                    found[each.relative_to(self._folder).as_posix()] = each
                elif len(found) < _MOST_RUNS:
                    below += _folders(each)
            level = below
        return dict(list(found.items())[:_MOST_RUNS])

    def _summary(self, name: str, path: Path) -> dict[str, Any] | None:
        """Return a run for the list; None if it is not one of training. Its agent can be watched from then on."""
        try:
            run = read_run(path)
        except (ValueError, OSError):
            return None
        lines = read_lines(path / LOG)
        last: dict[str, Any] = lines[-1] if lines else {}
        checkpoint = resumable(path)
        changed = max((each.stat().st_mtime for each in (path / RUN, path / LOG) if each.exists()), default=0.0)
        return {
            "name": name,
            "learner": run["learner"],
            "preset": run["preset"],
            "curriculum": run["curriculum"],
            "tasks": [each["name"] for each in run["tasks"]],
            "seed": run["seed"],
            "step": last.get("step", 0),
            "steps": run["steps"],
            "episodes": last.get("episodes", 0),
            "mean_return": last.get("mean_return"),
            "passed": last.get("passed"),
            "training": is_training(path),
            "changed": changed,
            "checkpoint": None if checkpoint is None else checkpoint.step,
            "watch": None if checkpoint is None else self._watch(name, path, run),
        }

    def _watch(self, name: str, path: Path, run: Mapping[str, Any]) -> str | None:
        """Return the address at which the agent plays one of its tasks; None if its wing shows none of them."""
        agent = f"{name}/{LATEST}" if name != "." else LATEST
        about = f"What {run['learner']} has learned in {name}, on {len(run['tasks'])} tasks."
        register(agent, _factory(path, run["wing"], about))
        pages = self._pages.get(run["wing"])
        if pages is None:
            return None
        names = [each["name"].removeprefix(f"{run['wing']}/") for each in [*run["evaluation"], *run["tasks"]]]
        for task in [*names, *self._files(path, [*run["evaluation_sources"], *run["sources"]])]:
            try:
                return pages.address_of(pages.add_task(task), agent=agent)
            except (ValueError, OSError) as problem:  # a template, or a file that was moved
                logging.getLogger(__name__).debug("%s", problem)
        return None

    def _files(self, path: Path, sources: Sequence[str]) -> list[str]:
        """Return the task files that the command named, which began in a folder between the studio's and the run."""
        homes = [each for each in path.parents if each == self._folder or self._folder in each.parents]
        return [str(home / source) for source in sources for home in homes if (home / source).is_file()]

    def _curves(self, name: str, path: Path | None) -> dict[str, Any] | None:
        summary = None if path is None else self._summary(name, path)
        if summary is None or path is None:
            return None
        lines = read_lines(path / LOG)
        shown = lines[:: max(1, -(-len(lines) // _MOST_POINTS))]
        if lines and shown[-1] is not lines[-1]:
            shown.append(lines[-1])
        curves = {key: [each.get(key) for each in shown] for key in ("step", *_CURVES)}
        curves = {key: values for key, values in curves.items() if key == "step" or set(values) != {None}}
        evaluations = read_lines(path / EVALUATION)
        keys = ("step", "passed", "mean_return")
        return {
            **summary,
            "curves": curves,
            "evaluation": {key: [each.get(key) for each in evaluations] for key in keys},
            "coverage": {key: lines[-1][key] for key in ("tasks_played", "fewest", "most")} if lines else None,
        }


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
    except OSError:
        return []


def _factory(path: Path, wing: str, about: str) -> Any:
    """Return a function that makes the agent of a run; the studio lists it like any other agent."""

    def trained(greedy: bool = False) -> Any:
        from puzzlebox.learn.trained import TrainedAgent

        try:
            return TrainedAgent(path / LATEST, greedy)
        except (FileNotFoundError, ModuleNotFoundError) as problem:
            raise ValueError(str(problem)) from None

    trained.__doc__ = about
    trained.wing = wing  # type: ignore[attr-defined]
    return trained
