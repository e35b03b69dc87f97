"""What is said about things that only Unity understood."""

import logging
from collections.abc import Sequence

LOG = logging.getLogger("puzzlebox.animalai")


def without_effect(names: Sequence[str]) -> None:
    """Say that these arguments were taken and change nothing."""
    if names:
        LOG.warning("these arguments of Animal-AI have no effect here: %s", ", ".join(names))
