"""The audit of a set: measures of every episode, gathered to tables."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from puzzlebox.intuitions.audit.checks import checks_for
from puzzlebox.intuitions.audit.measures import chose_nearer, detour, difference
from puzzlebox.intuitions.audit.shortcuts import AGAINST_DESIGN, BY_DESIGN, score, shortcuts_for
from puzzlebox.intuitions.catalogue import FAMILIAR, TASKS
from puzzlebox.intuitions.episodes.generate import make_pair
from puzzlebox.intuitions.episodes.stimulus import Pair, Trial
from puzzlebox.intuitions.files.folder import Entry, list_folder, read_entry
from puzzlebox.intuitions.files.reading import StimulusError
from puzzlebox.intuitions.parallel import in_parallel
from puzzlebox.stats.intervals import Interval, wilson
from puzzlebox.text import counted

# From this many episodes on, the share of nearer objects must be within these percent of a half.
_MANY, _NEAR_HALF = 1000, 0.02
# A shortcut that is right in more than this share of the pairs is worth a sentence. That this is not in the design is
# said only if the binomial interval is above the share, too.
_BEATS = 0.55
Table = tuple[str, Sequence[str], list[Sequence[str]]]


class EpisodeAudit(NamedTuple):
    """What the audit found in one episode.

    Attributes:
        task: the name of the task.
        number: the number of the episode.
        kind: the pair type, `i` or `ii`, or "".
        checks: whether each constraint holds.
        nearer: for each choice of the expected member, whether the nearer object was chosen.
        lengths: moving frames of familiar trials, the expected and the unexpected test.
        detours: length of the way relative to the shortest, for the same.
        differences: mean distance from the most similar familiar path, of the expected and the unexpected test.
        scores: of each shortcut, 0, 0.5 or 1; empty for a background task.
    """

    task: str
    number: int
    kind: str
    checks: dict[str, bool]
    nearer: list[bool]
    lengths: list[list[float]]
    detours: list[list[float]]
    differences: list[float]
    scores: dict[str, float]


def audit_pair(pair: Pair) -> EpisodeAudit:
    """Check one episode and measure it."""
    members = [stimulus for _, stimulus in pair.members()]
    groups: list[Sequence[Trial]] = [pair.expected.familiarisation, *([each.test] for each in members)]
    chosen = (chose_nearer(trial) for trial in pair.expected.trials)
    return EpisodeAudit(
        pair.task,
        pair.number,
        pair.kind,
        {check.name: _holds(check.holds, pair) for check in checks_for(pair.task)},
        [each for each in chosen if each is not None],
        [[float(trial.motion_frames) for trial in trials] for trials in groups],
        [[ratio for trial in trials if (ratio := _detour(trial)) is not None] for trials in groups],
        [difference(each.test, each.familiarisation) for each in members],
        {name: score(pair, model) for name, model in shortcuts_for(pair.task).items()} if pair.unexpected else {},
    )


def _holds(check: Callable[[Pair], bool], pair: Pair) -> bool:
    try:
        return check(pair)
    except IndexError:  # a published file may have no object, for example
        return False


def _detour(trial: Trial) -> float | None:
    """Return how long a way was relative to the shortest; None if the goal was closed off at first."""
    end = trial.reached()
    ratio = detour(trial, end) if end is not None else float("inf")
    return ratio if ratio != float("inf") else None


@dataclass
class AuditReport:
    """The audit of a set of episodes.

    Attributes:
        episodes: what was found in each.
        problems: a sentence for each episode that could not be read.
    """

    episodes: list[EpisodeAudit]
    problems: list[str] = field(default_factory=list)

    def _by_task(self) -> dict[str, list[EpisodeAudit]]:
        found: dict[str, list[EpisodeAudit]] = {}
        for task in TASKS:
            rows = [episode for episode in self.episodes if episode.task == task]
            if rows:
                found[task] = rows
        return found

    def constraints(self) -> list[dict[str, Any]]:
        """Return for each task and constraint how many episodes it holds in, and the first in which it does not."""
        found = []
        for task, rows in self._by_task().items():
            for check in checks_for(task):
                broken = [row.number for row in rows if not row.checks[check.name]]
                found.append(_row(rows, check.name, len(broken), broken[:1], check.published))
            found += [self._balance(rows)] if any(row.nearer for row in rows) else []
            if task == "multi_agent":
                found.append(self._halves(rows))
        return found

    @staticmethod
    def _balance(rows: list[EpisodeAudit]) -> dict[str, Any]:
        choices = [each for row in rows for each in row.nearer]
        share = wilson(sum(choices), len(choices))
        if len(rows) >= _MANY:
            fair, rule = abs(share.value - 0.5) <= _NEAR_HALF, f"50 +- {100 * _NEAR_HALF:.0f} %"
        else:
            fair, rule = share.low <= 0.5 <= share.high, "50 % within the binomial interval"
        name = f"the nearer object is chosen in {100 * share.value:.1f} % of {len(choices)} trials ({rule})"
        return _row(rows, name, int(not fair))

    @staticmethod
    def _halves(rows: list[EpisodeAudit]) -> dict[str, Any]:
        first = sum(row.kind == "i" for row in rows)
        second = sum(row.kind == "ii" for row in rows)
        fair = first + second == len(rows) and abs(first - second) <= max(2, 0.04 * len(rows))
        name = f"pair types i and ii, half each: {first} and {second}"
        return _row(rows, name, int(not fair))

    def shortcuts(self) -> list[dict[str, Any]]:
        """Return for each task and shortcut the share of pairs that it gets right, and why where that matters."""
        found = []
        for task, rows in self._by_task().items():
            for name in shortcuts_for(task):
                scores = [row.scores[name] for row in rows if name in row.scores]
                if scores:
                    right = wilson(sum(scores), len(scores))
                    why = _why(task, name, right, len(scores))
                    interval = [right.low, right.high]
                    found.append(
                        {"task": task, "shortcut": name, "share": right.value, "interval": interval, "why": why}
                    )
        return found

    def measures(self) -> list[dict[str, Any]]:
        """Return the means of each task: frames, detours and the difference from familiar paths."""
        found = []
        for task, rows in self._by_task().items():
            for place, name in enumerate(("familiarisation", "test e", "test u")):
                if len(rows[0].lengths) <= place:
                    continue
                frames = [value for row in rows for value in row.lengths[place]]
                ways = [value for row in rows for value in row.detours[place]]
                apart = [row.differences[place - 1] for row in rows] if place else []
                found.append(
                    {
                        "task": task,
                        "trials": name,
                        "frames": (min(frames), fmean(frames), max(frames)),
                        "detour": fmean(ways) if ways else None,
                        "difference": fmean(apart) if apart else None,
                    }
                )
        return found

    @property
    def checks(self) -> int:
        """Return the number of constraints that were checked."""
        return len(self.constraints())

    @property
    def broken(self) -> int:
        """Return the number of constraints that do not hold in all episodes."""
        return sum(bool(row["broken"]) for row in self.constraints())

    def data(self) -> dict[str, Any]:
        """Return the whole report as plain data."""
        return {
            "episodes": len(self.episodes),
            "constraints": self.constraints(),
            "measures": self.measures(),
            "shortcuts": self.shortcuts(),
            "problems": self.problems,
        }

    def tables(self) -> Iterable[Table]:
        """Yield the tables of the report: title, columns and rows of text."""
        rows: list[Sequence[str]] = []
        for each in self.constraints():
            first = f", first in {each['first'][0]}" if each["first"] else ""
            known = f"; {each['published']}" if each["published"] else ""
            verdict = f"BROKEN in {each['broken']}{first}{known}" if each["broken"] else "holds"
            rows.append((each["task"], each["constraint"], str(each["episodes"]), verdict))
        yield "Constraints", ("task", "constraint", "episodes", "result"), rows
        rows = []
        for each in self.measures():
            low, mean, high = each["frames"]
            way = "-" if each["detour"] is None else f"{each['detour']:.2f}"
            apart = "-" if each["difference"] is None else f"{each['difference']:.0f}"
            rows.append((each["task"], each["trials"], f"{low:.0f} - {high:.0f}", f"{mean:.1f}", way, apart))
        columns = ("task", "trials", "moving frames", "mean", "way / shortest", "pixels from a familiar path")
        yield "Measures", columns, rows
        rows = [
            (each["task"], each["shortcut"], f"{100 * each['share']:.1f} %", each["why"]) for each in self.shortcuts()
        ]
        if rows:
            yield "Shortcuts (chance is 50 %)", ("task", "shortcut", "right", "why"), rows


def _row(
    rows: list[EpisodeAudit], constraint: str, broken: int, first: Sequence[int] = (), published: str = ""
) -> dict[str, Any]:
    """Return a constraint of a task with its result; `published`: why published files are known to break it."""
    return {
        "task": rows[0].task,
        "constraint": constraint,
        "episodes": len(rows),
        "broken": broken,
        "first": list(first),
        "published": published,
    }


def _why(task: str, name: str, right: Interval, pairs: int) -> str:
    """Return a sentence about a shortcut that is not near chance; "" if it is."""
    above, below = right.value > _BEATS, right.value < 1 - _BEATS
    if not (above or below):
        return ""
    known = (BY_DESIGN if above else AGAINST_DESIGN).get((task, name))
    if known:
        return known
    if right.low <= _BEATS and right.high >= 1 - _BEATS:
        interval = f"{100 * right.low:.0f} to {100 * right.high:.0f} %"
        return f"too few pairs to tell: the interval of {counted(pairs, 'pair')} is {interval}"
    if above:
        return "NOT in the design: this task can be solved without understanding it"
    return "NOT in the design: the opposite of this shortcut solves the task"


def audit_pairs(pairs: Iterable[Pair]) -> AuditReport:
    """Audit episodes that are in memory."""
    return AuditReport([audit_pair(pair) for pair in pairs])


def _audit_number(task: str, seed: int, shapes: str, number: int) -> EpisodeAudit:
    return audit_pair(make_pair(task, number, seed, shapes))


def audit_generated(task: str, episodes: int, seed: int = 0, shapes: str = FAMILIAR, workers: int = 1) -> AuditReport:
    """Generate the first episodes of a task and audit them without writing them; 1,000 pairs would be gigabytes."""
    found = dict(in_parallel(partial(_audit_number, task, seed, shapes), range(episodes), workers))
    return AuditReport([found[number] for number in range(episodes)])


def _audit_entry(entry: Entry) -> EpisodeAudit | str:
    """Read an episode and audit it; return a sentence if it cannot be read."""
    try:
        return audit_pair(read_entry(entry))
    except StimulusError as problem:
        return str(problem)


def audit_folder(
    root: Path,
    workers: int = 1,
    *,
    keep_going: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> AuditReport:
    """Audit a folder of stimuli, ours or published ones.

    Args:
        root: the folder.
        workers: the number of processes.
        keep_going: leave out episodes that cannot be read, with a sentence for each.
        progress: called after each episode with the numbers of episodes done and in all.

    Raises:
        StimulusError: there is nothing to audit, or, without `keep_going`, an episode cannot be read.
    """
    listing = list_folder(root)
    problems = list(listing.problems)
    if problems and not keep_going:
        raise StimulusError(problems[0])
    found: dict[tuple[str, str, int], EpisodeAudit] = {}
    for count, (entry, result) in enumerate(in_parallel(_audit_entry, listing.entries, workers), 1):
        if isinstance(result, str):
            if not keep_going:
                raise StimulusError(result)
            problems.append(result)
        else:
            found[(entry.task, str(entry.folder), entry.number)] = result
        if progress is not None:
            progress(count, len(listing.entries))
    if not found:
        raise StimulusError(f"{root} holds no episode that can be read: {problems[0]}")
    return AuditReport([found[key] for key in sorted(found)], problems)
