"""Stimuli as JSON in the published form: a list of nine trials, each a list of frames, one frame a line."""

import json
from functools import lru_cache
from typing import Any

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
    lines: list[str] = []
    scenery: tuple[Any, ...] = ()
    for start, count in trial.runs():
        there = ((trial.walls.until > start).tobytes(), (trial.barrier.until > start).tobytes())
        if there != scenery:
            scenery = there
            blocks = f'"walls":{_blocks(trial.walls, start)},"fuse_walls":{_blocks(trial.barrier, start)}'
        objects = [_entity(each, start, nested) for each in trial.objects if start < each.until]
        frame = (
            f'{{"size":[{SIZE},{SIZE}],{blocks},'
            f'"{names.key}":{_maybe(trial.key, start)},"{names.lock}":{_maybe(trial.lock, start)},'
            f'"objects":[{",".join(objects)}],"blocking":[],'
            f'"home":{"[]" if trial.home is None else _entity(trial.home, start, nested)},'
            f'"agent":{_entity(trial.agent, start, nested)}}}'
        )
        lines += [frame] * count
    return "[\n" + ",\n".join(lines) + "\n]"


def _blocks(blocks: Blocks, frame: int) -> str:
    boxes = zip(blocks.boxes.tolist(), blocks.until.tolist(), strict=True)
    return "[" + ",".join(f"[[{x},{y}],[{w},{h}]]" for (x, y, w, h), until in boxes if frame < until) + "]"


def _entity(track: Track, frame: int, nested: bool = False) -> str:
    x, y = track.corners[frame].tolist()
    red, green, blue = track.color
    text = f"[[{x},{y}],{track.half},{json.dumps(track.icon)},[{red},{green},{blue}]]"
    return f"[{text}]" if nested else text


def _maybe(track: Track | None, frame: int) -> str:
    return "[]" if track is None or frame >= track.until else f"[{_entity(track, frame)}]"
