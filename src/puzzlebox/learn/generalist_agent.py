"""The trained agent of the package, `generalist`; `tools/generalist.py` writes its folder from a run of training."""

from pathlib import Path
from typing import TYPE_CHECKING

from puzzlebox.wings import ARENA

if TYPE_CHECKING:
    from puzzlebox.learn.trained import TrainedAgent

NAME = "generalist"
# A checkpoint with its weights rounded to bf16, and without what only resuming needs.
FOLDER = Path(__file__).with_name(NAME)


def generalist(greedy: bool = False) -> "TrainedAgent":
    """Plays what our recurrent PPO has learned from the training tasks of the testbed.

    Args:
        greedy: whether it takes the most probable action instead of drawing one, as it did in training.

    Raises:
        ValueError: torch is not installed.
    """
    try:
        from puzzlebox.learn.trained import TrainedAgent

        return TrainedAgent(FOLDER, greedy)
    except ModuleNotFoundError as problem:
        raise ValueError(f'it needs {problem.name}; pip install "puzzlebox[learn]" brings it') from None


generalist.wing = ARENA  # type: ignore[attr-defined]
