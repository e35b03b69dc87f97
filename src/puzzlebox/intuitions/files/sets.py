"""Sets of stimuli: generate many episodes and write them, in several processes, resumable."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from puzzlebox.intuitions.catalogue import FAMILIAR, TASKS, TaskInfo
from puzzlebox.intuitions.episodes.generate import check_request, make_pair
from puzzlebox.intuitions.episodes.stimulus import Pair
from puzzlebox.intuitions.files.names import FILM, JSON, NEWEST, stem_of
from puzzlebox.intuitions.files.writing import stimulus_json
from puzzlebox.intuitions.parallel import in_parallel

# Its name has the word by which readers know that it is no stimulus.
SETTINGS = "puzzlebox-index.json"
NO_FILMS, FLAT, THREE_D = "none", "flat", "three-d"
_MOST_EPISODES = 1_000_000
Progress = Callable[[int, int], None]


class Options(NamedTuple):
    """How a set is generated and written.

    Attributes:
        seed: the seed of the set.
        shapes: `familiar` or `new` shapes.
        version: the version of the JSON files, `1.1` or `old`.
        films: `flat`, `three-d` or `none`.
    """

    seed: int = 0
    shapes: str = FAMILIAR
    version: str = NEWEST
    films: str = FLAT


class Summary(NamedTuple):
    """What was written: the numbers of new episodes, and of those that were there already."""

    written: int
    existing: int


def write_set(
    root: Path,
    tasks: Sequence[TaskInfo],
    episodes: int,
    options: Options,
    workers: int = 1,
    progress: Progress | None = None,
) -> Summary:
    """Write episodes 0 to `episodes` - 1 of some tasks; the same call resumes what was interrupted.

    Raises:
        ValueError: a folder holds a set with other settings, or there are too many episodes.
        OSError: a file cannot be written.
    """
    if not 1 <= episodes <= _MOST_EPISODES:
        raise ValueError(f"{episodes} episodes; there can be 1 to {_MOST_EPISODES:,}")
    for task in tasks:
        check_request(task.name, options.seed, options.shapes)
    if options.films != NO_FILMS:
        from puzzlebox.intuitions.files.video import require_video

        require_video()
    for task in tasks:
        _claim(root / task.name, task.name, options)
    items = [(task.name, number) for task in tasks for number in range(episodes)]
    todo = [item for item in items if not _complete(root, item, options)]
    for count, _ in enumerate(in_parallel(partial(_write, root, options), todo, workers), 1):
        if progress is not None:
            progress(count, len(todo))
    return Summary(len(todo), len(items) - len(todo))


def _claim(folder: Path, task: str, options: Options) -> None:
    """Make the folder of a task, and note its settings there; refuse a folder with others."""
    settings: dict[str, Any] = {"task": task, **options._asdict()}
    file = folder / SETTINGS
    folder.mkdir(parents=True, exist_ok=True)
    if file.exists():
        try:
            before = json.loads(file.read_text(encoding="utf-8"))
        except (ValueError, UnicodeDecodeError):
            raise ValueError(f"{file} is damaged; delete it, or name another folder") from None
        if not isinstance(before, dict) or not before.keys() >= settings.keys():
            raise ValueError(f"{file} is damaged; delete it, or name another folder")
        for name, value in settings.items():
            # Films can be added to a set without any.
            if before.get(name) != value and not (name == "films" and NO_FILMS in (value, before.get(name))):
                raise ValueError(
                    f"{folder} holds a set with {name} {before.get(name)!r}, not {value!r}; name another folder"
                )
        if options.films == NO_FILMS:
            return
    elif any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty and no set of this program; name another folder")
    file.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")


def _paths(root: Path, item: tuple[str, int], options: Options) -> list[tuple[str, Path]]:
    """Return the last letter and the path of each file of an episode."""
    task, number = TASKS[item[0]], item[1]
    suffixes = (JSON,) if options.films == NO_FILMS else (JSON, FILM)
    stems = ((member, root / task.name / stem_of(number, task.code, member)) for member in task.members)
    return [(member, stem.with_name(stem.name + suffix)) for member, stem in stems for suffix in suffixes]


def _complete(root: Path, item: tuple[str, int], options: Options) -> bool:
    return all(path.exists() for _, path in _paths(root, item, options))


def _write(root: Path, options: Options, item: tuple[str, int]) -> None:
    task, number = item
    write_pair(make_pair(task, number, options.seed, options.shapes), root, options)


def write_pair(pair: Pair, root: Path, options: Options) -> None:
    """Write the JSON files of an episode, and its films if there are to be any."""
    members = dict(pair.members())
    for member, path in _paths(root, (pair.task, pair.number), options):
        if path.suffix == JSON:
            _write_text(path, stimulus_json(members[member], options.version))
            continue
        from puzzlebox.intuitions.files.video import write_film
        from puzzlebox.intuitions.pictures.painters import painter_named

        write_film(path, painter_named(options.films).frames(members[member]))


def _write_text(path: Path, text: str) -> None:
    """Write a text file, which appears when it is complete."""
    draft = path.with_name(path.name + ".part")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
