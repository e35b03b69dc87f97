"""Our recurrent PPO (`puzzlebox.learn.recurrent`) behind the face of all learners."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Dict as DictSpace

from puzzlebox.learn.checkpoints import RESUME, WEIGHTS
from puzzlebox.learn.learners.learner import Job
from puzzlebox.learn.networks import Policy
from puzzlebox.learn.recurrent import RecurrentPPO, Settings, Update


class OurLearner:
    """The recurrent PPO.

    Attributes:
        vector: the vector in which it plays.
    """

    def __init__(self, job: Job) -> None:
        settings = Settings(**job.settings)
        options = settings.vector(job.device)
        self.vector: Any = None

        def make(count: int) -> Any:
            self.vector = job.make_vector(count, **options)
            return self.vector

        try:
            self._learner = RecurrentPPO(make, settings, job.seed, job.device)
        except BaseException:
            if self.vector is not None:
                self.vector.close()
            raise

    def update(self) -> Update:
        """Play one rollout and learn from it."""
        return self._learner.update()

    def set_task_weights(self, weights: Sequence[float] | None) -> None:
        """Set how probable each task is in the next episodes."""
        self._learner.set_task_weights(weights)

    def save(self, folder: Path) -> None:
        """Write the policy, and all that resuming needs."""
        self._learner.policy().save(folder / WEIGHTS)
        torch.save(self._learner.state(), folder / RESUME)

    def load(self, folder: Path) -> None:
        """Resume from a checkpoint."""
        # The file holds the state of environments, which is no tensor; it is one of the user's own.
        self._learner.restore(torch.load(folder / RESUME, map_location="cpu", weights_only=False))

    def start_from(self, folder: Path) -> None:
        """Take the weights of another run."""
        policy = Policy.load(folder / WEIGHTS)
        self._learner.network.load_state_dict(policy.network.state_dict())

    def close(self) -> None:
        """Close the vector."""
        self._learner.close()


class OurPlayer:
    """Plays a policy of our recurrent PPO, with its memory."""

    def __init__(self, folder: Path, spaces: tuple[Any, Any], greedy: bool, device: str) -> None:
        self._policy = Policy.load(folder / WEIGHTS, device)
        self._space, self._greedy = spaces[0], greedy
        self._state = self._policy.initial(1)
        self._stream = torch.Generator(device)

    def begin(self, seed: int) -> None:
        """Start an episode with an empty memory."""
        self._state = self._policy.initial(1)
        self._stream.manual_seed(seed)

    def act(self, observation: Any) -> Any:
        """Return the next action."""
        named = observation if isinstance(self._space, DictSpace) else {"observation": observation}
        rows = {name: np.asarray(part)[None] for name, part in named.items()}
        actions, self._state = self._policy.act(rows, self._state, None if self._greedy else self._stream)
        return np.asarray(actions)[0]
