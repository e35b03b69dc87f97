"""Many environments at once, in this process or in several, as a Gymnasium vector environment."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from puzzlebox.envs.arena import OPTIONS, RENDER_MODES, ArenaEnv
from puzzlebox.envs.group import DECIDED, INFOS, RESULTS, Board, Job, News
from puzzlebox.envs.programme import Played, Source, several_agents, share, tasks_of
from puzzlebox.envs.registration import ARENA
from puzzlebox.envs.settings import Observation, Perception, Settings, checked_options, checked_seed, refuse_unknown
from puzzlebox.envs.workers import Workers, cores
from puzzlebox.schema.messages import nearest

_AUTORESET = {mode.name.lower(): mode for mode in AutoresetMode}
_MASK = "reset_mask"
_SETTINGS = ("num_envs", "workers", "autoreset", "render_mode", *Settings.__dataclass_fields__)


class ArenaVectorEnv(VectorEnv[Observation, npt.NDArray[Any], npt.NDArray[Any]]):
    """A vector of arenas.

    Environment i plays tasks i, i + num_envs, ... of the list, one episode each, again and again, whatever finishes
    first. With `seed`, environment i is what an `ArenaEnv` with the same tasks is after `reset(seed=seed + i)`, byte
    for byte, however many workers there are.

    When an episode ends, the next step begins a new one and ignores its action (`autoreset="next_step"`, Gymnasium's
    own way), or the same step does and tells the end in `infos["final_obs"]` and `infos["final_info"]` (`"same_step"`),
    or nobody does before `reset(options={"reset_mask": ...})`, a bool for each environment (`"disabled"`).

    Args:
        task: a path, the name of a bundled task, YAML text or a Task; or a list or pattern of them.
        num_envs: how many environments.
        workers: how many processes run them, this one included; 0 is 1; None: as many as there are cores.
        autoreset: "next_step", "same_step" or "disabled".
        render_mode: None or "rgb_array".
        settings: see `Settings`.
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
        self.num_envs = _whole("num_envs", num_envs, 1)
        count = max(1, min(_whole("workers", cores() if workers is None else workers, 0), self.num_envs))
        refuse_unknown(settings, ["task", *_SETTINGS], "setting")
        if isinstance(autoreset, AutoresetMode):
            autoreset = autoreset.name.lower()
        if autoreset not in _AUTORESET:
            raise ValueError(f"autoreset is {autoreset!r}{nearest(str(autoreset), _AUTORESET)}")
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode is {render_mode!r}{nearest(str(render_mode), RENDER_MODES)}")
        self.render_mode = render_mode
        self.settings = Settings.of(**settings)
        self.metadata = {**self.metadata, "autoreset_mode": _AUTORESET[autoreset]}
        tasks = _for_one_each(tasks_of(task))
        perception = Perception(self.settings)
        self.single_observation_space = perception.space
        self.single_action_space = self.settings.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        shares = [share(tasks, index, self.num_envs) for index in range(self.num_envs)]
        job = Job(shares, self.settings, 0, self.num_envs, autoreset == "same_step", render_mode)
        self._autoreset = autoreset
        self._begun = False
        self._constant = {"events": _objects([()] * self.num_envs), "error": _objects([None] * self.num_envs)}
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
            first = checked_seed(seed)
            seeds = [None if first is None else first + index for index in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"there are {self.num_envs} environments and {len(seeds)} seeds; give one for each")
        wishes = [(own, dict(options)) for own in seeds]
        if options.get("task") is not None:
            tasks = _for_one_each(tasks_of(options["task"]))
            for index, (_, wish) in enumerate(wishes):
                wish["task"] = share(tasks, index, self.num_envs)
        asked = [wish if wanted else None for wish, wanted in zip(wishes, mask, strict=True)]
        if options.get("arena") is not None:
            self._workers.check(asked)
        self._begun = False
        news = self._workers.reset(asked)
        self._begun = True
        return self._observations(), self._infos(news, mask)

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
        self._check_open()
        if not self._begun:
            raise ResetNeeded("no episode is under way; call reset() first")
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
        reward, terminated, truncated = (columns[name].copy() for name in RESULTS)
        return observations, reward, terminated, truncated, self._infos(news)

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
        parts = list(parts)
        for news in parts:
            for row, variation in news.variations.items():
                self._constant.setdefault("variation", _objects([None] * self.num_envs))[row] = variation
        infos: dict[str, Any] = {name: self._board.columns[name].copy() for name in INFOS}
        infos |= {name: values.copy() for name, values in self._constant.items()}
        having = np.ones(self.num_envs, np.bool_) if mask is None else mask.copy()
        if not having.all():
            for values in infos.values():
                values[~having] = None if values.dtype == object else 0
        infos |= {f"_{name}": having for name in infos}
        infos["_passed"] = having & self._board.columns[DECIDED]
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
                passed = info.pop("passed")
                infos = self._add_info(infos, {"final_obs": observation, "final_info": info}, row)
                self._add_passed(infos["final_info"], passed, row)
                if variation is not None:
                    self._add_variation(infos["final_info"], variation, row)
        return infos

    def _add_passed(self, infos: dict[str, Any], passed: bool | None, row: int) -> None:
        """Whether an episode was passed; where that is unknown, the mask says so."""
        known = infos.setdefault("_passed", np.zeros(self.num_envs, np.bool_))
        infos.setdefault("passed", np.zeros(self.num_envs, np.bool_))[row] = passed is True
        known[row] = passed is not None

    def _add_variation(self, infos: dict[str, Any], variation: dict[str, Any], row: int) -> None:
        """What was drawn stays together: Gymnasium would make an array of each value, all of the first one's type."""
        infos.setdefault("variation", _objects([None] * self.num_envs))[row] = variation
        infos.setdefault("_variation", np.zeros(self.num_envs, np.bool_))[row] = True

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What a method of each environment returns, or what an attribute of each is."""
        self._check_open()
        return tuple(self._workers.call(name, args, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """What an attribute of each environment is."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each environment: a list has one value for each, anything else is the same for all."""
        self._check_open()
        each = list(values) if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ValueError(f"there are {self.num_envs} environments and {len(each)} values; give one for each")
        self._workers.put(name, each)

    def __reduce__(self) -> Any:
        """No second vector can have this one's processes and memory."""
        raise TypeError(
            "a vector can be neither copied nor pickled; make another one, or keep what call('snapshot') says"
        )

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each."""
        return None if self.render_mode is None else self.call("render")

    def _check_open(self) -> None:
        if self.closed or self._workers.closed:
            self.closed = True
            raise RuntimeError("the vector is closed; make a new one")

    def close_extras(self, **kwargs: Any) -> None:
        """Let the workers go home."""
        self._workers.close()


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} is {value!r}; it must be a whole number, {least} or more")
    return int(value)


def _for_one_each(tasks: list[Played]) -> list[Played]:
    several = several_agents(tasks)
    if several:
        raise ValueError(f"{several}; use puzzlebox.make_parallel, which is for several agents")
    return tasks


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
        tasks: a task as for `puzzlebox.make`, a pattern such as `operant-curriculum/*`, or a list.
        num_envs: how many environments; environment i plays tasks i, i + num_envs, ... of the list.
        workers: how many processes run them, this one included; 0 is 1; None: as many as there are cores.
        settings: see `puzzlebox.make`; `autoreset` is "next_step", "same_step" or "disabled".
    """
    refuse_unknown(settings, ["tasks", *_SETTINGS], "setting")
    envs = ArenaVectorEnv(tasks, num_envs, workers=workers, **settings)
    envs.spec = gym.spec(ARENA)
    return envs
