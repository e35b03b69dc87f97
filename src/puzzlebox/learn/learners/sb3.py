"""PPO, DQN and SAC of stable-baselines3, in pieces that can be saved and resumed exactly.

Nothing is pickled that playing needs: `weights.pt` holds tensors alone. `resume.pt` also holds the state of the
environments and of all random streams, so that on a CPU a resumed run equals one that was not interrupted; the replay
buffer is in `resume-replay.npz`, unless `keep_replay` is false.
"""

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete
from gymnasium.spaces import Dict as DictSpace

from puzzlebox.learn.checkpoints import RESUME, WEIGHTS
from puzzlebox.learn.learners.learner import Job
from puzzlebox.learn.recurrent import Update
from puzzlebox.seeds import agent_seed, rng_from
from puzzlebox.text import nearest

try:
    from stable_baselines3 import DQN, PPO, SAC
    from stable_baselines3.common.logger import KVWriter, Logger

    from puzzlebox.learn.learners.sb3_vector import VectorForSB3, plain_observation, plain_space
except ModuleNotFoundError as problem:
    raise ModuleNotFoundError(
        f"this learner needs {problem.name}; pip install 'puzzlebox[learn]' brings it", name=problem.name
    ) from None

KINDS: dict[str, Any] = {"ppo": PPO, "dqn": DQN, "sac": SAC}
# Settings that are not arguments of the algorithm.
_OURS = ("envs", "workers", "policy", "keep_replay", "log_every", "threads")
_REPLAY = "resume-replay.npz"


class _Metrics(KVWriter):
    """Keeps the numbers that an algorithm logs."""

    def __init__(self) -> None:
        self.values: dict[str, float] = {}

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        self.values |= {name: float(each) for name, each in key_values.items() if isinstance(each, int | float)}
        self.values |= {name: float(each) for name, each in key_values.items() if isinstance(each, np.floating)}

    def close(self) -> None:
        """Nothing is open."""


def check_actions(name: str, space: Any) -> None:
    """Refuse a learner that cannot choose actions of a space.

    Raises:
        ValueError: it cannot; the message says which learners can.
    """
    if name == "sac" and not isinstance(space, Box):
        raise ValueError(
            f"sac learns continuous actions only, and these tasks have {_actions(space)}; take recurrent, ppo or dqn"
        )
    if name == "dqn" and not isinstance(space, Discrete):
        raise ValueError(
            f"dqn learns one discrete action only, and these tasks have {_actions(space)}; take recurrent, ppo or sac"
        )


def _actions(space: Any) -> str:
    if isinstance(space, Discrete):
        return f"{space.n} discrete actions"
    if isinstance(space, Box):
        return f"continuous actions of {int(np.prod(space.shape))} numbers"
    return f"actions of the space {space}"


def _policy(kind: Any, settings: dict[str, Any], space: Any) -> str:
    """Return the name of the policy class of an algorithm that fits an observation space.

    Raises:
        ValueError: the settings name another one.
    """
    name = str(settings["policy"])
    if name in kind.policy_aliases:
        return name
    if name != "auto":
        raise ValueError(f"policy is {name!r}{nearest(name, ['auto', *kind.policy_aliases])}")
    if isinstance(space, DictSpace):
        return "MultiInputPolicy"
    return "CnnPolicy" if len(space.shape) == 3 else "MlpPolicy"


def _has_pictures(space: Any) -> bool:
    parts = space.values() if isinstance(space, DictSpace) else [space]
    return any(len(part.shape or ()) == 3 for part in parts)


def _with_whole(kind: Any) -> Any:
    """Return an algorithm whose schedules follow the decisions of the whole run, not those of one call of `learn`."""

    class Whole(kind):  # type: ignore[misc]
        whole = 1

        def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
            super()._update_current_progress_remaining(min(num_timesteps, self.whole), self.whole)

    return Whole


class SB3Learner:
    """An algorithm of stable-baselines3.

    Attributes:
        vector: the Gymnasium vector in which it plays.
    """

    def __init__(self, name: str, job: Job) -> None:
        own = job.settings
        self.vector = job.make_vector(own["envs"], workers=own["workers"])
        try:
            check_actions(name, self.vector.single_action_space)
            self._envs = VectorForSB3(self.vector)
            threads = own["threads"] or (None if _has_pictures(self._envs.observation_space) else 1)
            if threads is not None:  # small networks lose more by waiting for each other than they gain
                torch.set_num_threads(threads)
            arguments = {key: value for key, value in own.items() if key not in _OURS}
            self._model = _with_whole(KINDS[name])(
                _policy(KINDS[name], own, self._envs.observation_space),
                self._envs,
                seed=job.seed,
                device=job.device,
                **arguments,
            )
        except (AssertionError, ValueError, TypeError, RuntimeError) as problem:
            self.vector.close()
            small = "; its pictures need 36 x 36 pixels or more" if "Kernel size" in str(problem) else ""
            why = " ".join(str(problem).split()) if not small else "the pictures are too small"
            raise ValueError(f"the learner {name} cannot be made: {why}{small}") from None
        except BaseException:
            self.vector.close()
            raise
        self._model.whole = max(1, job.steps)
        self._metrics = _Metrics()
        self._model.set_logger(Logger(None, [self._metrics]))
        self._piece = own["n_steps"] * own["envs"] if name == "ppo" else own["log_every"]
        self._keep_replay = bool(own.get("keep_replay"))

    def update(self) -> Update:
        """Play one rollout of PPO, or some hundred decisions of the others, and learn from them."""
        start, before = time.perf_counter(), self._model.num_timesteps
        self._model.learn(self._piece, reset_num_timesteps=False, log_interval=None)
        self._model.logger.dump(self._model.num_timesteps)
        ended, self._envs.ended = self._envs.ended, []
        metrics, self._metrics.values = self._metrics.values, {}
        steps = self._model.num_timesteps - before
        return Update(steps, ended, metrics, other_seconds=time.perf_counter() - start)

    def set_task_weights(self, weights: Sequence[float] | None) -> None:
        """Set how probable each task is in the next episodes."""
        self.vector.set_task_weights(weights)

    def save(self, folder: Path) -> None:
        """Write the weights, and all that resuming needs."""
        model = self._model
        torch.save(model.policy.state_dict(), folder / WEIGHTS)
        parameters = model.get_parameters()
        parameters.pop("policy")
        variables = {
            name: getattr(model, name).detach() for name in _variables(model) if getattr(model, name) is not None
        }
        state = {
            "parameters": parameters,
            "variables": variables,
            "counts": {name: getattr(model, name) for name in _COUNTS if hasattr(model, name)},
            "starts": model._last_episode_starts,
            "episodes": self._envs.counter.state(),
            "vector": self.vector.snapshot(),
            "rng": _rng_state(model),
        }
        torch.save(state, folder / RESUME)
        replay = getattr(model, "replay_buffer", None)
        if replay is not None and self._keep_replay:
            np.savez(folder / _REPLAY, **_replay_arrays(replay))

    def load(self, folder: Path) -> None:
        """Resume from a checkpoint."""
        model = self._model
        device = model.device
        # The file holds the state of environments, which is no tensor; it is one of the user's own.
        state = torch.load(folder / RESUME, map_location=device, weights_only=False)
        policy = torch.load(folder / WEIGHTS, map_location=device, weights_only=True)
        model.set_parameters({**state["parameters"], "policy": policy}, exact_match=True, device=device)
        for name, value in state["variables"].items():
            getattr(model, name).data.copy_(value)
        for name, value in state["counts"].items():
            setattr(model, name, value)
        observations, _ = self.vector.restore(state["vector"])
        self._envs.counter.restore(state["episodes"])
        # `_wrap_env` of stable-baselines3 put a wrapper around that moves channels first.
        model._last_obs = _transposed(model.env, self._envs.restored(observations))
        model._last_episode_starts = state["starts"]
        if getattr(model, "replay_buffer", None) is not None and (folder / _REPLAY).exists():
            with np.load(folder / _REPLAY) as arrays:
                _restore_replay(model.replay_buffer, arrays)
        _restore_rng(model, state["rng"])

    def start_from(self, folder: Path) -> None:
        """Take the weights of another run."""
        policy = self._model.policy
        policy.load_state_dict(torch.load(folder / WEIGHTS, map_location=self._model.device, weights_only=True))

    def close(self) -> None:
        """Close the vector."""
        self.vector.close()


_COUNTS = ("num_timesteps", "_n_updates", "_episode_num", "_n_calls", "exploration_rate", "_current_progress_remaining")


def _variables(model: Any) -> list[str]:
    _, names = model._get_torch_save_params()
    return [name for name in names if "." not in name]


def _transposed(env: Any, observations: Any) -> Any:
    transpose = getattr(env, "transpose_observations", None)
    return observations if transpose is None else transpose(observations)


def _rng_state(model: Any) -> dict[str, Any]:
    return {
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if model.device.type == "cuda" else [],
        "numpy": np.random.get_state(),
        "python": random.getstate(),
        "actions": model.action_space.np_random.bit_generator.state,
    }


def _restore_rng(model: Any, state: dict[str, Any]) -> None:
    torch.set_rng_state(state["torch"].cpu())
    if state["cuda"] and model.device.type == "cuda":
        torch.cuda.set_rng_state_all([each.cpu() for each in state["cuda"]])
    np.random.set_state(state["numpy"])
    random.setstate(state["python"])
    model.action_space.np_random.bit_generator.state = state["actions"]


def _replay_arrays(replay: Any) -> dict[str, Any]:
    """Return the filled part of a replay buffer as arrays."""
    size = replay.buffer_size if replay.full else replay.pos
    arrays: dict[str, Any] = {"pos": np.array(replay.pos), "full": np.array(replay.full)}
    for name in ("observations", "next_observations"):
        part = getattr(replay, name)
        rows = part.items() if isinstance(part, dict) else [("", part)]
        arrays |= {f"{name}/{key}": each[:size] for key, each in rows}
    for name in ("actions", "rewards", "dones", "timeouts"):
        arrays[name] = getattr(replay, name)[:size]
    return arrays


def _restore_replay(replay: Any, arrays: Any) -> None:
    replay.pos, replay.full = int(arrays["pos"]), bool(arrays["full"])
    for name in arrays.files:
        if name in ("pos", "full"):
            continue
        attribute, slash, key = name.partition("/")
        target = getattr(replay, attribute)
        if slash and key:
            target = target[key]
        values = arrays[name]
        target[: len(values)] = values


class SB3Player:
    """Plays a policy of stable-baselines3.

    PPO and SAC draw from their distribution of actions. DQN takes the action of the highest value, and a random one
    with the probability `exploration_final_eps`, as at the end of training. With `greedy`, nothing is drawn.
    """

    def __init__(
        self, name: str, folder: Path, settings: dict[str, Any], spaces: tuple[Any, Any], greedy: bool, device: str
    ) -> None:
        observation, action = spaces
        self._own, self._greedy = observation, greedy
        plain = plain_space(observation)
        if isinstance(plain, DictSpace):
            plain = DictSpace({name: _channels_first(part) for name, part in plain.items()})
        else:
            plain = _channels_first(plain)
        kind = KINDS[name].policy_aliases[_policy(KINDS[name], settings, plain)]
        self._policy = kind(plain, action, lambda _: 0.0).to(device)
        self._policy.load_state_dict(torch.load(folder / WEIGHTS, map_location=device, weights_only=True))
        self._policy.set_training_mode(False)
        self._epsilon = settings["exploration_final_eps"] if name == "dqn" and not greedy else 0.0
        self._actions = action
        self._rng = rng_from(0)
        self._stream = torch.get_rng_state()

    def begin(self, seed: int) -> None:
        """Start an episode."""
        self._rng = rng_from(seed)
        self._stream = torch.Generator().manual_seed(agent_seed(seed)).get_state()

    def act(self, observation: Any) -> Any:
        """Return the next action."""
        if self._epsilon and self._rng.random() < self._epsilon:
            return np.int64(self._rng.integers(self._actions.n))
        # The policy draws from torch's own stream, which others use as well.
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self._stream)
            action, _ = self._policy.predict(
                plain_observation(self._own, observation), deterministic=self._greedy or self._epsilon > 0
            )
            self._stream = torch.get_rng_state()
        return action


def _channels_first(space: Any) -> Any:
    """Return the space of a picture as stable-baselines3 moves its channels; other spaces stay as they are."""
    from stable_baselines3.common.preprocessing import is_image_space, is_image_space_channels_first
    from stable_baselines3.common.vec_env import VecTransposeImage

    if not is_image_space(space) or is_image_space_channels_first(space):
        return space
    return VecTransposeImage.transpose_space(space)
