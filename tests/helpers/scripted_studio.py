"""A studio in a process of its own for scripted pages, and the comparison of their logs with its recordings."""

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from puzzlebox.arena.world import World
from puzzlebox.record import Store
from scripted_page import Log, ScriptedPage
from studio_page import FOOD_TWICE, TIMEOUT_SECONDS

# Two arenas of six seconds each: kills also meet beginnings and ends.
TWO_SHORT_ARENAS = FOOD_TWICE.replace("time_limit: 100", "time_limit: 60").replace("at: [20, 0, 18]", "at: [20, 0, 38]")


async def start_studio(port: int, data: Path, task: Path) -> asyncio.subprocess.Process:
    """Start a studio in a process of its own, and wait until it can be reached.

    If that takes too long, the error shows what each of its threads is doing.
    """
    command = (sys.executable, "-m", "puzzlebox.cli", "play", str(task), "--no-browser", "--port", str(port))
    with data.with_suffix(".log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *command,
            "--data",
            str(data),
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env=os.environ | {"PYTHONFAULTHANDLER": "1"},
        )
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), 2 * TIMEOUT_SECONDS)
    except TimeoutError:
        process.send_signal(signal.SIGABRT)
        await process.wait()
        line = b""
    assert line, f"the studio did not start:\n{data.with_suffix('.log').read_text()[-4000:]}"
    return process


def compare(store: Store, pages: Sequence[ScriptedPage]) -> Counter[str]:
    """Compare the logs of the pages with the store; return counts."""
    figures: Counter[str] = Counter()
    logs: dict[str, Log] = {}
    for page in pages:
        assert page.notes == [] and page.errors == [] and page.wrong_keys == []
        figures["resumed"] += page.resumed
        logs |= {episode: log for episode, log in page.logs.items() if log.actions or log.acknowledged >= 0}
    newest = {list(page.logs)[-1] for page in pages}
    for episode, log in logs.items():
        assert (log.contradicted, log.cut) == ([], []), (episode, log)
        stored, columns = store.episode(episode), store.steps(episode)
        # No step is lost or doubled, and each has the action that was taken.
        assert columns["step"] == list(range(len(columns["step"]))), episode
        actions = [int(text) for text in columns["actions"][1:]]
        assert len(actions) >= max(log.acknowledged, max(log.actions, default=0)), (episode, log.acknowledged)
        wrong = {step: action for step, action in log.actions.items() if actions[step - 1] != action}
        assert wrong == {}, (episode, wrong)
        world = World.replay(store.record(episode))
        assert world.animals[0].total == columns["total"][-1], episode
        # Every episode that is not being played has come to its end.
        assert stored.finished or episode in newest, (episode, stored)
        assert log.ended is None or stored.ended_by == log.ended
        kinds = [event["kind"] for event in store.events(episode)]
        assert (kinds.count("started"), kinds.count("ended")) == (1, int(world.over)), (episode, kinds)
        figures.update(episodes=1, steps=len(actions), seen=len(log.actions), acknowledged=max(0, log.acknowledged))
    # There is no other episode, unless one began when the studio was stopped at the end.
    assert set(logs) <= {episode.id for episode in store.episodes()} <= set(logs) | newest
    return figures
