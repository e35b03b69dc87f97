"""Models by the name of their run, and judgements of many pairs in several processes, each with its own model."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from puzzlebox.intuitions.catalogue import EVALUATION, FAMILIAR, TaskInfo
from puzzlebox.intuitions.episodes import Pair, make_pair
from puzzlebox.intuitions.files.folder import Entry, list_folder, read_entry
from puzzlebox.intuitions.files.names import JSON
from puzzlebox.intuitions.files.reading import StimulusError
from puzzlebox.intuitions.models.registry import INVERSE_PLANNER, require_torch
from puzzlebox.intuitions.parallel import in_parallel
from puzzlebox.intuitions.scoring.observer import Observer
from puzzlebox.intuitions.scoring.pairs import Judgement, judge, judge_together, with_other_familiarisation

Progress = Callable[[int, int], None]
# Pairs that a GPU judges at a time.
_BATCH = 32


class Drawn(NamedTuple):
    """A pair that is generated when it is judged."""

    task: str
    number: int
    seed: int
    shapes: str

    def pair(self) -> Pair:
        """Generate the pair."""
        return make_pair(self.task, self.number, self.seed, self.shapes)


class Stored(NamedTuple):
    """A pair that is read when it is judged."""

    entry: Entry

    def pair(self) -> Pair:
        """Read the pair.

        Raises:
            StimulusError: a file is damaged, or the agent does not move in a test, so that nothing can be judged.
        """
        pair = read_entry(self.entry)
        for member, stimulus in pair.members():
            if not stimulus.test.motion_frames:
                path = self.entry.folder / f"{self.entry.stems[member]}{JSON}"
                raise StimulusError(f"{path}: the agent does not move in the test, so there is nothing to judge")
        return pair


class Made(NamedTuple):
    """A pair that is there already, so that several observers judge it."""

    made: Pair

    def pair(self) -> Pair:
        """Return the pair."""
        return self.made


Source = Drawn | Stored | Made


def generated(tasks: Sequence[TaskInfo], episodes: int, seed: int, shapes: str = FAMILIAR) -> list[Source]:
    """Return the pairs of some evaluation tasks, to be generated.

    Raises:
        ValueError: a task is a background task, which has no pairs.
    """
    for task in tasks:
        if task.kind != EVALUATION:
            raise ValueError(f"{task.name} is a background task, which has no pairs to score")
    return [Drawn(task.name, number, seed, shapes) for task in tasks for number in range(episodes)]


def stored(folder: Path, problems: list[str] | None = None, tasks: Sequence[TaskInfo] | None = None) -> list[Source]:
    """Return the pairs of a folder, to be read; background films in it are left out.

    Args:
        folder: a folder of stimuli, ours or published ones.
        problems: gets a sentence for each incomplete episode. Default: the first one raises a StimulusError.
        tasks: the tasks of which pairs are wanted. Default: all.
    """
    listing = list_folder(folder)
    if problems is None and listing.problems:
        raise StimulusError(listing.problems[0])
    if problems is not None:
        problems += listing.problems
    wanted = None if tasks is None else {task.name for task in tasks}
    pairs = [entry for entry in listing.entries if "u" in entry.stems]
    return [Stored(entry) for entry in pairs if wanted is None or entry.task in wanted]


def make_all(sources: Sequence[Source], workers: int = 1) -> list[Source]:
    """Return the same pairs, generated or read by several processes, for several observers to judge."""
    found = dict(in_parallel(_pair, list(enumerate(sources)), workers))
    return [Made(found[each]) for each in enumerate(sources)]


def _pair(item: tuple[int, Source]) -> Pair:
    return item[1].pair()


@lru_cache(maxsize=2)
def observer_named(run: str, device: str = "cpu") -> Observer:
    """Return the observer of a run of training, or the inverse planner.

    Raises:
        ValueError: there is no such run, or its files are damaged.
        ModuleNotFoundError: torch is not installed.
    """
    if run == INVERSE_PLANNER:
        from puzzlebox.intuitions.models.inverse_planner import InversePlanner

        return InversePlanner()
    if not Path(run).is_dir():
        raise ValueError(f"there is no folder {run}; name a run of training, or `{INVERSE_PLANNER}`")
    require_torch()
    from puzzlebox.intuitions.models.training import load

    return load(Path(run), device)


def judge_pairs(
    run: str,
    sources: Sequence[Source],
    workers: int = 1,
    device: str = "cpu",
    other_familiarisation: bool = False,
    problems: list[str] | None = None,
    progress: Progress | None = None,
) -> list[Judgement]:
    """Let the observer of a run judge pairs; the judgements are in the order of the pairs.

    Args:
        run: the folder of the run, or `inverse-planner`.
        sources: the pairs; those of one task lie together.
        workers: the number of processes.
        device: `cpu` or `cuda`.
        other_familiarisation: each pair gets the familiarisation of the next pair of its task.
        problems: gets a sentence for each pair that cannot be read. Default: the first one raises a StimulusError.
        progress: is called with how many pairs are judged and how many there are.
    """
    others = _following(sources) if other_familiarisation else [None] * len(sources)
    items = list(zip(range(len(sources)), sources, others, strict=True))
    found: dict[int, Judgement | str] = {}
    if device == "cpu":
        results = in_parallel(partial(_judge, run, device, workers > 1), items, workers)
    else:
        results = _judge_in_batches(observer_named(run, device), items, workers)
    for (number, _, _), result in results:
        if isinstance(result, str) and problems is None:
            raise StimulusError(result)
        found[number] = result
        if progress is not None:
            progress(len(found), len(items))
    ordered = [found[number] for number in range(len(items))]
    if problems is not None:
        problems += [each for each in ordered if isinstance(each, str)]
    return [each for each in ordered if not isinstance(each, str)]


def _following(sources: Sequence[Source]) -> list[Source]:
    """Return for each pair the next one of its task, and for the last the first."""
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(_task(source), []).append(source)
    small = [task for task, group in groups.items() if len(group) < 2]
    if small:
        raise ValueError(f"exchanging familiarisations needs two pairs or more; there is one of {small[0]}")
    return [each for group in groups.values() for each in (*group[1:], group[0])]


def _task(source: Source) -> str:
    if isinstance(source, Made):
        return source.made.task
    return source.task if isinstance(source, Drawn) else source.entry.task


Item = tuple[int, Source, Source | None]


def _judge(run: str, device: str, alone: bool, item: Item) -> Judgement | str:
    """Judge one pair; a sentence says why it cannot be read."""
    if alone and run != INVERSE_PLANNER:
        import torch

        # Each process has one core.
        torch.set_num_threads(1)
    made = _make(item)
    return made if isinstance(made, str) else judge(observer_named(run, device), made[0])._replace(kind=made[1])


def _judge_in_batches(
    observer: Observer, items: Sequence[Item], workers: int
) -> Iterator[tuple[Item, Judgement | str]]:
    """Let processes make the pairs and one model judge them, many at a time; which ones, does not depend on time."""
    batches: dict[int, dict[int, tuple[Item, tuple[Pair, str]]]] = {}
    missing = Counter(number // _BATCH for number, _, _ in items)
    for item, made in in_parallel(_make, items, workers):
        place = item[0] // _BATCH
        missing[place] -= 1
        if isinstance(made, str):
            yield item, made
        else:
            batches.setdefault(place, {})[item[0]] = item, made
        if not missing[place] and place in batches:
            batch = [each for _, each in sorted(batches.pop(place).items())]
            judgements = judge_together(observer, [pair for _, (pair, _) in batch])
            for (of, (_, kind)), judgement in zip(batch, judgements, strict=True):
                yield of, judgement._replace(kind=kind)


def _make(item: Item) -> tuple[Pair, str] | str:
    """Generate or read a pair; return it with its type, or a sentence that says why it cannot be read."""
    _, source, other = item
    try:
        pair = source.pair()
        # The pair type is that of the pair as it was; with another familiarisation every agent looks new.
        kind = pair.kind
        if other is not None:
            pair = with_other_familiarisation([pair, other.pair()])[0]
    except StimulusError as problem:
        return str(problem)
    return pair, kind
