"""Warnings about arguments that only Unity needed."""

import logging
from collections.abc import Sequence

LOG = logging.getLogger("puzzlebox.animalai")


def warn_ignored(names: Sequence[str]) -> None:
    """Log a warning that these arguments have no effect."""
    if names:
        LOG.warning("these arguments of Animal-AI have no effect here: %s", ", ".join(names))
