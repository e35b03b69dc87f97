"""Scores of an observer by task, pair type and read-out, with intervals over episodes and over training runs.

Within one set of pairs the episodes are the units: each pair is judged once, right, wrong or tied (a half). A model
that was trained several times has several runs, and a statement about the model needs runs as units too: runs judge the
same pairs, so their judgements of one pair are not independent. With five runs or more the variance is the two-way one
of Cameron, Gelbach and Miller (2011); with fewer the table gives the lowest and the highest run instead.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from puzzlebox.intuitions.catalogue import TASKS
from puzzlebox.intuitions.scoring.observer import READ_OUTS, Numbers
from puzzlebox.intuitions.scoring.pairs import Judgement
from puzzlebox.stats.extras import import_extra
from puzzlebox.stats.intervals import Interval, wilson

# Runs of training that an interval over runs needs at least.
FEWEST_RUNS = 5


class Score(NamedTuple):
    """The score of an observer in one task, or one pair type of it, by one read-out; shares from 0 to 1.

    Attributes:
        task: the name of the task.
        kind: the pair type; "" for all pairs of the task.
        read_out: `maximum` or `mean`.
        pairs: the number of pairs.
        ties: how many judgements were ties, each of which counts half.
        over_episodes: the score with an interval for pairs like these, for these runs (the mean of the runs).
        runs: the score of each run of training, in the order of the runs.
        over_runs: the score with an interval for pairs and runs like these; None with fewer than five runs.
    """

    task: str
    kind: str
    read_out: str
    pairs: int
    ties: int
    over_episodes: Interval
    runs: tuple[float, ...]
    over_runs: Interval | None


def summarise(runs: Sequence[Iterable[Judgement]]) -> list[Score]:
    """Return the scores of an observer: for each task, pair type (where there are two) and read-out.

    Args:
        runs: the judgements of each run of training; one element for an observer without training. All runs must have
            judged the same pairs.

    Raises:
        ValueError: there is nothing to summarise, or the runs judged different pairs.
    """
    tables = [_by_group(judgements) for judgements in runs]
    if not tables or not tables[0]:
        raise ValueError("there are no judgements to summarise")
    groups = sorted(tables[0], key=_place)
    return [_score(group, read_out, tables) for group in groups for read_out in READ_OUTS]


_Group = tuple[str, str]
_Table = Mapping[_Group, Mapping[tuple[str, int], Judgement]]


def _place(group: _Group) -> tuple[int, str, str]:
    order = list(TASKS)
    return (order.index(group[0]) if group[0] in TASKS else len(order)), *group


def _by_group(judgements: Iterable[Judgement]) -> _Table:
    table: dict[_Group, dict[tuple[str, int], Judgement]] = defaultdict(dict)
    for judgement in judgements:
        groups = {(judgement.task, ""), (judgement.task, judgement.kind)}
        for group in groups:
            if (judgement.kind, judgement.number) in table[group]:
                raise ValueError(f"episode {judgement.number} of {judgement.task} was judged twice in one run")
            table[group][judgement.kind, judgement.number] = judgement
    return table


def _score(group: _Group, read_out: str, tables: Sequence[_Table]) -> Score:
    pairs = sorted(tables[0][group])
    for number, table in enumerate(tables):
        if sorted(table.get(group, ())) != pairs:
            raise ValueError(
                f"run {number + 1} judged other pairs of {group[0]} than run 1; runs must share their pairs"
            )
    scores = np.array([[table[group][pair].score(read_out) for pair in pairs] for table in tables])
    runs = tuple(scores.mean(axis=1).tolist())
    return Score(
        *group,
        read_out,
        len(pairs),
        int((scores == 0.5).sum()),
        share_interval(scores.mean(axis=0)),
        runs,
        two_way_interval(scores) if len(runs) >= FEWEST_RUNS else None,
    )


def share_interval(scores: Numbers) -> Interval:
    """Return the mean of scores from 0 to 1 with Wilson's interval; a score of a half is half a pass.

    A tie makes the true variance smaller than that of passes and failures, so that the interval is wide enough.
    """
    return wilson(float(scores.sum()), len(scores))


def two_way_interval(scores: Numbers) -> Interval:
    """Return the mean of scores (runs x pairs) with an interval for runs and pairs like these.

    The variance is the sum of those over runs and over pairs less that over single judgements, and never less than
    the larger of the two. Wilson's interval for the number of independent judgements that this variance is worth keeps
    the limits between 0 and 1; its width is corrected for the number of runs by the quantile of Student's t.
    """
    runs, pairs = scores.shape
    value = float(scores.mean())
    by_run = float(scores.mean(axis=1).var(ddof=1)) / runs
    by_pair = float(scores.mean(axis=0).var(ddof=1)) / pairs if pairs > 1 else 0.0
    single = float(scores.var(ddof=1)) / scores.size
    variance = max(by_run + by_pair - single, by_run, by_pair)
    judgements = float(pairs) if variance <= 0 else min(value * (1 - value) / variance, float(scores.size))
    quantile = float(import_extra("scipy.stats").t.ppf(0.975, min(runs, pairs) - 1))
    count = max(judgements, 1.0)
    return wilson(value * count, count, quantile)
