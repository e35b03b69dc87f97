"""Minari datasets of recorded episodes: each is replayed exactly, with the senses that the user chooses.

Runs and recordings store actions, not observations; a replay gives the same bytes as the episode itself, so that a
dataset can have any senses, whatever the player had.
"""

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from puzzlebox.record.episode import Episode
from puzzlebox.record.store import Store
from puzzlebox.run.journal import JOURNAL, episodes_so_far, trajectories
from puzzlebox.run.runs import SETTINGS
from puzzlebox.text import closest, nearest
from puzzlebox.wings import Wing, wing_named
from puzzlebox.wings.offers import HasEnvironment
from puzzlebox.wings.records import read_record

if TYPE_CHECKING:
    import gymnasium as gym

FORMATS = ("hdf5", "arrow", "parquet")
# The returns of a replay and of the episode itself are the same sum, but for the order of rounding.
_TOLERANCE = 1e-6

Progress = Callable[[int, int], object]


class DatasetError(ValueError):
    """A dataset cannot be written; the message says why."""


class RecordedEpisode(NamedTuple):
    """An episode to be replayed.

    Attributes:
        episode: its row of the table.
        record: its task, start, seed, rules and actions.
        senses: the senses of the agent that played it; None if they are unknown, as for participants.
    """

    episode: Episode
    record: Any
    senses: Mapping[str, Any] | None


@dataclass(frozen=True)
class WrittenDataset:
    """A dataset that was written.

    Attributes:
        id: its id, for `minari.load_dataset`.
        path: its folder.
        episodes: the number of episodes.
        steps: the number of steps of all of them.
        senses: the senses of its observations.
    """

    id: str
    path: Path
    episodes: int
    steps: int
    senses: Mapping[str, Any]


def find_episodes(
    source: Path, *, agents: Sequence[str] = (), tasks: Sequence[str] = (), passed: bool = False
) -> list[RecordedEpisode]:
    """Return the finished episodes of a run or of a file of recordings.

    Args:
        source: the folder of a run, or a file of recordings.
        agents: only episodes of these agents; `human` for participants. Default: of all.
        tasks: only episodes of these tasks, by name. Default: of all.
        passed: only episodes that were passed.

    Raises:
        DatasetError: there are none, or the source is neither.
    """
    found = list(_of_run(source) if source.is_dir() else _of_store(source))
    if not found:
        raise DatasetError(f"{source} has no finished episode whose actions were kept")
    for what, wanted, attribute in (("agent", agents, "agent"), ("task", tasks, "task")):
        known = sorted({str(getattr(each.episode, attribute)) for each in found})
        for name in wanted:
            if name not in known:
                raise DatasetError(f"{source} has no episode of the {what} {name!r}{nearest(name, known)}")
        found = [each for each in found if not wanted or getattr(each.episode, attribute) in wanted]
        if not found:
            raise DatasetError(f"{source} has no episode of these agents and these tasks")
    chosen = [each for each in found if each.episode.passed or not passed]
    if not chosen:
        raise DatasetError(f"none of these {len(found)} episodes was passed")
    return chosen


def _of_run(folder: Path) -> Iterator[RecordedEpisode]:
    """Yield the episodes of a run that did not fail, in the order of their names."""
    if not (folder / JOURNAL).is_file():
        raise DatasetError(f"{folder} is not the folder of a run: it has no {JOURNAL}")
    episodes = {each.id: each for each in episodes_so_far(folder)[0] if not each.error}
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        senses = {each["name"]: each["senses"] for each in settings["agents"]}
    except (OSError, ValueError, KeyError, TypeError):
        raise DatasetError(f"{folder / SETTINGS} cannot be read as the settings of a run") from None
    for name, text in sorted(trajectories(folder)):
        if name in episodes:
            yield RecordedEpisode(episodes[name], read_record(text), senses.get(episodes[name].agent))


def _of_store(path: Path) -> Iterator[RecordedEpisode]:
    """Yield the finished episodes of a file of recordings, the oldest first."""
    if not path.exists():
        raise DatasetError(f"there is no {path}; name the folder of a run or a file of recordings")
    with Store(path) as store:
        for episode in reversed(store.episodes()):
            if episode.ended_by is not None and not episode.error:
                yield RecordedEpisode(episode, store.record(episode.id), None)


def write_dataset(
    episodes: Sequence[RecordedEpisode],
    id: str,
    *,
    senses: Mapping[str, Any] | None = None,
    data_format: str = "hdf5",
    description: str = "",
    author: str = "",
    progress: Progress | None = None,
) -> WrittenDataset:
    """Replay episodes and write them as a dataset, where Minari keeps its datasets.

    Args:
        episodes: the episodes, from `find_episodes`; all of one wing, with the same rules.
        id: the id of the dataset, such as `puzzlebox/foraging/heuristic-v0`.
        senses: the senses of the observations, as `puzzlebox.make` or the wing takes them. Default: those of the agent
            that played, or the default ones of the wing for participants.
        data_format: the format of the files: "hdf5", "arrow" or "parquet".
        description: what the dataset is about. Default: who played what.
        author: its author.
        progress: a function called with the number of episodes done and that of all.

    Raises:
        DatasetError: the dataset exists, its id or senses are not valid, or the episodes do not belong together.
        ModuleNotFoundError: Minari is not installed.
    """
    require_minari()
    if data_format not in FORMATS:
        raise DatasetError(f"the format is {data_format!r}{nearest(data_format, FORMATS)}")
    _require_free(id)
    wing, tasks = _shared(episodes)
    chosen = dict(senses) if senses is not None else _senses_of(episodes)
    try:
        env = wing.environment(tasks, episodes[0].record.rules, chosen)
    except (ValueError, TypeError) as problem:
        raise DatasetError(f"there is no environment with these senses: {problem}") from None
    names = sorted({str(each.episode.agent) for each in episodes})
    about = description or f"{len(episodes)} episodes of {', '.join(names)}, replayed by Puzzlebox."
    dataset = _create(id, env, data_format, about, ", ".join(names), author)
    path, steps = Path(dataset.storage.data_path).parent, 0
    try:
        for number, each in enumerate(episodes):
            steps += _add(dataset.storage, number, each, env, wing)
            if progress is not None:
                progress(number + 1, len(episodes))
    except BaseException:
        rmtree(path, ignore_errors=True)  # half a dataset would be taken for a whole one
        raise
    finally:
        env.close()  # type: ignore[no-untyped-call]
    return WrittenDataset(id, path, len(episodes), steps, chosen)


def require_minari() -> None:
    """Refuse to start if Minari is not installed.

    Raises:
        ModuleNotFoundError: it is missing; the message says how to install it.
    """
    try:
        import h5py  # noqa: F401
        import minari  # noqa: F401
    except ImportError as problem:
        raise ModuleNotFoundError(f"datasets need {problem.name}; `pip install puzzlebox[data]` brings it") from None


def _require_free(id: str) -> None:
    """Refuse an id that is not valid or taken, before anything is replayed."""
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.storage.local import get_dataset_path

    try:
        parse_dataset_id(id)
    except (ValueError, TypeError):  # a name without a version is a TypeError
        raise DatasetError(
            f"{id!r} is not the id of a dataset; write it as in puzzlebox/foraging/heuristic-v0"
        ) from None
    path = Path(get_dataset_path(id))
    if path.exists():
        raise DatasetError(f"the dataset {id} is already there, in {path}; choose another name or version")


def _shared(episodes: Sequence[RecordedEpisode]) -> tuple["HasEnvironment", list[Any]]:
    """Return the wing and the tasks of episodes, each task once; refuse episodes that one environment cannot play."""
    if not episodes:
        raise DatasetError("there is no episode to write")
    names = sorted({each.record.wing for each in episodes})
    if len(names) > 1:
        raise DatasetError(f"a dataset holds episodes of one wing, and these are of {' and '.join(names)}")
    wing: Wing = wing_named(names[0])
    if not hasattr(wing, "environment"):
        raise DatasetError(f"episodes of {names[0]} cannot be written as a dataset: it has no environment")
    first = episodes[0]
    tasks: dict[str, Any] = {}
    for each in episodes:
        if each.record.rules != first.record.rules:
            raise DatasetError(
                f"a dataset holds episodes with the same rules and decision period, and {first.episode.id} and "
                f"{each.episode.id} differ; choose some by agent or task"
            )
        if each.record.task.bodies > 1:
            raise DatasetError(f"{each.episode.task} has several animals; a dataset holds episodes of one")
        tasks.setdefault(each.record.task.text, each.record.task)
    return wing, list(tasks.values())  # type: ignore[return-value]


def _senses_of(episodes: Sequence[RecordedEpisode]) -> dict[str, Any]:
    """Return the senses that all episodes were played with; the wing's default ones if they are unknown."""
    different = {json.dumps(each.senses, sort_keys=True, default=str) for each in episodes}
    if len(different) > 1:
        agents = sorted({str(each.episode.agent) for each in episodes})
        raise DatasetError(f"{' and '.join(agents)} have different senses; choose one agent, or name the senses")
    return dict(episodes[0].senses or {})


def _create(id: str, env: "gym.Env[Any, Any]", data_format: str, about: str, agents: str, author: str) -> Any:
    """Create an empty dataset."""
    from minari.utils import create_dataset_from_buffers

    with warnings.catch_warnings():
        # Minari recommends an address and a link to the code; a dataset of one's own needs neither.
        warnings.simplefilter("ignore", UserWarning)
        return create_dataset_from_buffers(
            id,
            [],
            env,
            algorithm_name=agents,
            author=author or None,
            description=about,
            data_format=data_format,
            requirements=[f"puzzlebox=={version('puzzlebox')}"],
            # A picture in JPEG would not be the one that the animal saw.
            jpeg_encoding=False,
        )


def _add(storage: Any, number: int, each: RecordedEpisode, env: "gym.Env[Any, Any]", wing: "HasEnvironment") -> int:
    """Replay an episode and add it to a dataset; return the number of its steps."""
    from minari.data_collector import EpisodeBuffer

    record, episode = each.record, each.episode
    options = wing.reset_options(record.task, record.arena)
    first, _ = env.reset(seed=record.seed, options=options)
    observations, actions, rewards, ends = [first], list[Any](), list[float](), list[tuple[bool, bool]]()
    for (recorded,) in record.actions:
        action = wing.environment_action(env, recorded)
        observation, reward, terminated, truncated, _ = env.step(action)
        observations.append(observation)
        actions.append(action)
        rewards.append(float(reward))
        ends.append((bool(terminated), bool(truncated)))
        if terminated or truncated:
            break
    if not actions:
        raise DatasetError(f"the episode {episode.id} has no action, which Minari cannot store; leave it out")
    if abs(sum(rewards) - episode.total) > _TOLERANCE * max(1.0, abs(episode.total)):
        raise DatasetError(
            f"the episode {episode.id} replays with a return of {sum(rewards):.6g} instead of {episode.total:.6g}: "
            "another version of Puzzlebox or of its parts has played it"
        )
    terminated, truncated = ends[-1]
    ends[-1] = (terminated, truncated or not terminated)  # an episode that was stopped early
    buffer = EpisodeBuffer(
        id=number,
        seed=record.seed,
        options=options,
        observations=_stack(observations),
        actions=_stack(actions),
        rewards=rewards,
        terminations=[end for end, _ in ends],
        truncations=[end for _, end in ends],
    )
    storage.update_episodes([buffer])
    about = {"episode": episode.id, "task": episode.task, "agent": str(episode.agent), "return": episode.total}
    about |= {} if episode.passed is None else {"passed": bool(episode.passed)}
    storage.update_episode_metadata([about], [number])
    return len(actions)


def _stack(values: Sequence[Any]) -> Any:
    """Return the elements of a space as one array, or as a dictionary or tuple of arrays."""
    if isinstance(values[0], Mapping):
        return {name: _stack([value[name] for value in values]) for name in values[0]}
    if isinstance(values[0], tuple):
        return tuple(_stack([value[index] for value in values]) for index in range(len(values[0])))
    return np.stack([np.asarray(value) for value in values])


def parse_senses(text: str) -> dict[str, Any]:
    """Read senses as they are written on the command line: `camera=64, rays=15`.

    Raises:
        DatasetError: the text is not a list of settings.
    """
    from puzzlebox.run.specs import parse_spec

    try:
        return parse_spec(f"senses({text})", "a list of senses", "camera=64, rays=15")[1]
    except ValueError:
        hint = closest(text, ("camera", "rays", "vitals"))
        raise DatasetError(f"{text!r} is not a list of senses; write them as in camera=64, rays=15{hint}") from None
