"""Folders of stimuli in the published layout: which episodes are there, what is missing, and reading one."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from puzzlebox.intuitions.catalogue import BACKGROUND, GROUPS, TASKS
from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus
from puzzlebox.intuitions.files.names import FILM, JSON, NEARLY, NOT_A_STIMULUS, STEM
from puzzlebox.intuitions.files.reading import StimulusError, read_stimulus
from puzzlebox.text import nearest


class Entry(NamedTuple):
    """The files of one episode.

    Attributes:
        task: the name of its task.
        number: its number.
        folder: where its files are.
        stems: the stem of each member that has a JSON file, by its last letter.
        films: the last letters of the members that have a film.
    """

    task: str
    number: int
    folder: Path
    stems: dict[str, str]
    films: str


class _Files(NamedTuple):
    """The files of one number in a folder: stems of JSON files and of films by member, and the letters of tasks."""

    texts: dict[str, str]
    films: dict[str, str]
    codes: set[str]


class Listing(NamedTuple):
    """What a folder holds.

    Attributes:
        entries: the complete episodes, sorted by task and number.
        problems: a sentence for each episode that is incomplete or ambiguous, and for each folder of no known task.
    """

    entries: list[Entry]
    problems: list[str]


def list_folder(root: Path) -> Listing:
    """List the episodes of a folder: a task's folder, or one that holds several, however deep.

    Raises:
        StimulusError: there is no such folder, or there is no stimulus in it.
    """
    if not root.is_dir():
        raise StimulusError(f"there is no folder {root}")
    folders: dict[Path, dict[int, _Files]] = {}
    for path in sorted((*root.rglob(f"*{JSON}"), *root.rglob(f"*{FILM}"))):
        match = STEM.fullmatch(path.stem)
        if match is None or NOT_A_STIMULUS in path.name:
            continue
        files = folders.setdefault(path.parent, {}).setdefault(int(match["number"]), _Files({}, {}, set()))
        (files.texts if path.suffix == JSON else files.films)[match["member"]] = path.stem
        files.codes.add(match["code"])
    if not folders:
        nearly = "".join(f"; {sentence}" for sentence in nearly_named(root)[:1])
        called = f"their files are called like 000010loe{JSON} and 000010loe{FILM}"
        raise StimulusError(f"{root} holds no stimuli; {called}{nearly}")
    listing = Listing([], [])
    known = 0
    for folder, numbers in folders.items():
        try:
            task = _task_of(folder, list(numbers.values()))
        except StimulusError as unknown:
            listing.problems.append(str(unknown))
            continue
        known += 1
        for number, files in sorted(numbers.items()):
            entry = Entry(task, number, folder, files.texts, "".join(sorted(files.films)))
            problem = _ambiguous(entry, files) or _missing(entry, files.films)
            if problem:
                listing.problems.append(problem)
            else:
                listing.entries.append(entry)
    if not known:
        raise StimulusError(listing.problems[0])
    order = list(TASKS)
    listing.entries.sort(key=lambda entry: (order.index(entry.task), str(entry.folder), entry.number))
    return listing


def nearly_named(root: Path) -> list[str]:
    """Return a sentence for each folder with files whose names nearly are those of stimuli, and which are left out."""
    found: dict[Path, list[str]] = {}
    for path in sorted(root.rglob("*")):
        if path.suffix.lower() not in (JSON, FILM) or not NEARLY.fullmatch(path.stem):
            continue
        if path.suffix not in (JSON, FILM) or not STEM.fullmatch(path.stem):
            found.setdefault(path.parent, []).append(path.name)
    like = f"names of stimuli are like 000010loe{JSON}, with six digits and small letters"
    return [
        f"{folder}: {names[0]} {f'and {len(names) - 1} more are' if len(names) > 1 else 'is'} left out; {like}"
        for folder, names in found.items()
    ]


def has_rest(root: Path) -> bool:
    """Return whether a folder still has episodes to use when one that cannot be read is left out."""
    try:
        listing = list_folder(root)
    except StimulusError:
        return False
    return bool(listing.entries) and len(listing.entries) + len(listing.problems) > 1


def _task_of(folder: Path, episodes: "list[_Files]") -> str:
    """Return the task of a folder by its name; a folder with expected stimuli only belongs to a background task.

    The letters in the names decide if they are those of an evaluation task: then the other members are missing.
    """
    name = folder.resolve().name
    background = f"{BACKGROUND}/{name}"
    alone = all("u" not in files.texts and "u" not in files.films for files in episodes)
    if alone and name in TASKS and any(TASKS[name].code in files.codes for files in episodes):
        alone = False
    if background in TASKS and (alone or name not in TASKS or folder.resolve().parent.name == BACKGROUND):
        return background
    if name in TASKS:
        return name
    known = {each.rpartition("/")[2] for each in GROUPS["all"]}
    raise StimulusError(f"{folder} holds stimuli, but {name!r} is not the name of a task{nearest(name, sorted(known))}")


def _ambiguous(entry: Entry, files: _Files) -> str:
    """Return a sentence if the files of a number have the letters of several tasks; "" if not."""
    if len(files.codes) < 2:
        return ""
    codes = " and ".join(f"`{code}`" for code in sorted(files.codes))
    names = ", ".join(sorted({*files.texts.values(), *files.films.values()}))
    return (
        f"{entry.folder}: the files of episode {entry.number} have the letters {codes} ({names}); they must be the same"
    )


def _missing(entry: Entry, films: dict[str, str]) -> str:
    """Return a sentence about what is missing of an episode; "" if it is complete."""
    members = TASKS[entry.task].members
    for member in members:
        if member not in entry.stems:
            stem = next(iter({**films, **entry.stems}.values()))[:-1] + member
            there = f"{films[member]}{FILM} is there" if member in films else f"{stem[:-1]}{_other(member)} is there"
            return f"{entry.folder}: {stem}{JSON} is missing, though {there}"
    if entry.films and set(entry.films) != set(members):
        lacking = next(member for member in members if member not in entry.films)
        return f"{entry.folder}: {entry.stems[lacking]}{FILM} is missing, though the other film of the pair is there"
    return ""


def _other(member: str) -> str:
    return "e" if member == "u" else "u"


def read_entry(entry: Entry) -> Pair:
    """Read an episode; where it has films, check that they have as many frames as the JSON files.

    Raises:
        StimulusError: a file is damaged; the message says which and why.
    """
    stimuli: dict[str, Stimulus] = {}
    for member in TASKS[entry.task].members:
        path = entry.folder / f"{entry.stems[member]}{JSON}"
        stimulus = stimuli[member] = read_stimulus(path)
        for trial, shown in enumerate(stimulus.trials):
            if not shown.objects:
                raise StimulusError(f"{path}: trial {trial} has no objects; in every task there are one or two")
        if member in entry.films:
            from puzzlebox.intuitions.files.video import count_frames

            film = path.with_suffix(FILM)
            frames = count_frames(film)
            if frames != stimulus.frames:
                raise StimulusError(f"{path} has {stimulus.frames} frames, but {film.name} has {frames}")
    return Pair(entry.task, entry.number, stimuli["e"], stimuli.get("u"))


def read_pairs(root: Path, problems: list[str] | None = None) -> Iterator[Pair]:
    """Read all episodes of a folder.

    Args:
        root: the folder.
        problems: gets a sentence for each episode that cannot be read, and the others are still read. Default: the
            first such episode raises a StimulusError.
    """
    listing = list_folder(root)
    if problems is None and listing.problems:
        raise StimulusError(listing.problems[0])
    if problems is not None:
        problems += listing.problems
    for entry in listing.entries:
        try:
            yield read_entry(entry)
        except StimulusError as problem:
            if problems is None:
                raise
            problems.append(str(problem))
