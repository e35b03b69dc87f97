"""A vector of environments for Stable-Baselines3, without its wrappers and pipes."""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from puzzlebox.arena.envs.info import UNKNOWN
from puzzlebox.arena.envs.settings import Observation, checked_seed, refuse_unknown
from puzzlebox.arena.envs.sources import Source
from puzzlebox.arena.envs.vector import ArenaVectorEnv, make_vec, vector_settings

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvStepReturn
except ImportError:  # pragma: no cover
    raise ImportError("make_sb3 needs Stable-Baselines3; pip install 'puzzlebox[learn]' brings it") from None


class ArenaSB3VecEnv(VecEnv):
    """A vector of arenas as a `VecEnv` of Stable-Baselines3.

    An episode that ends is followed by the next in the same step. The `info` of that step is that of the ended episode,
    with `terminal_observation`, `TimeLimit.truncated`, `is_success` (whether it was passed; None if that is unknown)
    and `episode`: the return `r`, the length `l`, the seconds `t` since the vector was created, and `task`, `passed`
    and `latency`. So no `Monitor` is needed, and `env_is_wrapped` reports that there is one.

    Attributes:
        envs: the Gymnasium vector of the same environments.
    """

    def __init__(self, envs: ArenaVectorEnv) -> None:
        self.envs = envs
        self.spec = envs.spec
        self._start = time.time()
        self._lengths = np.zeros(envs.num_envs, np.int64)
        self._actions: Any = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Observation:
        """Start an episode in every environment, with the seeds and options set before."""
        observations, self.reset_infos = self.envs.begin(list(zip(self._seeds, self._options, strict=True)))
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return observations

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of the next `reset`: environment i has `seed` + i. Default: `seed` is drawn at random."""
        return super().seed(checked_seed(seed))

    def set_options(self, options: Any = None) -> None:
        """Set the options of the next `reset`: a dictionary for all environments, or a list with one for each."""
        each = [options] * self.num_envs if options is None or isinstance(options, dict) else options
        if (
            not isinstance(each, list | tuple)
            or len(each) != self.num_envs
            or not all(one is None or isinstance(one, dict) for one in each)
        ):
            raise TypeError(
                f"options is {options!r}; it must be a dictionary, or a list of {self.num_envs} of them, "
                "one for each environment"
            )
        super().set_options([one or {} for one in each])

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the actions of the next `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Step every environment; when an episode ends, start the next one."""
        observations, rewards, terminated, truncated, infos, finals = self.envs.step_rows(self._actions)
        self._lengths += 1
        for info in infos:
            info["TimeLimit.truncated"] = False
        for row, (observation, info) in finals.items():
            self.reset_infos[row] = infos[row]
            del self.reset_infos[row]["TimeLimit.truncated"]
            infos[row] = info | {
                "TimeLimit.truncated": bool(truncated[row] and not terminated[row]),
                "terminal_observation": observation,
                "is_success": None if info["passed"] in (None, UNKNOWN) else info["passed"],
                "episode": {
                    "r": round(info["episode_return"], 6),
                    "l": int(self._lengths[row]),
                    "t": round(time.time() - self._start, 6),
                    **{name: info[name] for name in ("task", "passed", "latency") if name in info},
                },
            }
            self._lengths[row] = 0
        return observations, rewards.astype(np.float32), terminated | truncated, infos

    def close(self) -> None:
        """Stop the worker processes."""
        self.envs.close()

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Return a picture of each environment."""
        return list(self.envs.render() or [None] * self.num_envs)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of some environments."""
        return self.envs.query("get_attribute", self._rows(indices), attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of some environments."""
        self.envs.set_attribute(self._rows(indices), attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the results of a method of some environments."""
        return self.envs.query("call", self._rows(indices), method_name, method_args, method_kwargs)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """Return whether environments have a wrapper: none but a `Monitor`, whose work is done here."""
        return [issubclass(Monitor, wrapper_class)] * len(self._rows(indices))

    def _rows(self, indices: VecEnvIndices) -> list[int]:
        """Return the indices of the selected environments as a list."""
        one = isinstance(indices, int | np.integer | str | float)
        chosen = [indices] if one else list(self._get_indices(indices))
        whole = all(isinstance(each, int | np.integer) and not isinstance(each, bool) for each in chosen)
        if not whole or not all(-self.num_envs <= each < self.num_envs for each in chosen):  # type: ignore[operator]
            raise (IndexError if whole else TypeError)(
                f"indices is {indices!r}; it must be None, a whole number from 0 to {self.num_envs - 1}, "
                "or a list of such numbers"
            )
        return [range(self.num_envs)[each] for each in chosen]  # type: ignore[index]


def make_sb3(
    tasks: Source | Iterable[Source] = (), num_envs: int = 1, *, workers: int | None = None, **settings: Any
) -> ArenaSB3VecEnv:
    """Create a vector of environments for Stable-Baselines3; the settings are those of `puzzlebox.make`.

    Args:
        tasks: a task as for `puzzlebox.make`, a folder, a battery such as `operant-curriculum`, a pattern, or a list.
        num_envs: the number of environments; environment i plays tasks i, i + num_envs, ... of the list.
        workers: the number of processes, this one included; 0 is 1. Default: the number of cores.
        settings: see `puzzlebox.make`.
    """
    refuse_unknown(settings, ["tasks", *(name for name in vector_settings() if name != "autoreset")])
    return ArenaSB3VecEnv(make_vec(tasks, num_envs, workers=workers, autoreset="same_step", **settings))
