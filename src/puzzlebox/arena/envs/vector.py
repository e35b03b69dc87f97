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
from puzzlebox.arena.envs.group import DECIDED, DECIDED_INFOS, INFOS, RESULTS, Board, Job, Updates
from puzzlebox.arena.envs.info import UNKNOWN
from puzzlebox.arena.envs.perception import Perception
from puzzlebox.arena.envs.schedule import Pool, numbers_of, share
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
from puzzlebox.arena.envs.turns import Turn
from puzzlebox.arena.envs.workers import Workers
from puzzlebox.processes import cores
from puzzlebox.seeds import vector_seeds
from puzzlebox.text import nearest

_AUTORESET = {mode.name.lower(): mode for mode in AutoresetMode}
_MASK = "reset_mask"
_OWN_SETTINGS = ("num_envs", "workers", "groups", "autoreset", "render_mode")
_MOST_GROUPS = 255


class ArenaVectorEnv(VectorEnv[Observation, npt.NDArray[Any], npt.NDArray[Any]]):
    """A vector of arenas.

    Environment i plays tasks i, i + num_envs, ... of the list, one episode each, again and again, independently of the
    others. With `seed`, environment i equals an `ArenaEnv` with the same tasks after `reset(seed=seed + i)`, byte for
    byte, whatever the number of workers.

    When an episode ends, the next step starts a new one and ignores its action (`autoreset="next_step"`, Gymnasium's
    default), or the same step does, and `infos["final_obs"]` and `infos["final_info"]` hold the end (`"same_step"`), or
    a call of `reset(options={"reset_mask": ...})`, a bool for each environment, must start it (`"disabled"`).

    Args:
        task: a path, the name of a bundled task, YAML text or a Task; or a folder, the name of a bundled battery, a
            pattern or a list of them.
        num_envs: the number of environments.
        workers: the number of processes, this one included; 0 is 1. Default: the number of cores. With several groups
            this process is not counted, and the default is one less.
        groups: the number of groups of environments that `send` and `receive` step in turn. With more than one, all
            environments run in other processes.
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
        groups: int = 1,
        autoreset: str | AutoresetMode = "next_step",
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.closed = True  # until the workers run
        self.num_envs = checked_whole("num_envs", num_envs, 1)
        self.groups = checked_whole("groups", groups, 1)
        if self.groups > min(self.num_envs, _MOST_GROUPS):
            most = min(self.num_envs, _MOST_GROUPS)
            raise ValueError(f"groups is {groups}; with {self.num_envs} environments it must be at most {most}")
        usual = cores() - (self.groups > 1)
        wanted = checked_whole("workers", usual if workers is None else workers, 0)
        count = max(1, min(wanted, self.num_envs // self.groups))
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
        self._tasks = tuple(for_one_agent(tasks_of(task)))
        self._pool_sent = False
        perception = Perception(self.settings)
        self.single_observation_space = perception.space
        self.single_action_space = self.settings.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        shares = [share(self._tasks, index, self.num_envs) for index in range(self.num_envs)]
        job = Job(shares, self.settings, 0, self.num_envs, autoreset == "same_step", render_mode)
        self._autoreset = autoreset
        self._started = False
        self._constant: dict[str, npt.NDArray[np.object_]] = {}
        self._numbers_only = self.settings.infos == "numbers"
        if not self._numbers_only:
            self._constant = {"task": _objects([""] * self.num_envs), "events": _objects([()] * self.num_envs)}
            self._constant["error"] = _objects([None] * self.num_envs)
            if self.settings.rays is not None:
                self._constant["ray_tags"] = _objects([perception.ray_tags] * self.num_envs)
            if self.settings.segments:
                self._constant["things"] = _objects([()] * self.num_envs)
        self._sent: set[int] = set()
        self._workers = Workers(job, count, Board(perception.space, self.num_envs).size, self.groups)
        self._board = Board(perception.space, self.num_envs, self._workers.memory)
        self.closed = False

    @property
    def workers(self) -> int:
        """Return the number of processes that run environments; with one group, this one is among them."""
        return len(self._workers)

    @property
    def task_names(self) -> list[str]:
        """Return the names of the tasks, in the order of the list."""
        return [task.name for task in self._tasks]

    @property
    def memory(self) -> Any:
        """Return the block of memory that holds all observations, as a buffer; a learner may page-lock it."""
        return self._workers.memory

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next episode of every environment, or of those in `options["reset_mask"]`.

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
        requests = [(own, dict(options)) for own in seeds]
        if options.get("task") is not None:
            tasks = for_one_agent(tasks_of(options["task"]))
            self._tasks, self._pool_sent = tuple(tasks), False
            for index, (_, request) in enumerate(requests):
                request["task"] = share(tasks, index, self.num_envs)
        updates = self._begin([request if selected else None for request, selected in zip(requests, mask, strict=True)])
        return self._observations(), self._infos(updates, mask)

    def begin(
        self, requests: Sequence[tuple[Any, Mapping[str, Any] | None]]
    ) -> tuple[Observation, list[dict[str, Any]]]:
        """Start an episode in every environment; return the observations, and the `info` of each.

        Args:
            requests: for each environment a seed or None, and options as a single environment takes them.
        """
        self._check_open()
        checked = [(checked_seed(seed), checked_options(options, OPTIONS)) for seed, options in requests]
        for _, options in checked:
            if options.get("task") is not None:
                options["task"] = for_one_agent(tasks_of(options["task"]))
        updates = self._begin(checked)
        return self._observations(), self._rows(updates)

    def _begin(self, requests: Sequence[tuple[int | None, dict[str, Any]] | None]) -> list[Updates]:
        """Start an episode in each environment that has a request; if one is not valid, none starts."""
        if any(request is not None and request[1].get("arena") is not None for request in requests):
            self._workers.check(requests)
        self._started = False
        self._sent.clear()
        updates = self._workers.reset(requests)
        self._started = True
        return updates

    def _mask(self, mask: Any) -> npt.NDArray[np.bool_]:
        """Return which environments start an episode, as an array of bools."""
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(f"{_MASK} is {mask!r}; it must be an array of {self.num_envs} bools")
        if not mask.any():
            raise ValueError(f"{_MASK} has no environment in it; it must have one or more")
        if not mask.all():
            self._check_received()
        if not self._started and not mask.all():
            raise ResetNeeded(f"no episode is under way; call reset() without a {_MASK} first")
        return mask

    def step(
        self, actions: npt.NDArray[Any]
    ) -> tuple[Observation, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Step every environment."""
        observations, updates = self._advance(actions)
        reward, terminated, truncated = (self._board.columns[name].copy() for name in RESULTS)
        return observations, reward, terminated, truncated, self._infos(updates)

    def step_rows(self, actions: npt.NDArray[Any]) -> tuple[Any, ...]:
        """Step every environment, as `step` does, with one `info` for each instead of arrays.

        The result is a tuple of observations, rewards, terminated, truncated, the list of infos, and a dictionary of
        the last observation and `info` of each episode that ended where the next one started in the same step.
        """
        observations, updates = self._advance(actions)
        reward, terminated, truncated = (self._board.columns[name].copy() for name in RESULTS)
        finals = {row: final for part in updates for row, final in part.finals.items()}
        return observations, reward, terminated, truncated, self._rows(updates), finals

    def send(self, actions: npt.NDArray[Any], group: int = 0) -> None:
        """Ask for a step of the environments of a group; `receive` waits for it and returns the results.

        Meanwhile, other groups can be sent and received. With one group, its part in this process is stepped by
        `receive`.

        Args:
            actions: one for each environment of the group.
            group: the index of the group: environments are divided into `groups` equal groups, in order.
        """
        self._check_group(group)
        if group in self._sent:
            raise RuntimeError(f"group {group} was sent and not received; call receive({group}) first")
        self._check_started()
        rows = self._workers.rows(group)
        self._write_actions(actions, rows)
        self._started = False  # after an interrupt, some have acted and some have not
        self._workers.send(group)
        self._sent.add(group)
        self._started = True

    def receive(self, group: int = 0, *, copy: bool = True) -> Turn:
        """Return the results of a group that was sent, when all its environments have stepped.

        Args:
            group: the index of the group.
            copy: whether observations are new arrays. Otherwise they are the memory that the environments write to,
                which the next step of this group changes.
        """
        self._check_group(group)
        self._check_open()
        if group not in self._sent:
            raise RuntimeError(f"group {group} was not sent; call send(actions, {group}) first")
        self._check_started()
        self._started = False
        updates = self._workers.receive(group)
        self._sent.discard(group)
        self._started = True
        self._store_lasting(updates)
        rows = self._workers.rows(group)
        observations = {name: part[rows] for name, part in self._board.observations.items()}
        if copy:
            observations = {name: part.copy() for name, part in observations.items()}
        reward, terminated, truncated = (self._board.columns[name][rows].copy() for name in RESULTS)
        finals = {row: final for part in updates for row, final in part.finals.items()}
        return Turn(rows, observations, (reward, terminated, truncated), finals, lambda: self._infos(updates))

    def rows(self, group: int) -> slice:
        """Return which environments are in a group, as a slice."""
        self._check_group(group)
        return self._workers.rows(group)

    def _check_group(self, group: int) -> None:
        if isinstance(group, bool) or not isinstance(group, int | np.integer) or not 0 <= group < self.groups:
            raise ValueError(f"group is {group!r}; it must be a whole number from 0 to {self.groups - 1}")

    def _advance(self, actions: npt.NDArray[Any]) -> tuple[Observation, list[Updates]]:
        """Step every environment; return the observations, and what does not fit into the arrays of the board."""
        self._check_started()
        self._check_received()
        self._write_actions(actions, slice(self.num_envs))
        self._started = False  # after an interrupt, some have acted and some have not
        observations = {name: np.empty_like(part) for name, part in self._board.observations.items()}
        own = self._workers.own
        for group in range(self.groups):
            self._workers.send(group)
        updates = []
        for group in range(self.groups):
            updates += self._workers.receive(group, lambda: self._copy(observations, slice(own)))
        self._copy(observations, slice(own, None))
        self._started = True
        return observations, updates

    def _write_actions(self, actions: npt.NDArray[Any], rows: slice) -> None:
        """Write the actions of some environments to the board."""
        columns = self._board.columns
        chosen = self._numbers(actions, rows)
        if self._autoreset == "disabled":
            over = np.flatnonzero(columns["terminated"][rows] | columns["truncated"][rows])
            if over.size:
                raise ResetNeeded(
                    f"the episode of environment {(rows.start or 0) + over[0]} is over; call reset with a {_MASK} that "
                    "includes it"
                )
        columns["action"][rows] = chosen

    def _copy(self, observations: Observation, rows: slice) -> None:
        """Copy the observations of some environments into arrays that later steps do not change."""
        for name, part in self._board.observations.items():
            observations[name][rows] = part[rows]

    def _numbers(self, actions: Any, rows: slice) -> npt.NDArray[np.int64]:
        """Return the actions of some environments as numbers from 0 to 8."""
        first, count = rows.start or 0, rows.stop - (rows.start or 0)
        try:
            chosen = np.asarray(actions)
        except ValueError:  # rows of different lengths
            chosen = np.asarray(None)
        branches = self.settings.actions == "branches"
        shape, most = ((count, 2), 2) if branches else ((count,), 8)
        if chosen.shape != shape or chosen.dtype.kind not in "iu":
            expected = "two whole numbers" if branches else "one whole number"
            raise ValueError(
                f"actions have shape {chosen.shape} and type {chosen.dtype}; give {expected} for each of {shape[0]}"
            )
        if chosen.min() < 0 or chosen.max() > most:
            row = int(np.flatnonzero(((chosen < 0) | (chosen > most)).reshape(shape[0], -1).any(axis=1))[0])
            raise ValueError(f"{chosen[row]} is not an action (environment {first + row}); it must be from 0 to {most}")
        return 3 * chosen[:, 0] + chosen[:, 1] if branches else chosen

    def _observations(self) -> Observation:
        return {name: part.copy() for name, part in self._board.observations.items()}

    def _infos(self, parts: Iterable[Updates], mask: npt.NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """Return the `info` of all environments as Gymnasium does: an array for each key, and a mask of who has it."""
        parts = self._store_lasting(parts)
        infos: dict[str, Any] = {name: self._board.columns[name].copy() for name in INFOS}
        infos |= {name: values.copy() for name, values in self._constant.items()}
        present = np.ones(self.num_envs, np.bool_) if mask is None else mask.copy()
        if not present.all():
            for values in infos.values():
                values[~present] = None if values.dtype == object else 0
        infos |= {f"_{name}": present for name in infos}
        decided = present & self._board.columns[DECIDED]
        for name in DECIDED_INFOS:
            if self._numbers_only:
                infos[name] = np.where(decided, infos[name], UNKNOWN)
            else:
                infos[f"_{name}"] = decided
        if "variation" in infos:  # only if a template is played
            infos["_variation"] = np.array([each is not None for each in infos["variation"]])
        for updates in parts:
            for row, events in updates.events.items():
                infos["events"][row] = events
            for row, reason in updates.errors.items():
                infos["error"][row] = reason
            for row, things in updates.things.items():
                infos["things"][row] = things
            for row, (observation, info) in updates.finals.items():
                variation = info.pop("variation", None)
                decision = {} if self._numbers_only else {name: info.pop(name) for name in DECIDED_INFOS}
                infos = self._add_info(infos, {"final_obs": observation, "final_info": info}, row)
                for name, value in decision.items():
                    self._add_decided(infos["final_info"], name, value, row)
                if variation is not None:
                    self._add_variation(infos["final_info"], variation, row)
        return infos

    def _store_lasting(self, parts: Iterable[Updates]) -> list[Updates]:
        """Store the entries that stay true after this step; return the updates that belong in `infos`."""
        if self._numbers_only:
            return [Updates(finals=updates.finals) for updates in parts]
        parts = list(parts)
        for updates in parts:
            for row, name in updates.tasks.items():
                self._constant["task"][row] = name
            for row, variation in updates.variations.items():
                self._constant.setdefault("variation", _objects([None] * self.num_envs))[row] = variation
        return parts

    def _rows(self, parts: Iterable[Updates]) -> list[dict[str, Any]]:
        """Return the `info` of every environment as a separate dictionary."""
        parts = self._store_lasting(parts)
        decided = self._board.columns[DECIDED]
        columns: dict[str, list[Any]] = {name: self._board.columns[name].tolist() for name in INFOS}
        for name in DECIDED_INFOS:
            unknown = UNKNOWN if self._numbers_only else None
            pairs = zip(decided.tolist(), columns[name], strict=True)
            columns[name] = [value if is_decided else unknown for is_decided, value in pairs]
        columns |= {name: values.tolist() for name, values in self._constant.items()}
        names = list(columns)
        rows = [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if "variation" in columns:  # only if a template is played
            for row in rows:
                if row["variation"] is None:
                    del row["variation"]
        for updates in parts:
            for name, values in (("events", updates.events), ("error", updates.errors), ("things", updates.things)):
                for index, value in values.items():
                    rows[index][name] = value
        return rows

    def _add_decided(self, infos: dict[str, Any], name: str, value: Any, row: int) -> None:
        """Add an entry that is known once an episode is decided; the mask is True where it is known."""
        mask = infos.setdefault(f"_{name}", np.zeros(self.num_envs, np.bool_))
        infos.setdefault(name, np.zeros(self.num_envs, INFOS[name]))[row] = 0 if value is None else value
        mask[row] = value is not None

    def _add_variation(self, infos: dict[str, Any], variation: dict[str, Any], row: int) -> None:
        """Add drawn values as one object: Gymnasium would make an array of each value, with the type of the first."""
        infos.setdefault("variation", _objects([None] * self.num_envs))[row] = variation
        infos.setdefault("_variation", np.zeros(self.num_envs, np.bool_))[row] = True

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return the results of a method of each environment, or an attribute of each."""
        return tuple(self.query("call", range(self.num_envs), name, args, kwargs))

    def query(self, what: str, rows: Sequence[int], *args: Any) -> list[Any]:
        """Return `get_attribute` or `call` (of a method) of some environments, in the order of `rows`."""
        self._check_open()
        self._check_received()
        selected = sorted(set(rows))
        results = self._workers.query(what, [index in selected for index in range(self.num_envs)], *args)
        by_row = dict(zip(selected, results, strict=True))
        return [by_row[row] for row in rows]

    def set_attribute(self, rows: Sequence[int], name: str, value: Any) -> None:
        """Set an attribute of some environments."""
        self._check_open()
        self._check_received()
        self._workers.set_attribute([index in rows for index in range(self.num_envs)], name, [value] * self.num_envs)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each environment."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each environment: a list has one value for each, anything else is the same for all."""
        self._check_open()
        self._check_received()
        each = list(values) if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ValueError(f"there are {self.num_envs} environments and {len(each)} values; give one for each")
        self._workers.set_attribute([True] * self.num_envs, name, each)

    def snapshot(self) -> list[Snapshot]:
        """Return the state of each environment, for `restore` in this vector or another."""
        self._check_started()
        snapshots: list[Snapshot] = list(self.call("snapshot"))
        pools: dict[tuple[Any, ...], Pool] = {}  # each process sends its own; all are the same
        for each in snapshots:
            pool = each.schedule.pool
            if pool is not None:
                each.schedule.pool = pools.setdefault((*pool.names, *pool.sums), pool)
        return snapshots

    def restore(self, snapshots: Sequence[Snapshot | None]) -> tuple[Observation, dict[str, Any]]:
        """Return to the states of snapshots; return what `reset` would return there.

        Args:
            snapshots: one for each environment, from `snapshot` of this or another vector or of a single environment;
                None leaves an environment where it is.
        """
        self._check_open()
        if not isinstance(snapshots, list | tuple) or len(snapshots) != self.num_envs:
            count = len(snapshots) if isinstance(snapshots, list | tuple) else type(snapshots).__name__
            raise ValueError(
                f"there are {self.num_envs} environments and {count} snapshots; give one for each in a list"
            )
        for each in snapshots:
            if each is not None:
                ArenaEnv.check_snapshot(each, self.settings.rules)
        present = np.array([each is not None for each in snapshots])
        if not present.all():
            self._check_started()
        self._started = False
        self._sent.clear()
        updates = self._workers.restore(snapshots)
        self._started = True
        return self._observations(), self._infos(updates, present)

    def set_task_weights(self, weights: Sequence[float] | npt.NDArray[Any] | None) -> None:
        """Set how probable each task of the list is in the episodes that start from now on.

        Every environment draws the task of each next episode from the whole list, with its own random stream, so that
        the same seed and weights give the same episodes. The weights are part of snapshots, and last until they are set
        again or `reset` is given other tasks.

        Args:
            weights: for each task of the list (`task_names`) a number, 0 or more; only their ratios matter. None: each
                environment plays its own tasks in order again, from where that stopped.
        """
        self._check_open()
        self._check_received()
        values = None if weights is None else numbers_of(weights)
        if values is not None:
            Pool.of(self._tasks, values)
        self._workers.set_weights(None if self._pool_sent or values is None else self._tasks, values)
        self._pool_sent = self._pool_sent or values is not None

    def __reduce__(self) -> Any:
        """Refuse to copy or pickle: the processes and memory of a vector cannot be shared."""
        raise TypeError("a vector can be neither copied nor pickled; make another one, or keep what snapshot() returns")

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each environment."""
        return None if self.render_mode is None else self.call("render")

    def _check_started(self) -> None:
        self._check_open()
        if not self._started:
            raise ResetNeeded("no episode is under way; call reset() first")

    def _check_received(self) -> None:
        """Raise an error while a group steps."""
        if self._sent and self._started:
            group = min(self._sent)
            raise RuntimeError(f"group {group} was sent and not received; call receive({group}) first")

    def _check_open(self) -> None:
        if self.closed or self._workers.closed:
            self.closed = True
            raise RuntimeError("the vector is closed; make a new one")

    def close_extras(self, **kwargs: Any) -> None:
        """Stop all workers."""
        self._workers.close()


def vector_settings() -> list[str]:
    """Return the names of all settings of a vector."""
    return [*_OWN_SETTINGS, *known_settings()]


def _objects(values: Sequence[Any]) -> npt.NDArray[np.object_]:
    array = np.empty(len(values), object)
    for index, value in enumerate(values):
        array[index] = value
    return array


def make_vec(
    tasks: Source | Iterable[Source] = (), num_envs: int = 1, *, workers: int | None = None, **settings: Any
) -> ArenaVectorEnv:
    """Create a vector of environments; the settings are those of `puzzlebox.make`, and `autoreset`.

    Args:
        tasks: a task as for `puzzlebox.make`, a folder, a battery such as `operant-curriculum`, a pattern, or a list.
        num_envs: the number of environments; environment i plays tasks i, i + num_envs, ... of the list.
        workers: the number of processes, this one included; 0 is 1. Default: the number of cores.
        settings: see `puzzlebox.make`; `autoreset` is "next_step", "same_step" or "disabled"; `groups` is the number of
            groups for `send` and `receive`.
    """
    refuse_unknown(settings, ["tasks", *vector_settings()])
    if isinstance(tasks, Iterator):
        tasks = list(tasks)  # it is read twice
    envs = ArenaVectorEnv(tasks, num_envs, workers=workers, **settings)
    if isinstance(settings.get("autoreset"), AutoresetMode):
        settings["autoreset"] = settings["autoreset"].name.lower()
    vector = {"num_envs": num_envs, "vectorization_mode": "vector_entry_point", "workers": workers}
    envs.spec = spec_of(tasks, **settings, **vector)
    return envs
