"""The face of every learner for the training loop, and their names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from puzzlebox.learn.recurrent import Update

# Makes a Gymnasium vector with `autoreset="same_step"` for a number of environments; options such as `workers`.
MakeVector = Callable[..., Any]


@dataclass(frozen=True)
class Job:
    """What every learner is made from.

    Attributes:
        make_vector: makes the vector, with curiosity where it is asked for.
        settings: the settings of the learner.
        seed: the seed of everything random.
        device: "cpu", "cuda" or "cuda:N".
        steps: the number of decisions of the whole run, for schedules.
    """

    make_vector: MakeVector
    settings: dict[str, Any]
    seed: int
    device: str
    steps: int


class CannotStart(ValueError):
    """A learner cannot start from the weights of another run."""


class Learner(Protocol):
    """A learner that plays and learns piece by piece.

    Attributes:
        vector: the vector in which it plays.
    """

    vector: Any

    def update(self) -> Update:
        """Play some decisions, and learn from them."""

    def save(self, folder: Path) -> None:
        """Write `weights.pt`, all that playing needs, and `resume*`, all that resuming needs besides."""

    def load(self, folder: Path) -> None:
        """Resume from what `save` wrote."""

    def start_from(self, folder: Path) -> None:
        """Take the weights of another run's `weights.pt` before the first update; everything else stays new.

        Raises:
            CannotStart: this learner never can.
        """

    def set_task_weights(self, weights: Sequence[float] | None) -> None:
        """Set how probable each task is in the next episodes."""

    def close(self) -> None:
        """Close the vector."""


class Player(Protocol):
    """A trained policy that plays one episode after the other."""

    def begin(self, seed: int) -> None:
        """Start an episode; what is random comes from the seed."""

    def act(self, observation: Any) -> Any:
        """Return the next action for an observation of the space the policy was trained in."""


def make_learner(name: str, job: Job) -> Learner:
    """Make a learner by its name; importing its library may take seconds.

    Raises:
        ValueError: the learner cannot learn in these environments, or a setting is not allowed.
        ModuleNotFoundError: its library is not installed; the message says what brings it.
    """
    if name == "recurrent":
        from puzzlebox.learn.learners.ours import OurLearner

        return OurLearner(job)
    if name == "dreamer":
        from puzzlebox.learn.learners.dreamer import DreamerLearner

        return DreamerLearner(job)
    from puzzlebox.learn.learners.sb3 import SB3Learner

    return SB3Learner(name, job)


def make_player(
    name: str, folder: Path, settings: dict[str, Any], spaces: tuple[Any, Any], greedy: bool, device: str = "cpu"
) -> Player:
    """Make the player of a checkpoint.

    Args:
        name: the name of the learner.
        folder: the folder of the checkpoint.
        settings: the settings of the learner.
        spaces: the spaces of observations and actions it was trained with.
        greedy: whether it takes the most probable actions.
        device: where it computes.
    """
    if name == "recurrent":
        from puzzlebox.learn.learners.ours import OurPlayer

        return OurPlayer(folder, spaces, greedy, device)
    if name == "dreamer":
        from puzzlebox.learn.learners.dreamer import DreamerPlayer

        return DreamerPlayer(folder, settings, spaces, greedy, device)
    from puzzlebox.learn.learners.sb3 import SB3Player

    return SB3Player(name, folder, settings, spaces, greedy, device)
