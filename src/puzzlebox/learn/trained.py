"""A trained policy as an agent: `puzzlebox run TASKS --agent RUN/latest`."""

from pathlib import Path
from typing import Any

from puzzlebox.learn.checkpoints import UNREADABLE, WEIGHTS, find_checkpoint
from puzzlebox.learn.learners.learner import make_player
from puzzlebox.learn.spaces import fit_action, fit_observation, space_of


class TrainedAgent:
    """Plays what `puzzlebox train` has learned.

    Args:
        path: the folder of a run, its `latest`, or one of its `checkpoints`.
        greedy: whether it takes the most probable action instead of drawing one, as it did in training.
        threads: the number of threads of torch. None: as it is.

    Attributes:
        senses: the senses it was trained with.
        wing: the wing of the tasks it was trained on.
        trained_on: the hashes of the tasks it was trained on.
        identity: the hash of its weights, by which runs notice that they have changed.

    Raises:
        FileNotFoundError: there is no such checkpoint.
        ValueError: the checkpoint is damaged.
    """

    def __init__(self, path: str | Path, greedy: bool = False, threads: int | None = 1) -> None:
        if not isinstance(greedy, bool):
            raise ValueError(f"greedy is {greedy!r}; it must be true or false")
        checkpoint = find_checkpoint(Path(path))
        about = checkpoint.about
        try:
            self.wing: str = about["wing"]
            self.senses: dict[str, Any] = about["senses"]
            self.trained_on = frozenset(each["hash"] for each in about["tasks"])
            self._space = space_of(about["observations"])
            spaces = (self._space, space_of(about["actions"]))
            learner, settings = about["learner"], about["settings"]
        except (KeyError, TypeError, ValueError) as problem:
            raise ValueError(f"{checkpoint.folder / 'about.json'} is damaged: {problem!r}") from None
        try:
            self.identity = checkpoint.weights_hash
        except FileNotFoundError:
            raise ValueError(f"{checkpoint.folder} has no {WEIGHTS}") from None
        if threads is not None:
            import torch

            # Several workers play at the same time, each on its own core.
            torch.set_num_threads(threads)
        try:
            self._player = make_player(learner, checkpoint.folder, settings, spaces, greedy)
        except UNREADABLE as problem:
            raise ValueError(
                f"{checkpoint.folder / WEIGHTS} is damaged, or not of this learner: {type(problem).__name__}"
            ) from None
        self._actions: Any = spaces[1]

    def begin(self, seed: int) -> None:
        """Start an episode."""
        self._player.begin(seed)

    def use_space(self, space: Any) -> None:
        """Take the action space of the environment, which is smaller than that of several tasks together."""
        self._actions = space

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """Return the next action."""
        return fit_action(self._player.act(fit_observation(self._space, observation)), self._actions)
