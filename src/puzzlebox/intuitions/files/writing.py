"""Stimuli as JSON in the published form: a list of nine trials, each a list of frames, one frame a line."""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import repeat

from puzzlebox.intuitions.episodes.stimulus import Blocks, Stimulus, Track, Trial
from puzzlebox.intuitions.files.names import NEWEST, FieldNames, fields_of
from puzzlebox.intuitions.grid import SIZE, TRIALS


def stimulus_json(stimulus: Stimulus, version: str = NEWEST, *, nested: bool = False) -> str:
    """Return a stimulus as JSON.

    Args:
        stimulus: the stimulus.
        version: `1.1` (key and lock are called `pin` and `key`) or `old` (`key` and `lock`).
        nested: wrap agent, home and each object in one more list, as some published files do.
    """
    names = fields_of(version)
    return "[" + ",".join(_trial(trial, names, nested) for trial in stimulus.trials) + "]\n"


# The members of a pair share most of their trials.
@lru_cache(maxsize=TRIALS)
def _trial(trial: Trial, names: FieldNames, nested: bool) -> str:
    # Equal frames are equal texts, and most of a trial is still: each text is made once.
    runs = trial.runs()
    starts = [start for start, _ in runs]
    scenery = [_blocks(each, starts) for each in (trial.walls, trial.barrier)]
    means = [_entity(each, starts) for each in (trial.key, trial.lock)]
    others = [_entity(each, starts, nested) for each in (trial.home, trial.agent, *trial.objects)]
    lines: list[str] = []
    for (_, count), texts in zip(runs, zip(*scenery, *means, *others, strict=True), strict=True):
        walls, barrier, key, lock, home, agent, *objects = texts
        frame = (
            f'{{"size":[{SIZE},{SIZE}],"walls":[{walls}],"fuse_walls":[{barrier}],'
            f'"{names.key}":[{key}],"{names.lock}":[{lock}],'
            f'"objects":[{",".join(filter(None, objects))}],"blocking":[],"home":{home or "[]"},"agent":{agent}}}'
        )
        lines += [frame] * count
    return "[\n" + ",\n".join(lines) + "\n]"


def _entity(track: Track | None, frames: list[int], nested: bool = False) -> Iterable[str]:
    """Return an entity in each of some frames; "" where it is not there."""
    if track is None:
        return repeat("", len(frames))
    red, green, blue = track.color
    rest = f"],{track.half},{json.dumps(track.icon)},[{red},{green},{blue}]]"
    first, rest = ("[[[", f"{rest}]") if nested else ("[[", rest)
    return [
        f"{first}{x},{y}{rest}" if frame < track.until else ""
        for frame, (x, y) in zip(frames, track.corners[frames].tolist(), strict=True)
    ]


def _blocks(blocks: Blocks, frames: list[int]) -> Iterator[str]:
    """Yield the blocks that are there in each of some frames."""
    boxes = zip(blocks.boxes.tolist(), blocks.until.tolist(), strict=True)
    texts = [(f"[[{x},{y}],[{w},{h}]]", until) for (x, y, w, h), until in boxes]
    there, next_change = "", 0
    for frame in frames:
        if frame >= next_change:
            there = ",".join([text for text, until in texts if frame < until])
            next_change = min([until for _, until in texts if frame < until], default=frames[-1] + 1)
        yield there
