"""Many environments at once, in this process or in several, as a Gymnasium vector environment."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from puzzlebox.arena.envs.arena import ArenaEnv, for_one_agent, spec_of
from puzzlebox.arena.envs.episodes import OPTIONS, RENDER_MODES, Snapshot
from puzzlebox.arena.envs.group import DECIDED, DECIDED_INFOS, INFOS, RESULTS, Board, Job, News
from puzzlebox.arena.envs.info import UNKNOWN
from puzzlebox.arena.envs.perception import Perception
from puzzlebox.arena.envs.schedule import share
from puzzlebox.arena.envs.settings import (
    Observation,
    Settings,
    checked_options,
    checked_seed,
    checked_whole,
    known_settings,
    refuse_unknown,
)
from puzzlebox.arena.envs.sources import Source, tasks_of
from puzzlebox.arena.envs.workers import Workers
from puzzlebox.processes import cores
from puzzlebox.seeds import vector_seeds
from puzzlebox.text import nearest

_AUTORESET = {mode.name.lower(): mode for mode in AutoresetMode}
_MASK = "reset_mask"
_OWN_SETTINGS = ("num_envs", "workers", "autoreset", "render_mode")


class ArenaVectorEnv(VectorEnv[Observation, npt.NDArray[Any], npt.NDArray[Any]]):
    """A vector of arenas.

    Environment i plays tasks i, i + num_envs, ... of the list, one episode each, again and again, whatever finishes
    first. With `seed`, environment i is what an `ArenaEnv` with the same tasks is after `reset(seed=seed + i)`, byte
    for byte, however many workers there are.

    When an episode ends, the next step begins a new one and ignores its action (`autoreset="next_step"`, Gymnasium's
    own way), or the same step does and has the end in `infos["final_obs"]` and `infos["final_info"]` (`"same_step"`),
    or nobody does before `reset(options={"reset_mask": ...})`, a bool for each environment (`"disabled"`).

    Args:
        task: a path, the name of a bundled task, YAML text or a Task; or a folder, the name of a bundled battery, a
            pattern or a list of them.
        num_envs: how many environments.
        workers: how many processes run them, this one included; 0 is 1; None: as many as there are cores.
        autoreset: "next_step", "same_step" or "disabled".
        render_mode: None or "rgb_array".
        settings: those of `puzzlebox.make`.
    """

    metadata = {  # noqa: RUF012
        **ArenaEnv.metadata,
        "render_modes": list(RENDER_MODES),
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        task: Source | Iterable[Source] = (),
        num_envs: int = 1,
        *,
        workers: int | None = None,
        autoreset: str | AutoresetMode = "next_step",
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.closed = True  # until there is something to close
        self.num_envs = checked_whole("num_envs", num_envs, 1)
        count = max(1, min(checked_whole("workers", cores() if workers is None else workers, 0), self.num_envs))
        refuse_unknown(settings, ["task", *vector_settings()])
        if isinstance(autoreset, AutoresetMode):
            autoreset = autoreset.name.lower()
        if autoreset not in _AUTORESET:
            raise ValueError(f"autoreset is {autoreset!r}{nearest(str(autoreset), _AUTORESET)}")
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode is {render_mode!r}{nearest(str(render_mode), RENDER_MODES)}")
        self.render_mode = render_mode
        self.settings = Settings.of(**settings)
        self.autoreset_mode = _AUTORESET[autoreset]
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        tasks = for_one_agent(tasks_of(task))
        perception = Perception(self.settings)
        self.single_observation_space = perception.space
        self.single_action_space = self.settings.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        shares = [share(tasks, index, self.num_envs) for index in range(self.num_envs)]
        job = Job(shares, self.settings, 0, self.num_envs, autoreset == "same_step", render_mode)
        self._autoreset = autoreset
        self._begun = False
        self._constant: dict[str, npt.NDArray[np.object_]] = {}
        self._numbers_only = self.settings.infos == "numbers"
        if not self._numbers_only:
            self._constant = {"task": _objects([""] * self.num_envs), "events": _objects([()] * self.num_envs)}
            self._constant["error"] = _objects([None] * self.num_envs)
            if self.settings.rays is not None:
                self._constant["ray_tags"] = _objects([perception.ray_tags] * self.num_envs)
            if self.settings.segments:
                self._constant["things"] = _objects([()] * self.num_envs)
        self._workers = Workers(job, count, Board(perception.space, self.num_envs).size)
        self._board = Board(perception.space, self.num_envs, self._workers.memory)
        self.closed = False

    @property
    def workers(self) -> int:
        """How many processes run the environments, this one included."""
        return len(self._workers)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the next episode of every environment, or of those in `options["reset_mask"]`.

        With one seed, environment i gets `seed + i`.
        """
        self._check_open()
        options = checked_options(options, (*OPTIONS, _MASK))
        mask = self._mask(options.pop(_MASK, None))
        if isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str):
            seeds = [checked_seed(each) for each in seed]
        else:
            seeds = vector_seeds(checked_seed(seed), self.num_envs)
        if len(seeds) != self.num_envs:
            raise ValueError(f"there are {self.num_envs} environments and {len(seeds)} seeds; give one for each")
        wishes = [(own, dict(options)) for own in seeds]
        if options.get("task") is not None:
            tasks = for_one_agent(tasks_of(options["task"]))
            for index, (_, wish) in enumerate(wishes):
                wish["task"] = share(tasks, index, self.num_envs)
        news = self._begin([wish if wanted else None for wish, wanted in zip(wishes, mask, strict=True)])
        return self._observations(), self._infos(news, mask)

    def begin(self, wishes: Sequence[tuple[Any, Mapping[str, Any] | None]]) -> tuple[Observation, list[dict[str, Any]]]:
        """Begin an episode in every environment: observations, and the `info` of each.

        Args:
            wishes: for each environment a seed or None, and options as a single environment takes them.
        """
        self._check_open()
        asked = [(checked_seed(seed), checked_options(options, OPTIONS)) for seed, options in wishes]
        for _, options in asked:
            if options.get("task") is not None:
                options["task"] = for_one_agent(tasks_of(options["task"]))
        news = self._begin(asked)
        return self._observations(), self._rows(news)

    def _begin(self, wishes: Sequence[tuple[int | None, dict[str, Any]] | None]) -> list[News]:
        """Begin an episode in each environment that has a wish; none does where one cannot."""
        if any(wish is not None and wish[1].get("arena") is not None for wish in wishes):
            self._workers.check(wishes)
        self._begun = False
        news = self._workers.reset(wishes)
        self._begun = True
        return news

    def _mask(self, asked: Any) -> npt.NDArray[np.bool_]:
        """Which environments begin an episode."""
        if asked is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(asked, np.ndarray) or asked.shape != (self.num_envs,) or asked.dtype != np.bool_:
            raise ValueError(f"{_MASK} is {asked!r}; it must be an array of {self.num_envs} bools")
        if not asked.any():
            raise ValueError(f"{_MASK} has no environment in it; it must have one or more")
        if not self._begun and not asked.all():
            raise ResetNeeded(f"no episode is under way; call reset() without a {_MASK} first")
        return asked

    def step(
        self, actions: npt.NDArray[Any]
    ) -> tuple[Observation, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Let every environment act."""
        observations, news = self._advance(actions)
        reward, terminated, truncated = (self._board.columns[name].copy() for name in RESULTS)
        return observations, reward, terminated, truncated, self._infos(news)

    def step_rows(self, actions: npt.NDArray[Any]) -> tuple[Any, ...]:
        """Let every environment act, as `step`, with one `info` for each instead of arrays.

        Beside observations, rewards, terminated, truncated and the list of infos, there is a dictionary of the last
        observation and `info` of each episode that ended where the next one began in the same step.
        """
        observations, news = self._advance(actions)
        reward, terminated, truncated = (self._board.columns[name].copy() for name in RESULTS)
        finals = {row: final for part in news for row, final in part.finals.items()}
        return observations, reward, terminated, truncated, self._rows(news), finals

    def _advance(self, actions: npt.NDArray[Any]) -> tuple[Observation, list[News]]:
        """Let every environment act: the observations, and what does not fit into the columns of the board."""
        self._check_begun()
        columns = self._board.columns
        chosen = self._numbers(actions)
        if self._autoreset == "disabled":
            over = np.flatnonzero(columns["terminated"] | columns["truncated"])
            if over.size:
                raise ResetNeeded(
                    f"the episode of environment {over[0]} is over; call reset with a {_MASK} that has it in it"
                )
        columns["action"][:] = chosen
        self._begun = False  # after an interruption some have acted and some have not
        observations = {name: np.empty_like(part) for name, part in self._board.observations.items()}
        own = self._workers.own
        news = self._workers.step(lambda: self._copy(observations, slice(own)))
        self._copy(observations, slice(own, None))
        self._begun = True
        return observations, news

    def _copy(self, observations: Observation, rows: slice) -> None:
        """Bring what some environments perceived into arrays that nobody writes to later."""
        for name, part in self._board.observations.items():
            observations[name][rows] = part[rows]

    def _numbers(self, actions: Any) -> npt.NDArray[np.int64]:
        """The actions as numbers from 0 to 8, one for each environment."""
        try:
            chosen = np.asarray(actions)
        except ValueError:  # rows of several lengths
            chosen = np.asarray(None)
        branches = self.settings.actions == "branches"
        shape, most = ((self.num_envs, 2), 2) if branches else ((self.num_envs,), 8)
        if chosen.shape != shape or chosen.dtype.kind not in "iu":
            wanted = "two whole numbers" if branches else "one whole number"
            raise ValueError(
                f"actions have shape {chosen.shape} and type {chosen.dtype}; give {wanted} for each of {shape[0]}"
            )
        if chosen.min() < 0 or chosen.max() > most:
            row = int(np.flatnonzero(((chosen < 0) | (chosen > most)).reshape(shape[0], -1).any(axis=1))[0])
            raise ValueError(f"{chosen[row]} is not an action (environment {row}); it must be from 0 to {most}")
        return 3 * chosen[:, 0] + chosen[:, 1] if branches else chosen

    def _observations(self) -> Observation:
        return {name: part.copy() for name, part in self._board.observations.items()}

    def _infos(self, parts: Iterable[News], mask: npt.NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """What Gymnasium makes of the `info` of every environment: an array for each key, and who has it."""
        parts = self._noted(parts)
        infos: dict[str, Any] = {name: self._board.columns[name].copy() for name in INFOS}
        infos |= {name: values.copy() for name, values in self._constant.items()}
        having = np.ones(self.num_envs, np.bool_) if mask is None else mask.copy()
        if not having.all():
            for values in infos.values():
                values[~having] = None if values.dtype == object else 0
        infos |= {f"_{name}": having for name in infos}
        decided = having & self._board.columns[DECIDED]
        for name in DECIDED_INFOS:
            if self._numbers_only:
                infos[name] = np.where(decided, infos[name], UNKNOWN)
            else:
                infos[f"_{name}"] = decided
        if "variation" in infos:  # others play no template
            infos["_variation"] = np.array([each is not None for each in infos["variation"]])
        for news in parts:
            for row, happened in news.events.items():
                infos["events"][row] = happened
            for row, reason in news.errors.items():
                infos["error"][row] = reason
            for row, present in news.things.items():
                infos["things"][row] = present
            for row, (observation, info) in news.finals.items():
                variation = info.pop("variation", None)
                maybe = {} if self._numbers_only else {name: info.pop(name) for name in DECIDED_INFOS}
                infos = self._add_info(infos, {"final_obs": observation, "final_info": info}, row)
                for name, value in maybe.items():
                    self._add_decided(infos["final_info"], name, value, row)
                if variation is not None:
                    self._add_variation(infos["final_info"], variation, row)
        return infos

    def _noted(self, parts: Iterable[News]) -> list[News]:
        """The news that belong in `infos`, after noting what stays true beyond this step."""
        if self._numbers_only:
            return [News(finals=news.finals) for news in parts]
        parts = list(parts)
        for news in parts:
            for row, name in news.tasks.items():
                self._constant["task"][row] = name
            for row, variation in news.variations.items():
                self._constant.setdefault("variation", _objects([None] * self.num_envs))[row] = variation
        return parts

    def _rows(self, parts: Iterable[News]) -> list[dict[str, Any]]:
        """The `info` of every environment, as a single one gives it."""
        parts = self._noted(parts)
        decided = self._board.columns[DECIDED]
        columns: dict[str, list[Any]] = {name: self._board.columns[name].tolist() for name in INFOS}
        for name in DECIDED_INFOS:
            unknown = UNKNOWN if self._numbers_only else None
            pairs = zip(decided.tolist(), columns[name], strict=True)
            columns[name] = [value if known else unknown for known, value in pairs]
        columns |= {name: values.tolist() for name, values in self._constant.items()}
        names = list(columns)
        rows = [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if "variation" in columns:  # others play no template
            for row in rows:
                if row["variation"] is None:
                    del row["variation"]
        for news in parts:
            for name, values in (("events", news.events), ("error", news.errors), ("things", news.things)):
                for index, value in values.items():
                    rows[index][name] = value
        return rows

    def _add_decided(self, infos: dict[str, Any], name: str, value: Any, row: int) -> None:
        """What is known once an episode is decided; where it is unknown, the mask says so."""
        known = infos.setdefault(f"_{name}", np.zeros(self.num_envs, np.bool_))
        infos.setdefault(name, np.zeros(self.num_envs, INFOS[name]))[row] = 0 if value is None else value
        known[row] = value is not None

    def _add_variation(self, infos: dict[str, Any], variation: dict[str, Any], row: int) -> None:
        """What was drawn stays together: Gymnasium would make an array of each value, all of the first one's type."""
        infos.setdefault("variation", _objects([None] * self.num_envs))[row] = variation
        infos.setdefault("_variation", np.zeros(self.num_envs, np.bool_))[row] = True

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What a method of each environment returns, or what an attribute of each is."""
        return tuple(self.ask("call", range(self.num_envs), name, args, kwargs))

    def ask(self, what: str, rows: Sequence[int], *args: Any) -> list[Any]:
        """What `get` (of an attribute) or `call` (of a method) says of some environments, in the order of `rows`."""
        self._check_open()
        wanted = sorted(set(rows))
        found = self._workers.query(what, [index in wanted for index in range(self.num_envs)], *args)
        answers = dict(zip(wanted, found, strict=True))
        return [answers[row] for row in rows]

    def put(self, rows: Sequence[int], name: str, value: Any) -> None:
        """Set an attribute of some environments."""
        self._check_open()
        self._workers.put([index in rows for index in range(self.num_envs)], name, [value] * self.num_envs)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """What an attribute of each environment is."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each environment: a list has one value for each, anything else is the same for all."""
        self._check_open()
        each = list(values) if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ValueError(f"there are {self.num_envs} environments and {len(each)} values; give one for each")
        self._workers.put([True] * self.num_envs, name, each)

    def snapshot(self) -> list[Snapshot]:
        """Where each environment is, to be there again with `restore`, in this vector or another."""
        self._check_begun()
        return list(self.call("snapshot"))

    def restore(self, snapshots: Sequence[Snapshot | None]) -> tuple[Observation, dict[str, Any]]:
        """Be where snapshots were taken; what `reset` would return there.

        Args:
            snapshots: one for each environment, from `snapshot` of this or another vector or of a single environment;
                None leaves an environment where it is.
        """
        self._check_open()
        if not isinstance(snapshots, list | tuple) or len(snapshots) != self.num_envs:
            given = len(snapshots) if isinstance(snapshots, list | tuple) else type(snapshots).__name__
            raise ValueError(
                f"there are {self.num_envs} environments and {given} snapshots; give one for each in a list"
            )
        for each in snapshots:
            if each is not None:
                ArenaEnv.check_snapshot(each, self.settings.rules)
        having = np.array([each is not None for each in snapshots])
        if not having.all():
            self._check_begun()
        self._begun = False
        news = self._workers.restore(snapshots)
        self._begun = True
        return self._observations(), self._infos(news, having)

    def __reduce__(self) -> Any:
        """No second vector can have this one's processes and memory."""
        raise TypeError("a vector can be neither copied nor pickled; make another one, or keep what snapshot() says")

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each."""
        return None if self.render_mode is None else self.call("render")

    def _check_begun(self) -> None:
        self._check_open()
        if not self._begun:
            raise ResetNeeded("no episode is under way; call reset() first")

    def _check_open(self) -> None:
        if self.closed or self._workers.closed:
            self.closed = True
            raise RuntimeError("the vector is closed; make a new one")

    def close_extras(self, **kwargs: Any) -> None:
        """Stop all workers."""
        self._workers.close()


def vector_settings() -> list[str]:
    """The names of all settings of a vector."""
    return [*_OWN_SETTINGS, *known_settings()]


def _objects(values: Sequence[Any]) -> npt.NDArray[np.object_]:
    array = np.empty(len(values), object)
    for index, value in enumerate(values):
        array[index] = value
    return array


def make_vec(
    tasks: Source | Iterable[Source] = (), num_envs: int = 1, *, workers: int | None = None, **settings: Any
) -> ArenaVectorEnv:
    """A vector of environments; the settings are those of `puzzlebox.make`, and `autoreset`.

    Args:
        tasks: a task as for `puzzlebox.make`, a folder, a battery such as `operant-curriculum`, a pattern, or a list.
        num_envs: how many environments; environment i plays tasks i, i + num_envs, ... of the list.
        workers: how many processes run them, this one included; 0 is 1; None: as many as there are cores.
        settings: see `puzzlebox.make`; `autoreset` is "next_step", "same_step" or "disabled".
    """
    refuse_unknown(settings, ["tasks", *vector_settings()])
    if isinstance(tasks, Iterator):
        tasks = list(tasks)  # it is looked at twice
    envs = ArenaVectorEnv(tasks, num_envs, workers=workers, **settings)
    if isinstance(settings.get("autoreset"), AutoresetMode):
        settings["autoreset"] = settings["autoreset"].name.lower()
    vector = {"num_envs": num_envs, "vectorization_mode": "vector_entry_point", "workers": workers}
    envs.spec = spec_of(tasks, **settings, **vector)
    return envs
